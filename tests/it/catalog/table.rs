//! The sentences of the contract and the statements about them are each named by a test (B-69, C2).

use std::collections::BTreeSet;
use std::path::Path;

/// Which statements a sentence of the seed stands behind; each is the name of a test. B-70 is timed by scripts/bench.
const SENTENCES: [(&str, &[u32]); 30] = [
    ("C1", &[1, 62, 63]),
    ("C2", &[69]),
    ("C3", &[53]),
    ("C4", &[50, 56]),
    ("C5", &[54, 66]),
    ("C6", &[55]),
    ("C7", &[8, 11, 12, 68]),
    ("C8", &[8, 9, 10, 11, 41, 48, 57]),
    ("C9", &[14, 16]),
    ("C10", &[15, 23]),
    ("C11", &[15, 17]),
    ("C12", &[33, 39]),
    ("C13", &[30, 47]),
    ("C14", &[51, 52]),
    ("C15", &[34, 35]),
    ("C16", &[33, 34, 35, 36]),
    ("C17", &[29, 33, 40, 41]),
    ("C18", &[42]),
    ("C19", &[46, 47]),
    ("C20", &[37, 38, 39]),
    ("C21", &[43, 44, 45]),
    ("C22", &[27]),
    ("C23", &[27, 28, 29, 31, 49, 67]),
    ("C24", &[18, 19]),
    ("C25", &[20]),
    ("C26", &[13, 14, 21, 22, 24]),
    ("C27", &[6, 25, 26]),
    ("C28", &[3, 4, 5, 6, 7, 8, 32]),
    ("C29", &[59, 60, 61]),
    ("C30", &[58, 60]),
];

/// The numbers of the statements that tests are called after: `b27_b28_pages` has two.
fn named() -> BTreeSet<u32> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/catalog");
    let files = std::fs::read_dir(folder).expect("the folder can be read").flatten();
    let text: String = files.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect();
    let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("fn "));
    names.flat_map(|name| name.split('_')).filter_map(|part| part.strip_prefix('b')?.parse().ok()).collect()
}

/// C2: every sentence of the seed, and every statement about it.
#[test]
fn b69_every_sentence_and_statement_is_named_by_a_test() {
    let named = named();
    let missing: Vec<u32> = (1..=69).filter(|n| !named.contains(n)).collect();
    assert!(missing.is_empty(), "no test is called after B-{missing:?}");
    for (key, statements) in SENTENCES {
        assert!(statements.iter().any(|n| named.contains(n)), "no test is called after a statement of {key}");
    }
}
