//! From the front of an item to its row.

use super::fields::{Count, Number, Presence, Text};
use super::row::{Bytes, RowWriter, pack};
use crate::model::front::Front;
use crate::model::timestamp;

/// Appends an item's row to a block; `digest` is of the bytes that the item was read from.
pub(crate) fn write_row(path: &str, front: &Front<'_>, digest: u64, block: &mut Vec<u8>) {
    let mut row = RowWriter::default();
    for slot in Text::ALL {
        let key = slot.key();
        match (front.text(key), front.number(key)) {
            (Some(text), _) => row.text(*slot, text),
            (None, Some(number)) => row.text(*slot, &number.to_string()),
            (None, None) => {}
        }
    }
    row.bytes(Bytes::Tags, &packed(front.tags().iter().map(AsRef::as_ref)));
    let links = front.links().iter();
    row.bytes(
        Bytes::Links,
        &packed(links.flat_map(|link| [link.id.as_ref(), link.kind.as_ref(), link.source_kind.as_ref()])),
    );
    let mut custom = Vec::new();
    for (key, value) in front.custom() {
        pack(&mut custom, key);
        pack(&mut custom, &value.to_string());
    }
    row.bytes(Bytes::Custom, &custom);
    row.bytes(Bytes::Path, path.as_bytes());
    for slot in Count::ALL {
        row.count(*slot, front.count(slot.key()));
    }
    for slot in Number::ALL {
        let number = match slot {
            Number::Created | Number::Updated | Number::Deadline | Number::Closed => {
                front.text(slot.key()).and_then(timestamp::parse).map(i64::to_le_bytes)
            }
            Number::EstimatedMinutes | Number::Order | Number::FormatVersion => {
                front.number(slot.key()).and_then(serde_json::Number::as_f64).map(f64::to_le_bytes)
            }
        };
        if let Some(number) = number {
            row.number(*slot, number);
        }
    }
    let priority = front.number("priority").and_then(serde_json::Number::as_u64);
    let priority = priority.and_then(|p| u8::try_from(p).ok()).unwrap_or(2);
    row.finish(priority, presence(front), digest, block);
}

fn packed<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut list = Vec::new();
    texts.for_each(|text| pack(&mut list, text));
    list
}

fn presence(front: &Front<'_>) -> Presence {
    let mut presence = Presence::default();
    for (key, part) in Presence::NON_BLANK {
        if front.has(key) {
            presence.add(*part);
        }
    }
    let estimate = front.number("estimated_minutes").and_then(serde_json::Number::as_f64);
    let parts = [
        (front.has_body(), Presence::BODY),
        (estimate.is_some_and(f64::is_finite), Presence::ESTIMATE),
        (front.has_test_command(), Presence::LINKED_COMMAND),
    ];
    parts.into_iter().filter(|(there, _)| *there).for_each(|(_, part)| presence.add(part));
    presence
}
