//! Going past what cannot be read, to where reading can continue.

use super::Corrector;

impl Corrector<'_> {
    /// Skips a list or object by its brackets.
    pub(super) fn skip_nested(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => {
                    self.skip_quoted();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips a string by its quotes; one without its second quote only by the first.
    fn skip_quoted(&mut self) {
        let start = self.at + 1;
        let mut at = start;
        while let Some(length) = memchr::memchr3(b'"', b'\\', b'\n', &self.bytes[at..]) {
            at += length;
            match self.bytes[at] {
                b'"' => {
                    self.at = at + 1;
                    return;
                }
                b'\\' => at = (at + 2).min(self.bytes.len()),
                _ => break,
            }
        }
        self.at = start;
    }

    /// Skips what is no value, up to what may end it.
    pub(in crate::almost_json) fn skip_unreadable(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b',' | b'\n' if depth == 0 => return,
                b'\n' => depth = 0,
                b'"' => {
                    self.skip_quoted();
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b'}' | b']' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}
