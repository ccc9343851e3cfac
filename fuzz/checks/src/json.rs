//! The JSON scanner, tree and splices.

use loopdeck_text::almost_json::{self, CutText};
use loopdeck_text::json_span::change::{Change, NewValue, Step};
use loopdeck_text::json_span::scan::{Fault, Reader, Scan, ScanError};
use loopdeck_text::json_span::splice::{Outline, SpliceError, edit_object};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit;
use serde::de::IgnoredAny;

/// The scanner and serde_json agree on what is JSON; edits change only their own members.
pub fn check(bytes: &[u8]) {
    let verdict = scan(bytes);
    agree(bytes, verdict);
    assert_eq!(Node::parse(bytes).map(drop), verdict, "scan and tree disagree");
    corrected(bytes, verdict.is_ok());
    if verdict.is_ok() {
        splice(bytes, &[]);
        splice(bytes, &[Step::Key("skill_state"), Step::Key("develop")]);
        splice(bytes, &[Step::Key("a"), Step::Index(1)]);
    }
}

/// What is no JSON becomes JSON, and what is JSON stays as it is.
fn corrected(bytes: &[u8], is_strict: bool) {
    let (text, _) = almost_json::decode(bytes);
    for cut in [CutText::Lost, CutText::Kept] {
        let whole = almost_json::correct(&text, cut);
        assert!(whole.is_some() || !is_strict, "JSON is read");
        for found in almost_json::objects(&text, cut).take(20).chain(whole) {
            assert_eq!(scan(found.text.as_bytes()), Ok(()), "{text:?} -> {}", found.text);
        }
    }
    for record in almost_json::records(&almost_json::same_places(bytes)) {
        let strict = record.object.is_none_or(|object| scan(object.text.as_bytes()).is_ok());
        assert!(strict && record.span.end <= bytes.len(), "{:?}", record.span);
    }
}

fn scan(bytes: &[u8]) -> Scan<()> {
    let mut reader = Reader::new(bytes)?;
    reader.skip()?;
    reader.end()
}

/// serde_json has no depth limit here, and handles neither a BOM nor text in other encodings; we check those
/// ourselves.
fn agree(bytes: &[u8], verdict: Scan<()>) {
    if let Err(ScanError { fault: Fault::TooDeep | Fault::NotUtf8, .. }) = verdict {
        return;
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let theirs = serde_json::from_slice::<IgnoredAny>(bytes).map(drop);
    assert_eq!(verdict.is_ok(), theirs.is_ok(), "ours: {verdict:?}, serde_json: {theirs:?}");
}

fn splice(bytes: &[u8], path: &[Step<'_>]) {
    let changes = [
        Change::Set { key: "status", value: NewValue::Text("pau\"sed\u{1}".to_owned()), after: None },
        Change::Set { key: "limit", value: NewValue::Integer(7), after: Some(&["status", "title"]) },
        Change::Remove { key: "completed_at" },
        Change::Remove { key: "a" },
    ];
    let edits = match edit_object(bytes, path, &changes) {
        Ok(edits) => edits,
        Err(SpliceError::DuplicateKey(_) | SpliceError::NoObject) => return,
        Err(error) => panic!("valid JSON, but {error:?}"),
    };
    let after = text_edit::apply(bytes, &edits).expect("edits do not overlap");
    let (old, new) = (members(bytes, path), members(&after, path));
    let is_ours = |name: &str| changes.iter().any(|change| change.key() == name);
    let foreign = |members: &[(String, String)]| -> Vec<(String, String)> {
        members.iter().filter(|(name, _)| !is_ours(name)).cloned().collect()
    };
    assert_eq!(foreign(&old), foreign(&new), "a foreign member changed");
    let value = |name: &str| new.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(value("status"), Some("\"pau\\\"sed\\u0001\""));
    assert_eq!(value("limit"), Some("7"));
    assert_eq!((value("completed_at"), value("a")), (None, None));
}

/// Names with the bytes of their values, in file order.
fn members(bytes: &[u8], path: &[Step<'_>]) -> Vec<(String, String)> {
    let outline = Outline::read(bytes, path).expect("an object");
    let text = outline.text();
    let raw = |range: &std::ops::Range<usize>| text[range.clone()].to_owned();
    outline.members.iter().map(|member| (member.name.to_string(), raw(&member.value))).collect()
}
