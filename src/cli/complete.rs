//! Answers to a shell that asks how a word may go on.
//!
//! The scripts in completions/ run `PM_COMPLETE=<shell> pm -- <words>`. Only the parser of the command in question is
//! built, and the tracker is read only when a value of it is wanted.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use clap::Command;
use clap_complete::CompletionCandidate;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter};
use clap_complete::env::Shells;

use crate::clock::Clock;
use crate::environment::Env;
use crate::error::Result;
use crate::generate::page;
use crate::grammar;
use crate::model::records::Record;
use crate::surface::{Catalog, Context, Surface};
use crate::tracker::Tracker;

use super::argv;

/// Most candidates that are offered.
const MOST: usize = 500;

/// What of the tracker completes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Id,
    Status,
    Kind,
    Tag,
    Assignee,
    Sprint,
    Release,
}

/// The options and arguments that are completed from the tracker, by long name.
const SOURCES: &[(&str, Source)] = &[
    ("id", Source::Id),
    ("ids", Source::Id),
    ("parent", Source::Id),
    ("blocked-by", Source::Id),
    ("blocks", Source::Id),
    ("dep", Source::Id),
    ("dep-remove", Source::Id),
    ("duplicate-of", Source::Id),
    ("target", Source::Id),
    ("status", Source::Status),
    ("filter-status", Source::Status),
    ("type", Source::Kind),
    ("filter-type", Source::Kind),
    ("tag", Source::Tag),
    ("tag-all", Source::Tag),
    ("tags", Source::Tag),
    ("add-tags", Source::Tag),
    ("remove-tags", Source::Tag),
    ("filter-tag", Source::Tag),
    ("assignee", Source::Assignee),
    ("sprint", Source::Sprint),
    ("release", Source::Release),
];

/// Closed sets that the parser leaves to the commands, since their refusals say more than a parser could.
const WORDS: &[(&str, &[&str])] = &[
    ("output-format", &["toon", "json"]),
    ("sort", &["priority", "deadline", "updated_at", "created_at", "title", "parent"]),
    ("order", &["asc", "desc"]),
    ("assignee-filter", &["assigned", "unassigned"]),
    ("priority", &["0", "1", "2", "3", "4"]),
    ("risk", &["low", "medium", "high", "critical"]),
    ("severity", &["low", "medium", "high", "critical"]),
    ("confidence", &["low", "medium", "high"]),
];

/// The bytes for a shell; `argv` is what follows the program's own name, `words` after `--`.
pub(super) fn answer(shell: &str, argv: &[String], env: &Env, catalog: Catalog) -> Option<Vec<u8>> {
    let shells = Shells::builtins();
    let completer = shells.completer(shell)?;
    let words: Vec<String> = argv.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    let mut parser = parser(words.get(1..).unwrap_or_default(), env, catalog);
    let mut bytes = Vec::new();
    let words = words.into_iter().map(OsString::from).collect();
    // Without an answer a shell falls back to its own.
    completer.write_complete(&mut parser, words, Some(&env.cwd), &mut bytes).ok()?;
    Some(bytes)
}

/// The grammar as far as these words reach into it.
fn parser(words: &[String], env: &Env, catalog: Catalog) -> Command {
    // The word in question names nothing yet.
    let path = argv::path(words.split_last().map_or(words, |(_, said)| said), catalog);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let root = group(&[], catalog).name("pm").disable_help_subcommand(true);
    let asked = Asked {
        full: argv::resolve(&path, catalog),
        flags: words.last().is_some_and(|word| word.starts_with('-')),
        env,
        catalog,
    };
    place(root, &path, &asked, 0)
}

/// What is asked for.
struct Asked<'e> {
    /// The command, when the words name one.
    full: Option<&'static Surface>,
    /// The word begins with a dash: flags are offered even when there is something else.
    flags: bool,
    env: &'e Env,
    catalog: Catalog,
}

/// Hangs the parser of a path below its parent, with the groups on the way.
fn place(parent: Command, path: &[&str], asked: &Asked<'_>, depth: usize) -> Command {
    let Some(word) = path.get(depth) else { return parent };
    let mut child = group(&path[..=depth], asked.catalog);
    if depth + 1 == path.len()
        && let Some(surface) = asked.full
    {
        child = completed(surface, asked).subcommands(child.get_subcommands().cloned());
    }
    let child = place(child, path, asked, depth + 1).name((*word).to_owned());
    if parent.find_subcommand(word).is_some() {
        return parent.mut_subcommand(word, |_| child);
    }
    // An alias or an older spelling: it is understood, not offered.
    parent.subcommand(child.hide(true))
}

