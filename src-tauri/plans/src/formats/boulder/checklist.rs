//! The tasks of a plan of oh-my-openagent: boxes in the first column, read line by line as upstream reads them.

use crate::boxes::{indented_below, one_line};
use crate::format::Lines;
use crate::plan::{Item, ItemState};
use std::collections::HashSet;
use std::ops::Range;

/// Most ids that a range of blockers stands for.
const LONGEST_RANGE: u32 = 500;

/// What a plan's text says.
pub(super) struct Checklist {
    pub(super) title: Option<String>,
    /// What its section "Core Objective" says.
    pub(super) objective: Option<String>,
    pub(super) items: Vec<Item>,
    /// How many tasks the counter of upstream takes for done, and how many it sees.
    pub(super) upstream: (usize, usize),
}

/// A box that counts.
struct Row<'t> {
    /// The index of its line.
    line: usize,
    mark: Range<usize>,
    label: &'t str,
    /// Its number and the rest of its label.
    number: Option<(&'t str, &'t str)>,
    /// Whether the number is written as upstream wants it.
    is_plain: bool,
    heading: Option<&'t str>,
}

/// What the text of a plan says. With a section for tasks or for the final wave only their numbered boxes count, else every box. The
/// heading of a section may go on, as the gate of upstream takes it; its counter takes such a heading for none, and doesn't see tasks
/// that are written less strictly. Where all numbers of a section have a letter, a word or stars around them, these count.
pub(super) fn read(text: &str) -> Checklist {
    let lines = outside_of_fences(text);
    let counted = rows(&lines, false);
    let is_exact = lines.iter().all(|(_, line)| section(line, true) == section(line, false));
    let exact = (!is_exact).then(|| rows(&lines, true));
    let rows = exact.as_ref().unwrap_or(&counted).iter();
    let is_seen =
        |row: &&Row<'_>| row.number.is_none_or(|(id, _)| row.is_plain && is_strict(lines[row.line].1, id));
    let rows = rows.filter(is_seen);
    let signs = rows.map(|row| text[row.mark.clone()].trim());
    let seen: Vec<&str> = signs.filter(|sign| matches!(*sign, "" | "x" | "X")).collect();
    let titles = lines.iter().filter_map(|(_, line)| heading(line));
    Checklist {
        title: titles.into_iter().find(|title| !title.is_empty()).map(one_line),
        objective: objective(&lines),
        items: items(text, &lines, &counted),
        upstream: (seen.iter().filter(|sign| !sign.is_empty()).count(), seen.len()),
    }
}

/// The boxes that count; with `is_exact` the heading of a section doesn't go on.
fn rows<'t>(lines: &[(usize, &'t str)], is_exact: bool) -> Vec<Row<'t>> {
    let is_structured = lines.iter().any(|(_, line)| section(line, is_exact).is_some());
    let (mut is_final, mut above, mut rows) = (None, None, Vec::new());
    // Of the tasks and of the final wave.
    let mut has_plain = [false; 2];
    for (index, (start, line)) in lines.iter().enumerate() {
        if let Some(title) = heading(line) {
            above = Some(title);
            if !line.starts_with("###") {
                is_final = section(line, is_exact);
            }
        } else if let Some((mark, label)) = row(line) {
            let plain = is_final.and_then(|is_final| number(label, is_final));
            let number = plain.or_else(|| lettered(label, is_final.filter(|_| !is_exact)?));
            if number.is_some() || !is_structured {
                let (mark, is_plain) = (start + mark.start..start + mark.end, plain.is_some());
                has_plain[usize::from(is_final == Some(true))] |= is_plain;
                rows.push((is_final, Row { line: index, mark, label, number, is_plain, heading: above }));
            }
        }
    }
    let counts = |is_final: Option<bool>, row: &Row<'_>| {
        row.is_plain || row.number.is_none() || !has_plain[usize::from(is_final == Some(true))]
    };
    rows.into_iter().filter(|(is_final, row)| counts(*is_final, row)).map(|(_, row)| row).collect()
}

