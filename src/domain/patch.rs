//! RFC 6902 patches: made in the reference's order, applied strictly.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::codec::json::same;
use crate::model::canonical;
use crate::model::item::Item;

/// Why a patch does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op} {path}: {problem}")]
pub struct PatchError {
    /// The operation.
    pub op: String,
    /// Its path.
    pub path: String,
    /// What is wrong.
    pub problem: String,
}

/// The deepest nesting that a patch may build; a document beyond it could not be walked safely.
pub const MAX_DEPTH: usize = 256;

/// The operations that turn `before` into `after`, in the order of the reference (storage.md §4.1): per object the
/// old keys backwards, then the new ones forwards; lists index by index.
pub fn diff(before: &Value, after: &Value) -> Vec<Value> {
    let mut diff = Diff { path: String::new(), ops: Vec::new() };
    diff.values(before, after);
    diff.ops
}

/// The operations that turn one item into another; `None` is the item before `create` and after `delete`.
pub fn diff_items(before: Option<&Item>, after: Option<&Item>) -> Vec<Value> {
    let none = Item::default();
    let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
    let mut diff = Diff { path: String::new(), ops: Vec::new() };
    if before.body != after.body {
        diff.ops.push(json!({"op": "replace", "path": "/body", "value": after.body}));
    }
    diff.path.push_str("/metadata");
    diff.metadata(&before.metadata, &after.metadata);
    diff.ops
}

struct Diff {
    path: String,
    ops: Vec<Value>,
}

impl Diff {
    fn values(&mut self, before: &Value, after: &Value) {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => self.objects(before, after),
            (Value::Array(before), Value::Array(after)) => self.lists(before, after),
            _ if same(before, after) => {}
            _ => self.ops.push(json!({"op": "replace", "path": self.path, "value": after})),
        }
    }

    fn objects(&mut self, before: &Map<String, Value>, after: &Map<String, Value>) {
        self.records(before, after, &[]);
    }

    /// Objects that have all of `members` for the reference: one that is absent is set where it would be replaced.
    fn records(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, members: &[&str]) {
        let others = before.keys().map(String::as_str).filter(|key| !members.contains(key));
        for key in members.iter().copied().chain(others).collect::<Vec<_>>().into_iter().rev() {
            self.below(key, |diff| match (before.get(key), after.get(key)) {
                (Some(old), Some(new)) => diff.values(old, new),
                (Some(_), None) => diff.ops.push(json!({"op": "remove", "path": diff.path})),
                (None, Some(new)) => diff.add(new),
                (None, None) => {}
            });
        }
        for (key, new) in after {
            if !before.contains_key(key) && !members.contains(&key.as_str()) {
                self.below(key, |diff| diff.add(new));
            }
        }
    }

    fn metadata(&mut self, before: &Map<String, Value>, after: &Map<String, Value>) {
        for (key, old) in before.iter().rev() {
            self.below(key, |diff| match (old, after.get(key)) {
                (Value::Array(old), Some(Value::Array(new))) => {
                    diff.rows(old, new, canonical::row_members(key))
                }
                (old, Some(new)) => diff.values(old, new),
                (_, None) => diff.ops.push(json!({"op": "remove", "path": diff.path})),
            });
        }
        for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
            self.below(key, |diff| diff.add(new));
        }
    }

    fn add(&mut self, value: &Value) {
        self.ops.push(json!({"op": "add", "path": self.path, "value": value}));
    }

    fn lists(&mut self, before: &[Value], after: &[Value]) {
        self.rows(before, after, &[]);
    }

    /// Lists whose entries the reference keeps as records with all of these members, present or not.
    fn rows(&mut self, before: &[Value], after: &[Value], members: &[&str]) {
        for (index, old) in before.iter().enumerate().rev() {
            self.below(&index.to_string(), |diff| match (after.get(index), old) {
                (Some(Value::Object(new)), Value::Object(old)) => diff.records(old, new, members),
                (Some(new), _) => diff.values(old, new),
                (None, _) => diff.ops.push(json!({"op": "remove", "path": diff.path})),
            });
        }
        for (index, new) in after.iter().enumerate().skip(before.len()) {
            self.below(&index.to_string(), |diff| diff.add(new));
        }
    }

    fn below(&mut self, key: &str, within: impl FnOnce(&mut Diff)) {
        let length = self.path.len();
        self.path.push('/');
        for c in key.chars() {
            match c {
                '~' => self.path.push_str("~0"),
                '/' => self.path.push_str("~1"),
                c => self.path.push(c),
            }
        }
        within(self);
        self.path.truncate(length);
    }
}

