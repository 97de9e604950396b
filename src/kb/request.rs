//! A call, checked against its declaration: what is wrong is refused in the order of the contract, before anything
//! is read (disclosure.md §10, steps 2 to 6).

use serde_json::{Map, Value, json};

use super::actions::{self, Action, DEFAULT_LIMIT, Disclosure, Flag, Parameter, STRUCTURAL, Takes, Verb};
use super::config::Config;
use super::filter::Filters;
use super::kind::Kind;
use super::refusal;
use crate::contract::Want;
use crate::error::Result;

/// The order of a catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By the path of the file.
    #[default]
    Path,
    /// By title.
    Title,
    /// By the field `date`; undated documents stand last in both directions.
    Date,
    /// By URI.
    Uri,
}

impl Sort {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Sort::Path => "path",
            Sort::Title => "title",
            Sort::Date => "date",
            Sort::Uri => "uri",
        }
    }
}

/// A call whose types, tiers and count are right; its filter values are checked when the settings are known.
#[derive(Clone, Debug)]
pub struct Request {
    /// The action.
    pub action: &'static Action,
    /// The query, the task or the URI; empty for a catalog.
    pub subject: String,
    /// The tiers to show.
    pub disclosure: Disclosure,
    /// The most rows.
    pub limit: usize,
    /// The rows to pass over.
    pub offset: usize,
    /// Which documents.
    pub filters: Filters,
    /// The order of a catalog.
    pub sort: Sort,
    /// Whether the order is turned round.
    pub descending: bool,
    /// The heading that narrows the body.
    pub section: Option<String>,
    /// The revision; none for the work tree.
    pub rev: Option<String>,
    /// Whether the older envelope is wanted.
    pub legacy: bool,
    /// The arguments as they came, for cursors.
    pub arguments: Value,
    include_given: bool,
    /// A filter of an action that takes none.
    misplaced: Option<&'static str>,
}

/// Reads a list of texts: one text, or an array of them.
fn list(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(text) => Some(vec![text.as_str()]),
        Value::Array(values) => values.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// A value made an array of its own.
fn many(value: &Value) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for one in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
    all
}

impl Request {
    /// Checks the parameters of a call: names, types, tiers, count.
    ///
    /// `want` brings what the output controls say: `--output-limit`, the mode `brief`, a cursor.
    ///
    /// Errors: `UNKNOWN_PARAMETER`, `INVALID_PARAMETER`, `MULTIPLE_URIS_NOT_PERMITTED`,
    /// `DISCLOSURE_FLAG_NOT_PERMITTED`, `LIMIT_EXCEEDS_FLAG_CAP`, in this order.
    pub fn check(verb: Verb, given: &Map<String, Value>, want: &Want) -> Result<Request> {
        let action = verb.action();
        let mut misplaced = None;
        for (name, value) in given {
            if action.parameter(name).is_some() {
                continue;
            }
            match actions::filter_named(name).filter(|_| !action.many) {
                Some(filter) => misplaced = misplaced.or(Some(filter.name)),
                None => return Err(refusal::unknown_parameter(action, name, value)),
            }
        }
        for parameter in action.subject.iter().chain(action.parameters) {
            match given.get(parameter.name) {
                Some(value) => typed(action, parameter, value)?,
                None if action.subject.is_some_and(|subject| subject.name == parameter.name) => {
                    return Err(refusal::invalid_parameter(
                        action,
                        parameter.name,
                        &Value::Null,
                        json!("<text>"),
                        "must be given",
                    ));
                }
                None => {}
            }
        }
        let number = |name: &str| {
            given.get(name).and_then(Value::as_u64).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
        };
        let offset = number("offset").unwrap_or(0);
        if want.continued && offset > 0 {
            let why = "cannot stand beside a cursor, which says itself where the page begins";
            return Err(refusal::invalid_parameter(action, "offset", &json!(offset), json!([0]), why));
        }
        let disclosure = disclosure(action, given.get("disclosure"), want)?;
        let limit = limit(action, number("limit"), disclosure, want)?;
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(str::to_owned);
        let section = text("section");
        if let Some(section) = &section
            && !disclosure.has(Flag::Body)
        {
            let why = "narrows the body, which this call does not show; add the tier body";
            return Err(refusal::invalid_parameter(action, "section", &json!(section), json!([]), why));
        }
        Ok(Request {
            action,
            subject: action.subject.and_then(|subject| text(subject.name)).unwrap_or_default(),
            disclosure,
            limit,
            offset,
            filters: filters(action, given),
            sort: match text("sort_by").as_deref() {
                Some("title") => Sort::Title,
                Some("date") => Sort::Date,
                Some("uri") => Sort::Uri,
                _ => Sort::Path,
            },
            descending: text("order").as_deref() == Some("desc"),
            section,
            rev: text("rev"),
            legacy: given.get("include_legacy_envelope") == Some(&Value::Bool(true)),
            arguments: Value::Object(given.clone()),
            include_given: given.contains_key("include") || given.contains_key("exclude"),
            misplaced,
        })
    }

