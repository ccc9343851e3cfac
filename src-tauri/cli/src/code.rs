//! Codes that a person types.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::value::{Error as NoSuchWord, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// Parses a code by its stable name. Help, errors and completions list the names, which come from the type.
pub(super) fn code<T>() -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names::<T>())
        .try_map(|word| T::deserialize(StrDeserializer::<NoSuchWord>::new(&word)))
}

/// The names of the variants of `T`; none when it is not an enum.
fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    let _ = T::deserialize(Names(&mut names)); // always an error: only the names are needed
    names
}

/// Collects the names that a type announces when it is deserialized.
struct Names<'n>(&'n mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = NoSuchWord;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, NoSuchWord> {
        Err(NoSuchWord::custom("no enum"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, NoSuchWord> {
        *self.0 = variants;
        Err(NoSuchWord::custom("names only"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_agents::Level;

    #[test]
    fn the_names_are_those_of_the_type() {
        assert_eq!(names::<Level>(), ["look_only", "edit_files", "full_access"]);
        assert!(names::<String>().is_empty());
    }
}