/// Applies a patch with every check of RFC 6902. The document is in an undefined state after an error.
///
/// Errors: a path that does not exist, an index that is none, a failed test, an unknown operation, nesting beyond
/// [`MAX_DEPTH`].
pub fn apply(document: &mut Value, patch: &[Value]) -> Result<(), PatchError> {
    for op in patch {
        let op = Operation::read(op)?;
        op.apply(document).map_err(|problem| op.failed(problem))?;
    }
    Ok(())
}

/// One operation, its paths taken apart.
pub(crate) struct Operation<'a> {
    name: &'a str,
    text: &'a str,
    path: Path<'a>,
    from: Option<Path<'a>>,
    value: Option<&'a Value>,
}

/// The segments of a JSON pointer.
pub(crate) type Path<'a> = Vec<Cow<'a, str>>;

type Problem = &'static str;

impl<'a> Operation<'a> {
    pub(crate) fn read(op: &'a Value) -> Result<Operation<'a>, PatchError> {
        let text = |key| op.get(key).and_then(Value::as_str);
        let (name, path) = (text("op").unwrap_or_default(), text("path").unwrap_or_default());
        let refused = |problem: Problem| PatchError {
            op: name.to_owned(),
            path: path.to_owned(),
            problem: problem.to_owned(),
        };
        if text("op").is_none() || text("path").is_none() {
            return Err(refused("lacks `op` or `path`"));
        }
        let from = match name {
            "move" | "copy" => {
                Some(pointer(text("from").ok_or_else(|| refused("lacks `from`"))?).map_err(refused)?)
            }
            "add" | "remove" | "replace" | "test" => None,
            _ => return Err(refused("is no operation")),
        };
        let value = op.get("value");
        if value.is_none() && matches!(name, "add" | "replace" | "test") {
            return Err(refused("lacks `value`"));
        }
        Ok(Operation { name, text: path, path: pointer(path).map_err(refused)?, from, value })
    }

    /// The paths that the operation touches.
    pub(crate) fn paths_mut(&mut self) -> impl Iterator<Item = &mut Path<'a>> {
        std::iter::once(&mut self.path).chain(self.from.as_mut())
    }

    pub(crate) fn failed(&self, problem: Problem) -> PatchError {
        PatchError { op: self.name.to_owned(), path: self.text.to_owned(), problem: problem.to_owned() }
    }

    /// Bytes that a copy adds to a document; everything else adds what it carries.
    pub(crate) fn copied(&self, document: &Value) -> usize {
        match (self.name, &self.from) {
            ("copy", Some(from)) => find(document, from).map_or(0, weight),
            _ => 0,
        }
    }

    pub(crate) fn apply(&self, document: &mut Value) -> Result<(), Problem> {
        match (self.name, self.value, &self.from) {
            ("add", Some(value), _) => add(document, &self.path, value.clone()),
            ("replace", Some(value), _) => {
                within_depth(&self.path, value)?;
                *find_mut(document, &self.path)? = value.clone();
                Ok(())
            }
            ("remove", ..) => remove(document, &self.path).map(drop),
            ("test", Some(value), _) if same(find(document, &self.path)?, value) => Ok(()),
            ("test", ..) => Err("the value differs"),
            ("copy", _, Some(from)) => {
                let value = find(document, from)?.clone();
                add(document, &self.path, value)
            }
            ("move", _, Some(from)) => {
                if from.len() < self.path.len() && self.path.starts_with(from) {
                    return Err("a value cannot move into itself");
                }
                let value = remove(document, from)?;
                add(document, &self.path, value)
            }
            _ => Err("is no operation"),
        }
    }
}

/// Takes a JSON pointer apart.
fn pointer(text: &str) -> Result<Path<'_>, Problem> {
    let Some(rest) = text.strip_prefix('/') else {
        return if text.is_empty() { Ok(Vec::new()) } else { Err("the path does not begin with `/`") };
    };
    Ok(rest.split('/').map(unescaped).collect())
}

fn unescaped(segment: &str) -> Cow<'_, str> {
    if segment.contains('~') { segment.replace("~1", "/").replace("~0", "~").into() } else { segment.into() }
}

