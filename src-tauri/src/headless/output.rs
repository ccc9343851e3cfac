//! The answer of a command, for a script or for a person.

use std::io::{self, Write as _};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Number, Value};

use super::complaint::Complaint;

/// An answer in both forms.
#[derive(Debug)]
pub(super) struct Answer {
    json: Value,
    lines: Vec<String>,
    code: u8,
}

impl Answer {
    /// `value` for scripts, `lines` for people.
    pub(super) fn new(value: &impl Serialize, lines: Vec<String>) -> Result<Self, Complaint> {
        let json = serde_json::to_value(value)
            .map_err(|error| Complaint::own("output", &[("reason", &error.to_string())]))?;
        Ok(Self { json: whole_numbers(json), lines, code: 0 })
    }

    /// Ends the program with `code`.
    pub(super) fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// Writes it to stdout. A reader that has seen enough (`| head`) is no failure.
    pub(super) fn print(self, json: bool) -> ExitCode {
        let text = if json { format!("{:#}\n", self.json) } else { lines(&self.lines) };
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Complaint::own("output", &[("reason", &error.to_string())]).print()
            }
            _ => ExitCode::from(self.code),
        }
    }
}

fn lines(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// Counts and times travel to the page as floating point; scripts want `3`, not `3.0`.
fn whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(&number).unwrap_or(number)),
        Value::Array(items) => items.into_iter().map(whole_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, whole_numbers(value))).collect()
        }
        other => other,
    }
}

#[allow(clippy::cast_possible_truncation)] // checked: below 2^53
fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    (float.abs() < 9_007_199_254_740_992.0).then(|| Number::from(float as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_floats_become_integers() {
        let shown = whole_numbers(json!({"a": [3.0, -1.0, 2.5], "b": 1e300})).to_string();
        assert_eq!(shown, r#"{"a":[3,-1,2.5],"b":1e300}"#.replace("1e300", "1e+300"));
    }
}
