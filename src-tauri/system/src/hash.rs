//! A fast hash of bytes, for finding candidates that may be equal.

/// Eight bytes at a time; the same in every version of Loopdeck. Only finds candidates: their bytes are
/// compared afterwards.
#[must_use]
pub fn hash(bytes: &[u8]) -> i64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(PRIME);
    let (words, rest) = bytes.as_chunks::<8>();
    let all = words.iter().fold(bytes.len() as u64, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let all = rest.iter().fold(all, |hash, byte| step(hash, u64::from(*byte)));
    (all ^ (all >> 29)).wrapping_mul(PRIME).cast_signed()
}
