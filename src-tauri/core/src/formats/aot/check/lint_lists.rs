//! V20 in the sections that record choices, splits and changes (AoT contract §4, L2, L3, L16).

use super::lint::{Lint, is_quoted};
use loopdeck_text::yaml_span::{CollectionStyle, Entry, YamlKind, YamlNode};

impl Lint<'_> {
    /// L2, L3, L16.
    pub(crate) fn or_group(&mut self, entry: &Entry<'_>) {
        let path = format!("or_groups.{}", crate::formats::aot::read::state::text(Some(&entry.key)));
        let selected = entry.value.get("selected").is_some_and(is_quoted);
        if is_quoted(&entry.key) || selected {
            self.report("L16", &*path, entry.key.line);
        }
        self.columns(entry, &path);
        self.id_lists(&entry.value, &["choices", "failed"], &path);
    }

    /// L2, L3, L16 of an entry of `decompositions`, `trail` or `corrections`.
    pub(crate) fn item(&mut self, item: &YamlNode<'_>, path: &str) {
        if item.is_flow() {
            self.report("L3", path, item.line);
            return;
        }
        if let Some(entry) = item.entries().iter().find(|entry| self.column(entry) != 4) {
            self.report("L2", path, entry.key.line);
        }
        if ["parent", "or_group", "selected"].iter().any(|key| item.get(key).is_some_and(is_quoted)) {
            self.report("L16", path, item.line);
        }
        self.id_lists(item, &["children"], path);
    }

    /// L2: a key at two spaces, its fields at four.
    pub(crate) fn columns(&mut self, entry: &Entry<'_>, path: &str) {
        let inner = entry.value.entries().iter().find(|inner| self.column(inner) != 4);
        if self.column(entry) != 2 || (!entry.value.is_flow() && inner.is_some()) {
            self.report("L2", path, entry.key.line);
        }
    }

    /// L3 and L16: lists of ids on one line, without quotes.
    fn id_lists(&mut self, map: &YamlNode<'_>, keys: &[&str], path: &str) {
        for list in keys.iter().filter_map(|key| map.get(key)) {
            if matches!(list.kind, YamlKind::Seq(_, CollectionStyle::Block)) {
                self.report("L3", path, list.line);
            }
            if list.items().iter().any(is_quoted) {
                self.report("L16", path, list.line);
            }
        }
    }
}
