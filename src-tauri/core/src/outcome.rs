//! The result of carrying out an intent: edits of the state file, and texts for the files next to it.

use loopdeck_text::text_edit::TextEdit;
use serde::{Deserialize, Serialize};

/// The result of an operation: edits of the master, and texts for the files next to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileChanges {
    /// For the bytes passed in.
    pub edits: Vec<TextEdit>,
    /// After the master was written.
    pub files: Vec<FileWrite>,
}

impl From<Vec<TextEdit>> for FileChanges {
    fn from(edits: Vec<TextEdit>) -> Self {
        Self { edits, files: Vec::new() }
    }
}

/// A text for a file next to the master.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWrite {
    /// Relative to the loop's root, derived from the file stem.
    pub file: String,
    /// How to write it.
    pub how: WriteHow,
    /// The text.
    pub text: String,
}

/// How a text is written to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteHow {
    /// Replaces the existing content.
    Replace,
    /// Replaces this content, and no other.
    ReplaceOnly {
        /// What is there.
        before: String,
    },
    /// Appended to the existing content, or to `begin` in a new file.
    Append {
        /// Head of a new file.
        begin: String,
    },
}

impl FileWrite {
    /// The whole content of a file.
    #[must_use]
    pub fn replace(file: String, text: String) -> Self {
        Self { file, how: WriteHow::Replace, text }
    }

    /// The whole content of a file that says `before`; a file that says something else by then stays.
    #[must_use]
    pub fn replace_only(file: String, before: String, text: String) -> Self {
        Self { file, how: WriteHow::ReplaceOnly { before }, text }
    }

    /// Whether the file may be written over what is `there`.
    #[must_use]
    pub fn fits(&self, there: Option<&[u8]>) -> bool {
        match &self.how {
            WriteHow::ReplaceOnly { before } => there == Some(before.as_bytes()),
            WriteHow::Replace | WriteHow::Append { .. } => true,
        }
    }

    /// Text to append to a file.
    #[must_use]
    pub fn append(file: String, begin: String, text: String) -> Self {
        Self { file, how: WriteHow::Append { begin }, text }
    }

    /// The content of the file with this text, given its current content `there` (`None`: no file). Appended
    /// text keeps the line ends of the file.
    #[must_use]
    pub fn onto(&self, there: Option<&[u8]>) -> Vec<u8> {
        let WriteHow::Append { begin } = &self.how else { return self.text.clone().into_bytes() };
        // An empty file counts as new.
        let Some(there) = there.filter(|there| !there.is_empty()) else {
            return [begin.as_bytes(), self.text.as_bytes()].concat();
        };
        let newline = newline_of(there);
        let mut bytes = there.to_vec();
        if there.last() != Some(&b'\n') && !self.text.is_empty() {
            bytes.extend_from_slice(newline.as_bytes()); // another writer's last line is unterminated
        }
        let text = self.text.replace("\r\n", "\n");
        bytes.extend_from_slice(if newline == "\n" { text } else { text.replace('\n', newline) }.as_bytes());
        bytes
    }
}

/// The line end of the file's last terminated line.
fn newline_of(bytes: &[u8]) -> &'static str {
    match memchr::memrchr(b'\n', bytes) {
        Some(at) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_keeps_the_line_ends_of_the_file() {
        let entry = FileWrite::append("f".into(), "# Head\n".into(), "one\ntwo\n".into());
        for (there, becomes) in [
            (None, "# Head\none\ntwo\n"),
            (Some(""), "# Head\none\ntwo\n"),
            (Some("a\n"), "a\none\ntwo\n"),
            (Some("a\r\n"), "a\r\none\r\ntwo\r\n"),
            (Some("a\r\nb"), "a\r\nb\r\none\r\ntwo\r\n"),
            (Some("a\r\nb\n"), "a\r\nb\none\ntwo\n"),
            (Some("a"), "a\none\ntwo\n"),
            (Some("\n"), "\none\ntwo\n"),
        ] {
            let bytes = entry.onto(there.map(str::as_bytes));
            assert_eq!(String::from_utf8(bytes).unwrap(), becomes, "{there:?}");
        }
        let whole = FileWrite::replace("f".into(), "new\n".into());
        assert_eq!(whole.onto(Some(b"a\r\n")), b"new\n");
        let exact = FileWrite::replace_only("f".into(), "a\n".into(), "b\n".into());
        assert_eq!(
            (exact.fits(Some(b"a\n")), exact.fits(Some(b"c\n")), exact.fits(None)),
            (true, false, false)
        );
        assert_eq!(exact.onto(Some(b"a\n")), b"b\n");
    }
}
