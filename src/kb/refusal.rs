//! What the contract refuses, and how: an error is an answer with an envelope of its own (disclosure.md §10).

use serde_json::{Map, Value, json};

use super::actions::{Action, Flag, STRUCTURAL};
use crate::error::{Code, Error};

/// A tier that the action may not show, or that is none.
pub(crate) fn flag_not_permitted(action: &Action, flag: &str) -> Error {
    let permitted = action.permitted_names();
    let way = match Flag::named(flag) {
        Some(Flag::Body) => "Use pm kb get with a URI for full-body retrieval. ",
        _ => "",
    };
    let message = format!(
        "disclosure flag '{flag}' is not permitted on action '{}'. {way}Permitted flags on {}: {}.",
        action.name,
        action.name,
        permitted.join(", ")
    );
    Error::refusal(
        Code::DisclosureFlagNotPermitted,
        message,
        [
            ("requested_flag", json!(flag)),
            ("permitted_flags", json!(permitted)),
            ("action", json!(action.name)),
        ],
    )
}

/// A count of rows above the cap.
pub(crate) fn limit_exceeds(requested: &Value, cap: usize, limiting: Option<Flag>) -> Error {
    let asked = requested.as_str().map_or_else(|| requested.to_string(), str::to_owned);
    let name = limiting.map_or("none", Flag::as_str);
    let message = match limiting {
        Some(_) => format!(
            "limit {asked} exceeds the maximum {cap} for disclosure flag '{name}'. Paginate with offset, or remove \
             the '{name}' flag."
        ),
        None => format!("limit {asked} exceeds the maximum {cap} for the base shape. Paginate with offset."),
    };
    Error::refusal(
        Code::LimitExceedsFlagCap,
        message,
        [
            ("max_limit_for_active_flags", json!(cap)),
            ("limiting_flag", json!(name)),
            ("requested_limit", requested.clone()),
        ],
    )
}

/// A parameter that the action does not have.
pub(crate) fn unknown_parameter(action: &Action, name: &str, value: &Value) -> Error {
    let way = match name {
        "tag" | "category" | "categories" | "kind" | "kinds" | "type" => {
            " Documents are chosen by include and exclude, which take kinds, and by structural filters."
        }
        _ => "",
    };
    let message = format!("action '{}' has no parameter '{name}'.{way}", action.name);
    parameter(Code::UnknownParameter, message, name, value, json!(action.names()), Some(action))
}

/// A value of the wrong type or outside of what the parameter takes.
pub(crate) fn invalid_parameter(
    action: &Action,
    name: &str,
    value: &Value,
    permitted: Value,
    why: &str,
) -> Error {
    let message = format!("parameter '{name}' of action '{}' {why}.", action.name);
    parameter(Code::InvalidParameter, message, name, value, permitted, Some(action))
}

fn parameter(
    code: Code,
    message: String,
    name: &str,
    value: &Value,
    permitted: Value,
    action: Option<&Action>,
) -> Error {
    let mut fields = vec![("parameter", json!(name)), ("value", value.clone()), ("permitted", permitted)];
    fields.extend(action.map(|action| ("action", json!(action.name))));
    Error::refusal(code, message, fields)
}

/// A value that the vocabulary of a filter does not hold.
pub(crate) fn filter_value(name: &str, value: &Value, permitted: Value) -> Error {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let list = permitted.as_array().map_or(&[][..], Vec::as_slice).iter();
    let list: Vec<String> =
        list.map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned)).collect();
    let message = format!("'{shown}' is no value of filter '{name}'. Its values are: {}.", list.join(", "));
    parameter(Code::FilterValueNotPermitted, message, name, value, permitted, None)
}

/// Tags without a slice.
pub(crate) fn tags_alone() -> Error {
    let message = format!(
        "tags narrow a slice and do not make one. Add include, exclude or a structural filter: {}.",
        STRUCTURAL.join(", ")
    );
    Error::refusal(
        Code::TagsNeedStructuralFilter,
        message,
        [("parameter", json!("tags")), ("structural_filters", json!(STRUCTURAL))],
    )
}

