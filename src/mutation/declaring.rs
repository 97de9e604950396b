//! Changing what a tracker declares: types, statuses, fields.

use serde_json::{Map, Value, json};

use super::write;
use crate::answer::Answer;
use crate::domain::declarations::{self, Declared, Document, Section};
use crate::error::{Code, Error, Result};
use crate::surface::Context;
use crate::tracker::{Opening, Tracker, Transaction, Write};

/// Where the file of a section lies: the settings may say so.
pub(crate) fn path(tracker: &Tracker, section: &Section) -> String {
    let name = section.path.trim_start_matches("schema/").trim_end_matches(".json");
    match tracker.settings().text(&format!("schema.files.{name}")) {
        "" => section.path.to_owned(),
        path => path.to_owned(),
    }
}

/// The tracker as it is after a change of its schema: an open one keeps the schema with which it was opened.
///
/// Errors: as [`Tracker::open`].
pub(crate) fn reopened(context: &Context) -> Result<Tracker> {
    let pm_path = context.globals.pm_path.as_deref();
    Tracker::open(&Opening { pm_path, env: &context.env, clock: &context.clock })
}

/// Tells Git about the folders of new types; says so when that changed anything.
pub(crate) fn refresh_fence(tracker: &Tracker) -> Vec<String> {
    let said = tracker.refresh_merge_fence();
    let refreshed = said.iter().any(|warning| warning.starts_with("updated:merge_fence:"));
    let others = said.into_iter().filter(|warning| !warning.starts_with("updated:merge_fence:"));
    refreshed.then(|| "merge_fence_refreshed".to_owned()).into_iter().chain(others).collect()
}

/// Adds a declaration within a transaction.
pub(crate) fn put(
    transaction: &mut Transaction<'_>,
    (tracker, section): (&Tracker, &Section),
    given: &Map<String, Value>,
    write: &Write<'_>,
) -> Result<(Declared, bool, Vec<String>)> {
    let mut declared = None;
    let mut edit = |document: Option<&Document>| {
        let made = declarations::put(section, document, given);
        let after = made.document.clone();
        declared = Some(made);
        Ok(after)
    };
    let written = transaction.change_document(&path(tracker, section), write, &mut edit)?;
    let declared = declared.ok_or_else(|| Error::new(Code::Internal, "the declaration was not made"))?;
    Ok((declared, written.unchanged, written.warnings))
}

/// What a command says about the one declaration that it changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    /// The subcommand: `add-type`.
    pub(crate) action: &'a str,
    /// What the declaration is called in the answer: `type`.
    pub(crate) noun: &'a str,
    /// Where it stands.
    pub(crate) section: &'static Section,
}

/// Adds one declaration and answers with it.
///
/// Errors: those of [`Transaction::change_document`].
pub(crate) fn add<'a>(
    context: &'a Context,
    about: About<'_>,
    given: &Map<String, Value>,
    message: Option<&str>,
) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let op = format!("schema:{}", about.action);
    let write = write(context, &op, message)?;
    let mut transaction = tracker.transaction(&write)?;
    let (declared, unchanged, mut warnings) = put(&mut transaction, (tracker, about.section), given, &write)
        .map_err(|error| retry(error, context))?;
    transaction.commit()?;
    if !write.dry_run && about.section.list == declarations::TYPES.list {
        warnings.extend(refresh_fence(tracker));
    }
    let count = declarations::list(about.section, Some(&declared.document)).len();
    let mut answer = Answer::new().value("action", about.action);
    if write.dry_run {
        answer = answer.value("dry_run", true);
    }
    answer = answer.value("registered", true).value("replaced", declared.replaced);
    if unchanged {
        answer = answer.value("changed", false);
    }
    answer = answer.value(about.noun, declared.declaration).echo("file", file(tracker, about.section, count));
    Ok(warnings.into_iter().fold(answer, Answer::warn))
}

/// Takes one declaration out and answers with it. `none` is the refusal of a name that is not there.
///
/// Errors: those of [`Transaction::change_document`], and `none`.
pub(crate) fn remove<'a>(
    context: &'a Context,
    about: About<'_>,
    name: &str,
    message: Option<&str>,
    none: &dyn Fn(&[Value]) -> Error,
) -> Result<Answer<'a>> {
    let tracker = context.tracker()?;
    let op = format!("schema:{}", about.action);
    let write = write(context, &op, message)?;
    let mut gone = Value::Null;
    let mut edit = |document: Option<&Document>| match declarations::remove(about.section, document, name) {
        Some((after, declaration)) => {
            gone = declaration;
            Ok(after)
        }
        None => Err(none(declarations::list(about.section, document))),
    };
    let written = tracker
        .change_document(&path(tracker, about.section), &write, &mut edit)
        .map_err(|error| retry(error, context))?;
    let mut warnings = written.warnings;
    if !write.dry_run && about.section.list == declarations::TYPES.list {
        warnings.extend(refresh_fence(tracker));
    }
    let count = declarations::list(about.section, Some(&written.after)).len();
    let mut answer = Answer::new().value("action", about.action);
    if write.dry_run {
        answer = answer.value("dry_run", true);
    }
    answer = answer
        .value("removed", true)
        .value(about.noun, gone)
        .echo("file", file(tracker, about.section, count));
    Ok(warnings.into_iter().fold(answer, Answer::warn))
}

fn file(tracker: &Tracker, section: &Section, count: usize) -> Value {
    let path = tracker.root().join(path(tracker, section));
    json!({"path": path.to_string_lossy(), section.list: count})
}

/// A schema file that was edited by hand is accepted by saying so.
pub(crate) fn retry(error: Error, context: &Context) -> Error {
    if error.code != Code::WorkspaceHistoryStateConflict {
        return error;
    }
    let words: Vec<String> = context.argv.iter().map(|word| super::draft::shell_word(word)).collect();
    error.hint(format!("pm {} --force", words.join(" ")))
}

/// Names that a flag gives, with commas between them or one by one.
pub(crate) fn names(texts: &[String]) -> Vec<String> {
    let words = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Refuses to take away what items still have.
pub(crate) fn in_use(what: &str, ids: &[String], hint: String) -> Error {
    let count = ids.len();
    let shown: Vec<&str> = ids.iter().take(3).map(String::as_str).collect();
    let problem = format!("{count} items have {what}: {} ...", shown.join(", "));
    Error::new(Code::SchemaDefinitionInUse, problem).fact("item_count", count).fact("items", shown).hint(hint)
}
