//! What a loop claims, compared with its evidence and with what its folder holds now.

use super::{Evidence, EvidenceCheck, EvidenceFault, EvidenceItem, EvidenceRecord, flaky};
use crate::checklist::{self, CheckType, ItemKind, TestsRan, Verdict};
use crate::referee::claims_of;
use crate::view::{AtomState, ChecklistRow, LoopDetail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Characters of an item's text.
const LONGEST_TEXT: usize = 200;

/// What a loop says of its work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claimed {
    /// Items that it calls done.
    pub items: Vec<EvidenceItem>,
    /// It says that it is completed.
    pub completed: bool,
    /// The checks that it has to pass, where they are known; otherwise those that the evidence names.
    pub checks: Vec<ChecklistRow>,
}

impl Claimed {
    /// Whether it claims anything.
    #[must_use]
    pub fn is_something(&self) -> bool {
        self.completed || !self.items.is_empty()
    }
}

/// What `detail` claims; `completed`: its file says that the loop is completed.
#[must_use]
pub fn claimed(detail: &LoopDetail, completed: bool) -> Claimed {
    let tasks = claims_of(detail).into_iter().map(|claim| EvidenceItem { id: claim.id, text: claim.text });
    let atoms = detail.atoms.iter().filter(|atom| atom.state == AtomState::Resolved);
    let atoms = atoms.map(|atom| EvidenceItem {
        id: atom.id.clone(),
        text: loopdeck_text::shorten(&atom.description, LONGEST_TEXT),
    });
    Claimed { items: tasks.chain(atoms).collect(), completed, checks: detail.checklist.clone() }
}

/// How much a finding says against the claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSeverity {
    /// Something is not proven.
    Error,
    /// Worth a look.
    Warning,
    /// Good to know.
    Info,
}

/// What was found. Words: catalogue `headless.<code>` of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(non_camel_case_types)] // the code is its name
pub enum EvidenceCode {
    /// Something is claimed, and nothing was ever checked.
    EV1_no_evidence,
    /// A line was edited, or the one before it is missing.
    EV2_broken_chain,
    /// A line is no record of a known version.
    EV3_unreadable_line,
    /// A line is about another loop.
    EV4_other_loop,
    /// The newest result of a check is about another content.
    EV5_other_content,
    /// A check does not pass.
    EV6_not_passed,
    /// An item is called done that no check has seen at this content.
    EV7_item_unproven,
    /// A line says that a check passed, and its own figures say otherwise.
    EV8_contradicts_itself,
    /// A check passes whatever the work is.
    EV9_always_passes,
    /// What the folder holds is not known.
    EV10_content_unknown,
    /// A check of the loop has no result.
    EV11_never_checked,
    /// A command that was run now says something else than the evidence.
    EV12_says_otherwise_now,
    /// A check passed and failed on the same content.
    EV13_flaky,
    /// A person accepts the work as it is.
    EV14_accepted,
    /// How many tests the newest result of a check counts.
    EV15_tests_counted,
    /// A command that was run now ran fewer tests than the evidence counts.
    EV16_fewer_tests,
}

impl EvidenceCode {
    /// How much it says against the claims.
    #[must_use]
    pub fn severity(self) -> EvidenceSeverity {
        match self {
            Self::EV13_flaky => EvidenceSeverity::Warning,
            Self::EV14_accepted | Self::EV15_tests_counted => EvidenceSeverity::Info,
            _ => EvidenceSeverity::Error,
        }
    }
}

/// One difference between claims, evidence and the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceFinding {
    /// Which.
    pub code: EvidenceCode,
    /// Line of the evidence, from 1; `None` when it is about none.
    pub line: Option<u32>,
    /// Values of its sentence. Untrusted texts.
    pub args: BTreeMap<&'static str, String>,
}

impl EvidenceFinding {
    fn new(code: EvidenceCode, line: Option<u32>) -> Self {
        Self { code, line, args: BTreeMap::new() }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.args.insert(name, value.into());
        self
    }

    fn of(self, check: &EvidenceCheck) -> Self {
        // One without a value is named by its kind.
        self.with("check", if check.value.is_empty() { &check.kind } else { &check.value })
    }
}

