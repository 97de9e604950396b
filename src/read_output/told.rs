//! What a session remembers of the facts that it told: a code of each, made of the item, the field and its content.
//!
//! The codes travel among the identities of the session, many in one: `0:<turn>:<codes>`, four characters a code. A
//! later turn may take back what an earlier one told of a field, by a code of its own: what was told before an item
//! changed is not what the caller knows of it now, even when the item changes back.
//!
//! An id alone, in a session that carries no codes from its first answer on, is an item that the caller counts as told
//! by itself: whatever its content is, it is known. Codes of such a session begin with `1:`.

use std::collections::{BTreeSet, HashMap};

use super::tree::{Ref, View};

/// Six bits each.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";

/// The characters of a code.
const WIDTH: usize = 4;

/// The longest identity that a session carries.
pub(super) const LONGEST_IDENTITY: usize = 128;

/// What stands for a fact: 24 bits.
pub(super) type Code = u32;

/// The codes that a session carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The last turn in which each was told.
    turns: HashMap<Code, u32>,
    /// The turn of this read.
    turn: u32,
    /// Ids that the caller counts as told stand for themselves.
    by_id_alone: bool,
}

/// The parts of an identity that holds codes: whether ids stand for themselves, the turn, the codes.
fn parts(identity: &str) -> Option<(bool, u32, &str)> {
    let mut parts = identity.splitn(3, ':');
    let by_id_alone = match parts.next()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    let turn = parts.next()?.parse().ok().filter(|turn| *turn < u32::MAX)?;
    let codes = parts.next().filter(|codes| codes.len().is_multiple_of(WIDTH))?;
    codes.bytes().all(|byte| DIGITS.contains(&byte)).then_some((by_id_alone, turn, codes))
}

/// Whether an identity is no item but holds codes.
pub(super) fn holds_codes(identity: &str) -> bool {
    parts(identity).is_some()
}

impl Told {
    /// The codes among the identities of a session.
    pub(super) fn of(seen: &BTreeSet<String>) -> Told {
        let mut told = Told::default();
        let mut from_the_first = false;
        for (by_id_alone, turn, codes) in seen.iter().filter_map(|identity| parts(identity)) {
            from_the_first |= !by_id_alone;
            told.turn = told.turn.max(turn + 1);
            for code in codes.as_bytes().chunks(WIDTH) {
                let digit = |byte: &u8| DIGITS.iter().position(|digit| digit == byte).unwrap_or_default();
                let code = code.iter().fold(0, |code, byte| code << 6 | digit(byte) as Code);
                let last = told.turns.entry(code).or_default();
                *last = turn.max(*last);
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
    pub(super) fn knows(&self, id: &str, field: &str, content: Code) -> bool {
        let back = self.turns.get(&taken_back(id, field));
        self.turns.get(&content).is_some_and(|told| back.is_none_or(|back| told >= back))
    }

    /// Whether anything beside its card was told of an item.
    pub(super) fn knows_more_of(&self, id: &str) -> bool {
        self.turns.contains_key(&more(id))
    }

    /// Identities that hold these codes; as many as it takes, in order.
    pub(super) fn pack(&self, codes: &BTreeSet<Code>) -> Vec<String> {
        let begin = format!("{}:{}:", u8::from(self.by_id_alone), self.turn);
        let codes: Vec<Code> = codes.iter().copied().collect();
        let text = |code: &Code| {
            let digit = |n: usize| char::from(DIGITS[(code >> (6 * (WIDTH - 1 - n))) as usize & 63]);
            (0..WIDTH).map(digit).collect::<String>()
        };
        codes
            .chunks(self.each())
            .map(|codes| begin.clone() + &codes.iter().map(text).collect::<String>())
            .collect()
    }

    /// How many identities hold so many codes.
    pub(super) fn packs(&self, codes: usize) -> usize {
        codes.div_ceil(self.each())
    }

    fn each(&self) -> usize {
        (LONGEST_IDENTITY - format!("0:{}:", self.turn).len()) / WIDTH
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
        let mixed = (self.0 ^ self.0 >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as Code
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
