//! What a session remembers of the facts that it told: a code of each, made of the item, the field and its content.
//!
//! The codes travel among the identities of the session, many in one: `0.<turn>.<codes>`, and `0.<turn>.<n>.<codes>` for
//! what did not fit into the first. Each turn adds its own, which `told/turns.rs` lays out; what a session carries only
//! grows. A later turn may take back what an earlier one told of a field, by a code of its own: what was told before an
//! item changed is not what the caller knows of it now, even when the item changes back. The last card that was told of
//! each item is some three characters, since cards are most of what is ever told and each answer hands all of it on.
//!
//! An id alone, in a session that carries no codes from its first answer on, is an item that the caller counts as told
//! by itself: whatever its content is, it is known. Codes of such a session begin with `1.`.

mod bits;
mod turns;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::turns::Turn;
pub(super) use self::turns::{Card, Room};
use super::tree::{Ref, View};

/// Six bits each.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The fields of a card.
pub(super) const CARD: [&str; 3] = ["title", "status", "type"];

/// The longest identity that a session carries.
pub(super) const LONGEST_IDENTITY: usize = 128;

/// What stands for a fact: 24 bits.
pub(super) type Code = u32;

/// The place of a field on a card.
pub(super) fn place_on_card(name: &str) -> Option<usize> {
    CARD.iter().position(|field| *field == name)
}

/// The codes that a session carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The last turn in which each was told.
    turns: HashMap<Code, u32>,
    /// The last card of each item.
    cards: BTreeMap<String, Card>,
    /// The turn of this read.
    turn: u32,
    /// Ids that the caller counts as told stand for themselves.
    by_id_alone: bool,
}

/// What an identity that holds codes says.
struct Codes<'i> {
    /// Ids stand for themselves in this session.
    beside_ids: bool,
    turn: u32,
    /// Which of several identities of the turn this is.
    number: u32,
    codes: &'i str,
}

fn parts(identity: &str) -> Option<Codes<'_>> {
    let mut parts = identity.split('.');
    let beside_ids = match parts.next()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    let turn = parts.next()?.parse().ok().filter(|turn| *turn < u32::MAX)?;
    let (number, codes) = match (parts.next()?, parts.next(), parts.next()) {
        (codes, None, None) => (0, codes),
        (number, Some(codes), None) => (number.parse().ok()?, codes),
        _ => return None,
    };
    codes.bytes().all(|byte| DIGITS.contains(&byte)).then_some(Codes { beside_ids, turn, number, codes })
}

/// Whether an identity is no item but holds codes.
pub(super) fn holds_codes(identity: &str) -> bool {
    parts(identity).is_some()
}

fn read(digits: &[u8]) -> Code {
    let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte).unwrap_or_default();
    digits.iter().fold(0, |code, byte| code << 6 | digit(byte) as Code)
}

impl Told {
    /// The codes among the identities of a session.
    pub(super) fn of(seen: &BTreeSet<String>) -> Told {
        let mut told = Told::default();
        let mut from_the_first = false;
        let mut texts: BTreeMap<u32, Vec<(u32, &str)>> = BTreeMap::new();
        for Codes { beside_ids, turn, number, codes } in seen.iter().filter_map(|identity| parts(identity)) {
            from_the_first |= !beside_ids;
            told.turn = told.turn.max(turn + 1);
            texts.entry(turn).or_default().push((number, codes));
        }
        let whole = |mut parts: Vec<(u32, &str)>| {
            parts.sort_unstable();
            parts.into_iter().map(|(_, part)| part).collect::<String>()
        };
        let texts: Vec<(u32, String)> = texts.into_iter().map(|(turn, parts)| (turn, whole(parts))).collect();
        let mut turns = Vec::new();
        for (number, text) in &texts {
            let Some(turn) = Turn::read(text) else { continue };
            told.turns.extend(turn.facts.iter().map(|code| (*code, *number)));
            turns.push(turn);
        }
        let ids = seen.iter().filter(|identity| !holds_codes(identity));
        told.cards = turns::cards_of(turns.into_iter().rev(), ids.collect());
        told.by_id_alone = !from_the_first && seen.iter().any(|identity| !holds_codes(identity));
        told
    }

