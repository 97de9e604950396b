//! `pm config`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Row, Rows};
use crate::contract::{Contract, Effect, Example, Tier};
use crate::error::{Code, Error, Result};
use crate::model::setting_key::{KEYS, Misfit, SettingKey, Shape};
use crate::model::settings::Settings;
use crate::mutation::write;
use crate::nearest;
use crate::store::WorkTree;
use crate::store::settings::SETTINGS_PATH;
use crate::surface::{Command, Context};
use crate::tracker::Document;

/// Reads and changes settings.
pub(super) struct Config;

/// Arguments of `pm config`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// project or global, then list, export, get or set, then key and value; project may be left out
    #[arg(value_name = "WORDS", num_args = 0..=4, allow_negative_numbers = true)]
    words: Vec<String>,
    /// One criterion of a list; repeat it for more
    #[arg(long, value_name = "TEXT")]
    criterion: Vec<String>,
    /// Empty a list
    #[arg(long)]
    clear_criteria: bool,
    /// The value of item-format
    #[arg(long = "format", id = "item_format", value_name = "FORMAT")]
    format: Option<String>,
    /// The value of a policy
    #[arg(long, value_name = "VALUE")]
    policy: Option<String>,
    /// The value of any setting
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// How much `pm context` tells of each item
    #[arg(long, value_name = "DEPTH")]
    default_depth: Option<String>,
    /// How many events `pm context` shows
    #[arg(long, value_name = "COUNT")]
    activity_limit: Option<String>,
    /// After how many days an item counts as stale
    #[arg(long, value_name = "DAYS")]
    stale_threshold_days: Option<String>,
    /// Whether `pm context` shows the hierarchy
    #[arg(long, value_name = "BOOL")]
    section_hierarchy: Option<bool>,
    /// Whether `pm context` shows recent events
    #[arg(long, value_name = "BOOL")]
    section_activity: Option<bool>,
    /// Whether `pm context` shows progress
    #[arg(long, value_name = "BOOL")]
    section_progress: Option<bool>,
    /// Whether `pm context` shows what is blocked
    #[arg(long, value_name = "BOOL")]
    section_blockers: Option<bool>,
    /// Whether `pm context` shows linked files
    #[arg(long, value_name = "BOOL")]
    section_files: Option<bool>,
    /// Whether `pm context` shows who works on what
    #[arg(long, value_name = "BOOL")]
    section_workload: Option<bool>,
    /// Whether `pm context` shows what is stale
    #[arg(long, value_name = "BOOL")]
    section_staleness: Option<bool>,
    /// Whether `pm context` shows linked tests
    #[arg(long, value_name = "BOOL")]
    section_tests: Option<bool>,
    /// With list: what each setting does, and where it lies
    #[arg(long)]
    verbose: bool,
}

impl Command for Config {
    const CONTRACT: Contract = Contract {
        path: &["config"],
        about: "Read and change settings",
        effect: Effect::Writes,
        expects: false,
        errors: &[
            Code::InvalidArgumentValue,
            Code::WorkspaceHistoryStateConflict,
            Code::WorkspaceHistoryChainInvalid,
        ],
        examples: &[
            Example { about: "All settings", argv: &["config", "list"] },
            Example { about: "One of them", argv: &["config", "get", "governance-preset"] },
            Example { about: "Longer ids from now on", argv: &["config", "set", "ids.token_length", "6"] },
        ],
        tier: Tier::Standard,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let call = Call::read(&args.words)?;
        let home = Home::find(call.scope, context)?;
        match call.action {
            "list" => Ok(list(&home, args.verbose)),
            "export" => Ok(home.answer().value("settings", Value::Object(export(&home.settings)))),
            "get" => {
                let key = known(call.key)?;
                Ok(said(home.answer(), key, &home.settings).value("changed", false))
            }
            _ => set(&args, &call, &home, context),
        }
    }
}

/// Whose settings, and what about them.
struct Call<'a> {
    scope: &'a str,
    action: &'a str,
    key: Option<&'a str>,
    value: Option<&'a str>,
}

