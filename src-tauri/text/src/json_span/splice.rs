//! Changes of one object as text edits. Everything else stays byte for byte.
//!
//! Style rules: a new member copies the separator and the colon of its neighbour; an inline object stays
//! inline, a minified file stays minified; a removed member takes the comma before it with it. The result is
//! checked before it is returned: the object is scanned again with the untouched values blanked, so the check
//! costs nothing.

use super::change::{Change, NewValue, Step};
use super::json::Json;
use super::scan::{Reader, Scan, ScanError, ValueKind};
use super::search::descend;
use super::style::{ArrayStyle, without_blank_lines};
use super::tree::{Node, quote};
use crate::text_edit::{self, TextEdit};
use std::borrow::Cow;
use std::ops::Range;

/// Why an edit is not possible. Nothing must be written then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The document is not JSON.
    #[error("the document is not JSON")]
    Damaged(#[from] ScanError),
    /// A key on the path, or one to be changed, stands there twice: readers disagree which one counts.
    #[error("the key {0:?} is there twice")]
    DuplicateKey(String),
    /// The path leads to no object.
    #[error("the path leads to no object")]
    NoObject,
    /// The result would not say what was meant. A bug here, caught before it reaches a file.
    #[error("the result would not say what was meant")]
    Unsafe,
}

/// One member of the object.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Decoded key.
    pub name: Cow<'a, str>,
    /// Range of the key, with its quotes.
    pub key: Range<usize>,
    /// Range of the value.
    pub value: Range<usize>,
}

/// The members of one object, from one pass over the whole document.
#[derive(Clone, Debug)]
pub struct Outline<'a> {
    text: &'a str,
    /// From `{` to after `}`.
    span: Range<usize>,
    /// In order.
    pub members: Vec<Member<'a>>,
}