/// A parser with the words that may follow a path, as far as help speaks of them.
fn group(path: &[&str], catalog: Catalog) -> Command {
    let words = page::below(path, catalog).into_iter();
    Command::new("group").subcommands(words.map(|(word, about)| Command::new(word).about(about)))
}

/// Adds the fields of the tracker, and to each argument where its values come from.
fn completed(surface: &Surface, asked: &Asked<'_>) -> Command {
    let (place, catalog) = (Arc::new(asked.env.clone()), asked.catalog);
    let mut parser = grammar::parser(surface).no_binary_name(false);
    if surface.contract.custom_flags {
        let context = context(&place, catalog);
        let fields = context.tracker().map(|tracker| tracker.schema().fields.as_slice()).unwrap_or_default();
        parser = grammar::with_fields(parser, surface.contract.path[0], fields);
    }
    parser.mut_args(|arg| {
        let hidden = arg.is_hide_set() || !arg.is_positional() && !asked.flags;
        let arg = arg.hide(hidden);
        if !arg.get_action().takes_values() || !arg.get_possible_values().is_empty() {
            return arg;
        }
        let name = arg.get_long().map_or_else(|| arg.get_id().as_str().replace('_', "-"), str::to_owned);
        if let Some((_, words)) = WORDS.iter().find(|(known, _)| *known == name) {
            return arg.add(ArgValueCandidates::new(|| words.iter().map(CompletionCandidate::new).collect()));
        }
        let source = SOURCES.iter().find(|(known, _)| *known == name).map(|(_, source)| *source);
        let Some(source) = source else { return arg };
        let place = Arc::clone(&place);
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
            candidates(source, &typed.to_string_lossy(), &place, catalog).unwrap_or_default()
        }))
    })
}

fn context(env: &Env, catalog: Catalog) -> Context {
    Context::new(catalog, env.clone(), Clock::System, Box::new(|| Ok(String::new())))
}

/// The values that begin with what was typed; of a list, the part behind the last comma counts.
fn candidates(source: Source, typed: &str, env: &Env, catalog: Catalog) -> Result<Vec<CompletionCandidate>> {
    let context = context(env, catalog);
    let tracker = context.tracker()?;
    let cut = typed.rfind(',').map_or(0, |comma| comma + 1);
    let (before, begun) = typed.split_at(cut);
    let values = values(source, begun, tracker)?;
    let candidate = |(value, help): (String, String)| {
        let help = (!help.is_empty()).then(|| help.into());
        CompletionCandidate::new(format!("{before}{value}")).help(help)
    };
    Ok(values.into_iter().take(MOST).map(candidate).collect())
}

/// Values and what they mean.
fn values(source: Source, begun: &str, tracker: &Tracker) -> Result<Vec<(String, String)>> {
    let lower = begun.to_lowercase();
    let begins = |value: &str| value.to_lowercase().starts_with(&lower);
    let schema = tracker.schema();
    let prefix = tracker.settings().id_prefix();
    Ok(match source {
        Source::Status => schema
            .statuses
            .iter()
            .filter(|status| begins(&status.id))
            .map(|status| (status.id.clone(), String::new()))
            .collect(),
        Source::Kind => schema
            .kinds
            .iter()
            .filter(|kind| begins(&kind.name))
            .map(|kind| (kind.name.clone(), String::new()))
            .collect(),
        Source::Id => {
            // Without a beginning only what is still to be done is offered.
            let open = |status: &str| begun.len() > 1 || !schema.statuses.is_terminal(status);
            let value = |record: Record<'_>| (record.id().to_owned(), record.title().to_owned());
            let whole = if begins(&prefix) { String::new() } else { format!("{prefix}{lower}") };
            tracker.glance(|records| {
                let of = |begun: &str| records.with_prefix(begun).filter(|r| open(r.status())).take(MOST);
                let mut found: Vec<_> = of(&lower).map(value).collect();
                if !whole.is_empty() {
                    found.extend(of(&whole).map(value));
                }
                found
            })?
        }
        Source::Tag | Source::Assignee | Source::Sprint | Source::Release => {
            let found = tracker.glance(|records| {
                let mut found: BTreeSet<String> = BTreeSet::new();
                let mut add = |value: &str| {
                    if begins(value) && !found.contains(value) {
                        found.insert(value.to_owned());
                    }
                };
                for record in records.iter() {
                    match source {
                        Source::Tag => record.tags().for_each(&mut add),
                        Source::Assignee => record.assignee().into_iter().for_each(&mut add),
                        Source::Sprint => record.sprint().into_iter().for_each(&mut add),
                        _ => record.release().into_iter().for_each(&mut add),
                    }
                }
                found
            })?;
            found.into_iter().map(|value| (value, String::new())).collect()
        }
    })
}