const MISSING: Problem = "there is nothing at this path";
const TOO_DEEP: Problem = "nests too deep";

/// A list index: digits only.
fn index(segment: &str) -> Option<usize> {
    if segment.bytes().all(|b| b.is_ascii_digit()) { segment.parse().ok() } else { None }
}

fn find<'v>(document: &'v Value, path: &[Cow<'_, str>]) -> Result<&'v Value, Problem> {
    path.iter().try_fold(document, |value, segment| match value {
        Value::Object(members) => members.get(segment.as_ref()).ok_or(MISSING),
        Value::Array(list) => index(segment).and_then(|i| list.get(i)).ok_or(MISSING),
        _ => Err(MISSING),
    })
}

fn find_mut<'v>(document: &'v mut Value, path: &[Cow<'_, str>]) -> Result<&'v mut Value, Problem> {
    path.iter().try_fold(document, |value, segment| match value {
        Value::Object(members) => members.get_mut(segment.as_ref()).ok_or(MISSING),
        Value::Array(list) => index(segment).and_then(|i| list.get_mut(i)).ok_or(MISSING),
        _ => Err(MISSING),
    })
}

fn add(document: &mut Value, path: &[Cow<'_, str>], value: Value) -> Result<(), Problem> {
    within_depth(path, &value)?;
    let Some((last, parents)) = path.split_last() else {
        *document = value;
        return Ok(());
    };
    match find_mut(document, parents)? {
        Value::Object(members) => {
            members.insert(last.clone().into_owned(), value);
        }
        Value::Array(list) if last == "-" => list.push(value),
        Value::Array(list) => match index(last) {
            Some(i) if i <= list.len() => list.insert(i, value),
            _ => return Err("the index is past the end of the list"),
        },
        _ => return Err(MISSING),
    }
    Ok(())
}

fn remove(document: &mut Value, path: &[Cow<'_, str>]) -> Result<Value, Problem> {
    let Some((last, parents)) = path.split_last() else { return Ok(document.take()) };
    match find_mut(document, parents)? {
        Value::Object(members) => members.shift_remove(last.as_ref()).ok_or(MISSING),
        Value::Array(list) => match index(last) {
            Some(i) if i < list.len() => Ok(list.remove(i)),
            _ => Err(MISSING),
        },
        _ => Err(MISSING),
    }
}

fn within_depth(path: &[Cow<'_, str>], value: &Value) -> Result<(), Problem> {
    match MAX_DEPTH.checked_sub(path.len()) {
        Some(left) if fits(value, left) => Ok(()),
        _ => Err(TOO_DEEP),
    }
}

fn fits(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(list) => left > 0 && list.iter().all(|v| fits(v, left - 1)),
        Value::Object(members) => left > 0 && members.values().all(|v| fits(v, left - 1)),
        _ => true,
    }
}

/// About how many bytes a value takes.
fn weight(value: &Value) -> usize {
    16 + match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(weight).sum(),
        Value::Object(members) => members.iter().map(|(key, v)| key.len() + weight(v)).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applied(document: Value, patch: Value) -> Result<Value, String> {
        let mut document = document;
        apply(&mut document, patch.as_array().unwrap()).map_err(|e| e.to_string())?;
        Ok(document)
    }

    #[test]
    fn diff_is_in_the_reference_order() {
        let before = json!({"metadata": {"a": 1, "b": [1, 2, 3], "c": {"x": 1}, "d": "t"}, "body": "old"});
        let after = json!({"metadata": {"a": 2, "b": [1, 9], "c": {"y/~": 1}, "e": null}, "body": "new"});
        let expected = json!([
            {"op": "replace", "path": "/body", "value": "new"},
            {"op": "remove", "path": "/metadata/d"},
            {"op": "remove", "path": "/metadata/c/x"},
            {"op": "add", "path": "/metadata/c/y~1~0", "value": 1},
            {"op": "remove", "path": "/metadata/b/2"},
            {"op": "replace", "path": "/metadata/b/1", "value": 9},
            {"op": "replace", "path": "/metadata/a", "value": 2},
            {"op": "add", "path": "/metadata/e", "value": null},
        ]);
        assert_eq!(Value::Array(diff(&before, &after)), expected);
        assert_eq!(diff(&json!([1]), &json!({"0": 1})).len(), 1);
        assert_eq!(diff(&json!(1), &json!(1.0)).len(), 0);
    }

    #[test]
    fn members_of_rows_are_set_where_they_would_be_replaced() {
        let item = |row: Value| {
            let metadata = json!({ "dependencies": [row.clone()], "custom": [row] });
            Item { metadata: serde_json::from_value(metadata).unwrap(), body: String::new() }
        };
        let before = item(json!({"id": "a", "kind": "blocks", "created_at": "x"}));
        let after = item(json!({"id": "b", "kind": "blocks", "created_at": "x", "author": "me"}));
        let expected = json!([
            {"op": "replace", "path": "/metadata/custom/0/id", "value": "b"},
            {"op": "add", "path": "/metadata/custom/0/author", "value": "me"},
            {"op": "add", "path": "/metadata/dependencies/0/author", "value": "me"},
            {"op": "replace", "path": "/metadata/dependencies/0/id", "value": "b"},
        ]);
        assert_eq!(Value::Array(diff_items(Some(&before), Some(&after))), expected);
    }

    #[test]
    fn operations_are_strict() {
        let base = json!({"a": {"b": [1, 2]}, "c": 3});
        for (patch, expected) in [
            (
                json!([{"op": "add", "path": "/a/b/-", "value": 3}]),
                Ok(json!({"a": {"b": [1, 2, 3]}, "c": 3})),
            ),
            (
                json!([{"op": "add", "path": "/a/b/2", "value": 3}]),
                Ok(json!({"a": {"b": [1, 2, 3]}, "c": 3})),
            ),
            (
                json!([{"op": "add", "path": "/a/b/0", "value": 0}]),
                Ok(json!({"a": {"b": [0, 1, 2]}, "c": 3})),
            ),
            (json!([{"op": "add", "path": "/a/b/3", "value": 3}]), Err("past the end")),
            (json!([{"op": "add", "path": "/x/y", "value": 3}]), Err("nothing at this path")),
            (json!([{"op": "replace", "path": "/a/b/-", "value": 3}]), Err("nothing at this path")),
            (json!([{"op": "replace", "path": "/d", "value": 3}]), Err("nothing at this path")),
            (json!([{"op": "remove", "path": "/a/b/2"}]), Err("nothing at this path")),
            (json!([{"op": "remove", "path": "/a/b/0"}]), Ok(json!({"a": {"b": [2]}, "c": 3}))),
            (json!([{"op": "move", "from": "/c", "path": "/a/c"}]), Ok(json!({"a": {"b": [1, 2], "c": 3}}))),
            (json!([{"op": "move", "from": "/a", "path": "/a/b"}]), Err("into itself")),
            (
                json!([{"op": "copy", "from": "/a/b/1", "path": "/c"}]),
                Ok(json!({"a": {"b": [1, 2]}, "c": 2})),
            ),
            (json!([{"op": "test", "path": "/c", "value": 3.0}]), Ok(base.clone())),
            (json!([{"op": "test", "path": "/c", "value": "3"}]), Err("differs")),
            (json!([{"op": "add", "path": "", "value": [1]}]), Ok(json!([1]))),
            (json!([{"op": "add", "path": "c", "value": 1}]), Err("begin with")),
            (json!([{"op": "add", "path": "/c"}]), Err("lacks `value`")),
            (json!([{"op": "swap", "path": "/c"}]), Err("no operation")),
        ] {
            match (applied(base.clone(), patch.clone()), expected) {
                (Ok(made), Ok(expected)) => assert_eq!(made, expected, "{patch}"),
                (Err(told), Err(expected)) => assert!(told.contains(expected), "{patch}: {told}"),
                (made, _) => panic!("{patch}: {made:?}"),
            }
        }
    }

    #[test]
    fn nesting_is_bounded_across_patches() {
        let mut document = json!({"a": {}});
        let deeper = json!([{"op": "copy", "from": "/a", "path": "/a/a"}]);
        let refused = (0..1000).find_map(|_| apply(&mut document, deeper.as_array().unwrap()).err());
        assert!(refused.is_some());
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3i64..4).prop_map(Value::from),
            "[a/~é]{0,3}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[ab/~0]{0,2}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_diff_applies(before in values(), after in values()) {
            let mut document = before.clone();
            apply(&mut document, &diff(&before, &after)).unwrap();
            prop_assert_eq!(document, after);
        }
    }
}
