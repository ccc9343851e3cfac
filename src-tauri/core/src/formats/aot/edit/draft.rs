//! Changes that are not written yet: each is made in the bytes and in the tree, and at the end both must
//! agree.

use super::collection::Additions;
use super::guard;
use super::written::{Fields, Written};
use crate::formats::aot::read::front_matter::FrontMatter;
use crate::formats::aot::read::hook::{CONTROL_KEYS, HookLine, hook_lines};
use crate::formats::aot::read::lines;
use crate::formats::aot::read::state::{Atom, Document};
use crate::refusal::{Refusal, RefusalCode, not_editable};
use crate::times::{self, Timestamp};
use loopdeck_text::json_span::tree::Node as JsonNode;
use loopdeck_text::text_edit::TextEdit;
use loopdeck_text::yaml_span::{Entry, ScalarForm, YamlKind, YamlNode};
use std::collections::HashSet;

/// The keys of `constraints` in our writing order.
const LIMIT_KEYS: [&str; 3] = ["max_iterations", "max_parallel_agents", "max_stall_count"];
/// The keys of `objective` in schema order.
const OBJECTIVE_KEYS: [&str; 5] =
    ["goal", "base_case", "background_intent", "deliverables", "definition_of_done"];

/// The map a key belongs to; numbers count the entries as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapPlace {
    Objective,
    Control,
    Limits,
    Atom(usize),
    Decomposition(usize),
    OrGroup(usize),
}

/// Changes that are not written yet.
pub(crate) struct PendingChanges<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) root: YamlNode<'a>,
    pub(crate) front: FrontMatter<'a>,
    pub(crate) edits: Vec<TextEdit>,
    pub(crate) additions: Additions,
    /// The front matter is a JSON document and stays one.
    is_json: bool,
    replaced: HashSet<usize>,
    /// Fields of `control` and `constraints` that get another value, with their old value.
    former: Vec<(MapPlace, &'static str, String)>,
}

/// The intended content of edits.
pub(crate) struct IntendedContent<'a> {
    bytes: &'a [u8],
    root: YamlNode<'a>,
    front: FrontMatter<'a>,
}

impl IntendedContent<'_> {
    /// Whether the new file, as read, has exactly that content.
    pub(crate) fn is_said_by(&self, new: &[u8], read: &Document<'_>, edits: &[TextEdit]) -> bool {
        let body_stays = new[read.front.body.clone()] == self.bytes[self.front.body.clone()];
        (body_stays && read.tree.root.says_the_same(&self.root))
            || guard::by_section(self.bytes, self.front.closing, &self.root, edits)
    }
}

impl<'a> PendingChanges<'a> {
    pub(crate) fn new(bytes: &'a [u8], front: FrontMatter<'a>, root: YamlNode<'a>) -> Self {
        Self {
            is_json: is_json(&front, &root),
            bytes,
            root,
            front,
            edits: Vec::new(),
            additions: Additions::default(),
            replaced: HashSet::new(),
            former: Vec::new(),
        }
    }

    /// The edits, provided the resulting bytes match the changed tree.
    pub(crate) fn finish(mut self) -> Result<Vec<TextEdit>, Refusal> {
        self.complete()?;
        if guard::says_what_was_meant(self.bytes, &self.front, &self.root, &self.edits) {
            Ok(self.edits)
        } else {
            Err(Refusal::new(RefusalCode::NotEditable))
        }
    }

    /// Edits whose result is read as a whole anyway: [`IntendedContent::is_said_by`] compares it, which saves a second
    /// parse.
    pub(crate) fn finish_unchecked(mut self) -> Result<(Vec<TextEdit>, IntendedContent<'a>), Refusal> {
        self.complete()?;
        let Self { bytes, root, front, edits, .. } = self;
        Ok((edits, IntendedContent { bytes, root, front }))
    }

    fn complete(&mut self) -> Result<(), Refusal> {
        let additions = std::mem::take(&mut self.additions);
        self.edits.extend(additions.settle(self.bytes, &mut self.root, self.front.closing)?);
        self.leaves_no_doubt()
    }

