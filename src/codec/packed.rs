//! Facts packed into few characters, as cursors carry them: base64url of numbers, texts and hashes in a known order.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The mark of a text that stands in the word list: its number is in the other bits.
const WORD: u8 = 0x80;

/// Packs facts one after another.
#[derive(Debug, Default)]
pub(crate) struct Packer(Vec<u8>);

impl Packer {
    /// Begins with a byte that says what the facts are.
    pub(crate) fn of(kind: u8) -> Packer {
        Packer(vec![kind])
    }

    /// A number below 2^56: seven bits a byte, the lowest first.
    pub(crate) fn number(mut self, mut n: u64) -> Packer {
        while n > 0x7f {
            self.0.push(u8::try_from(n & 0x7f).unwrap_or_default() | 0x80);
            n >>= 7;
        }
        self.0.push(u8::try_from(n).unwrap_or_default());
        self
    }

    /// A text by its length.
    pub(crate) fn text(self, text: &str) -> Packer {
        let mut packer = self.number(text.len() as u64);
        packer.0.extend_from_slice(text.as_bytes());
        packer
    }

    /// A text that mostly is one of a list of at most 128, which may only grow at its end: one byte then. Any other
    /// follows a zero.
    pub(crate) fn word(mut self, text: &str, words: &[&str]) -> Packer {
        let known = words.iter().position(|word| *word == text).and_then(|n| u8::try_from(n).ok());
        if let Some(n) = known.filter(|n| n & WORD == 0) {
            self.0.push(n | WORD);
            return self;
        }
        self.0.push(0);
        self.text(text)
    }

    /// Bytes of a length that the reader knows.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Packer {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Bytes that are written as base64url elsewhere.
    pub(crate) fn base64(self, text: &str) -> Packer {
        self.bytes(&URL_SAFE_NO_PAD.decode(text).unwrap_or_default())
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// Reads facts in the order in which they were packed; each is none where the text ends too early.
#[derive(Debug)]
pub(crate) struct Unpacker {
    bytes: Vec<u8>,
    at: usize,
}

impl Unpacker {
    /// The first byte and what follows it; none when the text is no base64url, or longer than `most` characters.
    pub(crate) fn of(text: &str, most: usize) -> Option<(u8, Unpacker)> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().filter(|_| text.len() <= most)?;
        Some((*bytes.first()?, Unpacker { bytes, at: 1 }))
    }

    /// The next bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&[u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// The next number.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut n: u64 = 0;
        for shift in (0..56).step_by(7) {
            let byte = *self.bytes(1)?.first()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(n);
            }
        }
        None
    }

    /// The next number as a position.
    pub(crate) fn position(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// The next text.
    pub(crate) fn text(&mut self) -> Option<String> {
        let length = self.position()?;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    /// The next text that mostly is one of a list.
    pub(crate) fn word(&mut self, words: &[&str]) -> Option<String> {
        match *self.bytes(1)?.first()? {
            0 => self.text().filter(|text| !words.contains(&text.as_str())),
            mark if mark & WORD != 0 => words.get(usize::from(mark & !WORD)).map(|word| (*word).to_owned()),
            _ => None,
        }
    }

    /// So many bytes as base64url.
    pub(crate) fn base64(&mut self, count: usize) -> Option<String> {
        Some(URL_SAFE_NO_PAD.encode(self.bytes(count)?))
    }

    /// Everything that is left, as text.
    pub(crate) fn rest(&mut self) -> Option<String> {
        let left = self.bytes.len().checked_sub(self.at)?;
        String::from_utf8(self.bytes(left)?.to_vec()).ok()
    }

    /// Whether nothing is left.
    pub(crate) fn ended(&self) -> bool {
        self.at == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let words = ["list", "items"];
        for n in [0, 127, 128, 300, (1 << 56) - 1] {
            for text in ["", "list", "items", "é, x", &"long".repeat(100)] {
                let packed = Packer::of(7).number(n).word(text, &words).text(text).bytes(&[1, 2]).finish();
                let (kind, mut read) = Unpacker::of(&packed, 4_096).expect("it was packed here");
                assert_eq!((kind, read.number(), read.word(&words)), (7, Some(n), Some(text.to_owned())));
                assert_eq!((read.text(), read.bytes(2)), (Some(text.to_owned()), Some(&[1, 2][..])));
                assert!(read.ended() && read.number().is_none() && read.text().is_none());
            }
        }
        assert!(Unpacker::of("", 10).is_none() && Unpacker::of("!", 10).is_none());
        assert!(Unpacker::of("AAAA", 3).is_none());
    }

    #[test]
    fn a_word_has_one_spelling() {
        let (_, mut read) =
            Unpacker::of(&Packer::of(0).bytes(&[0]).text("list").finish(), 99).expect("packed");
        assert_eq!(read.word(&["list"]), None);
        let (_, mut read) = Unpacker::of(&Packer::of(0).bytes(&[0x80 | 5]).finish(), 99).expect("packed");
        assert_eq!(read.word(&["list"]), None);
    }
}