const SCOPES: [&str; 2] = ["project", "global"];
const ACTIONS: [&str; 4] = ["list", "export", "get", "set"];

impl<'a> Call<'a> {
    /// Sorts the words: a scope may be left out, and then the action.
    fn read(words: &'a [String]) -> Result<Call<'a>> {
        let mut words = words.iter().map(String::as_str).peekable();
        let scope = words.next_if(|word| SCOPES.contains(word)).unwrap_or("project");
        let action = words.next().unwrap_or("list");
        if !ACTIONS.contains(&action) {
            let legal: Vec<&str> = SCOPES.iter().chain(&ACTIONS).copied().collect();
            return Err(Error::new(
                Code::InvalidArgumentValue,
                format!("`{action}` is neither a scope nor an action"),
            )
            .at("WORDS")
            .rejecting(action)
            .fact("allowed_values", nearest::order(action, &legal))
            .hint("pm config list"));
        }
        let (key, value) = (words.next(), words.next());
        match words.next() {
            Some(extra) => {
                Err(Error::new(Code::InvalidArgumentValue, format!("nothing is left for `{extra}` to mean"))
                    .at("WORDS")
                    .rejecting(extra))
            }
            None => Ok(Call { scope, action, key, value }),
        }
    }
}

/// Where settings lie, and what they say.
struct Home {
    scope: String,
    path: PathBuf,
    settings: Settings,
}

impl Home {
    fn find(scope: &str, context: &Context) -> Result<Home> {
        let (path, settings) = if scope == "global" {
            let folder = global_folder(context)?;
            let settings = WorkTree::open(&folder).map(|tree| crate::store::settings::read(&tree).settings);
            (folder.join(SETTINGS_PATH), settings.unwrap_or_default())
        } else {
            let tracker = context.tracker()?;
            (tracker.root().join(SETTINGS_PATH), tracker.settings().clone())
        };
        Ok(Home { scope: scope.to_owned(), path, settings })
    }

    fn answer<'a>(&self) -> Answer<'a> {
        Answer::new()
            .value("scope", self.scope.as_str())
            .echo("settings_path", self.path.to_string_lossy().into_owned())
    }
}

/// The folder of the settings that hold for a user's trackers where they are silent.
fn global_folder(context: &Context) -> Result<PathBuf> {
    let env = &context.env;
    let home =
        || env.get("HOME").or_else(|| env.get("USERPROFILE")).map(|home| Path::new(home).join(".pm-cli"));
    env.get("PM_GLOBAL_PATH").map(PathBuf::from).or_else(home).ok_or_else(|| {
        Error::new(Code::InvalidArgumentValue, "there is no folder for global settings").at("PM_GLOBAL_PATH")
    })
}

fn known(key: Option<&str>) -> Result<&'static SettingKey> {
    let Some(typed) = key else {
        return Err(Error::new(Code::MissingRequiredArgument, "which setting?")
            .at("KEY")
            .hint("pm config list"));
    };
    SettingKey::find(typed).ok_or_else(|| {
        let typed_name = typed.to_lowercase().replace(['-', '.'], "_");
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        let near: Vec<&str> = nearest::order(&typed_name, &names).into_iter().take(5).collect();
        let shown: String = typed.chars().take(60).collect();
        Error::new(Code::InvalidArgumentValue, format!("there is no setting `{shown}`"))
            .at("KEY")
            .rejecting(shown)
            .fact("allowed_values", near)
            .hint("pm config list")
    })
}

/// Adds what a setting is, under the name that belongs to its shape.
fn said<'a>(answer: Answer<'a>, key: &SettingKey, settings: &Settings) -> Answer<'a> {
    let answer = answer.value("key", key.name);
    let value = key.value(settings);
    match key.shape {
        Shape::Texts => answer.value("criteria", value),
        Shape::Object => answer.value("context", value),
        Shape::Word(_) | Shape::Switch if key.name == "item_format" => answer.value("format", value),
        Shape::Word(_) | Shape::Switch => answer.value("policy", value),
        _ => {
            let nested = json!({"key": key.name, "path": key.path, "kind": key.kind(), "value": value});
            answer.value("nested_setting", nested)
        }
    }
}

