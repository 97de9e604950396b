//! What people and agents add beside the fields: comments, notes, learnings, linked files, documents and tests.
//!
//! Source: storage.md §2.4 (shapes and order), §6.2 (grammar).

use serde_json::{Map, Value, json};

use crate::codec::json as codec;
use crate::domain::entries::{self, Shape};
use crate::domain::values::{self, refusal};
use crate::error::{Code, Error, Result};
use crate::model::collation;
use crate::model::item::Item;

/// How a comment, note or learning is written.
const TEXT: Shape = Shape {
    keys: &["text", "author", "created_at"],
    aliases: &[],
    bare: Some("text"),
    prose: &["text"],
    only_with: Some("text"),
};

/// How a linked file or document is written.
const PATH: Shape = Shape {
    keys: &["path", "scope", "note"],
    aliases: &[],
    bare: Some("path"),
    prose: &["note"],
    only_with: Some("path"),
};

/// How a linked test is written.
const TEST: Shape = Shape {
    keys: &[
        "command",
        "path",
        "scope",
        "timeout_seconds",
        "pm_context_mode",
        "env_set",
        "env_clear",
        "shared_host_safe",
        "assert_stdout_contains",
        "assert_stdout_regex",
        "assert_stderr_contains",
        "assert_stderr_regex",
        "assert_stdout_min_lines",
        "assert_json_field_equals",
        "assert_json_field_gte",
        "note",
    ],
    aliases: &[("timeout", "timeout_seconds"), ("cmd", "command")],
    bare: Some("command"),
    prose: &[
        "command",
        "note",
        "assert_stdout_contains",
        "assert_stdout_regex",
        "assert_stderr_contains",
        "assert_stderr_regex",
    ],
    only_with: None,
};

/// A comment, note or learning from one value of its flag.
///
/// Errors: `invalid_argument_value` when the text is blank or a time is none.
pub fn entry(flag: &str, text: &str, author: &str, at: &str, now: i64) -> Result<Value> {
    let pairs = TEXT.read(flag, text)?;
    let named = |key| entries::value(&pairs, key);
    let created_at = named("created_at").map(|at| values::instant(flag, at, now)).transpose()?;
    // The last text counts; white space around it is a part of it.
    let text = pairs.iter().rev().find(|(key, _)| *key == "text").map_or(text, |(_, text)| text.as_str());
    check_text(flag, text)?;
    Ok(json!({
        "created_at": created_at.as_deref().unwrap_or(at),
        "author": named("author").unwrap_or(author),
        "text": text,
    }))
}

/// A comment, note or learning whose text is not looked into: from standard input or a file.
pub fn plain_entry(flag: &str, text: &str, author: &str, at: &str) -> Result<Value> {
    check_text(flag, text)?;
    Ok(json!({"created_at": at, "author": author, "text": text}))
}

/// Refuses a blank text.
pub fn check_text(flag: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(refusal(flag, text, "the text must not be empty", &[]));
    }
    Ok(())
}

/// A structured note: a JSON object, its text in sorted keys, its `type` as event type.
///
/// Errors: `structured_event_json_invalid`.
pub fn event(flag: &str, text: &str, author: &str, at: &str) -> Result<Value> {
    let invalid =
        |problem: String| Error::new(Code::StructuredEventJsonInvalid, problem).at(flag).rejecting(text);
    let data: Value = serde_json::from_str(text)
        .map_err(|error| invalid(format!("{flag} takes a JSON object: {error}")))?;
    if !data.is_object() {
        return Err(invalid(format!("{flag} takes a JSON object, not another value")));
    }
    let kind =
        data.get("type").and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    let mut entry = json!({
        "created_at": at,
        "author": author,
        "text": codec::stable(&data),
        "format": "json",
        "data": data,
    });
    if let (Some(kind), Some(object)) = (kind, entry.as_object_mut()) {
        object.insert("event_type".to_owned(), Value::from(kind));
    }
    Ok(entry)
}

