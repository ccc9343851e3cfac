//! Merging two versions of a value: the first one counts, the second fills its gaps.

use super::fullness::identity;
use loopdeck_text::json_span::json::Json;
use std::collections::BTreeMap;

/// Whether a value is empty.
pub(crate) fn is_open(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::Text(text) => text.is_empty(),
        Json::List(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    }
}

/// Adds members and items that `base` lacks from `other`; returns whether there were any. List items are the
/// same if their ids are; lists without ids stay unchanged.
pub(crate) fn fill(base: &mut Json, other: &Json) -> bool {
    if is_open(base) {
        let fills = !is_open(other);
        if fills {
            other.clone_into(base);
        }
        return fills;
    }
    match (base, other) {
        (Json::Object(members), Json::Object(others)) => {
            let mut filled = false;
            let places: BTreeMap<String, usize> =
                members.iter().enumerate().map(|(place, (key, _))| (key.clone(), place)).collect();
            for (key, value) in others {
                match places.get(key) {
                    Some(place) => filled |= fill(&mut members[*place].1, value),
                    None => {
                        filled |= !is_open(value);
                        members.push((key.clone(), value.clone()));
                    }
                }
            }
            filled
        }
        (Json::List(items), Json::List(others)) => fill_list(items, others),
        _ => false,
    }
}

fn fill_list(items: &mut Vec<Json>, others: &[Json]) -> bool {
    let places: BTreeMap<String, usize> =
        items.iter().enumerate().filter_map(|(place, item)| Some((identity(item)?, place))).collect();
    if places.len() < items.len() {
        return false;
    }
    let mut filled = false;
    for other in others {
        let Some(own) = identity(other) else { continue };
        match places.get(&own) {
            Some(place) => filled |= fill(&mut items[*place], other),
            None => {
                items.push(other.clone());
                filled = true;
            }
        }
    }
    filled
}

/// The positions of list items, by id and by content.
#[derive(Debug, Default)]
pub(crate) struct ItemPositions {
    by_id: BTreeMap<String, usize>,
    by_text: BTreeMap<String, usize>,
}

impl ItemPositions {
    /// Of equal items the first counts.
    pub(crate) fn from_items<'j>(items: impl Iterator<Item = &'j Json>) -> Self {
        let mut places = Self::default();
        for (place, item) in items.enumerate() {
            places.by_id.entry(text(item, "id")).or_insert(place);
            places.by_text.entry(text(item, "description")).or_insert(place);
        }
        places
    }

    /// The item with the same id; without an id, the one with the same text.
    pub(crate) fn find(&self, item: &Json) -> Option<usize> {
        let (id, words) = (text(item, "id"), text(item, "description"));
        let found = if id.is_empty() { self.by_text.get(&words) } else { self.by_id.get(&id) };
        found.copied().filter(|_| !id.is_empty() || !words.is_empty())
    }
}

fn text(item: &Json, key: &str) -> String {
    item.get(key).and_then(Json::as_text).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_text::json_span::tree::Node;

    #[test]
    fn the_first_counts_and_the_second_fills() {
        let of = |text: &str| Json::from_node(&Node::parse(text.as_bytes()).expect("JSON"));
        for (base, other, expected) in [
            ("{\"a\":1}", "{\"a\":2,\"b\":3}", "{\"a\":1,\"b\":3}"),
            (
                "{\"a\":null,\"t\":\"\",\"z\":0}",
                "{\"a\":2,\"t\":\"x\",\"z\":1}",
                "{\"a\":2,\"t\":\"x\",\"z\":0}",
            ),
            (
                "[{\"id\":\"x\",\"s\":null}]",
                "[{\"id\":\"y\"},{\"id\":\"x\",\"s\":1}]",
                "[{\"id\":\"x\",\"s\":1},{\"id\":\"y\"}]",
            ),
            ("[\"a\"]", "[\"b\",\"c\"]", "[\"a\"]"),
            ("[]", "[1]", "[1]"),
            ("1", "{}", "1"),
        ] {
            let mut own = of(base);
            assert_eq!(fill(&mut own, &of(other)), base != expected, "{base}");
            assert_eq!(own.compact(), expected);
        }
    }
}