fn list<'a>(home: &Home, verbose: bool) -> Answer<'a> {
    let shown = |key: &SettingKey| match key.value(&home.settings) {
        Value::String(secret) if key.is_secret() && !secret.is_empty() => "(set)".into(),
        value => value,
    };
    let rows = KEYS.iter().filter(|key| key.shape != Shape::Object).map(|key| {
        let mut row = Row::new();
        row.insert("key".to_owned(), key.name.into());
        row.insert("value_kind".to_owned(), key.kind().into());
        row.insert("value".to_owned(), shown(key));
        row.insert("choices".to_owned(), key.words().join("|").into());
        if verbose {
            row.insert("path".to_owned(), key.path.into());
            row.insert("summary".to_owned(), key.about.into());
        }
        row
    });
    let rows: Vec<Row> = rows.collect();
    let count = rows.len();
    home.answer().rows("keys", Rows::ready(rows)).value("count", count).value("changed", false)
}

fn export(settings: &Settings) -> Map<String, Value> {
    let mut hidden = Settings::from_document(settings.effective());
    for key in KEYS.iter().filter(|key| key.is_secret()) {
        if !hidden.text(key.path).is_empty() {
            hidden = key.set(&hidden, "(set)".into());
        }
    }
    hidden.document().cloned().unwrap_or_default()
}

/// The flags that are settings of `pm context`, by key.
fn context_flags(args: &Args) -> Vec<(String, String)> {
    let texts = [
        ("context.default_depth", &args.default_depth),
        ("context.activity_limit", &args.activity_limit),
        ("context.stale_threshold_days", &args.stale_threshold_days),
    ];
    texts.iter().filter_map(|(path, value)| Some(((*path).to_owned(), (*value).clone()?))).collect()
}

fn sections(args: &Args) -> Vec<(String, bool)> {
    let flags = [
        ("hierarchy", args.section_hierarchy),
        ("activity", args.section_activity),
        ("progress", args.section_progress),
        ("blockers", args.section_blockers),
        ("files", args.section_files),
        ("workload", args.section_workload),
        ("staleness", args.section_staleness),
        ("tests", args.section_tests),
    ];
    flags.iter().filter_map(|(name, on)| Some((format!("context.sections.{name}"), (*on)?))).collect()
}

fn refuse_value(key: &SettingKey, text: &str, misfit: &Misfit) -> Error {
    let error = Error::new(Code::InvalidArgumentValue, format!("`{}` wants {}", key.name, misfit.wanted))
        .at("VALUE")
        .rejecting(text);
    if misfit.words.is_empty() {
        // What holds when nobody says anything is legal.
        return match key.in_force(&Settings::default()) {
            Value::Number(usual) => error.hint(format!("pm config set {} {usual}", key.name)),
            _ => error.hint(format!("pm config get {}", key.name)),
        };
    }
    let order = nearest::order(text, misfit.words);
    error.hint(format!("pm config set {} {}", key.name, order[0])).fact("allowed_values", order)
}

/// The one value that a call gives, wherever it stands.
fn given<'a>(args: &'a Args, call: &Call<'a>) -> Result<Option<&'a str>> {
    let named = [
        ("VALUE", call.value),
        ("--value", args.value.as_deref()),
        ("--policy", args.policy.as_deref()),
        ("--format", args.format.as_deref()),
    ];
    let given: Vec<(&str, &str)> =
        named.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect();
    match given.as_slice() {
        [(_, one), rest @ ..] => match rest.iter().find(|(_, other)| other != one) {
            Some((name, other)) => {
                Err(Error::new(Code::ConflictingArguments, format!("`{one}` and `{other}` are two values"))
                    .at(*name)
                    .rejecting(*other))
            }
            None => Ok(Some(one)),
        },
        [] => Ok(None),
    }
}

