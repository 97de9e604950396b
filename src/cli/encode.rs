//! The bytes of an answer.

use serde_json::{Map, Value};

use crate::answer::{Answer, Part};
use crate::error::Result;
use crate::surface::Globals;

/// The answer as JSON.
pub(super) fn answer(answer: &Answer<'_>, globals: &Globals, _terminal: bool) -> Result<Vec<u8>> {
    let mut object = object(answer, globals.full_envelope)?;
    if !answer.warnings.is_empty() {
        object.insert("warnings".into(), Value::from(answer.warnings.clone()));
    }
    let mut text = serde_json::to_string_pretty(&object).unwrap_or_default();
    text.push('\n');
    Ok(text.into_bytes())
}

fn object(answer: &Answer<'_>, full: bool) -> Result<Map<String, Value>> {
    let mut out = Map::new();
    for (key, part) in &answer.parts {
        let value = match part {
            Part::Value(value) | Part::Record(value) => value.clone(),
            Part::Rows(rows) => Value::Array((0..rows.len()).map(|n| rows.get(n)).collect::<Result<_>>()?),
            Part::Group(group) => Value::Object(object(group, full)?),
            Part::Echo(_) if !full => continue,
            Part::Echo(value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    Ok(out)
}
