//! The root collation, pinned: the process locale changes nothing (storage.md §2.6, product.md §5.4).

use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_collator::options::CollatorOptions;
use icu_collator::{CollatorBorrowed, CollatorPreferences};

use super::timestamp;

/// Compares two texts by the root collation of Unicode.
///
/// Texts that differ in ignorable characters only (C0 controls) are equal.
pub fn compare(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if a.is_ascii() && b.is_ascii() { compare_ascii(a.as_bytes(), b.as_bytes()) } else { compare_root(a, b) }
}

/// Tertiary strength, punctuation not ignorable: the defaults of the root, from data compiled in.
fn compare_root(a: &str, b: &str) -> Ordering {
    static ROOT: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
        CollatorBorrowed::try_new(CollatorPreferences::default(), CollatorOptions::default())
            .expect("the root collation is compiled in")
    });
    ROOT.compare(a, b)
}

/// The primary order of ASCII in the root collation; digits and letters follow.
const PUNCTUATION: &[u8] = b"\t\n\x0b\x0c\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Primary weight of each ASCII character; 0 is ignorable.
const PRIMARY: [u8; 128] = {
    let mut weights = [0; 128];
    let mut i = 0;
    while i < PUNCTUATION.len() {
        weights[PUNCTUATION[i] as usize] = i as u8 + 1;
        i += 1;
    }
    let mut i = 0;
    while i < 10 {
        weights[b'0' as usize + i] = PUNCTUATION.len() as u8 + 1 + i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 26 {
        weights[b'a' as usize + i] = PUNCTUATION.len() as u8 + 11 + i as u8;
        weights[b'A' as usize + i] = PUNCTUATION.len() as u8 + 11 + i as u8;
        i += 1;
    }
    weights
};

/// The same order for ASCII, where nothing contracts or expands: primary weights over the whole text, then case.
fn compare_ascii(a: &[u8], b: &[u8]) -> Ordering {
    let weighed = |text: &'static [u8; 128], byte: &u8| text[usize::from(*byte & 127)];
    let mut left = a.iter().filter(|byte| weighed(&PRIMARY, byte) != 0);
    let mut right = b.iter().filter(|byte| weighed(&PRIMARY, byte) != 0);
    let mut case = Ordering::Equal;
    loop {
        match (left.next(), right.next()) {
            (None, None) => return case,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => match weighed(&PRIMARY, x).cmp(&weighed(&PRIMARY, y)) {
                Ordering::Equal => case = case.then(x.is_ascii_uppercase().cmp(&y.is_ascii_uppercase())),
                unequal => return unequal,
            },
        }
    }
}

/// Compares two texts by UTF-16 code units: the key order inside a hash.
pub fn compare_utf16(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).find(|(x, y)| x != y) {
        // Surrogates sort below U+E000 to U+FFFF; everything else sorts as its bytes do.
        Some((x, y)) if *x >= 0xee && *y >= 0xee && (*x >= 0xf0) != (*y >= 0xf0) => y.cmp(x),
        Some((x, y)) => x.cmp(y),
        None => a.len().cmp(&b.len()),
    }
}

/// Compares two timestamps by instant; equal or unreadable ones by collation.
pub fn compare_timestamps(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (timestamp::parse(a), timestamp::parse(b)) {
        (Some(x), Some(y)) if x != y => x.cmp(&y),
        _ => compare(a, b),
    }
}

/// Up to this length a list is sorted by insertion, as the reference's engine does.
const INSERTION: usize = 64;

/// Sorts stably. `compare` may be no order (an unreadable timestamp among readable ones) and may fail, which ends it.
pub(crate) fn sort<T, E>(
    rows: &mut Vec<T>,
    mut compare: impl FnMut(&T, &T) -> Result<Ordering, E>,
) -> Result<(), E> {
    // Nearly every list is sorted already, but for its tail.
    for end in 1..rows.len() {
        if compare(&rows[end - 1], &rows[end])? != Ordering::Greater {
            continue;
        }
        if rows.len() > INSERTION {
            return merge_sort(rows, compare);
        }
        let (mut low, mut high) = (0, end);
        while low < high {
            let middle = low + (high - low) / 2;
            if compare(&rows[end], &rows[middle])? == Ordering::Less {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        rows[low..=end].rotate_right(1);
    }
    Ok(())
}

/// Bottom-up, on row numbers, so that nothing moves before the order is known.
fn merge_sort<T, E>(
    rows: &mut Vec<T>,
    mut compare: impl FnMut(&T, &T) -> Result<Ordering, E>,
) -> Result<(), E> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut width = 1;
    while width < rows.len() {
        let mut merged = Vec::with_capacity(rows.len());
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([l, left_rest @ ..], [r, right_rest @ ..]) = (left, right) {
                if compare(&rows[*r], &rows[*l])? == Ordering::Less {
                    merged.push(*r);
                    right = right_rest;
                } else {
                    merged.push(*l);
                    left = left_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        order = merged;
        width *= 2;
    }
    let mut taken: Vec<Option<T>> = rows.drain(..).map(Some).collect();
    rows.extend(order.into_iter().filter_map(|row| taken[row].take()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn punctuation_counts_and_comes_in_root_order() {
        let order: Vec<String> = PUNCTUATION.iter().map(|b| char::from(*b).to_string()).collect();
        for pair in order.windows(2) {
            assert_eq!(compare_root(&pair[0], &pair[1]), Ordering::Less, "{pair:?}");
        }
        for pair in [
            ("b_c", "b-c"),
            ("b-c", "zeta"),
            ("a", "A"),
            ("A", "b"),
            ("$", "0"),
            ("9", "a"),
            ("e", "é"),
            ("é", "f"),
        ] {
            assert_eq!(compare(pair.0, pair.1), Ordering::Less, "{pair:?}");
        }
        assert_eq!(compare("a\u{0}b", "ab"), Ordering::Equal);
    }

    #[test]
    fn sorts_stably_even_without_an_order() {
        let mut rows = vec![("b", 1), ("a", 2), ("b", 3), ("a", 4)];
        sort(&mut rows, |x, y| Ok::<_, ()>(x.0.cmp(y.0))).unwrap();
        assert_eq!(rows, [("a", 2), ("a", 4), ("b", 1), ("b", 3)]);
        let mut rows: Vec<usize> = (0..200).collect();
        sort(&mut rows, |x, y| Ok::<_, ()>(((x * 7) % 13).cmp(&((y * 5) % 11)))).unwrap();
    }

    proptest! {
        #[test]
        fn ascii_is_compared_as_the_root_does(a in "[\\x00-\\x7f]{0,6}", b in "[\\x00-\\x7f]{0,6}") {
            prop_assert_eq!(compare_ascii(a.as_bytes(), b.as_bytes()), compare_root(&a, &b));
        }

        #[test]
        fn utf16_order_is_that_of_code_units(a in "[a\u{7ff}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,4}", b in "[a\u{7ff}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,4}") {
            prop_assert_eq!(compare_utf16(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }
    }
}
