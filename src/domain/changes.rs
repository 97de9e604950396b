//! What a command changes in an item, and the item after it. Pure: everything that needs the tracker is resolved
//! before (storage.md §6.2).

use serde_json::{Map, Value};

use crate::domain::values;
use crate::domain::{annotations, lifecycle, links};
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::status::Statuses;

/// What becomes of one list of an item.
#[derive(Clone, Debug, Default)]
pub struct ListChange {
    /// It starts empty.
    pub clear: bool,
    /// The new entries; a `created_at` that is empty becomes the time of the change.
    pub rows: Vec<Value>,
}

/// A link to remove, and every id that its target may be stored under.
#[derive(Clone, Debug)]
pub struct Unlink {
    /// What was typed.
    pub typed: links::Typed,
    /// The ids it stands for.
    pub ids: Vec<String>,
}

/// Every change that one call makes to an item.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Fields with a single value, by key.
    pub set: Map<String, Value>,
    /// Fields that go.
    pub unset: Vec<String>,
    /// The body.
    pub body: Option<String>,
    /// The status, resolved.
    pub status: Option<String>,
    /// Tags that are added.
    pub add_tags: Vec<String>,
    /// Tags that are removed.
    pub remove_tags: Vec<String>,
    /// Acceptance criteria that are added.
    pub add_criteria: Vec<String>,
    /// Acceptance criteria that are removed.
    pub remove_criteria: Vec<String>,
    /// Lists, by key.
    pub lists: Vec<(&'static str, ListChange)>,
    /// Options of the type: set, beside those that are there unless they are cleared.
    pub type_options: Map<String, Value>,
    /// Whether the options of the type go first.
    pub clear_type_options: bool,
    /// Links that go.
    pub unlink: Vec<Unlink>,
}

impl Changes {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
            && self.unset.is_empty()
            && self.body.is_none()
            && self.status.is_none()
            && self.add_tags.is_empty()
            && self.remove_tags.is_empty()
            && self.add_criteria.is_empty()
            && self.remove_criteria.is_empty()
            && self.lists.is_empty()
            && self.type_options.is_empty()
            && !self.clear_type_options
            && self.unlink.is_empty()
    }

    /// Whether the changes may add links to other items.
    pub fn may_link(&self) -> bool {
        self.set.contains_key("parent")
            || self.set.contains_key("blocked_by")
            || self.lists.iter().any(|(key, _)| *key == "dependencies")
    }

    /// The item after the changes; `at` is the time of the change.
    ///
    /// Errors: `dependency_remove_no_match`, `acceptance_criteria_remove_unmatched`.
    pub fn apply(&self, item: &Item, statuses: &Statuses, at: &str) -> Result<Item> {
        let mut item = item.clone();
        for key in &self.unset {
            match key.as_str() {
                "tags" => {
                    item.metadata.insert("tags".to_owned(), Value::Array(Vec::new()));
                }
                _ => {
                    item.metadata.shift_remove(key);
                }
            }
        }
        if let Some(status) = &self.status {
            lifecycle::set_status(&mut item, status, statuses);
        }
        for (key, value) in &self.set {
            item.metadata.insert(key.clone(), value.clone());
        }
        if let Some(body) = &self.body {
            item.body.clone_from(body);
        }
        self.apply_tags(&mut item);
        self.apply_criteria(&mut item)?;
        for unlink in &self.unlink {
            links::remove(&mut item, &unlink.typed, &unlink.ids)?;
        }
        for (key, change) in &self.lists {
            apply_list(&mut item, key, change, at);
        }
        self.apply_type_options(&mut item);
        Ok(item)
    }

    fn apply_tags(&self, item: &mut Item) {
        if self.add_tags.is_empty() && self.remove_tags.is_empty() {
            return;
        }
        let mut tags: Vec<String> =
            item.list("tags").iter().filter_map(Value::as_str).map(|tag| tag.trim().to_lowercase()).collect();
        tags.retain(|tag| !self.remove_tags.contains(tag));
        tags.extend(self.add_tags.iter().cloned());
        item.metadata.insert("tags".to_owned(), Value::from(tags));
    }

    fn apply_criteria(&self, item: &mut Item) -> Result<()> {
        if self.add_criteria.is_empty() && self.remove_criteria.is_empty() {
            return Ok(());
        }
        let stored = item.text("acceptance_criteria").unwrap_or_default().to_owned();
        let mut criteria = values::criteria(&stored);
        for removed in &self.remove_criteria {
            let Some(place) = criteria.iter().position(|c| c == removed) else {
                return Err(Error::new(
                    Code::AcceptanceCriteriaRemoveUnmatched,
                    format!("`{}` has no acceptance criterion `{removed}`", item.id()),
                )
                .at("--remove-ac")
                .rejecting(removed)
                .fact("allowed_values", criteria.clone()));
            };
            criteria.remove(place);
        }
        for added in &self.add_criteria {
            if !criteria.contains(&added.as_str()) {
                criteria.push(added);
            }
        }
        if criteria.is_empty() {
            item.metadata.shift_remove("acceptance_criteria");
        } else {
            item.metadata.insert("acceptance_criteria".to_owned(), Value::from(criteria.join("; ")));
        }
        Ok(())
    }

    fn apply_type_options(&self, item: &mut Item) {
        if self.type_options.is_empty() && !self.clear_type_options {
            return;
        }
        let old =
            item.metadata.get("type_options").and_then(Value::as_object).filter(|_| !self.clear_type_options);
        let mut options = old.cloned().unwrap_or_default();
        options.extend(self.type_options.clone());
        if options.is_empty() {
            item.metadata.shift_remove("type_options");
        } else {
            item.metadata.insert("type_options".to_owned(), Value::Object(options));
        }
    }
}

