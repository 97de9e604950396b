//! The root collation, pinned: the process locale changes nothing (storage.md §2.6, product.md §5.4).

use std::cmp::Ordering;

/// Compares two texts by the root collation of Unicode.
pub fn compare(_a: &str, _b: &str) -> Ordering {
    todo!()
}

/// Compares two texts by UTF-16 code units: the key order inside a hash.
pub fn compare_utf16(_a: &str, _b: &str) -> Ordering {
    todo!()
}

/// Compares two timestamps by instant; equal or unreadable ones by collation.
pub fn compare_timestamps(_a: &str, _b: &str) -> Ordering {
    todo!()
}
