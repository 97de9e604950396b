//! Which fields of an item a row shows (surfaces.md §4.3).

use serde_json::{Number, Value};

use crate::error::{Code, Error, Result};
use crate::model::canonical::FIELD_ORDER;
use crate::model::item::Item;
use crate::model::records::{Record, Text};
use crate::model::schema::Schema;
use crate::nearest;

/// The shortest projection; what every listing shows by default.
pub const BRIEF: &[&str] = &["id", "status", "type", "title"];
/// What one needs to choose.
pub const COMPACT: &[&str] = &["id", "title", "status", "type", "priority", "parent", "updated_at"];
/// What one needs to sort out what came in.
pub const TRIAGE: &[&str] =
    &["id", "title", "status", "type", "priority", "parent", "assignee", "risk", "blocked_by"];
/// What a tree adds to each row.
pub const TREE: &[&str] = &["tree_depth", "tree_parent", "tree_children", "tree_title"];

/// What the rows of a listing hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// These fields, in this order; one that an item lacks is null.
    Fields(Vec<String>),
    /// Every field that the item has.
    Whole,
}

impl Projection {
    /// These fields.
    pub fn of(fields: &[&str]) -> Projection {
        Projection::Fields(fields.iter().map(|field| (*field).to_owned()).collect())
    }

    /// The fields asked for by name: repeated ones once, `item.` in front of one dropped.
    ///
    /// Errors: `unknown_field_projection` with every legal name, the nearest first.
    pub fn named(asked: &[String], extra: &[&str], schema: &Schema, surface: &str) -> Result<Projection> {
        let mut fields: Vec<String> = Vec::new();
        for field in asked {
            let field = field.trim().trim_start_matches("item.");
            if !is_field(field, extra, schema) {
                return Err(unknown(field, extra, schema, surface));
            }
            if !fields.iter().any(|known| known == field) {
                fields.push(field.to_owned());
            }
        }
        if fields.is_empty() {
            return Err(
                Error::new(Code::InvalidArgumentValue, "`--fields` needs at least one field").at("--fields")
            );
        }
        Ok(Projection::Fields(fields))
    }

    /// The fields, when they are fixed.
    pub fn fields(&self) -> Option<&[String]> {
        match self {
            Projection::Fields(fields) => Some(fields),
            Projection::Whole => None,
        }
    }
}

/// Whether an item can have this field: a built-in one, the body, one that the tracker declares, or one of `extra`.
pub fn is_field(field: &str, extra: &[&str], schema: &Schema) -> bool {
    declared(schema).any(|known| known == field) || extra.contains(&field)
}

/// The fields that an item of this tracker can have: built-in ones, the body, those that the tracker declares.
pub fn declared(schema: &Schema) -> impl Iterator<Item = &str> {
    let custom = schema.fields.iter().map(|field| field.metadata_key.as_str());
    FIELD_ORDER.iter().copied().chain(["body"]).chain(custom)
}

fn unknown(field: &str, extra: &[&str], schema: &Schema, surface: &str) -> Error {
    let mut legal: Vec<&str> = declared(schema).collect();
    legal.extend(extra);
    legal.sort_unstable();
    legal.dedup();
    let ordered = nearest::order(field, &legal);
    let near = ordered.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    Error::new(
        Code::UnknownFieldProjection,
        format!("`--fields` knows no field `{field}`; near ones are {near}"),
    )
    .at("--fields")
    .rejecting(field)
    .fact("allowed_values", ordered)
    .fact("suggested_retry", format!("pm {surface} --fields id,title,status"))
    .hint(format!("pm {surface} --fields id,title,status"))
}

/// A field of a record: `Some` with the value, null when the item lacks it; `None` when only the item file has it.
pub fn from_record(record: Record<'_>, field: &str) -> Option<Value> {
    Some(match field {
        "priority" => record.priority().into(),
        "tags" => record.tags().collect::<Vec<_>>().into(),
        "confidence" => record
            .confidence()
            .map_or(Value::Null, |text| text.parse::<u64>().map_or_else(|_| text.into(), Value::from)),
        "estimated_minutes" => number(record.estimated_minutes()),
        "order" => number(record.order()),
        "pm_format_version" => number(record.format_version()),
        _ => {
            let slot = Text::ALL.iter().find(|slot| slot.key() == field)?;
            record.text(*slot).map_or(Value::Null, Value::from)
        }
    })
}

/// A number as JavaScript would print it: without a fraction when it has none.
fn number(value: Option<f64>) -> Value {
    match value {
        None => Value::Null,
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => (value as i64).into(),
        Some(value) => Number::from_f64(value).map_or(Value::Null, Value::Number),
    }
}

/// A field of an item, null when it lacks it.
pub fn field(item: &Item, name: &str) -> Value {
    match name {
        "body" => item.body.as_str().into(),
        _ => item.metadata.get(name).cloned().unwrap_or(Value::Null),
    }
}
