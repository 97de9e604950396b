//! The small grammar of repeatable flags: a bare value, `key=value` pairs separated by commas, or `key: value` lines.

use serde_json::{Map, Value};

use crate::domain::values::refusal;
use crate::error::Result;

/// How an entry of one kind is written.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The keys it knows, the stored spelling.
    pub keys: &'static [&'static str],
    /// Other spellings of keys.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The key that a bare value fills.
    pub bare: Option<&'static str>,
    /// Keys whose values are free text: what follows a comma and is no known key belongs to them.
    pub prose: &'static [&'static str],
    /// Pairs are only read when this key is among them; any other text is a bare value.
    pub only_with: Option<&'static str>,
}

impl Shape {
    fn key(&self, written: &str) -> Option<&'static str> {
        let written = written.trim().to_ascii_lowercase().replace('-', "_");
        let stored = self.aliases.iter().find(|(alias, _)| *alias == written).map(|(_, key)| *key);
        stored.or_else(|| self.keys.iter().find(|key| **key == written).copied())
    }

    /// Reads one value of the flag: key and text, in the order written.
    ///
    /// Errors: `invalid_argument_value` for an unknown key, or for a bare value where there is none.
    pub fn read(&self, flag: &str, text: &str) -> Result<Vec<(&'static str, String)>> {
        let pairs = match self.lines(text) {
            Some(pairs) => Some(pairs),
            None => self.commas(flag, text)?,
        };
        if let Some(pairs) = pairs
            && self.only_with.is_none_or(|key| pairs.iter().any(|(found, _)| *found == key))
        {
            return Ok(pairs);
        }
        match self.bare {
            Some(key) => Ok(vec![(key, text.to_owned())]),
            None => Err(refusal(flag, text, format!("write {}", self.pattern()), &[])),
        }
    }

    /// How it is written, for a sentence: `at=<..>,text=<..>`.
    fn pattern(&self) -> String {
        self.keys.iter().take(3).map(|key| format!("{key}=<{key}>")).collect::<Vec<_>>().join(",")
    }

    /// `key: value` lines, with or without a list mark; a line without a key goes on with the value before it.
    fn lines(&self, text: &str) -> Option<Vec<(&'static str, String)>> {
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        for line in text.lines() {
            let line = line.trim_end();
            let bullet = line.trim_start();
            let bullet = bullet.strip_prefix("- ").or_else(|| bullet.strip_prefix("* ")).unwrap_or(bullet);
            match bullet.split_once(':').and_then(|(key, value)| Some((self.key(key)?, value))) {
                Some((key, value)) => pairs.push((key, value.trim().to_owned())),
                None if pairs.is_empty() && line.is_empty() => {}
                None => {
                    let (_, value) = pairs.last_mut()?;
                    value.push('\n');
                    value.push_str(line);
                }
            }
        }
        (!pairs.is_empty()).then_some(pairs)
    }

    /// `key=value,key=value`; `None` when the text does not begin with a known key.
    fn commas(&self, flag: &str, text: &str) -> Result<Option<Vec<(&'static str, String)>>> {
        let mut pairs: Vec<(&'static str, String)> = Vec::new();
        for segment in segments(text) {
            let split = segment.split_once('=');
            if let Some((key, value)) = split.and_then(|(key, value)| Some((self.key(key)?, value))) {
                pairs.push((key, value.to_owned()));
                continue;
            }
            let Some((last, value)) = pairs.last_mut() else { return Ok(None) };
            match split {
                Some((key, _)) if is_word(key) && !self.prose.contains(last) => {
                    return Err(refusal(flag, text, format!("there is no key `{}`", key.trim()), self.keys));
                }
                _ => {
                    value.push(',');
                    value.push_str(segment);
                }
            }
        }
        Ok(Some(pairs.into_iter().map(|(key, value)| (key, unquoted(value.trim()))).collect()))
    }
}

fn is_word(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The parts between commas that are not inside double quotes.
fn segments(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    text.split(move |c| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' => return !quoted,
            _ => {}
        }
        false
    })
}

/// The text inside double quotes when it is one quoted string as a whole; else the text itself.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return text.to_owned(),
            '\\' => match chars.next() {
                Some(next @ ('"' | '\\')) => out.push(next),
                Some(next) => out.extend(['\\', next]),
                None => return text.to_owned(),
            },
            _ => out.push(c),
        }
    }
    out
}

