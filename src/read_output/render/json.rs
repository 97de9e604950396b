//! JSON, indented by two spaces, or compact.

use serde_json::Value;

use super::super::tree::{Ref, View};
use super::{Sink, Site, number};

/// Writes an object of entries, without a final line feed.
pub(super) fn write<'d>(out: &mut impl Sink, entries: &[(&'d str, Ref<'d>)], indent: bool) {
    let mut object = Container::open(out, b'{', b'}', 0, indent);
    for (key, place) in entries {
        object.next(out);
        field(out, key, *place, 1, indent);
    }
    object.close(out);
}

/// Writes one entry and a separator.
pub(super) fn entry(out: &mut impl Sink, key: &str, place: Ref<'_>, indent: bool) {
    if indent {
        out.line(1);
    }
    field(out, key, place, 1, indent);
    out.byte(b',');
}

/// One line or an indented block of items.
struct Container {
    close: u8,
    depth: usize,
    indent: bool,
    empty: bool,
}

impl Container {
    fn open(out: &mut impl Sink, open: u8, close: u8, depth: usize, indent: bool) -> Container {
        out.byte(open);
        Container { close, depth, indent, empty: true }
    }

    fn next(&mut self, out: &mut impl Sink) {
        if !self.empty {
            out.byte(b',');
        }
        self.empty = false;
        if self.indent {
            out.line(self.depth + 1);
        }
    }

    fn close(self, out: &mut impl Sink) {
        if self.indent && !self.empty {
            out.line(self.depth);
        }
        out.byte(self.close);
    }
}

/// A field of an object whose fields stand at `depth`; the line has been started.
pub(super) fn field(out: &mut impl Sink, key: &str, place: Ref<'_>, depth: usize, indent: bool) {
    string(out, key);
    out.text(if indent { ": " } else { ":" });
    node(out, place, depth, indent);
}

/// What stands at `depth`; the line has been started.
pub(super) fn node(out: &mut impl Sink, place: Ref<'_>, depth: usize, indent: bool) {
    if place.list().is_some_and(|list| out.takes(Site { list, depth, keyed: true })) {
        return;
    }
    match place.view() {
        View::Leaf(value) => leaf(out, value),
        View::Object(fields) => {
            let mut object = Container::open(out, b'{', b'}', depth, indent);
            fields.each(&mut |key, place| {
                object.next(out);
                field(out, key, place, depth + 1, indent);
            });
            object.close(out);
        }
        View::Array(items) => {
            let mut array = Container::open(out, b'[', b']', depth, indent);
            for n in 0..items.len() {
                array.next(out);
                node(out, items.at(n), depth + 1, indent);
            }
            array.close(out);
        }
    }
}

fn leaf(out: &mut impl Sink, value: &Value) {
    match value {
        Value::Bool(true) => out.text("true"),
        Value::Bool(false) => out.text("false"),
        Value::Number(n) => number::write(out, n),
        Value::String(text) => string(out, text),
        _ => out.text("null"),
    }
}

/// A string literal. Control characters that JSON may leave alone (DEL, C1) are escaped too: a terminal obeys them.
fn string(out: &mut impl Sink, text: &str) {
    out.byte(b'"');
    super::escaped(out, text, |byte| match byte {
        0x08 => Some("\\b"),
        0x0c => Some("\\f"),
        _ => None,
    });
    out.byte(b'"');
}

/// Compact JSON, the keys of every object in order.
pub(super) fn stable(out: &mut impl Sink, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.byte(b'{');
            for (n, key) in keys.into_iter().enumerate() {
                if n > 0 {
                    out.byte(b',');
                }
                string(out, key);
                out.byte(b':');
                stable(out, &map[key]);
            }
            out.byte(b'}');
        }
        Value::Array(values) => {
            out.byte(b'[');
            for (n, value) in values.iter().enumerate() {
                if n > 0 {
                    out.byte(b',');
                }
                stable(out, value);
            }
            out.byte(b']');
        }
        value => leaf(out, value),
    }
}
