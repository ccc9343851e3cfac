//! Splits the chunks of a pipe into lines. A line is complete only once its end was seen, so half a character
//! at the edge of a chunk never reaches a reader. Long lines are cut, so memory stays bounded.

use super::{OutputKind, Stream};
use memchr::memchr;

/// Bytes kept of a line of text. The rest is in the log.
pub const LINE_LIMIT: usize = 1 << 20;
/// The limit for a line that is an event. A cut event is useless, and an agent that writes a large file
/// reports it in one line.
pub const EVENT_LIMIT: usize = 16 << 20;

/// One complete line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The first bytes, as kept.
    pub bytes: &'a [u8],
    /// Length of the whole line in bytes.
    pub full: usize,
}

impl<'a> Line<'a> {
    /// A line that was not cut.
    #[must_use]
    pub fn uncut(bytes: &'a [u8]) -> Self {
        Self { bytes, full: bytes.len() }
    }

    fn from_bytes(bytes: &'a [u8], full: usize) -> Self {
        // In a line that was cut, this may be text instead of a part of the line end.
        match bytes.strip_suffix(b"\r") {
            Some(stripped) if bytes.len() == full => Self::uncut(stripped),
            _ => Self { bytes, full },
        }
    }
}

/// Collects the chunks of one pipe.
#[derive(Clone, Debug)]
pub struct LineSplitter {
    kept: Vec<u8>,
    full: usize,
    limit: usize,
}

impl LineSplitter {
    /// A splitter for one pipe of a run whose stdout is of `kind`.
    #[must_use]
    pub fn for_output(kind: OutputKind, stream: Stream) -> Self {
        let is_text = stream == Stream::Stderr || kind == OutputKind::Text;
        Self { kept: Vec::new(), full: 0, limit: if is_text { LINE_LIMIT } else { EVENT_LIMIT } }
    }

    /// Passes every line that `chunk` completes to `each`.
    pub fn push(&mut self, mut chunk: &[u8], mut each: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr(b'\n', chunk) {
            self.keep(&chunk[..end]);
            self.hand_over(&mut each);
            chunk = &chunk[end + 1..];
        }
        self.keep(chunk);
    }

    /// The pipe ended: the text after the last line end is a line too.
    pub fn end(&mut self, mut each: impl FnMut(Line<'_>)) {
        if self.full > 0 {
            self.hand_over(&mut each);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.limit - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.full = self.full.saturating_add(bytes.len());
    }

    fn hand_over(&mut self, each: &mut impl FnMut(Line<'_>)) {
        each(Line::from_bytes(&self.kept, self.full));
        self.kept.clear();
        self.kept.shrink_to(64 * 1024);
        self.full = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<(Vec<u8>, usize)> {
        let (mut splitter, mut lines) =
            (LineSplitter::for_output(OutputKind::Text, Stream::Stdout), Vec::new());
        for chunk in chunks {
            splitter.push(chunk, |line| lines.push((line.bytes.to_vec(), line.full)));
        }
        splitter.end(|line| lines.push((line.bytes.to_vec(), line.full)));
        lines
    }

    #[test]
    fn a_character_at_the_edge_of_a_chunk_stays_whole() {
        let [first, second] = [&b"caf\xc3"[..], &b"\xa9\r\n\nend"[..]];
        let found = lines(&[first, second]);
        assert_eq!(found, [("café".into(), 5), (Vec::new(), 0), (b"end".to_vec(), 3)]);
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_is_not() {
        let long = vec![b'x'; LINE_LIMIT + 10];
        let found = lines(&[&long, b"y\nz"]);
        assert_eq!((found[0].0.len(), found[0].1), (LINE_LIMIT, LINE_LIMIT + 11));
        assert_eq!(found[1], (b"z".to_vec(), 1));
    }
}
