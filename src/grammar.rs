//! The catalog as a grammar: global flags, aliases, and a `clap::Command` for one surface or for all.

use std::collections::BTreeMap;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction};

use crate::contract::Effect;
use crate::model::schema::{Field, FieldKind};
use crate::surface::{Catalog, Surface};

/// A spelling of older days: the words to say instead.
#[derive(Clone, Copy, Debug)]
pub struct Deprecated {
    /// The older command word.
    pub word: &'static str,
    /// What it stands for now.
    pub argv: &'static [&'static str],
}

/// Command words that still work, hidden from help (surfaces.md §4.2).
pub const DEPRECATED: &[Deprecated] = &[
    Deprecated { word: "list-all", argv: &["list", "--all"] },
    Deprecated { word: "list-draft", argv: &["list", "--status", "draft"] },
    Deprecated { word: "list-open", argv: &["list", "--status", "open"] },
    Deprecated { word: "list-in-progress", argv: &["list", "--status", "in_progress"] },
    Deprecated { word: "list-blocked", argv: &["list", "--status", "blocked"] },
    Deprecated { word: "list-closed", argv: &["list", "--status", "closed"] },
    Deprecated { word: "list-canceled", argv: &["list", "--status", "canceled"] },
];

/// What the groups of commands are about that are no commands themselves.
const GROUPS: &[(&[&str], &str)] = &[
    (&["assurance"], "Judge what the tracker promises about itself"),
    (
        &["catalog"],
        "Publish procedures as static files with computed trust: new, check, build, list, get, search, status, attest, verify, run, serve",
    ),
    (&["export"], "Give the tracker out: whole items as lines of JSON"),
    (&["graph"], "Ask the graph of links between items"),
    (&["import"], "Take over other trackers and exports: beads, backlog, ticket, todotxt, github, jsonl"),
    (&["item"], "Complete, reopen or change an item in one step"),
    (&["plan"], "Keep plans: ordered steps, decisions, discoveries, validation"),
    (&["profile"], "Fit a tracker to a way of working: list, show, apply, lint"),
    (&["templates"], "Keep what new items of a sort begin with: save, list, show, delete"),
    (&["workspace"], "Keep copies of the whole tracker; see who holds what"),
    (&["workspace", "snapshot"], "Copies of the whole tracker: create, list, inspect, restore, delete"),
    (&["schema"], "Declare the types, statuses and fields of this tracker"),
    (&["hooks"], "Programs that run after changes: list, allow, deny"),
    (&["kb"], "Ask the documents of this repository, at a depth that is declared"),
    (&["merge"], "Merge trackers: install drivers, run one, resolve conflicts, report"),
];

/// What a group is about; empty when the words name none.
pub fn group_about(path: &[&str]) -> &'static str {
    GROUPS.iter().find(|(known, _)| *known == path).map_or("", |(_, about)| about)
}

/// The heading under which help lists the flags of every change.
pub const MUTATION_HEADING: &str = "Change options";

/// The heading under which help lists the global flags.
pub const GLOBAL_HEADING: &str = "Global options";

/// The heading under which help lists the controls of the read output.
pub const OUTPUT_HEADING: &str = "Output controls";

