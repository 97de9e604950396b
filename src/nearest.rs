//! Did you mean: the same words in the same order every time.

/// The candidates near to what was typed, nearest first, at most three.
///
/// A candidate that starts with it (three letters or more) is nearest, one whose last word it is comes next; then by
/// Damerau-Levenshtein distance, one for short words, two from five letters on; of equally near ones first
/// those of which letters were left out, then in alphabetic order.
pub fn words<'a>(typed: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    ranked(typed, candidates).into_iter().take(3).map(|(_, word)| word).collect()
}

/// The one candidate that `typed` is a slip of the fingers for: nearer than any other, one edit away, or two in a
/// word of eight letters or more.
pub fn typo<'a>(typed: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let allowed = if typed.chars().count() >= 8 { 2 } else { 1 };
    let mut near: Vec<(usize, &str)> = candidates
        .iter()
        .map(|&candidate| (strsim::damerau_levenshtein(&typed, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_unstable();
    near.dedup();
    match near.as_slice() {
        [(_, only)] => Some(only),
        [(first, only), (second, _), ..] if first < second => Some(only),
        _ => None,
    }
}

/// All candidates, nearest first; equally near ones keep their order.
pub fn order<'a>(typed: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let mut ordered = candidates.to_vec();
    ordered.sort_by_key(|candidate| distance(&typed, candidate));
    ordered
}

fn ranked<'a>(typed: &str, candidates: &[&'a str]) -> Vec<(usize, &'a str)> {
    let typed = typed.to_lowercase();
    let allowed = if typed.chars().count() < 5 { 1 } else { 2 };
    let mut near: Vec<(usize, &'a str)> = candidates
        .iter()
        .map(|&candidate| (distance(&typed, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_unstable_by_key(|&(distance, candidate)| {
        (distance, !lacks_letters(&typed, candidate), candidate)
    });
    near.dedup();
    near
}

/// Whether only letters were left out of a word: `tile` of `title`. Fingers do that more often than they take another.
fn lacks_letters(typed: &str, candidate: &str) -> bool {
    let candidate = candidate.to_lowercase();
    let mut letters = candidate.chars();
    typed.chars().all(|letter| letters.any(|other| other == letter))
}

/// `typed` is in lower case.
fn distance(typed: &str, candidate: &str) -> usize {
    let candidate = candidate.to_lowercase();
    if typed.len() >= 3 && candidate.starts_with(typed) {
        return 0;
    }
    // Its last word: `title` is `step-title` rather than `file`.
    if typed.len() >= 3 && candidate.strip_suffix(typed).is_some_and(|first| first.ends_with('-')) {
        return 1;
    }
    strsim::damerau_levenshtein(typed, &candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &[&str] = &["list", "create", "close", "claim", "copy", "close-task"];

    #[test]
    fn near_words_in_a_fixed_order() {
        assert_eq!(words("lst", WORDS), ["list"]);
        assert_eq!(words("crate", WORDS), ["create"]);
        assert_eq!(words("clo", WORDS), ["close", "close-task"]);
        assert_eq!(words("CLOSE", WORDS), ["close", "close-task"]);
        assert_eq!(words("title", &["file", "step-title", "subtitle"]), ["step-title", "file"]);
        assert_eq!(words("tile", &["file", "title"]), ["title", "file"]);
        assert_eq!(words("staus", &["stats", "status"]), ["status", "stats"]);
        assert!(words("frobnicate", WORDS).is_empty());
    }

    #[test]
    fn a_typo_has_one_meaning() {
        assert_eq!(typo("limt", &["limit", "offset"]), Some("limit"));
        assert_eq!(typo("limt", &["limit", "list"]), None);
        assert_eq!(typo("ab", &["ab", "abc"]), Some("ab"));
        assert_eq!(typo("accepttance-crriterai", &["acceptance-criteria"]), None);
        assert_eq!(typo("aceptance-criterai", &["acceptance-criteria"]), Some("acceptance-criteria"));
    }

    #[test]
    fn all_legal_values_nearest_first() {
        assert_eq!(order("priorty", &["deadline", "title", "priority"])[0], "priority");
    }
}
