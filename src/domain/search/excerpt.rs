//! Why an item was found: the fields that match, a line of text around the best match, marked matches.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::document::{Class, Field};
use super::words::each_word;

/// How many characters of text a snippet shows.
const SNIPPET: usize = 70;

/// How many characters a highlight shows on either side of its first match.
const MARGIN: usize = 60;

/// Finds the words of a question in texts.
#[derive(Debug)]
pub(crate) struct Matcher<'q> {
    /// Alternatives by spelling: unit, and which of its words.
    words: HashMap<&'q str, Vec<(usize, usize)>, FixedState>,
    /// How many words each unit has.
    lengths: Vec<usize>,
}

/// A match in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Match {
    unit: usize,
    span: (usize, usize),
}

impl<'q> Matcher<'q> {
    /// A matcher for what a search says it matched: per unit the alternatives for each of its words.
    pub(crate) fn new(matched: &'q [Vec<Vec<String>>]) -> Matcher<'q> {
        let mut words: HashMap<&str, Vec<(usize, usize)>, FixedState> = HashMap::default();
        for (unit, parts) in matched.iter().enumerate() {
            for (part, alternatives) in parts.iter().enumerate() {
                for word in alternatives {
                    words.entry(word).or_default().push((unit, part));
                }
            }
        }
        Matcher { words, lengths: matched.iter().map(Vec::len).collect() }
    }

    fn matches(&self, text: &str) -> Vec<Match> {
        let mut found = Vec::new();
        // Per unit how much of it stands before this word: count of words, place of the last, start of the first.
        let mut begun = vec![(0usize, 0u32, 0usize); self.lengths.len()];
        each_word(text, |word| {
            for (unit, part) in self.words.get(word.form).into_iter().flatten() {
                let (count, last, start) = &mut begun[*unit];
                if *part > 0 && (*count != *part || *last + 1 != word.place) {
                    continue;
                }
                if *part == 0 {
                    *start = word.span.0;
                }
                (*count, *last) = (part + 1, word.place);
                if *count == self.lengths[*unit] {
                    found.push(Match { unit: *unit, span: (*start, word.span.1) });
                }
            }
        });
        found
    }

    /// The names of the fields in which anything matches, in the order of the alphabet.
    pub(crate) fn fields(&self, texts: &[(Field, &str)]) -> BTreeSet<&'static str> {
        let matches = |(_, text): &&(Field, &str)| !self.matches(text).is_empty();
        texts.iter().filter(matches).map(|(field, _)| field.name()).collect()
    }

    /// One line of text that shows the best match outside of the title, or how the item begins.
    pub(crate) fn snippet(&self, texts: &[(Field, &str)]) -> String {
        let mut best: Option<(usize, &str, (usize, usize))> = None;
        for (field, text) in texts {
            if matches!(field.class(), Class::Title | Class::Tags | Class::Linked) {
                continue;
            }
            let matches = self.matches(text);
            for (n, first) in matches.iter().enumerate() {
                let close = |m: &&Match| m.span.1 <= first.span.0 + SNIPPET;
                let window: Vec<&Match> = matches[n..].iter().take_while(close).collect();
                let units: BTreeSet<usize> = window.iter().map(|m| m.unit).collect();
                if units.len() > best.map_or(0, |best| best.0) {
                    let end = window.last().map_or(first.span.1, |m| m.span.1);
                    best = Some((units.len(), text, (first.span.0, end)));
                }
            }
        }
        match best {
            Some((_, text, span)) => line(text, around(text, span, SNIPPET), &[]),
            None => {
                let of =
                    |class| texts.iter().find(|(field, _)| field.class() == class).map(|(_, text)| *text);
                let text = of(Class::Description).or_else(|| of(Class::Rest)).or_else(|| of(Class::Title));
                text.map_or_else(String::new, |text| line(text, around(text, (0, 0), SNIPPET), &[]))
            }
        }
    }