/// A global flag: its long name, the name of its value or its legal values (empty: it takes none), its help.
struct Global(&'static str, &'static str, &'static str);

/// Flags that every command takes, before or after its name (surfaces.md §1, storage.md §6.1).
const GLOBALS: &[Global] = &[
    Global("json", "", "Answer in JSON instead of TOON"),
    Global("lean", "", "Leave nulls and empty containers out of JSON"),
    Global("quiet", "", "Print nothing on standard output; the exit code tells"),
    Global("full-envelope", "", "Repeat the question in the answer: filters, projection, sorting, time"),
    Global("token-accounting", "", "Add what each section of the answer costs in tokens"),
    Global("id-only", "", "After a change print only id and status"),
    Global("full-changed-fields", "", "After a change print the whole item and the list of changed fields"),
    Global("no-changed-fields", "", "After a change print the count of changed fields, never their names"),
    Global("author", "NAME", "Who makes this change"),
    Global("session", "ID", "Whose claims these are, when several sessions share one author"),
    Global("pm-path", "DIR", "The tracker's own folder, instead of the nearest .agents/pm"),
    Global("path", "DIR", "Older name of --pm-path"),
    Global(
        "format",
        "toon|json|table|csv|ndjson|markdown",
        "An encoding, or a view for people and other programs",
    ),
    Global("no-extensions", "", "Accepted for compatibility; there are no extensions to load"),
    Global("no-pager", "", "Do not page help"),
    Global("explain", "", "Give reasons and more examples, in help and in errors"),
    Global("profile", "", "Print timings on standard error"),
];

/// Global flags that shape the receipts of changes.
const OF_CHANGES: &[&str] = &["id-only", "full-changed-fields", "no-changed-fields"];

/// The seven controls of seed 001.
const OUTPUT: &[Global] = &[
    Global("output-include", "FIELDS", "Fields, sections or a named projection to keep"),
    Global("output-limit", "COUNT", "Rows of each collection to keep, or unbounded"),
    Global("output-budget", "TOKENS", "Most tokens that the answer may cost, or unbounded"),
    Global("output-format", "toon|json", "The encoding of the answer"),
    Global("output-session", "STATE", "The state of a session as the last answer gave it"),
    Global("output-cursor", "CURSOR", "Continue where a cut answer ended"),
    Global("output-row-contract", "", "Add the machine-readable contract of the rows"),
];

/// Flags of every command that writes (storage.md §5.4, product.md §5.7, §5.8).
const MUTATION: &[Global] = &[
    Global("dry-run", "", "Say what would change and change nothing"),
    Global("if-hash", "HASH", "Refuse unless the item has this hash now"),
    Global("if-updated-at", "TIME", "Refuse unless the item was last changed at this time"),
    Global("force", "", "Override claims and other guards that can be overridden"),
];

impl Global {
    fn arg(&self, heading: &'static str) -> Arg {
        let arg = Arg::new(self.0).long(self.0).help(self.2).help_heading(heading);
        if self.1.is_empty() {
            // Said twice means the same, as in the reference.
            arg.action(ArgAction::SetTrue).overrides_with(self.0)
        } else {
            // The last one wins, as in the reference.
            let arg = arg.action(ArgAction::Set).overrides_with(self.0);
            match self.1.contains('|') {
                // The read output refuses what is none of them, in its own words.
                true if heading == OUTPUT_HEADING => arg.value_name("FORMAT").value_parser(Offered(self.1)),
                true => {
                    arg.value_name(self.0.to_uppercase()).value_parser(self.1.split('|').collect::<Vec<_>>())
                }
                false => arg.value_name(self.1),
            }
        }
    }
}

/// A text whose legal values are told here, with bars between them, and judged by who reads it.
#[derive(Clone, Copy, Debug)]
struct Offered(&'static str);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.split('|').map(PossibleValue::new)))
    }
}

/// A long flag that every command takes: `Some(true)` when it takes a value.
pub fn global_takes_value(long: &str) -> Option<bool> {
    GLOBALS.iter().chain(OUTPUT).find(|global| global.0 == long).map(|global| !global.1.is_empty())
}

/// Whether a long flag is one of the seven output controls.
pub fn is_output_control(long: &str) -> bool {
    OUTPUT.iter().any(|global| global.0 == long)
}

/// Names of all global flags, without dashes.
pub fn global_longs() -> impl Iterator<Item = &'static str> {
    GLOBALS.iter().chain(OUTPUT).map(|global| global.0)
}

/// The parser of one command: its own arguments, then the global ones it does not declare itself.
pub fn parser(surface: &Surface) -> clap::Command {
    let own = surface.augment(clap::Command::new(surface.name())).mut_args(relax);
    let wanted = |global: &&Global| !own.get_arguments().any(|arg| arg.get_long() == Some(global.0));
    let mut added: Vec<Arg> = Vec::new();
    if surface.contract.effect != Effect::Reads {
        added.extend(MUTATION.iter().filter(wanted).map(|global| {
            let meaningless = !surface.contract.expects && global.0.starts_with("if-");
            global.arg(MUTATION_HEADING).hide(meaningless)
        }));
    }
    let contract = surface.contract;
    // What has no meaning here is understood, so that its refusal can say why, but not offered.
    let no_read = contract.read_output.is_none();
    added.extend(
        OUTPUT
            .iter()
            .filter(wanted)
            .map(|global| global.arg(OUTPUT_HEADING).hide(no_read && global.0 != "output-format")),
    );
    added.extend(GLOBALS.iter().filter(wanted).map(|global| {
        let of_changes = OF_CHANGES.contains(&global.0) && contract.effect == Effect::Reads;
        global.arg(GLOBAL_HEADING).hide(of_changes || global.0 == "path")
    }));
    own.args(added)
        .about(surface.contract.about)
        .long_about(None)
        .no_binary_name(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
}

/// The heading under which help lists the flags that the tracker's own schema declares.
pub const FIELD_HEADING: &str = "Fields of this tracker";

/// What the ids of such flags begin with.
const FIELD: &str = "field:";

/// Adds the flags of the fields that this command takes (storage.md §7.6); a declared flag is never replaced.
pub fn with_fields(parser: clap::Command, word: &str, fields: &[Field]) -> clap::Command {
    let mut parser = parser;
    // A template keeps what `create` takes.
    let word = if word == "templates" { "create" } else { word };
    for field in
        fields.iter().filter(|field| field.commands.iter().any(|command| command.replace('_', "-") == word))
    {
        let taken = |long: &str| {
            parser.get_arguments().any(|arg| {
                arg.get_long() == Some(long)
                    || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&long))
            })
        };
        if field.flag.is_empty() || taken(&field.flag) {
            continue;
        }
        let aliases: Vec<String> = field.flag_aliases.iter().filter(|alias| !taken(alias)).cloned().collect();
        let mut arg = Arg::new(format!("{FIELD}{}", field.metadata_key))
            .long(field.flag.clone())
            .aliases(aliases)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
            .value_name(field.kind.as_str().to_uppercase())
            .help(field.description.clone().unwrap_or_else(|| format!("The field {}", field.key)))
            .help_heading(FIELD_HEADING);
        if field.kind == FieldKind::Boolean {
            arg = arg.num_args(0..=1).default_missing_value("true");
        }
        parser = parser.arg(arg);
    }
    parser
}

