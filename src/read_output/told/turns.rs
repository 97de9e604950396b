//! What a turn told, in one text: codes of fields, and the cards of items in some three characters each.
//!
//! A turn that told anything, or that met new ids, adds one text, six bits in a character:
//! - the codes of fields, 24 bits each, and whether cards follow;
//! - 18 bits that are made of all ids which the state then held;
//! - which of the ids have a card here, and which of these ids are new;
//! - the different pairs of status and type, 12 bits each;
//! - the cards in the order of the ids: 16 bits of the title, and which of the pairs.
//!
//! Without its new ids, a state is the one which the turn before it left, so that the cards are read from the last turn to
//! the first. Where somebody changed the ids, no card of that turn and of those before it counts as told.

use std::collections::{BTreeMap, BTreeSet};

use super::bits::{Reader, Writer, width};
use super::{CARD, Code, Hash, LONGEST_IDENTITY, Ref};

/// The bits that say which ids the cards belong to.
const IDS_BITS: u32 = 18;

/// The bits of title, status and type.
const BITS: [u32; 3] = [16, 12, 12];

/// The bits of the code of a field.
pub(super) const FACT_BITS: u32 = 24;

/// The bits that say how many bits a number has.
const WIDTH_BITS: u32 = 5;

/// What the card of an item said when it was told last, field by field; 0 is a field that was not told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::read_output) struct Card([Code; 3]);

impl Card {
    /// Keeps what a field says now, or that it was told in part only.
    pub(in crate::read_output) fn tell(&mut self, id: &str, field: usize, place: Option<Ref<'_>>) {
        self.0[field] = place.map_or(0, |place| on_card(id, field, place));
    }

    /// Whether this was told of a field.
    pub(super) fn says(self, id: &str, field: usize, place: Ref<'_>) -> bool {
        self.0[field] == on_card(id, field, place)
    }

    fn pair(self) -> Pair {
        (self.0[1], self.0[2])
    }
}

/// Status and type: most items share them with others.
type Pair = (Code, Code);

/// What stands on a card for what a field says. A status or a type stands for itself, whose ever it is, so that no two of
/// those that every tracker has are alike.
fn on_card(id: &str, field: usize, place: Ref<'_>) -> Code {
    let mut hash = Hash::of(if field == 0 { id } else { "" }, 3, CARD[field]);
    hash.place(place);
    hash.bits(BITS[field]).max(1)
}

/// How many identities a turn will need.
#[derive(Default)]
pub(in crate::read_output) struct Room {
    ids: usize,
    cards: usize,
    pairs: BTreeSet<Pair>,
}

impl Room {
    /// Counts an id that has no card in this turn.
    pub(in crate::read_output) fn id(&mut self) {
        self.ids += 1;
    }

    /// Counts a card of an id that is counted.
    pub(in crate::read_output) fn card(&mut self, card: Card) {
        self.cards += 1;
        self.pairs.insert(card.pair());
    }

    /// The most identities that it takes, with so many codes of fields and with one more card.
    pub(super) fn identities(&self, turn: u32, facts: usize) -> usize {
        let (ids, cards, pairs) = (self.ids + 1, self.cards + 1, self.pairs.len() + 1);
        let each_card = (BITS[0] + width(pairs)) as usize;
        let fixed = (IDS_BITS + 2 * 2 + WIDTH_BITS + width(pairs)) as usize;
        let facts = (1 + 2 * WIDTH_BITS + width(facts)) as usize + facts * FACT_BITS as usize;
        let bits = facts + fixed + ids + cards + pairs * (BITS[1] + BITS[2]) as usize + cards * each_card;
        bits.div_ceil(6).div_ceil(each(turn))
    }
}

/// What one turn told, as far as it is read without the ids.
pub(super) struct Turn<'t> {
    /// The codes of fields.
    pub(super) facts: Vec<Code>,
    /// Where the cards begin.
    cards: Option<Reader<'t>>,
}

