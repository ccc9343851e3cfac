//! Each kind of fault with the right value.

mod properties;

use super::CorrectionKind as K;
use super::*;
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

/// Texts that say `{"a": 1, "b": "x"}`, each with one fault.
const FAULTS: [(&str, K); 43] = [
    ("{\"a\": 1, // one\n \"b\": \"x\"}", K::Comment),
    ("{\"a\": 1, /* one, \"b\": */ \"b\": \"x\"}", K::Comment),
    ("# head\n{\"a\": 1, # one\n \"b\": \"x\"}", K::Comment),
    ("{\"a\": 1, /* open\n \"b\": \"x\"}", K::Comment),
    ("{\"a\": 1, \"b\": \"x\",}", K::ExtraComma),
    ("{\"a\": 1,, \"b\": \"x\"}", K::ExtraComma),
    ("{, \"a\": 1, \"b\": \"x\"}", K::ExtraComma),
    ("{\"a\": 1 \"b\": \"x\"}", K::MissingComma),
    ("{\"a\": 1\n\"b\": \"x\"}", K::MissingComma),
    ("{\"b\": \"x\" \"a\": 1}", K::MissingComma),
    ("{\"a\" 1, \"b\": \"x\"}", K::MissingColon),
    ("{\"a\" = 1, \"b\": \"x\"}", K::MissingColon),
    ("{\"a\": +1, \"b\": \"x\"}", K::NumberSpelling),
    ("{\"a\": 0x1, \"b\": \"x\"}", K::NumberSpelling),
    ("{\u{201c}a\u{201d}: 1, \"b\": \u{201c}x\u{201d}}", K::TypographicQuotes),
    ("{\u{201e}a\u{201c}: 1, \"b\": \u{2018}x\u{2019}}", K::TypographicQuotes),
    ("{'a': 1, 'b': 'x'}", K::OtherQuotes),
    ("{`a`: 1, \"b\": `x`}", K::OtherQuotes),
    ("{a: 1, b: \"x\"}", K::UnquotedKey),
    ("{\"a\": 1, \"b\": x}", K::UnquotedText),
    ("{\"a: 1, \"b\": \"x\"}", K::MissingQuote),
    ("{\"a\": 1, b\": \"x\"}", K::UnquotedKey),
    ("{\"a\": 1, \"b\": x\"}", K::MissingQuote),
    ("{\"a\": 1, \"b\": \"x}", K::MissingQuote),
    ("{\"b\": \"x, \"a\": 1}", K::MissingQuote),
    ("{\n\"b\": \"x,\n\"a\": 1\n}", K::MissingQuote),
    ("{\n\"a\": 1,\n\"b\": \"x\n}", K::MissingQuote),
    ("{\"a\": 1}, \"b\": \"x\"}", K::StrayBracket),
    ("{\"a\": 1, \"b\": \"x\"]}", K::StrayBracket),
    ("```json\n{\"a\": 1, \"b\": \"x\"}\n```\n", K::Surrounded),
    ("Here it is {really}:\n\n~~~\n{\"a\": 1, \"b\": \"x\"}", K::Surrounded),
    ("{\"a\": 1, \"b\": \"x\"", K::CutOff),
    ("{\"a\": 1, \"b\": \"x\", ", K::CutOff),
    ("{\"a\": 1, \"b\": \"x\", \"c", K::CutOff),
    ("{\"a\": 1, \"b\": \"x\", \"c\": \"hal", K::CutOff),
    ("{\"a\": 1, \"b\": \"x\", \"c\": tru", K::CutOff),
    ("{\"a\": 1, \"b\": \"x\", \"c\": @@, \"d\": }", K::Unreadable),
    ("{\"a\": 1, \"d\", \"b\": \"x\"}", K::Unreadable),
    ("{\"a\": 1, \"c\": ISODate(\"1, 2\"), \"b\": \"x\"}", K::Unreadable),
    ("\u{feff}{\"a\": 1, \"b\": \"x\"}", K::ByteOrderMark),
    ("{\"a\": 1,\0 \"b\": \"x\"}", K::Nul),
    ("{\"a\": 1, \"c\": \"h\0x\", \"b\": \"x\"}", K::Nul),
    ("{\"a\": 1,\n<<<<<<< HEAD\n\"b\": \"x\"\n=======\n>>>>>>> other\n}", K::StrayText),
];

#[test]
fn each_fault_has_its_right_value() {
    let both = json!({"a": 1, "b": "x"});
    for (text, kind) in FAULTS {
        assert_eq!(read(text), both, "{text}");
        assert!(kinds(text).contains(&kind), "{text}: {:?}", kinds(text));
    }
    for (text, expected) in texts_with_values() {
        assert_eq!(read(text), expected, "{text}");
    }
    for nothing in ["", "  ", "no object", "{really}", "```\n```", "[see above]", "5 apples"] {
        assert_eq!(correct(nothing, CutText::Lost), None, "{nothing}");
    }
}

fn texts_with_values() -> Vec<(&'static str, Value)> {
    vec![
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
    ]
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