/// A filter of an action whose URI is the selector.
pub(crate) fn filter_not_accepted(action: &Action, name: &str) -> Error {
    let message = format!(
        "action '{}' takes one URI and no filters, so '{name}' has no meaning. Use catalog or search.",
        action.name
    );
    Error::refusal(
        Code::FilterNotAccepted,
        message,
        [("parameter", json!(name)), ("action", json!(action.name))],
    )
}

/// More than one URI.
pub(crate) fn many_uris(action: &Action, count: usize) -> Error {
    let message =
        format!("action '{}' takes one URI, not {count}. Each document is a call of its own.", action.name);
    Error::refusal(Code::MultipleUrisNotPermitted, message, [("count", json!(count))])
}

/// A revision that Git does not know.
pub(crate) fn revision_not_found(rev: &str, near: &[String]) -> Error {
    let message = format!("no revision '{rev}' in this repository.");
    Error::refusal(Code::RevisionNotFound, message, [("value", json!(rev)), ("suggestions", json!(near))])
}

/// A URI that leads to no document.
pub(crate) fn uri_not_found(uri: &str, near: &[String]) -> Error {
    let message = format!("no document '{uri}'. Find its URI with pm kb search or pm kb catalog.");
    Error::refusal(Code::UriNotFound, message, [("value", json!(uri)), ("suggestions", json!(near))])
}

/// A URI that several documents declare.
pub(crate) fn uri_ambiguous(uri: &str, paths: &[&str]) -> Error {
    let message =
        format!("{} documents declare '{uri}', and none has the better right. Use a path.", paths.len());
    Error::refusal(Code::UriAmbiguous, message, [("value", json!(uri)), ("candidates", json!(paths))])
}

/// A supersession that leads back.
pub(crate) fn circular(chain: Vec<Value>) -> Error {
    let message = "the documents supersede each other in a circle; pm kb lint names the fields.";
    Error::refusal(Code::CircularSupersession, message, [("chain", Value::from(chain))])
}

/// A supersession that goes on and on.
pub(crate) fn too_deep(chain: Vec<Value>, most: usize) -> Error {
    let message = format!("the chain of successors has more than {most} steps.");
    Error::refusal(Code::SupersessionTooDeep, message, [("chain", Value::from(chain))])
}

/// A heading that the document does not have.
pub(crate) fn section_not_found(section: &str, available: &[&str]) -> Error {
    let message = format!("the document has no heading '{section}'.");
    Error::refusal(
        Code::SectionNotFound,
        message,
        [("section", json!(section)), ("available_sections", json!(available))],
    )
}

/// A body more than the settings allow a server in a minute.
pub(crate) fn too_many_bodies(most: u64, seconds: i64) -> Error {
    let message = format!(
        "this server hands out {most} bodies a minute. Wait {seconds} s, or ask for metadata, summary or blockquote."
    );
    Error::refusal(Code::BodyRateLimited, message, [("retry_after_s", json!(seconds))])
}

/// Settings that map a prefix to something that is no kind.
pub(crate) fn invalid_kind(prefix: &str, value: &Value) -> Error {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let permitted = super::kind::Kind::names();
    let message = format!(
        "the setting kb.kind_map maps '{prefix}' to '{shown}', which is no kind. Kinds are: {}.",
        permitted.join(", ")
    );
    Error::refusal(
        Code::KbConfigInvalidKind,
        message,
        [
            ("parameter", json!(format!("kb.kind_map.{prefix}"))),
            ("value", value.clone()),
            ("permitted", json!(permitted)),
        ],
    )
}

/// A warning of the contract: a code and what it is about.
pub(crate) fn warning<const N: usize>(code: &str, facts: [(&str, Value); N]) -> Value {
    let mut map = Map::new();
    map.insert("code".to_owned(), json!(code));
    map.extend(facts.into_iter().map(|(key, value)| (key.to_owned(), value)));
    Value::Object(map)
}
