//! From an intent to text edits (AoT contract §6, and §4 for what the written bytes must look like).
//!
//! Each edit is made twice: in the bytes and in the tree. Afterwards the new bytes are parsed and must say exactly
//! what the changed tree says; otherwise nothing is written.

use super::checks::CONTROL_KEYS;
use super::guard;
use super::lines;
use super::rules::{INTERRUPTED_REASON, PAUSE_REASON, STOP_REASON};
use super::state::Document;
use crate::control::{Intent, Refusal, RefusalCode, Situation};
use crate::text_edit::TextEdit;
use crate::times;
use crate::yaml_span::{Entry, Kind, Layout, Node, Style};
use std::borrow::Cow;

/// The keys of `constraints` in the order in which ours writes them.
const LIMIT_KEYS: [&str; 3] = ["max_iterations", "max_parallel_agents", "max_stall_count"];
/// Longest reason that is written.
const MAX_REASON: usize = 500;

/// A value as ours writes it: on one line.
#[derive(Clone, Debug)]
pub(super) enum Written {
    /// A word or number.
    Plain(Cow<'static, str>),
    /// Text in double quotes (L9, L15).
    Quoted(String),
}

impl Written {
    fn word(word: &'static str) -> Self {
        Self::Plain(Cow::Borrowed(word))
    }

    fn number(number: impl std::fmt::Display) -> Self {
        Self::Plain(Cow::Owned(number.to_string()))
    }

    fn text(text: &str) -> Self {
        Self::Quoted(one_line(text))
    }

    fn yaml(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(word) => Cow::Borrowed(word),
            Self::Quoted(text) => {
                Cow::Owned(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
            }
        }
    }

    fn node<'a>(&self, at: usize) -> Node<'a> {
        match self {
            Self::Plain(word) => Node::written(word.clone(), Style::Plain, at),
            Self::Quoted(text) => Node::written(text.clone(), Style::Double, at),
        }
    }
}

/// Makes any text a single line that every reader of the file reads alike (L13, L15).
fn one_line(text: &str) -> String {
    let blank = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let flat: String = text.chars().map(|c| if blank(c) { ' ' } else { c }).collect();
    flat.replace("---", "—").trim().chars().take(MAX_REASON).collect()
}

/// Which map a key belongs to.
#[derive(Clone, Copy)]
enum Section {
    Control,
    Limits,
    Atom(usize),
}

/// The edits that carry out `intent`; legality has been judged before.
pub(super) fn edits(
    bytes: &[u8],
    document: Document<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let Document { front, tree, state, .. } = document;
    let control = &state.control;
    let mut draft = Draft { bytes, root: tree.root, closing: front.closing, edits: Vec::new() };
    match intent {
        Intent::Start => draft.run(1)?,
        Intent::Pause => draft.request_stop(PAUSE_REASON)?,
        Intent::Stop { reason } => {
            // A reason of which nothing is left on one line is none.
            let reason = reason.as_deref().map(one_line).filter(|reason| !reason.trim().is_empty());
            draft.request_stop(reason.as_deref().unwrap_or(STOP_REASON))?;
        }
        Intent::Finalise => {
            let kept = control.stop_requested.then_some(control.stop_reason.as_deref()).flatten();
            let reason = if control.stop_requested { STOP_REASON } else { INTERRUPTED_REASON };
            draft.control("status", &Written::word("stopped"))?;
            if kept.is_none() {
                draft.control("stop_reason", &Written::text(reason))?;
            }
        }
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
            let first = if matches!(intent, Intent::Reopen { .. }) { 1 } else { control.iteration.max(1) };
            draft.run(first)?;
            draft.release_atoms(&state.atoms)?;
            if let Some(limit) = raise_limit_to {
                draft.raise_limit(state.objective.max_iterations, i64::from(*limit), situation)?;
            }
        }
        Intent::EditMetadata(_) => return Err(Refusal::new(RefusalCode::NotInFormat)),
    }
    let Draft { root, edits, .. } = draft;
    if guard::says_what_was_meant(bytes, &front, &root, &edits) {
        Ok(edits)
    } else {
        Err(Refusal::new(RefusalCode::NotEditable))
    }
}

fn not_editable(field: &str) -> Refusal {
    Refusal::new(RefusalCode::NotEditable).with("field", field)
}

struct Draft<'a> {
    bytes: &'a [u8],
    root: Node<'a>,
    closing: usize,
    edits: Vec<TextEdit>,
}