impl<'t> Turn<'t> {
    /// Reads a text; nothing where it is none.
    pub(super) fn read(text: &'t str) -> Option<Turn<'t>> {
        let mut bits = Reader::of(text);
        let width = bits.number(WIDTH_BITS)?;
        let count = bits.number(width)?;
        let facts: Option<Vec<Code>> = (0..count).map(|_| bits.number(FACT_BITS)).collect();
        Some(Turn { facts: facts?, cards: (bits.number(1)? == 1).then_some(bits) })
    }
}

/// The last card of each item, from what the turns told, the last one first, and the ids of the state.
pub(super) fn cards_of<'t>(
    turns: impl Iterator<Item = Turn<'t>>,
    mut ids: Vec<&String>,
) -> BTreeMap<String, Card> {
    let mut last = BTreeMap::new();
    for bits in turns.filter_map(|turn| turn.cards) {
        let Some(cards) = Cards::read(bits, &ids) else { break };
        for (n, card) in cards.cards {
            last.entry(ids[n].clone()).or_insert(card);
        }
        let mut places = 0..;
        ids.retain(|_| places.next().is_none_or(|n| !cards.new.contains(&n)));
    }
    last
}

/// The cards that one turn told, and which ids were new, by their places among the ids.
struct Cards {
    cards: Vec<(usize, Card)>,
    new: BTreeSet<usize>,
}

impl Cards {
    fn read(mut bits: Reader<'_>, ids: &[&String]) -> Option<Cards> {
        if bits.number(IDS_BITS)? != ids_code(ids) {
            return None;
        }
        let places = bits.chosen(&(0..ids.len()).collect::<Vec<_>>())?;
        let new = bits.chosen(&places)?;
        let index = bits.number(WIDTH_BITS)?;
        let pairs = bits.number(index)? + 1;
        let pairs: Option<Vec<Pair>> =
            (0..pairs).map(|_| Some((bits.number(BITS[1])?, bits.number(BITS[2])?))).collect();
        let pairs = pairs?;
        let mut card = || {
            let title = bits.number(BITS[0])?;
            let (status, kind) = *pairs.get(bits.number(index)? as usize)?;
            Some(Card([title, status, kind]))
        };
        let cards: Option<Vec<(usize, Card)>> =
            places.into_iter().map(|place| Some((place, card()?))).collect();
        Some(Cards { cards: cards?, new: new.into_iter().collect() })
    }
}

/// The text of a turn: codes of fields, cards that it told, and which of the ids it met first; nothing where it has none.
pub(super) fn text(
    facts: &BTreeSet<Code>,
    ids: &[&String],
    before: &BTreeMap<String, Card>,
    told: &BTreeMap<&String, Card>,
) -> String {
    let mut bits = Writer::default();
    let count = width(facts.len() + 1);
    bits.number(count, WIDTH_BITS);
    bits.number(facts.len() as Code, count);
    facts.iter().for_each(|fact| bits.number(*fact, FACT_BITS));
    let has_cards = ids.iter().any(|id| !before.contains_key(*id) || told.contains_key(id));
    if !has_cards && facts.is_empty() {
        return String::new();
    }
    bits.number(Code::from(has_cards), 1);
    if has_cards {
        write_cards(&mut bits, ids, before, told);
    }
    bits.digits()
}

fn write_cards(
    bits: &mut Writer,
    ids: &[&String],
    before: &BTreeMap<String, Card>,
    told: &BTreeMap<&String, Card>,
) {
    let is_new = |id: &String| !before.contains_key(id);
    let places = ids.iter().zip(0..).filter(|(id, _)| is_new(id) || told.contains_key(**id));
    let (own, places): (Vec<&String>, Vec<usize>) = places.map(|(id, n)| (*id, n)).unzip();
    let new: Vec<usize> = own.iter().zip(0..).filter(|(id, _)| is_new(id)).map(|(_, n)| n).collect();
    let cards: Vec<Card> = own.iter().map(|id| told.get(id).copied().unwrap_or_default()).collect();
    let pairs: Vec<Pair> =
        cards.iter().map(|card| card.pair()).collect::<BTreeSet<_>>().into_iter().collect();
    let index = width(pairs.len());
    bits.number(ids_code(ids), IDS_BITS);
    bits.chosen(&places, ids.len());
    bits.chosen(&new, own.len());
    bits.number(index, WIDTH_BITS);
    bits.number(pairs.len() as Code - 1, index);
    for (status, kind) in &pairs {
        bits.number(*status, BITS[1]);
        bits.number(*kind, BITS[2]);
    }
    for card in cards {
        bits.number(card.0[0], BITS[0]);
        bits.number(pairs.partition_point(|pair| *pair < card.pair()) as Code, index);
    }
}

