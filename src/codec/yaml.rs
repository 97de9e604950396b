//! YAML as front matter has it: a bounded mapping whose scalars follow the core schema and whose dates stay text.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

/// The most bytes of front matter that are read.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

/// The most nodes, those that aliases repeat included.
const MAX_NODES: usize = 1_000;

/// The deepest nesting.
const MAX_DEPTH: usize = 32;

/// Reads front matter.
///
/// Errors: a sentence about what is wrong: no YAML, no mapping, larger than the limits.
pub(crate) fn read(text: &str) -> Result<Map<String, Value>, String> {
    read_within(text, MAX_BYTES, MAX_NODES)
}

/// Reads a mapping of at most so many bytes and nodes, those that aliases repeat included.
///
/// Errors: a sentence about what is wrong: no YAML, no mapping, larger than the limits.
pub(crate) fn read_within(
    text: &str,
    max_bytes: usize,
    max_nodes: usize,
) -> Result<Map<String, Value>, String> {
    if text.len() > max_bytes {
        return Err(format!("it has {} bytes, more than {max_bytes}", text.len()));
    }
    let parser = Parser::new_from_str(text);
    let mut reader = Reader { parser, nodes: 0, max_nodes, anchors: HashMap::new() };
    loop {
        match reader.next()? {
            Event::StreamEnd => return Ok(Map::new()),
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            event => {
                return match reader.value(event, 0)? {
                    Value::Object(map) => reader.finish().map(|()| map),
                    Value::Null => Ok(Map::new()),
                    _ => Err("it is no mapping".to_owned()),
                };
            }
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    nodes: usize,
    max_nodes: usize,
    /// Anchored values with the count of their nodes.
    anchors: HashMap<usize, (Value, usize)>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Event<'t>, String> {
        match self.parser.next_event() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => Err(error.to_string()),
            None => Ok(Event::StreamEnd),
        }
    }

    /// What follows the first document must be well-formed, and no second document.
    fn finish(&mut self) -> Result<(), String> {
        loop {
            match self.next()? {
                Event::StreamEnd => return Ok(()),
                Event::DocumentEnd | Event::Nothing => {}
                _ => return Err("it holds more than one document".to_owned()),
            }
        }
    }

    fn count(&mut self, nodes: usize) -> Result<(), String> {
        self.nodes += nodes;
        let most = self.max_nodes;
        if self.nodes > most { Err(format!("it has more than {most} nodes")) } else { Ok(()) }
    }

    fn value(&mut self, event: Event<'t>, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH}"));
        }
        if let Event::Alias(anchor) = event {
            let (value, nodes) = self.anchors.get(&anchor).cloned().ok_or("an alias names itself")?;
            self.count(nodes)?;
            return Ok(value);
        }
        let before = self.nodes;
        self.count(1)?;
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, tag) => (anchor, scalar(&text, style, tag.as_deref())),
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => break,
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
                (anchor, Value::Array(items))
            }
            Event::MappingStart(anchor, _) => (anchor, Value::Object(self.mapping(depth)?)),
            _ => return Err("it ends in the middle".to_owned()),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), self.nodes - before));
        }
        Ok(value)
    }

    fn mapping(&mut self, depth: usize) -> Result<Map<String, Value>, String> {
        let mut map = Map::new();
        loop {
            let key = match self.next()? {
                Event::MappingEnd => return Ok(map),
                // A key is a text, whatever it looks like.
                Event::Scalar(text, _, anchor, _) => {
                    self.count(1)?;
                    let key = text.into_owned();
                    if anchor > 0 {
                        self.anchors.insert(anchor, (Value::from(key.as_str()), 1));
                    }
                    key
                }
                event => match self.value(event, depth + 1)? {
                    Value::String(key) => key,
                    _ => return Err("a key is no text".to_owned()),
                },
            };
            let event = self.next()?;
            let value = self.value(event, depth + 1)?;
            if map.insert(key.clone(), value).is_some() {
                return Err(format!("the key `{key}` stands twice"));
            }
        }
    }
}

/// A scalar by the core schema of YAML 1.2: null, booleans, numbers; everything else is text, dates too.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = tag.is_some_and(|tag| tag.suffix == "str" || tag.handle.is_empty() && tag.suffix == "!");
    if style != ScalarStyle::Plain || is_text {
        return Value::from(text);
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::from(text), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(Number::from);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(Number::from);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return text.strip_prefix('+').unwrap_or(text).parse::<i64>().ok().map(Number::from);
    }
    let float = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.bytes().any(|b| b.is_ascii_digit())
        && unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !float {
        return None;
    }
    text.parse::<f64>().ok().filter(|n| n.is_finite()).and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(text: &str) -> Value {
        Value::Object(read(text).unwrap())
    }

    #[test]
    fn scalars_follow_the_core_schema_and_dates_stay_text() {
        assert_eq!(
            of(
                "a: 2026-02-09\nb: 2026-02-09T10:00:00Z\nc: yes\nd: true\ne: 007\nf: 1.5\ng: ~\nh:\ni: \"2\"\nj: 1_000\nk: 0x1F\nl: !!str 12\nm: 1e3\nn: .inf\no: 99999999999999999999"
            ),
            json!({"a": "2026-02-09", "b": "2026-02-09T10:00:00Z", "c": "yes", "d": true, "e": 7, "f": 1.5, "g": null, "h": null,
                "i": "2", "j": "1_000", "k": 31, "l": "12", "m": 1000.0, "n": ".inf", "o": "99999999999999999999"})
        );
    }

    #[test]
    fn lists_maps_and_keys_of_any_look() {
        assert_eq!(
            of("tags: [a, 1]\nlist:\n  - x\n  - y: z\n1: one\ntrue: t\nnull: n"),
            json!({"tags": ["a", 1], "list": ["x", {"y": "z"}], "1": "one", "true": "t", "null": "n"})
        );
        assert_eq!(of(""), json!({}));
        assert_eq!(of("# only a comment"), json!({}));
    }

    #[test]
    fn aliases_repeat_and_are_bounded() {
        assert_eq!(of("a: &x [1, 2]\nb: *x"), json!({"a": [1, 2], "b": [1, 2]}));
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for n in 1..30 {
            let p = n - 1;
            bomb += &format!(
                "a{n}: &a{n} [*a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}]\n"
            );
        }
        assert!(read(&bomb).unwrap_err().contains("nodes"));
        assert!(read("a: &a [*a]").is_err());
    }

    #[test]
    fn what_is_no_mapping_is_refused() {
        for text in ["- a", "just text", "a: [", "a: b: c", "a: 1\na: 2", "a: \"x"] {
            assert!(read(text).is_err(), "{text:?}");
        }
        assert!(read(&"[".repeat(5_000)).is_err());
        assert!(read(&"x".repeat(MAX_BYTES + 1)).is_err());
    }
}
