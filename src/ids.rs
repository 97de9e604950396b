//! Tokens of new ids: the only randomness that anybody sees, and a reproducible one for tests.

use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

/// A source of base-36 tokens.
#[derive(Debug)]
pub enum Tokens {
    /// The system's randomness.
    System,
    /// The digits that a seed stands for, from a position on (`PM_SEED`, storage.md §3.2).
    Seeded {
        /// The seed.
        seed: String,
        /// How many digits were taken.
        taken: AtomicUsize,
    },
}

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Bytes from here on would make the first digits likelier than the others.
const UNBIASED: u8 = 252;

impl Tokens {
    /// The source for a seed, or the system's.
    pub fn new(seed: Option<&str>) -> Tokens {
        match seed {
            Some(seed) => Tokens::Seeded { seed: seed.to_owned(), taken: AtomicUsize::new(0) },
            None => Tokens::System,
        }
    }

    /// The next token of this many digits. An unavailable system source gives `None`.
    pub fn next(&self, length: usize) -> Option<String> {
        match self {
            Tokens::System => system(length),
            Tokens::Seeded { seed, taken } => {
                let start = taken.fetch_add(length, Ordering::Relaxed);
                Some((start..start + length).map(|n| seeded(seed, n)).collect())
            }
        }
    }
}

fn seeded(seed: &str, digit: usize) -> char {
    let block =
        Sha256::new().chain_update(seed).chain_update([0]).chain_update((digit / 32).to_string()).finalize();
    char::from(DIGITS[usize::from(block[digit % 32] % 36)])
}

fn system(length: usize) -> Option<String> {
    let mut token = String::with_capacity(length);
    let mut bytes = [0u8; 32];
    while token.len() < length {
        getrandom::fill(&mut bytes).ok()?;
        for byte in bytes.iter().filter(|byte| **byte < UNBIASED).take(length - token.len()) {
            token.push(char::from(DIGITS[usize::from(byte % 36)]));
        }
    }
    Some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_digits_every_time() {
        let tokens = Tokens::new(Some("x"));
        assert_eq!(tokens.next(6).unwrap(), "6msz1s");
        let other = Tokens::new(Some("x"));
        let whole = other.next(40).unwrap();
        assert_eq!(whole[6..12], tokens.next(6).unwrap());
    }

    #[test]
    fn system_tokens_are_base_36_and_unlike() {
        let tokens = Tokens::new(None);
        let (a, b) = (tokens.next(12).unwrap(), tokens.next(12).unwrap());
        assert_ne!(a, b);
        assert!(a.len() == 12 && a.bytes().all(|b| DIGITS.contains(&b)));
    }
}