/// Whether a note is structured and so cannot be edited.
pub fn is_event(entry: &Value) -> bool {
    entry.get("format").and_then(Value::as_str) == Some("json")
}

/// The place in a list that a 1-based index means.
///
/// Errors: `invalid_argument_value`.
pub fn index(flag: &str, text: &str, len: usize) -> Result<usize> {
    let number = text.trim().parse::<usize>().ok().filter(|n| (1..=len).contains(n));
    number.map(|n| n - 1).ok_or_else(|| {
        let problem = match len {
            0 => "there are no entries".to_owned(),
            1 => "there is one entry, give 1".to_owned(),
            _ => format!("give 1 to {len}"),
        };
        refusal(flag, text, problem, &[])
    })
}

/// Replaces a list of an item; an empty one goes.
pub fn store(item: &mut Item, key: &str, rows: Vec<Value>) {
    if rows.is_empty() {
        item.metadata.shift_remove(key);
    } else {
        item.metadata.insert(key.to_owned(), Value::Array(rows));
    }
}

/// Adds rows at the end of a list.
pub fn append(item: &mut Item, key: &str, rows: Vec<Value>) {
    if rows.is_empty() {
        return;
    }
    let mut list = item.list(key).to_vec();
    list.extend(rows);
    store(item, key, list);
}

/// The entry with a new text; it keeps when and by whom it was made.
pub fn edited(entry: &Value, text: &str, at: &str) -> Value {
    let mut entry = entry.as_object().cloned().unwrap_or_default();
    entry.insert("text".to_owned(), Value::from(text));
    entry.insert("edited_at".to_owned(), Value::from(at));
    Value::Object(entry)
}

/// A linked file or document from one value of its flag; `note` applies when it names none itself.
///
/// Errors: `invalid_argument_value` for a blank path or an unknown scope.
pub fn path_row(flag: &str, text: &str, note: Option<&str>) -> Result<Value> {
    let pairs = PATH.read(flag, text)?;
    let Some(path) = entries::value(&pairs, "path") else {
        return Err(refusal(flag, text, "it names no path", &[]));
    };
    let mut row = Map::new();
    row.insert("path".to_owned(), Value::from(clean_path(path)));
    row.insert("scope".to_owned(), Value::from(scope(flag, entries::value(&pairs, "scope"))?));
    if let Some(note) = entries::value(&pairs, "note").or(note) {
        row.insert("note".to_owned(), Value::from(note));
    }
    Ok(Value::Object(row))
}

/// A path with forward slashes.
pub fn clean_path(path: &str) -> String {
    path.trim().replace('\\', "/")
}

fn scope(flag: &str, text: Option<&str>) -> Result<&'static str> {
    match text.map(str::to_ascii_lowercase).as_deref() {
        None | Some("project") => Ok("project"),
        Some("global") => Ok("global"),
        Some(other) => Err(refusal(flag, other, "a scope is project or global", &["project", "global"])),
    }
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Adds linked paths: one that is there in the same scope gets the new note, if there is one, and no second row.
pub fn add_paths(list: &mut Vec<Value>, rows: Vec<Value>) {
    for row in rows {
        let same = |known: &&mut Value| {
            text(known, "path") == text(&row, "path") && text(known, "scope") == text(&row, "scope")
        };
        match list.iter_mut().find(same) {
            Some(known) => {
                if let (Some(note), Some(known)) = (row.get("note"), known.as_object_mut()) {
                    known.insert("note".to_owned(), note.clone());
                }
            }
            None => list.push(row),
        }
    }
}

/// The path that a value of `--remove` means: plain, `path=..` or `path: ..`.
///
/// Errors: `invalid_argument_value` when it is blank or names more than a path.
pub fn removed_path(flag: &str, text: &str) -> Result<String> {
    let pairs = PATH.read(flag, text)?;
    if pairs.iter().any(|(key, _)| *key != "path") {
        return Err(refusal(flag, text, "a link is removed by its path alone; say why with --message", &[]));
    }
    let path = entries::value(&pairs, "path").map(clean_path);
    path.ok_or_else(|| refusal(flag, text, "it names no path", &[]))
}

