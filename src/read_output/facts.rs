//! What a session knows of an item, so that a reference stands in only for facts that were served.
//!
//! Among the identities that a session carries, the id of an item alone says that its card was told: title, status and
//! type, as every list of items tells them. Whatever else was told of it, or the title alone, is marked beside it:
//! `pm-a1b2:` and three characters for each field, made of the field's name. What a budget cut was not told.

use std::collections::BTreeSet;

use serde_json::Value;

use super::controls::Controls;
use super::frame::is_shortened;
use super::run::Run;
use super::session::Session;
use super::tree::{Ref, Tree, View};
use crate::contract::ReadOutput;

/// How the rows and records of an answer tell of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Telling {
    /// They are about something else.
    #[default]
    Otherwise,
    /// Each is one item in short. What else it says belongs to the answer: a rank, a distance, a snippet.
    Cards,
    /// Each is fields of one item that were asked for.
    Fields,
    /// Each is one item with all that it has.
    Items,
}

/// What a row is to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Nothing that it keeps account of.
    Other,
    /// Facts of an item.
    Item,
    /// Something that names itself otherwise.
    Named,
    /// A reference to what the caller has.
    Reference,
}

/// What a page tells, as a session counts it.
#[derive(Debug, Default)]
pub(super) struct Served {
    /// Those of whom it tells something.
    pub(super) ids: BTreeSet<String>,
    /// What the session is to carry from now on.
    pub(super) identities: BTreeSet<String>,
    /// How many it names by reference.
    pub(super) repeats: usize,
}

/// The fields of a card.
const CARD: [&str; 3] = ["title", "status", "type"];

/// The longest identity that a session carries.
pub(super) const LONGEST_IDENTITY: usize = 128;

/// The characters that stand for a field.
const MARK: usize = 3;

impl Telling {
    /// That of the answer to a call.
    pub(super) fn of(controls: &Controls, surface: &ReadOutput) -> Telling {
        let want = &controls.want;
        let whole = want.mode.as_deref().is_some_and(|mode| mode == "full" && !is_complete(surface, mode));
        if surface.identity != Some("id") {
            Telling::Otherwise
        } else if want.fields.is_some() || !want.selectors.is_empty() {
            Telling::Fields
        } else if surface.surface == "get" || whole {
            Telling::Items
        } else {
            Telling::Cards
        }
    }
}

/// Whether a mode is about how much is told, not about which fields.
fn is_complete(surface: &ReadOutput, mode: &str) -> bool {
    surface.complete_modes.contains(&mode)
}

/// The id of a row that tells of an item.
pub(super) fn item_id(row: &Value) -> Option<&str> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("title").and(text("id"))
}

/// What stands for a field in a mark.
fn code(field: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in field.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // The high bits are mixed best.
    (0..MARK).map(|n| char::from(DIGITS[(hash >> (58 - 6 * n)) as usize & 63])).collect()
}

/// The codes in the marks that a session carries of an item.
fn told(session: &Session, id: &str) -> BTreeSet<String> {
    let prefix = format!("{id}:");
    let marks = session.seen.range(prefix.clone()..).map_while(|mark| mark.strip_prefix(&prefix));
    let codes = marks.filter(|codes| codes.len() % MARK == 0 && codes.is_ascii());
    codes
        .flat_map(|codes| codes.as_bytes().chunks(MARK).map(|c| String::from_utf8_lossy(c).into_owned()))
        .collect()
}

/// Whether a place says nothing.
fn is_empty(place: Ref<'_>) -> bool {
    match place.view() {
        View::Leaf(value) => value.is_null() || value.as_str() == Some(""),
        View::Array(items) => items.len() == 0,
        View::Object(fields) => fields.len() == 0,
    }
}

/// The fields of a row or record that say something, its id left out.
fn fields<'d>(place: Ref<'d>) -> Vec<(&'d str, Ref<'d>)> {
    let mut found = Vec::new();
    if let View::Object(fields) = place.view() {
        fields.each(&mut |name, place| {
            if name != "id" && !is_empty(place) {
                found.push((name, place));
            }
        });
    }
    found
}

