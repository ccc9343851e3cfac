//! The remains of one section that is not valid YAML as a whole: its items one by one. An item that lost some
//! lines keeps the others.

use super::quotes;
use loopdeck_text::yaml_span::{self, YamlNode};

/// Sections that are lists of items, and those that are maps of entries.
const LISTS: [&str; 4] = ["atoms", "decompositions", "trail", "corrections"];
const MAPS: [&str; 2] = ["or_groups", "bindings"];

/// One item or entry at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Its id or key; empty when unknown.
    pub(crate) id: String,
    /// Its lines; none when it is lost.
    pub(crate) lines: Option<String>,
}

/// The items of a section; none when it is not a list or map of lines.
pub(crate) fn slots(name: &str, part: &str) -> Vec<Slot> {
    let is_list = LISTS.contains(&name);
    if !is_list && !MAPS.contains(&name) {
        return Vec::new();
    }
    let Some((_, lines)) = part.split_once('\n') else { return Vec::new() };
    let pieces = pieces(lines, is_list);
    let mut slots: Vec<Slot> = pieces.iter().map(|piece| slot(name, piece, is_list)).collect();
    // Of two with the same id, the first is kept.
    for at in 1..slots.len() {
        let (earlier, rest) = slots.split_at_mut(at);
        let twice = |other: &Slot| other.lines.is_some() && other.id == rest[0].id;
        if !is_list && earlier.iter().any(twice) {
            rest[0].lines = None;
        }
    }
    slots
}

/// The section built from these items.
pub(crate) fn section(name: &str, slots: &[Slot]) -> String {
    let lines: String = slots.iter().filter_map(|slot| slot.lines.as_deref()).collect();
    format!("{name}:\n{lines}")
}

/// Splits items by the column of the first one.
fn pieces(lines: &str, is_list: bool) -> Vec<String> {
    let column = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let counts = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let Some(first) = lines.lines().find(|line| counts(line)).map(column) else { return Vec::new() };
    let begins =
        |line: &str| counts(line) && column(line) == first && (!is_list || line[first..].starts_with('-'));
    let mut pieces: Vec<String> = Vec::new();
    for line in lines.split_inclusive('\n') {
        if begins(line) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(line.trim_end());
            piece.push('\n');
        }
    }
    pieces
}

fn slot(name: &str, piece: &str, is_list: bool) -> Slot {
    let usable = |piece: &str| {
        let text = format!("{name}:\n{piece}");
        let tree = yaml_span::parse(&text, 0, 1).ok()?;
        let section = tree.root.get(name)?;
        let (id, has_fields) = match (section.items(), section.entries()) {
            ([item], _) => {
                (crate::formats::aot::read::state::text(item.get("id")).into_owned(), item.is_map())
            }
            (_, [entry]) => {
                (crate::formats::aot::read::state::text(Some(&entry.key)).into_owned(), entry.value.is_map())
            }
            _ => return None,
        };
        let is_named = name != "atoms" || !id.is_empty();
        (is_named && has_fields).then_some(id)
    };
    let found = usable(piece).map(|id| (id, piece.to_owned())).or_else(|| {
        let lines = readable_lines(piece);
        usable(&lines).map(|id| (id, lines))
    });
    match found {
        Some((id, lines)) => Slot { id, lines: Some(lines) },
        None => Slot { id: id_of(piece, is_list), lines: None },
    }
}

/// The id of a lost item, if its first line shows it.
fn id_of(piece: &str, is_list: bool) -> String {
    let first = piece.lines().next().unwrap_or_default().trim_start_matches([' ', '-']);
    let id =
        if is_list { first.strip_prefix("id:").unwrap_or_default() } else { first.trim_end_matches(':') };
    id.trim().trim_matches(['"', '\'']).to_owned()
}

/// The readable lines, each on its own; a text with quotes in it is quoted, lines that are not fields are
/// left out.
fn readable_lines(piece: &str) -> String {
    let mut out = String::new();
    for (index, line) in piece.lines().enumerate() {
        let start = line.len() - line.trim_start_matches([' ', '-']).len();
        let (lead, field) = line.split_at(start);
        let kept = if field.is_empty() { None } else { readable(field) };
        match kept {
            Some(field) => out.push_str(&format!("{lead}{field}\n")),
            // The first line of the item must stay.
            None if index == 0 => return String::new(),
            None => {}
        }
    }
    out
}

fn readable(field: &str) -> Option<String> {
    let is_field =
        |text: &str| yaml_span::parse(text, 0, 1).is_ok_and(|tree| tree.root.is_map() || is_text(&tree.root));
    if is_field(&format!("{field}\n")) {
        return Some(field.to_owned());
    }
    let (key, value) = field.split_once(": ")?;
    let value = value.trim();
    if value.starts_with('[') {
        // A list without its closing bracket.
        let closed = format!("{key}: {value}]");
        return is_field(&format!("{closed}\n")).then_some(closed);
    }
    if value.starts_with(['{', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    let inner = value.strip_prefix('"').unwrap_or(value);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let whole = format!("\"{inner}\"");
    let value = quotes::escape(&whole).unwrap_or(whole);
    let fixed = format!("{key}: {value}");
    is_field(&format!("{fixed}\n")).then_some(fixed)
}

/// An item of a list of texts, or a line of one.
fn is_text(node: &YamlNode<'_>) -> bool {
    node.text().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, part: &str) -> Vec<(String, bool)> {
        slots(name, part).into_iter().map(|slot| (slot.id, slot.lines.is_some())).collect()
    }

    #[test]
    fn one_bad_item_takes_no_other_with_it() {
        let atom =
            |id: &str, text: &str| format!("  - id: {id}\n    description: {text}\n    status: pending\n");
        let part =
            format!("atoms:\n{}{}{}", atom("A1", "\"a\""), atom("A2", "\"say \"b\" x\" y"), atom("A3", "c"));
        assert_eq!(
            kept("atoms", &part),
            [("A1", true), ("A2", true), ("A3", true)].map(|(id, ok)| (id.to_owned(), ok))
        );
        let lines = slots("atoms", &part)[1].lines.clone().expect("kept");
        assert!(lines.contains("description: \"say \\\"b\\\" x\\\" y\""), "{lines}");
        let part = "bindings:\n  A1:\n    summary: \"x\"\n    artifacts: []\n  A2\n  A3:\n    summary: [\n    artifacts: []\n";
        assert_eq!(
            kept("bindings", part),
            [("A1", true), ("A2", false), ("A3", true)].map(|(id, ok)| (id.to_owned(), ok))
        );
    }

    #[test]
    fn what_is_no_list_of_items_has_none() {
        for part in ["atoms: []\n", "atoms:", "atoms:\n", "objective:\n  goal: x\n"] {
            assert_eq!(kept(part.split(':').next().unwrap_or_default(), part), [], "{part}");
        }
    }
}
