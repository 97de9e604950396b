//! Which of the numbered statements of read-output.md §11 have a test here: all that can be asked of the surfaces there
//! are.

use std::collections::BTreeSet;

use super::exists;

/// How many there are.
const LAST: u32 = 90;

/// Statements about surfaces that may not be there yet.
const OF_SURFACES: &[(&str, &[u32])] = &[("contracts", &[33, 52, 82, 83]), ("assurance", &[90])];

const TESTS: &[&str] = &[
    include_str!("continuations.rs"),
    include_str!("controls.rs"),
    include_str!("cost.rs"),
    include_str!("include.rs"),
    include_str!("sessions.rs"),
    include_str!("surfaces.rs"),
    include_str!("walks.rs"),
];

/// The numbers in the name of a test: `s43_s44_...`, `s15_to_s22_...`.
fn numbers(name: &str) -> BTreeSet<u32> {
    let number = |part: &str| part.strip_prefix('s')?.parse::<u32>().ok();
    let mut found = BTreeSet::new();
    let mut last = None;
    let mut range = false;
    for part in name.split('_') {
        match number(part) {
            Some(n) if range => found.extend(last.unwrap_or(n)..=n),
            Some(n) => {
                found.insert(n);
                last = Some(n);
            }
            None if part == "to" && last.is_some() => {}
            None => break,
        }
        range = part == "to";
    }
    found
}

#[test]
fn names_of_tests_have_numbers() {
    assert_eq!(numbers("s1_s2_limits"), BTreeSet::from([1, 2]));
    assert_eq!(numbers("s5_to_s8_something"), BTreeSet::from([5, 6, 7, 8]));
    assert_eq!(numbers("p31_ceilings"), BTreeSet::new());
}

#[test]
fn every_statement_has_a_test() {
    let mut tested = BTreeSet::new();
    for source in TESTS {
        let names = source.split("fn ").skip(1).filter_map(|rest| rest.split('(').next());
        names.for_each(|name| tested.extend(numbers(name)));
    }
    let waiting =
        OF_SURFACES.iter().filter(|(surface, _)| !exists(surface)).flat_map(|(_, numbers)| *numbers);
    let waiting: BTreeSet<u32> = waiting.copied().collect();
    let missing: Vec<u32> = (1..=LAST).filter(|n| !tested.contains(n) && !waiting.contains(n)).collect();
    assert!(missing.is_empty(), "no test for the statements {missing:?}");
    assert!(tested.iter().all(|n| *n <= LAST), "{tested:?}");
}
