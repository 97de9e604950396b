//! What the texts of an item mention: paths of files, other items.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::item::Item;

/// The longest word that is looked at as a path, in bytes.
const LONGEST: usize = 512;

/// Where a path is mentioned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mention {
    /// The fields, as `metadata.comments[3].text` or `body`, in order.
    pub fields: Vec<String>,
    /// How the path is written there, each spelling once.
    pub spellings: Vec<String>,
}

/// Calls `see` with the name and the content of every text of an item, in order, the body last.
pub fn each_text(item: &Item, see: &mut dyn FnMut(&str, &str)) {
    for (key, value) in &item.metadata {
        walk(&mut format!("metadata.{key}"), value, see);
    }
    see("body", &item.body);
}

fn walk(name: &mut String, value: &Value, see: &mut dyn FnMut(&str, &str)) {
    let end = name.len();
    match value {
        Value::String(text) => see(name, text),
        Value::Array(list) => {
            for (n, value) in list.iter().enumerate() {
                name.push_str(&format!("[{n}]"));
                walk(name, value, see);
                name.truncate(end);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                name.push('.');
                name.push_str(key);
                walk(name, value, see);
                name.truncate(end);
            }
        }
        _ => {}
    }
}

/// Everything in the texts of an item that looks like a path below the workspace, by path.
pub fn paths(item: &Item) -> BTreeMap<String, Mention> {
    let mut found: BTreeMap<String, Mention> = BTreeMap::new();
    each_text(item, &mut |field, text| {
        for word in words(text) {
            let Some(path) = path(word) else { continue };
            let mention = found.entry(path).or_default();
            if mention.fields.last().is_none_or(|last| last != field) {
                mention.fields.push(field.to_owned());
            }
            if !mention.spellings.iter().any(|known| known == word) {
                mention.spellings.push(word.to_owned());
            }
        }
    });
    found
}

/// The ids in a text: words that begin with this prefix, which is folded, and go on; folded themselves.
pub fn ids<'t>(text: &'t str, prefix: &'t str) -> impl Iterator<Item = String> + 't {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    let words = words.map(|word| word.trim_matches(['-', '_']).to_lowercase());
    words.filter(move |word| word.len() > prefix.len() && word.starts_with(prefix))
}

/// The words of a text, without what people put around paths.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let around = |c: char| {
        matches!(
            c,
            '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | '|' | '*' | '='
        )
    };
    text.split(move |c: char| c.is_whitespace() || around(c))
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .filter(|word| !word.is_empty() && word.len() <= LONGEST)
}

/// The path that a word is, normalised: below the workspace, with a folder or an extension.
fn path(word: &str) -> Option<String> {
    let path = word.replace('\\', "/");
    // A place in a file: src/a.rs:12, src/a.rs:12:3, src/a.rs#L12.
    let path = path.split('#').next().unwrap_or_default();
    let mut path = path;
    while let Some((rest, last)) = path.rsplit_once(':') {
        if !last.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            break;
        }
        path = rest;
    }
    let path = path.trim_start_matches("./");
    let outside = path.starts_with(['/', '~', '-', '@']) || path.contains("://") || path.contains(':');
    let parts: Vec<&str> = path.split('/').collect();
    let odd = parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..");
    let last = parts.last().copied().unwrap_or_default();
    let named = last.rsplit_once('.').is_some_and(|(stem, extension)| {
        (!stem.is_empty() || parts.len() > 1) && extension.bytes().any(|b| b.is_ascii_alphanumeric())
    });
    (!outside && !odd && (parts.len() > 1 || named)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_that_are_paths() {
        for (word, want) in [
            ("src/a.rs", Some("src/a.rs")),
            ("./src/a.rs:12:3", Some("src/a.rs")),
            ("src\\a.rs#L12", Some("src/a.rs")),
            ("README.md", Some("README.md")),
            (".github/workflows", Some(".github/workflows")),
            ("and/or", Some("and/or")),
            ("word", None),
            ("../secret.txt", None),
            ("/etc/passwd", None),
            ("https://x.org/a.html", None),
            ("a//b", None),
            (".", None),
        ] {
            assert_eq!(path(word).as_deref(), want, "{word}");
        }
    }

    #[test]
    fn mentions_know_where_they_stand() {
        let value =
            json!({"id": "pm-a", "title": "Split src/a.rs.", "comments": [{"text": "see (./src/a.rs:3)"}]});
        let item =
            Item { metadata: value.as_object().unwrap().clone(), body: "`docs/x.md` and docs/x.md".into() };
        let found = paths(&item);
        assert_eq!(found["src/a.rs"].fields, ["metadata.title", "metadata.comments[0].text"]);
        assert_eq!(found["src/a.rs"].spellings, ["src/a.rs", "./src/a.rs:3"]);
        assert_eq!((found["docs/x.md"].fields.len(), found.len()), (1, 2));
    }
}
