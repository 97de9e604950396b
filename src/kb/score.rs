//! How well documents answer a query: BM25F over title, headings, tags, quote, summary, body and path
//! (disclosure.md §9). Statistics come from the whole corpus, so filters move no score.

use super::corpus::Corpus;
use super::record::{FIELDS, word_hash};
use super::words::{Query, each_token};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Title, headings, tags, blockquote, summary, body, path.
const WEIGHTS: [f64; FIELDS + 1] = [4.0, 2.0, 2.0, 2.0, 1.2, 1.0, 1.5];

/// The score of every document of the corpus, in its order, rounded to four decimals; 0 for those that do not match.
pub(crate) fn scores(corpus: &Corpus, query: &Query) -> Vec<f64> {
    let count = corpus.entries.len();
    let mut scores = vec![0.0; count];
    if query.words.is_empty() || count == 0 {
        return scores;
    }
    let lengths: Vec<[u32; FIELDS + 1]> = corpus
        .entries
        .iter()
        .map(|entry| {
            let own = entry.record().lengths();
            std::array::from_fn(|field| if field < FIELDS { own[field] } else { path_length(&entry.path) })
        })
        .collect();
    let average: [f64; FIELDS + 1] = std::array::from_fn(|field| {
        let sum: u64 = lengths.iter().map(|lengths| u64::from(lengths[field])).sum();
        #[expect(clippy::cast_precision_loss, reason = "counts of words")]
        let average = sum as f64 / count as f64;
        average.max(1.0)
    });
    for word in &query.words {
        let hash = word_hash(word);
        let mut found: Vec<(usize, f64)> = Vec::new();
        for (n, entry) in corpus.entries.iter().enumerate() {
            let counts = entry.record().counts(hash);
            let in_path = in_path(&entry.path, word);
            if counts.is_none() && in_path == 0 {
                continue;
            }
            let counts = counts.unwrap_or_default();
            let weight = (0..=FIELDS).map(|field| {
                let count = if field < FIELDS { u32::from(counts[field]) } else { in_path };
                let norm = 1.0 - B + B * f64::from(lengths[n][field]) / average[field];
                WEIGHTS[field] * f64::from(count) / norm
            });
            found.push((n, weight.sum()));
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
        let (all, with) = (count as f64, found.len() as f64);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for (n, weight) in found {
            scores[n] += rarity * weight / (K1 + weight);
        }
    }
    scores.iter_mut().for_each(|score| *score = rounded(*score));
    scores
}

/// To four decimals.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// How many words a path has, roughly: its runs of letters and digits.
fn path_length(path: &str) -> u32 {
    let mut inside = false;
    let mut count = 0;
    for byte in bare(path).bytes() {
        let own = byte.is_ascii_alphanumeric() || byte >= 0x80;
        count += u32::from(own && !inside);
        inside = own;
    }
    count
}

fn bare(path: &str) -> &str {
    path.strip_suffix(".md").or_else(|| path.strip_suffix(".toon")).unwrap_or(path)
}

/// How often a word stands in a path.
pub(crate) fn in_path(path: &str, word: &str) -> u32 {
    let path = bare(path);
    // A stem that is no part of the path is no word of it; most paths end here.
    let part = word.get(..word.len().saturating_sub(1)).filter(|_| word.is_ascii()).unwrap_or_default();
    let holds = |needle: &[u8]| {
        needle.is_empty()
            || path.as_bytes().windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
    };
    if word.is_ascii() && !holds(part.as_bytes()) || !word.is_ascii() && path.is_ascii() {
        return 0;
    }
    let mut count = 0;
    each_token(path, |form, _| count += u32::from(form == word));
    count
}

#[cfg(test)]
mod tests {
    use super::super::{config::Config, document, record};
    use super::*;
    use crate::store::records::Bytes;

    fn corpus(files: &[(&str, &str)]) -> Corpus {
        let files = files.iter().map(|(path, text)| {
            (
                (*path).to_owned(),
                String::new(),
                Bytes::Own(record::encode(&document::read(text.as_bytes())).into()),
            )
        });
        Corpus::new(files.collect(), &Config::default())
    }

    #[test]
    fn a_title_counts_more_than_a_body_and_a_rare_word_more_than_a_common_one() {
        let corpus = corpus(&[
            ("a.md", "# Gate\n\ntext text text text"),
            ("b.md", "# Other\n\ngate text text text"),
            ("c.md", "# Third\n\ntext text text text"),
        ]);
        let gate = scores(&corpus, &Query::read("gates"));
        assert!(gate[0] > gate[1] && gate[1] > 0.0 && gate[2] == 0.0, "{gate:?}");
        let text = scores(&corpus, &Query::read("text"));
        assert!(text[2] < gate[1], "{text:?}");
    }

    #[test]
    fn words_of_paths_count() {
        assert_eq!(in_path("docs/Retry-policies/retry.md", "retry"), 2);
        assert_eq!(in_path("docs/policies.md", "policy"), 1);
        assert_eq!(in_path("docs/other.md", "md"), 0);
        let corpus = corpus(&[("docs/a/gates.md", "x"), ("docs/b.md", "x"), ("docs/c.md", "x")]);
        let found = scores(&corpus, &Query::read("gate"));
        assert!(found[0] > 0.0 && found[1] == 0.0);
    }
}
