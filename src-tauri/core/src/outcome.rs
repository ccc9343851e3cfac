//! What carrying out an intent comes to: edits of the state file, and texts for the files beside it.

use loopdeck_text::text_edit::TextEdit;
use serde::{Deserialize, Serialize};

/// What an operation does: edits of the master, and texts for the files beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// On the bytes that were handed in.
    pub edits: Vec<TextEdit>,
    /// After the master was written.
    pub files: Vec<FileWrite>,
}

/// A text for a file beside the master.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWrite {
    /// Relative to the loop's root, made of the file stem.
    pub file: String,
    /// Where in the file.
    pub how: WriteHow,
    /// What.
    pub text: String,
}

/// How a text goes into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteHow {
    /// Instead of what is there.
    Replace,
    /// Behind what is there; a file that does not exist begins with this.
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

    /// More at the end of a file.
    #[must_use]
    pub fn append(file: String, begin: String, text: String) -> Self {
        Self { file, how: WriteHow::Append { begin }, text }
    }

    /// What the file says with this text in it, when it says `there` now (`None`: there is no file). What is added keeps
    /// the line ends of the file.
    #[must_use]
    pub fn onto(&self, there: Option<&[u8]>) -> Vec<u8> {
        let WriteHow::Append { begin } = &self.how else { return self.text.clone().into_bytes() };
        // An empty file is one to begin in.
        let Some(there) = there.filter(|there| !there.is_empty()) else {
            return [begin.as_bytes(), self.text.as_bytes()].concat();
        };
        let newline = newline_of(there);
        let mut bytes = there.to_vec();
        if there.last() != Some(&b'\n') && !self.text.is_empty() {
            bytes.extend_from_slice(newline.as_bytes()); // somebody's last line has no end: ours is another one
        }
        let text = self.text.replace("\r\n", "\n");
        bytes.extend_from_slice(if newline == "\n" { text } else { text.replace('\n', newline) }.as_bytes());
        bytes
    }
}

/// How the last ended line of a file ends.
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
    }
}
