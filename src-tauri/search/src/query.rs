//! What a person looks for: all of its terms have to be there.

use crate::fold::fold;
use crate::words::Words;
use std::fmt::Write as _;
use std::ops::Range;

/// More of a query is not looked at.
const MOST_LETTERS: usize = 200;
/// As many places of each term are told.
const MOST_PLACES: usize = 50;

/// A query with at least one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is between spaces, folded; no term is a part of another one.
    terms: Vec<String>,
    /// As FTS5 takes it.
    expression: String,
}

impl Query {
    /// The query that a person typed; `None` when it has no word.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text: String = text.chars().take(MOST_LETTERS).collect();
        let mut terms: Vec<String> =
            text.split_whitespace().map(folded).filter(|term| !term.is_empty()).collect();
        terms.sort_by_key(|term| std::cmp::Reverse(term.len()));
        let mut own: Vec<String> = Vec::new();
        for term in terms {
            if !own.iter().any(|longer| longer.contains(&term)) {
                own.push(term);
            }
        }
        let expression = expression(&own);
        (!expression.is_empty()).then_some(Self { terms: own, expression })
    }

    pub(crate) fn expression(&self) -> &str {
        &self.expression
    }

    /// Where the terms are in `text`, in bytes and in order; `None` unless all of them are there.
    #[must_use]
    pub fn places_in(&self, text: &str) -> Option<Vec<Range<usize>>> {
        let folded = Folded::new(text);
        let mut places = Vec::new();
        for term in &self.terms {
            let found = folded.text.match_indices(term.as_str()).take(MOST_PLACES);
            let before = places.len();
            places.extend(found.map(|(at, found)| folded.place(at, at + found.len())));
            if places.len() == before {
                return None;
            }
        }
        places.sort_by_key(|place| (place.start, place.end));
        places.dedup_by(|next, before| {
            let touches = next.start < before.end;
            if touches {
                before.end = before.end.max(next.end);
            }
            touches
        });
        Some(places)
    }
}

/// The words of all terms, each by its beginning.
fn expression(terms: &[String]) -> String {
    let mut words = Words::default();
    terms.iter().for_each(|term| words.add_text(term));
    let mut expression = String::new();
    for word in words.take().split(' ').filter(|word| !word.is_empty()) {
        let _ = write!(expression, "{}\"{word}\"*", if expression.is_empty() { "" } else { " " });
    }
    expression
}

fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|letter| fold(letter, |part| out.push(part)));
    out
}

/// A text as it is compared, and where each part of it comes from.
struct Folded {
    text: String,
    /// For each byte of `text` the first byte of its letter in the original, and at the end the original's length. Empty when both
    /// have the same places.
    from: Vec<u32>,
}

impl Folded {
    fn new(original: &str) -> Self {
        if original.is_ascii() {
            return Self { text: original.to_ascii_lowercase(), from: Vec::new() };
        }
        let mut text = String::with_capacity(original.len());
        let mut from = Vec::with_capacity(original.len() + 1);
        for (at, letter) in original.char_indices() {
            fold(letter, |part| text.push(part));
            from.resize(text.len(), u32::try_from(at).unwrap_or(u32::MAX));
        }
        from.push(u32::try_from(original.len()).unwrap_or(u32::MAX));
        Self { text, from }
    }

    fn place(&self, start: usize, end: usize) -> Range<usize> {
        if self.from.is_empty() {
            return start..end;
        }
        // The end is where the next letter begins; accents before it belong to the last letter.
        let last = self.from[end - 1];
        let next = self.from[end..].iter().find(|from| **from > last);
        self.from[start] as usize..next.map_or(last as usize, |from| *from as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found<'a>(query: &str, text: &'a str) -> Option<Vec<&'a str>> {
        Some(Query::new(query)?.places_in(text)?.into_iter().map(|place| &text[place]).collect())
    }

    #[test]
    fn all_terms_have_to_be_there() {
        for (query, text, expected) in [
            ("log", "Login and LOGOUT", Some(vec!["Log", "LOG"])),
            ("cafe ü", "Das Café, Über", Some(vec!["Café", "Ü"])),
            ("登录", "修复登录问题", Some(vec!["登录"])),
            ("log login", "the login", Some(vec!["login"])),
            ("rate_limit", "a rate_limit b", Some(vec!["rate_limit"])),
            ("ab bc", "abc", Some(vec!["abc"])),
            ("log nothing", "the login", None),
            ("é", "e\u{301}a", Some(vec!["e\u{301}"])),
        ] {
            assert_eq!(found(query, text), expected, "{query}");
        }
    }

    #[test]
    fn a_query_without_a_word_is_none() {
        for text in ["", "  ", "\"*", "--", "\u{301}", "😀"] {
            assert_eq!(Query::new(text), None, "{text}");
        }
        assert!(Query::new(&"x ".repeat(10_000)).is_some());
    }

    proptest! {
        #[test]
        fn places_are_parts_of_the_text(query in "\\PC{1,6}", text in "\\PC{0,40}") {
            for text in [text.clone(), format!("{text}{query}{text}")] {
                let places = Query::new(&query).and_then(|query| query.places_in(&text));
                for place in places.into_iter().flatten() {
                    prop_assert!(text.get(place.clone()).is_some_and(|part| !part.is_empty()), "{place:?} of {text:?}");
                }
            }
        }
    }
}
