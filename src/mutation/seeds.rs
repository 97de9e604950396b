//! Entries of lists, from flags and from JSON documents, as the rows that an item stores.

use serde_json::{Map, Value};

use crate::domain::{annotations, calendar, links, values};
use crate::error::{Code, Error, Result};
use crate::model::{id, timestamp};
use crate::surface::Context;
use crate::tracker::Tracker;

/// One entry as given.
#[derive(Clone, Debug)]
pub(crate) enum Seed {
    /// The value of a flag.
    Typed(String),
    /// An element of a JSON document.
    Json(Value),
}

/// What entries are made with.
#[derive(Debug)]
pub(crate) struct Maker<'a> {
    pub(crate) context: &'a Context,
    pub(crate) tracker: &'a Tracker,
    /// The command, in the origin of links: `create`, `update`.
    pub(crate) command: &'static str,
    /// The present instant.
    pub(crate) now: i64,
    /// The title of the item: the words of a reminder without any.
    pub(crate) title: Option<String>,
    /// Links may lead to items that do not exist.
    pub(crate) allow_unresolved: bool,
    pub(crate) warnings: Vec<String>,
}

impl Maker<'_> {
    /// The rows of a list. A time that is the time of the change is left empty.
    pub(crate) fn rows(&mut self, key: &str, flag: &str, seeds: &[Seed]) -> Result<Vec<Value>> {
        let author = self.context.actor()?.author.clone();
        let flag = format!("--{flag}");
        let mut rows = Vec::new();
        for seed in seeds {
            match (key, seed) {
                ("dependencies", Seed::Typed(text)) => {
                    for typed in links::read(&flag, &self.input(text)?, self.now)? {
                        rows.push(self.link(&flag, &typed, &author)?);
                    }
                }
                ("dependencies", Seed::Json(value)) => {
                    let typed = link_from_json(&flag, value, self.now)?;
                    rows.push(self.link(&flag, &typed, &author)?);
                }
                ("comments" | "notes" | "learnings", Seed::Typed(text)) if text == "-" => {
                    rows.push(annotations::plain_entry(&flag, self.context.stdin()?, &author, "")?);
                }
                ("comments" | "notes" | "learnings", Seed::Typed(text)) => {
                    rows.push(annotations::entry(&flag, text, &author, "", self.now)?);
                }
                ("comments" | "notes" | "learnings", Seed::Json(value)) => {
                    rows.push(entry_from_json(&flag, value, &author)?);
                }
                ("files" | "docs", Seed::Typed(text)) => {
                    rows.push(annotations::path_row(&flag, &self.input(text)?, None)?);
                }
                ("files" | "docs", Seed::Json(value)) => rows.push(path_from_json(&flag, value)?),
                ("tests", Seed::Typed(text)) => rows.push(annotations::test_row(&flag, &self.input(text)?)?),
                ("tests", Seed::Json(value)) => {
                    rows.extend(annotations::tests_from_json(&flag, &value.to_string())?);
                }
                ("reminders", Seed::Typed(text)) => {
                    rows.push(calendar::reminder(
                        &flag,
                        &self.input(text)?,
                        self.title.as_deref(),
                        self.now,
                    )?);
                }
                ("events", Seed::Typed(text)) => {
                    rows.push(calendar::event(&flag, &self.input(text)?, self.now)?)
                }
                (_, Seed::Json(value)) => rows.push(timed_from_json(&flag, key, value)?),
                (_, Seed::Typed(text)) => {
                    return Err(values::refusal(&flag, text, "it is no entry of this list", &[]));
                }
            }
        }
        Ok(rows)
    }

    /// The text of a value; `-` is standard input.
    fn input(&self, text: &str) -> Result<String> {
        Ok(if text.trim() == "-" { self.context.stdin()?.trim_end().to_owned() } else { text.to_owned() })
    }

    fn link(&mut self, flag: &str, typed: &links::Typed, author: &str) -> Result<Value> {
        let target = self.target(flag, &typed.id)?;
        let source_kind = format!("cli:{}:dep", self.command);
        Ok(links::row(typed, &target, links::Origin { author, at: "", source_kind: &source_kind }))
    }

    /// The full id of a link's target.
    ///
    /// Errors: `dependency_target_not_found`, unless links may lead nowhere.
    fn target(&mut self, flag: &str, typed: &str) -> Result<String> {
        match self.tracker.resolve(typed) {
            Ok(id) => Ok(id),
            Err(error) if error.code != Code::ItemNotFound => Err(error.at(flag)),
            Err(_) if self.allow_unresolved => {
                let id = full_id(self.tracker, typed);
                self.warnings.push(format!("dependency_target_unresolved:{id}"));
                Ok(id)
            }
            Err(error) => Err(no_target(flag, typed, error)),
        }
    }
}

