//! What every check needs to know of an item's text and of a history stream, small enough to be kept from call to call.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec::json;
use crate::domain::chain;
use crate::domain::hash::GENESIS;
use crate::domain::merge;
use crate::model::item::Item;

/// What an item's text says, as far as checks ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemFacts {
    /// Linked files of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Linked files outside of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub global_files: Vec<String>,
    /// Linked documents of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<String>,
    /// Linked addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remote: Vec<String>,
    /// How many linked tests have a command.
    #[serde(skip_serializing_if = "is_zero")]
    pub commands: usize,
    /// Ids that these commands name, one entry for each time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named_by_commands: Vec<String>,
    /// Ids that the definition of ready names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named_by_ready: Vec<String>,
    /// `resolution` and `actual_result` of an item that is not over, in lower case.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub closing: BTreeMap<String, String>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl ItemFacts {
    /// The facts of an item; `over` says whether its status is a terminal one, `prefix` how ids begin.
    pub fn of(item: &Item, over: bool, prefix: &str) -> ItemFacts {
        let mut facts = ItemFacts::default();
        for (key, of) in [("files", true), ("docs", false)] {
            for link in item.list(key) {
                let text = |key| link.get(key).and_then(Value::as_str).unwrap_or_default();
                let path = text("path");
                if path.is_empty() || (text("scope") == "global" && !of) {
                    continue;
                }
                if text("scope") == "global" {
                    facts.global_files.push(path.to_owned());
                } else if path.contains("://") {
                    facts.remote.push(path.to_owned());
                } else {
                    if of { &mut facts.files } else { &mut facts.docs }.push(path.to_owned());
                }
            }
        }
        for test in item.list("tests") {
            let command = test.get("command").and_then(Value::as_str).unwrap_or_default();
            if !command.trim().is_empty() {
                facts.commands += 1;
                facts.named_by_commands.extend(named_by_command(command, prefix));
            }
        }
        if !over {
            facts.named_by_ready =
                named_in_text(item.text("definition_of_ready").unwrap_or_default(), prefix);
            for key in ["resolution", "actual_result"] {
                let text = item.text(key).map(str::to_lowercase).filter(|text| !text.is_empty());
                facts.closing.extend(text.map(|text| (key.to_owned(), text)));
            }
        }
        facts
    }
}

/// Whether a word is an id with this prefix.
fn is_id(word: &str, prefix: &str) -> bool {
    word.strip_prefix(prefix).is_some_and(|token| {
        !token.is_empty()
            && !token.ends_with('-')
            && token.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    })
}

/// The ids that a shell command hands to this program: words behind `pm` or a path to it, up to the next command.
fn named_by_command(command: &str, prefix: &str) -> Vec<String> {
    let mut named = Vec::new();
    for part in command.split(['\n', ';', '|', '&']) {
        let is_program = |word: &&str| {
            let name = word.rsplit('/').next().unwrap_or(word);
            name == "pm" || name == "cli.js"
        };
        let words = part.split_whitespace().skip_while(|word| !is_program(word)).skip(1);
        let words = words.map(|word| word.trim_matches(['"', '\'']));
        named.extend(words.filter(|word| is_id(word, prefix)).map(str::to_owned));
    }
    named
}

/// The ids in a text, folded, each once.
pub fn named_in_text(text: &str, prefix: &str) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
        let word = word.trim_end_matches('-').to_lowercase();
        if is_id(&word, prefix) && !named.contains(&word) {
            named.push(word);
        }
    }
    named
}

/// Why a stream could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamProblem {
    /// It holds conflict markers.
    ConflictMarkers,
    /// A line is no entry.
    Unparseable,
    /// The file itself cannot be read.
    Unreadable,
}