/// What is not proven of the claims of the loop in `file`, at this `content` of its folder. `now`: results of commands that were run just
/// now. Empty, or without an error, when all that is claimed is proven.
#[must_use]
pub fn judge(
    evidence: &Evidence,
    claimed: &Claimed,
    file: &str,
    content: Option<&str>,
    now: &[EvidenceRecord],
) -> Vec<EvidenceFinding> {
    let mut found = faults(evidence, file);
    let own: Vec<(Option<u32>, &EvidenceRecord)> = evidence
        .records
        .iter()
        .filter(|(_, record)| record.file == file)
        .map(|(line, record)| (Some(*line), record))
        .collect();
    for (line, record) in &own {
        found.extend(
            contradiction(record).then(|| EvidenceFinding::new(EvidenceCode::EV8_contradicts_itself, *line)),
        );
    }
    if !claimed.is_something() {
        return found;
    }
    if own.is_empty() && now.is_empty() {
        found.push(EvidenceFinding::new(EvidenceCode::EV1_no_evidence, None));
        return found;
    }
    let Some(content) = content else {
        found.push(EvidenceFinding::new(EvidenceCode::EV10_content_unknown, None));
        return found;
    };
    let history: Vec<(Option<u32>, &EvidenceRecord)> =
        own.iter().copied().chain(now.iter().map(|record| (None, record))).collect();
    let bench = Bench { claimed, content, history, stays: own };
    found.extend(bench.findings(now));
    found
}

/// Lines that are not as they were written, or about something else.
fn faults(evidence: &Evidence, file: &str) -> Vec<EvidenceFinding> {
    let code = |fault| match fault {
        EvidenceFault::Broken => EvidenceCode::EV2_broken_chain,
        EvidenceFault::Unreadable => EvidenceCode::EV3_unreadable_line,
    };
    let faults = evidence.faults.iter().map(|(line, fault)| EvidenceFinding::new(code(*fault), Some(*line)));
    let foreign = evidence.records.iter().filter(|(_, record)| record.file != file).map(|(line, record)| {
        EvidenceFinding::new(EvidenceCode::EV4_other_loop, Some(*line)).with("file", &record.file)
    });
    faults.chain(foreign).collect()
}

/// Whether a record says that a check passed and its own figures say otherwise.
fn contradiction(record: &EvidenceRecord) -> bool {
    let Some(check) = record.check.as_ref().filter(|_| record.verdict == Verdict::Pass) else { return false };
    let failed = record.tests.is_some_and(|tests| tests.failed > 0);
    match check.check_type() {
        CheckType::Command => failed || record.exit_code != Some(0),
        CheckType::NotCommand => record.exit_code == Some(0),
        _ => false,
    }
}

