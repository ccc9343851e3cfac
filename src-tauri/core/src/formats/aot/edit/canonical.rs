//! A section in the form the plugin reads (AoT contract §4): the tree's values in the prescribed layout,
//! without comments.
//!
//! Only for repairs requested by a person; every other change edits the existing lines (L24).

use super::base_case::check_value;
use super::written::is_yaml_word;
use crate::formats::aot::read::hook::{CONTROL_KEYS, hook_lines, status_lines};
use crate::formats::aot::read::state::{SECTIONS, flag, strict_integer};
use loopdeck_text::yaml_span::{CollectionStyle, Entry, ScalarForm, YamlKind, YamlNode};
use std::collections::HashMap;

/// Texts in double quotes on one line (L15).
const TEXTS: [&str; 6] =
    ["goal", "background_intent", "deliverables", "definition_of_done", "description", "reason"];
/// Lists on one line (L3, L17).
const INLINE: [&str; 7] =
    ["depends_on", "children", "choices", "failed", "artifacts", "in_scope", "out_of_scope"];
/// The items' keys in order (L5).
const ITEM_KEYS: [&str; 10] = [
    "id",
    "item",
    "description",
    "parent",
    "choices",
    "selected",
    "failed",
    "status",
    "depends_on",
    "or_group",
];

/// The lines of a top-level entry; `None` when its content has no such layout (tags, odd keys).
pub(crate) fn section(entry: &Entry<'_>) -> Option<String> {
    let name = entry.key.text()?;
    let mut text = String::new();
    let nothing =
        entry.value.is_null() || (entry.value.entries().is_empty() && entry.value.items().is_empty());
    let scalar = matches!(entry.value.kind, YamlKind::Scalar(..)) && !entry.value.is_null();
    if let Some(empty) = empty(name).filter(|_| nothing && !scalar) {
        plain_node(&entry.value)?;
        text.push_str(&format!("{name}: {empty}\n"));
    } else if name == "control" {
        text.push_str("control:\n");
        control(&entry.value, &mut text)?;
    } else {
        value(name, &entry.value, 0, name, &mut text)?;
        let is_misread = hook_lines(&text, 1).next().is_some() || status_lines(&text, 1).next().is_some();
        if !SECTIONS.contains(&name.as_ref()) && is_misread {
            // One column further right, its keys are not mistaken for fields of the plugin (L10, L11).
            text.clear();
            value(name, &entry.value, 1, name, &mut text)?;
        }
    }
    Some(text)
}

/// The empty form of a section that may be empty (§1.1).
pub(crate) fn empty(name: &str) -> Option<&'static str> {
    match name {
        "decompositions" | "trail" | "corrections" => Some("[]"),
        "or_groups" | "bindings" => Some("{}"),
        _ => None,
    }
}

/// All seven keys in order with readable values, then any others (L4, L6 to L9).
fn control(map: &YamlNode<'_>, out: &mut String) -> Option<()> {
    plain_node(map)?;
    for key in CONTROL_KEYS {
        let node = map.get(key);
        let text = node.and_then(YamlNode::text).map(AsRef::as_ref).unwrap_or_default();
        let written = match key {
            "stop_requested" | "redirect_requested" => flag(node).to_string(),
            "stop_reason" if text.trim().is_empty() => "null".to_owned(),
            "stop_reason" => quoted(&flat(text)),
            "status" if text.is_empty() => return None,
            "status" => plain(text)?.to_owned(),
            _ if text.is_empty() => if key == "prev_pending_count" { "-1" } else { "0" }.to_owned(),
            _ => {
                strict_integer(text, key == "prev_pending_count")?;
                text.to_owned()
            }
        };
        if let Some(node) = node {
            plain_node(node)?;
        }
        out.push_str(&format!("  {key}: {written}\n"));
    }
    let known = |entry: &&Entry<'_>| entry.key.text().is_some_and(|key| CONTROL_KEYS.contains(&key.as_ref()));
    map.entries().iter().filter(|entry| !known(entry)).try_for_each(|other| entry(other, 2, "control", out))
}

fn entry(entry: &Entry<'_>, column: usize, section: &str, out: &mut String) -> Option<()> {
    plain_node(&entry.key)?;
    let key = plain(entry.key.text()?)?;
    out.push_str(&" ".repeat(column));
    value(key, &entry.value, column, section, out)
}

