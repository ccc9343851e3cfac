//! Adding and removing items and entries: whole lines are inserted or removed, the lines between them stay.

use super::written::{Fields, Written, entry_lines, item_lines, map_node};
use crate::formats::aot::read::lines;
use crate::formats::aot::read::state::SECTIONS;
use crate::refusal::{Refusal, not_editable};
use loopdeck_text::text_edit::TextEdit;
use loopdeck_text::yaml_span::{CollectionStyle, Entry, ScalarForm, YamlKind, YamlNode};
use std::collections::{BTreeSet, HashMap};

/// Additions to and removals from each section; numbers count the entries as read.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    removed: HashMap<&'static str, BTreeSet<usize>>,
    added: HashMap<&'static str, Vec<Added>>,
}

/// A new item of a list, or a new entry of a map.
#[derive(Clone, Debug)]
struct Added {
    key: Option<String>,
    fields: Fields,
}

impl Additions {
    pub(crate) fn item(&mut self, section: &'static str, fields: Fields) {
        self.added.entry(section).or_default().push(Added { key: None, fields });
    }

    pub(crate) fn entry(&mut self, section: &'static str, key: &str, fields: Fields) {
        self.added.entry(section).or_default().push(Added { key: Some(key.to_owned()), fields });
    }

    pub(crate) fn remove(&mut self, section: &'static str, index: usize) {
        self.removed.entry(section).or_default().insert(index);
    }

    pub(crate) fn is_removed(&self, section: &'static str, index: usize) -> bool {
        self.removed.get(section).is_some_and(|removed| removed.contains(&index))
    }
    /// Applies everything to the tree; the edits do the same.
    pub(crate) fn settle(
        self,
        bytes: &[u8],
        root: &mut YamlNode<'_>,
        closing: usize,
    ) -> Result<Vec<TextEdit>, Refusal> {
        let Additions { mut removed, mut added } = self;
        let mut edits = Vec::new();
        for section in SECTIONS {
            let removed = removed.remove(section).unwrap_or_default();
            let added = added.remove(section).unwrap_or_default();
            if !removed.is_empty() || !added.is_empty() {
                let settled = settle_section(bytes, root, closing, section, &removed, &added);
                edits.extend(settled.ok_or_else(|| not_editable(section))?);
            }
        }
        Ok(edits)
    }
}

fn settle_section(
    bytes: &[u8],
    root: &mut YamlNode<'_>,
    closing: usize,
    name: &'static str,
    removed: &BTreeSet<usize>,
    added: &[Added],
) -> Option<Vec<TextEdit>> {
    let YamlKind::Map(sections, CollectionStyle::Block) = &mut root.kind else { return None };
    let indent = lines::indent_of(bytes, sections.iter().find(|entry| entry.key.line > 0)?)?;
    let is = |entry: &&mut Entry<'_>| entry.key.text().is_some_and(|text| text == name);
    let mut same = sections.iter_mut().filter(is);
    match (same.next(), same.next()) {
        (Some(_), Some(_)) => None,
        (Some(entry), None) => change(bytes, entry, removed, added, &indent),
        (None, _) => Some(vec![new_section(bytes, sections, closing, name, added, &indent)?]),
    }
}

/// A section that was missing, before the first one that follows it (L19).
fn new_section(
    bytes: &[u8],
    sections: &mut Vec<Entry<'_>>,
    closing: usize,
    name: &'static str,
    added: &[Added],
    indent: &str,
) -> Option<TextEdit> {
    let rank = SECTIONS.iter().position(|section| *section == name)?;
    let follows = |entry: &Entry<'_>| {
        let key = entry.key.text();
        entry.key.line > 0 && key.is_some_and(|key| SECTIONS[rank..].iter().any(|section| section == key))
    };
    let next = sections.iter().position(follows);
    let at = next.map_or(closing, |next| lines::line_start(bytes, sections[next].key.range.start));
    let eol = lines::eol_before(bytes, at);
    let text = format!("{indent}{name}:{eol}{}", text_of(added, &format!("{indent}  "), eol));
    let mut entry = Entry {
        key: YamlNode::written(name, ScalarForm::Plain, at),
        value: YamlNode::written("", ScalarForm::Plain, at),
    };
    extend(&mut entry.value, added);
    sections.insert(next.unwrap_or(sections.len()), entry);
    Some(TextEdit::insert(at, text))
}

