//! Hashes that are kept or sent: the same in every version of Loopdeck, whatever compiler built it. The standard library's hasher
//! promises neither, and neither does [`std::hash::Hash`].

use siphasher::sip::SipHasher13;
use std::hash::Hasher as _;

/// SipHash 1-3 with the key zero, over bytes whose order and ends are written down here.
#[derive(Clone, Debug)]
pub struct StableHasher(SipHasher13);

impl Default for StableHasher {
    fn default() -> Self {
        Self(SipHasher13::new_with_keys(0, 0))
    }
}

impl StableHasher {
    /// Adds bytes, after their count.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64).0.write(bytes);
        self
    }

    /// Adds a text; a byte that no text has ends it.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.write(text.as_bytes());
        self.0.write(&[0xff]);
        self
    }

    /// Adds a text that may be missing.
    pub fn maybe(&mut self, text: Option<&str>) -> &mut Self {
        self.number(text.is_some().into());
        text.into_iter().fold(self, |hasher, text| hasher.text(text))
    }

    /// Adds texts, after their count.
    pub fn texts(&mut self, texts: &[impl AsRef<str>]) -> &mut Self {
        self.number(texts.len() as u64);
        for text in texts {
            self.text(text.as_ref());
        }
        self
    }

    /// Adds a number, in eight bytes, the lowest first.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.write(&number.to_le_bytes());
        self
    }

    /// The hash of what was added.
    #[must_use]
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The hash of bytes.
#[must_use]
pub fn stable_hash(bytes: &[u8]) -> u64 {
    StableHasher::default().bytes(bytes).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These values are on disks and servers: another value is another hash.
    #[test]
    fn hashes_are_what_they_always_were() {
        assert_eq!(format!("{:016x}", stable_hash(b"")), EMPTY);
        assert_eq!(format!("{:016x}", stable_hash("é loop".as_bytes())), BYTES);
        let mut hasher = StableHasher::default();
        hasher.text("cargo test").maybe(None).maybe(Some("x")).texts(&["a", "b"]).number(7);
        assert_eq!(format!("{:016x}", hasher.finish()), MIXED);
    }

    const EMPTY: &str = "bd60acb658c79e45";
    const BYTES: &str = "3e19fee11248ba1c";
    const MIXED: &str = "89fa6147b5f9b4bf";

    #[test]
    fn where_a_part_ends_counts() {
        let of = |parts: &[&str]| StableHasher::default().texts(parts).finish();
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        let maybe = |one, other| StableHasher::default().maybe(one).maybe(other).finish();
        assert_ne!(maybe(Some("a"), None), maybe(None, Some("a")));
    }
}
