//! All loops as a lead sees them: where each belongs, and its facts, counted once for each version of its files.

use crate::facts_cache::FactsCache;
use crate::loop_reader::LocatedLoop;
use crate::observe::catalog::{Catalog, Entry, LoopId};
use crate::rules::Rules;
use crate::store::journal::{Journal, LoopRef};
use crate::views::{LoopNotes, LoopReport, Overview, OverviewSection, OverviewTotals, SectionKind};
use loopdeck_core::facts::{AttentionRule, LoopFacts, LoopOutcome, RunFacts};
use loopdeck_core::status::{Group, StatusWord};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::rows::Need;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long one overview counts facts before it answers with what it has.
const COUNTS_FOR: Duration = Duration::from_millis(120);

/// When the ends of loops were looked at, ms since 1970 UTC, by the names of the loops.
pub(crate) type Opened = BTreeMap<String, f64>;

/// A loop and its section, before its facts are counted.
struct Placed {
    entry: Entry,
    root: PathBuf,
    section: SectionKind,
    changed: Timestamp,
    needs: Vec<Need>,
    notes: LoopNotes,
    fired: Vec<AttentionRule>,
}

/// All loops of the list by section, the newest change first.
pub(crate) struct Arranged {
    revision: u32,
    sections: BTreeMap<SectionKind, Vec<Placed>>,
    /// Those that fire a rule, also where they are put aside.
    fired: HashSet<LoopId>,
}

impl Arranged {
    pub(crate) fn from_catalog(
        catalog: &Catalog,
        needs: &[Need],
        opened: &Opened,
        (rules, cache): (&Rules, &FactsCache),
    ) -> Self {
        let mut waiting: HashMap<&str, Vec<&Need>> = HashMap::new();
        for need in needs {
            waiting.entry(&need.key).or_default().push(need);
        }
        let mut sections: BTreeMap<SectionKind, Vec<Placed>> = BTreeMap::new();
        let mut firing = HashSet::new();
        for (key, entry) in catalog.entries() {
            let Some(workspace) = catalog.workspace(&entry.workspace) else { continue };
            let needs: Vec<Need> =
                waiting.get(&**key).into_iter().flatten().map(|need| (*need).clone()).collect();
            let fired = rules.fired_rules(entry, &workspace.path, cache);
            if !fired.is_empty() {
                firing.insert(key.clone());
            }
            if catalog.marked.is_aside(key) {
                continue;
            }
            let asks = !needs.is_empty() || !fired.is_empty();
            let placed = Placed {
                section: section(entry.shown.word, needs_person(entry, asks, opened)),
                fired,
                changed: entry.changed(),
                root: workspace.path.clone(),
                notes: catalog.notes.get(key).cloned().unwrap_or_default(),
                entry: entry.clone(),
                needs,
            };
            sections.entry(placed.section).or_default().push(placed);
        }
        for placed in sections.values_mut() {
            placed.sort_by(|a, b| {
                let by_file = || a.entry.candidate.file.cmp(&b.entry.candidate.file);
                need_since(b).total_cmp(&need_since(a)).then_with(by_file)
            });
        }
        Self { revision: catalog.revision(), sections, fired: firing }
    }

    /// Loops that fire a rule.
    pub(crate) fn fired(&self) -> HashSet<LoopId> {
        self.fired.clone()
    }

    fn totals(&self, visited: Option<Timestamp>) -> OverviewTotals {
        let number = |kind| self.sections.get(&kind).map_or(0, Vec::len);
        let since = |kind| {
            let placed = self.sections.get(&kind).into_iter().flatten();
            placed.filter(|placed| visited.is_none_or(|visited| placed.changed > visited)).count()
        };
        let waiting = self.sections.get(&SectionKind::NeedsPerson).into_iter().flatten();
        OverviewTotals {
            loops: count(self.sections.values().map(Vec::len).sum()),
            needs_person: count(number(SectionKind::NeedsPerson)),
            oldest_need: waiting.map(need_since).min_by(f64::total_cmp),
            running: count(number(SectionKind::Running)),
            finished_since: count(since(SectionKind::Finished)),
            failed_since: count(since(SectionKind::Failed)),
        }
    }

