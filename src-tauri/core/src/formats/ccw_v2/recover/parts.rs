//! What a rebuilt section is put together of.

use loopdeck_text::json_span::json::Json;

/// A field of a section, and where it comes from.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    pub(crate) value: Json,
    pub(crate) from: Vec<&'static str>,
}

/// What is known of a section.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) fields: Vec<Field>,
    /// The list was put together, so that counters in the damaged file do not count it.
    pub(crate) recounted: bool,
    /// What is known to have been there and is gone.
    pub(crate) lost: Vec<String>,
}

impl Section {
    pub(crate) fn put(&mut self, key: &'static str, value: Json, from: &[&'static str]) {
        self.fields.push(Field { key, value, from: from.to_vec() });
    }
}

/// A list in the making, and what it was made of.
#[derive(Debug, Default)]
pub(crate) struct Put {
    pub(crate) items: Vec<Json>,
    pub(crate) from: Vec<&'static str>,
}

impl Put {
    pub(crate) fn add(&mut self, item: Json, source: &'static str) {
        self.items.push(item);
        self.note(source);
    }

    pub(crate) fn note(&mut self, source: &'static str) {
        if !self.from.contains(&source) {
            self.from.push(source);
        }
    }
}
