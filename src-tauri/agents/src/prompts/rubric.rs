//! How a judge scores.

use serde::Serialize;
use specta::Type;

/// One criterion of a rubric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RubricRow {
    /// Its name.
    pub criterion: String,
    /// What it means.
    pub description: String,
    /// Share of the score after normalising, 0 to 1.
    #[specta(type = u32)] // a finite number in TypeScript
    pub weight: f64,
    /// From 1 to 5, if the file has one.
    pub score: Option<f64>,
    /// Meanings of the scores, in file order, at most 20.
    pub levels: Vec<RubricLevel>,
}

/// The meaning of one score of a criterion, such as `1: Hard to read`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RubricLevel {
    /// The score, if its name is one: a whole number up to 255.
    pub score: Option<u8>,
    /// As written: `1`.
    pub name: String,
    /// What it means.
    pub text: String,
}
