//! Each kind of fault with the right value, and what holds for any fault in any document.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

fn read(text: &str) -> Value {
    let corrected = correct(text, CutText::Lost).unwrap_or_else(|| panic!("nothing in {text}"));
    serde_json::from_str(&corrected.text)
        .unwrap_or_else(|error| panic!("{error}: {text} -> {}", corrected.text))
}

fn kinds(text: &str) -> Vec<CorrectionKind> {
    correct(text, CutText::Lost)
        .expect("a value")
        .corrections
        .iter()
        .map(|correction| correction.kind)
        .collect()
}

#[test]
fn each_fault_has_its_right_value() {
    use CorrectionKind as K;
    let both = json!({"a": 1, "b": "x"});
    for (text, expected, kind) in [
        ("{\"a\": 1, // one\n \"b\": \"x\"}", &both, K::Comment),
        ("{\"a\": 1, /* one, \"b\": */ \"b\": \"x\"}", &both, K::Comment),
        ("# head\n{\"a\": 1, # one\n \"b\": \"x\"}", &both, K::Comment),
        ("{\"a\": 1, /* open\n \"b\": \"x\"}", &both, K::Comment),
        ("{\"a\": 1, \"b\": \"x\",}", &both, K::ExtraComma),
        ("{\"a\": 1,, \"b\": \"x\"}", &both, K::ExtraComma),
        ("{, \"a\": 1, \"b\": \"x\"}", &both, K::ExtraComma),
        ("{\"a\": 1 \"b\": \"x\"}", &both, K::MissingComma),
        ("{\"a\": 1\n\"b\": \"x\"}", &both, K::MissingComma),
        ("{\"b\": \"x\" \"a\": 1}", &both, K::MissingComma),
        ("{\"a\" 1, \"b\": \"x\"}", &both, K::MissingColon),
        ("{\"a\" = 1, \"b\": \"x\"}", &both, K::MissingColon),
        ("{\"a\": +1, \"b\": \"x\"}", &both, K::NumberSpelling),
        ("{\"a\": 0x1, \"b\": \"x\"}", &both, K::NumberSpelling),
        ("{\u{201c}a\u{201d}: 1, \"b\": \u{201c}x\u{201d}}", &both, K::TypographicQuotes),
        ("{\u{201e}a\u{201c}: 1, \"b\": \u{2018}x\u{2019}}", &both, K::TypographicQuotes),
        ("{'a': 1, 'b': 'x'}", &both, K::OtherQuotes),
        ("{`a`: 1, \"b\": `x`}", &both, K::OtherQuotes),
        ("{a: 1, b: \"x\"}", &both, K::UnquotedKey),
        ("{\"a\": 1, \"b\": x}", &both, K::UnquotedText),
        ("{\"a: 1, \"b\": \"x\"}", &both, K::MissingQuote),
        ("{\"a\": 1, b\": \"x\"}", &both, K::UnquotedKey),
        ("{\"a\": 1, \"b\": x\"}", &both, K::MissingQuote),
        ("{\"a\": 1, \"b\": \"x}", &both, K::MissingQuote),
        ("{\"b\": \"x, \"a\": 1}", &both, K::MissingQuote),
        ("{\n\"b\": \"x,\n\"a\": 1\n}", &both, K::MissingQuote),
        ("{\n\"a\": 1,\n\"b\": \"x\n}", &both, K::MissingQuote),
        ("{\"a\": 1}, \"b\": \"x\"}", &both, K::StrayBracket),
        ("{\"a\": 1, \"b\": \"x\"]}", &both, K::StrayBracket),
        ("```json\n{\"a\": 1, \"b\": \"x\"}\n```\n", &both, K::Surrounded),
        ("Here it is {really}:\n\n~~~\n{\"a\": 1, \"b\": \"x\"}", &both, K::Surrounded),
        ("{\"a\": 1, \"b\": \"x\"", &both, K::CutOff),
        ("{\"a\": 1, \"b\": \"x\", ", &both, K::CutOff),
        ("{\"a\": 1, \"b\": \"x\", \"c", &both, K::CutOff),
        ("{\"a\": 1, \"b\": \"x\", \"c\": \"hal", &both, K::CutOff),
        ("{\"a\": 1, \"b\": \"x\", \"c\": tru", &both, K::CutOff),
        ("{\"a\": 1, \"b\": \"x\", \"c\": @@, \"d\": }", &both, K::Unreadable),
        ("{\"a\": 1, \"d\", \"b\": \"x\"}", &both, K::Unreadable),
        ("{\"a\": 1, \"c\": ISODate(\"1, 2\"), \"b\": \"x\"}", &both, K::Unreadable),
        ("\u{feff}{\"a\": 1, \"b\": \"x\"}", &both, K::ByteOrderMark),
        ("{\"a\": 1,\0 \"b\": \"x\"}", &both, K::Nul),
        ("{\"a\": 1, \"c\": \"h\0x\", \"b\": \"x\"}", &both, K::Nul),
        ("{\"a\": 1,\n<<<<<<< HEAD\n\"b\": \"x\"\n=======\n>>>>>>> other\n}", &both, K::StrayText),
    ] {
        assert_eq!(read(text), *expected, "{text}");
        assert!(kinds(text).contains(&kind), "{text}: {:?}", kinds(text));
    }
    for (text, expected) in [
        ("[1 2, 3]", json!([1, 2, 3])),
        ("[\"a\" \"b\", null true]", json!(["a", "b", null, true])),
        ("[{\"a\":1} {\"a\":2}]", json!([{"a": 1}, {"a": 2}])),
        ("[\"a,\n\"b\",\n\"c\"]", json!(["a", "b", "c"])),
        ("[\"a, \"b\", \"c\"]", json!(["a", "b", "c"])),
        ("[1, @, 3]", json!([1, 3])),
        ("[1, 2, ...]", json!([1, 2])),
        ("[1, 2", json!([1])),
        ("[1, 2,", json!([1, 2])),
        ("{\"a\": [1, 2, \"b\": 3}", json!({"a": [1, 2], "b": 3})),
        ("{\"a\": [1, 2}, \"b\": 3}", json!({"a": [1, 2], "b": 3})),
        ("{\"l\": [{\"a\": 1, {\"b\": 2}]}", json!({"l": [{"a": 1}, {"b": 2}]})),
        ("{\n  \"s\": {\n    \"a\": 1,\n  \"b\": 2\n}", json!({"s": {"a": 1}, "b": 2})),
        (
            "{\"a\": None, \"b\": True, \"c\": FALSE, \"d\": undefined}",
            json!({"a": null, "b": true, "c": false, "d": null}),
        ),
        (
            "{\"a\": NaN, \"b\": -Infinity, \"c\": .5, \"d\": 5., \"e\": 1_000, \"f\": 007}",
            json!({"a": null, "b": null, "c": 0.5, "d": 5, "e": 1000, "f": 7}),
        ),
        ("{\"a\": \"x\ny\tz\", \"b\": 1}", json!({"a": "x\ny\tz", "b": 1})),
        ("{\"a\": \"C:\\Users\\d \\x41 \\'\", \"b\": 1}", json!({"a": "C:\\Users\\d A '", "b": 1})),
        ("{\"a\": \"x\\u12\", \"b\": 1}", json!({"a": "x\\u12", "b": 1})),
        ("{\"a\": \"say \"yes\" now\", \"b\": 1}", json!({"a": "say \"yes\" now", "b": 1})),
        (
            "{\"a\": \"he said \"yes\", then left\", \"b\": 1}",
            json!({"a": "he said \"yes\", then left", "b": 1}),
        ),
        ("{'a': 'don't \"say\"', 'b': 1}", json!({"a": "don't \"say\"", "b": 1})),
        ("{\"a\": \u{201c}x \"y\" z\u{201d}, \"b\": 1}", json!({"a": "x \"y\" z", "b": 1})),
        (
            "{\"a\": \"all \u{201c}it\u{201d} here\", \"b\": 1,}",
            json!({"a": "all \u{201c}it\u{201d} here", "b": 1}),
        ),
        ("{\"a\": \"x\u{201d}, \"b\": \"y\"}", json!({"a": "x", "b": "y"})),
        (
            "{\"a\": 2026-01-22T10:00:00Z, \"b\": two words}",
            json!({"a": "2026-01-22T10:00:00Z", "b": "two words"}),
        ),
        ("{\"a\": \"http://x/y#z\", // c\n\"b\": 1}", json!({"a": "http://x/y#z", "b": 1})),
        ("{}", json!({})),
        ("[1,]", json!([1])),
        ("{\"a\": {\"b\": [[], {},],},}", json!({"a": {"b": [[], {}]}})),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    for nothing in ["", "  ", "no object", "{really}", "```\n```", "[see above]", "5 apples"] {
        assert_eq!(correct(nothing, CutText::Lost), None, "{nothing}");
    }
}

#[test]
fn what_is_lost_is_named_with_its_line() {
    let text = "{\n \"a\": {\"t\": [{\"id\": 1},\n {\"id\": @@, \"k\": 2}, !!]},\n \"c\": \"cut";
    let corrected = correct(text, CutText::Lost).expect("an object");
    assert_eq!(corrected.text, "{\n \"a\": {\"t\": [{\"id\": 1},\n { \"k\": 2}]}}");
    let lost: Vec<(String, u32)> =
        corrected.lost.iter().map(|lost| (format!("{:?}", lost.path), lost.line)).collect();
    assert_eq!(lost[0], ("[Key(\"a\"), Key(\"t\"), Index(1), Key(\"id\")]".to_owned(), 3));
    assert_eq!(lost[1], ("[Key(\"a\"), Key(\"t\"), Index(2)]".to_owned(), 3));
    assert_eq!(lost[2], ("[Key(\"c\")]".to_owned(), 4));
    assert_eq!(corrected.open, Some(vec![]));
    let kept = correct(text, CutText::Kept).expect("an object");
    assert!(kept.text.ends_with("\"c\": \"cut\"}"), "{}", kept.text);
    assert_eq!(kept.node().get("c").text(), Some("cut"));
}

#[test]
fn untouched_bytes_stay_and_their_places_are_known() {
    let text = "x {\r\n\t\"a\" :  1.50e1 ,\r\n\t\"b\":[ ] ,, // c\r\n\t\"d\": None,\r\n}\r\n";
    let corrected = correct(text, CutText::Lost).expect("an object");
    assert_eq!(corrected.text, "{\r\n\t\"a\" :  1.50e1 ,\r\n\t\"b\":[ ] ,\r\n\t\"d\": null\r\n}");
    let null = corrected.text.find("null").expect("null");
    for (at, byte) in
        corrected.text.bytes().enumerate().filter(|(at, byte)| byte.is_ascii_alphanumeric() && *at < null)
    {
        assert_eq!(text.as_bytes()[corrected.origin(at)], byte, "{at}");
    }
    let d = corrected.node().get("d").at;
    assert_eq!(&text[corrected.origin(d)..][..4], "None");
    assert_eq!(
        corrected.corrections.iter().map(|correction| correction.line).collect::<Vec<_>>(),
        [1, 3, 3, 4, 4]
    );
}

#[test]
fn the_last_object_of_a_text_comes_first() {
    let text = "First {\"n\": 1,} then\n```jsonc\n{\"n\": 2, // two\n}\n```\nHave a nice day {really}!";
    let found: Vec<Value> =
        objects(text, CutText::Lost).map(|found| serde_json::from_str(&found.text).expect("JSON")).collect();
    assert_eq!(found, [json!({"n": 2}), json!({"n": 1})]);
    let broken = "{\"example\": [ {\"n\": 1}, and so on\n\n{\"n\": 2,}";
    assert!(objects(broken, CutText::Lost).any(|found| found.node().get("n").number() == Some(2.0)));
}

#[test]
fn a_record_is_an_object_and_a_torn_line_is_none() {
    let text = "\u{feff}{\"a\":1},\n{\n \"a\": 2,\n}\n```\n{\"a\":3}{\"a\":4} tail\n{\"a\":5,\"b\":\"to\n{\"a\":6}\n{\"a\":7,}";
    let found: Vec<(u32, Option<f64>, &str)> = records(text)
        .iter()
        .map(|record| {
            let number = record.object.as_ref().and_then(|object| object.node().get("a").number());
            (record.line, number, &text[record.span.clone()])
        })
        .collect();
    assert_eq!(
        found,
        [
            (1, Some(1.0), "{\"a\":1}"),
            (1, None, ","),
            (2, Some(2.0), "{\n \"a\": 2,\n}"),
            (5, None, "```"),
            (6, Some(3.0), "{\"a\":3}"),
            (6, Some(4.0), "{\"a\":4}"),
            (6, None, "tail"),
            (7, None, "{\"a\":5,\"b\":\"to"),
            (8, Some(6.0), "{\"a\":6}"),
            (9, Some(7.0), "{\"a\":7,}"),
        ]
    );
}

#[test]
fn bytes_are_read_by_their_mark() {
    let text = "{\"a\": \"caf\u{e9}\"}";
    let wide = |pair: fn(u16) -> [u8; 2]| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(pair).collect()
    };
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin")).collect();
    for (bytes, kind) in [
        (wide(u16::to_le_bytes), CorrectionKind::Utf16),
        (wide(u16::to_be_bytes), CorrectionKind::Utf16),
        (latin, CorrectionKind::NotUtf8),
        ([b"\0\0", text.as_bytes(), b"\0"].concat(), CorrectionKind::Nul),
    ] {
        let (decoded, done) = decode(&bytes);
        assert_eq!((&*decoded, &done[..]), (text, &[kind][..]));
    }
}