/// Sorts linked paths by scope, path and note.
pub fn sort_paths(list: &mut [Value]) {
    list.sort_by(|a, b| {
        let by = |key| collation::compare(text(a, key), text(b, key));
        by("scope").then_with(|| by("path")).then_with(|| by("note"))
    });
}

/// A change of path prefixes: `from=<prefix>,to=<prefix>`.
pub fn migration(flag: &str, text: &str) -> Result<(String, String)> {
    const SHAPE: Shape =
        Shape { keys: &["from", "to"], aliases: &[], bare: None, prose: &[], only_with: None };
    let pairs = SHAPE.read(flag, text)?;
    match (entries::value(&pairs, "from"), entries::value(&pairs, "to")) {
        (Some(from), Some(to)) => Ok((clean_path(from), clean_path(to))),
        _ => Err(refusal(flag, text, "write from=<prefix>,to=<prefix>", &[])),
    }
}

/// A pattern for many paths, and what their rows say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// The pattern.
    pub glob: String,
    /// `project` or `global`.
    pub scope: &'static str,
    /// The note.
    pub note: Option<String>,
}

/// A value of `--add-glob`: a plain pattern, or `pattern=<glob>,scope=<scope>,note=<text>`.
///
/// Errors: `invalid_argument_value` when there is no pattern.
pub fn glob(text: &str) -> Result<Glob> {
    const SHAPE: Shape = Shape {
        keys: &["pattern", "scope", "note"],
        aliases: &[("glob", "pattern"), ("path", "pattern")],
        bare: Some("pattern"),
        prose: &["note"],
        only_with: Some("pattern"),
    };
    let pairs = SHAPE.read("--add-glob", text)?;
    let Some(pattern) = entries::value(&pairs, "pattern") else {
        return Err(refusal("--add-glob", text, "it names no pattern", &[]));
    };
    Ok(Glob {
        glob: clean_path(pattern),
        scope: scope("--add-glob", entries::value(&pairs, "scope"))?,
        note: entries::value(&pairs, "note").map(str::to_owned),
    })
}

/// Moves the paths below one prefix to another.
pub fn migrate(list: &mut Vec<Value>, from: &str, to: &str) {
    let mut moved = Vec::new();
    for mut row in std::mem::take(list) {
        let path = text(&row, "path");
        let rest =
            path.strip_prefix(from).filter(|r| r.is_empty() || r.starts_with('/') || from.ends_with('/'));
        let new = rest.map(|rest| format!("{to}{rest}"));
        if let (Some(new), Some(row)) = (new, row.as_object_mut()) {
            row.insert("path".to_owned(), Value::from(new));
        }
        add_paths(&mut moved, vec![row]);
    }
    *list = moved;
}

/// A linked test from one value of its flag.
///
/// Errors: `invalid_argument_value` when there is neither command nor path, or a value is outside its domain.
pub fn test_row(flag: &str, text: &str) -> Result<Value> {
    let pairs = TEST.read(flag, text)?;
    let mut given = Map::new();
    for (key, value) in &pairs {
        given.insert((*key).to_owned(), Value::from(value.trim()));
    }
    test_from(flag, text, &given)
}

/// Linked tests from a JSON object or a list of them.
pub fn tests_from_json(flag: &str, text: &str) -> Result<Vec<Value>> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        refusal(flag, text, format!("give a JSON object or a list of them ({error})"), &[])
    })?;
    let rows = match value {
        Value::Array(rows) => rows,
        one => vec![one],
    };
    rows.iter()
        .map(|row| match row.as_object() {
            Some(row) => test_from(flag, text, row),
            None => Err(refusal(flag, text, "give a JSON object or a list of them", &[])),
        })
        .collect()
}

