//! Places in code, as mentioned in texts: logging points, stack lines, file names with a line.
//!
//! Whether the file exists is unknown here. A place must not be opened unchecked, because workspace files can
//! contain anything.

use serde::Serialize;
use specta::Type;

mod mention;
mod stack;

pub use mention::{Names, base_name, mentions, same_path};
pub use stack::places_in;

/// A place in a file, as mentioned in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct CodePlace {
    /// The file as written. Untrusted text.
    pub file: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
    /// The function, empty if the text does not name it.
    pub name: String,
}

/// A place within a longer text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct TextPlace {
    /// Where the mention starts, in UTF-16 units, as the page counts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The file as written, without the surrounding URL. Untrusted text.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column.
    pub column: Option<u32>,
}

/// Parses a logging point: `file:function:line`, possibly with parts missing, and `file:line:column` as
/// compilers write it.
///
/// A function may itself contain colons (`Limit::touch`), and a file may start with its drive. `None` for an
/// empty text.
#[must_use]
pub fn logging_point(text: &str) -> Option<CodePlace> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let (file, rest) = after_drive(text).map_or((text, ""), |colon| (&text[..colon], &text[colon + 1..]));
    let (between, last) = rest.rsplit_once(':').unwrap_or(("", rest));
    let place = match (number(between), number(last)) {
        (Some(line), Some(column)) => {
            CodePlace { line: Some(line), column: Some(column), ..named_place(file, "") }
        }
        (None, Some(line)) => CodePlace { line: Some(line), ..named_place(file, between) },
        _ => named_place(file, rest),
    };
    Some(place)
}

/// A file with an optional line and column (`src/app.ts:12:5`).
#[must_use]
pub fn file_and_line(text: &str) -> CodePlace {
    let Some((before, last)) = text.rsplit_once(':') else { return named_place(text, "") };
    let Some(last) = number(last) else { return named_place(text, "") };
    match before.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
        Some((file, line)) if !file.is_empty() => {
            CodePlace { line: Some(line), column: Some(last), ..named_place(file, "") }
        }
        _ if before.is_empty() => named_place(text, ""),
        _ => CodePlace { line: Some(last), ..named_place(before, "") },
    }
}

fn named_place(file: &str, name: &str) -> CodePlace {
    CodePlace { file: file.to_owned(), name: name.to_owned(), ..CodePlace::default() }
}

/// The first colon after a drive's.
fn after_drive(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    let from = if drive { 2 } else { 0 };
    text[from..].find(':').map(|at| at + from)
}

/// A line or column: digits only, within a plausible length.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logging_points_are_taken_apart() {
        for (point, file, line, column, name) in [
            ("src/limit/key.ts:bucketKey():31", "src/limit/key.ts", Some(31), None, "bucketKey()"),
            ("src/limit.cpp:Limit::touch:88", "src/limit.cpp", Some(88), None, "Limit::touch"),
            ("C:\\app\\key.ts:touch:9", "C:\\app\\key.ts", Some(9), None, "touch"),
            ("src/a.ts:31:5", "src/a.ts", Some(31), Some(5), ""),
            ("src/a.ts:31", "src/a.ts", Some(31), None, ""),
            ("src/a.ts:main", "src/a.ts", None, None, "main"),
            ("  src/a.ts ", "src/a.ts", None, None, ""),
            ("src/ä b.ts:größe:3", "src/ä b.ts", Some(3), None, "größe"),
            ("a.ts:99999999999", "a.ts", None, None, "99999999999"),
            (":", "", None, None, ""),
        ] {
            let expected = CodePlace { file: file.into(), line, column, name: name.into() };
            assert_eq!(logging_point(point), Some(expected), "{point}");
        }
        assert_eq!(logging_point("  "), None);
    }

    #[test]
    fn files_may_have_a_line_behind_them() {
        for (text, file, line, column) in [
            ("src/a.ts", "src/a.ts", None, None),
            ("src/a.ts:12", "src/a.ts", Some(12), None),
            ("src/a.ts:12:5", "src/a.ts", Some(12), Some(5)),
            ("C:\\a.ts:12", "C:\\a.ts", Some(12), None),
            ("a:b.ts", "a:b.ts", None, None),
            (":12", ":12", None, None),
            ("::12", ":", Some(12), None),
            ("", "", None, None),
        ] {
            let place = file_and_line(text);
            assert_eq!((place.file.as_str(), place.line, place.column), (file, line, column), "{text}");
        }
    }
}