/// What a history stream says, and whether the item beside it agrees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamFacts {
    /// It could not be read; nothing else is known then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<(StreamProblem, String)>,
    /// How many entries it has.
    pub entries: usize,
    /// The first fault of its chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The chain holds, but the item is another than the one at its end.
    #[serde(skip_serializing_if = "is_false")]
    pub differs: bool,
    /// It ends in the deletion of its item.
    #[serde(skip_serializing_if = "is_false")]
    pub deleted: bool,
    /// Entries that brought it back to its item after a merge.
    #[serde(skip_serializing_if = "is_zero")]
    pub reconciled: usize,
    /// Something was taken out of it.
    #[serde(skip_serializing_if = "is_false")]
    pub redacted: bool,
    /// Entries by nobody known: line, and whether the entry comes from days before authors had sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_authors: Vec<(usize, bool)>,
    /// Entries of this and other streams whose unknown author somebody looked into: id and line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acknowledged: Vec<(String, usize)>,
    /// Harness attributions whose value says nothing, by harness and dimension.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub empty_attributions: BTreeMap<String, usize>,
    /// A branch deleted the item and another one changed it, and nobody has decided yet.
    #[serde(skip_serializing_if = "is_false")]
    pub undecided_deletion: bool,
    /// Places in settings and schema that two branches gave other values: the file, and the place in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<(String, String)>,
    /// Digests of the settings and schema files that the stream of the workspace records.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub documents: BTreeMap<String, String>,
}

fn is_false(b: &bool) -> bool {
    !b
}

/// The id of the stream that records settings and schema.
pub const WORKSPACE: &str = "_workspace";

impl StreamFacts {
    /// Facts of a stream that could not be read.
    pub fn unreadable(problem: StreamProblem, detail: String) -> StreamFacts {
        StreamFacts { problem: Some((problem, detail)), ..StreamFacts::default() }
    }

    /// Reads and verifies a stream; `item` is the item of this id as it is, if there is one.
    pub fn of(id: &str, entries: &[Value], item: Option<&Item>) -> StreamFacts {
        let replay = chain::verify(entries);
        let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let unknown = |entry: &Value| matches!(text(entry, "author").as_deref(), None | Some("" | "unknown"));
        let mut facts = StreamFacts {
            entries: entries.len(),
            deleted: !entries.is_empty() && replay.latest_after_hash.as_deref() == Some(GENESIS),
            undecided_deletion: item.is_some() && merge::has_undecided_deletion(entries),
            ..StreamFacts::default()
        };
        for (n, entry) in entries.iter().enumerate() {
            facts.reconciled += usize::from(matches!(
                text(entry, "op").as_deref(),
                Some("merge_reconcile" | "merge_resolve")
            ));
            facts.redacted |= text(entry, "op").as_deref() == Some("history_redact");
            if unknown(entry) {
                facts.unknown_authors.push((n + 1, entry.get("author_source").is_none()));
            }
            for dimension in empty_attributions(entry) {
                let harness = text(entry, "agent_harness").unwrap_or_default();
                *facts.empty_attributions.entry(format!("{harness} {dimension}")).or_default() += 1;
            }
            let acknowledged =
                entry.pointer("/context/author_acknowledgment/events").and_then(Value::as_array);
            for event in acknowledged.into_iter().flatten() {
                let line = event.get("line").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
                facts.acknowledged.extend(text(event, "item_id").zip(line));
            }
        }
        if id == WORKSPACE {
            let documents = replay.item.metadata.get("documents").and_then(Value::as_object);
            facts.documents = documents
                .into_iter()
                .flatten()
                .map(|(path, value)| (path.clone(), json::digest(value)))
                .collect();
            facts.undecided = merge::conflicts::undecided_documents(&replay.item)
                .into_iter()
                .map(|(path, found)| (path, found.field))
                .collect();
        } else {
            facts.differs = replay.fault.is_none() && replay.disagreement(item).is_some();
        }
        facts.fault = replay.fault;
        facts
    }
}

/// The dimensions of an entry's harness attribution whose value is a single digit: a switch, where a name belongs.
fn empty_attributions(entry: &Value) -> impl Iterator<Item = &str> {
    let dimensions = entry.get("agent_provenance").and_then(Value::as_object).into_iter().flatten();
    dimensions.filter_map(|(dimension, told)| {
        let value = told.get("value").unwrap_or(told).as_str()?;
        (value.len() == 1 && value.bytes().all(|b| b.is_ascii_digit())).then_some(dimension.as_str())
    })
}

