//! Bytes in lower hex: digests, ids of blobs, tokens.

/// Two digits a byte.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.as_ref().iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(super::encode([0x00, 0x0f, 0xa0, 0xff]), "000fa0ff");
        assert_eq!(super::encode([]), "");
    }
}
