//! Random numbers that a failed test can repeat: the seed is printed and can be set.

/// A small generator (xorshift64*): tests need variety, not quality.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Seeded from the environment variable `LOOPDECK_TEST_SEED`, or with `usual`; prints which.
    pub fn new(usual: u64) -> Self {
        let asked = std::env::var("LOOPDECK_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = asked.unwrap_or(usual);
        eprintln!("LOOPDECK_TEST_SEED={seed}");
        Self::from(seed)
    }

    /// A number from 0 to below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }
}

impl From<u64> for Random {
    fn from(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
}