impl<'a> Draft<'a> {
    /// The control fields of a running loop (§6, §6.1), in canonical order so that missing ones line up.
    fn run(&mut self, iteration: i64) -> Result<(), Refusal> {
        self.control("status", &Written::word("running"))?;
        self.control("iteration", &Written::number(iteration))?;
        self.control("stall_count", &Written::word("0"))?;
        self.control("prev_pending_count", &Written::word("-1"))?;
        self.control("stop_requested", &Written::word("false"))?;
        self.control("stop_reason", &Written::word("null"))?;
        self.control("redirect_requested", &Written::word("false"))
    }

    fn request_stop(&mut self, reason: &str) -> Result<(), Refusal> {
        self.control("stop_requested", &Written::word("true"))?;
        self.control("stop_reason", &Written::text(reason))
    }

    /// Atoms that nobody works on any more wait again (§6.1, 2).
    fn release_atoms(&mut self, atoms: &[super::state::Atom<'_>]) -> Result<(), Refusal> {
        for (index, _) in atoms.iter().enumerate().filter(|(_, atom)| atom.word == "in_progress") {
            self.set(Section::Atom(index), "status", &Written::word("pending"))?;
        }
        Ok(())
    }

    /// Raises the limit and says so in `corrections`, in one write (§6.1, 4).
    fn raise_limit(&mut self, from: i64, to: i64, situation: &Situation) -> Result<(), Refusal> {
        if from == to {
            return Ok(());
        }
        self.set(Section::Limits, "max_iterations", &Written::number(to))?;
        self.append_correction(&[
            ("timestamp", Written::Quoted(times::to_iso_seconds(situation.now))),
            ("type", Written::word("constraint_change")),
            ("description", Written::text(&format!("max_iterations raised from {from} to {to}"))),
            ("trail_cleared", Written::word("false")),
        ])
    }

    fn control(&mut self, key: &'static str, value: &Written) -> Result<(), Refusal> {
        self.set(Section::Control, key, value)
    }

    fn map(&mut self, section: Section) -> Option<&mut Node<'a>> {
        match section {
            Section::Control => self.root.get_mut("control"),
            Section::Limits => self.root.get_mut("objective")?.get_mut("constraints"),
            Section::Atom(index) => match &mut self.root.get_mut("atoms")?.kind {
                Kind::Seq(items, _) => items.get_mut(index),
                _ => None,
            },
        }
    }

    /// Gives `key` a value: rewrites its line, or inserts a canonical one.
    fn set(&mut self, section: Section, key: &'static str, value: &Written) -> Result<(), Refusal> {
        let bytes = self.bytes;
        let refusal = || not_editable(key);
        let map = self.map(section).ok_or_else(refusal)?;
        let flow = map.is_flow();
        let Kind::Map(entries, _) = &mut map.kind else { return Err(refusal()) };
        let mut same = entries.iter_mut().filter(|entry| entry.key.text().is_some_and(|text| text == key));
        let edit = match (same.next(), same.next()) {
            (Some(_), Some(_)) => return Err(refusal()),
            (Some(entry), None) => replace(bytes, entry, value, flow),
            (None, _) if flow => None,
            (None, _) => insert(bytes, entries, order(section), key, value),
        };
        // An edit that would change nothing is left out: the line is canonical already.
        let edit = edit.ok_or_else(refusal)?;
        if edit.text.as_bytes() != &bytes[edit.range.clone()] {
            self.edits.push(edit);
        }
        Ok(())
    }

