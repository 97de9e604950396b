//! TOON: rows stay tables, a missing value is a null cell (product.md §3.3).
//!
//! A list is a table when every item is an object of plain values; a row collection may lack values, any other list
//! must have the same keys in every item. Everything else follows the TOON specification.

use serde_json::Value;

use super::super::tree::{Fields, Items, Ref, View};
use super::{Sink, Site, number};

/// Writes an object of entries, without a final line feed.
pub(super) fn write<'d>(out: &mut impl Sink, entries: &[(&'d str, Ref<'d>)]) {
    for (n, (key, place)) in entries.iter().enumerate() {
        if n > 0 {
            out.line(0);
        }
        field(out, key, *place, 0);
    }
}

/// Writes one entry and a separator.
pub(super) fn entry(out: &mut impl Sink, name: &str, place: Ref<'_>) {
    field(out, name, place, 0);
    out.line(0);
}

/// A field of an object whose fields stand at `depth`; the line has been started.
pub(super) fn field(out: &mut impl Sink, name: &str, place: Ref<'_>, depth: usize) {
    key(out, name);
    if place.list().is_some_and(|list| out.takes(Site { list, depth, keyed: true })) {
        return;
    }
    match place.view() {
        View::Leaf(value) => {
            out.text(": ");
            leaf(out, value);
        }
        View::Object(fields) => {
            out.byte(b':');
            fields.each(&mut |name, place| {
                out.line(depth + 1);
                field(out, name, place, depth + 1);
            });
        }
        View::Array(items) => array(out, items, depth + 1, true),
    }
}

/// Everything of an array after its key; its items stand at `depth`. A table needs a key.
fn array(out: &mut impl Sink, items: Items<'_>, depth: usize, keyed: bool) {
    if items.len() == 0 {
        return out.text(if keyed { ": []" } else { "[0]:" });
    }
    out.byte(b'[');
    number::write(out, &items.len().into());
    out.byte(b']');
    if (0..items.len()).all(|n| items.at(n).leaf().is_some()) {
        out.text(": ");
        for n in 0..items.len() {
            if n > 0 {
                out.byte(b',');
            }
            leaf(out, items.at(n).leaf().unwrap_or(&Value::Null));
        }
        return;
    }
    if keyed && let Some(columns) = columns(items) {
        return table(out, items, &columns, depth);
    }
    out.byte(b':');
    for n in 0..items.len() {
        out.line(depth);
        item(out, items.at(n), depth);
    }
}

/// The columns when the items make a table: those of the projection, then others as they come. Only a row collection
/// may have gaps; elsewhere a missing value must not look like a null one.
fn columns<'d>(items: Items<'d>) -> Option<Vec<&'d str>> {
    let gaps = items.columns.is_some();
    let mut columns: Vec<&'d str> = items.columns.unwrap_or_default().iter().map(String::as_str).collect();
    for n in 0..items.len() {
        let View::Object(fields) = items.at(n).view() else { return None };
        let before = columns.len();
        if !extend(&mut columns, fields) {
            return None;
        }
        if !gaps && n > 0 && (columns.len() != before || fields.len() != before) {
            return None;
        }
    }
    let says = |column: &str, n: usize| match items.at(n).view() {
        View::Object(fields) => fields.get(column).is_some_and(|cell| cell.leaf() != Some(&Value::Null)),
        _ => false,
    };
    columns.retain(|column| {
        !items.optional.iter().any(|own| own == column) || (0..items.len()).any(|n| says(column, n))
    });
    (!columns.is_empty()).then_some(columns)
}

/// Adds the fields that are no columns yet; false when one of them is no plain value.
fn extend<'d>(columns: &mut Vec<&'d str>, fields: Fields<'d>) -> bool {
    let mut plain = true;
    let mut expected = 0;
    fields.each(&mut |name, place| {
        plain = plain && place.leaf().is_some();
        // Rows mostly have the columns in order.
        let known = columns[expected..].iter().position(|column| *column == name).map(|n| n + expected);
        match known.or_else(|| columns[..expected].iter().position(|column| *column == name)) {
            Some(at) => expected = at + 1,
            None => {
                columns.push(name);
                expected = columns.len();
            }
        }
    });
    plain
}

