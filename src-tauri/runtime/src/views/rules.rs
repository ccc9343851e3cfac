//! What a rule would have done in the past.

use serde::Serialize;
use specta::Type;

/// A rule tried on what the journal keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct RuleTrial {
    /// How many days back it looked.
    pub days: u32,
    /// How often it would have fired.
    pub fired: u32,
    /// The last times.
    pub hits: Vec<TrialHit>,
    /// There was more to read than time: it would have fired at least so often.
    pub partial: bool,
}

/// A time at which a rule would have fired.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct TrialHit {
    /// Title of the loop. Untrusted text.
    pub title: String,
    /// Since when, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
}
