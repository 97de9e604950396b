//! One history entry as a row: compact, with provenance, or as it is (surfaces.md §12).

use serde_json::{Map, Value, json};

use crate::domain::chain;
use crate::error::{Code, Error, Result};

/// What tells who made an entry and how, in the order in which entries hold it.
const PROVENANCE: [&str; 8] = [
    "author",
    "author_source",
    "agent_harness",
    "agent_model",
    "agent_model_source",
    "agent_instance",
    "agent_provenance",
    "agent_episode",
];

fn part(entry: &Value, key: &str) -> Value {
    entry.get(key).cloned().unwrap_or(Value::Null)
}

/// When, what, who, and which fields; `index` counts from 1.
pub fn compact(index: usize, entry: &Value) -> Map<String, Value> {
    let ops = entry.get("patch").and_then(Value::as_array).map_or(0, Vec::len);
    Map::from_iter([
        ("index".to_owned(), index.into()),
        ("ts".to_owned(), part(entry, "ts")),
        ("op".to_owned(), part(entry, "op")),
        ("author".to_owned(), part(entry, "author")),
        ("patch_ops".to_owned(), ops.into()),
        ("changed_fields".to_owned(), chain::touched_fields(entry).into()),
    ])
}

/// When, what, and everything that tells who.
pub fn provenance(index: usize, entry: &Value) -> Map<String, Value> {
    let mut row = Map::from_iter([
        ("index".to_owned(), index.into()),
        ("ts".to_owned(), part(entry, "ts")),
        ("op".to_owned(), part(entry, "op")),
    ]);
    row.extend(recorded(entry));
    row
}

/// Everything that tells who made an entry, as it is recorded.
pub fn recorded(entry: &Value) -> Map<String, Value> {
    PROVENANCE.iter().filter_map(|key| Some(((*key).to_owned(), entry.get(*key)?.clone()))).collect()
}

/// A compact row with what each field was and became.
pub fn diff(index: usize, entry: &Value, changes: &[chain::Change]) -> Map<String, Value> {
    let mut row = compact(index, entry);
    let changes: Vec<Value> =
        changes.iter().map(|c| json!({"field": c.field, "before": c.before, "after": c.after})).collect();
    row.insert("changes".to_owned(), changes.into());
    row
}

/// How many entries say who made them.
#[derive(Clone, Debug, Default)]
pub struct ProvenanceCount {
    entries: usize,
    unknown_authors: usize,
    recorded: [usize; PROVENANCE.len()],
}

impl ProvenanceCount {
    /// Counts an entry.
    pub fn add(&mut self, entry: &Value) {
        self.entries += 1;
        for (count, key) in self.recorded.iter_mut().zip(PROVENANCE) {
            *count += usize::from(entry.get(key).is_some_and(|value| !value.is_null()));
        }
        let unknown = matches!(entry.get("author").and_then(Value::as_str), None | Some("unknown"));
        self.unknown_authors += usize::from(unknown);
    }

    /// `{entries, unknown_authors, recorded}`, the last by field.
    pub fn summary(&self) -> Value {
        let recorded: Map<String, Value> =
            PROVENANCE.iter().zip(self.recorded).map(|(key, n)| ((*key).to_owned(), n.into())).collect();
        json!({"entries": self.entries, "unknown_authors": self.unknown_authors, "recorded": recorded})
    }
}

/// The flags that keep entries by who is recorded in them.
#[derive(Debug, Default, clap::Args)]
pub struct ProvenanceArgs {
    /// Keep entries of this harness
    #[arg(long, value_name = "NAME")]
    pub harness: Vec<String>,
    /// Keep entries of this agent instance
    #[arg(long, value_name = "ID")]
    pub agent_instance: Vec<String>,
    /// Keep entries with this value of a provenance dimension
    #[arg(long, value_name = "DIMENSION=VALUE")]
    pub provenance_filter: Vec<String>,
}

impl ProvenanceArgs {
    /// What they ask for.
    ///
    /// Errors: `invalid_argument_value` for a filter that is no `dimension=value`.
    pub fn filter(&self) -> Result<ProvenanceFilter> {
        let dimension = |filter: &String| {
            let parts = filter.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
            let parts = parts.filter(|(name, value)| !name.is_empty() && !value.is_empty());
            parts.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| {
                let message =
                    format!("`--provenance-filter` does not take `{filter}`; it takes dimension=value");
                Error::new(Code::InvalidArgumentValue, message)
                    .at("--provenance-filter")
                    .rejecting(filter.clone())
            })
        };
        Ok(ProvenanceFilter {
            harnesses: self.harness.clone(),
            instances: self.agent_instance.clone(),
            dimensions: self.provenance_filter.iter().map(dimension).collect::<Result<_>>()?,
        })
    }
}

/// Which entries to show, by who made them; all conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct ProvenanceFilter {
    harnesses: Vec<String>,
    instances: Vec<String>,
    dimensions: Vec<(String, String)>,
}

impl ProvenanceFilter {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.harnesses.is_empty() && self.instances.is_empty() && self.dimensions.is_empty()
    }

    /// Whether an entry passes.
    pub fn admits(&self, entry: &Value) -> bool {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let harness = |name: &String| {
            text("agent_harness").eq_ignore_ascii_case(name)
                || text("author")
                    .strip_prefix("harness:")
                    .is_some_and(|author| author.eq_ignore_ascii_case(name))
        };
        (self.harnesses.is_empty() || self.harnesses.iter().any(harness))
            && (self.instances.is_empty() || self.instances.iter().any(|name| text("agent_instance") == name))
            && self.dimensions.iter().all(|(name, value)| dimension(entry, name).as_deref() == Some(value))
    }
}

/// The value of a provenance dimension: of the entry itself, or of its `agent_provenance`.
fn dimension(entry: &Value, name: &str) -> Option<String> {
    let recorded = entry.get("agent_provenance").and_then(|all| all.get(name));
    let value = recorded
        .map(|v| v.get("value").unwrap_or(v))
        .or_else(|| entry.get(name))
        .or_else(|| entry.get(format!("agent_{name}")))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_filters() {
        let entry = json!({"ts": "t", "op": "update", "author": "harness:codex", "agent_instance": "i1",
            "agent_provenance": {"role": {"value": "implementer", "source": "argv"}, "model": null},
            "patch": [{"op": "add", "path": "/metadata/tags/0", "value": "x"}, {"op": "replace", "path": "/body", "value": ""}]});
        assert_eq!(
            Value::Object(compact(7, &entry)),
            json!({"index": 7, "ts": "t", "op": "update", "author": "harness:codex", "patch_ops": 2, "changed_fields": ["body", "tags"]})
        );
        let keys: Vec<String> = provenance(7, &entry).keys().cloned().collect();
        assert_eq!(keys, ["index", "ts", "op", "author", "agent_instance", "agent_provenance"]);
        let filter = |h: &[&str], d: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            let args =
                ProvenanceArgs { harness: own(h), provenance_filter: own(d), ..ProvenanceArgs::default() };
            args.filter()
        };
        assert!(filter(&["Codex"], &["role=implementer"]).unwrap().admits(&entry));
        assert!(!filter(&[], &["model=x"]).unwrap().admits(&entry));
        assert!(filter(&[], &["role"]).is_err());
        let mut count = ProvenanceCount::default();
        count.add(&entry);
        assert_eq!(count.summary()["recorded"]["agent_instance"], 1);
    }
}