    /// A stray line that the plugin could take for a field is harmless as long as nobody writes that field.
    /// After a write, the two would differ, which is an error (V6), and the loop could no longer be stopped.
    fn leaves_no_doubt(&mut self) -> Result<(), Refusal> {
        for (place, key, former) in std::mem::take(&mut self.former) {
            let Some(entry) = self.map(place).and_then(|map| map.entry(key)) else { continue };
            let (line, now) = (entry.key.line, value_to_plugin(entry));
            let indent = if place == MapPlace::Control { 2 } else { 4 };
            let is_twin = |hook: &HookLine<'_>| {
                hook.field == key && hook.indent == indent && hook.line != line && hook.value == former
            };
            let mut lines = hook_lines(self.front.text, self.front.first_line);
            if now != former && lines.any(|hook| is_twin(&hook)) {
                return Err(not_editable(key));
            }
        }
        Ok(())
    }

    /// Atoms that nobody works on any longer wait again (AoT contract §6.1, 2).
    pub(crate) fn release_atoms(&mut self, atoms: &[Atom<'_>]) -> Result<(), Refusal> {
        for (index, _) in atoms.iter().enumerate().filter(|(_, atom)| atom.word == "in_progress") {
            if !self.additions.is_removed("atoms", index) {
                self.atom_status(index, "pending")?;
            }
        }
        Ok(())
    }

    pub(crate) fn atom_status(&mut self, index: usize, word: &'static str) -> Result<(), Refusal> {
        self.set(MapPlace::Atom(index), "status", &Written::word(word))
    }

    pub(crate) fn control(&mut self, key: &'static str, value: &Written) -> Result<(), Refusal> {
        self.set(MapPlace::Control, key, value)
    }

    /// Records a person's change in `corrections` (§7).
    pub(crate) fn correction(
        &mut self,
        kind: &'static str,
        description: &str,
        trail_cleared: bool,
        now: Timestamp,
    ) {
        let fields: Fields = vec![
            ("timestamp", Written::Quoted(times::to_iso_seconds(now))),
            ("type", Written::word(kind)),
            ("description", Written::text(description)),
            ("trail_cleared", Written::word(if trail_cleared { "true" } else { "false" })),
        ];
        self.additions.item("corrections", fields);
    }

    fn map(&mut self, place: MapPlace) -> Option<&mut YamlNode<'a>> {
        match place {
            MapPlace::Objective => self.root.get_mut("objective"),
            MapPlace::Control => self.root.get_mut("control"),
            MapPlace::Limits => self.root.get_mut("objective")?.get_mut("constraints"),
            MapPlace::Atom(index) => nth(self.root.get_mut("atoms")?, index),
            MapPlace::Decomposition(index) => nth(self.root.get_mut("decompositions")?, index),
            MapPlace::OrGroup(index) => nth(self.root.get_mut("or_groups")?, index),
        }
    }

    /// Gives `key` a value: rewrites its line, or inserts a canonical one.
    pub(crate) fn set(&mut self, place: MapPlace, key: &'static str, value: &Written) -> Result<(), Refusal> {
        let (bytes, exact, is_json) = (self.bytes, self.front.exact, self.is_json);
        let refusal = || not_editable(key);
        let value = &if is_json { value.as_json() } else { value.clone() };
        let map = self.map(place).ok_or_else(refusal)?;
        let flow = map.is_flow();
        let YamlKind::Map(entries, _) = &mut map.kind else { return Err(refusal()) };
        let mut former = None;
        let mut same = entries.iter_mut().filter(|entry| entry.key.text().is_some_and(|text| text == key));
        let edit = match (same.next(), same.next()) {
            (Some(_), Some(_)) => return Err(refusal()),
            (Some(entry), None) => {
                former = Some(value_to_plugin(entry));
                let line = matches!(place, MapPlace::Control | MapPlace::Limits).then_some((key, exact));
                replace(bytes, entry, value, flow, line)
            }
            (None, _) if flow => insert_in_flow(entries, key, value, is_json),
            (None, _) => insert(bytes, entries, order(place), key, value),
        };
        // An edit without effect is left out: the line is already canonical.
        let edit = edit.ok_or_else(refusal)?;
        if matches!(place, MapPlace::Control | MapPlace::Limits) {
            self.former.extend(former.map(|former| (place, key, former)));
        }
        if !edit.range.is_empty() && !self.replaced.insert(edit.range.start) {
            // The last edit of one value counts.
            self.edits.retain(|earlier| earlier.range != edit.range);
        }
        if edit.text.as_bytes() != &bytes[edit.range.clone()] {
            self.edits.push(edit);
        }
        Ok(())
    }
}

/// Whether the front matter is a JSON document, which is also valid YAML.
pub(crate) fn is_json(front: &FrontMatter<'_>, root: &YamlNode<'_>) -> bool {
    root.is_flow() && JsonNode::parse(front.text.as_bytes()).is_ok_and(|node| node.is_object())
}

