//! The lead's door: all loops with their facts, and one of them.

use super::Runtime;
use crate::overview::{Arranged, needs_person, report_of};
use crate::rules::{Rules, is_open};
use crate::store::journal::{Journal, Retention};
use crate::views::{Failure, LoopReport, LoopSummary, Overview, ReportTexts, SectionKind};
use loopdeck_core::facts::LoopAccount;
use loopdeck_core::status::StatusWord;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::mask::Mask;
use loopdeck_reports::{Format, Options, Report, ReportedLoop};
use loopdeck_system::clock;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How long an overview counts facts that rules ask for.
const COUNTS_FOR: Duration = Duration::from_millis(60);

/// Most loops of a section in one answer, whatever is asked for.
const MOST: u32 = 1_000;

/// The loops of a report: their keys, or all, and since when they changed.
type Selected<'a> = (Option<&'a [String]>, Option<Timestamp>);

impl Runtime {
    /// All loops of all workspaces by what a lead has to know first, at most `most` of each section. Facts that are not
    /// counted yet come with the next answer.
    ///
    /// # Errors
    /// `OwnData` when the journal cannot be read.
    pub fn overview(&self, most: u32) -> Result<Overview, Failure> {
        let visited = self.remembered(|remembered| remembered.overview_visited).map(Timestamp::from_millis);
        let (arranged, mut journal) = self.arranged()?;
        let most = usize::try_from(most.clamp(1, MOST)).unwrap_or(1);
        Ok(arranged.overview((visited, most), &self.facts, &mut journal, |key| self.find(key).ok()))
    }

    /// All loops by section. From now on the rows of those that fire a rule say so.
    fn arranged(&self) -> Result<(Arranged, Journal), Failure> {
        let (needs, opened) = (self.needs().needs, self.settings().opened);
        let mut journal = self.journal_for_reading()?;
        let rules = self.rules(&mut journal)?;
        if rules.look_into_tests() {
            self.count_open_loops();
        }
        let arranged =
            self.read(|catalog| Arranged::from_catalog(catalog, &needs, &opened, (&rules, &self.facts)));
        let fired = arranged.fired();
        if self.read(|catalog| *catalog.fired() != fired) {
            self.coordinator.change_catalog(|catalog| catalog.mark_fired(fired));
        }
        Ok((arranged, journal))
    }

    /// Has the rows of loops that fire a rule say so. Loops begin to fire rules with the time, so this is to be asked for
    /// again and again.
    ///
    /// # Errors
    /// `OwnData` when the journal cannot be read.
    pub fn look_at_rules(&self) -> Result<(), Failure> {
        if self.attention_rules().is_empty() && self.read(|catalog| catalog.fired().is_empty()) {
            return Ok(());
        }
        self.arranged().map(drop)
    }