/// `key:` with its value; the spaces before the key are already written.
fn value(key: &str, node: &YamlNode<'_>, column: usize, section: &str, out: &mut String) -> Option<()> {
    plain_node(node)?;
    out.push_str(key);
    out.push(':');
    match &node.kind {
        _ if INLINE.contains(&key) => {
            let items = if node.items().is_empty() { std::slice::from_ref(node) } else { node.items() };
            let items: Option<Vec<String>> = items.iter().filter_map(|item| inline(key, item)).collect();
            out.push_str(&format!(" [{}]\n", items?.join(", ")));
        }
        YamlKind::Scalar(..) if column == 0 && node.is_null() && empty(key).is_some() => {
            out.push_str(&format!(" {}\n", empty(key)?));
        }
        YamlKind::Scalar(text, style) => {
            // A summary is in double quotes or a block (L22).
            let result = section == "bindings" && key == "summary" && *style != ScalarForm::Block;
            let style = if result { ScalarForm::Double } else { *style };
            out.push_str(&scalar(key, text, style, node.is_null(), column)?);
        }
        YamlKind::Seq(items, _) if items.is_empty() => out.push_str(" []\n"),
        YamlKind::Map(entries, _) if entries.is_empty() => out.push_str(" {}\n"),
        YamlKind::Seq(items, _) => {
            out.push('\n');
            items.iter().try_for_each(|node| item(node, column + 2, section, out))?;
        }
        YamlKind::Map(entries, _) => {
            out.push('\n');
            let kind = check_kind(node, section);
            ordered(entries).try_for_each(|child| field(child, kind, column + 2, section, out))?;
            if section == "bindings" && column == 2 && node.get("artifacts").is_none() {
                out.push_str("    artifacts: []\n");
            }
        }
        YamlKind::Alias(_) => return None,
    }
    Some(())
}

/// The word of a check: its value is written the way the scripts read it (L20).
fn check_kind<'n>(map: &'n YamlNode<'_>, section: &str) -> Option<&'n str> {
    let kind = map.get("type").filter(|_| section == "objective");
    kind.and_then(YamlNode::text).map(AsRef::as_ref)
}

/// An entry of a map whose `type` is `kind`.
fn field(
    child: &Entry<'_>,
    kind: Option<&str>,
    column: usize,
    section: &str,
    out: &mut String,
) -> Option<()> {
    let is_value = child.key.text().is_some_and(|key| key == "value");
    if let (Some(kind), YamlKind::Scalar(text, _)) = (kind.filter(|_| is_value), &child.value.kind) {
        let shell = matches!(kind, "command" | "not_command");
        // An extra ` ;` makes it another text: that form is for new checks.
        let same = |written: &String| !written.ends_with(" ;") || text.ends_with(" ;");
        if let Some(written) = check_value(text, shell).filter(same) {
            plain_node(&child.value)?;
            out.push_str(&format!("{}value: {written}\n", " ".repeat(column)));
            return Some(());
        }
    }
    entry(child, column, section, out)
}