fn apply_list(item: &mut Item, key: &str, change: &ListChange, at: &str) {
    let mut rows = change.rows.clone();
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        if row.get("created_at").is_some_and(|t| t == "") {
            row.insert("created_at".to_owned(), Value::from(at));
        }
    }
    if change.clear {
        item.metadata.shift_remove(key);
    }
    match key {
        "dependencies" => links::add(item, rows),
        "files" | "docs" => {
            let mut list = item.list(key).to_vec();
            annotations::add_paths(&mut list, rows);
            annotations::store(item, key, list);
        }
        "tests" => {
            let mut list = item.list(key).to_vec();
            annotations::add_tests(&mut list, rows);
            annotations::store(item, key, list);
        }
        _ => annotations::append(item, key, rows),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(metadata: Value) -> Item {
        Item { metadata: metadata.as_object().cloned().unwrap_or_default(), body: "old".to_owned() }
    }

    fn applied(changes: &Changes, metadata: Value) -> Value {
        let after = changes.apply(&item(metadata), &Statuses::default(), "T").expect("it applies");
        Value::Object(after.metadata)
    }

    #[test]
    fn scalars_are_set_and_unset() {
        let changes = Changes {
            set: json!({"priority": 1}).as_object().cloned().unwrap_or_default(),
            unset: vec!["deadline".to_owned(), "tags".to_owned()],
            status: Some("open".to_owned()),
            body: Some("new".to_owned()),
            ..Changes::default()
        };
        let before =
            json!({"status": "closed", "close_reason": "x", "deadline": "d", "tags": ["a"], "goal": "g"});
        assert_eq!(
            applied(&changes, before.clone()),
            json!({"status": "open", "tags": [], "goal": "g", "priority": 1})
        );
        assert_eq!(changes.apply(&item(before), &Statuses::default(), "T").expect("it applies").body, "new");
        assert!(!changes.is_empty() && Changes::default().is_empty());
    }

    #[test]
    fn tags_and_criteria_are_edited_one_by_one() {
        let changes = Changes {
            add_tags: vec!["z".to_owned()],
            remove_tags: vec!["x".to_owned()],
            add_criteria: vec!["three".to_owned(), "one".to_owned()],
            remove_criteria: vec!["two".to_owned()],
            ..Changes::default()
        };
        assert_eq!(
            applied(&changes, json!({"tags": ["X", "y"], "acceptance_criteria": "one; two"})),
            json!({"tags": ["y", "z"], "acceptance_criteria": "one; three"})
        );
        let error =
            changes.apply(&item(json!({})), &Statuses::default(), "T").expect_err("no such criterion");
        assert_eq!(error.code, Code::AcceptanceCriteriaRemoveUnmatched);
    }

    #[test]
    fn lists_grow_or_start_anew() {
        let row = json!({"created_at": "", "author": "a", "text": "n"});
        let one = |clear| Changes {
            lists: vec![("notes", ListChange { clear, rows: vec![row.clone()] })],
            type_options: json!({"b": "2"}).as_object().cloned().unwrap_or_default(),
            clear_type_options: clear,
            ..Changes::default()
        };
        let before = json!({"notes": [{"text": "o"}], "type_options": {"a": "1"}});
        assert_eq!(
            applied(&one(false), before.clone()),
            json!({"notes": [{"text": "o"}, {"created_at": "T", "author": "a", "text": "n"}], "type_options": {"a": "1", "b": "2"}})
        );
        assert_eq!(
            applied(&one(true), before),
            json!({"notes": [{"created_at": "T", "author": "a", "text": "n"}], "type_options": {"b": "2"}})
        );
    }
}
