//! Did you mean: the same words in the same order every time.

/// The candidates near to what was typed, nearest first, at most three.
///
/// A candidate that starts with it (three letters or more) is nearest; then by Damerau-Levenshtein distance, one
/// for short words, two from five letters on; ties in alphabetic order.
pub fn words<'a>(typed: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let allowed = if typed.chars().count() < 5 { 1 } else { 2 };
    let mut near: Vec<(usize, &'a str)> = candidates
        .iter()
        .filter_map(|&candidate| {
            let distance = distance(&typed, candidate);
            (distance <= allowed).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, word)| word).collect()
}

/// All candidates, nearest first; equally near ones keep their order.
pub fn order<'a>(typed: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let mut ordered = candidates.to_vec();
    ordered.sort_by_key(|candidate| distance(&typed, candidate));
    ordered
}

fn distance(typed: &str, candidate: &str) -> usize {
    if typed.len() >= 3 && candidate.starts_with(typed) {
        return 0;
    }
    strsim::damerau_levenshtein(typed, candidate)
}
