//! What the plugin's hook reads (AoT contract §4, parser facts): lines of bytes, not YAML.

use super::front_matter::line_end;
use std::ops::Range;

/// The lines of a file that the hook looks at.
pub(crate) struct HookView<'b> {
    bytes: &'b [u8],
    lines: Vec<Range<usize>>,
}

impl<'b> HookView<'b> {
    /// The lines between the first two lines that are exactly `---`, or up to the end; `None` without the first one.
    pub(crate) fn from_bytes(bytes: &'b [u8]) -> Option<Self> {
        let mut lines = HookLines { bytes, at: 0 };
        lines.find(|line| &bytes[line.clone()] == b"---")?;
        let lines = lines.take_while(|line| &bytes[line.clone()] != b"---").collect();
        Some(Self { bytes, lines })
    }

    /// The lines with their positions.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &'b [u8])> + '_ {
        self.lines.iter().map(|line| (line.start, &self.bytes[line.clone()]))
    }

    /// The value of a field of `control`: from the first line that starts with it.
    pub(crate) fn control(&self, key: &str) -> Option<&'b [u8]> {
        self.field("  ", key)
    }

    fn field(&self, indent: &str, key: &str) -> Option<&'b [u8]> {
        let start = format!("{indent}{key}:");
        let mut lines = self.lines.iter().map(|line| &self.bytes[line.clone()]);
        lines.find_map(|line| line.strip_prefix(start.as_bytes())).map(value)
    }

    /// How many atoms the hook counts with this status.
    pub(crate) fn count(&self, word: &str) -> usize {
        let start = format!("    status: {word}");
        self.lines.iter().filter(|line| self.bytes[(*line).clone()].starts_with(start.as_bytes())).count()
    }
}

/// Without leading spaces and one quote at each end.
fn value(text: &[u8]) -> &[u8] {
    let blank = text.iter().take_while(|byte| **byte == b' ').count();
    let text = &text[blank..];
    let text = text.strip_prefix(b"\"").or(text.strip_prefix(b"'")).unwrap_or(text);
    text.strip_suffix(b"\"").or(text.strip_suffix(b"'")).unwrap_or(text)
}

struct HookLines<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Iterator for HookLines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let line = self.at..line_end(self.bytes, self.at);
        self.at = line.end + 1;
        Some(line)
    }
}

/// The keys of `control` in our writing order.
pub(crate) const CONTROL_KEYS: [&str; 7] = [
    "status",
    "iteration",
    "stall_count",
    "prev_pending_count",
    "stop_requested",
    "stop_reason",
    "redirect_requested",
];

/// The constraints that the plugin's hook reads.
pub(crate) const HOOK_LIMITS: [&str; 2] = ["max_iterations", "max_stall_count"];

/// A line that the plugin's hook takes for a field (§4, parser facts).
pub(crate) struct HookLine<'a> {
    pub(crate) field: &'static str,
    pub(crate) value: &'a str,
    pub(crate) line: u32,
    pub(crate) indent: usize,
}

/// All lines of `text` that look like control fields (two spaces) or limits (four spaces) to the hook.
pub(crate) fn hook_lines(text: &str, first_line: u32) -> impl Iterator<Item = HookLine<'_>> {
    text.split('\n').zip(first_line..).filter_map(|(line, number)| {
        let rest = line.strip_prefix("  ")?;
        let (indent, rest) = rest.strip_prefix("  ").map_or((2, rest), |deeper| (4, deeper));
        if rest.starts_with([' ', '-']) {
            return None;
        }
        let (key, value) = rest.split_once(':')?;
        let keys: &[&'static str] = if indent == 2 { &CONTROL_KEYS } else { &HOOK_LIMITS };
        let field = keys.iter().copied().find(|name| *name == key)?;
        Some(HookLine { field, value: hook_value(value), line: number, indent })
    })
}

/// The lines of `text` that the hook takes for the status of an atom, wherever they stand (L11).
pub(crate) fn status_lines(text: &str, first_line: u32) -> impl Iterator<Item = u32> {
    let lines = text.split('\n').zip(first_line..).filter(|(line, _)| line.starts_with("    status:"));
    lines.map(|(_, number)| number)
}

/// A value without a comment and one pair of quotes.
fn hook_value(text: &str) -> &str {
    let text = text.split(" #").next().unwrap_or_default().trim();
    let text = text.strip_prefix(['"', '\'']).unwrap_or(text);
    text.strip_suffix(['"', '\'']).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(file: &str) -> Option<String> {
        let view = HookView::from_bytes(file.as_bytes())?;
        view.control("status").map(|value| String::from_utf8_lossy(value).into_owned())
    }

    #[test]
    fn the_first_line_of_a_field_counts_as_it_stands() {
        for (file, expected) in [
            ("---\ncontrol:\n  status: running\n---\n", Some("running")),
            ("---\ncontrol:\n  status:   \"running\"\n---\n", Some("running")),
            ("---\ncontrol:\n  status: running  # x\n---\n", Some("running  # x")),
            ("---\nx:\n  status: a\ncontrol:\n  status: b\n---\n", Some("a")),
            ("---\ncontrol:\n  status: running\r\n---\n", Some("running\r")),
            ("---\ncontrol:\n    status: running\n---\n  status: x\n", None),
            ("---\ncontrol:\n  \"status\": running\n---\n", None),
            ("---\ncontrol:\n  status : running\n---\n", None),
            ("---\ncontrol: {}\n...\n  status: body\n", Some("body")),
            ("---\r\ncontrol:\r\n  status: running\r\n---\r\n", None),
            ("\u{feff}---\n  status: a\n---\n  status: b\n", Some("b")),
        ] {
            assert_eq!(status(file).as_deref(), expected, "{file:?}");
        }
    }

    #[test]
    fn atoms_are_counted_by_their_line() {
        let file =
            b"---\natoms:\n  - id: A\n    status: pending # x\n  - id: B\n    status: \"pending\"\n---\n";
        assert_eq!(HookView::from_bytes(file).expect("lines").count("pending"), 1);
    }
}