#[test]
fn hostile_texts_end_soon_and_without_a_long_stack() {
    let many = 50_000;
    for part in [
        "[",
        "{",
        "{\"a\":",
        "[{\"a\":[",
        "\"",
        "{\"",
        "\"a",
        "/*",
        "//",
        "#",
        "'",
        "{'a':",
        ",",
        "]",
        "}",
        ":",
        "\\",
        "{\"a\":\"",
        "\u{201c}",
        "{\u{201c}",
        "[\"a\"x",
        "\0",
        "{\"a\":\"b\n",
        "[\"\n",
        "NaN ",
        "```\n",
        "<<<<<<<\n",
        "{\"a\" ",
        "{a:",
        "{\u{2018}#",
        "{\"a\":\"x\", a\"",
        "{\"a\":1}{",
        "\n{\"a\":[",
        "{\"a\":\"x\n{",
    ] {
        let text = part.repeat(many / part.len());
        drop(correct(&text, CutText::Lost));
        drop(correct(&format!("{{\"a\":{text}"), CutText::Kept));
        assert!(objects(&text, CutText::Lost).take(MOST_LISTED).count() <= MOST_LISTED);
        drop(records(&text));
    }
}

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
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
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
fn leaves(value: &Value) -> std::collections::BTreeMap<String, Value> {
    fn gather(value: &Value, path: String, found: &mut std::collections::BTreeMap<String, Value>) {
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
    let mut found = std::collections::BTreeMap::new();
    gather(value, String::new(), &mut found);
    found
}

/// One fault that leaves every value as it is, at the token `which` of the right kind.
fn harmless(text: &str, kind: usize, which: usize) -> Option<String> {
    let all = tokens(text);
    let pick = |good: &dyn Fn(&str) -> bool| -> Option<std::ops::Range<usize>> {
        let fit: Vec<_> = all.iter().filter(|token| good(&text[(*token).clone()])).collect();
        (!fit.is_empty()).then(|| fit[which % fit.len()].clone())
    };
    let put = |at: usize, new: &str| format!("{}{new}{}", &text[..at], &text[at..]);
    let swap = |range: std::ops::Range<usize>, new: &str| {
        format!("{}{new}{}", &text[..range.start], &text[range.end..])
    };
    let any = all[which % all.len()].clone();
    let string = |token: &str| token.starts_with('"');
    let inner = |range: &std::ops::Range<usize>| text[range.start + 1..range.end - 1].to_owned();
    Some(match kind {
        0 => put(any.start, "/* a comment, {here} */"),
        1 => put(any.start, "// a comment, {here}\n"),
        2 => put(any.end, " # a comment, \"here\"\n"),
        3 => {
            let end = pick(&|token| matches!(token, "}" | "]"))?;
            let before = text[..end.start].trim_end();
            if before.ends_with(['{', '[']) {
                return None;
            }
            put(before.len(), ",")
        }
        4 => put(pick(&|token| token == ",")?.end, ","),
        5 => swap(pick(&|token| token == ",")?, " "),
        6 => {
            let word = pick(&|token| matches!(token, "null" | "true" | "false"))?;
            let new = match &text[word.clone()] {
                "null" => "None",
                "true" => "True",
                _ => "False",
            };
            swap(word, new)
        }
        7 => {
            let range = pick(&string)?;
            let new = inner(&range);
            if new.contains(['\u{201c}', '\u{201d}', '"', '\'']) {
                return None;
            }
            swap(range, &format!("\u{201c}{new}\u{201d}"))
        }
        8 => {
            let range = pick(&string)?;
            let new = inner(&range);
            if new.contains(['\'', '"']) {
                return None;
            }
            swap(range, &format!("'{new}'"))
        }
        9 => {
            let range = pick(&|token| {
                string(token)
                    && token.len() > 2
                    && token[1..token.len() - 1].bytes().all(|byte| byte.is_ascii_lowercase())
            })?;
            if !text[range.end..].trim_start().starts_with(':') {
                return None;
            }
            let new = inner(&range);
            swap(range, &new)
        }
        10 => put(any.start, "\0"),
        11 => format!("```JSON5\n{text}\n```"),
        12 => format!("Here is [it] {{now}}:\n\n{text}\n\nDone {{really}}."),
        13 => format!("\u{feff}{text}"),
        14 => {
            let open = text[..text.trim_end().len() - 1].to_owned();
            if open.trim_end().ends_with(|c: char| c.is_ascii_digit()) && !open.ends_with(char::is_whitespace)
            {
                return None; // the rest of the number may be missing
            }
            open
        }
        // A bracket that closes nothing: within objects only.
        _ => {
            let lists = |end: usize| {
                all.iter().filter(|token| token.end <= end).fold(0, |open, token| {
                    match &text[token.clone()] {
                        "[" => open + 1,
                        "]" => open - 1,
                        _ => open,
                    }
                })
            };
            let fit: Vec<usize> = all
                .iter()
                .map(|token| token.end)
                .filter(|end| lists(*end) == 0 && *end > 1 && *end < text.len())
                .collect();
            if fit.is_empty() {
                return None;
            }
            put(fit[which % fit.len()], "]")
        }
    })
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
        let Some(faulty) = harmless(&text, kind, which) else { return Ok(()) };
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
        let is_value = |range: &std::ops::Range<usize>| {
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
        let kept = |all: &std::collections::BTreeMap<String, Value>| {
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
