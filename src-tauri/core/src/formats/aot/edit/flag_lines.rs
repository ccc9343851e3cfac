//! The stop flag of a file that is not edited as YAML: its lines are written the way the plugin's hook reads
//! them.
//!
//! A loop run by the plugin must be stoppable whatever else is wrong with its file (AoT contract §6). Lines
//! other than the flag's stay byte for byte.

use super::written::Written;
use crate::formats::aot::read::front_matter::{is_delimiter, line_end};
use crate::formats::aot::read::hook::HookView;
use loopdeck_text::text_edit::{self, TextEdit};
use std::ops::Range;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The fields and their new values.
type FlagFields<'f> = [(&'static str, &'f Written)];

/// The edits after which the hook reads all of `fields`; `None` when no such lines can be written.
pub(crate) fn edits(bytes: &[u8], fields: &FlagFields<'_>) -> Option<Vec<TextEdit>> {
    in_control(bytes, fields).or_else(|| next_to_status(bytes, fields))
}

/// In the lines of `control`; whatever keeps the hook from reading any line goes.
fn in_control(bytes: &[u8], fields: &FlagFields<'_>) -> Option<Vec<TextEdit>> {
    let front = Front::split(bytes)?;
    if front.column() != 2 {
        return None;
    }
    let set = |(key, value): &(&str, &Written)| front.set(key, &format!("  {key}: {}", value.yaml(2, "\n")));
    let mut edits: Vec<TextEdit> = fields.iter().flat_map(set).collect();
    let within = |part: &TextEdit| {
        edits.iter().any(|edit| edit.range.start <= part.range.start && part.range.end <= edit.range.end)
    };
    let layout: Vec<TextEdit> = front.readable_lines().into_iter().filter(|part| !within(part)).collect();
    edits.extend(layout);
    as_read(bytes, fields, edits)
}

/// Where the hook finds a status although there is no such section: something is written before the front matter, or it has
/// another shape. Each line replaces the one that the hook reads, or is inserted below the status.
fn next_to_status(bytes: &[u8], fields: &FlagFields<'_>) -> Option<Vec<TextEdit>> {
    let view = HookView::from_bytes(bytes)?;
    let line_of = |key: &str| {
        let start = format!("  {key}:");
        view.lines().find(|(_, line)| line.starts_with(start.as_bytes()))
    };
    let (status, line) = line_of("status")?;
    let below = status + line.len();
    let set = |(key, value): &(&str, &Written)| {
        let text = format!("  {key}: {}", value.yaml(2, "\n"));
        match line_of(key) {
            Some((at, old)) => TextEdit::replace(at..at + old.len(), text),
            None => TextEdit::insert(below, format!("\n{text}")),
        }
    };
    as_read(bytes, fields, fields.iter().map(set).collect())
}

/// `edits` without those that change nothing, if the hook reads all of `fields` then.
fn as_read(bytes: &[u8], fields: &FlagFields<'_>, mut edits: Vec<TextEdit>) -> Option<Vec<TextEdit>> {
    edits.retain(|edit| edit.text.as_bytes() != &bytes[edit.range.clone()]);
    let after = text_edit::apply(bytes, &edits).ok()?;
    let view = HookView::from_bytes(&after)?;
    // A reason stays escaped, because the hook only prints it.
    let read = |(key, value): &(&str, &Written)| {
        let found = view.control(key);
        match value {
            Written::Plain(word) => found == Some(word.as_bytes()),
            _ => found.is_some(),
        }
    };
    fields.iter().all(read).then_some(edits)
}

/// The lines of the front matter, split as any reader would.
struct Front<'b> {
    bytes: &'b [u8],
    opening: Range<usize>,
    lines: Vec<Range<usize>>,
    closing: Option<Range<usize>>,
    /// The lines of `control`, without the one that names it.
    control: Range<usize>,
}

