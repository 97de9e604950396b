//! Tells bytes from other bytes: quick, and good against accidents, not against attacks.

/// A checksum against accidents, at memory speed: four lanes, each step a bijection of its lane, so that any
/// one changed word changes the sum.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |lane: u64, word: u64| (lane ^ word).wrapping_mul(PRIME).rotate_left(29);
    let mut lanes = [bytes.len() as u64, 1, 2, 3];
    let (chunks, rest) = bytes.as_chunks::<32>();
    for chunk in chunks {
        let (words, _) = chunk.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    for chunk in rest.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        lanes[0] = mix(lanes[0], u64::from_le_bytes(word));
    }
    lanes.into_iter().fold(0, |sum, lane| mix(sum, lane ^ (lane >> 32)))
}
