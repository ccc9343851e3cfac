//! Codes that a person types.

use serde::Deserialize;
use serde::de::value::Error as NoSuchWord;
use serde::de::value::StrDeserializer;

/// A code by its stable name; the error names those there are.
pub(super) fn known<'de, T: Deserialize<'de>>(word: &'de str) -> Result<T, lexopt::Error> {
    T::deserialize(StrDeserializer::<NoSuchWord>::new(word))
        .map_err(|error| lexopt::Error::Custom(error.to_string().into()))
}