impl<'b> Front<'b> {
    fn split(bytes: &'b [u8]) -> Option<Self> {
        let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut next = || {
            let line = (at < bytes.len()).then(|| at..line_end(bytes, at))?;
            at = line.end + 1;
            Some(line)
        };
        let opening = loop {
            let line = next()?;
            match &bytes[line.clone()] {
                text if is_delimiter(text) => break line,
                text if text.iter().all(u8::is_ascii_whitespace) => {}
                _ => return None,
            }
        };
        let (mut lines, mut closing) = (Vec::new(), None);
        while let Some(line) = next() {
            if is_delimiter(&bytes[line.clone()]) {
                closing = Some(line);
                break;
            }
            lines.push(line);
        }
        let is_control = |line: &Range<usize>| key_of(&bytes[line.clone()], 0) == Some(b"control");
        let start = lines.iter().position(is_control)? + 1;
        let section = |line: &Range<usize>| {
            bytes[line.clone()].first().is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'#')
        };
        let end = lines[start..].iter().position(section).map_or(lines.len(), |count| start + count);
        Some(Self { bytes, opening, lines, closing, control: start..end })
    }

    /// Removes everything that keeps the hook from seeing any line: a byte order mark, carriage returns,
    /// blanks after `---`.
    fn readable_lines(&self) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        if self.opening.start > 0 {
            edits.push(TextEdit::replace(0..self.opening.start, ""));
        }
        let delimiters = [Some(&self.opening), self.closing.as_ref()].into_iter().flatten();
        let blank = delimiters.filter(|line| line.len() > 3);
        edits.extend(blank.map(|line| TextEdit::replace(line.start + 3..line.end, "")));
        let returns = self.lines.iter().filter(|line| self.bytes[(*line).clone()].ends_with(b"\r"));
        edits.extend(returns.map(|line| TextEdit::replace(line.end - 1..line.end, "")));
        edits
    }

    /// Replaces each line of `control` with `key` by `line`, and also the line that the hook would find
    /// before them; without one, inserts it below the status.
    fn set(&self, key: &str, line: &str) -> Vec<TextEdit> {
        let column = self.column();
        let text = |index: usize| &self.bytes[self.lines[index].clone()];
        let hook_line = format!("  {key}:");
        let earlier = (0..self.control.start).find(|index| text(*index).starts_with(hook_line.as_bytes()));
        let own = self.control.clone().filter(|index| key_of(text(*index), column) == Some(key.as_bytes()));
        let places: Vec<usize> = earlier.into_iter().chain(own).collect();
        if places.is_empty() {
            let status = |index: &usize| key_of(text(*index), column) == Some(b"status");
            let above = self.control.clone().find(status).unwrap_or(self.control.start - 1);
            let at = self.lines[above].end;
            return vec![TextEdit::insert(at, format!("\n{line}"))];
        }
        let edit = |index: usize| {
            let last = (index + 1..self.lines.len()).take_while(|next| belongs(text(*next), text(index)));
            let end = self.lines[last.last().unwrap_or(index)].end;
            // The carriage return at the end has its own edit.
            let end = if self.bytes[..end].ends_with(b"\r") { end - 1 } else { end };
            TextEdit::replace(self.lines[index].start..end, line)
        };
        places.into_iter().map(edit).collect()
    }

    /// The column of the keys of `control`.
    fn column(&self) -> usize {
        let mut own = self.lines[self.control.clone()].iter().map(|line| &self.bytes[line.clone()]);
        let filled =
            own.find(|line| !line.trim_ascii().is_empty() && !line.trim_ascii_start().starts_with(b"#"));
        filled.map_or(2, indent)
    }
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}

/// Whether `line` continues the line `first`: its indent is deeper.
fn belongs(line: &[u8], first: &[u8]) -> bool {
    !line.trim_ascii().is_empty() && indent(line) > indent(first) && key_of(line, indent(line)).is_none()
}

/// The key of a line that starts at `column`, without quotes.
fn key_of(line: &[u8], column: usize) -> Option<&[u8]> {
    if indent(line) != column {
        return None;
    }
    let colon = memchr::memchr(b':', line)?;
    let key = line[column..colon].trim_ascii_end();
    let quoted = |quote: u8| key.strip_prefix(&[quote]).and_then(|key| key.strip_suffix(&[quote]));
    let key = quoted(b'"').or_else(|| quoted(b'\'')).unwrap_or(key);
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (!key.is_empty() && key.iter().all(named)).then_some(key)
}
