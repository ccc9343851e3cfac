//! A row as it is on disk: one line of JSON, without empty fields.

use crate::rows::{OutputKind, OutputRow};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A row with where its source begins in the raw log.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRow {
    /// What is shown.
    pub row: OutputRow,
    /// Position of the frame in the raw log, when the text was cut.
    pub(crate) source: Option<Source>,
}

impl From<OutputRow> for StoredRow {
    /// A row without a raw log: its text is all there is.
    fn from(row: OutputRow) -> Self {
        Self { row, source: None }
    }
}

/// Where a line begins in the raw log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Position of the frame.
    pub(crate) frame: u64,
    /// Bytes into it.
    pub(crate) offset: u32,
}

/// Borrows its texts: most rows are read only to be skipped.
#[derive(Serialize, Deserialize)]
pub(crate) struct Line<'a> {
    at: f64,
    pub(crate) kind: OutputKind,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub(crate) text: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ok: Option<bool>,
    #[serde(default, skip_serializing_if = "is_zero")]
    depth: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(depth: &u32) -> bool {
    *depth == 0
}

impl<'a> From<&'a StoredRow> for Line<'a> {
    fn from(StoredRow { row, source }: &'a StoredRow) -> Self {
        Self {
            at: row.at,
            kind: row.kind,
            name: Cow::Borrowed(&row.name),
            text: Cow::Borrowed(&row.text),
            cut: row.cut,
            ok: row.ok,
            depth: row.depth,
            source: *source,
        }
    }
}

impl From<Line<'_>> for StoredRow {
    fn from(line: Line<'_>) -> Self {
        let row = OutputRow {
            at: line.at,
            kind: line.kind,
            name: line.name.into_owned(),
            text: line.text.into_owned(),
            cut: line.cut,
            ok: line.ok,
            depth: line.depth,
        };
        Self { row, source: line.source }
    }
}
