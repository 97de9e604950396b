//! How much two titles look like the same piece of work (surfaces.md §17; product.md §4: numbers discriminate).

use std::collections::BTreeSet;

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
    words: BTreeSet<String>,
    codes: BTreeSet<String>,
}

impl Title {
    /// Takes a title apart.
    pub fn new(title: &str) -> Title {
        let normal = title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let split = |keep: fn(char) -> bool| normal.split(move |c| !keep(c)).filter(|w| !w.is_empty());
        let words = split(char::is_alphanumeric).map(str::to_owned).collect();
        let codes = split(|c| c.is_ascii_alphanumeric() || c == '-')
            .filter(|w| is_code(w))
            .map(str::to_owned)
            .collect();
        Title { normal, words, codes }
    }

    /// The title without differences of case and blanks.
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Its words, each once.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
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

    /// The issue codes that it names.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes.iter().map(String::as_str)
    }

    /// How alike two titles are, 0 to 1, and why.
    ///
    /// Titles that differ in their numbers are different pieces of work: `Step 1` is not `Step 2`.
    pub fn score(&self, other: &Title) -> (f64, Reason) {
        if self.normal == other.normal {
            return (1.0, Reason::ExactTitle);
        }
        if self.codes.intersection(&other.codes).next().is_some() {
            return (0.99, Reason::IssueCode);
        }
        if !self.numbers().eq(other.numbers()) {
            return (0.0, Reason::Words);
        }
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.union(&other.words).count();
        // A title has a handful of words: the counts are exact.
        (if all == 0 { 0.0 } else { shared as f64 / all as f64 }, Reason::Words)
    }
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
