//! The words of a document: each once, as the index keeps them.

use crate::fold::{fold, is_cjk};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Longer words are found by their beginning.
const LONGEST: usize = 40;
/// A document with more different words is found by the first of these.
const MOST: usize = 50_000;

/// Collects the words of the texts of one document, then of the next one: what it keeps them in stays.
#[derive(Debug, Default)]
pub struct Words {
    /// By their hash: one of 10¹⁹ hides another one.
    known: HashSet<u64, BuildHasherDefault<Hashed>>,
    /// Strings of JSON whose words are known, by their hash: most of a state are repeated.
    strings: HashSet<u64, BuildHasherDefault<Hashed>>,
    text: String,
    word: String,
    unescaped: String,
}

impl Words {
    /// Adds the words of a text.
    pub fn add_text(&mut self, text: &str) {
        if text.is_ascii() {
            return self.add_ascii(text.as_bytes());
        }
        let mut reader = Reader { words: self, before: Kind::Other, humps: Vec::new(), pair: None };
        for letter in text.chars() {
            reader.read(letter);
        }
        reader.end_pair();
        reader.end_word();
    }

    /// Adds the words of all values of a JSON text, or of one JSON value a line. Names of members, numbers and times are left out: they
    /// are in every document. Anything else than JSON is read as text.
    pub fn add_json(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(start) = memchr::memchr(b'"', rest) {
            let value = &rest[start + 1..];
            let Some(length) = string_length(value) else {
                return self.add_text(&String::from_utf8_lossy(value));
            };
            rest = &value[(length + 1).min(value.len())..];
            let is_name = rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
            let is_new = !is_name && self.strings.insert(hash(&value[..length], AS_IT_IS));
            if is_new && !is_time(&value[..length]) {
                self.add_string(&value[..length]);
            }
        }
    }

    /// Adds what a file has: JSON by its values, everything else as text.
    pub fn add_file(&mut self, bytes: &[u8]) {
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => self.add_json(bytes),
            _ => self.add_text(&String::from_utf8_lossy(bytes)),
        }
    }

    /// All of them, with a space between; what is added from now on is another document's.
    #[must_use]
    pub fn take(&mut self) -> String {
        self.known.clear();
        self.strings.clear();
        let next = String::with_capacity(self.text.len());
        std::mem::replace(&mut self.text, next)
    }

    /// The same as [`Words::add_text`] does: most texts are ASCII, and most of their words are known.
    fn add_ascii(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(start) = rest.iter().position(is_letter) {
            let length = rest[start..].iter().position(|byte| !is_letter(byte));
            let (word, after) = rest[start..].split_at(length.unwrap_or(rest.len() - start));
            let word = &word[..word.len().min(LONGEST * 4)];
            if word[1..].iter().any(u8::is_ascii_uppercase) {
                self.keep_humps(word);
            }
            self.keep_ascii(word);
            rest = after;
        }
    }

    /// The ends of a word in camel case, from each of its parts.
    fn keep_humps(&mut self, word: &[u8]) {
        let is_hump = |pair: &[u8]| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase();
        for (at, _) in word.windows(2).enumerate().filter(|(_, pair)| is_hump(pair)) {
            self.keep_ascii(&word[at + 1..]);
        }
    }

    fn keep_ascii(&mut self, word: &[u8]) {
        let hash = hash(word, IN_LOWER_CASE);
        if self.known.len() >= MOST || !self.known.insert(hash) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.extend(word.iter().take(LONGEST).map(|byte| char::from(*byte)));
        self.text[start..].make_ascii_lowercase();
    }

    fn add_string(&mut self, bytes: &[u8]) {
        if bytes.is_ascii() && memchr::memchr(b'\\', bytes).is_none() {
            self.add_ascii(bytes);
        } else if memchr::memchr(b'\\', bytes).is_some() {
            let mut text = std::mem::take(&mut self.unescaped);
            text.clear();
            unescape(&String::from_utf8_lossy(bytes), &mut text);
            self.add_text(&text);
            self.unescaped = text;
        } else {
            self.add_text(&String::from_utf8_lossy(bytes));
        }
    }

    /// Takes in the word that was read, from its `from`th byte.
    fn keep(&mut self, from: usize) {
        let word = &self.word[from.min(self.word.len())..];
        if word.is_empty() || self.known.len() >= MOST || !self.known.insert(hash(word.as_bytes(), AS_IT_IS))
        {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        let end = word.char_indices().nth(LONGEST).map_or(word.len(), |(at, _)| at);
        self.text.push_str(&word[..end]);
    }
}

