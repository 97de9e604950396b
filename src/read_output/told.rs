//! What a session remembers of the facts that it told: a code of each, made of the item, the field and its content.
//!
//! The codes travel among the identities of the session, many in one: `0:<turn>:<codes>`, four characters a code. A
//! later turn may take back what an earlier one told of a field, by a code of its own: what was told before an item
//! changed is not what the caller knows of it now, even when the item changes back.
//!
//! The last card that was told of each item is five characters, since cards are most of what is ever told and each answer
//! hands all of it on: `2:<n>:<codes>`, in the order of the ids, behind three characters that are made of these ids. When
//! somebody changed the ids, no card counts as told.
//!
//! An id alone, in a session that carries no codes from its first answer on, is an item that the caller counts as told
//! by itself: whatever its content is, it is known. Codes of such a session begin with `1:`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::tree::{Ref, View};

/// Six bits each.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";

/// The characters of the code of a field.
const WIDTH: usize = 4;

/// The characters of the code of a card.
const CARD_WIDTH: usize = 5;

/// The characters that say which ids the cards belong to.
const IDS_WIDTH: usize = 3;

/// How many characters of cards an identity holds, beside a number of four digits.
const CARDS_EACH: usize = 120;

/// The fields of a card.
pub(super) const CARD: [&str; 3] = ["title", "status", "type"];

/// The longest identity that a session carries.
pub(super) const LONGEST_IDENTITY: usize = 128;

/// What stands for a fact: 24 bits.
pub(super) type Code = u32;

/// The bits of title, status and type in the code of a card.
const BITS: [u32; 3] = [10, 10, 10];

/// What the card of an item said when it was told last, field by field; 0 is a field that was not told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Card([Code; 3]);

impl Card {
    fn read(digits: &[u8]) -> Card {
        let code = read(digits);
        let field = |n: usize| code >> BITS[n + 1..].iter().sum::<u32>() & ((1 << BITS[n]) - 1);
        Card([field(0), field(1), field(2)])
    }

    fn written(self) -> String {
        written(self.0.iter().zip(BITS).fold(0, |code, (field, bits)| code << bits | field), CARD_WIDTH)
    }

    /// Keeps what a field says now, or that it was told in part only.
    pub(super) fn tell(&mut self, id: &str, field: usize, place: Option<Ref<'_>>) {
        self.0[field] = place.map_or(0, |place| on_card(id, field, place));
    }
}

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

/// What the codes of an identity are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Facts,
    /// Facts, in a session whose ids stand for themselves.
    FactsBesideIds,
    Cards,
}

/// The parts of an identity that holds codes: their kind, the turn, the codes.
fn parts(identity: &str) -> Option<(Kind, u32, &str)> {
    let mut parts = identity.splitn(3, ':');
    let (kind, width) = match parts.next()? {
        "0" => (Kind::Facts, WIDTH),
        "1" => (Kind::FactsBesideIds, WIDTH),
        "2" => (Kind::Cards, 1),
        _ => return None,
    };
    let turn = parts.next()?.parse().ok().filter(|turn| *turn < u32::MAX)?;
    let codes = parts.next().filter(|codes| codes.len().is_multiple_of(width))?;
    codes.bytes().all(|byte| DIGITS.contains(&byte)).then_some((kind, turn, codes))
}

/// Whether an identity is no item but holds codes.
pub(super) fn holds_codes(identity: &str) -> bool {
    parts(identity).is_some()
}

/// Whether an identity holds the cards that were told.
pub(super) fn holds_cards(identity: &str) -> bool {
    parts(identity).is_some_and(|(kind, ..)| kind == Kind::Cards)
}

fn read(digits: &[u8]) -> Code {
    let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte).unwrap_or_default();
    digits.iter().fold(0, |code, byte| code << 6 | digit(byte) as Code)
}

fn written(code: Code, width: usize) -> String {
    (1..=width).map(|n| char::from(DIGITS[(code >> (6 * (width - n))) as usize & 63])).collect()
}

