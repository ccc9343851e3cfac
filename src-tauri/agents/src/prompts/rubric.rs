//! What a judge scores by.

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
    /// From 1 to 5, when the file notes one.
    pub score: Option<f64>,
    /// What scores mean, in file order, at most 20.
    pub levels: Vec<RubricLevel>,
}

/// What one score of a criterion means, such as `1: Hard to read`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct RubricLevel {
    /// The score, where its name is one: a whole number up to 255.
    pub score: Option<u8>,
    /// As written: `1`.
    pub name: String,
    /// What it means.
    pub text: String,
}