/// The stored row of a test, keys in their order, values in their domain.
fn test_from(flag: &str, whole: &str, given: &Map<String, Value>) -> Result<Value> {
    if let Some(unknown) = given.keys().find(|key| !TEST.keys.contains(&key.as_str())) {
        return Err(refusal(flag, whole, format!("there is no key `{unknown}`"), TEST.keys));
    }
    let mut row = Map::new();
    for key in TEST.keys {
        let value = match given.get(*key) {
            None | Some(Value::Null) if *key == "scope" => Value::from("project"),
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) if text.trim().is_empty() => continue,
            Some(value) => test_value(flag, key, value)?,
        };
        row.insert((*key).to_owned(), value);
    }
    if !row.contains_key("command") && !row.contains_key("path") {
        return Err(refusal(flag, whole, "a test has a command or a path", &[]));
    }
    Ok(Value::Object(row))
}

fn test_value(flag: &str, key: &str, value: &Value) -> Result<Value> {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let number = |least| values::whole(flag, &shown, least).map(Value::from);
    Ok(match key {
        "path" => Value::from(clean_path(&shown)),
        "scope" => Value::from(scope(flag, Some(&shown))?),
        "timeout_seconds" => match number(0)? {
            zero if zero == 0 => return Err(refusal(flag, &shown, "a timeout is 1 second or more", &[])),
            seconds => seconds,
        },
        "assert_stdout_min_lines" => number(0)?,
        "pm_context_mode" => {
            let modes = ["schema", "tracker", "auto"];
            let mode = modes.iter().find(|mode| mode.eq_ignore_ascii_case(shown.trim()));
            Value::from(
                *mode.ok_or_else(|| refusal(flag, &shown, "a mode is schema, tracker or auto", &modes))?,
            )
        }
        "shared_host_safe" => Value::from(values::boolean(flag, &shown)?),
        "env_set" | "assert_json_field_equals" | "assert_json_field_gte" => match value {
            Value::Object(_) => value.clone(),
            _ => Value::Object(assignments(flag, &shown, key != "env_set")?),
        },
        "env_clear"
        | "assert_stdout_contains"
        | "assert_stdout_regex"
        | "assert_stderr_contains"
        | "assert_stderr_regex" => match value {
            Value::Array(_) => value.clone(),
            _ if key == "env_clear" => Value::from(
                shown.split([';', '|']).map(str::trim).filter(|n| !n.is_empty()).collect::<Vec<_>>(),
            ),
            _ => json!([shown]),
        },
        _ => Value::from(shown),
    })
}

/// `NAME=value;NAME=value`; values are JSON where that is asked for and they are.
fn assignments(flag: &str, text: &str, typed: bool) -> Result<Map<String, Value>> {
    let mut map = Map::new();
    for pair in text.split([';', '|']).map(str::trim).filter(|pair| !pair.is_empty()) {
        let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
            return Err(refusal(flag, text, "write <name>=<value>;<name>=<value>", &[]));
        };
        let value = value.trim();
        let json = typed.then(|| serde_json::from_str(value).ok()).flatten();
        map.insert(name.trim().to_owned(), json.unwrap_or_else(|| Value::from(value)));
    }
    Ok(map)
}

/// Adds linked tests; one with the same command, path and scope is replaced.
pub fn add_tests(list: &mut Vec<Value>, rows: Vec<Value>) {
    let same = |a: &Value, b: &Value| ["command", "path", "scope"].iter().all(|key| a.get(key) == b.get(key));
    for row in rows {
        match list.iter_mut().find(|known| same(known, &row)) {
            Some(known) => *known = row,
            None => list.push(row),
        }
    }
}