/// Removes and appends within an existing section.
fn change(
    bytes: &[u8],
    entry: &mut Entry<'_>,
    removed: &BTreeSet<usize>,
    added: &[Added],
    indent: &str,
) -> Option<Vec<TextEdit>> {
    if entry.value.anchor != 0 || entry.value.tagged {
        return None;
    }
    let at = lines::next_line(bytes, lines::entry_end(bytes, entry))?;
    let eol = lines::eol_before(bytes, at);
    let colon = lines::colon_after(bytes, entry.key.range.end)?;
    let empty = entry.value.entries().is_empty() && entry.value.items().is_empty();
    let mut edits = Vec::new();
    if empty && removed.is_empty() {
        if !entry.value.is_null() && !entry.value.is_flow() {
            return None;
        }
        if !entry.value.range.is_empty() {
            edits.push(TextEdit::replace(colon + 1..entry.value.range.end, ""));
        }
        edits.push(TextEdit::insert(at, text_of(added, &format!("{indent}  "), eol)));
    } else {
        let block = matches!(
            entry.value.kind,
            YamlKind::Seq(_, CollectionStyle::Block) | YamlKind::Map(_, CollectionStyle::Block)
        );
        let column = if block { column_of(bytes, &entry.value)? } else { return None };
        for index in removed {
            edits.push(removal(bytes, &entry.value, *index)?);
        }
        let map = entry.value.is_map();
        if removed.len() == entry.value.entries().len() + entry.value.items().len() && added.is_empty() {
            edits.push(TextEdit::insert(colon + 1, if map { " {}" } else { " []" }));
        } else if !added.is_empty() {
            edits.push(TextEdit::insert(at, text_of(added, &column, eol)));
        }
        drop_items(&mut entry.value, removed);
    }
    extend(&mut entry.value, added);
    Some(edits)
}

fn text_of(added: &[Added], indent: &str, eol: &str) -> String {
    let text = |added: &Added| match &added.key {
        None => item_lines(&added.fields, indent, eol),
        Some(key) => entry_lines(key, &added.fields, indent, eol),
    };
    added.iter().map(text).collect()
}

/// Spaces before the first dash or key.
fn column_of(bytes: &[u8], value: &YamlNode<'_>) -> Option<String> {
    match &value.kind {
        YamlKind::Seq(items, _) => lines::dash_indent(bytes, items.first()?.range.start),
        _ => lines::indent_of(bytes, value.entries().first()?),
    }
}

/// Removes the lines of one item or entry; comments and blank lines around it stay.
fn removal(bytes: &[u8], value: &YamlNode<'_>, index: usize) -> Option<TextEdit> {
    let (start, end) = match &value.kind {
        YamlKind::Seq(items, _) => {
            let item = items.get(index)?;
            lines::dash_indent(bytes, item.range.start)?;
            (item.range.start, lines::node_end(bytes, item))
        }
        _ => {
            let entry = value.entries().get(index)?;
            lines::indent_of(bytes, entry)?;
            (entry.key.range.start, lines::entry_end(bytes, entry))
        }
    };
    Some(TextEdit::replace(lines::line_start(bytes, start)..lines::next_line(bytes, end)?, ""))
}

fn drop_items(value: &mut YamlNode<'_>, removed: &BTreeSet<usize>) {
    let mut at = 0..;
    let mut keep = || at.next().is_some_and(|index| !removed.contains(&index));
    match &mut value.kind {
        YamlKind::Seq(items, layout) => {
            items.retain(|_| keep());
            if items.is_empty() {
                *layout = CollectionStyle::Flow;
            }
        }
        YamlKind::Map(entries, layout) => {
            entries.retain(|_| keep());
            if entries.is_empty() {
                *layout = CollectionStyle::Flow;
            }
        }
        _ => {}
    }
}

fn extend(value: &mut YamlNode<'_>, added: &[Added]) {
    for added in added {
        let node = map_node(&added.fields);
        match (&added.key, &mut value.kind) {
            (None, YamlKind::Seq(items, layout)) => {
                items.push(node);
                *layout = CollectionStyle::Block;
            }
            (Some(key), YamlKind::Map(entries, layout)) => {
                entries.push(Entry { key: Written::id(key).node(0), value: node });
                *layout = CollectionStyle::Block;
            }
            (None, kind) => *kind = YamlKind::Seq(vec![node], CollectionStyle::Block),
            (Some(key), kind) => {
                *kind = YamlKind::Map(
                    vec![Entry { key: Written::id(key).node(0), value: node }],
                    CollectionStyle::Block,
                );
            }
        }
    }
}
