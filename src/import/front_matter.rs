//! Markdown files with front matter, as other tools write them.

use serde_json::{Map, Value};

use crate::codec::yaml;

/// The front matter and the rest of a Markdown text; nothing where it has none.
///
/// Errors: why the front matter cannot be read.
pub(super) fn split(text: &str) -> Option<Result<(Map<String, Value>, &str), String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            return Some(read(&text[first.len()..at]).map(|map| (map, &text[at + line.len()..])));
        }
        at += line.len();
    }
    None
}

/// Some tools write values that YAML does not allow without quotes, such as `assignee: @ann`; they mean the text. And
/// hands write a key twice: the second one gets a name of its own, so that both stay.
fn read(text: &str) -> Result<Map<String, Value>, String> {
    yaml::read(text).or_else(|problem| yaml::read(&quoted(text)).map_err(|_| problem))
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    let mut keys: Vec<&str> = Vec::new();
    for line in text.lines() {
        let key = line.split(':').next().filter(|key| *key != line && !key.starts_with([' ', '-', '#']));
        if key.is_some_and(|key| keys.contains(&key)) {
            out.push_str("again-");
        }
        keys.extend(key);
        let indented = line.starts_with([' ', '-']);
        let value = if indented {
            line.split_once("- ").map(|(before, value)| (format!("{before}- "), value))
        } else {
            line.split_once(": ").map(|(key, value)| (format!("{key}: "), value))
        };
        match value {
            Some((before, value)) if needs_quotes(value.trim()) => {
                out.push_str(&before);
                out.push('\'');
                out.push_str(&value.trim().replace('\'', "''"));
                out.push('\'');
            }
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

fn needs_quotes(value: &str) -> bool {
    let closed = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    let whole = closed('"', '"') || closed('\'', '\'') || closed('[', ']') || closed('{', '}');
    !whole
        && (value.starts_with(['@', '`', '%', '*', '&', '!', '"', '\'', '[', '{'])
            || value.contains(": ")
            || value.contains(" #"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn front_matter_is_read_even_where_quotes_are_missing() {
        let (map, rest) = split("---\nid: a\nassignee: @ann\ntitle: On: off\nwho:\n  - @bob\n---\nBody\n")
            .unwrap()
            .unwrap();
        assert_eq!(
            Value::Object(map),
            json!({"id": "a", "assignee": "@ann", "title": "On: off", "who": ["@bob"]})
        );
        assert_eq!(rest, "Body\n");
        let (map, rest) = split("---\r\nid: a\r\n---\r\nBody").unwrap().unwrap();
        assert_eq!((map["id"].clone(), rest), (json!("a"), "Body"));
        let (map, _) = split("---\na: [x]\na: []\n---\n").unwrap().unwrap();
        assert_eq!(Value::Object(map), json!({"a": ["x"], "again-a": []}));
        assert!(split("# Title\n").is_none() && split("---\nid: a\n").is_none());
        assert!(split("---\nid: a\n  b: c\n---\n").unwrap().is_err());
    }
}
