//! What a lead sees of all loops.

use super::LoopNotes;
use loopdeck_core::facts::{AttentionRule, LoopAccount, LoopFacts, LoopOutcome, RunFacts};
use loopdeck_core::format::Format;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::ClaimCounts;
use loopdeck_execution::rows::NeedKind;
use serde::Serialize;
use specta::Type;

/// All loops of all workspaces, the most urgent first.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Overview {
    /// The revision of the catalog that it shows.
    pub revision: u32,
    /// Loops shown whose facts are still to be counted: ask again.
    pub left: u32,
    /// When the person looked at it last, ms since 1970 UTC.
    pub visited: Option<f64>,
    /// How many there are of what.
    pub totals: OverviewTotals,
    /// The sections that have loops, in their order.
    pub sections: Vec<OverviewSection>,
}

/// How many loops there are of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Type)]
pub struct OverviewTotals {
    /// All of them.
    pub loops: u32,
    /// They need a person.
    pub needs_person: u32,
    /// Since when the oldest of these waits, ms since 1970 UTC.
    pub oldest_need: Option<f64>,
    /// They are being worked on.
    pub running: u32,
    /// Finished since the last visit.
    pub finished_since: u32,
    /// Failed since the last visit.
    pub failed_since: u32,
}

/// Where a loop is in the overview. Words: catalogue `overviewPage.section.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// A person has to do something.
    NeedsPerson,
    /// It failed, was interrupted, or reached a limit.
    Failed,
    /// It is being worked on.
    Running,
    /// Its goal holds.
    Finished,
    /// It waits, was stopped, or never ran.
    Waiting,
}

/// Loops that belong together: the newest change first, or what waits for the shortest time.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct OverviewSection {
    /// Which.
    pub kind: SectionKind,
    /// How many loops it has.
    pub total: u32,
    /// As many of them as were asked for.
    pub loops: Vec<LoopReport>,
}

/// One loop as a lead sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopReport {
    /// Names the loop in every command.
    pub key: String,
    /// Id of its workspace.
    pub workspace: String,
    /// Which system.
    pub format: Format,
    /// Title. Untrusted text.
    pub title: String,
    /// Note and labels that people gave it.
    pub notes: LoopNotes,
    /// The shown status.
    pub word: StatusWord,
    /// Status word as the file has it. Untrusted text.
    pub file_word: String,
    /// Where it is in the overview.
    pub section: SectionKind,
    /// What became of it.
    pub outcome: LoopOutcome,
    /// Why it ended or stopped. Untrusted text.
    pub reason: Option<String>,
    /// What it waits for, oldest first.
    pub needs: Vec<NeedKind>,
    /// Rules of the person that it fires.
    pub fired: Vec<AttentionRule>,
    /// Since when, ms since 1970 UTC.
    pub need_since: Option<f64>,
    /// Creation, ms since 1970 UTC.
    pub created: Option<f64>,
    /// Last change of the state file, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub changed: f64,
    /// Its facts; `None` while they are being counted, or when its file cannot be read now.
    pub facts: Option<LoopFacts>,
    /// What it calls done and what of that is proven; none where nothing is claimed or there is no check.
    pub claims: Option<ClaimCounts>,
    /// What our runs of it add up to; `None` when Loopdeck never ran it.
    pub runs: Option<RunFacts>,
}

/// A report in every format, from one reading of the loops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct ReportTexts {
    /// One HTML file.
    pub html: String,
    /// Markdown.
    pub markdown: String,
}

/// What happened in a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopSummary {
    /// Its facts.
    #[serde(flatten)]
    pub report: LoopReport,
    /// Decisions, evidence, and open work.
    pub account: LoopAccount,
}