    /// Per field with a match the text around its first one, matches in `«»`.
    pub(crate) fn highlights(&self, texts: &[(Field, &str)]) -> Vec<(&'static str, String)> {
        let mut out: Vec<(&'static str, String)> = Vec::new();
        for (field, text) in texts {
            if out.iter().any(|(name, _)| *name == field.name()) {
                continue;
            }
            let matches = self.matches(text);
            if let Some(first) = matches.first() {
                let marks: Vec<(usize, usize)> = matches.iter().map(|m| m.span).collect();
                let width = 2 * MARGIN + first.span.1 - first.span.0;
                out.push((field.name(), line(text, around(text, first.span, width), &marks)));
            }
        }
        out.sort_unstable();
        out
    }
}

/// The byte range of about `width` characters around a span, widened or narrowed to whole words.
fn around(text: &str, span: (usize, usize), width: usize) -> (usize, usize) {
    let inside = text[span.0..span.1].chars().count();
    let spare = width.saturating_sub(inside);
    // A little before shows how the sentence begins; what is left over goes behind, or before when there is no more.
    let behind = text[span.1..].chars().take(spare).count();
    let lead = text[..span.0]
        .char_indices()
        .rev()
        .take((spare / 3).max(spare - behind))
        .last()
        .map_or(span.0, |(at, _)| at);
    let taken = text[lead..span.0].chars().count();
    let tail = text[span.1..].char_indices().nth(spare - taken).map_or(text.len(), |(at, _)| span.1 + at);
    let is_edge = |c: char| !c.is_alphanumeric();
    let from = if lead == 0 { 0 } else { text[lead..span.0].find(is_edge).map_or(span.0, |at| lead + at) };
    let to = if tail == text.len() {
        tail
    } else {
        text[span.1..tail].rfind(is_edge).map_or(tail, |at| span.1 + at)
    };
    (from, to)
}

/// A range of a text as one line: white space as single blanks, no control characters, `…` where it was cut.
fn line(text: &str, (from, to): (usize, usize), marks: &[(usize, usize)]) -> String {
    let mut out = String::new();
    if !text[..from].trim().is_empty() {
        out.push('…');
    }
    let mut blank = false;
    for (at, c) in text[from..to].char_indices().map(|(at, c)| (from + at, c)) {
        if c.is_whitespace() || c.is_control() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) && !out.is_empty() && !out.ends_with('…') {
            out.push(' ');
        }
        if marks.iter().any(|mark| mark.0 == at) {
            out.push('«');
        }
        out.push(c);
        if marks.iter().any(|mark| mark.1 == at + c.len_utf8()) {
            out.push('»');
        }
    }
    if !text[to..].trim().is_empty() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::search::document::texts;
    use crate::model::item::Item;

    fn item() -> Item {
        let metadata = json!({
            "title": "Lock file", "tags": ["io"], "description": "How a file is read.\n\nThen\tthe lock is taken.",
            "comments": [{"text": "nothing"}, {"text": "a merge of the queue, then the merge queue again"}],
        });
        Item { metadata: metadata.as_object().unwrap().clone(), body: String::new() }
    }

    fn units(units: &[&[&[&str]]]) -> Vec<Vec<Vec<String>>> {
        let own = |words: &&[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        units.iter().map(|parts| parts.iter().map(own).collect()).collect()
    }

    #[test]
    fn fields_snippets_and_highlights_name_what_matched() {
        let item = item();
        let texts = texts(&item);
        let matched = units(&[&[&["lock", "locks"]], &[&["taken"]]]);
        let matcher = Matcher::new(&matched);
        assert_eq!(matcher.fields(&texts).into_iter().collect::<Vec<_>>(), ["description", "title"]);
        assert_eq!(matcher.snippet(&texts), "How a file is read. Then the lock is taken.");
        assert_eq!(
            matcher.highlights(&texts),
            [
                ("description", "How a file is read. Then the «lock» is «taken».".to_owned()),
                ("title", "«Lock» file".to_owned())
            ]
        );
    }

    #[test]
    fn a_phrase_matches_only_as_a_whole() {
        let item = item();
        let texts = texts(&item);
        let matched = units(&[&[&["merge"], &["queue"]]]);
        let matcher = Matcher::new(&matched);
        assert_eq!(
            matcher.highlights(&texts),
            [("comments", "a merge of the queue, then the «merge queue» again".to_owned())]
        );
        assert_eq!(Matcher::new(&[]).snippet(&texts), "How a file is read. Then the lock is taken.");
    }

    #[test]
    fn long_texts_are_cut_at_words_and_say_so() {
        let text = format!("{} needle {}", "héron ".repeat(60), "wörd ".repeat(60));
        let metadata = json!({"title": "x", "description": text});
        let item = Item { metadata: metadata.as_object().unwrap().clone(), body: String::new() };
        let matched = units(&[&[&["needle"]]]);
        let snippet = Matcher::new(&matched).snippet(&texts(&item));
        assert!(snippet.starts_with("…héron") && snippet.ends_with("wörd…"), "{snippet}");
        assert!(snippet.contains(" needle ") && snippet.chars().count() <= SNIPPET + 2, "{snippet}");
    }
}
