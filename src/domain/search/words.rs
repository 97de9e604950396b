//! What a word is: boundaries, folding, stems, stop words. The same rules read items and questions.

use std::borrow::Cow;
use std::sync::LazyLock;

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Longer runs are no words (base64, minified text) and are skipped; a SHA-256 in hex still fits.
const LONGEST: usize = 64;

/// A word of a text: its folded form, its place in the sequence of words, and where it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// Lower case, without accents.
    pub(crate) form: &'a str,
    /// 0 for the first word; the parts of a `camelCase` word count on from the whole.
    pub(crate) place: u32,
    /// Byte range in the text.
    pub(crate) span: (usize, usize),
}

/// Calls `each` for every word, in order, and returns how many places they took.
///
/// Runs of letters and digits are words; each ideograph or kana is one of its own. `acquireLock` is given whole
/// and then as `acquire`, `lock`.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(Word<'_>)) -> u32 {
    let mut place = 0;
    let mut folded = String::new();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(run) = next_run(text, at) {
        let (start, end) = run.span;
        at = end;
        if end - start > LONGEST {
            continue;
        }
        let spelled = &text[start..end];
        if run.folded {
            each(Word { form: spelled, place, span: run.span });
            place += 1;
            continue;
        }
        humps(spelled, &mut parts);
        if parts.len() > 1 {
            fold_into(spelled, &mut folded);
            each(Word { form: &folded, place, span: run.span });
        }
        for &(from, to) in &parts {
            fold_into(&spelled[from..to], &mut folded);
            if !folded.is_empty() {
                each(Word { form: &folded, place, span: (start + from, start + to) });
                place += 1;
            }
        }
    }
    place
}

/// A run of characters that may be a word.
struct Run {
    span: (usize, usize),
    /// Nothing but small letters a to z and digits.
    folded: bool,
}

/// What a byte does to a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Ends,
    Small,
    Capital,
    /// A part of a character that has to be looked at as a whole.
    Wide,
}

const SORTS: [Sort; 256] = {
    let mut sorts = [Sort::Ends; 256];
    let mut byte = 0;
    while byte < 256 {
        sorts[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => Sort::Small,
            b'A'..=b'Z' => Sort::Capital,
            128.. => Sort::Wide,
            _ => Sort::Ends,
        };
        byte += 1;
    }
    sorts
};

/// The first run that begins at `at` or later.
fn next_run(text: &str, mut at: usize) -> Option<Run> {
    let bytes = text.as_bytes();
    let sort = |at: usize| bytes.get(at).map(|byte| SORTS[usize::from(*byte)]);
    let start = loop {
        match sort(at)? {
            Sort::Ends => at += 1,
            Sort::Small | Sort::Capital => break at,
            Sort::Wide => {
                let c = text[at..].chars().next()?;
                if is_lone(c) {
                    return Some(Run { span: (at, at + c.len_utf8()), folded: false });
                }
                if belongs(c) {
                    break at;
                }
                at += c.len_utf8();
            }
        }
    };
    let mut folded = true;
    loop {
        match sort(at) {
            Some(Sort::Small) => at += 1,
            Some(Sort::Capital) => {
                folded = false;
                at += 1;
            }
            Some(Sort::Wide) => match text[at..].chars().next() {
                Some(c) if !is_lone(c) && belongs(c) => {
                    folded = false;
                    at += c.len_utf8();
                }
                _ => break,
            },
            Some(Sort::Ends) | None => break,
        }
    }
    Some(Run { span: (start, at), folded })
}

/// Whether the character stands inside words: letters, digits and the marks on them.
fn belongs(c: char) -> bool {
    c.is_alphanumeric() || mark_class(c) != 0
}

/// The combining class: 0 for no mark; from 200 on accents above and below, before that signs that make another letter.
fn mark_class(c: char) -> u8 {
    static CLASSES: LazyLock<CanonicalCombiningClassMapBorrowed<'static>> =
        LazyLock::new(CanonicalCombiningClassMapBorrowed::new);
    if c.is_ascii() { 0 } else { CLASSES.get_u8(c) }
}

/// Whether a word is one character of a script that writes no spaces.
pub(crate) fn is_lone_word(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(is_lone) && characters.next().is_none()
}