/// Removes the tests whose command or path is this: plain, `command=..` or `path=..`, taken as a whole.
///
/// Errors: `linked_test_remove_no_match`.
pub fn remove_test(list: &mut Vec<Value>, flag: &str, wanted: &str) -> Result<()> {
    let (keys, exact): (&[&str], &str) = match wanted.split_once('=') {
        Some(("command", rest)) => (&["command"], rest),
        Some(("path", rest)) => (&["path"], rest),
        _ => (&["command", "path"], wanted),
    };
    let before = list.len();
    list.retain(|row| {
        !keys.iter().any(|key| row.get(key).is_some() && text(row, key).trim() == exact.trim())
    });
    if list.len() == before {
        return Err(Error::new(
            Code::LinkedTestRemoveNoMatch,
            format!("no linked test is `{}`", exact.trim()),
        )
        .at(flag)
        .rejecting(wanted));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "2026-03-01T00:00:00.000Z";

    #[test]
    fn texts_are_kept_as_they_are() {
        for text in ["plain", " spaces kept \n", "a, b=c", "key: value", "author=bo", "- list"] {
            let made = entry("--add", text, "ann", AT, 0).expect(text);
            assert_eq!(made, json!({"created_at": AT, "author": "ann", "text": text}));
        }
        let named = entry("--add", "author=bo,text=hello, you", "ann", AT, 0).expect("legal");
        assert_eq!(named, json!({"created_at": AT, "author": "bo", "text": "hello, you"}));
        assert!(entry("--add", " \n", "ann", AT, 0).is_err());
        assert!(entry("--add", "text=", "ann", AT, 0).is_err());
    }

    #[test]
    fn an_index_is_one_based() {
        assert_eq!(index("--edit", "2", 2).expect("there"), 1);
        for text in ["0", "3", "-1", "x", ""] {
            assert!(index("--edit", text, 2).is_err(), "{text}");
        }
    }

    #[test]
    fn paths_are_added_once_and_moved() {
        let row = |text: &str| path_row("--add", text, None).expect(text);
        let mut list = vec![row("src\\b.rs")];
        add_paths(
            &mut list,
            vec![row("path=src/b.rs,note=why, really"), row("src/a.rs"), row("path=src/b.rs,scope=global")],
        );
        assert_eq!(
            Value::from(list.clone()),
            json!([{"path": "src/b.rs", "scope": "project", "note": "why, really"}, {"path": "src/a.rs", "scope": "project"},
                {"path": "src/b.rs", "scope": "global"}])
        );
        let (from, to) = migration("--migrate", "from=src,to=lib").expect("legal");
        migrate(&mut list, &from, &to);
        assert_eq!(
            list.iter().map(|r| text(r, "path")).collect::<Vec<_>>(),
            ["lib/b.rs", "lib/a.rs", "lib/b.rs"]
        );
        assert!(path_row("--add", "path=a,scope=wide", None).is_err());
        assert!(path_row("--add", " ", None).is_err());
        assert_eq!(removed_path("--remove", "path=a b").expect("legal"), "a b");
        assert!(removed_path("--remove", "path=a,note=x").is_err());
    }

    #[test]
    fn tests_hold_what_their_values_may_be() {
        let row = test_row("--add", "command=cargo test -p a,timeout_seconds=60,env_set=A=1;B=2,note=n")
            .expect("legal");
        assert_eq!(
            serde_json::to_string(&row).expect("json"),
            r#"{"command":"cargo test -p a","scope":"project","timeout_seconds":60,"env_set":{"A":"1","B":"2"},"note":"n"}"#
        );
        for wrong in
            ["note=x", "command=a,timeout_seconds=soon", "command=a,timeout_seconds=0", "command=a,scope=x"]
        {
            assert!(test_row("--add", wrong).is_err(), "{wrong}");
        }
        let json =
            tests_from_json("--add-json", r#"[{"command":"a","assert_json_field_equals":{"ok":true}}]"#)
                .expect("legal");
        assert_eq!(json[0]["assert_json_field_equals"], json!({"ok": true}));
        assert!(tests_from_json("--add-json", r#"{"wibble":1,"command":"a"}"#).is_err());
        let mut list = vec![row, test_row("--add", "false").expect("a bare value is a command")];
        remove_test(&mut list, "--remove", "false").expect("there");
        remove_test(&mut list, "--remove", "command=cargo test -p a").expect("there");
        assert!(list.is_empty());
        assert!(remove_test(&mut list, "--remove", "false").is_err());
    }
}