/// What is hashed already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes, AS_IT_IS);
    }

    fn write_u64(&mut self, hashed: u64) {
        self.0 = hashed;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Between words.
    Other,
    /// A letter or digit in a word.
    Lower,
    /// A capital letter in a word.
    Upper,
}

/// Reads a text letter by letter.
struct Reader<'a> {
    words: &'a mut Words,
    before: Kind,
    /// Where parts of a word in camel case begin.
    humps: Vec<usize>,
    /// The letter before, in a script without spaces.
    pair: Option<char>,
}

impl Reader<'_> {
    fn read(&mut self, letter: char) {
        if !is_of_word(letter) {
            self.end_pair();
            return self.end_word();
        }
        if is_cjk(letter) {
            return self.read_cjk(letter);
        }
        self.end_pair();
        let is_upper = letter.is_uppercase();
        if is_upper && self.before == Kind::Lower {
            // `parseConfigFile` is found as such, by `config` and by `file`.
            self.humps.push(self.words.word.len());
        }
        self.before = if is_upper { Kind::Upper } else { Kind::Lower };
        let word = &mut self.words.word;
        if word.len() < LONGEST * 4 {
            // `⑴` is compared as `(1)`: only what belongs to words is kept.
            fold(letter, |part| word.extend(is_of_word(part).then_some(part)));
        }
    }

    /// Two neighbours at a time; the last of a run alone, so that one is enough to find it.
    fn read_cjk(&mut self, letter: char) {
        self.end_word();
        if let Some(before) = self.pair.replace(letter) {
            self.words.word.extend([before, letter]);
            self.words.keep(0);
            self.words.word.clear();
        }
    }

    fn end_pair(&mut self) {
        if let Some(last) = self.pair.take() {
            self.words.word.push(last);
            self.words.keep(0);
            self.words.word.clear();
        }
    }

    fn end_word(&mut self) {
        if self.words.word.is_empty() {
            return;
        }
        for hump in self.humps.drain(..) {
            self.words.keep(hump);
        }
        self.words.keep(0);
        self.words.word.clear();
        self.before = Kind::Other;
    }
}

/// Whether a letter belongs to a word; accents that stand alone do, and count for nothing.
pub(crate) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter)
}

/// Whether a byte of an ASCII text belongs to a word.
fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Bits that are set in each byte before it is hashed.
type Mask = u64;
const AS_IT_IS: Mask = 0;
/// ASCII letters and digits in lower case have this bit; capitals do not.
const IN_LOWER_CASE: Mask = 0x2020_2020_2020_2020;

/// Eight bytes at a time, multiplied and folded as in wyhash. The maps here are small and the words are no secrets: what counts
/// is that a word costs next to nothing.
fn hash(bytes: &[u8], mask: Mask) -> u64 {
    let mut hash = (bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        hash = mix(hash ^ (u64::from_le_bytes(eight) | mask));
    }
    let rest = chunks.remainder();
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    let last = u64::from_le_bytes(eight);
    let there = if rest.is_empty() { 0 } else { mask >> (8 * (8 - rest.len())) };
    mix(hash ^ (last | there))
}

