//! V20 within `base_case`: checks that the plugin's scripts would run differently or not at all (AoT contract §4, L20, L21).

use super::lint::{Lint, scalar};
use crate::formats::aot::read::front_matter::line_end;
use loopdeck_text::yaml_span::{CollectionStyle, Entry, ScalarForm, YamlKind, YamlNode};

/// Keys whose value is on the lines below them.
const ALONE: [&str; 4] = ["checklist", "check", "group", "any_of"];

impl Lint<'_> {
    // Recursion is bounded by the depth of the tree.
    pub(crate) fn checks(&mut self, node: &YamlNode<'_>, path: &str) {
        if let Some(kind) = node.entry("type").filter(|_| !node.is_flow()) {
            if self.text_after_key(kind).trim()
                != format!(": {}", crate::formats::aot::read::state::text(Some(&kind.value)))
            {
                self.report("L21", format!("{path}.type"), kind.key.line);
            }
            if let Some(value) = node.entry("value") {
                self.check_value(value, path);
            }
        }
        for entry in node.entries() {
            let key = crate::formats::aot::read::state::text(Some(&entry.key));
            let path = format!("{path}.{key}");
            if ALONE.contains(&&*key) {
                self.below(entry, &path);
            }
            self.checks(&entry.value, &path);
        }
        for (index, item) in node.items().iter().enumerate() {
            let path = format!("{path}[{index}]");
            if let Some(entry) = item.entry("item") {
                let first = item.entries().first().is_some_and(|first| first.key.range == entry.key.range);
                let (text, style) = scalar(&entry.value);
                let rest = self.text_after_key(entry);
                let one_line = rest.starts_with(": \"") && rest.trim_end().ends_with('"');
                if !first || item.is_flow() || style != ScalarForm::Double || text.contains('"') || !one_line
                {
                    self.report("L21", &*path, item.line);
                }
            }
            self.checks(item, &path);
        }
    }

    /// L21: a list or check is below its key, two columns deeper.
    fn below(&mut self, entry: &Entry<'_>, path: &str) {
        let column = self.column(entry) + 2;
        let dashes = match &entry.value.kind {
            YamlKind::Seq(items, CollectionStyle::Block) => items
                .iter()
                .flat_map(|item| item.entries().first())
                .all(|first| self.column(first) == column + 2),
            _ => true,
        };
        if self.text_after_key(entry).trim_end() != ":" || !dashes {
            self.report("L21", path, entry.key.line);
        }
    }

    /// The text after a key on its line.
    fn text_after_key(&self, entry: &Entry<'_>) -> String {
        let from = entry.key.range.end;
        String::from_utf8_lossy(&self.bytes[from..line_end(self.bytes, from)]).into_owned()
    }

    /// L20: the scripts take the rest of the line and strip quotes, without unescaping.
    fn check_value(&mut self, entry: &Entry<'_>, path: &str) {
        let start = entry.value.range.start;
        let line = String::from_utf8_lossy(&self.bytes[start..line_end(self.bytes, start)]);
        let read = line.trim().trim_matches('"').trim_matches('\'');
        if entry.value.text().is_some_and(|text| text != read) {
            self.report("L20", format!("{path}.value"), entry.value.line);
        }
    }
}
