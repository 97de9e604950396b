//! A file of the source as a JSON document: TOON, JSON or YAML, all to one data model, with limits.

use serde_json::{Number, Value};

use crate::codec::{strict, toon, yaml};

/// The largest file of a source that is read.
pub const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The most values of a YAML document, those that aliases repeat included.
const MAX_NODES: usize = 20_000;

/// The names that the file of a record may have.
pub const RECORD_FILES: [&str; 3] = ["runbook.json", "runbook.toon", "runbook.yaml"];

/// Whether a file has the name of a record, or one of its encodings.
pub fn is_record(name: &str) -> bool {
    RECORD_FILES.contains(&name) || [".json", ".toon", ".yaml"].iter().any(|end| name.ends_with(end))
}

/// Reads a file by the end of its name.
///
/// Errors: a sentence about what is wrong.
pub fn read(name: &str, bytes: &[u8]) -> Result<Value, String> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has {} bytes, more than {MAX_BYTES}", bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    let mut value = match name.rsplit('.').next() {
        Some("toon") => toon::decode(text).map_err(|error| error.to_string())?,
        Some("yaml") => Value::Object(yaml::read_within(text, bytes.len(), MAX_NODES)?),
        _ => json(text)?,
    };
    whole_numbers(&mut value);
    Ok(value)
}

/// Reads JSON; a key that stands twice is refused, since readers differ in which one counts.
pub fn json(text: &str) -> Result<Value, String> {
    strict::parse(text).map_err(|error| error.to_string())
}

/// Numbers that are whole are integers, however they were spelled: all encodings have one data model.
fn whole_numbers(value: &mut Value) {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= LIMIT);
            if let Some(whole) = whole {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
                let whole = whole as i64;
                *number = Number::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(map) => map.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn three_encodings_one_model() {
        let want = json!({"title": "Über", "n": 2, "list": ["a", {"b": true}]});
        for (name, text) in [
            ("runbook.json", r#"{"title": "Über", "n": 2.0, "list": ["a", {"b": true}]}"#),
            ("runbook.yaml", "title: Über\nn: 2\nlist:\n  - a\n  - b: true\n"),
            ("runbook.toon", "title: Über\nn: 2\nlist[2]:\n  - a\n  - b: true\n"),
        ] {
            assert_eq!(read(name, text.as_bytes()).unwrap(), want, "{name}");
        }
    }

    #[test]
    fn what_readers_could_see_differently_is_refused() {
        for text in [r#"{"a": 1, "a": 2}"#, r#"{"a": {"b": 1, "b": 2}}"#, "{} {}", "{", "\"\\ud800\""] {
            assert!(read("runbook.json", text.as_bytes()).is_err(), "{text}");
        }
        assert!(read("runbook.json", &[0xff]).is_err());
        assert!(read("runbook.json", "[".repeat(5_000).as_bytes()).is_err());
        assert!(read("runbook.yaml", b"a: 1\na: 2\n").is_err());
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for n in 1..30 {
            let p = n - 1;
            bomb += &format!(
                "a{n}: &a{n} [*a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}, *a{p}]\n"
            );
        }
        assert!(read("runbook.yaml", bomb.as_bytes()).unwrap_err().contains("nodes"));
    }
}