    /// How many loops need the person: the number of the list, the overview and the window's title.
    #[must_use]
    pub fn needing(&self) -> u32 {
        let asking: HashSet<String> = self.needs().needs.into_iter().map(|need| need.key).collect();
        let opened = self.settings().opened;
        let number = self.read(|catalog| {
            let asks = |key: &str| asking.contains(key) || catalog.fired().contains(key);
            let listed = catalog.entries().filter(|(key, _)| !catalog.marked.is_aside(key));
            listed.filter(|(key, entry)| needs_person(entry, asks(key), &opened)).count()
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The person has looked at the overview: what changes from now on is new.
    ///
    /// # Errors
    /// `OwnData` when that cannot be saved.
    pub fn visit_overview(&self) -> Result<(), Failure> {
        self.remember(|remembered| remembered.overview_visited = Some(clock::now().millis()))
    }

    /// One loop as a lead sees it.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn loop_report(&self, key: &str) -> Result<LoopReport, Failure> {
        let found = self.find(key)?;
        let mut journal = self.journal_for_reading()?;
        // A rule may ask for the facts of this version.
        self.facts.count(&found);
        let rules = self.rules(&mut journal)?;
        let (needs, opened) = (self.needs().needs, self.settings().opened);
        Ok(report_of(&found, &self.facts, &mut journal, (&needs, &opened), &rules))
    }

    /// What happened in a loop, at any moment of it.
    ///
    /// # Errors
    /// As [`Runtime::loop_report`].
    pub fn loop_summary(&self, key: &str) -> Result<LoopSummary, Failure> {
        let report = self.loop_report(key)?;
        let page = self.read_loop(key)?;
        Ok(LoopSummary { report, account: LoopAccount::from_detail(&page.detail) })
    }

    /// A report about the loops `keys`, or all loops, that changed at or after `since`. What looks like a secret is masked.
    ///
    /// # Errors
    /// As [`Runtime::loop_report`].
    pub fn report(
        &self,
        selected: Selected<'_>,
        options: &Options,
        format: Format,
    ) -> Result<String, Failure> {
        Ok(self.hide_secrets(self.gather_report(selected, options)?.text(format)))
    }

    /// The same in every format, from one reading of the loops: what is saved is what was previewed.
    ///
    /// # Errors
    /// As [`Runtime::loop_report`].
    pub fn report_texts(&self, selected: Selected<'_>, options: &Options) -> Result<ReportTexts, Failure> {
        let report = self.gather_report(selected, options)?;
        let [html, markdown] =
            [Format::Html, Format::Markdown].map(|format| self.hide_secrets(report.clone().text(format)));
        Ok(ReportTexts { html, markdown })
    }

    fn hide_secrets(&self, text: String) -> String {
        Mask::of_all(&self.choices.read(Clone::clone)).hide(text)
    }

    fn gather_report(&self, (keys, since): Selected<'_>, options: &Options) -> Result<Report, Failure> {
        let all = || self.read(|catalog| catalog.entries().map(|(key, _)| key.to_string()).collect());
        let keys: Vec<String> = keys.map_or_else(all, <[String]>::to_vec);
        let mut loops = Vec::new();
        for key in keys {
            let LoopSummary { report, account } = self.loop_summary(&key)?;
            if since.is_none_or(|since| report.changed >= since.number()) {
                loops.push(self.report_of(report, account));
            }
        }
        Ok(Report { loops, options: options.clone(), made: clock::now() })
    }

    #[allow(clippy::cast_possible_truncation)] // milliseconds since 1970
    fn report_of(&self, report: LoopReport, account: LoopAccount) -> ReportedLoop {
        let name = self.read(|catalog| {
            let path = catalog.workspace(&report.workspace).map(|workspace| workspace.path.clone());
            path.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned())
        });
        ReportedLoop {
            title: report.title,
            workspace: name.unwrap_or_default(),
            word: report.word,
            file_word: report.file_word,
            reason: report.reason,
            changed: Timestamp::from_millis(report.changed as i64),
            facts: report.facts.unwrap_or_default(),
            claims: report.claims,
            runs: report.runs,
            account,
            note: report.notes.note,
            labels: report.notes.labels,
            rank: rank(report.word, report.section),
        }
    }

    fn rules(&self, journal: &mut Journal) -> Result<Rules, Failure> {
        Rules::new(self.attention_rules(), journal, clock::now()).map_err(Failure::own_data)
    }

    /// Counts the facts of loops that can fire a rule, as far as the time for it goes.
    fn count_open_loops(&self) {
        let until = Instant::now() + COUNTS_FOR;
        let open: Vec<String> = self.read(|catalog| {
            let open =
                catalog.entries().filter(|(_, entry)| is_open(entry) && self.facts.get(entry).is_none());
            open.map(|(key, _)| key.to_string()).collect()
        });
        for key in open {
            if let Ok(found) = self.find(&key) {
                self.facts.count(&found);
            }
            if Instant::now() >= until {
                break;
            }
        }
    }

    /// A connection of its own: the owners' are theirs, and reading does not wait for them.
    pub(super) fn journal_for_reading(&self) -> Result<Journal, Failure> {
        Journal::open_for_reading(&self.dirs.journal(), Retention::default()).map_err(Failure::own_data)
    }
}

/// Failures come first: a report that only has successes hides what matters.
fn rank(word: StatusWord, section: SectionKind) -> u32 {
    // Whether such an end was looked at says nothing to those who read the report.
    if word.is_until_opened() {
        return 0;
    }
    match section {
        SectionKind::Failed => 0,
        SectionKind::NeedsPerson => 1,
        SectionKind::Running => 2,
        SectionKind::Finished => 3,
        SectionKind::Waiting => 4,
    }
}
