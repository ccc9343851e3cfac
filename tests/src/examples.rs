//! The JSON examples in the specifications of Loop v2 and Loop-B, and files that are compared with them.

use serde_json::Value;
use std::path::Path;

/// The example in `tests/fixtures/ccw/FILE`.
///
/// # Panics
/// When there is no such file.
#[must_use]
pub fn example(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ccw").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// Every field of the example is in the file, with the same kind of value; `null` stands for any.
///
/// # Panics
/// When one is not. `path` is its location in both.
#[track_caller]
pub fn as_in(example: &Value, file: &Value, path: &str) {
    match (example, file) {
        (Value::Null, _) => {}
        (Value::Object(fields), Value::Object(_)) => {
            for (key, example) in fields {
                let found = file.get(key).unwrap_or_else(|| panic!("{path}.{key} is missing:\n{file:#}"));
                as_in(example, found, &format!("{path}.{key}"));
            }
        }
        (Value::Array(items), Value::Array(found)) => {
            if let Some(example) = items.first() {
                found.iter().for_each(|item| as_in(example, item, &format!("{path}[]")));
            }
        }
        _ => {
            let same = std::mem::discriminant(example) == std::mem::discriminant(file);
            assert!(same, "{path}: {file} is not like {example}");
        }
    }
}
