//! The answer of a command, for a script or for a person.

use std::io::{self, Write as _};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use super::complaint::Complaint;

/// What clap prints for `--version`.
pub(super) const VERSION: &str = concat!("loopdeck ", env!("CARGO_PKG_VERSION"), "\n");

/// Prints it.
pub(super) fn print_version() -> ExitCode {
    print(VERSION.as_bytes(), 0)
}

/// Writes `text` to stdout. A reader that closes early (`| head`) is not a failure.
fn print(text: &[u8], code: u8) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Complaint::own("output", &[("reason", &error.to_string())]).print()
        }
        _ => ExitCode::from(code),
    }
}

/// An answer in both forms, or in the one that was asked for.
#[derive(Debug)]
pub(super) struct Answer {
    json: Vec<u8>,
    lines: Vec<String>,
    code: u8,
}

impl Answer {
    /// `value` for scripts, `lines` for people.
    pub(super) fn new(value: &impl Serialize, lines: Vec<String>) -> Result<Self, Complaint> {
        Ok(Self { lines, ..Self::for_scripts(value)? })
    }

    /// Only `value`, for a script.
    pub(super) fn for_scripts(value: &impl Serialize) -> Result<Self, Complaint> {
        let json =
            json_of(value).map_err(|error| Complaint::own("output", &[("reason", &error.to_string())]))?;
        Ok(Self { json, lines: Vec::new(), code: 0 })
    }

    /// Only `lines`, for a person.
    pub(super) fn for_people(lines: Vec<String>) -> Self {
        Self { json: Vec::new(), lines, code: 0 }
    }

    /// One more line for a person.
    pub(super) fn and(mut self, line: String) -> Self {
        self.lines.push(line);
        self
    }

    /// Ends the program with `code`.
    pub(super) fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// Writes it to stdout.
    pub(super) fn print(self, json: bool) -> ExitCode {
        let text = if json { self.json } else { lines(&self.lines).into_bytes() };
        print(&text, self.code)
    }
}

fn lines(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// As JSON for scripts, without a copy in memory: a large graph has hundreds of thousands of entries.
fn json_of(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, WholeNumbers::default());
    value.serialize(&mut serializer)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Indented JSON. Counts and times travel to the page as floating point; scripts want `3`, not `3.0`.
#[derive(Default)]
struct WholeNumbers(PrettyFormatter<'static>);

impl Formatter for WholeNumbers {
    #[allow(clippy::cast_possible_truncation)] // checked: below 2^53
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
            return self.0.write_i64(writer, value as i64);
        }
        self.0.write_f64(writer, value)
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_floats_become_integers() {
        let shown = json_of(&json!({"a": [3.0, -1.0, 2.5], "b": 1e300})).unwrap();
        let expected = "{\n  \"a\": [\n    3,\n    -1,\n    2.5\n  ],\n  \"b\": 1e+300\n}\n";
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }
}
