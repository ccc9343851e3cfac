//! Markdown as the skills write it: headings, bold keys, bullets, tables. One pass, no state but the section.

use super::Head;
use crate::problem::{Problem, ProblemCode};
use std::borrow::Cow;

/// The lines below one heading, up to the next of any level.
#[derive(Clone, Debug, Default)]
pub(super) struct HeadingSection<'t> {
    /// 0 for the part before the first heading.
    pub(super) level: usize,
    pub(super) title: &'t str,
    /// The lines below it, trimmed at the end, without rules (`---`).
    pub(super) lines: Vec<&'t str>,
}

/// The text of a file; bytes that are not text are replaced and reported.
pub(super) fn text_of<'b>(bytes: &'b [u8], file: &str, problems: &mut Vec<Problem>) -> Cow<'b, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    if let Cow::Owned(_) = text {
        let offset = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
        let line = loopdeck_text::text_edit::line_of(bytes, offset);
        problems.push(Problem::new(ProblemCode::W10_bad_line, file).at_line(line).with("found", "not UTF-8"));
    }
    text
}

/// Splits a text at its headings. Headings inside closed fences are text.
pub(super) fn sections(text: &str) -> Vec<HeadingSection<'_>> {
    let closed = text.lines().filter(|line| is_fence(line)).count() % 2 == 0;
    let mut sections = vec![HeadingSection::default()];
    let mut fenced = false;
    for line in text.lines() {
        let line = line.trim_end();
        if closed && is_fence(line) {
            fenced = !fenced;
        }
        match heading(line).filter(|_| !fenced) {
            Some((level, title)) => sections.push(HeadingSection { level, title, lines: Vec::new() }),
            None if line == "---" && !fenced => {}
            None => {
                if let Some(section) = sections.last_mut() {
                    section.lines.push(line);
                }
            }
        }
    }
    sections
}

/// Whether a line opens or closes fenced code. A code span of three backticks does neither.
pub(super) fn is_fence(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("```");
    rest.is_some_and(|rest| !rest.trim_start_matches('`').contains('`'))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let title = title.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (level, title.trim()))
}

/// `**Key**: value`.
pub(super) fn bold(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix("**")?.split_once("**")?;
    let value = value.strip_prefix(':')?;
    (!key.is_empty() && !key.contains('*')).then(|| (key, value.trim()))
}

/// `text (time)`; the last parenthesis counts, because the text may contain others.
pub(super) fn timed(title: &str) -> (&str, Option<&str>) {
    let cut = title.strip_suffix(')').and_then(|inner| inner.rfind('(').map(|at| (at, &inner[at + 1..])));
    match cut {
        Some((at, time)) if at > 0 && !time.contains(')') => (title[..at].trim_end(), Some(time.trim())),
        _ => (title, None),
    }
}

/// `- text`.
pub(super) fn bullet(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("- ").map(str::trim)
}

/// `- Name: value`, with or without stars around the name.
pub(super) fn named_value(line: &str) -> Option<(&str, &str)> {
    let (name, value) = bullet(line)?.split_once(':')?;
    let name = name.trim().trim_start_matches("**").trim_end_matches("**");
    Some((name, value.trim_start_matches("**").trim()))
}

/// The paths of ``- `path` `` lines.
pub(super) fn paths<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<String> {
    lines.filter_map(|line| path(bullet(line)?)).collect()
}

fn path(text: &str) -> Option<String> {
    let inner = text.strip_prefix('`')?;
    let end = inner.rfind('`')?;
    (end > 0).then(|| inner[..end].to_owned())
}

/// The cells of a table row, without asterisks; `None` for rules and other lines.
pub(super) fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut chars = inner.chars();
    while let Some(next) = chars.next() {
        match (next, cells.last_mut()) {
            ('|', _) => cells.push(String::new()),
            ('\\', Some(cell)) => match chars.next() {
                Some('|') => cell.push('|'),
                Some(other) => cell.extend(['\\', other]),
                None => cell.push('\\'),
            },
            (other, Some(cell)) => cell.push(other),
            (_, None) => {}
        }
    }
    let cells: Vec<String> = cells.iter().map(|cell| plain(cell).to_owned()).collect();
    let rule = cells.iter().all(|cell| cell.bytes().all(|byte| matches!(byte, b'-' | b':' | b' ')));
    (!rule).then_some(cells)
}

fn plain(cell: &str) -> &str {
    let cell = cell.trim();
    let inner = cell.strip_prefix("**").and_then(|cell| cell.strip_suffix("**"));
    inner.unwrap_or(cell).trim()
}

/// The two-column rows of a metric table.
pub(super) fn metrics<'t>(lines: &'t [&'t str]) -> impl Iterator<Item = (String, String)> + 't {
    lines.iter().filter_map(|line| {
        let mut cells = cells(line)?.into_iter();
        Some((cells.next()?, cells.next()?))
    })
}

/// A coverage without a source.
pub(super) const NOT_MEASURED: &str = "not measured";

/// A number, with or without `%` or `ms` after it; `N/A` and `NaN%` give none.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim_end_matches("ms").trim();
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A count; negative and absurd ones saturate.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
pub(super) fn count(text: &str) -> Option<u32> {
    number(text).map(|number| number as u32)
}

/// Fills the head from the lines below the title; a task of several lines runs to the next bold key.
pub(super) fn head(section: &HeadingSection<'_>, head: &mut Head) {
    let mut task: Option<Vec<&str>> = None;
    for line in &section.lines {
        let Some((key, value)) = bold(line) else {
            if let Some(task) = &mut task {
                task.push(line);
            }
            continue;
        };
        if let Some(lines) = task.take() {
            head.task = Some(read_block(&lines));
        }
        match key {
            "Loop ID" | "Session ID" => head.loop_id = filled(value),
            "Task" | "Bug Description" | "Bug" => task = Some(vec![value]),
            "Started" | "Validated" => head.time = filled(value),
            _ => {}
        }
    }
    if let Some(lines) = task {
        head.task = Some(read_block(&lines));
    }
}

/// A text, unless it is empty.
pub(super) fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// `text` on one line: every run of white space becomes one blank.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` as a block of lines: line ends trimmed, without blank lines around it. This is what a reader
/// returns.
#[must_use]
pub fn block(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    joined(&lines)
}

fn joined(lines: &[&str]) -> String {
    let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(start, |end| end + 1);
    lines[start..end].join("\n")
}

/// A block as written in a file: a line that would be structure gets a backslash before it.
pub(super) fn write_block(text: &str) -> String {
    let lines = block(text);
    let escaped: Vec<String> = lines
        .lines()
        .map(|line| if is_structure(line) { format!("\\{line}") } else { line.to_owned() })
        .collect();
    escaped.join("\n")
}

/// A block after a bold key: it starts on the key's line, so leading blanks are removed.
pub(super) fn write_value(text: Option<&str>) -> String {
    write_block(text.unwrap_or_default().trim_start())
}

fn is_structure(line: &str) -> bool {
    let start = line.trim_start();
    line.starts_with(['#', '\\']) || line.starts_with("**") || line == "---" || start.starts_with("```")
}

/// The reverse of [`write_block`].
pub(super) fn read_block(lines: &[&str]) -> String {
    let plain: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_prefix('\\').filter(|rest| is_structure(rest)).unwrap_or(line))
        .collect();
    joined(&plain)
}
