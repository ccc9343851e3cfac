//! Hashes of words and strings, and which of them were there before.

use crate::lanes::{LANES, Lanes};
use std::hash::{BuildHasher as _, RandomState};

/// Slots of a set to begin with: the words of most documents, in little memory.
const FEW: usize = 1 << 10;
/// A set of more slots is not kept for the next document, which would have to empty it.
const MANY: usize = 1 << 14;

/// The beginning of all hashes of one collection of words: nobody can write a file whose words collide.
pub(crate) fn seed() -> u64 {
    RandomState::new().hash_one(())
}

/// The hash of a text: of each eight bytes and of the rest, which may be empty, one after the other. Multiplied and folded as in
/// wyhash, so that a word costs next to nothing.
#[inline]
pub(crate) fn add(hash: u64, part: Lanes) -> u64 {
    let bits = hash ^ part.bits() ^ 0xa076_1d64_78bd_642f;
    let product = u128::from(bits) * u128::from(0xe703_7ed1_a0b4_28db_u64);
    #[allow(clippy::cast_possible_truncation)] // both halves
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

/// The hash of a word, whose ASCII letters count without case.
pub(crate) fn of_word(seed: u64, word: &[u8]) -> u64 {
    let parts = (0..=word.len()).step_by(LANES);
    parts.fold(seed, |hash, at| add(hash, Lanes::at(word, at).in_lower_case()))
}

/// A set of hashes. One of 10¹⁸ is taken for another one.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Zero where there is none. At least half of them are zero.
    slots: Vec<u64>,
    len: usize,
}

impl Seen {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a hash. Answers whether it was not there.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = hash | 1; // never zero
        let last = self.slots.len() - 1;
        #[allow(clippy::cast_possible_truncation)] // any of its bits will do
        let mut at = (hash >> 1) as usize & last;
        loop {
            let there = self.slots[at];
            if there == hash {
                return false;
            }
            if there == 0 {
                self.slots[at] = hash;
                self.len += 1;
                return true;
            }
            at = (at + 1) & last;
        }
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        if self.slots.len() > MANY {
            self.slots = Vec::new();
        }
        self.slots.fill(0);
        self.len = 0;
    }

    #[cold]
    fn grow(&mut self) {
        let room = (self.slots.len() * 4).max(FEW);
        let before = std::mem::replace(&mut self.slots, vec![0; room]);
        self.len = 0;
        before.into_iter().filter(|hash| *hash != 0).for_each(|hash| {
            self.insert(hash);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn a_hash_is_new_once(hashes in proptest::collection::vec(0_u64..4_000, 0..3_000)) {
            let (mut seen, mut expected) = (Seen::default(), HashSet::new());
            for hash in hashes {
                prop_assert_eq!(seen.insert(hash << 1), expected.insert(hash), "{}", hash);
            }
            prop_assert_eq!(seen.len(), expected.len());
        }
    }

    #[test]
    fn what_was_cleared_is_new_again() {
        let mut seen = Seen::default();
        for most in [10, 100_000] {
            assert!((0..most).all(|hash| seen.insert(hash << 1)));
            seen.clear();
        }
        assert!(seen.insert(2) && !seen.insert(2));
        assert_eq!((seen.len(), seen.slots.len()), (1, FEW));
    }

    #[test]
    fn words_are_hashed_without_case_and_to_their_end() {
        let hash = |word: &str| of_word(7, word.as_bytes());
        assert_eq!(hash("ParseConfig"), hash("parseconfig"));
        let longer: HashSet<u64> = (0..30).map(|length| hash(&"a".repeat(length))).collect();
        assert_eq!(longer.len(), 30);
        assert_ne!(of_word(7, b"word"), of_word(8, b"word"));
    }
}
