//! Attention rules: which loops fire one now, and what a rule would have done in the past.

mod trial;

pub(crate) use trial::{TriedLoop, TriedWorkspace, try_rule};

use crate::facts_cache::FactsCache;
use crate::observe::catalog::Entry;
use crate::store::journal::{Error, Journal};
use loopdeck_core::facts::{AttentionRule, RuleFacts, RuleKind};
use loopdeck_core::times::Timestamp;
use std::collections::HashMap;
use std::path::Path;

/// The person's rules, with what the journal knows for them.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<AttentionRule>,
    /// USD of each loop, by workspace path and file.
    costs: HashMap<(String, String), f64>,
    now: Timestamp,
}

impl Rules {
    /// The rules as of `now`.
    pub(crate) fn new(
        rules: Vec<AttentionRule>,
        journal: &mut Journal,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let needs_costs = rules.iter().any(|rule| rule.kind == RuleKind::Cost);
        let costs = if needs_costs { journal.costs()? } else { HashMap::new() };
        Ok(Self { rules, costs, now })
    }

    /// Whether any of them looks into the tests of a loop.
    pub(crate) fn look_into_tests(&self) -> bool {
        self.rules.iter().any(|rule| rule.kind == RuleKind::FailingTests)
    }

    /// The rules that a loop fires; each kind once, the strictest.
    pub(crate) fn fired_rules(&self, entry: &Entry, root: &Path, cache: &FactsCache) -> Vec<AttentionRule> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let facts = self.facts(entry, root, cache);
        let about = self.rules.iter().filter(|rule| rule.is_about(&entry.workspace) && rule.fires(&facts));
        let mut fired: Vec<AttentionRule> = about.cloned().collect();
        fired.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.limit.total_cmp(&a.limit)));
        fired.dedup_by_key(|rule| rule.kind);
        fired
    }

    fn facts(&self, entry: &Entry, root: &Path, cache: &FactsCache) -> RuleFacts {
        let changed = entry.changed();
        let of = (root.to_string_lossy().into_owned(), entry.candidate.file.clone());
        let facts = RuleFacts {
            since_activity: minutes_between(changed.max(entry.foreign_change), self.now),
            cost_usd: self.costs.get(&of).copied(),
            ..RuleFacts::new(entry.summary.status, minutes_between(changed, self.now))
        };
        match cache.get(entry) {
            Some(counted) => facts.with_facts(&counted),
            None => facts,
        }
    }
}

/// Whether a loop can fire a rule at all.
pub(crate) fn is_open(entry: &Entry) -> bool {
    AttentionRule::is_open(entry.summary.status)
}

#[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
fn minutes_between(from: Timestamp, to: Timestamp) -> f64 {
    to.since(from).num_milliseconds() as f64 / 60_000.0
}
