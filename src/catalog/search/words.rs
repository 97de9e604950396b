//! What a word is, to records and queries alike: NFKC, lower case, runs of letters and digits, two characters or more.
//!
//! The same rules as in `page/search.mjs`; a letter or digit is what Unicode calls alphabetic or a number.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

const NORMAL: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

/// The words of a text, in its order, repeated ones too.
pub fn words(text: &str) -> Vec<String> {
    let folded: Cow<'_, str> = if text.is_ascii() { text.into() } else { NORMAL.normalize(text) };
    folded
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_owned)
        .collect()
}

/// The words of several texts, each once, in the order in which they first stand.
pub fn distinct<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in texts.into_iter().flat_map(words) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_runs_of_letters_and_digits() {
        for (text, expected) in [
            ("Replica lag keeps growing", &["replica", "lag", "keeps", "growing"][..]),
            ("a b2 x-y C++ I/O 42", &["b2", "42"]),
            ("ﬁle ＤＩＳＫ ①②", &["file", "disk", "12"]),
            ("Straße ÉTÉ naïve_case", &["straße", "été", "naïve", "case"]),
            ("ΟΔΟΣ", &["οδος"]),
            ("", &[]),
            ("—…!", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(distinct(["disk full", "Full disk again"]), ["disk", "full", "again"]);
    }
}