    /// Whether an id says that the card of an item was told, whatever stands on it.
    pub(super) fn is_by_id_alone(&self) -> bool {
        self.by_id_alone
    }

    /// Whether this was told of a field, and nothing else after it.
    pub(super) fn knows(&self, id: &str, name: &str, place: Ref<'_>) -> bool {
        if let (Some(field), Some(card)) = (place_on_card(name), self.cards.get(id)) {
            return card.says(id, field, place);
        }
        let back = self.turns.get(&taken_back(id, name));
        self.turns.get(&content(id, name, place)).is_some_and(|told| back.is_none_or(|back| told >= back))
    }

    /// The last card that was told of an item.
    pub(super) fn card(&self, id: &str) -> Option<Card> {
        self.cards.get(id).copied()
    }

    /// Whether anything beside its card was told of an item.
    pub(super) fn knows_more_of(&self, id: &str) -> bool {
        self.turns.contains_key(&more(id))
    }

    /// Identities that hold what this turn told, for the ids of a state: codes of fields, and cards; none where it told
    /// nothing new.
    pub(super) fn pack(
        &self,
        codes: &BTreeSet<Code>,
        ids: &[&String],
        new: &BTreeMap<&String, Card>,
    ) -> Vec<String> {
        let has_cards = !self.cards.is_empty() || new.values().any(|card| *card != Card::default());
        let ids = if self.by_id_alone || !has_cards { &[] } else { ids };
        let kind = if self.by_id_alone { '1' } else { '0' };
        turns::identities(kind, self.turn, &turns::text(codes, ids, &self.cards, new))
    }

    /// The most identities that hold so many codes of fields, and the cards of a turn with one more.
    pub(super) fn packs(&self, codes: usize, cards: &Room) -> usize {
        match (self.by_id_alone, codes) {
            (true, 0) => 0,
            (true, _) => Room::default().identities(self.turn, codes),
            (false, _) => cards.identities(self.turn, codes),
        }
    }
}

/// FNV-1a, the same on every machine and in every version.
struct Hash(u64);

impl Hash {
    fn of(id: &str, kind: u8, field: &str) -> Hash {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        hash.text(id);
        hash.byte(kind);
        hash.text(field);
        hash
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// A text and where it ends: no text has this byte.
    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.byte(byte));
        self.byte(0xff);
    }

    fn place(&mut self, place: Ref<'_>) {
        match place.view() {
            View::Leaf(value) => match value.as_str() {
                Some(text) => self.text(text),
                None => {
                    self.byte(0xfe);
                    self.text(&value.to_string());
                }
            },
            View::Array(items) => {
                self.byte(0xfd);
                (0..items.len()).for_each(|n| self.place(items.at(n)));
                self.byte(0xfc);
            }
            View::Object(fields) => {
                self.byte(0xfb);
                fields.each(&mut |name, place| {
                    if !is_empty(place) {
                        self.text(name);
                        self.place(place);
                    }
                });
                self.byte(0xfc);
            }
        }
    }

    /// All bits have a part in the 24.
    fn code(self) -> Code {
        self.bits(24)
    }

    fn bits(self, bits: u32) -> Code {
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - bits)) as Code
    }
}

/// Whether a place says nothing.
pub(super) fn is_empty(place: Ref<'_>) -> bool {
    match place.view() {
        View::Leaf(value) => value.is_null() || value.as_str() == Some(""),
        View::Array(items) => items.len() == 0,
        View::Object(fields) => fields.len() == 0,
    }
}

/// The code of what a field of an item says.
pub(super) fn content(id: &str, field: &str, place: Ref<'_>) -> Code {
    let mut hash = Hash::of(id, 0, field);
    hash.place(place);
    hash.code()
}

/// The code that takes back what earlier turns told of a field.
pub(super) fn taken_back(id: &str, field: &str) -> Code {
    Hash::of(id, 1, field).code()
}

/// The code which says that more than its card was told of an item, or less.
pub(super) fn more(id: &str) -> Code {
    Hash::of(id, 2, "").code()
}
