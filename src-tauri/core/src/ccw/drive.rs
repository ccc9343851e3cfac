//! What both drivers share: the gate before an operation, edits of several objects of one master, texts for companions.

use crate::ccw;
use crate::ccw_v2::rules;
use crate::control::{Refusal, RefusalCode, Situation};
use crate::format::{FileFacts, Format, Summary};
use crate::json_span::json::Json;
use crate::json_span::lists::Items;
use crate::json_span::splice::{Change, NewValue, SpliceError, Step, edit_object};
use crate::json_span::tree::Node;
use crate::status::{FileStatus, StatusWord};
use crate::text_edit::{self, TextEdit};
use crate::times::Millis;
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

/// Why a driver must not touch this loop now; the loop must run, and be ours.
pub(crate) fn gate(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Result<Summary, Refusal> {
    let summary = ccw::summary(bytes, facts).ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))?;
    let refuse = |code| Err(Refusal::because(code, &summary));
    if let Some(code) = rules::damage(&summary) {
        return refuse(code);
    }
    match summary.status {
        _ if summary.format != format => refuse(RefusalCode::ReadOnlyFormat),
        FileStatus::Running if situation.shown == StatusWord::RunningElsewhere => {
            refuse(RefusalCode::ForeignOwner)
        }
        FileStatus::Running => Ok(summary),
        FileStatus::NotStarted | FileStatus::Paused => refuse(RefusalCode::NotRunning),
        _ => refuse(RefusalCode::Finished),
    }
}

/// As [`gate`], for what an action came to: a pause takes effect before the next action (the CCW contract §6), so what was finished
/// while it was on its way is still written.
pub(crate) fn gate_at_end(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Result<Summary, Refusal> {
    let summary = ccw::summary(bytes, facts).ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))?;
    let is_pausing = summary.status == FileStatus::Paused && situation.shown == StatusWord::Pausing;
    let is_sound = rules::damage(&summary).is_none() && summary.format == format;
    if is_pausing && is_sound { Ok(summary) } else { gate(bytes, format, facts, situation) }
}

/// The gate of what a driver writes that leaves because its loop is paused (seed 001, `pause_exit`).
pub(crate) fn gate_paused(
    bytes: &[u8],
    format: Format,
    facts: &FileFacts<'_>,
    situation: &Situation,
) -> Result<Summary, Refusal> {
    let summary = ccw::summary(bytes, facts).ok_or_else(|| Refusal::new(RefusalCode::DamagedFile))?;
    let refuse = |code| Err(Refusal::because(code, &summary));
    if let Some(code) = rules::damage(&summary) {
        return refuse(code);
    }
    let is_seen = matches!(situation.shown, StatusWord::Paused | StatusWord::Pausing);
    match summary.status {
        _ if summary.format != format => refuse(RefusalCode::ReadOnlyFormat),
        FileStatus::Paused if is_seen => Ok(summary),
        _ => refuse(RefusalCode::NotPaused),
    }
}

/// A value outside what the format takes.
pub(crate) fn bad_value(field: &str) -> Refusal {
    Refusal::new(RefusalCode::BadValue).with("field", field)
}

/// Ids stand in headings and bold labels of progress texts and must be one word of them.
pub(crate) fn is_id(id: &str) -> bool {
    let plain = |c: char| !c.is_control() && !c.is_whitespace() && !matches!(c, '*' | '`' | '/' | '\\' | ':');
    !id.is_empty() && id.chars().count() <= 100 && id.chars().all(plain)
}

/// Edits of one master, gathered object by object.
pub(crate) struct Edits<'b> {
    bytes: &'b [u8],
    edits: Vec<TextEdit>,
}

