//! Linked files and documents: one set of arguments, one way to add, remove, move and list (storage.md §6.2).

use serde_json::{Map, Value, json};

use super::receipt::Receipt;
use super::write;
use crate::answer::{Answer, Rows};
use crate::domain::annotations;
use crate::error::{Code, Error, Result};
use crate::store::userfile;
use crate::surface::Context;
use crate::tracker::Tracker;

/// The options whose presence makes the call a change.
pub(crate) const CHANGES: &[&str] = &["--add", "--add-glob", "--remove", "--migrate"];

/// The arguments that `files` and `docs` share.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Id of the item
    id: String,
    /// Link a path, or path=<path>,scope=<project|global>,note=<text>; `-` reads standard input
    #[arg(long, value_name = "ENTRY")]
    add: Vec<String>,
    /// Link the paths that match, or pattern=<glob>,scope=<scope>,note=<text>
    #[arg(long, value_name = "GLOB")]
    add_glob: Vec<String>,
    /// Remove the link to a path
    #[arg(long, value_name = "PATH")]
    remove: Vec<String>,
    /// Move links below one prefix to another: from=<prefix>,to=<prefix>
    #[arg(long, value_name = "FROM,TO")]
    migrate: Vec<String>,
    /// Note for every link that is added here and names none itself
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// List the links; changes nothing
    #[arg(long)]
    list: bool,
    /// Tell which linked paths exist
    #[arg(long)]
    validate_paths: bool,
    /// Message of the history entry
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// What a call does to the links.
#[derive(Debug, Default)]
struct Plan {
    add: Vec<Value>,
    remove: Vec<String>,
    migrate: Vec<(String, String)>,
    keep_order: bool,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty() && self.migrate.is_empty()
    }

    fn apply(&self, list: &mut Vec<Value>) {
        for (from, to) in &self.migrate {
            annotations::migrate(list, from, to);
        }
        list.retain(|row| {
            !self.remove.iter().any(|path| row.get("path").is_some_and(|p| p == path.as_str()))
        });
        annotations::add_paths(list, self.add.clone());
        if !self.keep_order {
            annotations::sort_paths(list);
        }
    }
}

fn plan(args: &Args, keep_order: bool, context: &Context) -> Result<Plan> {
    let mut plan = Plan { keep_order, ..Plan::default() };
    let lines = |text: &String| -> Result<Vec<String>> {
        if text != "-" {
            return Ok(vec![text.clone()]);
        }
        let input = context.stdin()?;
        Ok(input.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
    };
    for text in &args.add {
        for line in lines(text)? {
            plan.add.push(annotations::path_row("--add", &line, args.note.as_deref())?);
        }
    }
    for text in &args.add_glob {
        plan.add.extend(matching(text, args.note.as_deref(), context)?);
    }
    for text in &args.remove {
        for line in lines(text)? {
            plan.remove.push(annotations::removed_path("--remove", &line)?);
        }
    }
    for text in &args.migrate {
        plan.migrate.push(annotations::migration("--migrate", text)?);
    }
    let both = plan
        .add
        .iter()
        .find(|row| plan.remove.iter().any(|path| row.get("path").is_some_and(|p| p == path.as_str())));
    if let Some(row) = both {
        let path = row.get("path").and_then(Value::as_str).unwrap_or_default();
        let problem = format!("`{path}` is both added and removed");
        return Err(Error::new(Code::LinkedArtifactMutationConflict, problem).at("--remove").rejecting(path));
    }
    Ok(plan)
}

/// The rows for the paths of the workspace that a pattern matches.
fn matching(text: &str, note: Option<&str>, context: &Context) -> Result<Vec<Value>> {
    let pattern = annotations::glob(text)?;
    let found = userfile::matching(context.tracker()?.workspace(), &pattern.glob);
    if found.is_empty() {
        return Err(crate::domain::values::refusal("--add-glob", text, "no file matches", &[]));
    }
    Ok(found
        .into_iter()
        .map(|path| {
            let mut row = Map::new();
            row.insert("path".to_owned(), Value::from(path));
            row.insert("scope".to_owned(), Value::from(pattern.scope));
            if let Some(note) = pattern.note.as_deref().or(note) {
                row.insert("note".to_owned(), Value::from(note));
            }
            Value::Object(row)
        })
        .collect())
}

/// Runs `files` or `docs`; `key` names the list of the item.
pub(crate) fn run<'a>(
    key: &'static str,
    args: &Args,
    keep_order: bool,
    context: &'a Context,
) -> Result<Answer<'a>> {
    let plan = plan(args, keep_order, context)?;
    if args.list && !plan.is_empty() {
        let problem = "--list shows the links and changes nothing";
        return Err(Error::new(Code::ConflictingArguments, problem).at("--list"));
    }
    let tracker = context.tracker()?;
    let id = tracker.resolve(&args.id)?;
    if plan.is_empty() {
        let rows = tracker.item(&id)?.item.list(key).to_vec();
        let check = args.validate_paths.then(|| validation(tracker, &rows));
        let rows = rows.into_iter().filter_map(|row| row.as_object().cloned()).collect();
        let answer = Answer::new().value("id", id).rows(key, Rows::ready(rows)).value("changed", false);
        return Ok(with_check(answer, check));
    }
    let op = format!("{key}_add");
    let write = write(context, &op, args.message.as_deref())?;
    let written = tracker.change(&id, &write, &mut |item, _| {
        let before = item.list(key).to_vec();
        let mut list = before.clone();
        plan.apply(&mut list);
        // Sorting alone is no change that anybody asked for.
        if list.len() == before.len() && list.iter().all(|row| before.contains(row)) {
            return Ok(item.clone());
        }
        let mut after = item.clone();
        annotations::store(&mut after, key, list);
        Ok(after)
    })?;
    if context.globals.dry_run {
        return Ok(Receipt::of(written).answer(&context.globals));
    }
    let rows = written.after.as_ref().map_or(&[][..], |item| item.list(key)).to_vec();
    let check = args.validate_paths.then(|| validation(tracker, &rows));
    let count = rows.len();
    let answer = Answer::new()
        .value("id", written.id.as_str())
        .value(key, rows)
        .value("changed", !written.unchanged)
        .value("count", count);
    Ok(written.warnings.into_iter().fold(with_check(answer, check), Answer::warn))
}

fn with_check(answer: Answer<'_>, check: Option<Value>) -> Answer<'_> {
    match check {
        Some(check) => answer.value("path_validation", check),
        None => answer,
    }
}

/// Which linked paths exist: those of the project below the workspace, global ones wherever they say.
fn validation(tracker: &Tracker, rows: &[Value]) -> Value {
    let mut missing = Vec::new();
    let mut other = Vec::new();
    for path in rows.iter().filter_map(|row| row.get("path").and_then(Value::as_str)) {
        match userfile::shape(tracker.workspace(), path) {
            userfile::Shape::File => {}
            userfile::Shape::Missing => missing.push(path),
            userfile::Shape::Folder | userfile::Shape::Other => other.push(path),
        }
    }
    json!({"ok": missing.is_empty() && other.is_empty(), "checked": rows.len(), "missing": missing, "not_a_file": other})
}
