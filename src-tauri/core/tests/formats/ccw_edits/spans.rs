//! A JSON document as its values, each with its position: what an edit must leave alone, byte for byte.
//!
//! The fuzz targets also use this file.

use loopdeck_text::json_span::scan::{Reader, Scan, ValueKind};
use loopdeck_text::text_edit::{self, TextEdit};
use std::ops::Range;

/// One value of a document.
pub(crate) struct Value {
    /// Such as `skill_state.develop.tasks[2].status`.
    pub(crate) path: String,
    /// Its range, including its key.
    pub(crate) member: Range<usize>,
    /// Its range.
    pub(crate) span: Range<usize>,
    /// A non-empty object or array; its values follow.
    pub(crate) holds: bool,
}

/// All values in file order, without the document itself.
pub(crate) fn values(bytes: &[u8]) -> Scan<Vec<Value>> {
    let mut reader = Reader::new(bytes)?;
    let mut values = Vec::new();
    walk(&mut reader, "", &mut values)?;
    reader.end()?;
    Ok(values)
}

fn walk(reader: &mut Reader<'_>, path: &str, found: &mut Vec<Value>) -> Scan<()> {
    match reader.peek()? {
        ValueKind::Object => reader.object(|value, key| {
            let dot = if path.is_empty() { "" } else { "." };
            enter(value, &format!("{path}{dot}{}", key.name), Some(key.span.start), found)
        }),
        ValueKind::List => {
            let mut index = 0;
            reader.list(|item| {
                index += 1;
                enter(item, &format!("{path}[{}]", index - 1), None, found)
            })
        }
        _ => reader.skip().map(drop),
    }
}

fn enter(reader: &mut Reader<'_>, path: &str, key: Option<usize>, found: &mut Vec<Value>) -> Scan<()> {
    reader.peek()?;
    let (place, start) = (found.len(), reader.offset());
    let member = key.unwrap_or(start)..start;
    found.push(Value { path: path.to_owned(), member, span: start..start, holds: false });
    walk(reader, path, found)?;
    let holds = found.len() > place + 1;
    let value = &mut found[place];
    (value.member.end, value.span.end, value.holds) = (reader.offset(), reader.offset(), holds);
    Ok(())
}

/// Whether `path` is one of `roots`, or below one.
fn is_below(path: &str, roots: &[&str]) -> bool {
    let below = |root: &&str| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    roots.iter().any(below)
}

/// Paths and bytes of all values outside `ours` that contain no others, in file order.
fn foreign(bytes: &[u8], ours: &[&str]) -> Vec<(String, String)> {
    let values = values(bytes).expect("JSON").into_iter();
    let foreign = values.filter(|value| !value.holds && !is_below(&value.path, ours));
    foreign.map(|value| (value.path, String::from_utf8_lossy(&bytes[value.span]).into_owned())).collect()
}

/// Applies `edits` and panics when they change anything outside the values at `ours`.
///
/// Foreign values keep their path, their order and their bytes; no edit touches one of them or its key; and
/// only white space, brackets and commas are removed between them.
pub(crate) fn apply_keeping(bytes: &[u8], edits: &[TextEdit], ours: &[&str]) -> Vec<u8> {
    let after = text_edit::apply(bytes, edits).expect("edits do not overlap");
    let left = |foreign: Vec<(String, String)>, other: &[u8]| -> Vec<(String, String)> {
        // An empty container of ours may have been filled, or the last value of one removed.
        let filled: Vec<String> =
            values(other).expect("JSON").into_iter().filter(|v| v.holds).map(|v| v.path).collect();
        let is_empty = |raw: &str| matches!(raw.as_bytes(), [b'{' | b'[', .., b'}' | b']']);
        let is_ours = |path: &String| ours.iter().any(|root| is_below(root, &[path]));
        foreign.into_iter().filter(|(p, raw)| !(is_empty(raw) && filled.contains(p) && is_ours(p))).collect()
    };
    assert_eq!(
        left(foreign(bytes, ours), &after),
        left(foreign(&after, ours), bytes),
        "a foreign value changed"
    );
    let all = values(bytes).expect("JSON");
    for edit in edits {
        for value in all.iter().filter(|value| !value.holds) {
            let meets = edit.range.start < value.member.end && value.member.start < edit.range.end;
            assert!(!meets || is_below(&value.path, ours), "{edit:?} reaches into {}", value.path);
        }
        let is_ours =
            |at: usize| all.iter().any(|value| value.member.contains(&at) && is_below(&value.path, ours));
        let taken = edit.range.clone().filter(|at| !is_ours(*at));
        let plain = |at: &usize| b" \t\r\n,:[]{}".contains(&bytes[*at]);
        assert!(taken.clone().all(|at| plain(&at)), "{edit:?} takes away more than its values");
    }
    after
}

/// The bytes of each item of the array at `path`; none when there is no array.
pub(crate) fn items(bytes: &[u8], path: &str) -> Vec<String> {
    let is_item = |value: &Value| {
        let rest = value.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('['));
        rest.is_some_and(|rest| rest.find(']') == Some(rest.len() - 1))
    };
    let values = values(bytes).expect("JSON").into_iter().filter(is_item);
    values.map(|value| String::from_utf8_lossy(&bytes[value.span]).into_owned()).collect()
}
