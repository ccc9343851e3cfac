//! A text with the code only: comments and what is in strings are blank, every line and every byte keeps its place.

use super::language::Language;

/// `text` with blanks for what is no code.
pub(super) fn masked(text: &str, language: Language) -> String {
    let mut mask = Mask { text, out: text.as_bytes().to_vec(), at: 0, language };
    while mask.at < text.len() {
        mask.step();
    }
    // Only ASCII replaces whole characters, or parts of them one after the other.
    String::from_utf8_lossy(&mask.out).into_owned()
}

struct Mask<'t> {
    text: &'t str,
    out: Vec<u8>,
    at: usize,
    language: Language,
}

impl Mask<'_> {
    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with.as_bytes())
    }

    fn before(&self) -> u8 {
        self.at.checked_sub(1).map_or(b'\n', |at| self.text.as_bytes()[at])
    }

    fn step(&mut self) {
        use Language::{Go, Php, Python, Ruby, Rust, Script, Shell};
        let language = self.language;
        let has_slashes = !matches!(language, Python | Ruby | Shell);
        let hash = match language {
            Python | Ruby => true,
            Php => !self.starts("#["),
            Shell => self.before().is_ascii_whitespace(),
            _ => false,
        };
        if (has_slashes && self.starts("//")) || (hash && self.starts("#")) {
            return self.blank_until("\n", 0);
        }
        if has_slashes && self.starts("/*") {
            self.blank_until("*/", 0);
            return self.blank(self.at - 2, self.at);
        }
        if language == Python && (self.starts("\"\"\"") || self.starts("'''")) {
            let quote = if self.starts("'") { "'''" } else { "\"\"\"" };
            return self.blank_until(quote, 3);
        }
        if language == Rust && !is_word(self.before()) && self.is_raw_string() {
            return;
        }
        match self.rest()[0] {
            b'"' => self.quoted(b'"', matches!(language, Rust | Php)),
            b'\'' if language == Rust => self.letter(),
            b'\'' if language != Language::Swift => self.quoted(b'\'', false),
            b'`' if matches!(language, Script | Go) => self.quoted(b'`', true),
            _ => self.at += 1,
        }
    }

    /// Blanks from `skip` bytes further on up to `end`, and goes on behind that. The end of a line stays.
    fn blank_until(&mut self, end: &str, skip: usize) {
        let from = self.at + skip;
        let found = self.text.as_bytes()[from..].windows(end.len()).position(|part| part == end.as_bytes());
        let to = found.map_or(self.text.len(), |found| from + found);
        self.blank(from, to);
        self.at = if found.is_some() { to + end.len() } else { to };
    }

    fn blank(&mut self, from: usize, to: usize) {
        for byte in &mut self.out[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    /// A string up to its quote; one that must end in its line ends there at the latest.
    fn quoted(&mut self, quote: u8, over_lines: bool) {
        let bytes = self.text.as_bytes();
        let from = self.at + 1;
        let mut to = from;
        while to < bytes.len() && bytes[to] != quote && (over_lines || bytes[to] != b'\n') {
            to += if bytes[to] == b'\\' && quote != b'`' { 2 } else { 1 };
        }
        let to = to.min(bytes.len());
        self.blank(from, to);
        self.at = (to + 1).min(bytes.len()).max(from);
    }

    /// A character of Rust; a lifetime is none.
    fn letter(&mut self) {
        let rest = self.rest();
        let length = rest.iter().skip(2).take(10).position(|byte| *byte == b'\'').map(|found| found + 2);
        let first = rest.get(1).copied().unwrap_or_default();
        let is_letter = first == b'\\' || !first.is_ascii() || length == Some(2);
        match length.filter(|_| is_letter) {
            Some(length) => {
                let from = self.at + 1;
                self.blank(from, self.at + length);
                self.at += length + 1;
            }
            None => self.at += 1,
        }
    }

    fn is_raw_string(&mut self) -> bool {
        let rest = self.rest();
        let start = usize::from(rest[0] == b'b');
        if rest.get(start) != Some(&b'r') {
            return false;
        }
        let hashes = rest[start + 1..].iter().take_while(|byte| **byte == b'#').count();
        if rest.get(start + 1 + hashes) != Some(&b'"') {
            return false;
        }
        self.blank_until(&format!("\"{}", "#".repeat(hashes)), start + hashes + 2);
        true
    }
}

/// Whether a byte can be part of a name.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blank_and_the_rest_keeps_its_place() {
        let table = [
            (Language::Rust, "a /* it( */ b // it(", "a           b       "),
            (Language::Rust, "x(\"it(\\\"\", 'a', &'a b)", "x(\"     \", ' ', &'a b)"),
            (Language::Rust, "r#\"it(\"# c", "r#\"   \"# c"),
            (Language::Script, "it('é', `\n//`) // x", "it('  ', `\n  `)     "),
            (Language::Python, "\"\"\"\ndef\n\"\"\" # x\nb", "\"\"\"\n   \n\"\"\"    \nb"),
            (Language::Shell, "a $# 'x' # y", "a $# ' '    "),
        ];
        for (language, text, expected) in table {
            assert_eq!(masked(text, language), expected, "{text}");
        }
    }
}
