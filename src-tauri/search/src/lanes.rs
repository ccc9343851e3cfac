//! Eight bytes of a text at a time, each in a lane of one number: one operation tests all eight.
//!
//! Ours, because `memchr` finds given bytes only: it can't tell letters from other bytes, nor hash them in the same pass.

/// Bytes side by side in one number.
pub(crate) const LANES: usize = 8;

/// The highest bit of each lane.
const HIGHEST: u64 = in_each(0x80);

/// Eight bytes of a text, the first one lowest.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(u64);

/// Lanes that an answer is true of, up to the first one of them: a mark after that one may be wrong.
#[derive(Clone, Copy)]
pub(crate) struct Marks(u64);

impl Lanes {
    /// The bytes of `text` from `at` on; zeros after its end.
    #[inline]
    pub(crate) fn at(text: &[u8], at: usize) -> Self {
        match text.get(at..at + LANES).and_then(<[u8]>::first_chunk) {
            Some(bytes) => Self(u64::from_le_bytes(*bytes)),
            None => Self::last(text.get(at..).unwrap_or_default()),
        }
    }

    #[cold]
    fn last(rest: &[u8]) -> Self {
        let mut bytes = [0; LANES];
        bytes[..rest.len()].copy_from_slice(rest);
        Self(u64::from_le_bytes(bytes))
    }

    /// The first `count` bytes, and zeros in the place of the others.
    #[inline]
    pub(crate) fn first(self, count: usize) -> Self {
        Self(if count < LANES { self.0 & ((1 << (8 * count)) - 1) } else { self.0 })
    }

    /// The bytes as one number.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Which of them are `byte`.
    #[inline]
    pub(crate) fn equal(self, byte: u8) -> Marks {
        let difference = self.0 ^ in_each(byte);
        Marks(difference.wrapping_sub(in_each(1)) & !difference & HIGHEST)
    }

    /// Which of them are ASCII letters or digits; every mark is right.
    #[inline]
    pub(crate) fn letters(self) -> Marks {
        Self(self.0 | in_each(0x20)).between(b'a', b'z').or(self.between(b'0', b'9'))
    }

    /// Which of them are ASCII capital letters; every mark is right.
    #[inline]
    pub(crate) fn capitals(self) -> Marks {
        self.between(b'A', b'Z')
    }

    /// ASCII capital letters as small ones.
    #[inline]
    pub(crate) fn in_lower_case(self) -> Self {
        Self(self.0 | self.capitals().0 >> 2)
    }

    /// Which of them are ASCII from `least` to `most`; no lane carries into the next one.
    #[inline]
    fn between(self, least: u8, most: u8) -> Marks {
        let low = self.0 & !HIGHEST;
        let reach = low + in_each(0x80 - least);
        let exceed = low + in_each(0x7f - most);
        Marks(reach & !exceed & !self.0 & HIGHEST)
    }
}

impl Marks {
    /// What one of both marks.
    #[inline]
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Lanes without a mark; of marks that are all right.
    #[inline]
    pub(crate) fn others(self) -> Self {
        Self(!self.0 & HIGHEST)
    }

    /// The first marked lane; [`LANES`] when there is none.
    #[inline]
    pub(crate) fn first(self) -> usize {
        self.0.trailing_zeros() as usize / 8
    }

    /// Whether a lane is marked from the `from`th one to the one before `end`; of marks that are all right.
    #[inline]
    pub(crate) fn any_in(self, from: usize, end: usize) -> bool {
        Lanes(self.0).first(end).0 >> (8 * from) != 0
    }
}

/// `byte` in each lane.
const fn in_each(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_lane_is_answered_as_its_byte(bytes in any::<[u8; LANES]>(), byte in any::<u8>()) {
            let lanes = Lanes::at(&bytes, 0);
            let first = |is: &dyn Fn(&u8) -> bool| bytes.iter().position(is).unwrap_or(LANES);
            prop_assert_eq!(lanes.equal(byte).first(), first(&|each| *each == byte));
            prop_assert_eq!(lanes.letters().first(), first(&u8::is_ascii_alphanumeric));
            prop_assert_eq!(lanes.letters().others().first(), first(&|each| !each.is_ascii_alphanumeric()));
            prop_assert_eq!(lanes.in_lower_case().bits().to_le_bytes(), bytes.map(|each| each.to_ascii_lowercase()));
            for (from, end) in (0..LANES).flat_map(|from| (from..=LANES).map(move |end| (from, end))) {
                let expected = bytes[from..end].iter().any(u8::is_ascii_uppercase);
                prop_assert_eq!(lanes.capitals().any_in(from, end), expected);
            }
        }

        #[test]
        fn what_is_not_there_is_zero(bytes in any::<[u8; LANES]>(), count in 0..=LANES) {
            let mut expected = bytes;
            expected[count..].fill(0);
            let expected = u64::from_le_bytes(expected);
            prop_assert_eq!(Lanes::at(&bytes, 0).first(count).bits(), expected);
            prop_assert_eq!(Lanes::at(&bytes[..count], 0).bits(), expected);
            prop_assert_eq!(Lanes::at(&bytes[..count], LANES + 1).bits(), 0);
        }
    }
}
