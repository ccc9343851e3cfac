//! The door of trends.

use super::Runtime;
use crate::trends::Past;
use crate::views::{Failure, FailureKind};
use loopdeck_core::facts::{EndedLoop, TrendQuery, Trends};
use loopdeck_core::times::Timestamp;
use std::time::{Duration, Instant};

/// How long one answer counts facts.
const COUNTS_FOR: Duration = Duration::from_millis(120);
/// Most days of one answer.
const MOST_DAYS: usize = 366;

impl Runtime {
    /// Trends over the days of `query`. Tests that are not counted yet come with the next answer.
    ///
    /// # Errors
    /// `BadForm` without days in order; `OwnData` when the journal cannot be read.
    pub fn trends(&self, query: &TrendQuery) -> Result<Trends, Failure> {
        let first = query.days.first().copied().filter(|_| query.days.is_sorted());
        let first = first.filter(|first| first.is_finite() && query.days.len() <= MOST_DAYS);
        let first = first.ok_or_else(|| Failure::new(FailureKind::BadForm).with("field", "days"))?;
        let mut journal = self.journal_for_reading()?;
        let runs = journal.runs_since(Timestamp::from_number(first)).map_err(Failure::own_data)?;
        let recipes = journal.recipes().map_err(Failure::own_data)?;
        let mut past = self.read(|catalog| Past::new(catalog, &runs, &recipes, first));
        let until = Instant::now() + COUNTS_FOR;
        let left = past.add_tests(&self.facts, |key| self.find(key).ok(), until);
        let loops: Vec<EndedLoop> = past.loops.into_iter().map(|(_, ended)| ended).collect();
        Ok(Trends { left, ..Trends::new(query, &loops, &past.runs) })
    }
}
