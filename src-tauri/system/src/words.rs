//! Codes and their words, as windows and the journal have them.

use serde::{Deserialize, Serialize};

/// What a word of the journal means; nothing for a later version's word.
pub fn from_word<'w, T: Deserialize<'w>>(word: &'w str) -> Option<T> {
    use serde::de::value::{Error, StrDeserializer};
    T::deserialize(StrDeserializer::<Error>::new(word)).ok()
}

/// The word of a code, as windows and the journal have it.
pub fn to_word(code: impl Serialize) -> String {
    let value = serde_json::to_value(code).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
