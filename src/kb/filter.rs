//! Which documents a call is about: kinds, structural filters, tags (disclosure.md §6).

use serde_json::{Map, Value, json};

use super::kind::Kind;

/// The filters of a call, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Filters {
    /// Kinds to look at.
    pub include: Vec<Kind>,
    /// Kinds to leave out of them.
    pub exclude: Vec<Kind>,
    /// The other filters, as the call declared them, lists made of single values; in the order of the contract.
    pub declared: Vec<(&'static str, Value)>,
}

impl Default for Filters {
    fn default() -> Filters {
        Filters { include: Kind::DEFAULT.to_vec(), exclude: Vec::new(), declared: Vec::new() }
    }
}

impl Filters {
    /// The echo of the filters: the kinds, then what the call declared.
    pub fn echo(&self) -> Value {
        let names = |kinds: &[Kind]| json!(kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>());
        let mut echo = Map::new();
        echo.insert("include".to_owned(), names(&self.include));
        if !self.exclude.is_empty() {
            echo.insert("exclude".to_owned(), names(&self.exclude));
        }
        for (name, value) in &self.declared {
            echo.insert((*name).to_owned(), value.clone());
        }
        Value::Object(echo)
    }

    /// Whether a kind is in the slice: included first, excluded then.
    pub fn takes_kind(&self, kind: Kind) -> bool {
        self.include.contains(&kind) && !self.exclude.contains(&kind)
    }

    /// Whether a document is in the slice, its kind left out of account.
    pub fn takes(&self, path: &str, metadata: &Map<String, Value>) -> bool {
        self.declared.iter().all(|(name, wanted)| match *name {
            "path_prefix" => texts(wanted).any(|prefix| path.starts_with(prefix)),
            "public" | "start_here" => metadata.get(*name) == Some(wanted),
            "tags" => texts(wanted).all(|tag| has_tag(metadata, tag)),
            "tier" => {
                any(metadata.get(*name), |own| wanted_values(wanted).any(|value| same_tier(own, value)))
            }
            _ => any(metadata.get(*name), |own| wanted_values(wanted).any(|value| own == value)),
        })
    }

    /// Whether any filter has to look into documents.
    pub fn looks_inside(&self) -> bool {
        self.declared.iter().any(|(name, _)| *name != "path_prefix")
    }
}

fn wanted_values(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().map_or(&[][..], Vec::as_slice).iter()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    wanted_values(list).filter_map(Value::as_str)
}

/// A field that is a list matches when any of its values does.
fn any(field: Option<&Value>, test: impl Fn(&Value) -> bool) -> bool {
    match field {
        Some(Value::Array(values)) => values.iter().any(test),
        Some(value) => test(value),
        None => false,
    }
}

/// A quoted digit counts as its integer.
fn same_tier(own: &Value, wanted: &Value) -> bool {
    own == wanted
        || own
            .as_str()
            .is_some_and(|text| text.trim().parse::<i64>().ok() == wanted.as_i64() && wanted.is_i64())
}

/// The tags of a document: a list of texts, or one text.
pub(crate) fn tags(metadata: &Map<String, Value>) -> Vec<&str> {
    match metadata.get("tags") {
        Some(Value::Array(tags)) => tags.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(tag)) => vec![tag.as_str()],
        _ => Vec::new(),
    }
}

fn has_tag(metadata: &Map<String, Value>, tag: &str) -> bool {
    tags(metadata).contains(&tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(declared: &[(&'static str, Value)], metadata: Value) -> bool {
        let filters = Filters { declared: declared.to_vec(), ..Filters::default() };
        let Value::Object(metadata) = metadata else { unreachable!() };
        filters.takes("docs/a.md", &metadata)
    }

    #[test]
    fn filters_are_or_inside_and_and_between() {
        let one = [("audience", json!(["canon", "docs"])), ("tier", json!([1, 2]))];
        assert!(takes(&one, json!({"audience": "docs", "tier": 2})));
        assert!(!takes(&one, json!({"audience": "docs", "tier": 3})));
        assert!(!takes(&one, json!({"audience": "docs"})));
        assert!(takes(&one, json!({"audience": ["x", "canon"], "tier": "1"})));
    }

    #[test]
    fn booleans_are_no_texts_and_absence_is_no_value() {
        assert!(takes(&[("public", json!(true))], json!({"public": true})));
        assert!(!takes(&[("public", json!(true))], json!({"public": "true"})));
        assert!(!takes(&[("public", json!(false))], json!({"public": "true"})));
        assert!(!takes(&[("public", json!(false))], json!({})));
    }

    #[test]
    fn all_tags_and_any_prefix() {
        assert!(takes(&[("tags", json!(["a", "b"]))], json!({"tags": ["b", "a", "c"]})));
        assert!(!takes(&[("tags", json!(["a", "b"]))], json!({"tags": ["a"]})));
        assert!(!takes(&[("tags", json!(["a"]))], json!({"tags": null})));
        assert!(takes(&[("path_prefix", json!(["x/", "docs/"]))], json!({})));
        assert!(!takes(&[("path_prefix", json!(["doc/"]))], json!({})));
    }

    #[test]
    fn included_first_excluded_then() {
        let filters = Filters { exclude: vec![Kind::Docs], ..Filters::default() };
        assert!(
            filters.takes_kind(Kind::Canon)
                && !filters.takes_kind(Kind::Docs)
                && !filters.takes_kind(Kind::Journals)
        );
        assert_eq!(filters.echo(), json!({"include": ["canon", "docs", "essays"], "exclude": ["docs"]}));
    }
}