impl Told {
    /// The codes among the identities of a session.
    pub(super) fn of(seen: &BTreeSet<String>) -> Told {
        let mut told = Told::default();
        let mut from_the_first = false;
        let mut cards = BTreeMap::new();
        for (kind, turn, codes) in seen.iter().filter_map(|identity| parts(identity)) {
            from_the_first |= kind != Kind::FactsBesideIds;
            if kind == Kind::Cards {
                cards.insert(turn, codes);
                continue;
            }
            told.turn = told.turn.max(turn + 1);
            for code in codes.as_bytes().chunks(WIDTH) {
                let last = told.turns.entry(read(code)).or_default();
                *last = turn.max(*last);
            }
        }
        let cards = cards.into_values().collect::<String>();
        if let Some((ids_code, cards)) = cards.split_at_checked(IDS_WIDTH) {
            let ids: Vec<&String> = seen.iter().filter(|identity| !holds_codes(identity)).collect();
            if ids_code == self::ids_code(&ids) && cards.len() == ids.len() * CARD_WIDTH {
                let cards = cards.as_bytes().chunks(CARD_WIDTH).map(Card::read);
                told.cards = ids.into_iter().cloned().zip(cards).collect();
            }
        }
        told.by_id_alone = !from_the_first && seen.iter().any(|identity| !identity.contains(':'));
        told
    }

    /// Whether an id says that the card of an item was told, whatever stands on it.
    pub(super) fn is_by_id_alone(&self) -> bool {
        self.by_id_alone
    }

    /// Whether this was told of a field, and nothing else after it.
    pub(super) fn knows(&self, id: &str, name: &str, place: Ref<'_>) -> bool {
        if let (Some(field), Some(card)) = (place_on_card(name), self.cards.get(id)) {
            return card.0[field] == on_card(id, field, place);
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

    /// Identities that hold what was told before and these cards, for the ids of a state; none where nothing was told.
    pub(super) fn pack_cards(&self, ids: &[&String], new: &BTreeMap<&String, Card>) -> Vec<String> {
        let card = |id: &&String| new.get(*id).copied().or_else(|| self.card(id)).unwrap_or_default();
        let cards: Vec<Card> = ids.iter().map(card).collect();
        if cards.iter().all(|card| *card == Card::default()) {
            return Vec::new();
        }
        let text = ids_code(ids) + &cards.into_iter().map(Card::written).collect::<String>();
        // The digits are ASCII, so that any place is between two of them.
        let blocks = text.as_bytes().chunks(CARDS_EACH).zip(0..);
        blocks.map(|(block, n)| format!("2:{n}:{}", String::from_utf8_lossy(block))).collect()
    }

    /// Identities that hold these codes of fields; as many as it takes, in order.
    pub(super) fn pack(&self, codes: &BTreeSet<Code>) -> Vec<String> {
        let begin = format!("{}:{}:", u8::from(self.by_id_alone), self.turn);
        let codes: Vec<String> = codes.iter().map(|code| written(*code, WIDTH)).collect();
        codes.chunks(self.each()).map(|codes| begin.clone() + &codes.concat()).collect()
    }

    /// How many identities hold so many codes of fields, and the cards of so many ids.
    pub(super) fn packs(&self, codes: usize, ids: usize) -> usize {
        let cards = if self.by_id_alone { 0 } else { (IDS_WIDTH + ids * CARD_WIDTH).div_ceil(CARDS_EACH) };
        codes.div_ceil(self.each()) + cards
    }

    fn each(&self) -> usize {
        (LONGEST_IDENTITY - format!("0:{}:", self.turn).len()) / WIDTH
    }
}

/// What the cards of a state belong to.
fn ids_code(ids: &[&String]) -> String {
    let mut hash = Hash::of("", 4, "");
    ids.iter().for_each(|id| hash.text(id));
    written(hash.bits(18), IDS_WIDTH)
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

/// What stands on a card for what a field says.
fn on_card(id: &str, field: usize, place: Ref<'_>) -> Code {
    let mut hash = Hash::of(id, 3, CARD[field]);
    hash.place(place);
    hash.bits(BITS[field]).max(1)
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