/// The value of a key, when it is given and not blank.
pub fn value<'a>(pairs: &'a [(&'static str, String)], key: &str) -> Option<&'a str> {
    pairs
        .iter()
        .rev()
        .find(|(found, _)| *found == key)
        .map(|(_, value)| value.trim())
        .filter(|v| !v.is_empty())
}

/// The options of a type: `key=value`, `key: value`, or `key=<name>,value=<value>`.
pub fn type_options(flag: &str, texts: &[String]) -> Result<Map<String, Value>> {
    const NAMED: Shape = Shape {
        keys: &["key", "value"],
        aliases: &[],
        bare: None,
        prose: &["value"],
        only_with: Some("value"),
    };
    let mut options = Map::new();
    for text in texts {
        if let Ok(pairs) = NAMED.read(flag, text)
            && let (Some(key), Some(value)) = (value(&pairs, "key"), value(&pairs, "value"))
        {
            options.insert(key.to_owned(), Value::from(value));
            continue;
        }
        let mut any = false;
        for line in
            text.split(['\n', ',']).map(|l| l.trim().trim_start_matches("- ")).filter(|l| !l.is_empty())
        {
            let split = line.split_once('=').or_else(|| line.split_once(':'));
            let Some((key, value)) = split.map(|(k, v)| (k.trim(), v.trim())).filter(|(k, _)| !k.is_empty())
            else {
                return Err(refusal(flag, text, "write <key>=<value>", &[]));
            };
            options.insert(key.to_owned(), Value::from(value));
            any = true;
        }
        if !any {
            return Err(refusal(flag, text, "write <key>=<value>", &[]));
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Shape = Shape {
        keys: &["id", "kind", "author"],
        aliases: &[("type", "kind")],
        bare: Some("id"),
        prose: &[],
        only_with: None,
    };
    const TEXT: Shape = Shape {
        keys: &["author", "created_at", "text"],
        aliases: &[],
        bare: Some("text"),
        prose: &["text"],
        only_with: Some("text"),
    };
    const TEST: Shape = Shape {
        keys: &["command", "path", "timeout_seconds", "note"],
        aliases: &[],
        bare: None,
        prose: &["command", "note"],
        only_with: None,
    };

    fn read(shape: Shape, text: &str) -> Vec<(&'static str, String)> {
        shape.read("--x", text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn pairs(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        list.iter().map(|(k, v)| (*k, (*v).to_owned())).collect()
    }

    #[test]
    fn every_way_to_write_an_entry() {
        for (shape, text, want) in [
            (LINK, "pm-a", pairs(&[("id", "pm-a")])),
            (LINK, "id=pm-a,kind=blocks", pairs(&[("id", "pm-a"), ("kind", "blocks")])),
            (LINK, "ID = pm-a , Type = blocks", pairs(&[("id", "pm-a"), ("kind", "blocks")])),
            (LINK, "id: pm-a\nkind: blocks\n", pairs(&[("id", "pm-a"), ("kind", "blocks")])),
            (LINK, "- id: pm-a\n- kind: blocks", pairs(&[("id", "pm-a"), ("kind", "blocks")])),
            (TEXT, "plain, with a comma", pairs(&[("text", "plain, with a comma")])),
            (TEXT, "author=bo, what about it", pairs(&[("text", "author=bo, what about it")])),
            (TEXT, "author=bo,text=a, b=c", pairs(&[("author", "bo"), ("text", "a, b=c")])),
            (TEXT, "text: two\nlines", pairs(&[("text", "two\nlines")])),
            (TEXT, " as typed ", pairs(&[("text", " as typed ")])),
            (
                TEST,
                "command=a b --x=1,2,timeout_seconds=5",
                pairs(&[("command", "a b --x=1,2"), ("timeout_seconds", "5")]),
            ),
            (TEST, r#"command="a, note=b",note=c"#, pairs(&[("command", "a, note=b"), ("note", "c")])),
            (TEST, r#"command=echo "a,path=b" c"#, pairs(&[("command", r#"echo "a,path=b" c"#)])),
            (TEST, r#"command="a" && "b""#, pairs(&[("command", r#""a" && "b""#)])),
            (TEST, r#"command="say \"hi\"""#, pairs(&[("command", r#"say "hi""#)])),
        ] {
            assert_eq!(read(shape, text), want, "{text}");
        }
    }

    #[test]
    fn unknown_keys_and_bare_values_are_refused_where_they_mean_nothing() {
        assert!(LINK.read("--dep", "id=pm-a,wibble=1").is_err());
        assert!(TEST.read("--test", "cargo test").is_err());
    }

    #[test]
    fn options_of_a_type() {
        let texts = ["a=1".to_owned(), "key=b,value=2, 3".to_owned(), "c: 4".to_owned()];
        let options = type_options("--type-option", &texts).expect("legal");
        assert_eq!(serde_json::to_string(&options).expect("a map"), r#"{"a":"1","b":"2, 3","c":"4"}"#);
        assert!(type_options("--type-option", &["x".to_owned()]).is_err());
        assert!(type_options("--type-option", &[" ".to_owned()]).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_text_without_its_key_is_kept_as_it_is(text in "[^t]{1,40}") {
            proptest::prop_assert_eq!(read(TEXT, &text), vec![("text", text.clone())]);
        }
    }
}
