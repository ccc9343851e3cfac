//! A part of a text, around what was found in it.

use std::ops::Range;

/// Letters before what was found.
const BEFORE: usize = 40;
/// Letters of an excerpt.
const LETTERS: usize = 200;

/// A part of a text on one line, with what was found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The part, with an ellipsis where the text was cut.
    pub text: String,
    /// What was found, in order.
    pub marks: Vec<Mark>,
}

/// A part of an excerpt, in UTF-16 units, as a page counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its first unit.
    pub start: u32,
    /// The unit after it.
    pub end: u32,
}

impl Excerpt {
    /// The part of `text` around the first of `places`, which are in order.
    #[must_use]
    pub fn new(text: &str, places: &[Range<usize>]) -> Self {
        let first = places.first().map_or(0, |place| place.start);
        let start =
            text[..first].char_indices().rev().nth(BEFORE).map_or(0, |(at, letter)| at + letter.len_utf8());
        let end = text[start..].char_indices().nth(LETTERS).map_or(text.len(), |(at, _)| start + at);
        let mut excerpt = Self::default();
        if start > 0 {
            excerpt.text.push('…');
        }
        let mut units = excerpt.text.encode_utf16().count();
        let mut places = places.iter().filter(|place| place.start < end).peekable();
        let mut open = None;
        for (at, letter) in text[start..end].char_indices() {
            let at = start + at;
            if places.peek().is_some_and(|place| place.start == at) {
                open = places.next().map(|place| (place.end, units));
            }
            // An excerpt is one line; marks stay where they are.
            let letter = if letter.is_whitespace() || letter.is_control() { ' ' } else { letter };
            excerpt.text.push(letter);
            units += letter.len_utf16();
            let next = at + letter.len_utf8();
            if let Some((_, from)) = open.take_if(|(until, _)| *until <= next || next >= end) {
                excerpt.mark(from, units);
            }
        }
        if let Some((_, from)) = open {
            excerpt.mark(from, units);
        }
        if end < text.len() {
            excerpt.text.push('…');
        }
        excerpt
    }

    fn mark(&mut self, start: usize, end: usize) {
        let unit = |units: usize| u32::try_from(units).unwrap_or(u32::MAX);
        self.marks.push(Mark { start: unit(start), end: unit(end) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    fn excerpt(query: &str, text: &str) -> (String, Vec<String>) {
        let places = Query::new(query).and_then(|query| query.places_in(text)).unwrap_or_default();
        let excerpt = Excerpt::new(text, &places);
        let units: Vec<u16> = excerpt.text.encode_utf16().collect();
        let marked = |mark: &Mark| String::from_utf16_lossy(&units[mark.start as usize..mark.end as usize]);
        let marks = excerpt.marks.iter().map(marked).collect();
        (excerpt.text, marks)
    }

    #[test]
    fn what_was_found_is_marked() {
        assert_eq!(
            excerpt("log", "😀 Login\nlog"),
            ("😀 Login log".into(), vec!["Log".into(), "log".into()])
        );
        assert_eq!(excerpt("登录", "修复登录"), ("修复登录".into(), vec!["登录".into()]));
    }

    #[test]
    fn a_long_text_is_cut_around_what_was_found() {
        let (text, marks) = excerpt("needle", &format!("{} needle {}", "a".repeat(500), "b".repeat(500)));
        assert!(
            text.starts_with("…a") && text.ends_with("b…") && text.chars().count() == LETTERS + 2,
            "{text}"
        );
        assert_eq!(marks, ["needle"]);
        let long = "x".repeat(200_000);
        let (text, marks) = excerpt(&"x".repeat(200), &long);
        assert_eq!((text.chars().count(), marks.is_empty()), (LETTERS + 1, false));
    }
}
