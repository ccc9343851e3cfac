//! Codes and their words, as used by the window and the journal.

use serde::{Deserialize, Serialize};

/// The meaning of a word in the journal; none for a word of a later version.
pub fn from_word<'w, T: Deserialize<'w>>(word: &'w str) -> Option<T> {
    use serde::de::value::{Error, StrDeserializer};
    T::deserialize(StrDeserializer::<Error>::new(word)).ok()
}

/// The word of a code, as used by the window and the journal.
pub fn to_word(code: impl Serialize) -> String {
    let value = serde_json::to_value(code).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
