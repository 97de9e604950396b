//! What holds for every call, tried with generated corpora and calls.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const FOLDERS: [&str; 6] = ["canon", "docs", "writings", "odd", "apocrypha", "notes"];
const WORDS: [&str; 12] = [
    "gate",
    "ledger",
    "canon",
    "restore",
    "retrieval",
    "日本語",
    "naïve",
    "token",
    "rule",
    "-",
    "\"open gate\"",
    "zzq",
];
const TIERS: [&str; 3] = ["blockquote", "metadata", "summary"];

/// The documents of a corpus, each from one number: its folder, its length, which tiers it has.
fn documents() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 1..60)
}

/// A corpus, and the whole body of each document below its tiers.
fn written(seeds: &[u32]) -> (Sandbox, Vec<String>) {
    let mut files = Vec::new();
    let mut bodies = Vec::new();
    for (n, seed) in seeds.iter().enumerate() {
        let pick = |shift: u32, most: usize| usize::try_from(seed >> shift).unwrap_or(0) % most;
        let word = |k: usize| WORDS[(pick(3, 97) + 5 * k) % 7];
        let mut text = String::new();
        if pick(8, 3) > 0 {
            text +=
                &format!("---\ntier: {}\naudience: {}\n", 1 + pick(9, 4), ["canon", "public"][pick(11, 2)]);
            text += &format!("exposure: public\ntags: [{}]\n---\n\n", word(1));
        }
        text += &format!("# {} {n}\n\n", word(2));
        if pick(12, 2) > 0 {
            text += &format!("> {} {} {n}\n\n", word(3), word(4));
        }
        if pick(13, 2) > 0 {
            text += &format!("## Summary\n\n{} in short {n}\n\n", word(5));
        }
        let body: String = (0..80 + pick(16, 400)).map(|k| format!("{}{n} ", word(k))).collect();
        text += &format!("## Text\n\n{body}\n");
        files.push((format!("{}/{n:03}.md", FOLDERS[pick(0, 6)]), text));
        bodies.push(body);
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    (repository(&files), bodies)
}

fn calls() -> impl Strategy<Value = (usize, Vec<&'static str>, Vec<&'static str>, usize)> {
    let tiers = prop::sample::subsequence(TIERS.to_vec(), 0..=3);
    let words = prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..4);
    (0..3_usize, tiers, words, 1..12_usize)
}

/// The characters of an answer that a body must not get into, in runs of this length.
const RUN: usize = 400;

fn leaks(answer: &Value, bodies: &[String]) -> bool {
    let text = answer["data"].to_string();
    bodies.iter().any(|body| {
        let starts: Vec<usize> = body.char_indices().map(|(at, _)| at).collect();
        let runs = starts.windows(RUN).step_by(RUN / 4);
        let run = |window: &[usize]| body[window[0]..window[RUN - 1]].to_owned();
        runs.map(run).any(|run| text.contains(&run))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// D-14, D-19, S5: no body from an action of many, each document once over the pages, no answer over 30,000 tokens.
    #[test]
    fn d_14_d_19_no_body_and_every_document_once(seeds in documents(), calls in prop::collection::vec(calls(), 6)) {
        let (pm, bodies) = written(&seeds);
        for (action, tiers, words, size) in calls {
            let name = ["search", "catalog", "preflight"][action];
            let query = words.join(" ");
            let mut call = vec![name];
            if name != "catalog" {
                call.extend(["--", &query]);
            }
            let flags = if tiers.is_empty() { "none".to_owned() } else { tiers.join(",") };
            let with = |more: &[&str]| {
                let mut all = vec![call[0], "--disclosure", &flags];
                all.extend(more);
                all.extend(&call[1..]);
                let output = pm.pm(&[&["kb"], all.as_slice()].concat());
                (output.clone(), pm.pm(&[&["kb", "--output-format", "json"], all.as_slice()].concat()))
            };
            let cap = if tiers.contains(&"summary") { "25" } else { "100" };
            let (toon, whole) = with(&["--limit", cap]);
            prop_assert!(toon.stdout.len().div_ceil(4) <= 30_000 && whole.stdout.len().div_ceil(4) <= 30_000);
            let whole = whole.json();
            if whole["status"] != "OK" {
                prop_assert_eq!(&whole["error_code"], &json!("INVALID_PARAMETER"), "{}", whole);
                continue;
            }
            prop_assert!(!leaks(&whole, &bodies), "{} {}", name, flags);
            let (mut seen, mut offset) = (Vec::new(), Some(0));
            while let Some(at) = offset {
                let page = with(&["--limit", &size.to_string(), "--offset", &at.to_string()]).1.json();
                prop_assert_eq!(&page["total"], &whole["total"]);
                seen.extend(uris(&page));
                offset = page["next_offset"].as_u64();
            }
            prop_assert_eq!(seen.len() as u64, whole["total"].as_u64().unwrap());
            prop_assert_eq!(&seen[..uris(&whole).len()], uris(&whole));
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len() as u64, whole["total"].as_u64().unwrap(), "a document stood on two pages");
        }
    }
}
