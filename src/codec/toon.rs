//! TOON: the only module that names the crate `toon-format`.

use serde_json::{Map, Value};
use toon_format::decode::parser::Parser;

use crate::codec::json;

/// Why a text is no TOON document.
#[derive(Debug, thiserror::Error)]
#[error("{}", if *line == 0 { problem.clone() } else { format!("line {line}: {problem}") })]
pub struct ToonError {
    /// 1-based; 0 when it is no single line.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// The largest document that is read, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024 * 1024;

/// Reads a document, strictly: counts must match, indentation is two spaces, keys are unique.
///
/// A byte order mark and CRLF line ends are accepted. Integers that fit 64 bits are exact. Nesting beyond 256 levels
/// and documents beyond [`MAX_DOCUMENT_BYTES`] are refused.
pub fn decode(text: &str) -> Result<Value, ToonError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(ToonError { line: 0, problem: format!("larger than {MAX_DOCUMENT_BYTES} bytes") });
    }
    let options = toon_format::DecodeOptions::default();
    Parser::new(text, options).and_then(|mut parser| parser.parse()).map_err(told)
}

/// Writes a document without a final line feed.
///
/// Numbers are spelled as JavaScript prints them. Errors: nesting beyond 256 levels.
pub fn encode(value: &Value) -> Result<String, ToonError> {
    let mut spelled = Vec::new();
    let mut mark = String::new();
    let plain;
    let value = if has_extreme(value) {
        mark = unused_mark(value);
        plain = with_marks(value, &mark, &mut spelled);
        &plain
    } else {
        value
    };
    let text = toon_format::encode_default(value).map_err(told)?;
    Ok(if spelled.is_empty() { text } else { spell_marks(&text, &mark, &spelled) })
}

fn told(error: toon_format::ToonError) -> ToonError {
    match error {
        toon_format::ToonError::ParseError { line, message, .. } => ToonError { line, problem: message },
        other => ToonError { line: 0, problem: other.to_string() },
    }
}

/// Whether JavaScript writes a number in here with an exponent, which the library would write out in full.
fn has_extreme(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_extreme(number),
        Value::Array(items) => items.iter().any(has_extreme),
        Value::Object(members) => members.values().any(has_extreme),
        _ => false,
    }
}

fn is_extreme(number: &serde_json::Number) -> bool {
    let size = if number.is_f64() { number.as_f64().map_or(0.0, f64::abs) } else { 0.0 };
    size >= 9e15 || (size > 0.0 && size < 1e-6)
}

/// A bare word that occurs nowhere in the value, so that it can stand for numbers.
fn unused_mark(value: &Value) -> String {
    let text = json::compact(value);
    (0u64..).map(|n| format!("x{n}y")).find(|mark| !text.contains(mark.as_str())).unwrap_or_default()
}

fn with_marks(value: &Value, mark: &str, spelled: &mut Vec<String>) -> Value {
    match value {
        Value::Number(number) if is_extreme(number) => {
            let mut text = String::new();
            json::write_number(number, &mut text);
            spelled.push(text);
            Value::String(format!("{mark}{}z", spelled.len() - 1))
        }
        Value::Array(items) => items.iter().map(|item| with_marks(item, mark, spelled)).collect(),
        Value::Object(members) => {
            let marked = members.iter().map(|(key, member)| (key.clone(), with_marks(member, mark, spelled)));
            Value::Object(marked.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn spell_marks(text: &str, mark: &str, spelled: &[String]) -> String {
    let mut parts = text.split(mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (index, rest) = part.split_once('z').unwrap_or(("", part));
        out.push_str(index.parse::<usize>().ok().and_then(|i| spelled.get(i)).map_or("", String::as_str));
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn extreme_numbers_are_spelled_as_javascript_does() {
        let value = json!({"a": 1e21, "x0y": [1e-7, 2.5, 1], "rows": [{"n": 1e300, "s": "x1y0z"}, {"n": 3, "s": "1"}]});
        let text = "a: 1e+21\nx0y[3]: 1e-7,2.5,1\nrows[2]{n,s}:\n  1e+300,x1y0z\n  3,\"1\"";
        assert_eq!(encode(&value).unwrap(), text);
        assert_eq!(decode(text).unwrap(), value);
    }

    #[test]
    fn errors_carry_the_line() {
        let error = decode("a: 1\nb[2]: x\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.to_string().starts_with("line 2: "));
    }

    #[test]
    fn hostile_nesting_and_counts_are_refused() {
        let mut deep: String = (0..2000).map(|i| "  ".repeat(i) + "a:\n").collect();
        assert!(decode(&deep).is_err());
        deep = format!("x[1]{}{}:\n  1\n", "{a".repeat(30_000), "}".repeat(30_000));
        assert!(decode(&deep).is_err());
        assert!(decode("tags[999999999]: a").is_err());
        let nested = (0..1000).fold(json!(1), |inner, _| json!([inner]));
        assert!(encode(&nested).is_err());
    }
}
