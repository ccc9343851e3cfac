//! The parts of a rebuilt section.

use loopdeck_text::json_span::json::Json;

/// A field of a section, and its source.
#[derive(Debug)]
pub(crate) struct FoundField {
    pub(crate) key: &'static str,
    pub(crate) value: Json,
    pub(crate) from: Vec<&'static str>,
}

/// The known parts of a section.
#[derive(Debug, Default)]
pub(crate) struct SectionParts {
    pub(crate) fields: Vec<FoundField>,
    /// The list was merged, so counters of the damaged file do not apply to it.
    pub(crate) recounted: bool,
    /// Parts that are known to have existed and are lost.
    pub(crate) lost: Vec<String>,
}

impl SectionParts {
    pub(crate) fn put(&mut self, key: &'static str, value: Json, from: &[&'static str]) {
        self.fields.push(FoundField { key, value, from: from.to_vec() });
    }
}

/// A list being built, and its sources.
#[derive(Debug, Default)]
pub(crate) struct Put {
    pub(crate) items: Vec<Json>,
    pub(crate) from: Vec<&'static str>,
}

impl Put {
    pub(crate) fn add(&mut self, item: Json, source: &'static str) {
        self.items.push(item);
        self.add_source(source);
    }

    pub(crate) fn add_source(&mut self, source: &'static str) {
        if !self.from.contains(&source) {
            self.from.push(source);
        }
    }
}
