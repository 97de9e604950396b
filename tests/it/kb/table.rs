//! Every compliance point and every MUST of the contract, and the test that would fail without it.

use std::collections::BTreeSet;

/// What the contract says, and the tests of this folder that hold it to that.
const TABLE: &[(&str, &[&str])] = &[
    ("V1 only base fields, native fields and requested tiers", &["d_01", "d_02", "d_06"]),
    ("V2 filters are respected, no default but include", &["d_20", "d_26"]),
    ("V3 total is counted after filters and before pages", &["d_18_d_19", "d_17"]),
    ("V4 no rollups, no curated lists", &["d_14_d_40"]),
    ("V5 no body from search, catalog, preflight", &["d_11", "d_14_d_40"]),
    ("V6 a tier that is not allowed is an error", &["d_11", "d_12"]),
    ("V7 a limit above the cap is an error", &["d_07_d_08_d_09", "d_10"]),
    ("V8 journals and apocrypha only when asked for", &["d_26"]),
    ("V9 front matter decides the kind, then the path", &["d_26", "d_32"]),
    ("V10 native fields do not depend on tiers", &["d_15_d_16", "d_02"]),
    ("V11 ten times cheaper", &["d_59"]),
    ("every action MUST accept a disclosure array", &["d_02", "d_12"]),
    ("several flags MUST give their union and the most restrictive cap", &["d_06", "d_07_d_08_d_09"]),
    ("the base shape MUST always be present", &["d_02", "d_54", "d_56"]),
    ("a larger slice MUST be paged", &["d_18_d_19", "d_55"]),
    ("a forbidden body MUST be an error envelope", &["d_11"]),
    ("query-shaped actions MUST accept structural filters", &["d_20"]),
    ("query-shaped actions MUST accept include and exclude", &["d_26"]),
    ("a declared kind MUST be one of the enumeration", &["d_32"]),
    ("the enumeration MUST stay closed, sub-categories go through path_prefix", &["d_32", "d_26"]),
    ("tags MUST NOT stand in for structure", &["d_35"]),
    ("the default response MUST carry base, echoes, total, paging", &["d_01", "d_14_d_40", "d_18_d_19"]),
    ("no answer MUST depend on who asks", &["d_41_d_62"]),
    ("the envelope MUST contain data, total, limit, offset, echoes", &["d_14_d_40"]),
    ("the envelope MUST NOT contain categories, start_here, counts, bodies", &["d_14_d_40", "d_42"]),
    ("a limit above the cap MUST be an error envelope", &["d_10"]),
    ("older shapes MUST be behind a switch", &["d_42"]),
    ("actions MUST be documented", &["d_61", "d_05"]),
];

/// The names of the tests of this folder.
fn tests() -> Vec<&'static str> {
    let sources = [
        include_str!("tiers.rs"),
        include_str!("slices.rs"),
        include_str!("resolving.rs"),
        include_str!("library.rs"),
        include_str!("properties.rs"),
        include_str!("real.rs"),
        include_str!("tools.rs"),
    ];
    let lines = sources.iter().flat_map(|source| source.lines());
    lines.filter_map(|line| line.trim_start().strip_prefix("fn ")?.split('(').next()).collect()
}

/// The numbers of a name: `d_20_to_d_22_x` has 20, 21 and 22.
fn numbers(name: &str) -> Vec<u32> {
    let parts: Vec<&str> = name.split('_').collect();
    let mut numbers = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        let Some(number) = part.parse().ok().filter(|_| n > 0 && parts[n - 1] == "d") else { continue };
        match n >= 2 && parts[n - 2] == "to" {
            true => numbers.extend(numbers.last().map_or(number, |last| last + 1)..=number),
            false => numbers.push(number),
        }
    }
    numbers
}

#[test]
fn every_statement_is_named_by_a_test() {
    let named: BTreeSet<u32> = tests().into_iter().flat_map(numbers).collect();
    // 60 is about renderers, and there is none that asks kb. 63 is a table of scripts/bench.
    let elsewhere = [60, 63];
    let missing: Vec<u32> = (1..=63).filter(|n| !named.contains(n) && !elsewhere.contains(n)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_must_is_named_by_a_test() {
    let tests = tests();
    let mut said = BTreeSet::new();
    for (must, names) in TABLE {
        assert!(said.insert(must), "{must} stands twice");
        for name in *names {
            assert!(tests.iter().any(|test| test.starts_with(&format!("{name}_"))), "{must}: no test {name}");
        }
    }
    for point in 1..=11 {
        assert!(TABLE.iter().any(|(must, _)| must.starts_with(&format!("V{point} "))), "V{point}");
    }
}
