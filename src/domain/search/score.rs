//! Which items answer a question, and how well: BM25F over words, their forms and phrases (product.md §4).
//!
//! A unit of the question scores `tf / (K1 + tf)` in an item, where `tf` sums its occurrences, each weighted by the
//! class of its field and by the length of that class. A quarter of what a unit can add depends on whether the title
//! has it: a long item says every word of a whole question somewhere, the one that answers it names them. The units are
//! weighted by how rare they are, less than rarity alone would have it, since the rarest word of a question is often not
//! what it is about; the sum is divided by the most that it could be. So a score is 0 to 1, and 1 only for an id or a
//! title given exactly.

use std::collections::{BTreeMap, HashMap};

use super::corpus::Corpus;
use super::document::Class;
use super::question::{Part, Question, Unit};
use super::segment::{Entry, Posting, Segment};
use super::spelling;
use super::words::{folded, stem};

const K1: f64 = 1.2;

/// Weight of an occurrence and strength of the length norm, per class.
const CLASSES: [(f64, f64); Class::COUNT] = [(6.0, 0.4), (3.0, 0.2), (2.0, 0.5), (1.0, 0.75), (0.5, 0.5)];

/// The part of a unit's share that is kept for items with the unit in their title.
const TITLED: f64 = 0.25;

/// How much rarity says, as a power.
const RARITY: f64 = 0.7;

/// What an occurrence of another form of the word counts, and of a word that only begins with it.
const OTHER_FORM: f64 = 0.85;
const LONGER_WORD: f64 = 0.35;

/// What is missing to 1 shrinks to this when the title holds the whole question, or is it.
const TITLE_HOLDS: f64 = 0.6;

/// The shortest word that may stand for longer ones.
const SHORTEST_BEGINNING: usize = 3;

/// A score of 1.
pub(crate) const WHOLE: u32 = 10_000;

/// How the part of a score is called that a title adds.
const OF_TITLE: &str = "(title)";

/// An item that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Its row.
    pub(crate) row: u32,
    /// How well, of [`WHOLE`].
    pub(crate) score: u32,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// In no order.
    pub(crate) hits: Vec<Hit>,
    /// Words that no item says, each with the word that was looked for instead.
    pub(crate) corrections: Vec<(String, String)>,
    /// What counts as a match: per unit of the question that was not excluded, the alternatives for each of its words.
    pub(crate) matched: Vec<Vec<Vec<String>>>,
    /// The same units, each with what it adds to the score of a row, 0 to 1; only when reasons are wanted.
    shares: Vec<(String, HashMap<u32, f64>)>,
}

impl Found {
    /// What a score is made of, in parts of [`WHOLE`] that add up to it: the units of the question, then the title.
    pub(crate) fn parts(&self, hit: Hit) -> Vec<(&str, u32)> {
        let (mut parts, mut sum, mut told) = (Vec::new(), 0.0, 0);
        for (unit, shares) in &self.shares {
            sum += shares.get(&hit.row).copied().unwrap_or(0.0) * f64::from(WHOLE);
            // Rounding what there is so far loses nothing.
            let so_far = (sum.round() as u32).min(hit.score);
            parts.push((unit.as_str(), so_far - told));
            told = so_far;
        }
        parts.push((OF_TITLE, hit.score - told));
        parts.retain(|(_, part)| *part > 0);
        parts
    }
}

/// How much of a unit an item has.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    /// Its occurrences, weighted.
    sum: f64,
    /// The title has it, in some form.
    titled: bool,
}

impl Weight {
    /// What the item has of the most that the unit can add, 0 to 1.
    fn share(self) -> f64 {
        (1.0 - TITLED) * self.sum / (K1 + self.sum) + if self.titled { TITLED } else { 0.0 }
    }
}

/// Occurrences of a unit: rows ascending are not promised.
type Weights = Vec<(u32, Weight)>;

/// Answers questions about a corpus.
#[derive(Debug)]
pub(crate) struct Searcher<'c, 'a> {
    corpus: &'c Corpus<'a>,
    means: [f64; Class::COUNT],
    /// Whether linked files, documents and tests count.
    linked: bool,
    /// Whether what each score is made of is kept.
    explains: bool,
    /// Sums of weights per row, all zero between units.
    sums: Vec<Weight>,
}

impl<'c, 'a> Searcher<'c, 'a> {
    /// Prepares a corpus for questions.
    pub(crate) fn new(corpus: &'c Corpus<'a>, linked: bool) -> Searcher<'c, 'a> {
        let sums = vec![Weight::default(); corpus.records.len()];
        Searcher { corpus, means: corpus.mean_lengths(), linked, explains: false, sums }
    }

    /// Keeps what each score is made of, for [`Found::parts`].
    pub(crate) fn explaining(mut self, explains: bool) -> Searcher<'c, 'a> {
        self.explains = explains;
        self
    }