/// The claims of one loop before its evidence.
struct Bench<'e> {
    claimed: &'e Claimed,
    content: &'e str,
    /// All results, the oldest first.
    history: Vec<(Option<u32>, &'e EvidenceRecord)>,
    /// Those of the file.
    stays: Vec<(Option<u32>, &'e EvidenceRecord)>,
}

impl<'e> Bench<'e> {
    fn findings(&self, now: &[EvidenceRecord]) -> Vec<EvidenceFinding> {
        let mut found = self.acceptances();
        let accepted = self.accepted_items();
        let is_accepted = found.iter().any(|one| one.code == EvidenceCode::EV14_accepted)
            && (accepted.is_empty() || self.claimed.items.iter().all(|item| accepted.contains(&item)));
        found.extend(self.changed_now(now));
        found.extend(self.fewer_now(now));
        for flaky in flaky(self.history.iter().map(|(_, record)| *record)) {
            found.push(EvidenceFinding::new(EvidenceCode::EV13_flaky, None).of(&flaky.check));
        }
        let checks = self.checks();
        for check in &checks {
            if always_passes(check) {
                found.push(EvidenceFinding::new(EvidenceCode::EV9_always_passes, None).of(check));
            }
        }
        found.extend(self.counted_tests(&checks));
        if !is_accepted {
            found.extend(self.unproven_checks(&checks));
            found.extend(self.unproven_items(&checks, &accepted));
        }
        found
    }

    /// The checks that decide, each once.
    fn checks(&self) -> Vec<EvidenceCheck> {
        let mut checks: Vec<EvidenceCheck> = Vec::new();
        let known = self.claimed.checks.iter().filter(|row| row.kind == ItemKind::Check).filter_map(check_of);
        let named = || self.history.iter().filter_map(|(_, record)| record.check.clone());
        let all: Vec<EvidenceCheck> =
            if self.claimed.checks.is_empty() { named().collect() } else { known.collect() };
        for check in all {
            if !checks.contains(&check) {
                checks.push(check);
            }
        }
        checks
    }

    /// The newest result of a check at this content.
    fn newest_here(&self, check: &EvidenceCheck) -> Option<(Option<u32>, &'e EvidenceRecord)> {
        let here = |(_, record): &&(Option<u32>, &EvidenceRecord)| {
            record.check.as_ref() == Some(check) && record.content.as_deref() == Some(self.content)
        };
        self.history.iter().rev().find(here).copied()
    }

    /// Checks without a passing result at this content. Of a list with alternatives, not all need one.
    fn unproven_checks(&self, checks: &[EvidenceCheck]) -> Vec<EvidenceFinding> {
        let verdict = |check: &EvidenceCheck| {
            let here = self.newest_here(check).filter(|(_, record)| !contradiction(record));
            here.map_or(Verdict::Unknown, |(_, record)| record.verdict)
        };
        let results: Vec<Verdict> = self
            .claimed
            .checks
            .iter()
            .map(|row| check_of(row).map_or(Verdict::Unknown, |check| verdict(&check)))
            .collect();
        if !results.is_empty() && checklist::verdict(&self.claimed.checks, &results) == Verdict::Pass {
            return Vec::new();
        }
        if checks.is_empty() {
            return vec![EvidenceFinding::new(EvidenceCode::EV1_no_evidence, None)];
        }
        checks
            .iter()
            .filter(|check| verdict(check) != Verdict::Pass)
            .filter_map(|check| self.why_unproven(check))
            .collect()
    }

    fn why_unproven(&self, check: &EvidenceCheck) -> Option<EvidenceFinding> {
        let of = |(_, record): &&(Option<u32>, &EvidenceRecord)| record.check.as_ref() == Some(check);
        match (self.newest_here(check), self.history.iter().rev().find(of)) {
            // That is told of the line already.
            (Some((_, record)), _) if contradiction(record) => None,
            (Some((line, _)), _) => Some(EvidenceFinding::new(EvidenceCode::EV6_not_passed, line).of(check)),
            (None, Some((line, record))) => {
                let other = EvidenceFinding::new(EvidenceCode::EV5_other_content, *line).of(check);
                Some(other.with("at", &record.at).with("commit", record.commit.as_deref().unwrap_or("–")))
            }
            (None, None) => Some(EvidenceFinding::new(EvidenceCode::EV11_never_checked, None).of(check)),
        }
    }

    /// Items that the passing results at this content do not name.
    fn unproven_items(&self, checks: &[EvidenceCheck], accepted: &[&EvidenceItem]) -> Vec<EvidenceFinding> {
        let newest: Vec<&EvidenceRecord> =
            checks.iter().filter_map(|check| self.newest_here(check)).map(|(_, record)| record).collect();
        // Without a result here, the checks themselves are what is missing.
        if newest.is_empty() {
            return Vec::new();
        }
        let is_seen = |item: &EvidenceItem| newest.iter().all(|record| record.items.contains(item));
        let unproven = self.claimed.items.iter().filter(|item| !is_seen(item) && !accepted.contains(item));
        unproven
            .map(|item| {
                let finding = EvidenceFinding::new(EvidenceCode::EV7_item_unproven, None);
                finding.with("item", &item.id).with("text", &item.text)
            })
            .collect()
    }

    fn accepting(&self) -> impl Iterator<Item = (Option<u32>, &'e EvidenceRecord)> {
        let content = self.content;
        self.stays.iter().copied().filter(move |(_, record)| {
            record.accepted.is_some() && record.content.as_deref() == Some(content)
        })
    }

    fn acceptances(&self) -> Vec<EvidenceFinding> {
        let told = |(line, record): (Option<u32>, &EvidenceRecord)| {
            let accepted = record.accepted.as_ref()?;
            let finding = EvidenceFinding::new(EvidenceCode::EV14_accepted, line);
            Some(finding.with("by", &accepted.by).with("why", &accepted.why))
        };
        self.accepting().filter_map(told).collect()
    }

    fn accepted_items(&self) -> Vec<&'e EvidenceItem> {
        self.accepting().flat_map(|(_, record)| &record.items).collect()
    }

    /// Commands that failed now and passed at this content before.
    fn changed_now(&self, now: &[EvidenceRecord]) -> Vec<EvidenceFinding> {
        let before = |check: &EvidenceCheck| {
            let here = |(_, record): &&(Option<u32>, &EvidenceRecord)| {
                record.check.as_ref() == Some(check) && record.content.as_deref() == Some(self.content)
            };
            self.stays.iter().rev().find(here).copied()
        };
        let changed = |record: &EvidenceRecord| {
            let check = record.check.as_ref().filter(|_| record.verdict != Verdict::Pass)?;
            let (line, _) = before(check).filter(|(_, known)| known.verdict == Verdict::Pass)?;
            Some(EvidenceFinding::new(EvidenceCode::EV12_says_otherwise_now, line).of(check))
        };
        now.iter().filter_map(changed).collect()
    }

    /// Commands that run fewer tests now than when they passed last, whatever the folder held then.
    fn fewer_now(&self, now: &[EvidenceRecord]) -> Vec<EvidenceFinding> {
        let fewer = |record: &EvidenceRecord| {
            let check = record.check.as_ref().filter(|_| record.verdict == Verdict::Pass)?;
            let passed = |(_, known): &&(Option<u32>, &EvidenceRecord)| {
                known.check.as_ref() == Some(check) && known.verdict == Verdict::Pass && known.tests.is_some()
            };
            let (line, known) = self.stays.iter().rev().find(passed)?;
            let [then, now] = [known.tests, record.tests].map(|tests| tests.map_or(0, TestsRan::ran));
            let finding = EvidenceFinding::new(EvidenceCode::EV16_fewer_tests, *line).of(check);
            (now < then).then(|| finding.with("then", then.to_string()).with("now", now.to_string()))
        };
        now.iter().filter_map(fewer).collect()
    }

    /// The tests of each check at this content.
    fn counted_tests(&self, checks: &[EvidenceCheck]) -> Vec<EvidenceFinding> {
        let counted = |check: &EvidenceCheck| {
            let (line, record) = self.newest_here(check)?;
            let TestsRan { passed, failed, skipped } = record.tests?;
            let finding = EvidenceFinding::new(EvidenceCode::EV15_tests_counted, line).of(check);
            let counts = [("passed", passed), ("failed", failed), ("skipped", skipped)];
            Some(
                counts
                    .into_iter()
                    .fold(finding, |finding, (name, count)| finding.with(name, count.to_string())),
            )
        };
        checks.iter().filter_map(counted).collect()
    }
}

/// A row of a completion check as evidence names it.
pub(super) fn check_of(row: &ChecklistRow) -> Option<EvidenceCheck> {
    let kind = match row.check_type? {
        CheckType::Command => "command",
        CheckType::NotCommand => "not_command",
        CheckType::File => "file",
        CheckType::NotFile => "not_file",
        CheckType::Assertion => "assertion",
        CheckType::Quality => "quality",
        CheckType::TestsKept => "tests_kept",
        CheckType::Coverage => "coverage",
        CheckType::Other => return None,
    };
    Some(EvidenceCheck { kind: kind.to_owned(), value: row.value.clone().unwrap_or_default() })
}

fn always_passes(check: &EvidenceCheck) -> bool {
    let row = ChecklistRow {
        kind: ItemKind::Check,
        check_type: Some(check.check_type()),
        value: Some(check.value.clone()),
        ..ChecklistRow::default()
    };
    checklist::always_passes(&row)
}
