//! The last step: one envelope, written in one of the encodings.
//!
//! Every encoder writes into a [`Sink`], so that what is measured is what is written.

mod cost;
mod json;
mod number;
mod toon;

pub(super) use cost::{ItemCost, Site, Style, Survey, column_bytes, item_bytes};

use super::tree::Ref;

/// An encoding of the contract, or a view of the same envelope for people and other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOON.
    Toon,
    /// JSON, indented by two spaces; a row is one line, and so is a receipt.
    Json,
    /// JSON in one line, without a final line feed: what a library call without an encoding is measured by.
    Compact,
    /// The human view.
    Table,
    /// Rows as comma-separated values.
    Csv,
    /// Rows as lines of JSON.
    Ndjson,
    /// Rows as lines of JSON that say what they are, between a first and a last line about all of them: `--stream`.
    Stream,
    /// Rows as lines of JSON, and a last line that says how to go on: what a stream is written in.
    Trailed,
    /// Markdown.
    Markdown,
}

impl Format {
    /// The formats that `--format` takes.
    pub const ALL: &'static [Format] =
        &[Format::Toon, Format::Json, Format::Table, Format::Csv, Format::Ndjson, Format::Markdown];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Toon => "toon",
            Format::Json | Format::Compact => "json",
            Format::Table => "table",
            Format::Csv => "csv",
            Format::Ndjson | Format::Trailed => "ndjson",
            Format::Stream => "stream",
            Format::Markdown => "markdown",
        }
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// Where an encoder writes: a text, or a count of its bytes.
pub(super) trait Sink {
    /// Takes a text.
    fn text(&mut self, text: &str);
    /// Takes an ASCII character.
    fn byte(&mut self, byte: u8);
    /// Starts a line, indented by two spaces a step.
    fn line(&mut self, depth: usize);
    /// Takes over a list of the document, whose field or hyphen stands at a depth; false when it is to be written.
    fn takes(&mut self, _site: Site) -> bool {
        false
    }
}

impl Sink for String {
    fn text(&mut self, text: &str) {
        rendered(text.len());
        self.push_str(text);
    }

    fn byte(&mut self, byte: u8) {
        rendered(1);
        self.push(char::from(byte));
    }

    fn line(&mut self, depth: usize) {
        rendered(1 + 2 * depth);
        self.push('\n');
        for _ in 0..depth {
            self.push_str("  ");
        }
    }
}

/// Counts the bytes of a rendering.
#[derive(Debug, Default)]
pub(super) struct Count(pub(super) u64);

impl Sink for Count {
    fn text(&mut self, text: &str) {
        rendered(text.len());
        self.0 += text.len() as u64;
    }

    fn byte(&mut self, _byte: u8) {
        rendered(1);
        self.0 += 1;
    }

    fn line(&mut self, depth: usize) {
        rendered(1 + 2 * depth);
        self.0 += 1 + 2 * depth as u64;
    }
}

/// Notes that so many bytes were rendered: tests count what a read costs.
#[inline]
fn rendered(_bytes: usize) {
    #[cfg(test)]
    RENDERED.with(|count| count.set(count.get() + _bytes as u64));
}

#[cfg(test)]
thread_local! {
    static RENDERED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How many bytes this thread has rendered since it was last asked, counted or written.
#[cfg(test)]
pub(super) fn take_rendered() -> u64 {
    RENDERED.with(|count| count.replace(0))
}

/// Writes an envelope, final line feed included.
pub(super) fn write<'d>(out: &mut impl Sink, format: Format, stripped: bool, entries: &[(&'d str, Ref<'d>)]) {
    match format {
        Format::Toon => toon::write(out, entries),
        _ => json::write(out, entries, format == Format::Json && !stripped),
    }
    if format != Format::Compact {
        out.byte(b'\n');
    }
}

/// Writes one entry of an envelope, with what separates it from the next.
pub(super) fn entry(out: &mut impl Sink, format: Format, stripped: bool, key: &str, place: Ref<'_>) {
    match format {
        Format::Toon => toon::entry(out, key, place),
        _ => json::entry(out, key, place, format == Format::Json && !stripped),
    }
}

/// The same in an encoding of the contract.
pub(super) fn entry_of(out: &mut impl Sink, style: Style, key: &str, place: Ref<'_>) {
    match style {
        Style::Toon => toon::entry(out, key, place),
        _ => json::entry(out, key, place, style == Style::Indented),
    }
}

/// The bytes of an envelope that belong to no entry; with them the sum is what [`write`] writes.
pub(super) fn frame_bytes(format: Format, stripped: bool, any: bool) -> i64 {
    let end = i64::from(format != Format::Compact);
    match (format, any) {
        (Format::Toon, true) => 0,
        (Format::Toon, false) => 1,
        // Braces, the line feed before the last one, no comma after the last entry.
        (_, true) => 2 - 1 + end + i64::from(format == Format::Json && !stripped),
        (_, false) => 2 + end,
    }
}

/// The bytes that are escaped, or begin what may have to be.
const ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[0x7f] = true;
    table[0xc2] = true;
    table
};

/// Writes a text with quotes, backslashes and control characters escaped; `short` may know a shorter escape.
fn escaped(out: &mut impl Sink, text: &str, short: impl Fn(u8) -> Option<&'static str>) {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (0, 0);
    while let Some(next) = bytes[at..].iter().position(|byte| ESCAPED[usize::from(*byte)]) {
        at += next;
        let byte = bytes[at];
        // A C1 control character is two bytes, the second of which is its number.
        let c1 = byte == 0xc2 && bytes.get(at + 1).is_some_and(|next| (0x80..0xa0).contains(next));
        if byte == 0xc2 && !c1 {
            at += 1;
            continue;
        }
        out.text(&text[plain..at]);
        let escape = match byte {
            b'"' => Some("\\\""),
            b'\\' => Some("\\\\"),
            b'\n' => Some("\\n"),
            b'\r' => Some("\\r"),
            b'\t' => Some("\\t"),
            byte => short(byte),
        };
        let number = if c1 { bytes[at + 1] } else { byte };
        at += if c1 { 2 } else { 1 };
        plain = at;
        match escape {
            Some(escape) => out.text(escape),
            None => {
                out.text("\\u00");
                out.byte(b"0123456789abcdef"[usize::from(number >> 4)]);
                out.byte(b"0123456789abcdef"[usize::from(number & 15)]);
            }
        }
    }
    out.text(&text[plain..]);
}

/// Writes compact JSON with the keys of every object in order, so that equal values give equal text.
pub(super) fn stable(out: &mut impl Sink, value: &serde_json::Value) {
    json::stable(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn escapes_are_those_of_json() {
        for text in ["", "plain", "a\"b\\c", "\n\r\t\u{8}\u{c}\u{1b}\0", "é\u{7f}\u{80}\u{9f}\u{a0}Â", "😀"]
        {
            let value = Value::from(text);
            let mut out = String::new();
            stable(&mut out, &value);
            assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), value, "{out}");
            assert!(!out.contains(char::is_control), "{out:?}");
        }
    }
}