/// The values of such flags in a parsed call, by metadata key.
pub fn field_values(matches: &clap::ArgMatches) -> BTreeMap<String, Vec<String>> {
    let keys = matches
        .ids()
        .filter_map(|id| id.as_str().strip_prefix(FIELD).map(|key| (key.to_owned(), id.as_str())));
    keys.map(|(key, id)| {
        let values = matches.get_many::<String>(id).into_iter().flatten().cloned().collect();
        (key, values)
    })
    .collect()
}

/// Lets values start with a dash (`--updated-after -7d`, `--body "- a list"`): what is an unknown flag has
/// been decided before the parser runs. A flag that is said twice counts once.
fn relax(arg: Arg) -> Arg {
    let takes_value = arg.get_action().takes_values();
    let single = matches!(arg.get_action(), ArgAction::Set | ArgAction::SetTrue | ArgAction::SetFalse);
    let id = arg.get_id().clone();
    let positional = arg.is_positional();
    // After an optional value a flag is a flag: `--regression --json`.
    let needs_value = takes_value && arg.get_num_args().is_none_or(|count| count.min_values() > 0);
    let arg = if needs_value { arg.allow_hyphen_values(true) } else { arg };
    if single && !positional { arg.overrides_with(id) } else { arg }
}

/// The parser of everything, for completions and documentation; one call builds all of them.
pub fn root(catalog: Catalog) -> clap::Command {
    let mut root = clap::Command::new("pm")
        .about("Tracks the work of a project in plain files of its own Git repository")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true);
    for surface in catalog.iter() {
        root = insert(root, surface, surface.contract.path);
    }
    root
}

/// Puts a surface at its path below a parser, making the groups on the way.
fn insert(parent: clap::Command, surface: &Surface, path: &'static [&'static str]) -> clap::Command {
    let (word, rest) = (path[0], &path[1..]);
    if rest.is_empty() {
        let known = parent.find_subcommand(word).cloned();
        let mut child =
            parser(surface).name(word).no_binary_name(false).visible_aliases(surface.contract.aliases);
        for sub in known.iter().flat_map(clap::Command::get_subcommands) {
            child = child.subcommand(sub.clone());
        }
        return if known.is_some() {
            parent.mut_subcommand(word, |_| child)
        } else {
            parent.subcommand(child)
        };
    }
    let parent = if parent.find_subcommand(word).is_some() {
        parent
    } else {
        parent.subcommand(clap::Command::new(word))
    };
    parent.mut_subcommand(word, |child| insert(child, surface, rest))
}

/// Whether any command has this flag; said with its dashes.
pub fn declares(catalog: Catalog, flag: &str) -> bool {
    let long = flag.trim_start_matches('-').replace('_', "-");
    catalog.iter().any(|surface| parser(surface).get_arguments().any(|arg| arg.get_long() == Some(&long)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::schema::{Schema, SchemaFiles};
    use crate::model::settings::Settings;

    fn fields() -> Vec<Field> {
        let serde_json::Value::Object(document) = json!({"fields": [
            {"key": "effort", "type": "number"},
            {"key": "risky", "type": "boolean", "commands": ["list"]},
            {"key": "json", "type": "string"},
        ]}) else {
            unreachable!()
        };
        let files = SchemaFiles { fields: Some(document), ..SchemaFiles::default() };
        Schema::new(&Settings::none(), &files).fields
    }

    fn parse(word: &str, argv: &[&str]) -> BTreeMap<String, Vec<String>> {
        let bare = clap::Command::new("x").no_binary_name(true).arg(GLOBALS[0].arg(GLOBAL_HEADING));
        let matches = with_fields(bare, word, &fields()).try_get_matches_from(argv).unwrap();
        field_values(&matches)
    }

    #[test]
    fn fields_join_the_commands_that_take_them() {
        assert_eq!(parse("create", &["--effort", "-3", "--json"])["effort"], ["-3"]);
        assert_eq!(parse("list", &["--risky"])["risky"], ["true"]);
        assert_eq!(parse("list", &["--risky", "no"])["risky"], ["no"]);
        assert!(parse("create", &["--json"]).is_empty());
    }

    #[test]
    fn every_global_flag_says_what_it_does() {
        for global in GLOBALS.iter().chain(OUTPUT).chain(MUTATION) {
            assert_eq!(
                global_takes_value(global.0).is_some(),
                !MUTATION.iter().any(|known| known.0 == global.0)
            );
            assert!(!global.2.is_empty() && !global.2.ends_with('.'), "{}", global.0);
        }
    }
}