    fn append_correction(&mut self, fields: &[(&'static str, Written)]) -> Result<(), Refusal> {
        let refusal = || not_editable("corrections");
        let bytes = self.bytes;
        let closing = self.closing;
        let mut item = Vec::new();
        for (key, value) in fields {
            let key = Node::written(Cow::Borrowed(*key), Style::Plain, 0);
            item.push(Entry { key, value: value.node(0) });
        }
        let item = Node::written_map(item, 0);
        let Kind::Map(sections, Layout::Block) = &mut self.root.kind else { return Err(refusal()) };
        let indent = lines::indent_of(bytes, sections.first().ok_or_else(refusal)?).ok_or_else(refusal)?;
        match sections.iter_mut().find(|entry| entry.key.text().is_some_and(|text| text == "corrections")) {
            None => {
                let eol = lines::eol_before(bytes, closing);
                let text = format!("{indent}corrections:{eol}{}", block(fields, &format!("{indent}  "), eol));
                let key = Node::written("corrections", Style::Plain, closing);
                sections.push(Entry { key, value: list_of(item) });
                self.edits.push(TextEdit::insert(closing, text));
            }
            Some(entry) => {
                self.edits.extend(append(bytes, entry, fields, item, &indent).ok_or_else(refusal)?);
            }
        }
        Ok(())
    }
}

fn order(section: Section) -> &'static [&'static str] {
    match section {
        Section::Control => &CONTROL_KEYS,
        Section::Limits => &LIMIT_KEYS,
        Section::Atom(_) => &["id", "description", "status"],
    }
}

/// Writes the value of an existing entry; in block style the rest of the line becomes canonical (L4).
fn replace(bytes: &[u8], entry: &mut Entry<'_>, value: &Written, flow: bool) -> Option<TextEdit> {
    let old = &entry.value;
    // An anchor may be meant elsewhere, a tag or alias means more than its text.
    if old.anchor != 0 || old.tagged || !matches!(old.kind, Kind::Scalar(..)) {
        return None;
    }
    let edit = if flow {
        if old.range.is_empty() {
            return None;
        }
        TextEdit::replace(old.range.clone(), value.yaml())
    } else {
        let colon = lines::colon_after(bytes, entry.key.range.end)?;
        let end = lines::text_end(bytes, colon + 1, &old.range);
        TextEdit::replace(colon + 1..end, format!(" {}", value.yaml()))
    };
    entry.value = Node { range: old.range.clone(), line: old.line, ..value.node(0) };
    Some(edit)
}

/// Inserts a canonical line after the nearest key that stands before it in `order`, else before the first key.
fn insert(
    bytes: &[u8],
    entries: &mut Vec<Entry<'_>>,
    order: &[&'static str],
    key: &'static str,
    value: &Written,
) -> Option<TextEdit> {
    let indent = lines::indent_of(bytes, entries.iter().find(|entry| entry.key.line > 0)?)?;
    let earlier: Vec<&str> = order.iter().copied().take_while(|name| *name != key).collect();
    let before = earlier
        .iter()
        .rev()
        .find_map(|name| entries.iter().position(|entry| entry.key.text().is_some_and(|text| text == *name)));
    let at = match before.map(|index| &entries[index]) {
        // Inserted by this draft too: same place, in the order of the edits.
        Some(entry) if entry.key.line == 0 => entry.key.range.start,
        Some(entry) => lines::next_line(bytes, lines::entry_end(bytes, entry))?,
        None => lines::line_start(bytes, entries.first()?.key.range.start),
    };
    let eol = lines::eol_before(bytes, at);
    let node = Entry { key: Node::written(key, Style::Plain, at), value: value.node(at) };
    entries.insert(before.map_or(0, |index| index + 1), node);
    Some(TextEdit::insert(at, format!("{indent}{key}: {}{eol}", value.yaml())))
}

/// Appends an item to a list that is empty, absent, or in block style.
fn append<'a>(
    bytes: &[u8],
    entry: &mut Entry<'a>,
    fields: &[(&'static str, Written)],
    item: Node<'a>,
    indent: &str,
) -> Option<Vec<TextEdit>> {
    if entry.value.anchor != 0 || entry.value.tagged {
        return None;
    }
    let mut edits = Vec::new();
    let end = lines::entry_end(bytes, entry);
    let at = lines::next_line(bytes, end)?;
    let eol = lines::eol_before(bytes, at);
    let nothing = entry.value.is_null() || (entry.value.is_flow() && entry.value.items().is_empty());
    match &mut entry.value.kind {
        Kind::Seq(items, Layout::Block) => {
            // The dash stands before the item's own first column.
            let dash = lines::dash_indent(bytes, items.first()?.range.start)?;
            edits.push(TextEdit::insert(at, block(fields, &dash, eol)));
            items.push(item);
        }
        _ if nothing => {
            if !entry.value.range.is_empty() {
                let colon = lines::colon_after(bytes, entry.key.range.end)?;
                edits.push(TextEdit::replace(colon + 1..entry.value.range.end, ""));
            }
            edits.push(TextEdit::insert(at, block(fields, &format!("{indent}  "), eol)));
            entry.value = list_of(item);
        }
        _ => return None,
    }
    Some(edits)
}

fn list_of(item: Node<'_>) -> Node<'_> {
    Node { kind: Kind::Seq(vec![item], Layout::Block), range: 0..0, line: 0, anchor: 0, tagged: false }
}

fn block(fields: &[(&'static str, Written)], indent: &str, eol: &str) -> String {
    let line = |(index, (key, value)): (usize, &(&'static str, Written))| {
        let lead = if index == 0 { "- " } else { "  " };
        format!("{indent}{lead}{key}: {}{eol}", value.yaml())
    };
    fields.iter().enumerate().map(line).collect()
}