/// Whether the character is a word by itself: scripts that write no spaces.
fn is_lone(c: char) -> bool {
    matches!(u32::from(c),
        0x3041..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// The parts of a run: cut before an upper-case letter that follows a lower-case one or a digit.
fn humps(run: &str, parts: &mut Vec<(usize, usize)>) {
    parts.clear();
    let bytes = run.as_bytes();
    let mut from = 0;
    for at in 1..bytes.len() {
        if bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
            parts.push((from, at));
            from = at;
        }
    }
    parts.push((from, bytes.len()));
}

/// Lower case, compatibility forms resolved, accents dropped.
fn fold_into(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
        return;
    }
    let lower = word.to_lowercase();
    let bare: String = DecomposingNormalizerBorrowed::new_nfkd()
        .normalize(&lower)
        .chars()
        .filter(|&c| mark_class(c) < 200)
        .collect();
    out.push_str(&ComposingNormalizerBorrowed::new_nfc().normalize(&bare));
}

/// A word or a whole text folded the way words are, for comparing titles: lower case, one space between words.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut piece = String::new();
    for run in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        fold_into(run, &mut piece);
        out.push_str(&piece);
    }
    out
}

/// The stem of a folded English word: plural, past and progressive endings and a final `e` come off.
///
/// Light on purpose: `retries`, `retried` and `retry` meet, `connect` and `connection` do not.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    let n = word.len();
    if n <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) || word == "embed" {
        return Cow::Borrowed(word);
    }
    if n > 4
        && let Some(base) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied"))
    {
        return Cow::Owned(format!("{base}y"));
    }
    for (ending, least) in [("ing", 3), ("ed", 4)] {
        if let Some(base) = word.strip_suffix(ending)
            && base.len() >= least
            && has_vowel(base)
            && !base.ends_with('e')
        {
            return Cow::Borrowed(bare(undoubled(base)));
        }
    }
    if let Some(base) = word.strip_suffix("es")
        && ["s", "x", "z", "ch", "sh"].iter().any(|end| base.ends_with(end))
    {
        return Cow::Borrowed(base);
    }
    if let Some(base) = word.strip_suffix('s')
        && !["s", "u", "i"].iter().any(|end| base.ends_with(end))
    {
        return Cow::Borrowed(bare(base));
    }
    Cow::Borrowed(bare(word))
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

/// `stopp` to `stop`; `call` and `pass` stay.
fn undoubled(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && !matches!(b, b'l' | b's' | b'z') && bytes.len() > 3 => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

/// Without its final `e`.
fn bare(word: &str) -> &str {
    match word.strip_suffix('e') {
        Some(base) if base.len() >= 3 => base,
        _ => word,
    }
}

/// Whether the word says nothing about what is asked for.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Sorted, for the binary search.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "because", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        each_word(text, |w| out.push(format!("{}@{}", w.form, w.place)));
        out
    }

    #[test]
    fn words_end_at_everything_that_is_neither_letter_nor_digit() {
        assert_eq!(
            forms("o'clock: the Lock-file (v0.1)"),
            ["o@0", "clock@1", "the@2", "lock@3", "file@4", "v0@5", "1@6"]
        );
        assert_eq!(forms("acquireLock() HTTP"), ["acquirelock@0", "acquire@0", "lock@1", "http@2"]);
        assert_eq!(forms("修正ログ x"), ["修@0", "正@1", "ロ@2", "グ@3", "x@4"]);
        assert_eq!(forms(&"a".repeat(65)), [""; 0]);
    }

    #[test]
    fn spans_lead_back_into_the_text() {
        let text = "Über acquireLock";
        let mut seen = Vec::new();
        each_word(text, |w| seen.push(text[w.span.0..w.span.1].to_owned()));
        assert_eq!(seen, ["Über", "acquireLock", "acquire", "Lock"]);
    }

    #[test]
    fn accents_do_not_separate_spellings() {
        assert_eq!(forms("\u{e9}tude"), forms("e\u{301}tude"));
        assert_eq!(forms("Ärger Ångström"), ["arger@0", "angstrom@1"]);
        assert_eq!(folded("  Fix\tthe \u{c9}tude "), "fix the etude");
    }

    #[test]
    fn stems_bring_forms_of_a_word_together() {
        for group in [
            &["retry", "retries", "retried"][..],
            &["lock", "locks", "locked", "locking"],
            &["merge", "merges", "merged", "merging"],
            &["cache", "caches", "cached", "caching"],
            &["stop", "stopped", "stopping"],
            &["index", "indexes", "indexed"],
            &["connection", "connections"],
            &["release", "releases", "released"],
            &["embed", "embedding", "embedded"],
        ] {
            let stems: Vec<_> = group.iter().map(|w| stem(w)).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{group:?} gave {stems:?}");
        }
        for (a, b) in [("lock", "block"), ("status", "stat"), ("string", "str"), ("connect", "connection")] {
            assert_ne!(stem(a), stem(b));
        }
    }

    #[test]
    fn the_stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("lock"));
    }
}
