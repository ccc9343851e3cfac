//! The door of search: all loops that have some words, and where.

use super::Runtime;
use crate::search::found_loop;
use crate::views::{Failure, SearchAnswer};
use loopdeck_core::times::Timestamp;
use loopdeck_search::Query;
use std::time::{Duration, Instant};

/// How long one answer indexes what changed.
const INDEXES_FOR: Duration = Duration::from_millis(60);
/// The same when nothing is looked for, as when the page of search opens: nobody waits, and fewer rounds take less time together.
const PREPARES_FOR: Duration = Duration::from_millis(200);
/// How long one answer reads loops for places.
const READS_FOR: Duration = Duration::from_millis(60);
/// Loops of one answer.
const MOST_LOOPS: usize = 30;

impl Runtime {
    /// The loops that have all words of `text`, those that changed last first, from the `from`th one that may have them. An
    /// answer takes about a tenth of a second: what it has not come to is in `next` and `left`.
    ///
    /// # Errors
    /// `OwnData` when the index cannot be kept.
    pub fn search(&self, text: &str, from: u32) -> Result<SearchAnswer, Failure> {
        let query = Query::new(text);
        let indexes_for = if query.is_some() { INDEXES_FOR } else { PREPARES_FOR };
        let left = self.search.follow(&self.catalog, &self.dirs, Instant::now() + indexes_for)?;
        let mut answer = SearchAnswer { left, ..SearchAnswer::default() };
        let Some(query) = query else { return Ok(answer) };
        let until = Instant::now() + READS_FOR;
        let candidates = self.candidates(&query)?;
        let first = usize::try_from(from).unwrap_or(usize::MAX);
        for (at, key) in candidates.iter().enumerate().skip(first) {
            let is_enough = answer.loops.len() >= MOST_LOOPS || (at > first && Instant::now() >= until);
            if is_enough {
                answer.next = u32::try_from(at).ok();
                break;
            }
            match self.find(key) {
                Ok(found) => answer.loops.extend(found_loop(&found, &query)),
                Err(_) => answer.unread += 1,
            }
        }
        Ok(answer)
    }

    /// Loops that may have what is looked for, the last changed first.
    fn candidates(&self, query: &Query) -> Result<Vec<String>, Failure> {
        let keys = self.search.matching(query, &self.dirs)?;
        let mut dated: Vec<(Timestamp, String)> = self.read(|catalog| {
            let entries = keys.into_iter().filter_map(|key| Some((catalog.get(&key)?.changed(), key)));
            entries.collect()
        });
        dated.sort_by(|left, right| right.cmp(left));
        Ok(dated.into_iter().map(|(_, key)| key).collect())
    }
}
