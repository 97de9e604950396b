//! Numbers of a few bits, one behind the other, written six bits in a character.

use super::{Code, DIGITS, read};

/// How a choice among places is written: all of them, or a list of places, or a bit for each.
const ALL: Code = 0;
const LIST: Code = 1;
const EACH: Code = 2;

/// The bits of such a way.
const WAY_BITS: u32 = 2;

/// The bits of a number below this one.
pub(super) fn width(below: usize) -> u32 {
    usize::BITS - below.saturating_sub(1).leading_zeros()
}

/// Writes numbers.
#[derive(Default)]
pub(super) struct Writer(Vec<bool>);

impl Writer {
    /// Adds a number of so many bits.
    pub(super) fn number(&mut self, number: Code, width: u32) {
        self.0.extend((0..width).rev().map(|bit| number >> bit & 1 == 1));
    }

    /// Adds which of so many places are chosen, in the shortest way; the chosen ones are in order.
    pub(super) fn chosen(&mut self, places: &[usize], all: usize) {
        let each = width(all + 1);
        if places.len() == all {
            self.number(ALL, WAY_BITS);
        } else if (places.len() + 1) * (each as usize) < all {
            self.number(LIST, WAY_BITS);
            self.number(places.len() as Code, each);
            places.iter().for_each(|place| self.number(*place as Code, each));
        } else {
            self.number(EACH, WAY_BITS);
            (0..all).for_each(|place| self.0.push(places.binary_search(&place).is_ok()));
        }
    }

    /// All that was added; the last character is filled up with zeros.
    pub(super) fn digits(&self) -> String {
        let digit =
            |six: &[bool]| (0..6).fold(0, |digit, n| digit << 1 | Code::from(six.get(n) == Some(&true)));
        self.0.chunks(6).map(|six| char::from(DIGITS[digit(six) as usize])).collect()
    }
}

/// Reads numbers; nothing where the text ends before them.
pub(super) struct Reader<'t> {
    digits: &'t [u8],
    /// How many bits were read.
    at: usize,
}

impl<'t> Reader<'t> {
    /// Reads this text.
    pub(super) fn of(text: &'t str) -> Reader<'t> {
        Reader { digits: text.as_bytes(), at: 0 }
    }

    /// The next number of so many bits.
    pub(super) fn number(&mut self, width: u32) -> Option<Code> {
        let mut number = 0;
        for _ in 0..width {
            let digit = read(&[*self.digits.get(self.at / 6)?]);
            number = number << 1 | digit >> (5 - self.at % 6) & 1;
            self.at += 1;
        }
        Some(number)
    }

    /// Those of these places that were chosen.
    pub(super) fn chosen(&mut self, places: &[usize]) -> Option<Vec<usize>> {
        let each = width(places.len() + 1);
        match self.number(WAY_BITS)? {
            ALL => Some(places.to_vec()),
            LIST => {
                let count = self.number(each)?;
                (0..count).map(|_| places.get(self.number(each)? as usize).copied()).collect()
            }
            EACH => {
                let mut set = Vec::new();
                for place in places {
                    if self.number(1)? == 1 {
                        set.push(*place);
                    }
                }
                Some(set)
            }
            _ => None,
        }
    }
}