impl<'b> Edits<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, edits: Vec::new() }
    }

    /// Sets members of the object at `path`; new ones come at its end.
    pub(crate) fn set(&mut self, path: &[&str], values: Vec<(&str, Json)>) -> Result<(), Refusal> {
        let changes: Vec<_> = values
            .into_iter()
            .map(|(key, value)| Change::Set { key, value: NewValue::Json(value), after: None })
            .collect();
        let steps: Vec<_> = path.iter().map(|key| Step::Key(key)).collect();
        if !changes.is_empty() {
            self.edits.extend(edit_object(self.bytes, &steps, &changes).map_err(|error| refusal(&error))?);
        }
        Ok(())
    }

    /// Sets members of single items of the array at `path`.
    pub(crate) fn set_items(
        &mut self,
        path: &[&str],
        values: Vec<(usize, Vec<(&str, Json)>)>,
    ) -> Result<(), Refusal> {
        if values.is_empty() {
            return Ok(());
        }
        let items = self.items(path)?.ok_or_else(|| not_editable(path))?;
        for (index, values) in values {
            let changes: Vec<_> = values
                .into_iter()
                .map(|(key, value)| Change::Set { key, value: NewValue::Json(value), after: None })
                .collect();
            let outline = items.outline(index).map_err(|error| refusal(&error))?;
            self.edits.extend(outline.edit(&changes).map_err(|error| refusal(&error))?);
        }
        Ok(())
    }

    /// Takes items out of the array at `path`.
    pub(crate) fn remove(&mut self, path: &[&str], removed: impl Fn(usize) -> bool) -> Result<(), Refusal> {
        if let Some(items) = self.items(path)? {
            self.edits.extend(items.remove(removed));
        }
        Ok(())
    }

    /// Appends to the array at `path`, or makes it.
    pub(crate) fn push(&mut self, path: &[&str], new: &[Json]) -> Result<(), Refusal> {
        let Some((key, parent)) = path.split_last().filter(|_| !new.is_empty()) else { return Ok(()) };
        match self.items(path)? {
            Some(items) => self.edits.push(items.append(new).map_err(|error| refusal(&error))?),
            None if self.holds_something(path) => return Err(not_editable(path)),
            None => self.set(parent, vec![(*key, Json::List(new.to_vec()))])?,
        }
        Ok(())
    }

    /// Whether something else than null stands at `path`: nothing of others is replaced by a new container.
    pub(crate) fn holds_something(&self, path: &[&str]) -> bool {
        let root = Node::parse(self.bytes).unwrap_or_else(|_| Node::null());
        !path.iter().fold(&root, |node, key| node.get(key)).is_null()
    }

    fn items(&self, path: &[&str]) -> Result<Option<Items<'b>>, Refusal> {
        let steps: Vec<_> = path.iter().map(|key| Step::Key(key)).collect();
        Items::read(self.bytes, &steps).map_err(|error| refusal(&error))
    }

    /// The edits, once they fit together and the result is JSON.
    pub(crate) fn finish(self) -> Result<Vec<TextEdit>, Refusal> {
        let unsafe_edit = || Refusal::new(RefusalCode::NotEditable);
        let edited = text_edit::apply(self.bytes, &self.edits).map_err(|_| unsafe_edit())?;
        Node::parse(&edited).map_err(|_| unsafe_edit())?;
        Ok(self.edits)
    }
}

pub(crate) fn not_editable(path: &[&str]) -> Refusal {
    Refusal::new(RefusalCode::NotEditable).with("field", path.join("."))
}

/// What a failed splice means to a person.
pub(crate) fn refusal(error: &SpliceError) -> Refusal {
    match error {
        SpliceError::Damaged(_) => Refusal::new(RefusalCode::DamagedFile),
        SpliceError::DuplicateKey(key) => Refusal::new(RefusalCode::NotEditable).with("field", key),
        SpliceError::NoObject | SpliceError::Unsafe => Refusal::new(RefusalCode::NotEditable),
    }
}

/// How long a loop took, in milliseconds: the time at work, else the time since it was created; and which of the two.
pub(crate) fn took(worked_ms: Option<f64>, summary: &Summary, now: Millis) -> (Option<f64>, bool) {
    let worked_ms = worked_ms.filter(|took| took.is_finite() && *took >= 0.0);
    #[allow(clippy::cast_precision_loss)] // milliseconds of years are exact in f64
    let age_ms = summary.created.map(|created| (now - created) as f64);
    (worked_ms.or(age_ms), worked_ms.is_none())
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
