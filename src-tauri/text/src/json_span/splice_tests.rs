//! Edits in every layout, compared byte for byte.

use super::*;

fn set(key: &'static str, text: &str) -> Change<'static> {
    Change::Set { key, value: NewValue::Text(text.to_owned()), after: None }
}

fn edited(text: &str, path: &[Step<'_>], changes: &[Change<'_>]) -> Result<String, SpliceError> {
    let edits = edit_object(text.as_bytes(), path, changes)?;
    let bytes = text_edit::apply(text.as_bytes(), &edits).expect("edits do not overlap");
    Ok(String::from_utf8(bytes).expect("UTF-8"))
}

#[track_caller]
fn check(before: &str, changes: &[Change<'_>], after: &str) {
    assert_eq!(edited(before, &[], changes).as_deref(), Ok(after));
}

#[test]
fn a_value_is_replaced_alone() {
    check("{\"a\" :  \"x\" , \"n\": 50.0}\r\n", &[set("a", "y\"")], "{\"a\" :  \"y\\\"\" , \"n\": 50.0}\r\n");
    check("\u{feff}{\"\\u0061\":1}", &[set("a", "é")], "\u{feff}{\"\\u0061\":\"é\"}");
}

#[test]
fn a_new_member_looks_like_its_neighbours() {
    check("{\n  \"a\": 1\n}", &[set("b", "x")], "{\n  \"a\": 1,\n  \"b\": \"x\"\n}");
    check("{\r\n\t\"a\" : 1\r\n}\r\n", &[set("b", "x")], "{\r\n\t\"a\" : 1,\r\n\t\"b\" : \"x\"\r\n}\r\n");
    check("{\"a\":1,\"c\":2}", &[set("b", "x")], "{\"a\":1,\"c\":2,\"b\":\"x\"}");
    check("{ \"a\": 1 }", &[set("b", "x")], "{ \"a\": 1, \"b\": \"x\" }");
    check("{\"a\": 1}", &[set("b", "x")], "{\"a\": 1, \"b\": \"x\"}");
    check(
        "{\n  \"a\": 1,\n\n  \"b\": {}\n}",
        &[set("c", "x")],
        "{\n  \"a\": 1,\n\n  \"b\": {},\n  \"c\": \"x\"\n}",
    );
    check("{}", &[set("c", "x")], "{\"c\":\"x\"}");
}

#[test]
fn a_new_member_can_have_a_place() {
    let placed = Change::Set { key: "b", value: NewValue::Integer(7), after: Some(&["a", "zz"]) };
    check(
        "{\n  \"a\": 1,\n  \"c\": 2\n}",
        std::slice::from_ref(&placed),
        "{\n  \"a\": 1,\n  \"b\": 7,\n  \"c\": 2\n}",
    );
    check("{\n  \"d\": 1,\n  \"c\": 2\n}", &[placed], "{\n  \"d\": 1,\n  \"c\": 2,\n  \"b\": 7\n}");
}

#[test]
fn arrays_follow_the_layout() {
    let tags = |texts: &[&str]| Change::Set {
        key: "t",
        value: NewValue::Texts(texts.iter().map(|&text| text.to_owned()).collect()),
        after: None,
    };
    check(
        "{\n  \"a\": 1\n}",
        &[tags(&["x", "y"])],
        "{\n  \"a\": 1,\n  \"t\": [\n    \"x\",\n    \"y\"\n  ]\n}",
    );
    check("{\"a\":1}", &[tags(&["x", "y"])], "{\"a\":1,\"t\":[\"x\",\"y\"]}");
    check("{\n\t\"t\": [\"z\"]\n}", &[tags(&["x", "y"])], "{\n\t\"t\": [\"x\", \"y\"]\n}");
    check("{\n\t\"t\": [\n\t\t\"z\"\n\t]\n}", &[tags(&["x"])], "{\n\t\"t\": [\n\t\t\"x\"\n\t]\n}");
}

#[test]
fn members_are_removed_with_one_comma() {
    let gone = |key| Change::Remove { key };
    let text = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n";
    check(text, &[gone("a")], "{\n  \"b\": 2,\n  \"c\": 3\n}\n");
    check(text, &[gone("b")], "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
    check(text, &[gone("c")], "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    check(text, &[gone("c"), gone("b")], "{\n  \"a\": 1\n}\n");
    check(text, &[gone("a"), gone("c")], "{\n  \"b\": 2\n}\n");
    check(text, &[gone("x")], text);
    check(text, &[gone("a"), gone("b"), gone("c")], "{}\n");
}

#[test]
fn changes_of_one_edit_do_not_get_in_each_others_way() {
    let text = "{\"s\":\"f\",\"r\":\"x\",\"u\":0,\"c\":1}";
    let changes = [
        set("s", "running"),
        set("u", "now"),
        Change::Remove { key: "c" },
        Change::Remove { key: "r" },
        set("new", "1"),
    ];
    check(text, &changes, "{\"s\":\"running\",\"u\":\"now\",\"new\":\"1\"}");
    check("{\"r\":1,\"c\":2}", &[changes[2].clone(), changes[3].clone(), set("n", "x")], "{\"n\":\"x\"}");
    check("{\"r\":1,\"c\":2}", &[changes[3].clone(), set("n", "x")], "{\"c\":2,\"n\":\"x\"}");
}

#[test]
fn paths_lead_into_objects_and_arrays() {
    let text = "{\"x\": {\"l\": [{}, {\n  \"s\": \"in_progress\"\n}]}, \"s\": \"no\"}";
    let path = [Step::Key("x"), Step::Key("l"), Step::Index(1)];
    let expected = text.replace("in_progress", "pending");
    assert_eq!(edited(text, &path, &[set("s", "pending")]), Ok(expected));
    let empty = [Step::Key("x"), Step::Key("l"), Step::Index(0)];
    assert!(
        edited(text, &empty, &[set("s", "p")]).is_ok_and(|text| text.contains("{\n  \"s\": \"p\"\n}, {"))
    );
    assert_eq!(edited(text, &[Step::Key("s")], &[set("s", "p")]), Err(SpliceError::NoObject));
}

#[test]
fn duplicate_keys_on_the_path_are_refused_and_elsewhere_kept() {
    let twice = "{\"a\":{\"s\":1},\"a\":{\"s\":2},\"b\":1,\"b\":2,\"s\":1}";
    let error = edited(twice, &[Step::Key("a")], &[set("s", "x")]);
    assert_eq!(error, Err(SpliceError::DuplicateKey("a".to_owned())));
    assert_eq!(edited(twice, &[], &[set("b", "x")]), Err(SpliceError::DuplicateKey("b".to_owned())));
    check(twice, &[set("s", "x")], "{\"a\":{\"s\":1},\"a\":{\"s\":2},\"b\":1,\"b\":2,\"s\":\"x\"}");
}

#[test]
fn damaged_documents_are_never_edited() {
    for text in ["", "{", "{\"a\":1}}", "{\"a\":1}{", "[1", "{\"z\":[}", "nul"] {
        assert!(matches!(edited(text, &[], &[set("a", "x")]), Err(SpliceError::Damaged(_))), "{text}");
    }
    assert_eq!(edited("[]", &[], &[set("a", "x")]), Err(SpliceError::NoObject));
}

#[test]
fn edits_that_would_not_say_what_was_meant_are_never_handed_out() {
    let outline = Outline::read(b"{\"s\": \"a\", \"n\": 1}", &[]).expect("valid");
    let changes = [set("s", "b")];
    let plan = Plan::new(&outline, &changes);
    assert_eq!(plan.verify(&plan.edits()), Ok(()));
    let wrong = [
        TextEdit::replace(6..9, "\"c\""),
        TextEdit::replace(6..9, "\"b"),
        TextEdit::replace(6..9, "\"b\", \"x\": 1"),
        TextEdit::replace(0..1, "{"),
        TextEdit::replace(6..18, "\"b\""),
    ];
    for edit in wrong {
        assert_eq!(plan.verify(std::slice::from_ref(&edit)), Err(SpliceError::Unsafe), "{edit:?}");
    }
}