fn items(text: &str, lines: &[(usize, &str)], rows: &[Row<'_>]) -> Vec<Item> {
    let places = Lines::of(text);
    let ends = |line: &str| heading(line).is_some() || row(line).is_some();
    let item = |(at, row): (usize, &Row<'_>)| {
        let stop = lines[row.line + 1..].iter().find(|(_, line)| ends(line));
        let mut item = task(text, &row.mark, stop.map_or(text.len(), |(start, _)| *start));
        item.id = row.number.map_or_else(|| format!("#{}", at + 1), |(id, _)| id.to_ascii_uppercase());
        let text = row.number.map_or(row.label, |(_, rest)| rest);
        let is_bold = row.number.is_some() && !row.is_plain && row.label.starts_with("**");
        item.text = if is_bold { one_line(&text.replacen("**", "", 1)) } else { one_line(text) };
        item.group = row.heading.map(str::to_owned);
        item.line = places.of_byte(row.mark.start);
        item
    };
    let mut items: Vec<Item> = rows.iter().enumerate().map(item).collect();
    // Blockers are prose: what no task is called is none. The T of a task may be missing on one side.
    let known: HashSet<String> = items.iter().map(|item| item.id.clone()).collect();
    let named = |id: &String| {
        let names = [id.clone(), id.strip_prefix('T').unwrap_or(id).to_owned(), format!("T{id}")];
        names.into_iter().find(|name| known.contains(name))
    };
    for item in &mut items {
        let mut told = HashSet::from([item.id.clone()]);
        let ids: Vec<String> = item.depends_on.iter().filter_map(named).collect();
        item.depends_on = ids.into_iter().filter(|id| told.insert(id.clone())).collect();
    }
    items
}

/// A box with what is below it.
fn task(text: &str, mark: &Range<usize>, stop: usize) -> Item {
    let word = &text[mark.clone()];
    let state = match word.trim() {
        "" => ItemState::Open,
        "x" | "X" => ItemState::Done,
        // What upstream has its agents write when only a person can go on.
        "~" => ItemState::Blocked,
        _ => ItemState::Unknown,
    };
    let details = indented_below(text, mark.end, stop);
    let mut item = Item { word: word.to_owned(), state, mark: Some(mark.clone()), ..Item::default() };
    let mut is_code = false;
    for line in details.lines() {
        item.files.extend(evidence(line).map(str::to_owned));
        is_code ^= line.trim_start().starts_with("```");
        if !is_code {
            item.done_when.extend(row(line.trim_start()).map(|(_, text)| one_line(text)));
        }
        if !is_code && (line.contains("locked") || line.contains("arallel")) {
            let lower = line.to_ascii_lowercase();
            item.parallel |= lower.contains("parallel") && lower.contains(": yes");
            let blocked = lower.find("blocked by").map(|at| &line[at + "blocked by".len()..]);
            let ids = blocked.and_then(|rest| rest.trim_start_matches([' ', '*']).strip_prefix(':'));
            item.depends_on.extend(ids.map(blockers).unwrap_or_default());
        }
    }
    item.details = details;
    item
}

/// Names of files below `evidence` in a text.
fn evidence(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |letter: char| letter.is_whitespace() || "`'\"),;|".contains(letter);
    let names = line.match_indices("evidence/").filter_map(move |(at, _)| line[at..].split(is_end).next());
    let is_name = |name: &&str| name["evidence/".len()..].contains('.') && !name.contains(['{', '<', '*']);
    names.map(|name| name.trim_end_matches('.')).filter(is_name)
}

/// Ids behind "blocked by": `Tasks 2, 5-7 (why)`, `T1, T2`. Waves and phases are no tasks, and what is behind a bar or `Blocks` is
/// another field.
fn blockers(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let is_outside = |letter: &char| {
        depth = if *letter == ')' { depth.saturating_sub(1) } else { depth + usize::from(*letter == '(') };
        depth == 0
    };
    let field: String = text.split('|').next().unwrap_or_default().chars().filter(is_outside).collect();
    let words =
        field.split(|letter: char| !letter.is_alphanumeric() && letter != '.' && !TO.contains(&letter));
    let words = words.map(|word| word.trim_matches(TO).trim_matches('.')).filter(|word| !word.is_empty());
    let (mut ids, mut before) = (Vec::new(), String::new());
    for word in words.take_while(|word| *word != "Blocks") {
        let word = word.to_ascii_uppercase();
        if !before.starts_with("WAVE") && !before.starts_with("PHASE") {
            ids.extend(named_by(&word));
        }
        before = word;
    }
    ids
}

/// What stands between the ends of a range.
const TO: [char; 4] = ['-', '–', '—', '~'];

/// The ids that a word stands for: itself, or those of a range.
fn named_by(word: &str) -> Vec<String> {
    let ends = word.split_once(TO).and_then(|(from, to)| numbered(from).zip(numbered(to)));
    let range = ends.filter(|((letters, _), (others, _))| others.is_empty() || letters == others);
    match range {
        Some(((letters, from), (_, to))) => {
            let last = to.min(from.saturating_add(LONGEST_RANGE));
            (from..=last).map(|id| format!("{letters}{id}")).collect()
        }
        None => vec![word.to_owned()],
    }
}

/// `12`, or a number behind one letter (`F3`), with that letter.
fn numbered(word: &str) -> Option<(&str, u32)> {
    let number = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let letters = &word[..word.len() - number.len()];
    let is_number = letters.len() <= 1 && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((letters, number.parse().ok().filter(|_| is_number)?))
}

/// The lines of a text that are in no fenced code and are no fence, with where they begin.
fn outside_of_fences(text: &str) -> Vec<(usize, &str)> {
    let (mut lines, mut open, mut end) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        let mark = if end == 0 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let start = end + mark;
        end += line.len();
        let line = line[mark..].trim_end_matches(['\n', '\r']);
        match (open, fence(line)) {
            (None, Some((sign, length, _))) => open = Some((sign, length)),
            (None, None) => lines.push((start, line)),
            (Some((sign, least)), Some((other, length, ""))) if sign == other && length >= least => {
                open = None;
            }
            _ => {}
        }
    }
    lines
}