    /// The overview with at most `most` loops of each section. `find` looks a loop up; a workspace that does not answer
    /// has none.
    pub(crate) fn overview(
        &self,
        (visited, most): (Option<Timestamp>, usize),
        cache: &FactsCache,
        journal: &mut Journal,
        find: impl Fn(&str) -> Option<LocatedLoop>,
    ) -> Overview {
        let until = Instant::now() + COUNTS_FOR;
        let mut left = 0;
        let sections = self.sections.iter().map(|(kind, placed)| {
            let loops = placed.iter().take(most).map(|placed| {
                let known = cache.get(&placed.entry);
                let counted = known.or_else(|| {
                    let found = find(&placed.entry.key())?;
                    if Instant::now() >= until {
                        left += 1;
                        return None;
                    }
                    Some(cache.count(&found))
                });
                report(placed, counted.as_deref().cloned(), runs(placed, journal))
            });
            OverviewSection { kind: *kind, loops: loops.collect(), total: count(placed.len()) }
        });
        let sections = sections.collect();
        Overview {
            revision: self.revision,
            left,
            visited: visited.map(Timestamp::number),
            totals: self.totals(visited),
            sections,
        }
    }
}

/// Whether a loop needs the person: it asks something or fires a rule (`asks`), or came to where a person should look. Of an
/// end that is enough once. The list, the overview and the window's title all count by this.
pub(crate) fn needs_person(entry: &Entry, asks: bool, opened: &Opened) -> bool {
    let shown = entry.shown;
    let is_seen = || opened.get(entry.key().as_str()).is_some_and(|at| *at >= entry.changed().number());
    asks || (shown.group == Group::Attention && !(shown.word.is_until_opened() && is_seen()))
}

/// Where a loop belongs.
fn section(word: StatusWord, needs_person: bool) -> SectionKind {
    if needs_person {
        return SectionKind::NeedsPerson;
    }
    match LoopOutcome::from_word(word) {
        LoopOutcome::NeedsPerson | LoopOutcome::Failed | LoopOutcome::Interrupted => SectionKind::Failed,
        LoopOutcome::Running => SectionKind::Running,
        LoopOutcome::Succeeded => SectionKind::Finished,
        LoopOutcome::Paused | LoopOutcome::Stopped | LoopOutcome::NotStarted | LoopOutcome::Unknown => {
            SectionKind::Waiting
        }
    }
}

/// The report of a loop that is found, with facts and runs.
pub(crate) fn report_of(
    found: &LocatedLoop,
    cache: &FactsCache,
    journal: &mut Journal,
    (needs, opened): (&[Need], &Opened),
    rules: &Rules,
) -> LoopReport {
    let needs: Vec<Need> = needs.iter().filter(|need| *need.key == *found.entry.key()).cloned().collect();
    let fired = rules.fired_rules(&found.entry, &found.root, cache);
    let asks = !needs.is_empty() || !fired.is_empty();
    let placed = Placed {
        section: section(found.entry.shown.word, needs_person(&found.entry, asks, opened)),
        fired,
        changed: found.entry.changed(),
        root: found.root.clone(),
        notes: found.notes.clone(),
        entry: found.entry.clone(),
        needs,
    };
    let runs = runs(&placed, journal);
    report(&placed, Some((*cache.count(found)).clone()), runs)
}

fn runs(placed: &Placed, journal: &mut Journal) -> Option<RunFacts> {
    let workspace = placed.root.to_string_lossy();
    let of = LoopRef { workspace: &workspace, file: &placed.entry.candidate.file };
    journal.run_facts(of).unwrap_or_else(|error| {
        tracing::warn!(%error, "the runs of a loop cannot be added up");
        None
    })
}

fn report(placed: &Placed, facts: Option<LoopFacts>, runs: Option<RunFacts>) -> LoopReport {
    let Placed { entry, needs, changed, .. } = placed;
    LoopReport {
        key: entry.key().to_string(),
        workspace: entry.workspace.to_string(),
        format: entry.summary.format,
        title: entry.summary.title.clone(),
        notes: placed.notes.clone(),
        word: entry.shown.word,
        file_word: entry.summary.status_word.clone(),
        section: placed.section,
        outcome: LoopOutcome::from_word(entry.shown.word),
        reason: entry.summary.reason.clone(),
        needs: needs.iter().map(|need| need.kind).collect(),
        fired: placed.fired.clone(),
        need_since: (placed.section == SectionKind::NeedsPerson).then(|| need_since(placed)),
        created: entry.summary.created.map(Timestamp::number),
        changed: changed.number(),
        facts,
        claims: entry.claim_counts(),
        runs,
    }
}

/// Since when it waits: since its oldest need, else since its last change.
fn need_since(placed: &Placed) -> f64 {
    let oldest = placed.needs.iter().map(|need| need.since).min_by(f64::total_cmp);
    oldest.unwrap_or_else(|| placed.changed.number())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