/// Edits that carry out `changes` on the object at `path`.
///
/// # Errors
/// See [`SpliceError`].
pub fn edit_object(
    bytes: &[u8],
    path: &[Step<'_>],
    changes: &[Change<'_>],
) -> Result<Vec<TextEdit>, SpliceError> {
    Outline::read(bytes, path)?.edit(changes)
}

impl<'a> Outline<'a> {
    /// Checks the whole document and finds the object at `path`.
    ///
    /// # Errors
    /// See [`SpliceError`].
    pub fn read(bytes: &'a [u8], path: &[Step<'_>]) -> Result<Self, SpliceError> {
        let mut reader = Reader::new(bytes)?;
        let (mut duplicate, mut found) = (None, None);
        descend(&mut reader, path, ValueKind::Object, &mut duplicate, &mut |object| {
            found = Some(Self::read_here(object)?);
            Ok(())
        })?;
        reader.end()?;
        match (duplicate, found) {
            (Some(key), _) => Err(SpliceError::DuplicateKey(key)),
            (None, Some(outline)) => Ok(outline),
            (None, None) => Err(SpliceError::NoObject),
        }
    }

    /// The object that starts at `offset` of `text`, which was scanned before.
    ///
    /// # Errors
    /// When no object starts there.
    pub(super) fn at(text: &'a str, offset: usize) -> Result<Self, SpliceError> {
        let mut reader = Reader::at(text, offset);
        if reader.peek()? != ValueKind::Object {
            return Err(SpliceError::NoObject);
        }
        Ok(Self::read_here(&mut reader)?)
    }

    fn read_here(reader: &mut Reader<'a>) -> Scan<Self> {
        let start = reader.offset();
        let mut members = Vec::new();
        reader.object(|value, key| {
            let span = value.skip()?;
            members.push(Member { name: key.name, key: key.span, value: span });
            Ok(())
        })?;
        Ok(Self { text: reader.text(), span: start..reader.offset(), members })
    }

    /// The whole document.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Edits that carry out `changes`, checked.
    ///
    /// # Errors
    /// [`SpliceError::DuplicateKey`] for a changed key that appears twice.
    pub fn edit(&self, changes: &[Change<'_>]) -> Result<Vec<TextEdit>, SpliceError> {
        for change in changes {
            if self.members.iter().filter(|member| member.name == change.key()).count() > 1 {
                return Err(SpliceError::DuplicateKey(change.key().to_owned()));
            }
        }
        let plan = Plan::new(self, changes);
        let edits = plan.edits();
        plan.verify(&edits)?;
        Ok(edits)
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        &self.text[range]
    }

    /// The text between two members when a new one comes after `index`: the neighbour's, without blank lines.
    fn separator(&self, index: usize) -> String {
        let between = |left: usize| {
            let gap = self.slice(self.members[left].value.end..self.members[left + 1].key.start);
            without_blank_lines(gap)
        };
        if index > 0 {
            between(index - 1)
        } else if self.members.len() > 1 {
            between(0)
        } else {
            let lead = self.slice(self.span.start + 1..self.members[0].key.start);
            let spaced = lead.is_empty() && self.colon(0).ends_with(' ');
            format!(",{}", if spaced { " " } else { lead })
        }
    }

    fn colon(&self, index: usize) -> &'a str {
        self.slice(self.members[index].key.end..self.members[index].value.start)
    }
}

/// What happens to every member, and where new ones go.
struct Plan<'o, 'a, 'c> {
    outline: &'o Outline<'a>,
    removed: Vec<bool>,
    /// Index of a member and its new value.
    replaced: Vec<(usize, &'c NewValue)>,
    /// Index of the kept member before it (`None`: before all), key, value; in writing order.
    inserted: Vec<(Option<usize>, &'c str, &'c NewValue)>,
}

impl<'o, 'a, 'c> Plan<'o, 'a, 'c> {
    fn new(outline: &'o Outline<'a>, changes: &'c [Change<'c>]) -> Self {
        let place = |key: &str| outline.members.iter().position(|member| member.name == key);
        let mut removed = vec![false; outline.members.len()];
        for change in changes {
            if let (Change::Remove { key }, Some(index)) = (change, place(change.key())) {
                debug_assert_eq!(outline.members[index].name, *key);
                removed[index] = true;
            }
        }
        let mut plan = Plan { outline, removed, replaced: Vec::new(), inserted: Vec::new() };
        for change in changes {
            let Change::Set { key, value, after } = change else { continue };
            match place(key) {
                Some(index) => plan.replaced.push((index, value)),
                None => {
                    let anchor = after.and_then(|keys| keys.iter().filter_map(|key| place(key)).max());
                    let anchor = if after.is_some() && anchor.is_some() {
                        anchor
                    } else {
                        outline.members.len().checked_sub(1)
                    };
                    plan.inserted.push((plan.kept_until(anchor), key, value));
                }
            }
        }
        plan
    }

    /// The last kept member at or before `index`.
    fn kept_until(&self, index: Option<usize>) -> Option<usize> {
        (0..=index?).rev().find(|&index| !self.removed[index])
    }

    fn edits(&self) -> Vec<TextEdit> {
        if self.outline.members.is_empty() {
            return self.fill_empty();
        }
        let mut edits = Vec::new();
        for &(index, value) in &self.replaced {
            let range = self.outline.members[index].value.clone();
            let style = ArrayStyle::of_value(self.outline.slice(range.clone()), &self.style());
            edits.push(TextEdit::replace(range, style.render(value)));
        }
        if self.removed.iter().all(|&removed| removed) {
            let inside = self.outline.span.start + 1..self.outline.span.end - 1;
            let lead = self.outline.slice(inside.start..self.outline.members[0].key.start);
            let tail = self.outline.slice(self.outline.members[self.removed.len() - 1].value.end..inside.end);
            let text = self.inserted_text().join(&self.outline.separator(0));
            let text = if text.is_empty() { text } else { format!("{lead}{text}{tail}") };
            return vec![TextEdit::replace(inside, text)];
        }
        self.insertions(&mut edits);
        self.removals(&mut edits);
        edits
    }

    fn inserted_text(&self) -> Vec<String> {
        let style = self.style();
        self.inserted.iter().map(|(anchor, key, value)| self.member(*anchor, key, value, &style)).collect()
    }

    fn member(&self, anchor: Option<usize>, key: &str, value: &NewValue, style: &ArrayStyle) -> String {
        format!("{}{}{}", quote(key), self.outline.colon(anchor.unwrap_or(0)), style.render(value))
    }

    fn insertions(&self, edits: &mut Vec<TextEdit>) {
        let style = self.style();
        for (anchor, key, value) in &self.inserted {
            let member = self.member(*anchor, key, value, &style);
            edits.push(match anchor {
                Some(index) => {
                    let separator = self.outline.separator(*index);
                    TextEdit::insert(self.outline.members[*index].value.end, separator + &member)
                }
                None => {
                    let first = self.removed.iter().position(|removed| !removed).unwrap_or(0);
                    let separator = self.outline.separator(0);
                    TextEdit::insert(self.outline.members[first].key.start, member + &separator)
                }
            });
        }
    }

    /// Runs of removed members: each goes with the separator before it, a leading run with the one after it.
    fn removals(&self, edits: &mut Vec<TextEdit>) {
        let members = &self.outline.members;
        let mut index = 0;
        while index < members.len() {
            if !self.removed[index] {
                index += 1;
                continue;
            }
            let end = (index..members.len()).find(|&next| !self.removed[next]).unwrap_or(members.len());
            edits.push(match index.checked_sub(1) {
                Some(before) => TextEdit::replace(members[before].value.end..members[end - 1].value.end, ""),
                None => TextEdit::replace(members[0].key.start..members[end].key.start, ""),
            });
            index = end;
        }
    }

    fn style(&self) -> ArrayStyle {
        match self.outline.members.is_empty() {
            true => ArrayStyle::Minified,
            false => ArrayStyle::of_separator(&self.outline.separator(0), self.outline.text),
        }
    }

    /// `{}` has no style of its own: it gets one line per member when the document has more than one line.
    fn fill_empty(&self) -> Vec<TextEdit> {
        let Outline { text, span, .. } = self.outline;
        if self.inserted.is_empty() {
            return Vec::new();
        }
        let newline = match text.contains("\r\n") {
            true => "\r\n",
            false => "\n",
        };
        let lined = text.trim_end().contains('\n');
        let line = &text[text[..span.start].rfind('\n').map_or(0, |at| at + 1)..span.start];
        let indent: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        let unit = if indent.starts_with('\t') { "\t" } else { "  " };
        let (lead, between, tail, colon) = if lined {
            let lead = format!("{newline}{indent}{unit}");
            (lead.clone(), format!(",{lead}"), format!("{newline}{indent}"), ": ")
        } else {
            (String::new(), ",".to_owned(), String::new(), ":")
        };
        let style = if lined { ArrayStyle::of_separator(&between, text) } else { ArrayStyle::Minified };
        let members: Vec<String> = self
            .inserted
            .iter()
            .map(|(_, key, value)| format!("{}{colon}{}", quote(key), style.render(value)))
            .collect();
        let inside = span.start + 1..span.end - 1;
        vec![TextEdit::replace(inside, format!("{lead}{}{tail}", members.join(&between)))]
    }

    /// The names and values the object must have afterwards, in any order.
    fn expected(&self) -> Vec<(String, Option<&'c NewValue>)> {
        let mut meant: Vec<_> = self
            .outline
            .members
            .iter()
            .enumerate()
            .filter(|(index, _)| !self.removed[*index])
            .map(|(index, member)| {
                let new = self.replaced.iter().find(|(replaced, _)| *replaced == index);
                (member.name.to_string(), new.map(|(_, value)| *value))
            })
            .collect();
        meant.extend(self.inserted.iter().map(|(_, key, value)| ((*key).to_owned(), Some(*value))));
        meant.sort_by(|left, right| left.0.cmp(&right.0));
        meant
    }

    /// Scans the edited object again with the untouched values blanked (they were scanned before and are
    /// outside the edits).
    fn verify(&self, edits: &[TextEdit]) -> Result<(), SpliceError> {
        let start = self.outline.span.start;
        let mut local: Vec<TextEdit> = edits.to_vec();
        if !self.removed.iter().all(|&removed| removed) {
            for (index, member) in self.outline.members.iter().enumerate() {
                let replaced = self.replaced.iter().any(|(replaced, _)| *replaced == index);
                if !self.removed[index] && !replaced {
                    local.push(TextEdit::replace(member.value.clone(), "0"));
                }
            }
        }
        for edit in &mut local {
            if edit.range.start <= start || edit.range.end >= self.outline.span.end {
                return Err(SpliceError::Unsafe);
            }
            edit.range = edit.range.start - start..edit.range.end - start;
        }
        let object = self.outline.slice(self.outline.span.clone());
        let edited = text_edit::apply(object.as_bytes(), &local).map_err(|_| SpliceError::Unsafe)?;
        let found = members_of(&edited).map_err(|_| SpliceError::Unsafe)?;
        let meant = self.expected();
        let same = found.len() == meant.len()
            && found.iter().zip(&meant).all(|((name, value), (key, new))| {
                name == key && new.is_none_or(|new| *value == new.expected())
            });
        if same { Ok(()) } else { Err(SpliceError::Unsafe) }
    }
}

/// The members of a small object; sorted by name.
fn members_of(bytes: &[u8]) -> Scan<Vec<(String, Json)>> {
    let node = Node::parse(bytes)?;
    let mut members: Vec<_> =
        node.fields().iter().map(|(key, node)| (key.to_string(), Json::from_node(node))).collect();
    members.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(members)
}

#[cfg(test)]
#[path = "splice_tests.rs"]
mod tests;

#[cfg(test)]
mod error_tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn an_edit_of_what_is_no_json_names_its_place() {
        let Err(error) = edit_object(b"{\"a\": x}", &[], &[]) else { panic!("it is no JSON") };
        let source = error.source().map(ToString::to_string);
        assert_eq!(error.to_string(), "the document is not JSON");
        assert!(source.is_some_and(|source| source.ends_with("at byte 6")), "{error:?}");
    }
}