/// What a call wants to be changed.
fn wishes(
    args: &Args,
    call: &Call<'_>,
    key: &'static SettingKey,
) -> Result<Vec<(&'static SettingKey, Value)>> {
    let parse = |key: &'static SettingKey, text: &str| {
        key.parse(text).map(|value| (key, value)).map_err(|misfit| refuse_value(key, text, &misfit))
    };
    match key.shape {
        Shape::Object => {
            let flags = context_flags(args);
            flags.iter().filter_map(|(path, text)| Some(parse(SettingKey::find(path)?, text))).collect()
        }
        Shape::Texts => {
            let mut texts: Vec<String> = args.criterion.iter().map(|text| text.trim().to_owned()).collect();
            texts.extend(given(args, call)?.map(|text| text.trim().to_owned()));
            texts.retain(|text| !text.is_empty());
            if texts.is_empty() && !args.clear_criteria {
                return Err(missing_value(key, "--criterion"));
            }
            Ok(vec![(key, texts.into())])
        }
        _ => match given(args, call)? {
            Some(text) => Ok(vec![parse(key, text)?]),
            None => Err(missing_value(key, "VALUE")),
        },
    }
}

fn missing_value(key: &SettingKey, surface: &str) -> Error {
    let error =
        Error::new(Code::MissingRequiredArgument, format!("`{}` needs a value", key.name)).at(surface);
    match key.words() {
        [] => error,
        words => error.fact("allowed_values", words).hint(format!("pm config set {} {}", key.name, words[0])),
    }
}

fn set<'a>(args: &Args, call: &Call<'_>, home: &Home, context: &'a Context) -> Result<Answer<'a>> {
    let key = known(call.key)?;
    let wishes = wishes(args, call, key)?;
    let sections = if key.shape == Shape::Object { sections(args) } else { Vec::new() };
    if wishes.is_empty() && sections.is_empty() {
        return Err(missing_value(key, "--default-depth"));
    }
    let change = |document: Option<&Document>| {
        let mut settings = Settings::from_document(document.cloned().unwrap_or_default());
        for (key, value) in &wishes {
            // What holds already need not be written out.
            if settings.own(key.path) != Some(value)
                && !(key.path == "id_prefix" && settings.id_prefix() == *value)
            {
                settings = key.set(&settings, value.clone());
            }
        }
        for (path, on) in &sections {
            if settings.get(path) != Some(&Value::Bool(*on)) {
                settings = Settings::from_document(settings.with(path, Some((*on).into())));
            }
        }
        settings.document().cloned().unwrap_or_default()
    };
    let op = format!("config:set:{}", key.path);
    let (after, changed, warnings) = if home.scope == "global" {
        let before = home.settings.document();
        let after = change(before);
        let changed = before.map_or(!after.is_empty(), |before| *before != after);
        if changed && !context.globals.dry_run {
            write_global(home, &after)?;
        }
        (after, changed, Vec::new())
    } else {
        let mut edit = |document: Option<&Document>| Ok(change(document));
        let written =
            context.tracker()?.change_document(SETTINGS_PATH, &write(context, &op, None)?, &mut edit);
        let written = written.map_err(|error| retry_hint(error, call))?;
        (written.after, !written.unchanged, written.warnings)
    };
    let mut answer = said(home.answer(), key, &Settings::from_document(after)).value("changed", changed);
    if context.globals.dry_run {
        answer = answer.value("dry_run", true);
    }
    Ok(warnings.into_iter().fold(answer, Answer::warn))
}

/// Settings that were edited by hand are accepted by saying so.
fn retry_hint(error: Error, call: &Call<'_>) -> Error {
    if error.code != Code::WorkspaceHistoryStateConflict {
        return error;
    }
    let words = [call.key, call.value];
    let words: Vec<&str> = words.iter().flatten().copied().collect();
    error.hint(format!("pm config set {} --force", words.join(" ")))
}

fn write_global(home: &Home, document: &Document) -> Result<()> {
    let text = format!("{}\n", crate::codec::json::pretty(&Value::Object(document.clone())));
    crate::store::settings::write_global(&home.path, &text).map_err(|error| {
        let path = home.path.display();
        Error::new(Code::WriteFailed, format!("`{path}` cannot be written: {error}")).because(error)
    })
}