fn mix(bits: u64) -> u64 {
    let product = u128::from(bits ^ 0xa076_1d64_78bd_642f) * u128::from(0xe703_7ed1_a0b4_28db_u64);
    #[allow(clippy::cast_possible_truncation)] // both halves
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

/// Bytes up to the quote that ends a JSON string.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether a string is a time such as `2026-01-22T02:00:00Z`.
fn is_time(bytes: &[u8]) -> bool {
    let date = bytes.get(..10).is_some_and(|date| {
        let is_part =
            |(at, byte): (usize, &u8)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() };
        date.iter().enumerate().all(is_part)
    });
    date && bytes.len() <= 40
        && bytes[10..]
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'T' | b'Z' | b':' | b'.' | b'+' | b'-' | b' '))
}

/// The text of a JSON string. An escape that is none separates words.
fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(kind) = rest.chars().next() else { return };
        rest = &rest[kind.len_utf8()..];
        match kind {
            '"' | '\\' | '/' => out.push(kind),
            'u' => rest = unescape_unit(rest, out),
            _ => out.push(' '),
        }
    }
    out.push_str(rest);
}

/// Takes the letter of `\uXXXX`, or of a pair of them; half a pair is a space.
fn unescape_unit<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let unit = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let Some(first) = unit(rest) else {
        out.push(' ');
        return rest;
    };
    let after = &rest[4..];
    let second = after.strip_prefix("\\u").and_then(unit);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (char::from_u32(u32::from(first)), pair) {
        (Some(letter), _) => {
            out.push(letter);
            after
        }
        (None, Some(letter)) => {
            out.push(letter);
            &after[6..]
        }
        (None, None) => {
            out.push(' ');
            after
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> String {
        let mut words = Words::default();
        words.add_text(text);
        words.take()
    }

    fn json(text: &str) -> String {
        let mut words = Words::default();
        words.add_json(text.as_bytes());
        words.take()
    }

    #[test]
    fn words_are_found_once_each_without_case_and_accents() {
        for (text, expected) in [
            ("The login, the LOGIN: Café!", "the login cafe"),
            ("rate_limit src/app.ts", "rate limit src app ts"),
            ("parseConfigFile", "configfile file parseconfigfile"),
            ("TypeScript HTTPServer", "script typescript httpserver"),
            ("修复登录问题", "修复 复登 登录 录问 问题 题"),
            ("登录api", "登录 录 api"),
            ("", ""),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn each_document_has_its_own_words() {
        let mut words = Words::default();
        words.add_json(br#"{"a": "one two"}"#);
        assert_eq!(words.take(), "one two");
        words.add_json(br#"{"a": "one two"}"#);
        words.add_text("three");
        assert_eq!((words.take(), words.take()), ("one two three".to_owned(), String::new()));
    }

    #[test]
    fn of_json_only_values_count() {
        for (text, expected) in [
            (r#"{"title": "Fix \"it\"\nnow", "n": 12}"#, "fix it now"),
            (r#"{"a": "2026-01-22T02:00:00.000Z", "b": "2026-01-22 release"}"#, "2026 01 22 release"),
            (r#"{"a": "\u4fee\u590d \ud83d\ude00 \ud83d x"}"#, "修复 复 x"),
            ("{\"a\": \"one\"}\n{\"a\" : \"two\"}\n", "one two"),
            (r#"{"a": "cut of"#, "cut of"),
            (r#"{"a": "cut \"#, "cut"),
        ] {
            assert_eq!(json(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_without_end_is_found_by_its_beginning() {
        assert_eq!(words(&"x".repeat(200_000)).len(), LONGEST);
    }

    proptest! {
        #[test]
        fn ascii_is_read_as_any_other_text(text in "[ -~\n]{0,60}") {
            // With a letter that is not ASCII the text takes the other way.
            let sorted = |text: String| {
                let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                words.sort();
                words
            };
            prop_assert_eq!(sorted(words(&format!("{text} zz"))), sorted(words(&format!("{text} żż"))));
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut words = Words::default();
            words.add_file(&bytes);
            words.add_json(&bytes);
            prop_assert!(words.take().chars().all(|letter| letter == ' ' || is_of_word(letter)));
        }
    }
}