fn item(node: &YamlNode<'_>, column: usize, section: &str, out: &mut String) -> Option<()> {
    plain_node(node)?;
    match &node.kind {
        YamlKind::Scalar(text, style) => {
            let written = scalar("", text, *style, node.is_null(), column)?;
            out.push_str(&format!("{}-{written}", " ".repeat(column)));
        }
        YamlKind::Map(entries, _) if !entries.is_empty() => {
            let kind = check_kind(node, section);
            for (index, child) in ordered(entries).enumerate() {
                if index == 0 {
                    out.push_str(&format!("{}- ", " ".repeat(column)));
                    plain_node(&child.key)?;
                    value(plain(child.key.text()?)?, &child.value, column + 2, section, out)?;
                } else {
                    field(child, kind, column + 2, section, out)?;
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// Known keys first, in order; the others in their existing order.
fn ordered<'n, 'a>(entries: &'n [Entry<'a>]) -> impl Iterator<Item = &'n Entry<'a>> {
    let rank = |entry: &&Entry<'_>| {
        let known = entry.key.text().and_then(|key| ITEM_KEYS.iter().position(|name| *name == key.as_ref()));
        known.unwrap_or(ITEM_KEYS.len())
    };
    // Only where an order is prescribed: items with an id or a name.
    let named = |entry: &Entry<'_>| entry.key.text().is_some_and(|key| matches!(key.as_ref(), "id" | "item"));
    let items = entries.iter().any(named);
    let mut sorted: Vec<&Entry<'a>> = entries.iter().collect();
    if items {
        sorted.sort_by_key(rank);
    }
    sorted.into_iter()
}

/// One entry of a list on one line; the outer `None` means it is left out (it has no value).
fn inline(key: &str, item: &YamlNode<'_>) -> Option<Option<String>> {
    if item.is_null() {
        return None;
    }
    let YamlKind::Scalar(text, _) = &item.kind else {
        // An empty list is written as such.
        return if item.items().is_empty() && matches!(item.kind, YamlKind::Seq(..)) {
            None
        } else {
            Some(None)
        };
    };
    if item.anchor != 0 || item.tagged {
        return Some(None);
    }
    let ids = !matches!(key, "artifacts" | "in_scope" | "out_of_scope");
    Some(Some(match plain(text).filter(|_| ids) {
        Some(text) => text.to_owned(),
        None => quoted(text),
    }))
}

fn scalar(key: &str, text: &str, style: ScalarForm, null: bool, column: usize) -> Option<String> {
    if null {
        return Some(" null\n".to_owned());
    }
    let number = column == 4 && key.starts_with("max_");
    if number
        || matches!(key, "id" | "status" | "or_group" | "selected" | "parent" | "decomposed_from" | "type")
    {
        let text = plain(text).map_or_else(|| quoted(text), str::to_owned);
        return Some(format!(" {text}\n"));
    }
    // For an item's name, the scripts read the text between quotes (L21).
    if TEXTS.contains(&key) || (key == "item" && !text.contains('"')) {
        return Some(format!(" {}\n", quoted(&flat(text))));
    }
    if text.contains("---") {
        return Some(format!(" {}\n", quoted(text)));
    }
    if text.contains('\n') {
        return Some(block(text, column).unwrap_or_else(|| format!(" {}\n", quoted(text))));
    }
    Some(match style {
        ScalarForm::Plain => format!(" {text}\n"),
        ScalarForm::Single => format!(" '{}'\n", text.replace('\'', "''")),
        ScalarForm::Double | ScalarForm::Block => format!(" {}\n", quoted(text)),
    })
}

/// A literal block, its text at column 6 or deeper (L11).
fn block(text: &str, column: usize) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if body.is_empty() || body.starts_with([' ', '\n']) || body.ends_with('\n') || body.contains(['\r', '\t'])
    {
        return None;
    }
    let mut out = if body.len() == text.len() { " |-\n" } else { " |\n" }.to_owned();
    for line in body.split('\n') {
        if !line.is_empty() {
            out.push_str(&" ".repeat((column + 2).max(6)));
        }
        out.push_str(line);
        out.push('\n');
    }
    Some(out)
}

/// In double quotes, on one line, and without three dashes in a row (L13), with unchanged meaning.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '\\' | '"' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    format!("\"{}\"", out.replace("---", "--\\x2D"))
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text, if it needs no quotes.
fn plain(text: &str) -> Option<&str> {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    let usual = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.bytes().all(fine);
    (usual && !is_yaml_word(text)).then_some(text)
}

/// The layout cannot express an anchor, a tag or an alias.
fn plain_node(node: &YamlNode<'_>) -> Option<()> {
    (node.anchor == 0 && !node.tagged && !matches!(node.kind, YamlKind::Alias(_))).then_some(())
}

/// Whether `new` has the content of `old`, ignoring layout; `new` may have empty additions.
pub(crate) fn means_the_same(old: &YamlNode<'_>, new: &YamlNode<'_>) -> bool {
    let nothing = |node: &YamlNode<'_>| {
        node.is_null()
            || (!matches!(node.kind, YamlKind::Scalar(..))
                && node.entries().is_empty()
                && node.items().is_empty())
    };
    match (&old.kind, &new.kind) {
        _ if nothing(old) => {
            nothing(new) || matches!(new.text().map(AsRef::as_ref), Some("0" | "-1" | "false"))
        }
        (YamlKind::Scalar(a, _), YamlKind::Scalar(b, _)) => {
            flat(a) == flat(b) || (matches!(b.as_ref(), "true" | "false") && flag(Some(old)) == (b == "true"))
        }
        // A single text is a list of one (§3).
        (YamlKind::Scalar(..), YamlKind::Seq(items, _)) => {
            matches!(&items[..], [one] if means_the_same(old, one))
        }
        (YamlKind::Seq(a, _), YamlKind::Seq(b, CollectionStyle::Block | CollectionStyle::Flow)) => {
            let filled: Vec<&YamlNode<'_>> = a.iter().filter(|item| !item.is_null()).collect();
            filled.len() == b.len() && filled.iter().zip(b).all(|(a, b)| means_the_same(a, b))
        }
        (YamlKind::Map(a, _), YamlKind::Map(b, _)) => {
            let (olds, news) = (by_key(a), by_key(b));
            let harmless = |node: &YamlNode<'_>| {
                nothing(node) || matches!(node.text().map(AsRef::as_ref), Some("0" | "-1" | "false"))
            };
            // A repeated key means something different to each reader.
            olds.len() == a.len()
                && olds.iter().all(|(key, old)| news.get(key).is_some_and(|new| means_the_same(old, new)))
                && news.iter().all(|(key, new)| olds.contains_key(key) || harmless(new))
        }
        _ => false,
    }
}

fn by_key<'n>(entries: &'n [Entry<'_>]) -> HashMap<&'n str, &'n YamlNode<'n>> {
    let key = |entry: &'n Entry<'_>| entry.key.text().map(AsRef::as_ref).unwrap_or_default();
    entries.iter().map(|entry| (key(entry), &entry.value)).collect()
}