/// A text as identities, each of which says its turn and its kind.
pub(super) fn identities(kind: char, turn: u32, text: &str) -> Vec<String> {
    // The digits are ASCII, so that any place is between two of them.
    let parts = text.as_bytes().chunks(each(turn)).map(String::from_utf8_lossy).zip(0..);
    let identity = |(part, n)| {
        if n == 0 { format!("{kind}.{turn}.{part}") } else { format!("{kind}.{turn}.{n}.{part}") }
    };
    parts.map(identity).collect()
}

/// How many characters of a turn an identity holds.
fn each(turn: u32) -> usize {
    LONGEST_IDENTITY - format!("0.{turn}.999.").len()
}

/// What the cards of a state belong to.
fn ids_code(ids: &[&String]) -> Code {
    let mut hash = Hash::of("", 4, "");
    ids.iter().for_each(|id| hash.text(id));
    hash.bits(IDS_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_two_statuses_and_types_of_every_tracker_are_alike() {
        let statuses =
            ["draft", "open", "in_progress", "blocked", "closed", "canceled", "review", "testing", "ready"];
        let types = [
            "Epic",
            "Feature",
            "Task",
            "Chore",
            "Issue",
            "Decision",
            "Event",
            "Reminder",
            "Milestone",
            "Meeting",
            "Plan",
            "Bug",
            "Story",
        ];
        for (field, words) in [(1, &statuses[..]), (2, &types[..])] {
            let codes: BTreeSet<Code> =
                words.iter().map(|word| on_card("pm-a", field, Ref::Value(&json!(word)))).collect();
            assert_eq!(codes.len(), words.len(), "{field}");
        }
    }

    /// Large turns and small ones, with new ids and with ids that are told again, with facts and without.
    #[test]
    fn what_many_turns_told_is_read_back() {
        let id = |n: u32| format!("pm-{n:04}");
        let (mut ids, mut texts, mut known) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        for turn in 0..14u32 {
            let kinds = 1 + turn * 50;
            let card = |n: u32| Card([n * 77 % (1 << BITS[0]), n % kinds, n / 7 % 3]);
            let count = [2_000, 1, 0, 40][turn as usize % 4];
            let fresh: Vec<String> = (0..count).map(|n| id((n * 37 + turn * 1_010) % 9_000)).collect();
            let told: BTreeMap<&String, Card> =
                fresh.iter().zip(0..).map(|(id, n)| (id, card(n + turn * 77))).collect();
            let facts: BTreeSet<Code> = (0..turn % 3 * 90).map(|n| n * 1_003).collect();
            ids.extend(fresh.iter().cloned());
            let all: Vec<&String> = ids.iter().collect();
            let mut room = Room::default();
            all.iter().for_each(|_| room.id());
            told.values().for_each(|card| room.card(*card));
            let text = text(&facts, &all, &known, &told);
            let identities = identities('0', turn, &text);
            assert!(identities.len() <= room.identities(turn, facts.len()), "{turn}");
            assert!(identities.iter().all(|identity| identity.len() <= LONGEST_IDENTITY));
            known.extend(told.iter().map(|(id, card)| ((*id).clone(), *card)));
            if text.is_empty() {
                assert!(facts.is_empty() && told.is_empty());
            } else {
                assert_eq!(Turn::read(&text).unwrap().facts, facts.into_iter().collect::<Vec<_>>());
            }
            texts.push(text);
            let turns = texts.iter().rev().filter_map(|text| Turn::read(text));
            assert_eq!(cards_of(turns, all), known, "{turn}");
        }
    }
}