    /// Checks the values of the filters against the vocabulary of the settings.
    ///
    /// Errors: `FILTER_NOT_ACCEPTED`, `FILTER_VALUE_NOT_PERMITTED`, `TAGS_NEED_STRUCTURAL_FILTER`.
    pub fn check_filters(&self, config: &Config) -> Result<()> {
        if let Some(name) = self.misplaced {
            return Err(refusal::filter_not_accepted(self.action, name));
        }
        for name in ["include", "exclude"] {
            for kind in many(self.arguments.get(name).unwrap_or(&Value::Array(Vec::new()))) {
                if kind.as_str().and_then(Kind::named).is_none() {
                    return Err(refusal::filter_value(name, &kind, json!(Kind::names())));
                }
            }
        }
        for (name, value) in &self.filters.declared {
            let vocabulary = match *name {
                "audience" => &config.audiences,
                "exposure" => &config.exposures,
                "tier" => &config.tiers,
                _ => continue,
            };
            if let Some(wrong) = many(value).into_iter().find(|one| !vocabulary.contains(one)) {
                return Err(refusal::filter_value(name, &wrong, Value::from(vocabulary.clone())));
            }
        }
        let declared = |wanted: &str| self.filters.declared.iter().any(|(name, _)| *name == wanted);
        let sliced = self.include_given || STRUCTURAL.iter().any(|name| declared(name));
        if declared("tags") && !sliced { Err(refusal::tags_alone()) } else { Ok(()) }
    }

    /// The same call with other tiers.
    pub fn showing(&self, disclosure: Disclosure) -> Request {
        Request { disclosure, ..self.clone() }
    }
}

/// Refuses a value of the wrong type.
fn typed(action: &Action, parameter: &Parameter, value: &Value) -> Result<()> {
    let refuse = |permitted: Value, why: &str| {
        Err(refusal::invalid_parameter(action, parameter.name, value, permitted, why))
    };
    match parameter.takes {
        Takes::Text(longest) => match value {
            Value::Array(all) if parameter.name == "uri" && all.len() > 1 => {
                Err(refusal::many_uris(action, all.len()))
            }
            Value::String(text) if text.trim().is_empty() => refuse(json!("<text>"), "must not be blank"),
            Value::String(text) if text.chars().count() > longest => {
                refuse(json!("<text>"), &format!("must not be longer than {longest} characters"))
            }
            Value::String(_) => Ok(()),
            Value::Array(all) if all.len() > 1 => {
                refuse(json!("<text>"), "takes one text; put several words in quotes")
            }
            _ => refuse(json!("<text>"), "must be a text"),
        },
        Takes::Texts | Takes::Kinds => match list(value) {
            Some(all) if all.is_empty() || all.iter().any(|text| text.trim().is_empty()) => {
                refuse(json!(["<text>"]), "must name something")
            }
            Some(all) if parameter.name == "path_prefix" && !all.iter().all(|path| is_inside(path)) => {
                refuse(
                    json!(["<path in the repository>"]),
                    "must be a path in the repository: no leading slash, no `..`",
                )
            }
            Some(_) => Ok(()),
            None => refuse(json!(["<text>"]), "must be a text or a list of texts"),
        },
        Takes::Tiers => match list(value) {
            Some(_) if value.is_array() => Ok(()),
            _ => refuse(json!(action.permitted_names()), "must be a list of tiers"),
        },
        Takes::Integers => {
            let all = many(value);
            match !all.is_empty() && all.iter().all(|one| one.is_i64() || one.is_u64()) {
                true => Ok(()),
                false => refuse(json!("<integer>"), "must be an integer or a list of integers"),
            }
        }
        Takes::Count(least) => match value.as_u64() {
            Some(n) if n >= least => Ok(()),
            _ => refuse(
                json!(format!("<integer from {least}>")),
                &format!("must be an integer, at least {least}"),
            ),
        },
        Takes::Boolean | Takes::Switch => match value {
            Value::Bool(_) => Ok(()),
            _ => refuse(json!([true, false]), "must be true or false"),
        },
        Takes::Word(words) => match value.as_str() {
            Some(word) if words.contains(&word) => Ok(()),
            _ => refuse(json!(words), &format!("must be one of {}", words.join(", "))),
        },
    }
}

fn is_inside(path: &str) -> bool {
    !path.starts_with('/') && !path.split(['/', '\\']).any(|part| part == "..")
}

/// The tiers: those named, else `--output-include brief`, else the declared default.
fn disclosure(action: &Action, given: Option<&Value>, want: &Want) -> Result<Disclosure> {
    let mut flags = Vec::new();
    for name in given.and_then(list).into_iter().flatten() {
        match Flag::named(name).filter(|flag| action.permitted.contains(flag)) {
            Some(flag) => flags.push(flag),
            None => return Err(refusal::flag_not_permitted(action, name)),
        }
    }
    Ok(match given {
        _ if want.mode.as_deref() == Some("brief") => Disclosure::default(),
        Some(_) => Disclosure::of(&flags),
        None => Disclosure::of(action.default_disclosure),
    })
}

