//! The word that somebody meant: the nearest one that items say.

/// How many letters may differ.
fn tolerance(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Which letters a word has: words that differ in many cannot be near.
fn letters(word: &str) -> u64 {
    word.bytes().fold(0, |set, byte| set | 1 << (byte % 64))
}

/// The words nearest to `asked` within the tolerance of its length, all at the same distance, in the order given.
///
/// Two neighbours swapped count as one difference.
pub(crate) fn nearest<'a>(asked: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (mut best, mut found) = (tolerance(asked), Vec::new());
    if best == 0 {
        return found;
    }
    let (length, own) = (asked.len(), letters(asked));
    for word in known {
        // What one difference can do to the bytes; a letter that is not ASCII has up to four.
        let wide = if asked.is_ascii() && word.is_ascii() { 1 } else { 4 };
        let other_letters = (letters(word) ^ own).count_ones() as usize;
        if word.len().abs_diff(length) > wide * best || other_letters > 2 * wide * best {
            continue;
        }
        let distance = strsim::osa_distance(asked, word);
        if distance < best && distance > 0 {
            best = distance;
            found.clear();
        }
        if distance == best {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["block", "clock", "contention", "etude", "lock", "locks", "restore"];
        let near = |word| nearest(word, known.into_iter());
        assert_eq!(near("lokc"), ["lock"]);
        assert_eq!(near("contetnion"), ["contention"]);
        assert_eq!(near("restroe"), ["restore"]);
        assert_eq!(near("blocks"), ["block", "locks"]);
        assert_eq!(near("lok"), [""; 0]);
        assert_eq!(near("zzzzqqqq"), [""; 0]);
    }
}