impl Session {
    /// Whether the caller has all that a row or record of an item would tell.
    pub(super) fn has_facts(&self, id: &str, row: &Value, telling: Telling) -> bool {
        let card = self.seen.contains(id);
        if card && telling == Telling::Cards {
            return true;
        }
        let fields = fields(Ref::Value(row));
        let told = told(self, id);
        if told.is_empty() || fields.is_empty() {
            return card && fields.iter().all(|(name, _)| CARD.contains(name));
        }
        let is_card = |wanted: &[&str]| wanted.iter().all(|name| fields.iter().any(|(own, _)| own == name));
        match telling {
            Telling::Otherwise => false,
            // Less than a card: its one sentence is the title.
            Telling::Cards if !is_card(&CARD) => told.contains(&code("title")),
            _ => fields.iter().all(|(name, _)| card && CARD.contains(name) || told.contains(&code(name))),
        }
    }
}

impl Run<'_, '_> {
    /// What the page tells, as it stands.
    pub(super) fn served(&self) -> Served {
        let mut served = Served { repeats: self.suppressed_records, ..Served::default() };
        let lists = &self.frame.doc.lists;
        for (path, id, what) in &self.delivered_records {
            if let Some(record) = self.frame.record(path) {
                self.serve(&mut served, id, *what, Ref::Tree(record, lists));
            }
        }
        for table in self.frame.tables.iter().filter(|table| table.primary) {
            let list = &lists[table.list];
            for (made, row) in table.made.iter().zip(&list.items[..list.shown]) {
                match (&made.id, made.what) {
                    (_, What::Reference) => served.repeats += 1,
                    (Some(id), what) => self.serve(&mut served, id, what, Ref::Tree(row, lists)),
                    (None, _) => {}
                }
            }
        }
        served
    }

    fn serve(&self, served: &mut Served, id: &str, what: What, row: Ref<'_>) {
        match what {
            What::Item => {
                served.ids.insert(id.to_owned());
                served.identities.extend(self.identities(id, row));
            }
            What::Named => {
                served.ids.insert(id.to_owned());
                if self.is_whole(row) {
                    served.identities.insert(id.to_owned());
                }
            }
            What::Other | What::Reference => {}
        }
    }

    /// What a session carries of an item that was told like this.
    fn identities(&self, id: &str, row: Ref<'_>) -> Vec<String> {
        let fields = fields(row);
        // An item may have no type, but a list of cards leaves out what others have.
        let has = |name: &&&str| {
            self.making.telling != Telling::Items || fields.iter().any(|(own, _)| *own == **name)
        };
        let needed: Vec<&str> = CARD.iter().filter(&has).copied().collect();
        let whole = fields.iter().filter(|(_, place)| self.is_whole(*place));
        let mut names: Vec<&str> = whole.map(|(name, _)| *name).collect();
        let card = names.contains(&"title") && needed.iter().all(|name| names.contains(name));
        let mut identities = Vec::new();
        if card {
            identities.push(id.to_owned());
            names.retain(|name| !CARD.contains(name));
        }
        if self.making.telling == Telling::Cards {
            // The rest of it belongs to the answer.
            names.retain(|name| !card && *name == "title");
        }
        let known = self.controls.session.as_ref().map(|session| told(session, id)).unwrap_or_default();
        let codes: BTreeSet<String> =
            names.into_iter().map(code).filter(|code| !known.contains(code)).collect();
        let codes: Vec<String> = codes.into_iter().collect();
        let each = LONGEST_IDENTITY.saturating_sub(id.len() + 1) / MARK;
        if each > 0 {
            identities.extend(codes.chunks(each).map(|codes| format!("{id}:{}", codes.concat())));
        }
        identities
    }

    /// Whether nothing of a place was cut.
    fn is_whole(&self, place: Ref<'_>) -> bool {
        match place {
            Ref::Value(value) => !self.making.shorten || !any_shortened(value),
            Ref::Tree(Tree::Value(value), _) => self.is_whole(Ref::Value(value)),
            Ref::Tree(Tree::Object(entries), lists) => {
                entries.iter().all(|(_, tree)| self.is_whole(Ref::Tree(tree, lists)))
            }
            Ref::Tree(Tree::List(number), lists) => {
                let list = &lists[*number];
                list.shown == list.items.len()
                    && list.items.iter().all(|tree| self.is_whole(Ref::Tree(tree, lists)))
            }
        }
    }
}

fn any_shortened(value: &Value) -> bool {
    match value {
        Value::String(text) => is_shortened(text),
        Value::Array(values) => values.iter().any(any_shortened),
        Value::Object(map) => map.values().any(any_shortened),
        _ => false,
    }
}
