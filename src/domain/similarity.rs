//! How much two titles look like the same piece of work (surfaces.md §17; product.md §4: numbers discriminate).

use std::cmp::Ordering;
use std::ops::Range;

use crate::model::records::{Record, Records};

/// Why two titles look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They are the same but for case and white space.
    ExactTitle,
    /// They name the same issue code.
    IssueCode,
    /// They share most of their words.
    Words,
}

impl Reason {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::ExactTitle => "exact_title",
            Reason::IssueCode => "issue_code",
            Reason::Words => "title_token_jaccard",
        }
    }
}

/// A title, taken apart once.
#[derive(Clone, Debug)]
pub struct Title {
    normal: String,
    /// Its words, each once, by text.
    words: Vec<Span>,
    /// The issue codes, each once, by text.
    codes: Vec<Span>,
}

/// A part of a title.
type Span = Range<usize>;

impl Title {
    /// Takes a title apart.
    pub fn new(title: &str) -> Title {
        let mut normal = String::with_capacity(title.len());
        for word in title.split_whitespace() {
            if !normal.is_empty() {
                normal.push(' ');
            }
            normal.push_str(word);
        }
        let normal = normal.to_lowercase();
        let words = spans(&normal, char::is_alphanumeric, |_| true);
        let codes = spans(&normal, |c| c.is_ascii_alphanumeric() || c == '-', is_code);
        Title { normal, words, codes }
    }

    fn texts<'t>(&'t self, spans: &'t [Span]) -> impl Iterator<Item = &'t str> + Clone {
        spans.iter().map(|span| &self.normal[span.clone()])
    }

    /// The title without differences of case and blanks.
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Its words, each once, by text.
    pub fn words(&self) -> impl Iterator<Item = &str> + Clone {
        self.texts(&self.words)
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Its words with a digit in them.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        self.words().filter(|word| word.bytes().any(|b| b.is_ascii_digit()))
    }

    /// The issue codes that it names, each once, by text.
    pub fn codes(&self) -> impl Iterator<Item = &str> + Clone {
        self.texts(&self.codes)
    }

    /// How alike two titles are, 0 to 1, and why.
    ///
    /// Titles that differ in their numbers are different pieces of work: `Step 1` is not `Step 2`.
    pub fn score(&self, other: &Title) -> (f64, Reason) {
        if self.normal == other.normal {
            return (1.0, Reason::ExactTitle);
        }
        if shared(self.codes(), other.codes()) > 0 {
            return (0.99, Reason::IssueCode);
        }
        if !self.numbers().eq(other.numbers()) {
            return (0.0, Reason::Words);
        }
        (share(shared(self.words(), other.words()), self.len(), other.len()), Reason::Words)
    }
}

/// Which share of the words of two titles both have. A title has a handful of words: the counts are exact.
pub(super) fn share(shared: usize, one: usize, other: usize) -> f64 {
    let all = one + other - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// How many entries two ordered sequences share, each entry standing there once.
pub(super) fn shared<T: Ord>(mut one: impl Iterator<Item = T>, mut other: impl Iterator<Item = T>) -> usize {
    let (mut a, mut b, mut count) = (one.next(), other.next(), 0);
    while let (Some(x), Some(y)) = (&a, &b) {
        match x.cmp(y) {
            Ordering::Less => a = one.next(),
            Ordering::Greater => b = other.next(),
            Ordering::Equal => {
                count += 1;
                (a, b) = (one.next(), other.next());
            }
        }
    }
    count
}

/// The parts of a text that consist of such characters and pass a test, each once, by text.
fn spans(text: &str, keep: fn(char) -> bool, admits: fn(&str) -> bool) -> Vec<Span> {
    let parts = text.split(|c| !keep(c)).filter(|part| !part.is_empty() && admits(part));
    let start = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let mut spans: Vec<Span> = parts.map(|part| start(part)..start(part) + part.len()).collect();
    spans.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
    spans.dedup_by(|a, b| text[a.clone()] == text[b.clone()]);
    spans
}

/// `abc-12`, `abc-12-x`: letters and digits, a hyphen, digits, maybe more parts.
fn is_code(word: &str) -> bool {
    let mut parts = word.split('-');
    let starts = parts.next().is_some_and(|p| p.starts_with(|c: char| c.is_ascii_lowercase()));
    let number = parts.next().is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    starts && number && parts.all(|p| !p.is_empty())
}

/// The items whose titles look most like this one, best first.
pub fn nearest<'a>(
    records: &'a Records,
    title: &str,
    threshold: f64,
    limit: usize,
) -> Vec<(Record<'a>, f64, Reason)> {
    let wanted = Title::new(title);
    let mut found: Vec<_> = records
        .iter()
        .map(|record| {
            let (score, reason) = wanted.score(&Title::new(record.title()));
            (record, score, reason)
        })
        .filter(|(_, score, _)| *score >= threshold && *score > 0.0)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.id().cmp(b.0.id())));
    found.truncate(limit);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_alike_for_one_reason() {
        for (a, b, want, reason) in [
            ("Fix  Login", "fix login", 1.0, Reason::ExactTitle),
            ("Fix GH-12", "about gh-12 again", 0.99, Reason::IssueCode),
            ("fix the login page", "fix the login form", 0.6, Reason::Words),
            ("Step 1 of login", "Step 2 of login", 0.0, Reason::Words),
            ("a", "b", 0.0, Reason::Words),
        ] {
            assert_eq!(Title::new(a).score(&Title::new(b)), (want, reason), "{a} / {b}");
        }
    }
}
