//! A change to an object: where it is, which key, which value.

use super::json::Json;

/// One step of a path to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The value of a key.
    Key(&'a str),
    /// The n-th item of an array, from 0.
    Index(usize),
}

/// A value to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// A string.
    Text(String),
    /// An integer.
    Integer(u32),
    /// An array of strings.
    Texts(Vec<String>),
    /// Any value.
    Json(Json),
}

impl NewValue {
    /// The value that the file must contain afterwards.
    pub(crate) fn expected(&self) -> Json {
        match self {
            NewValue::Text(text) => Json::text(text),
            NewValue::Integer(number) => Json::count(*number),
            NewValue::Texts(texts) => Json::texts(texts),
            NewValue::Json(json) => json.clone(),
        }
    }
}

/// A change to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Replace the value, or insert the key after the last present one of `after` (at the end when `None`).
    Set {
        /// Which key.
        key: &'a str,
        /// Its new value.
        value: NewValue,
        /// Keys that come before it in the documented order.
        after: Option<&'a [&'a str]>,
    },
    /// Remove the key if it exists.
    Remove {
        /// Which key.
        key: &'a str,
    },
}

impl Change<'_> {
    /// Which key.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Change::Set { key, .. } | Change::Remove { key } => key,
        }
    }
}
