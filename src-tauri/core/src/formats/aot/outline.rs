//! The outline of an AoT state file, written in the layout that the plugin reads.

use super::read::front_matter;
use crate::outline::{LEFT_OUT, kept, line};
use loopdeck_text::yaml_span::{self, CollectionStyle, ScalarForm, YamlKind, YamlNode};
use std::borrow::Cow;

/// Deeper than any AoT loop.
const DEEPEST: usize = 32;

/// The same front matter without its texts; `None` when it cannot be read.
pub(crate) fn outline(bytes: &[u8]) -> Option<Vec<u8>> {
    let parts = front_matter::split(bytes).ok()?;
    let tree = yaml_span::parse(parts.text, parts.start, parts.first_line).ok()?;
    if !tree.root.is_map() {
        return None;
    }
    let mut text = String::from("---\n");
    entries(&mut text, &tree.root, 0);
    text.push_str("---\n\n# Original Prompt\n\n");
    text.push_str(LEFT_OUT);
    text.push('\n');
    Some(text.into_bytes())
}

fn entries(text: &mut String, map: &YamlNode<'_>, depth: usize) {
    for (at, entry) in map.entries().iter().enumerate() {
        if depth == 0 && at > 0 {
            text.push('\n');
        }
        indent(text, depth);
        field(text, entry, depth);
    }
}

fn field(text: &mut String, entry: &yaml_span::Entry<'_>, depth: usize) {
    let name = entry.key.text().map_or("", |name| &**name);
    text.push_str(name);
    text.push(':');
    value(text, name, &entry.value, depth);
}

/// A value after its key: on the same line, or below it.
fn value(text: &mut String, name: &str, node: &YamlNode<'_>, depth: usize) {
    match &node.kind {
        _ if depth > DEEPEST => text.push_str(" null\n"),
        YamlKind::Scalar(said, form) => {
            text.push(' ');
            scalar(text, name, said, *form);
            text.push('\n');
        }
        YamlKind::Seq(items, style) if items.is_empty() || *style == CollectionStyle::Flow => {
            text.push_str(" [");
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push_str(", ");
                }
                let YamlKind::Scalar(said, form) = &item.kind else { continue };
                scalar(text, name, said, *form);
            }
            text.push_str("]\n");
        }
        YamlKind::Seq(items, _) => {
            text.push('\n');
            for item in items {
                item_of(text, name, item, depth + 1);
            }
        }
        YamlKind::Map(fields, _) if fields.is_empty() => text.push_str(" {}\n"),
        YamlKind::Map(..) => {
            text.push('\n');
            entries(text, node, depth + 1);
        }
        YamlKind::Alias(_) => text.push_str(" null\n"),
    }
}

fn item_of(text: &mut String, name: &str, item: &YamlNode<'_>, depth: usize) {
    indent(text, depth);
    text.push('-');
    if !item.is_map() || item.entries().is_empty() {
        return value(text, name, item, depth);
    }
    for (at, entry) in item.entries().iter().enumerate() {
        match at {
            0 => text.push(' '),
            _ => indent(text, depth + 1),
        }
        field(text, entry, depth + 1);
    }
}

/// Plain words and numbers stay plain: the plugin compares some of them as they are written.
fn scalar(text: &mut String, name: &str, said: &str, form: ScalarForm) {
    let is_value = form == ScalarForm::Plain
        && (said.is_empty() || ["null", "~", "true", "false"].contains(&said) || said.parse::<f64>().is_ok());
    if is_value {
        return text.push_str(said);
    }
    // The goal is the title of the loop.
    let stays = if name == "goal" { Cow::Owned(line(said)) } else { kept(name, said) };
    if form == ScalarForm::Plain && *stays == *said && !said.contains([' ', ':', '#']) {
        return text.push_str(said);
    }
    text.push_str(&serde_json::Value::from(&*stays).to_string());
}

fn indent(text: &mut String, depth: usize) {
    (0..depth).for_each(|_| text.push_str("  "));
}