/// The most rows: `--output-limit`, else `limit`, else the default that the cap allows.
fn limit(action: &Action, given: Option<usize>, disclosure: Disclosure, want: &Want) -> Result<usize> {
    if !action.many {
        return Ok(1);
    }
    let (cap, limiting) = disclosure.cap();
    if want.unbounded {
        return Err(refusal::limit_exceeds(&json!("unbounded"), cap, limiting));
    }
    let asked = want.limit.or(given);
    match asked {
        Some(asked) if asked > cap => Err(refusal::limit_exceeds(&json!(asked), cap, limiting)),
        _ => Ok(asked.unwrap_or(DEFAULT_LIMIT.min(cap))),
    }
}

fn filters(action: &Action, given: &Map<String, Value>) -> Filters {
    let kinds = |name: &str| -> Option<Vec<Kind>> {
        let named = many(given.get(name)?);
        // In the order of the contract, whatever the order of the call.
        let wanted = |kind: &Kind| named.iter().any(|one| one.as_str() == Some(kind.as_str()));
        Some(Kind::ALL.into_iter().filter(wanted).collect())
    };
    let declared = action.parameters.iter().filter(|parameter| {
        (parameter.filter || parameter.name == "tags") && !matches!(parameter.name, "include" | "exclude")
    });
    let declared = declared.filter_map(|parameter| {
        let value = given.get(parameter.name)?;
        let value = if value.is_boolean() { value.clone() } else { Value::from(many(value)) };
        Some((parameter.name, value))
    });
    Filters {
        include: kinds("include").unwrap_or_else(|| Kind::DEFAULT.to_vec()),
        exclude: kinds("exclude").unwrap_or_default(),
        declared: declared.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn check(verb: Verb, given: Value) -> Result<Request> {
        let Value::Object(given) = given else { unreachable!() };
        let request = Request::check(verb, &given, &Want::default())?;
        request.check_filters(&Config::default()).map(|()| request)
    }

    fn code(verb: Verb, given: Value) -> Code {
        check(verb, given).unwrap_err().code
    }

    #[test]
    fn defaults_are_those_of_the_declaration() {
        let request = check(Verb::Catalog, json!({})).unwrap();
        assert_eq!((request.limit, request.offset, request.disclosure.is_empty()), (25, 0, true));
        assert_eq!(request.filters.echo(), json!({"include": ["canon", "docs", "essays"]}));
        assert_eq!(check(Verb::Get, json!({"uri": "a"})).unwrap().disclosure.names(), ["body"]);
    }

    #[test]
    fn the_first_fault_in_the_order_of_the_contract_is_told() {
        let wrong = [
            (json!({"kind": "x", "limit": "x"}), Code::UnknownParameter),
            (json!({"limit": "x", "disclosure": ["body"]}), Code::InvalidParameter),
            (json!({"disclosure": ["body"], "limit": 900}), Code::DisclosureFlagNotPermitted),
            (json!({"limit": 501, "tier": 9}), Code::LimitExceedsFlagCap),
            (json!({"tier": 9, "tags": "a"}), Code::FilterValueNotPermitted),
            (json!({"tags": "a"}), Code::TagsNeedStructuralFilter),
        ];
        for (given, expected) in wrong {
            assert_eq!(code(Verb::Catalog, given.clone()), expected, "{given}");
        }
    }

    #[test]
    fn types_are_checked() {
        for given in [
            json!({"limit": 0}),
            json!({"limit": 1.5}),
            json!({"offset": -1}),
            json!({"public": "true"}),
            json!({"tier": "one"}),
            json!({"sort_by": "size"}),
            json!({"path_prefix": "/x"}),
            json!({"path_prefix": "../x"}),
            json!({"disclosure": "body"}),
            json!({"include": []}),
        ] {
            assert_eq!(code(Verb::Catalog, given.clone()), Code::InvalidParameter, "{given}");
        }
        assert_eq!(code(Verb::Search, json!({})), Code::InvalidParameter);
        assert_eq!(code(Verb::Search, json!({"query": " "})), Code::InvalidParameter);
        assert_eq!(code(Verb::Get, json!({"uri": ["a", "b"]})), Code::MultipleUrisNotPermitted);
        assert_eq!(code(Verb::Get, json!({"uri": "a", "audience": "canon"})), Code::FilterNotAccepted);
        assert_eq!(code(Verb::Get, json!({"uri": "a", "limit": 3})), Code::UnknownParameter);
        assert_eq!(
            code(Verb::Get, json!({"uri": "a", "section": "S", "disclosure": ["metadata"]})),
            Code::InvalidParameter
        );
    }

    #[test]
    fn the_cap_is_that_of_the_most_restrictive_tier() {
        for (flags, cap) in [
            (json!([]), 500),
            (json!(["blockquote"]), 200),
            (json!(["metadata", "blockquote"]), 100),
            (json!(["summary", "metadata"]), 25),
        ] {
            assert!(check(Verb::Search, json!({"query": "x", "disclosure": flags, "limit": cap})).is_ok());
            let over = json!({"query": "x", "disclosure": flags, "limit": cap + 1});
            assert_eq!(code(Verb::Search, over), Code::LimitExceedsFlagCap);
        }
    }
}
