//! One frame.

use loopdeck_core::times::Timestamp;
use serde::{Deserialize, Serialize};

/// Where bytes came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

pub(crate) const HEADER: usize = 16;
pub(crate) const MOST: usize = 64 << 10;
const MAGIC: u8 = 0xA7;

/// Most bytes of output in one frame.
#[must_use]
pub const fn largest_frame() -> usize {
    MOST
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) stream: Stream,
    pub(crate) len: usize,
    pub(crate) at: Timestamp,
}

impl Header {
    pub(crate) fn encode(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0] = MAGIC;
        bytes[1] = match self.stream {
            Stream::Out => 1,
            Stream::Err => 2,
        };
        bytes[4..8].copy_from_slice(&u32::try_from(self.len).unwrap_or(u32::MAX).to_le_bytes());
        bytes[8..].copy_from_slice(&self.at.millis().to_le_bytes());
        bytes
    }

    /// `None`: these bytes are no header.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER] = bytes.get(..HEADER)?.try_into().ok()?;
        let [MAGIC, stream, 0, 0, a, b, c, d, time @ ..] = *bytes else { return None };
        let stream = match stream {
            1 => Stream::Out,
            2 => Stream::Err,
            _ => return None,
        };
        let len = usize::try_from(u32::from_le_bytes([a, b, c, d])).ok()?;
        (1..=MOST).contains(&len).then_some(Self {
            stream,
            len,
            at: Timestamp::from_millis(i64::from_le_bytes(time)),
        })
    }

    /// Bytes of the whole frame.
    pub(crate) fn size(self) -> usize {
        HEADER + self.len
    }
}