    /// The items that answer and that `admits` lets through; `None` when postings are damaged.
    pub(crate) fn find(&mut self, question: &Question, admits: &dyn Fn(u32) -> bool) -> Option<Found> {
        let mut found = Found::default();
        let rows = self.corpus.records.len();
        let (mut scores, mut units, mut excluded) = (vec![0.0f64; rows], vec![0u32; rows], vec![false; rows]);
        let (mut most, mut required, mut all) = (0.0, 0u32, 0u32);
        let total = self.corpus.documents() as f64;
        for (number, unit) in question.units.iter().enumerate() {
            let open_ended = question.is_open_ended() && number + 1 == question.units.len();
            let (alternatives, weights, documents) = self.weigh(unit, open_ended, &mut found.corrections)?;
            if unit.part == Part::Excluded {
                weights.iter().for_each(|(row, _)| excluded[*row as usize] = true);
                continue;
            }
            let bit = 1u32 << number;
            let rare = (1.0 + (total - documents as f64 + 0.5).max(0.5) / (documents as f64 + 0.5)).ln();
            let rarity = rare.powf(RARITY);
            most += rarity;
            all |= bit;
            if unit.part == Part::Required {
                required |= bit;
            }
            let mut shares = HashMap::new();
            for (row, weight) in weights {
                let share = rarity * weight.share();
                units[row as usize] |= bit;
                scores[row as usize] += share;
                if self.explains {
                    shares.insert(row, share);
                }
            }
            found.matched.push(alternatives);
            found.shares.push((unit.words.join(" "), shares));
        }
        found.shares.iter_mut().flat_map(|(_, shares)| shares.values_mut()).for_each(|share| *share /= most);
        let text = question.folded();
        for row in 0..rows as u32 {
            let has = units[row as usize];
            if has != 0 && has & required == required && !excluded[row as usize] && admits(row) {
                let score = self.with_title(row, scores[row as usize] / most, has == all, &text);
                found.hits.push(Hit { row, score: (score * f64::from(WHOLE)).round() as u32 });
            }
        }
        Some(found)
    }

    /// A title that holds the question as it was asked says more than its words do.
    fn with_title(&self, row: u32, score: f64, has_all: bool, text: &str) -> f64 {
        if !has_all {
            return score.min(0.9999);
        }
        let Some(record) = self.corpus.records.get(row as usize) else { return score };
        let title = folded(record.title());
        if title == text {
            return 1.0;
        }
        let score = if holds(&title, text) { 1.0 - (1.0 - score) * TITLE_HOLDS } else { score };
        score.min(0.9999)
    }

    /// What matches a unit, how much each row has of it, and how many documents have it proper.
    fn weigh(
        &mut self,
        unit: &Unit,
        open_ended: bool,
        corrections: &mut Vec<(String, String)>,
    ) -> Option<(Vec<Vec<String>>, Weights, usize)> {
        let [word] = &unit.words[..] else {
            let weights = self.weigh_phrase(&unit.words)?;
            let documents = weights.len();
            return Some((unit.words.iter().map(|word| vec![word.clone()]).collect(), weights, documents));
        };
        let mut forms = self.forms(word, open_ended);
        if forms.is_empty()
            && unit.part != Part::Excluded
            && let Some(meant) = self.nearest(word)?
        {
            forms = self.forms(&meant, false);
            corrections.push((word.clone(), meant));
        }
        let mut documents = None;
        for proper in [true, false] {
            for (form, factor) in forms.iter().filter(|(_, factor)| (**factor > LONGER_WORD) == proper) {
                self.add_word(form, *factor)?;
            }
            if proper {
                let count = self.sums.iter().filter(|weight| weight.sum > 0.0).count();
                documents = (count > 0).then_some(count);
            }
        }
        let weights = self.take_sums();
        let documents = documents.unwrap_or(weights.len());
        Some((vec![forms.into_keys().collect()], weights, documents))
    }

    fn take_sums(&mut self) -> Weights {
        let mut weights = Vec::new();
        for (row, weight) in (0u32..).zip(&mut self.sums) {
            if weight.sum > 0.0 {
                weights.push((row, std::mem::take(weight)));
            }
        }
        weights
    }

    /// The words of all items that stand for `word`, each with what an occurrence counts.
    fn forms(&self, word: &str, open_ended: bool) -> BTreeMap<String, f64> {
        let mut forms = BTreeMap::new();
        let root = stem(word);
        let shared = match root.char_indices().last() {
            Some((at, _)) if at >= 2 => &root[..at],
            _ => &root,
        };
        for (number, segment) in self.corpus.segments.iter().enumerate() {
            for entry in segment.with_prefix(shared) {
                let factor = if entry.spelling == word {
                    1.0
                } else if stem(entry.spelling) == root {
                    OTHER_FORM
                } else if open_ended && word.len() >= SHORTEST_BEGINNING && entry.spelling.starts_with(word) {
                    LONGER_WORD
                } else {
                    continue;
                };
                if !forms.contains_key(entry.spelling) && self.is_live(number, entry) {
                    forms.insert(entry.spelling.to_owned(), factor);
                }
            }
        }
        forms
    }

