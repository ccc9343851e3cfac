//! The scanner agrees with serde_json on what is JSON, and reports where it stops.

use super::*;

fn check(text: &[u8]) -> Scan<()> {
    let mut reader = Reader::new(text)?;
    reader.skip()?;
    reader.end()
}

#[test]
fn it_accepts_and_rejects_what_serde_json_does() {
    let texts = [
        "{}",
        "[]",
        "[1,2]",
        "[1 , 2 ]",
        "{\"a\":1}",
        "{\"a\" : [ {} , [] ] }",
        "-0",
        "0.5e+10",
        "1E5",
        "30e-2",
        "\"\\u00e9\\ud83d\\ude00\\/\"",
        "true",
        "null",
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "{,}",
        "{\"a\"}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "1e+",
        "nul",
        "tru",
        "falsey",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "\"abc",
        "{\"a\":1",
        "[",
        "{",
        "]",
        "}",
        "[}",
        "{]",
        "[1}",
        "{\"a\":1]",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1}{",
        "1 1",
        "\"tab\there\"",
        "\u{feff}\u{feff}{}",
        "\"é漢😀 long enough for the wide loop\"",
        "NaN",
        "'a'",
        "[\"a\\\"]",
    ];
    for text in texts {
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        assert_eq!(check(text.as_bytes()).is_ok(), theirs, "{text}");
    }
}

#[test]
fn the_quick_way_ends_where_the_careful_one_does() {
    let texts = [
        "{}",
        "[]",
        " {\"a\" : [ { } , [ ] , -0.5e+10, true,false ,null ] ,\r\n\t\"b\\u0063\\n\":\"\\\"\"} x",
        "[[],{},[{}]]",
        "[[]",
        "{\"a\":{}",
        "[{]",
        "[,]",
        "[1,]",
        "{\"a\":1,}",
        "\"\\u12g4\"",
        "\"a\u{1}b\"",
        "01",
        "1.e",
        "tru",
        "[}",
        "[1}",
        "{\"a\":1]",
        "{\"a\" 1}",
        "\"é漢😀 long enough for the wide loop\"",
        "{\"indented\":\n                    1}",
    ];
    let deep = |depth: usize| ["[".repeat(depth), "{".to_owned(), "}".to_owned(), "]".repeat(depth)].concat();
    let texts = texts.map(str::to_owned).into_iter().chain([deep(MAX_DEPTH - 1), deep(MAX_DEPTH)]);
    for text in texts {
        let start = text.len() - text.trim_start().len();
        let quick = quick::value_end(text.as_bytes(), start, MAX_DEPTH);
        let careful = Reader::at(&text, start).skip_carefully().ok().map(|span| span.end);
        assert_eq!(quick, careful, "{text}");
    }
}

#[test]
fn faults_are_told_apart_and_placed() {
    let cases: [(&[u8], Fault, usize); 8] = [
        (b"", Fault::Empty, 0),
        (b" \n\t", Fault::Empty, 3),
        (b"{\"a\": \xff}", Fault::NotUtf8, 6),
        (b"{\"a\": tr", Fault::UnexpectedEnd, 8),
        (b"{\"a\": 1", Fault::UnexpectedEnd, 7),
        (b"{\"a\": 1}\n  \"b\": 2}", Fault::TrailingGarbage, 11),
        (b"\0\0\0\0", Fault::Syntax("expected a value"), 0),
        (b"{\"a\" 1}", Fault::Syntax("expected :"), 5),
    ];
    for (text, fault, offset) in cases {
        assert_eq!(check(text), Err(ScanError { fault, offset }), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn depth_is_limited_without_using_the_stack() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(check(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(check(nested(MAX_DEPTH + 1).as_bytes()).map_err(|e| e.fault), Err(Fault::TooDeep));
    assert_eq!(check("[".repeat(200_000).as_bytes()).map_err(|e| e.fault), Err(Fault::TooDeep));
    assert_eq!(check("{\"a\":".repeat(200_000).as_bytes()).map_err(|e| e.fault), Err(Fault::TooDeep));
}

#[test]
fn strings_decode_as_javascript_reads_them() {
    let read = |text: &str| Reader::at(text, 0).string().map(|raw| raw.decode().into_owned());
    assert_eq!(read(r#""a\"\\\/\b\f\n\r\té""#).as_deref(), Ok("a\"\\/\u{8}\u{c}\n\r\té"));
    assert_eq!(read(r#""\ud83d\ude00!""#).as_deref(), Ok("😀!"));
    assert_eq!(read(r#""\ud83d x""#).as_deref(), Ok("\u{fffd} x"));
    assert_eq!(read(r#""\ude00\ud83d""#).as_deref(), Ok("\u{fffd}\u{fffd}"));
    assert!(matches!(Reader::at("\"plain\"", 0).string().map(RawText::decode), Ok(Cow::Borrowed("plain"))));
}

#[test]
fn a_bom_and_crlf_are_stepped_over() {
    let mut names = Vec::new();
    let text = "\u{feff}{\r\n  \"a\": 1,\r\n  \"b\\u0063\": [2]\r\n}\r\n";
    let mut reader = Reader::new(text.as_bytes()).expect("valid");
    reader
        .object(|value, key| {
            names.push((key.name.into_owned(), value.skip()?));
            Ok(())
        })
        .expect("valid");
    reader.end().expect("only white space");
    assert_eq!(names[0], ("a".to_owned(), 13..14));
    assert_eq!(names[1].0, "bc");
}