/// The error for a link to an item that is not there; `error` knows its neighbours.
pub(super) fn no_target(flag: &str, typed: &str, mut error: Error) -> Error {
    error.code = Code::DependencyTargetNotFound;
    error.message = format!("{flag} names `{typed}`, and there is no such item");
    error.at(flag).rejecting(typed)
}

/// The full ids of the items that the values of a flag name, with commas between them.
///
/// Errors: `dependency_target_not_found`.
pub(crate) fn targets(tracker: &Tracker, flag: &str, texts: &[String]) -> Result<Vec<String>> {
    let words = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(|word| match tracker.resolve(word) {
            Err(error) if error.code == Code::ItemNotFound => Err(no_target(flag, word, error)),
            other => other.map_err(|error| error.at(flag)),
        })
        .collect()
}

/// What an id that nobody has would be in full.
pub(crate) fn full_id(tracker: &Tracker, typed: &str) -> String {
    let prefix = tracker.settings().id_prefix();
    id::explicit(typed, &prefix).unwrap_or_else(|_| id::normalise_typed(typed))
}

fn text_of(value: &Value, key: &str) -> Option<String> {
    let text = value.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn wrong(flag: &str, value: &Value, problem: &str) -> Error {
    let list = flag.trim_start_matches('-');
    Error::new(Code::StdinJsonInvalid, format!("an entry for {list} cannot be used: {problem}"))
        .at(flag)
        .rejecting(value.to_string())
}

fn link_from_json(flag: &str, value: &Value, now: i64) -> Result<links::Typed> {
    if let Some(text) = value.as_str() {
        return links::read(flag, text, now)?.pop().ok_or_else(|| wrong(flag, value, "it names no id"));
    }
    let id = text_of(value, "id").ok_or_else(|| wrong(flag, value, "it has no id"))?;
    let kind = match text_of(value, "kind").or_else(|| text_of(value, "type")) {
        None => None,
        Some(kind) => {
            let known = links::canonical_kind(&kind);
            Some(known.ok_or_else(|| wrong(flag, value, &format!("there is no kind `{kind}`")))?)
        }
    };
    Ok(links::Typed {
        id,
        kind,
        author: text_of(value, "author"),
        created_at: text_of(value, "created_at"),
        source_kind: text_of(value, "source_kind"),
    })
}

fn entry_from_json(flag: &str, value: &Value, author: &str) -> Result<Value> {
    if let Some(text) = value.as_str() {
        return annotations::plain_entry(flag, text, author, "");
    }
    let object = value.as_object().ok_or_else(|| wrong(flag, value, "it is no object and no text"))?;
    let text =
        object.get("text").and_then(Value::as_str).ok_or_else(|| wrong(flag, value, "it has no text"))?;
    annotations::check_text(flag, text)?;
    let mut row = Map::new();
    row.insert("created_at".to_owned(), Value::from(text_of(value, "created_at").unwrap_or_default()));
    row.insert(
        "author".to_owned(),
        Value::from(text_of(value, "author").unwrap_or_else(|| author.to_owned())),
    );
    for (key, value) in object {
        row.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Ok(Value::Object(row))
}

fn path_from_json(flag: &str, value: &Value) -> Result<Value> {
    let path = value.as_str().map(str::to_owned).or_else(|| text_of(value, "path"));
    let path =
        path.filter(|path| !path.trim().is_empty()).ok_or_else(|| wrong(flag, value, "it has no path"))?;
    let mut row = Map::new();
    row.insert("path".to_owned(), Value::from(annotations::clean_path(&path)));
    let scope = text_of(value, "scope").unwrap_or_else(|| "project".to_owned());
    if !matches!(scope.as_str(), "project" | "global") {
        return Err(wrong(flag, value, "a scope is project or global"));
    }
    row.insert("scope".to_owned(), Value::from(scope));
    if let Some(note) = text_of(value, "note") {
        row.insert("note".to_owned(), Value::from(note));
    }
    Ok(Value::Object(row))
}

/// Reminders and events in the shape that items store.
fn timed_from_json(flag: &str, key: &str, value: &Value) -> Result<Value> {
    let time = if key == "reminders" { "at" } else { "start_at" };
    let at = value.get(time).and_then(Value::as_str).and_then(timestamp::parse);
    match (at, value) {
        (Some(_), Value::Object(_)) => Ok(value.clone()),
        _ => Err(wrong(flag, value, &format!("it has no time `{time}`"))),
    }
}

/// Adds the link that `--blocked-by <id>` stands for.
pub(crate) fn blocker_row(command: &str, target: &str, author: &str) -> Value {
    let typed = links::Typed {
        id: target.to_owned(),
        kind: Some("blocked_by"),
        author: None,
        created_at: None,
        source_kind: None,
    };
    let source_kind = format!("cli:{command}:blocked_by");
    links::row(&typed, target, links::Origin { author, at: "", source_kind: &source_kind })
}