fn table(out: &mut impl Sink, items: Items<'_>, columns: &[&str], depth: usize) {
    out.byte(b'{');
    for (n, column) in columns.iter().enumerate() {
        if n > 0 {
            out.byte(b',');
        }
        key(out, column);
    }
    out.text("}:");
    for n in 0..items.len() {
        out.line(depth);
        let View::Object(fields) = items.at(n).view() else { continue };
        for (n, column) in columns.iter().enumerate() {
            if n > 0 {
                out.byte(b',');
            }
            leaf(out, fields.get(column).and_then(Ref::leaf).unwrap_or(&Value::Null));
        }
    }
}

/// An item of a list; its hyphen stands at `depth`, the line has been started.
pub(super) fn item(out: &mut impl Sink, place: Ref<'_>, depth: usize) {
    out.byte(b'-');
    if let Some(list) = place.list() {
        out.byte(b' ');
        if !out.takes(Site { list, depth, keyed: false })
            && let View::Array(items) = place.view()
        {
            array(out, items, depth + 1, false);
        }
        return;
    }
    match place.view() {
        View::Leaf(value) => {
            out.byte(b' ');
            leaf(out, value);
        }
        View::Array(items) => {
            out.byte(b' ');
            array(out, items, depth + 1, false);
        }
        View::Object(fields) => {
            let mut first = true;
            fields.each(&mut |name, place| {
                if first {
                    out.byte(b' ');
                } else {
                    out.line(depth + 1);
                }
                first = false;
                field(out, name, place, depth + 1);
            });
        }
    }
}

/// A key, in quotes where it needs them.
pub(super) fn key(out: &mut impl Sink, name: &str) {
    let bytes = name.as_bytes();
    let plain = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
    if plain { out.text(name) } else { quoted(out, name) }
}

/// A plain value.
pub(super) fn leaf(out: &mut impl Sink, value: &Value) {
    match value {
        Value::Bool(true) => out.text("true"),
        Value::Bool(false) => out.text("false"),
        Value::Number(n) => number::write(out, n),
        Value::String(text) if needs_quotes(text) => quoted(out, text),
        Value::String(text) => out.text(text),
        _ => out.text("null"),
    }
}

fn quoted(out: &mut impl Sink, text: &str) {
    out.byte(b'"');
    super::escaped(out, text, |_| None);
    out.byte(b'"');
}

/// The bytes that make quotes necessary, and the one that may begin a C1 control character.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    let others = [b':', b'"', b'\\', b'[', b']', b'{', b'}', b',', 0x7f, 0xc2];
    let mut n = 0;
    while n < others.len() {
        table[others[n] as usize] = true;
        n += 1;
    }
    table
};

fn has_special(bytes: &[u8]) -> bool {
    let c1 = |at: usize| bytes.get(at + 1).is_some_and(|next| (0x80..0xa0).contains(next));
    bytes.iter().enumerate().any(|(at, byte)| SPECIAL[usize::from(*byte)] && (*byte != 0xc2 || c1(at)))
}

/// Whether a text would be read as something else without quotes.
fn needs_quotes(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    matches!(first, b' ' | b'\t' | b'-' | b'#')
        || matches!(last, b' ' | b'\t')
        || matches!(text, "true" | "false" | "null")
        || looks_numeric(bytes)
        || text.starts_with('\u{feff}')
        || bytes.iter().any(|byte| SPECIAL[usize::from(*byte)]) && has_special(bytes)
}

/// `/^[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/i`
fn looks_numeric(bytes: &[u8]) -> bool {
    let signed = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let Some(mut rest) = digits(&bytes[signed..]) else { return false };
    if let [b'.', fraction @ ..] = rest {
        let Some(after) = digits(fraction) else { return false };
        rest = after;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let signed = usize::from(matches!(exponent.first(), Some(b'+' | b'-')));
        let Some(after) = digits(&exponent[signed..]) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// What follows a run of at least one digit.
fn digits(bytes: &[u8]) -> Option<&[u8]> {
    let n = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    (n > 0).then(|| &bytes[n..])
}