/// A line that begins or ends fenced code: its sign, how many there are, and what is behind.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let bare = line.trim_start_matches([' ', '\t']);
    let sign = bare.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = bare.trim_start_matches(sign);
    let (indent, length) = (line.len() - bare.len(), bare.len() - rest.len());
    let is_fence = indent <= 3 && length >= 3 && !(sign == '`' && rest.contains('`'));
    is_fence.then(|| (sign, length, rest.trim()))
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let is_heading = text.len() < line.len() && (text.is_empty() || text.starts_with([' ', '\t']));
    is_heading.then(|| text.trim().trim_end_matches('#').trim_end())
}

/// Whether this heading begins the final wave, or the tasks.
fn section(line: &str, is_exact: bool) -> Option<bool> {
    let title = heading(line).filter(|_| line.starts_with("##") && !line.starts_with("###"))?;
    let begins = |name: &str| {
        let start = title.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
        let rest = start.map(|start| &title[start.len()..]);
        rest.is_some_and(|rest| rest.is_empty() || !is_exact && !rest.starts_with(char::is_alphanumeric))
    };
    begins("TODOs").then_some(false).or_else(|| begins("Final Verification Wave").then_some(true))
}

/// The place of the mark of a box at the beginning of a line, and the text behind it.
fn row(line: &str) -> Option<(Range<usize>, &str)> {
    let inner = line.strip_prefix(['-', '*'])?.trim_start_matches([' ', '\t']).strip_prefix('[')?;
    let (mark, rest) = inner.split_once(']')?;
    let (start, sign) = (line.len() - inner.len(), mark.trim());
    let is_sign =
        |sign: &str| sign.chars().count() == 1 && !sign.chars().all(char::is_alphanumeric) && sign != "[";
    let is_box = matches!(sign, "" | "x" | "X") || is_sign(sign);
    let has_text = rest.starts_with([' ', '\t']) && !rest.trim().is_empty();
    (is_box && has_text).then(|| (start..start + mark.len(), rest.trim()))
}

/// The number of a task and the rest of its label.
fn number(label: &str, is_final: bool) -> Option<(&str, &str)> {
    let (id, rest) = label.split_once(". ")?;
    let digits = if is_final { id.strip_prefix(['F', 'f'])? } else { id };
    let is_number = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (id, rest.trim()))
}

/// The number of a task and the rest of its label, where a letter, a word or stars are around the number: `T1. A`, `**2. B**`,
/// `Task 0.3: C`, `1A. D`. In the final wave the letter is an F.
fn lettered(label: &str, is_final: bool) -> Option<(&str, &str)> {
    let bare = label.strip_prefix("**").unwrap_or(label);
    let bare = bare.strip_prefix("Task ").unwrap_or(bare);
    let end = bare.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.')?;
    let id = bare[..end].trim_end_matches('.');
    let rest = &bare[id.len()..];
    let rest = rest.strip_prefix("**").unwrap_or(rest).strip_prefix(['.', ':', ')'])?;
    let rest = rest.strip_prefix("**").unwrap_or(rest);
    let number = id.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let letters = &id[..id.len() - number.len()];
    let digits = number.strip_suffix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(number);
    let is_number = digits
        .split('.')
        .all(|part| (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()));
    let is_one = if is_final { letters.eq_ignore_ascii_case("F") } else { letters.len() <= 1 };
    (is_number && is_one && rest.starts_with([' ', '\t'])).then(|| (id, rest.trim()))
}

/// Whether a task in a section is written as the counter of upstream wants it: one hyphen, blanks only where they must be, and no zero
/// before its number. It doesn't see any other.
fn is_strict(line: &str, id: &str) -> bool {
    let label = line.strip_prefix("- [").and_then(|rest| rest.strip_prefix([' ', 'x', 'X']));
    let label = label.and_then(|rest| rest.strip_prefix("] "));
    label.is_some_and(|label| label.starts_with(id)) && !id.trim_start_matches(['F', 'f']).starts_with('0')
}

fn objective(lines: &[(usize, &str)]) -> Option<String> {
    let is_objective =
        |line: &str| heading(line).is_some_and(|title| title.eq_ignore_ascii_case("Core Objective"));
    let below = lines.iter().map(|(_, line)| line.trim()).skip_while(|line| !is_objective(line)).skip(1);
    let paragraph = below.skip_while(|line| line.is_empty());
    let lines: Vec<&str> = paragraph.take_while(|line| !line.is_empty() && !line.starts_with('#')).collect();
    Some(one_line(&lines.join(" "))).filter(|text| !text.is_empty())
}
