//! The words of a document: each once, as the index keeps them.

use crate::fold::{fold, is_cjk};
use crate::hashes::{self, Seen};
use crate::json::{self, JsonString};
use crate::lanes::{LANES, Lanes};
use std::borrow::Cow;

/// Longer words are found by their beginning.
const LONGEST: usize = 40;
/// Bytes that tell words apart.
const COMPARED: usize = LONGEST * 4;
/// A document with more different words is found by the first of these.
const MOST: usize = 50_000;

/// Collects the words of the texts of one document, then of the next one: what it keeps them in stays.
#[derive(Debug)]
pub struct Words {
    seed: u64,
    /// Words that are in `text`.
    known: Seen,
    /// Strings of JSON whose words are known: most of a state are repeated.
    strings: Seen,
    text: String,
    word: String,
    unescaped: String,
}

impl Default for Words {
    fn default() -> Self {
        let (known, strings, text, word, unescaped) = Default::default();
        Self { seed: hashes::seed(), known, strings, text, word, unescaped }
    }
}

impl Words {
    /// Adds the words of a text.
    pub fn add_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(foreign) = rest.bytes().position(|byte| !byte.is_ascii()) {
            // Words with letters that are not ASCII, up to the next byte that ends any word.
            let start = rest[..foreign].rfind(ends_words).map_or(0, |at| at + 1);
            let end = rest[foreign..].find(ends_words).map_or(rest.len(), |at| foreign + at);
            self.add_ascii(&rest.as_bytes()[..start]);
            self.add_letters(&rest[start..end]);
            rest = &rest[end..];
        }
        self.add_ascii(rest.as_bytes());
    }

    /// Adds the words of all values of a JSON text, or of one JSON value a line. Names of members, numbers and times are left out: they
    /// are in every document. Anything else than JSON is read as text.
    pub fn add_json(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(quote) = json::quote(bytes, at) {
            let start = quote + 1;
            let Some(string) = JsonString::read(bytes, start, self.seed) else {
                return self.add_text(&text_of(&bytes[start..]));
            };
            at = string.end + 1;
            let is_new = !json::is_name(&bytes[at..]) && self.strings.insert(string.hash);
            let value = &bytes[start..string.end];
            if is_new && !json::is_time(value) {
                self.add_string(value, string.has_escapes);
            }
        }
    }

    /// Adds what a file has: JSON by its values, everything else as text.
    pub fn add_file(&mut self, bytes: &[u8]) {
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => self.add_json(bytes),
            _ => self.add_text(&text_of(bytes)),
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

    /// Adds the words of any text, letter by letter.
    fn add_letters(&mut self, text: &str) {
        let mut reader = Reader { words: self, before: Kind::Other, humps: Vec::new(), pair: None };
        text.chars().for_each(|letter| reader.read(letter));
        reader.end_pair();
        reader.end_word();
    }

    /// The same for ASCII, eight letters at a time: most of a text is ASCII, and most of its words are known.
    fn add_ascii(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            let word = AsciiWord::read(text, at, self.seed);
            if word.length == 0 {
                at += Lanes::at(text, at).letters().first();
                continue;
            }
            let compared = &text[at..at + word.length.min(COMPARED)];
            if word.has_capitals {
                self.keep_humps(compared);
            }
            self.keep_ascii(compared, word.hash);
            at += word.length + 1; // what ends a word is no letter
        }
    }

    /// The ends of a word in camel case, from each of its parts.
    fn keep_humps(&mut self, word: &[u8]) {
        let is_hump = |pair: &[u8]| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase();
        for (at, _) in word.windows(2).enumerate().filter(|(_, pair)| is_hump(pair)) {
            let end = &word[at + 1..];
            self.keep_ascii(end, hashes::of_word(self.seed, end));
        }
    }

    fn keep_ascii(&mut self, word: &[u8], hash: u64) {
        if self.is_new(hash) {
            let start = self.text.len();
            self.text.push_str(&text_of(&word[..word.len().min(LONGEST)]));
            self.text[start..].make_ascii_lowercase();
        }
    }

    /// Whether a word is to be put behind the others.
    #[inline]
    fn is_new(&mut self, hash: u64) -> bool {
        let is_new = self.known.len() < MOST && self.known.insert(hash);
        if is_new && !self.text.is_empty() {
            self.text.push(' ');
        }
        is_new
    }

    fn add_string(&mut self, bytes: &[u8], has_escapes: bool) {
        if has_escapes {
            let mut text = std::mem::take(&mut self.unescaped);
            text.clear();
            json::unescape(&text_of(bytes), &mut text);
            self.add_text(&text);
            self.unescaped = text;
        } else if bytes.is_ascii() {
            self.add_ascii(bytes);
        } else {
            self.add_text(&text_of(bytes));
        }
    }

    /// Takes in the word that was read, from its `from`th byte.
    fn keep(&mut self, from: usize) {
        let from = from.min(self.word.len());
        let hash = hashes::of_word(self.seed, &self.word.as_bytes()[from..]);
        if from < self.word.len() && self.is_new(hash) {
            let word = &self.word[from..];
            let end = word.char_indices().nth(LONGEST).map_or(word.len(), |(at, _)| at);
            self.text.push_str(&word[..end]);
        }
    }
}

/// A word at a place of an ASCII text; empty when another byte is there.
struct AsciiWord {
    length: usize,
    hash: u64,
    /// Behind its first letter.
    has_capitals: bool,
}

impl AsciiWord {
    #[inline]
    fn read(text: &[u8], start: usize, seed: u64) -> Self {
        let mut word = Self { length: 0, hash: seed, has_capitals: false };
        loop {
            let lanes = Lanes::at(text, start + word.length);
            let letters = lanes.letters().others().first();
            word.hash = hashes::add(word.hash, lanes.first(letters).in_lower_case());
            word.has_capitals |= lanes.capitals().any_in(usize::from(word.length == 0), letters);
            word.length += letters;
            if letters < LANES {
                break;
            }
        }
        if word.length > COMPARED {
            word.hash = hashes::of_word(seed, &text[start..start + COMPARED]);
        }
        word
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

/// Whether a letter ends every word before it.
fn ends_words(letter: char) -> bool {
    letter.is_ascii() && !letter.is_ascii_alphanumeric()
}

/// The text of bytes; quickly when it is one.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
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
            (r#"["\n4fee", "\u4fee"]"#, "4fee 修"),
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

    fn sorted(text: &str) -> Vec<String> {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        words.sort();
        words
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_its_letters(text in "[ -~\n]{0,60}|[a-zA-Z]{1,200}|[ a-cA-C.é登\u{301}]{0,40}|\\PC{0,40}") {
            let mut letters = Words::default();
            letters.add_letters(&text);
            prop_assert_eq!(sorted(&words(&text)), sorted(&letters.take()));
        }

        #[test]
        fn a_word_is_known_from_either_way(text in "[a-zA-Z0-9]{1,200}") {
            let mut both = Words::default();
            both.add_ascii(text.as_bytes());
            both.add_letters(&format!("{text} ωω")); // no text of ASCII is read as that word
            prop_assert_eq!(both.take(), format!("{} ωω", words(&text)));
        }

        #[test]
        fn strings_of_json_are_read_as_their_texts(texts in proptest::collection::vec("[a-c\"\\\\é登 ]{0,20}", 0..20)) {
            let strings: Vec<String> =
                texts.iter().map(|text| text.replace('\\', "\\\\").replace('"', "\\\"")).collect();
            let array = format!("[\"{}\"]", strings.join("\", \""));
            prop_assert_eq!(sorted(&json(&array)), sorted(&words(&texts.join("\n"))));
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