/// What the plugin would take for the value of an entry.
fn value_to_plugin(entry: &Entry<'_>) -> String {
    entry.value.text().map_or("null", AsRef::as_ref).to_owned()
}

fn nth<'n, 'a>(section: &'n mut YamlNode<'a>, index: usize) -> Option<&'n mut YamlNode<'a>> {
    match &mut section.kind {
        YamlKind::Seq(items, _) => items.get_mut(index),
        YamlKind::Map(entries, _) => entries.get_mut(index).map(|entry| &mut entry.value),
        _ => None,
    }
}

fn order(place: MapPlace) -> &'static [&'static str] {
    match place {
        MapPlace::Objective => &OBJECTIVE_KEYS,
        MapPlace::Control => &CONTROL_KEYS,
        MapPlace::Limits => &LIMIT_KEYS,
        MapPlace::Atom(_) => &["id", "description", "status", "depends_on"],
        MapPlace::Decomposition(_) => &["parent", "children", "reason"],
        MapPlace::OrGroup(_) => &["choices", "selected", "failed"],
    }
}

/// Writes the value of an existing entry. In block style the rest of the line becomes canonical (L4), and
/// with `line` also its key. `line` is the key, and whether the file has plain line ends.
fn replace(
    bytes: &[u8],
    entry: &mut Entry<'_>,
    value: &Written,
    flow: bool,
    line: Option<(&'static str, bool)>,
) -> Option<TextEdit> {
    let old = &entry.value;
    // An anchor may be referenced elsewhere; a tag or alias means more than its text.
    let list = matches!(value, Written::List(_)) && matches!(old.kind, YamlKind::Seq(..));
    if old.anchor != 0 || old.tagged || !(list || matches!(old.kind, YamlKind::Scalar(..))) {
        return None;
    }
    let edit = if flow {
        if old.range.is_empty() {
            return None;
        }
        TextEdit::replace(old.range.clone(), value.yaml(0, "\n"))
    } else {
        let colon = lines::colon_after(bytes, entry.key.range.end)?;
        let end = lines::text_end(bytes, colon + 1, &old.range);
        let value = value.yaml(0, "\n");
        match line.filter(|_| entry.key.anchor == 0 && !entry.key.tagged) {
            Some((key, plain_ends)) => {
                let end = if plain_ends && bytes[end..].starts_with(b"\r\n") { end + 1 } else { end };
                let start = entry.key.range.start;
                entry.key = YamlNode {
                    range: entry.key.range.clone(),
                    line: entry.key.line,
                    ..YamlNode::written(key, ScalarForm::Plain, 0)
                };
                TextEdit::replace(start..end, format!("{key}: {value}"))
            }
            None => TextEdit::replace(colon + 1..end, format!(" {value}")),
        }
    };
    entry.value = YamlNode { range: old.range.clone(), line: old.line, ..value.node(0) };
    Some(edit)
}

/// Inserts after the last entry between brackets.
fn insert_in_flow(
    entries: &mut Vec<Entry<'_>>,
    key: &'static str,
    value: &Written,
    is_json: bool,
) -> Option<TextEdit> {
    // After those inserted by this draft, too: their edits keep their order.
    let last = entries.iter().rev().find(|entry| entry.key.line > 0)?;
    if last.value.range.is_empty() {
        return None;
    }
    let (at, quote) = (last.value.range.end, if is_json { "\"" } else { "" });
    let style = if is_json { ScalarForm::Double } else { ScalarForm::Plain };
    entries.push(Entry { key: YamlNode::written(key, style, at), value: value.node(at) });
    Some(TextEdit::insert(at, format!(", {quote}{key}{quote}: {}", value.yaml(0, "\n"))))
}

/// Inserts a canonical line after the nearest key that comes before it in `order`, otherwise before the first
/// key.
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
        // Also inserted by this draft: same place, in the order of the edits.
        Some(entry) if entry.key.line == 0 => entry.key.range.start,
        Some(entry) => lines::next_line(bytes, lines::entry_end(bytes, entry))?,
        None => lines::line_start(bytes, entries.first()?.key.range.start),
    };
    let eol = lines::eol_before(bytes, at);
    let node = Entry { key: YamlNode::written(key, ScalarForm::Plain, at), value: value.node(at) };
    entries.insert(before.map_or(0, |index| index + 1), node);
    Some(TextEdit::insert(at, format!("{indent}{key}: {}{eol}", value.yaml(indent.len(), eol))))
}