    /// Whether any item that is still there says the word; damaged postings count as yes, reading them will tell.
    fn is_live(&self, segment: usize, entry: Entry<'a>) -> bool {
        entry.postings().is_none_or(|mut list| list.any(|p| self.corpus.row(segment, p.document).is_some()))
    }

    /// The nearest word that items say; among equally near ones the most frequent, then the first.
    fn nearest(&self, word: &str) -> Option<Option<String>> {
        let known = self.corpus.segments.iter().flat_map(|s| (0..s.words()).map_while(|n| s.word(n)));
        let mut near = spelling::nearest(word, known.map(|entry| entry.spelling));
        near.sort_unstable();
        near.dedup();
        let mut best: Option<(usize, &str)> = None;
        for spelling in near {
            let mut documents = 0;
            self.each_posting(spelling, |_, _, _| documents += 1)?;
            if documents > best.map_or(0, |best| best.0) {
                best = Some((documents, spelling));
            }
        }
        Some(best.map(|(_, spelling)| spelling.to_owned()))
    }

    /// Calls `each` with segment, row and posting of every document that has exactly this word.
    fn each_posting(&self, word: &str, mut each: impl FnMut(&Segment<'a>, u32, &Posting<'a>)) -> Option<()> {
        for (number, segment) in self.corpus.segments.iter().enumerate() {
            let Some(entry) = segment.with_prefix(word).next().filter(|entry| entry.spelling == word) else {
                continue;
            };
            for posting in entry.postings()? {
                if let Some(row) = self.corpus.row(number, posting.document) {
                    each(segment, row, &posting);
                }
            }
        }
        Some(())
    }

    fn add_word(&mut self, word: &str, factor: f64) -> Option<()> {
        let mut sums = std::mem::take(&mut self.sums);
        let whole = self.each_posting(word, |segment, row, posting| {
            let weight = self.weight(*segment, row, posting.document, posting.places());
            let all = &mut sums[row as usize];
            all.sum += factor * weight.sum;
            all.titled |= weight.titled && factor > LONGER_WORD;
        });
        self.sums = sums;
        whole
    }

    fn weigh_phrase(&mut self, words: &[String]) -> Option<Weights> {
        // Per row the places at which the words so far end.
        let mut ends: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut weights = Vec::new();
        for (number, word) in words.iter().enumerate() {
            let mut longer = BTreeMap::new();
            self.each_posting(word, |segment, row, posting| {
                let places: Vec<u32> = match number {
                    0 => posting.places().collect(),
                    _ => match ends.get(&row) {
                        Some(before) => posting
                            .places()
                            .filter(|p| before.binary_search(&p.wrapping_sub(1)).is_ok())
                            .collect(),
                        None => return,
                    },
                };
                if number + 1 == words.len() {
                    let weight = self.weight(*segment, row, posting.document, places.iter().copied());
                    if weight.sum > 0.0 {
                        weights.push((row, weight));
                    }
                } else if !places.is_empty() {
                    longer.insert(row, places);
                }
            })?;
            ends = longer;
        }
        Some(weights)
    }

    /// The weighted count of occurrences at these places, and whether one is in the title.
    fn weight(
        &self,
        segment: Segment<'a>,
        row: u32,
        document: u32,
        places: impl Iterator<Item = u32>,
    ) -> Weight {
        let mut counts = [0u32; Class::COUNT];
        let mut fields = segment.fields(document).peekable();
        let mut class = Class::Rest;
        for place in places {
            while let Some((field, _)) = fields.next_if(|(_, first)| *first <= place) {
                class = field.class();
            }
            counts[class as usize] += 1;
        }
        if !self.linked {
            counts[Class::Linked as usize] = 0;
        }
        let lengths = self.corpus.lengths(row);
        let of_class = |n: usize| {
            if counts[n] == 0 {
                return 0.0;
            }
            let (weight, norm) = CLASSES[n];
            let relative = f64::from(lengths[n]) / self.means[n].max(1.0);
            weight * f64::from(counts[n]) / (1.0 - norm + norm * relative)
        };
        Weight { sum: (0..Class::COUNT).map(of_class).sum(), titled: counts[Class::Title as usize] > 0 }
    }
}

/// Whether a folded text holds another one at word boundaries.
fn holds(text: &str, part: &str) -> bool {
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    text.match_indices(part).any(|(at, _)| {
        is_edge(text[..at].chars().next_back()) && is_edge(text[at + part.len()..].chars().next())
    })
}
