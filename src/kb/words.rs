//! Words of documents and queries: NFKC and case folding, runs of letters and digits, pairs of ideographs, light
//! stems of ASCII words (disclosure.md §9).

use crate::domain::search::words::{each_word, is_lone_word, is_stop_word, stem};

/// A word: its index form and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Folded and stemmed; a pair of characters where a script writes no spaces.
    pub(crate) form: String,
    /// Byte range in the text.
    pub(crate) span: (usize, usize),
}

/// Calls `each` with the index form and the byte range of every word, in order; returns how many there were.
pub(crate) fn each_token(text: &str, mut each: impl FnMut(&str, (usize, usize))) -> u32 {
    let mut count = 0;
    // The last ideograph, until it is known whether another follows.
    let mut lone: Option<(String, (usize, usize), bool)> = None;
    let mut pair = String::new();
    let mut last_place = None;
    each_word(text, |word| {
        // The parts of a hump word follow the whole; only the whole counts.
        if last_place.is_some_and(|(end, start)| word.span.1 <= end && word.span.0 >= start) {
            return;
        }
        last_place = Some((word.span.1, word.span.0));
        if is_lone_word(word.form) {
            if let Some((before, span, _)) = &lone
                && span.1 == word.span.0
            {
                pair.clear();
                pair.push_str(before);
                pair.push_str(word.form);
                each(&pair, (span.0, word.span.1));
                count += 1;
                lone = Some((word.form.to_owned(), word.span, true));
                return;
            }
            flush(&mut lone, &mut count, &mut each);
            lone = Some((word.form.to_owned(), word.span, false));
            return;
        }
        flush(&mut lone, &mut count, &mut each);
        each(&stem(word.form), word.span);
        count += 1;
    });
    flush(&mut lone, &mut count, &mut each);
    count
}

/// An ideograph that stood alone is a word by itself.
fn flush(
    lone: &mut Option<(String, (usize, usize), bool)>,
    count: &mut u32,
    each: &mut impl FnMut(&str, (usize, usize)),
) {
    if let Some((form, span, paired)) = lone.take()
        && !paired
    {
        each(&form, span);
        *count += 1;
    }
}

/// The words of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    each_token(text, |form, span| all.push(Token { form: form.to_owned(), span }));
    all
}

/// A query: the words that count, and the phrases that must stand in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Different words, in order.
    pub(crate) words: Vec<String>,
    /// Quoted texts, as words.
    pub(crate) phrases: Vec<Vec<String>>,
}

impl Query {
    /// Reads a query; words that say nothing are left out unless there are no others.
    pub(crate) fn read(text: &str) -> Query {
        let mut query = Query::default();
        let (mut telling, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for (n, part) in text.split('"').enumerate() {
            let quoted = n % 2 == 1;
            let found = tokens(part);
            for token in &found {
                let plain = part[token.span.0..token.span.1].to_lowercase();
                if !all.contains(&token.form) {
                    all.push(token.form.clone());
                    if quoted || !is_stop_word(&plain) {
                        telling.push(token.form.clone());
                    }
                } else if quoted && !telling.contains(&token.form) {
                    telling.push(token.form.clone());
                }
            }
            if quoted && !found.is_empty() {
                query.phrases.push(found.into_iter().map(|token| token.form).collect());
            }
        }
        query.words = if telling.is_empty() { all } else { telling };
        query
    }
}

/// Whether words stand in a text in this order, one right after the other.
pub(crate) fn has_phrase(text: &str, phrase: &[String]) -> bool {
    let mut window: std::collections::VecDeque<String> = std::collections::VecDeque::new();
    let mut found = false;
    each_token(text, |form, _| {
        if found {
            return;
        }
        window.push_back(form.to_owned());
        if window.len() > phrase.len() {
            window.pop_front();
        }
        found = window.len() == phrase.len() && window.iter().eq(phrase);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.form).collect()
    }

    #[test]
    fn words_are_folded_stemmed_and_ideographs_paired() {
        assert_eq!(forms("Retries, of the SCHEMA"), ["retry", "of", "the", "schema"]);
        assert_eq!(forms("日本語 と x"), ["日本", "本語", "と", "x"]);
        assert_eq!(forms("acquireLock"), ["acquirelock"]);
        assert_eq!(forms("Straße \u{ff21}\u{ff22}"), ["straße", "ab"]);
    }

    #[test]
    fn a_query_has_words_and_phrases() {
        let query = Query::read("the \"canary of gates\" landed landed");
        assert_eq!(query.words, ["canary", "of", "gat", "land"]);
        assert_eq!(query.phrases, [["canary", "of", "gat"]]);
        assert_eq!(Query::read("the of").words, ["the", "of"]);
        assert!(has_phrase("a Canary, of gates!", &query.phrases[0]));
        assert!(!has_phrase("canary gates of", &query.phrases[0]));
    }
}