/// Every stream of a tracker, by id.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// What each says.
    pub streams: BTreeMap<String, StreamFacts>,
    /// Of the files that the workspace's stream records: those that are gone, cannot be read, or say something else.
    pub missing_documents: Vec<String>,
    /// See above.
    pub unreadable_documents: Vec<String>,
    /// See above.
    pub changed_documents: Vec<String>,
}

/// Entries whose author nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// How many entries there are.
    pub entries: usize,
    /// How many have no known author.
    pub unknown: usize,
    /// Of these, those from days before authors had sources.
    pub legacy: usize,
    /// Of these, those that somebody looked into.
    pub acknowledged: usize,
    /// Of these, the others: id and line.
    pub actionable: Vec<(String, usize)>,
    /// The ids of all streams with such entries.
    pub ids: Vec<String>,
}

impl Attribution {
    /// Looks at all streams.
    pub fn of(streams: &Streams) -> Attribution {
        let all = &streams.streams;
        let seen: std::collections::HashSet<(&str, usize)> = all
            .values()
            .flat_map(|facts| &facts.acknowledged)
            .map(|(id, line)| (id.as_str(), *line))
            .collect();
        let mut found = Attribution::default();
        for (id, facts) in all {
            found.entries += facts.entries;
            if !facts.unknown_authors.is_empty() {
                found.ids.push(id.clone());
            }
            for (line, legacy) in &facts.unknown_authors {
                found.unknown += 1;
                if seen.contains(&(id.as_str(), *line)) {
                    found.acknowledged += 1;
                } else if *legacy {
                    found.legacy += 1;
                } else {
                    found.actionable.push((id.clone(), *line));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commands_name_ids_only_behind_the_program() {
        let named = |command: &str| named_by_command(command, "pm-").join(" ");
        assert_eq!(
            named("pm history pm-ny6y --verify && pm deps 'pm-r9ei'; echo pm-nope"),
            "pm-ny6y pm-r9ei"
        );
        assert_eq!(named("node dist/cli.js get pm-th6y --depth brief"), "pm-th6y");
        assert_eq!(named("pnpm smoke -- pm-beads@latest pm-web"), "");
        assert_eq!(named_in_text("needs pm-a1, PM-A1 and pm-b2.", "pm-"), ["pm-a1", "pm-b2"]);
    }

    #[test]
    fn items_tell_what_they_link() {
        let value = json!({"id": "pm-a", "files": [{"path": "src/a.rs", "scope": "project"}, {"path": "https://x.org/a"}],
            "docs": [{"path": "/etc/x", "scope": "global"}, {"path": "docs/a.md", "scope": "project"}],
            "tests": [{"command": "pm get pm-b"}, {"path": "t.rs"}], "resolution": "Work IS closed"});
        let item = Item { metadata: value.as_object().unwrap().clone(), body: String::new() };
        let facts = ItemFacts::of(&item, false, "pm-");
        assert_eq!((facts.files, facts.docs), (vec!["src/a.rs".to_owned()], vec!["docs/a.md".to_owned()]));
        assert_eq!((facts.commands, facts.named_by_commands), (1, vec!["pm-b".to_owned()]));
        assert_eq!(facts.closing["resolution"], "work is closed");
        assert!(ItemFacts::of(&item, true, "pm-").closing.is_empty());
    }

    #[test]
    fn streams_tell_who_is_unknown_and_what_was_looked_into() {
        let entries = [
            json!({"op": "create", "author": "unknown", "patch": []}),
            json!({"op": "x", "author": "ann", "author_source": "asserted",
                "context": {"author_acknowledgment": {"events": [{"item_id": "pm-a", "line": 1}]}}}),
        ];
        let facts = StreamFacts::of("pm-a", &entries, None);
        assert_eq!(facts.unknown_authors, [(1, true)]);
        assert_eq!(facts.acknowledged, [("pm-a".to_owned(), 1)]);
        assert_eq!(facts.fault.as_deref(), Some("before_hash_mismatch:entry_1"));
        let back: StreamFacts = serde_json::from_str(&serde_json::to_string(&facts).unwrap()).unwrap();
        assert_eq!(back, facts);
    }
}
