//! Templates of new items: options of `create` under a name, in `templates/<name>.json`.

use serde_json::{Map, Value, json};

use super::flags::{Flags, OnCreate};
use crate::domain::custom;
use crate::domain::values::refusal;
use crate::error::{Code, Error, Result};
use crate::model::field::{self, Use};
use crate::model::timestamp;
use crate::nearest;
use crate::surface::Context;
use crate::tracker::{Document, Tracker};

/// What a template gives beside flags.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// Values of the tracker's own fields, by metadata key.
    pub(crate) custom: Map<String, Value>,
    /// Keys that no option of `create` has.
    pub(crate) warnings: Vec<String>,
}

/// The name as it is kept.
///
/// Errors: `invalid_argument_value`.
pub(crate) fn legal_name(typed: &str) -> Result<String> {
    let name = typed.trim().to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 60 || name.starts_with('.') || !name.chars().all(plain) {
        let problem = "a template has a name of letters, digits, -, _ and ., at most 60";
        return Err(refusal("NAME", typed, problem, &[]));
    }
    Ok(name)
}

/// Where a template lies below the tracker root.
///
/// Errors: as [`legal_name`].
pub(crate) fn path(name: &str) -> Result<String> {
    Ok(format!("templates/{}.json", legal_name(name)?))
}

/// The file of a template; times come from the one that it replaces.
pub(crate) fn document(
    name: &str,
    options: Map<String, Value>,
    replaced: Option<&Document>,
    tracker: &Tracker,
) -> Document {
    let now = timestamp::format(tracker.clock().now());
    let mut document = replaced.cloned().unwrap_or_default();
    let created = document.get("created_at").cloned().unwrap_or_else(|| now.as_str().into());
    for (key, value) in [
        ("name", json!(name)),
        ("created_at", created),
        ("updated_at", json!(now)),
        ("options", Value::Object(options)),
    ] {
        document.insert(key.to_owned(), value);
    }
    document
}

/// The options of a template, as typed.
///
/// Errors: `template_not_found`, `template_invalid`.
pub(crate) fn options(tracker: &Tracker, typed: &str) -> Result<(String, Map<String, Value>)> {
    let name = legal_name(typed)?;
    let found = tracker.template(&name).map_err(|problem| {
        Error::new(Code::TemplateInvalid, format!("the template `{name}` cannot be used: {problem}"))
            .at(format!("templates/{name}.json"))
    })?;
    match found {
        Some(mut document) => match document.shift_remove("options") {
            Some(Value::Object(options)) => Ok((name, options)),
            _ => Err(Error::new(Code::TemplateInvalid, format!("the template `{name}` has no options"))
                .at(format!("templates/{name}.json"))),
        },
        None => Err(missing(tracker, &name)),
    }
}

/// There is no such template.
pub(crate) fn missing(tracker: &Tracker, name: &str) -> Error {
    let known = tracker.template_names();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let error = Error::new(Code::TemplateNotFound, format!("there is no template `{name}`"))
        .at("NAME")
        .rejecting(name)
        .fact("allowed_values", nearest::order(name, &known));
    match known.is_empty() {
        true => error.hint(format!("pm templates save {name} --type Task --tags example")),
        false => error.hint("pm templates list"),
    }
}

/// The options that a call gives, as a template keeps them: as typed, so that relative times stay relative.
pub(crate) fn given(flags: &Flags<OnCreate>, context: &Context) -> Map<String, Value> {
    let kept = |texts: &[String]| match texts {
        [one] => Value::from(one.as_str()),
        many => json!(many),
    };
    let fields = flags.given().map(|(field, texts)| (field.key.to_owned(), kept(texts)));
    let lists = flags.lists.iter().map(|(key, texts)| ((*key).to_owned(), json!(texts)));
    let own = context.custom.iter().map(|(key, texts)| (key.clone(), kept(texts)));
    fields.chain(lists).chain(own).collect()
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        other => vec![other.to_string()],
    }
}

/// Adds to flags what a template says and they do not.
///
/// Errors: `template_not_found`, `template_invalid`, those of values of the tracker's own fields.
pub(crate) fn fill(context: &Context, name: &str, flags: &mut Flags<OnCreate>) -> Result<Filled> {
    let tracker = context.tracker()?;
    let (name, options) = options(tracker, name).map_err(|error| error.at("--template"))?;
    let mut filled = Filled::default();
    for (key, value) in &options {
        let words = texts(value);
        if words.is_empty() {
            continue;
        }
        if let Some(field) = field::find(key).filter(|field| field.on.on(Use::Create)) {
            flags.fields.entry(field.key).or_insert(words);
        } else if let Some(list) = field::find_list(key) {
            if !flags.cleared.contains(list.key) {
                flags.lists.entry(list.key).or_insert(words);
            }
        } else if let Some(own) = tracker.schema().field(key) {
            if !context.custom.contains_key(&own.metadata_key) {
                filled.custom.insert(own.metadata_key.clone(), custom::value(own, &words)?);
            }
        } else {
            filled.warnings.push(format!("template_option_ignored:{name}:{key}"));
        }
    }
    Ok(filled)
}
