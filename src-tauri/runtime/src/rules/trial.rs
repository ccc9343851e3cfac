//! What a rule would have done: read from the versions and runs that the journal keeps.
//!
//! Only changes of state files are kept. For [`RuleKind::NoActivity`], the times that progress files and logs say count too: a
//! file that says none of its past is a sign of life only when it changed last.

use super::minutes_between;
use crate::observe::roots::Candidate;
use crate::store::journal::{Error, Journal, PastVersion, RunCost};
use crate::views::{RuleTrial, TrialHit};
use loopdeck_core::control::Situation;
use loopdeck_core::facts::{AttentionRule, LoopFacts, RuleFacts, RuleKind};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::{TimeDelta, Timestamp};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How far back a trial looks.
const DAYS: i64 = 7;
/// How long one reads versions.
const READS_FOR: Duration = Duration::from_millis(400);
/// Loops that are named.
const MOST_NAMED: usize = 5;

/// A workspace that a rule is about: its path, and its loops by file. A loop that is gone needs nobody, and is not counted.
pub(crate) struct TriedWorkspace {
    pub(crate) path: String,
    pub(crate) loops: BTreeMap<String, TriedLoop>,
}

/// A loop that is there now.
pub(crate) struct TriedLoop {
    pub(crate) key: LoopId,
    pub(crate) candidate: Candidate,
    pub(crate) title: String,
}

/// How often `rule` would have fired in the week before `now`; at most once for each loop and wait. `signs` tells when a
/// loop showed signs of life, as its files say.
pub(crate) fn try_rule(
    rule: &AttentionRule,
    workspaces: &[TriedWorkspace],
    journal: &mut Journal,
    now: Timestamp,
    signs: impl Fn(&LoopId) -> Vec<Timestamp>,
) -> Result<RuleTrial, Error> {
    let since = now - TimeDelta::days(DAYS);
    let mut trial = Trial { rule, now, hits: Vec::new() };
    let mut partial = false;
    let until = Instant::now() + READS_FOR;
    for workspace in workspaces {
        if rule.kind == RuleKind::Cost {
            trial.costs(&journal.run_costs(&workspace.path)?, workspace, since);
            continue;
        }
        let mut past: BTreeMap<String, Vec<Said>> = BTreeMap::new();
        journal.each_version_since(&workspace.path, since, |version| {
            partial |= Instant::now() >= until;
            if let Some(tried) = workspace.loops.get(&version.file).filter(|_| !partial) {
                past.entry(version.file.clone())
                    .or_default()
                    .extend(trial.read_version(&tried.candidate, &version));
            }
            !partial
        })?;
        if partial && let Some(mut last) = past.last_entry() {
            // What came after it was not read: nobody knows how long it was the last one.
            last.get_mut().pop();
        }
        for (file, said) in &past {
            // Files are read only of loops that fired by their versions alone.
            let needs_signs = rule.kind == RuleKind::NoActivity && trial.fires_by(said);
            partial |= needs_signs && Instant::now() >= until;
            if needs_signs && partial {
                continue; // what cannot be looked at in time is not counted
            }
            let of = workspace.loops.get(file).filter(|_| needs_signs);
            trial.versions(said, &of.map(|tried| signs(&tried.key)).unwrap_or_default());
        }
    }
    let fired = u32::try_from(trial.hits.len()).unwrap_or(u32::MAX);
    trial.hits.sort_by(|a, b| b.at.total_cmp(&a.at));
    trial.hits.truncate(MOST_NAMED);
    Ok(RuleTrial { days: u32::try_from(DAYS).unwrap_or_default(), fired, hits: trial.hits, partial })
}

struct Trial<'a> {
    rule: &'a AttentionRule,
    now: Timestamp,
    hits: Vec<TrialHit>,
}

/// What a version said.
struct Said {
    at: Timestamp,
    title: String,
    status: FileStatus,
    /// Only where a rule asks for it.
    facts: Option<LoopFacts>,
}

impl Trial<'_> {
    fn read_version(&self, candidate: &Candidate, version: &PastVersion) -> Option<Said> {
        let facts = FileFacts { stem: candidate.stem(), modified: version.at, now: version.at };
        let summary = loops::summary(candidate.place, &version.bytes, &facts)?;
        let looks_in = self.rule.kind == RuleKind::FailingTests;
        let counted = looks_in.then(|| count_facts(&summary, version, &facts));
        Some(Said { at: version.at, title: summary.title.clone(), status: summary.status, facts: counted })
    }

    /// The versions of one loop, oldest first, and other signs of life between them.
    fn versions(&mut self, said: &[Said], signs: &[Timestamp]) {
        let mut last = None;
        for (version, end) in self.with_ends(said) {
            for (from, to) in cut_at_signs(version.at, end, signs) {
                let fires = self.fires(version, from, to);
                // A wait is over with the next change; failing tests are one thing until they pass.
                let is_new = self.rule.kind != RuleKind::FailingTests || last != Some(true);
                if fires && is_new {
                    self.hits.push(TrialHit { title: version.title.clone(), at: from.number() });
                }
                last = Some(fires);
            }
        }
    }

    /// Whether any version fires as long as nothing but the next one counts.
    fn fires_by(&self, said: &[Said]) -> bool {
        self.with_ends(said).any(|(version, end)| self.fires(version, version.at, end))
    }

    fn fires(&self, version: &Said, from: Timestamp, to: Timestamp) -> bool {
        let facts = RuleFacts::new(version.status, minutes_between(from, to));
        self.rule.fires(&version.facts.as_ref().map_or(facts, |counted| facts.with_facts(counted)))
    }

    /// Each version with the moment of the next one.
    fn with_ends<'s>(&self, said: &'s [Said]) -> impl Iterator<Item = (&'s Said, Timestamp)> + use<'s> {
        said.iter().zip(said.iter().skip(1).map(|next| next.at).chain([self.now]))
    }

    /// The moments at which the cost of a loop rose above the limit.
    fn costs(&mut self, costs: &[RunCost], workspace: &TriedWorkspace, since: Timestamp) {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for run in costs {
            let Some(tried) = workspace.loops.get(&run.file) else { continue };
            let sum = sums.entry(&run.file).or_default();
            let before = *sum;
            *sum += run.cost_usd;
            if before <= self.rule.limit && *sum > self.rule.limit && run.at >= since {
                self.hits.push(TrialHit { title: tried.title.clone(), at: run.at.number() });
            }
        }
    }
}

/// The time from `from` to `to`, cut at each of `signs`.
fn cut_at_signs(
    from: Timestamp,
    to: Timestamp,
    signs: &[Timestamp],
) -> impl Iterator<Item = (Timestamp, Timestamp)> {
    let mut cuts: Vec<Timestamp> = signs.iter().copied().filter(|sign| from < *sign && *sign < to).collect();
    cuts.sort();
    let starts: Vec<Timestamp> = std::iter::once(from).chain(cuts.iter().copied()).collect();
    starts.into_iter().zip(cuts.into_iter().chain([to]))
}

fn count_facts(summary: &Summary, version: &PastVersion, facts: &FileFacts<'_>) -> LoopFacts {
    let situation = Situation { shown: StatusWord::Unknown, now: version.at };
    LoopFacts::from_detail(summary, &loops::detail(summary.format, &version.bytes, facts, &situation, &[]))
}
