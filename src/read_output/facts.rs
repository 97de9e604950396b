//! What a session knows of an item, so that a reference stands in only for facts that were served.
//!
//! Among the identities that a session carries, the id of an item says that its card was told: title, status and type,
//! as every list of items tells them. What each field said stands beside the ids, see [`super::told`]: a field that says
//! something else by now is told again. What a budget cut was not told.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::controls::Controls;
use super::frame::is_shortened;
use super::receipt::any_text;
use super::run::Run;
use super::session::{Next, Session};
use super::told::{self, CARD, Card, Code, is_empty};
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

/// The codes of what was told of an item.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// Of its fields.
    pub(super) facts: BTreeSet<Code>,
    /// Its card as it was told now.
    pub(super) card: Option<Card>,
}

/// What a page tells, as a session counts it.
#[derive(Debug, Default)]
pub(super) struct Served {
    /// Those of whom it tells something.
    pub(super) ids: BTreeSet<String>,
    /// What the session is to carry from now on.
    pub(super) identities: BTreeSet<String>,
    /// The codes of what was told, by item.
    pub(super) codes: BTreeMap<String, Codes>,
    /// How many it names by reference.
    pub(super) repeats: usize,
    /// What the session is after it, made when a receipt first asks: the estimate changes nothing of that.
    pub(super) next: OnceCell<Next>,
}

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

/// The fields of a row or record that say something of its item: all but its id, or those of its card.
fn fields<'d>(place: Ref<'d>, telling: Telling) -> Vec<(&'d str, Ref<'d>)> {
    let mut found = Vec::new();
    let of_item = |name: &str| name != "id" && (telling != Telling::Cards || CARD.contains(&name));
    if let View::Object(fields) = place.view() {
        fields.each(&mut |name, place| {
            if of_item(name) && !is_empty(place) {
                found.push((name, place));
            }
        });
    }
    found
}

impl Session {
    /// Whether the caller has all that a row or record of an item would tell.
    pub(super) fn has_facts(&self, id: &str, row: &Value, telling: Telling) -> bool {
        let fields = fields(Ref::Value(row), telling);
        match telling {
            Telling::Otherwise => false,
            // What it says belongs to the answer.
            _ if fields.is_empty() => self.seen.contains(id),
            _ => fields.into_iter().all(|(name, place)| self.has_fact(id, name, place)),
        }
    }

    fn has_fact(&self, id: &str, name: &str, place: Ref<'_>) -> bool {
        let by_id = self.told.is_by_id_alone() && CARD.contains(&name) && self.seen.contains(id);
        by_id || self.told.knows(id, name, place)
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
                self.serve_item(served, id, row);
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

    /// Adds what a session carries of an item that was told like this.
    fn serve_item(&self, served: &mut Served, id: &str, row: Ref<'_>) {
        let Some(session) = &self.controls.session else { return };
        let telling = self.making.telling;
        let fields = fields(row, telling);
        let whole = |name: &str| fields.iter().find(|(own, place)| *own == name && self.is_whole(*place));
        // An item may have no type, but a list of cards leaves out what others have.
        let has = |name: &str| telling != Telling::Items || fields.iter().any(|(own, _)| *own == name);
        let is_card = whole("title").is_some() && CARD.iter().all(|name| whole(name).is_some() || !has(name));
        if is_card {
            served.identities.insert(id.to_owned());
        }
        let codes = served.codes.entry(id.to_owned()).or_default();
        // Where ids stand for themselves, the id says it.
        let by_id = session.told.is_by_id_alone() && (is_card || session.seen.contains(id));
        let before = codes.card.or_else(|| session.told.card(id));
        let mut card = before.or_else(|| (is_card && !by_id).then(Card::default));
        let mut by_themselves = false;
        for (name, place) in fields.iter().copied() {
            let is_whole = self.is_whole(place);
            let on_card = told::place_on_card(name);
            match (on_card, &mut card) {
                (Some(field), Some(card)) => card.tell(id, field, is_whole.then_some(place)),
                (Some(_), None) if by_id => {}
                _ if is_whole && session.has_fact(id, name, place) => {}
                _ => {
                    by_themselves |= is_whole;
                    if session.told.knows_more_of(id) {
                        codes.facts.insert(told::taken_back(id, name));
                    }
                    if is_whole {
                        codes.facts.insert(told::content(id, name, place));
                    }
                }
            }
        }
        if by_themselves && !session.told.knows_more_of(id) {
            codes.facts.insert(told::more(id));
        }
        codes.card = card.filter(|card| before != Some(*card)).or(codes.card);
        if codes.facts.is_empty() && codes.card.is_none() {
            served.codes.remove(id);
        }
    }

    /// Whether nothing of a place was cut.
    fn is_whole(&self, place: Ref<'_>) -> bool {
        match place {
            Ref::Value(value) => !self.making.shorten || !any_text(value, &is_shortened),
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
