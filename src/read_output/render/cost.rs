//! What a piece of a rendering costs by itself, so that prefixes of lists can be added up.

use serde_json::Value;

use super::super::tree::{List, Ref, View};
use super::{Count, Format, Sink, json, rendered, toon};

/// An encoding with everything that decides how many bytes it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read_output) enum Style {
    /// JSON, indented.
    Indented,
    /// JSON in one line.
    Compact,
    /// TOON.
    Toon,
}

impl Style {
    /// That of a format; none for a view, whose bytes do not add up.
    pub(in crate::read_output) fn of(format: Format, stripped: bool) -> Option<Style> {
        match format {
            Format::Toon => Some(Style::Toon),
            Format::Json if !stripped => Some(Style::Indented),
            Format::Json | Format::Compact => Some(Style::Compact),
            _ => None,
        }
    }

    /// The bytes of a line feed and what it is indented by; none where everything is one line.
    pub(in crate::read_output) fn line(self, depth: usize) -> u64 {
        match self {
            Style::Indented | Style::Toon => 1 + 2 * depth as u64,
            Style::Compact => 0,
        }
    }
}

/// Where a list stands in a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read_output) struct Site {
    /// Its number in the document.
    pub(in crate::read_output) list: usize,
    /// The depth of its field, or of the hyphen before it.
    pub(in crate::read_output) depth: usize,
    /// Whether it has a key; a list in a list has none.
    pub(in crate::read_output) keyed: bool,
}

/// Counts the bytes of a rendering, without those of the document's lists, and says where these stand.
#[derive(Debug, Default)]
pub(in crate::read_output) struct Survey {
    pub(in crate::read_output) bytes: u64,
    pub(in crate::read_output) sites: Vec<Site>,
}

impl Sink for Survey {
    fn text(&mut self, text: &str) {
        rendered(text.len());
        self.bytes += text.len() as u64;
    }

    fn byte(&mut self, _byte: u8) {
        rendered(1);
        self.bytes += 1;
    }

    fn line(&mut self, depth: usize) {
        rendered(1 + 2 * depth);
        self.bytes += 1 + 2 * depth as u64;
    }

    fn takes(&mut self, site: Site) -> bool {
        self.sites.push(site);
        true
    }
}

/// What an item of a list costs in each form that its list may take.
#[derive(Debug, Default)]
pub(in crate::read_output) struct ItemCost {
    /// On lines of its own, with what stands before it; the lists in it left out.
    pub(in crate::read_output) form: Survey,
    /// Among others on one line, in TOON; none when it is no plain value.
    pub(in crate::read_output) leaf: Option<u64>,
    /// The name and the bytes of each cell of a row, in TOON; none when it is no row.
    pub(in crate::read_output) cells: Option<Vec<(u64, String)>>,
}

impl ItemCost {
    /// That of the n-th item of a list, as a list is kept.
    pub(in crate::read_output) fn of(style: Style, site: Site, lists: &[List], n: usize) -> ItemCost {
        let list = &lists[site.list];
        let (place, depth) = (Ref::Tree(&list.items[n], lists), site.depth + 1);
        let key = list.keys.as_ref().map(|keys| keys[n].as_str());
        let mut cost = ItemCost::default();
        let out = &mut cost.form;
        if style != Style::Compact {
            out.line(depth);
        }
        match (style, key) {
            (Style::Toon, Some(key)) => toon::field(out, key, place, depth),
            (Style::Toon, None) => toon::item(out, place, depth),
            (_, Some(key)) => json::field(out, key, place, depth, style == Style::Indented),
            (_, None) => json::node(out, place, depth, style == Style::Indented),
        }
        if style == Style::Toon && key.is_none() {
            // Beside the line feed it is a hyphen and a space more.
            cost.leaf = place.leaf().map(|_| cost.form.bytes - style.line(depth) - 2);
            cost.cells = cells(place, &list.optional);
        }
        cost
    }
}

/// The cells of a row of plain values; an optional one that says nothing is none, since it makes no column.
fn cells(place: Ref<'_>, optional: &[String]) -> Option<Vec<(u64, String)>> {
    let View::Object(fields) = place.view() else { return None };
    let (mut cells, mut plain) = (Vec::new(), true);
    fields.each(&mut |name, place| match place.leaf() {
        Some(Value::Null) if optional.iter().any(|own| own == name) => {}
        Some(value) if plain => cells.push((leaf_bytes(value), name.to_owned())),
        _ => plain = false,
    });
    plain.then_some(cells)
}

fn leaf_bytes(value: &Value) -> u64 {
    let mut count = Count::default();
    toon::leaf(&mut count, value);
    count.0
}

/// The bytes of a column's name in TOON.
pub(in crate::read_output) fn column_bytes(name: &str) -> u64 {
    let mut count = Count::default();
    toon::key(&mut count, name);
    count.0
}

/// What an item costs in an array of a receipt, which is a list at the second level of the envelope; with the comma.
pub(in crate::read_output) fn item_bytes(style: Style, value: &Value) -> u64 {
    const DEPTH: usize = 3;
    let mut count = Count::default();
    match (style, value) {
        (Style::Toon, Value::Object(row)) => {
            count.line(DEPTH - 1);
            for cell in row.values() {
                toon::leaf(&mut count, cell);
                count.byte(b',');
            }
            return count.0 - 1;
        }
        (Style::Toon, value) => toon::leaf(&mut count, value),
        (style, value) => {
            if style == Style::Indented {
                count.line(DEPTH);
            }
            json::node(&mut count, Ref::Value(value), DEPTH, style == Style::Indented);
        }
    }
    count.byte(b',');
    count.0
}
