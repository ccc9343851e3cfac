//! Whether what a loop claims is proven: its file, its evidence and its folder, compared.

use super::Runtime;
use crate::views::Failure;
use loopdeck_core::checklist::{CheckType, Verdict};
use loopdeck_core::evidence::{
    self as lines, Claimed, Evidence, EvidenceCheck, EvidenceFinding, EvidenceRecord, claimed, judge,
};
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::to_iso_seconds;
use loopdeck_execution::completion::test_run::usual_reports;
use loopdeck_execution::rows::{FormTry, TryKind};
use loopdeck_execution::{evidence, git};
use loopdeck_system::{clock, dirs};
use std::path::Path;

/// What became of a comparison.
#[derive(Debug)]
pub struct Verified {
    /// The file of the evidence, relative to the folder.
    pub evidence: String,
    /// How many items the loop calls done.
    pub claimed: usize,
    /// Its file says that it is completed.
    pub completed: bool,
    /// The hash of what its folder holds, or why that is not known.
    pub content: Result<String, Failure>,
    /// What speaks against the claims; without an error, all of them are proven.
    pub findings: Vec<EvidenceFinding>,
}

impl Runtime {
    /// Compares what the loop named `key` claims with its evidence and its folder; `rerun`: the checks of the evidence are made again, which
    /// runs their commands. Nothing is run on evidence that was written over.
    ///
    /// # Errors
    /// `UnknownLoop`; `Unreadable` for the evidence; with `rerun`, those of [`Runtime::try_command`].
    pub fn verify(&self, key: &str, rerun: bool) -> Result<Verified, Failure> {
        let found = self.find(key)?;
        let file = found.candidate().file.clone();
        let completed = found.entry.summary.status == FileStatus::Completed;
        let page = self.with_proof(&found, found.page());
        let claimed = claimed(&page.detail, completed);
        let read = evidence::read(&found.root, &file)?.unwrap_or_default();
        let content = self.content_of(&found.root, &file);
        let is_whole = read.faults.is_empty();
        let now = if rerun && is_whole && claimed.is_something() {
            self.run_again(key, (&found.root, &file), (&claimed, &read), content.as_ref().ok())?
        } else {
            Vec::new()
        };
        let findings = judge(&read, &claimed, &file, content.as_deref().ok(), &now);
        let evidence = lines::path_beside(&file);
        Ok(Verified { evidence, claimed: claimed.items.len(), completed, content, findings })
    }

    /// Adds results to the evidence next to the loop named `key`.
    ///
    /// # Errors
    /// `UnknownLoop`; `Disk` when they cannot be written; `Contended` when other programs write all the time.
    pub fn add_evidence(&self, key: &str, records: &[EvidenceRecord]) -> Result<(), Failure> {
        let found = self.find(key)?;
        evidence::add(&found.root, &found.candidate().file, records)
    }

    /// The hash of what a folder holds, without the loop in `file`.
    ///
    /// # Errors
    /// `Untrusted`; `RepositoryChanged`; `GitRefused` without a repository, or when git says so.
    pub fn content_of(&self, folder: &Path, file: &str) -> Result<String, Failure> {
        let repository = self.choices.repository(folder)?;
        git::content_hash(&repository, &[file]).map_err(|error| git::failure(folder, &error))
    }

    /// The newest form of each check that can be made again, made now.
    fn run_again(
        &self,
        key: &str,
        (root, file): (&Path, &str),
        (claimed, evidence): (&Claimed, &Evidence),
        content: Option<&String>,
    ) -> Result<Vec<EvidenceRecord>, Failure> {
        let mut checks: Vec<&EvidenceCheck> = Vec::new();
        let own = evidence.records.iter().filter(|(_, record)| record.file == file);
        for check in own.filter_map(|(_, record)| record.check.as_ref()) {
            if !checks.contains(&check) {
                checks.push(check);
            }
        }
        // What a command writes is there before it is looked at.
        checks.sort_by_key(|check| !matches!(check.check_type(), CheckType::Command | CheckType::NotCommand));
        let mut made = Vec::new();
        for check in checks {
            let Some(record) = self.made_again(root, key, check)? else { continue };
            let (file, items, content) = (file.to_owned(), claimed.items.clone(), content.cloned());
            made.push(EvidenceRecord { file, items, content, ..record });
        }
        Ok(made)
    }

    /// A check, made now; `None` for what is not made again: a person or a model is not asked again.
    fn made_again(
        &self,
        root: &Path,
        key: &str,
        check: &EvidenceCheck,
    ) -> Result<Option<EvidenceRecord>, Failure> {
        let kind = match check.check_type() {
            // As the tests of a loop: they may take longer than other checks, and their results are counted.
            CheckType::Command => TryKind::Tests,
            CheckType::NotCommand => TryKind::NotCommand,
            CheckType::File => TryKind::File,
            CheckType::NotFile => TryKind::NotFile,
            CheckType::Coverage => TryKind::Coverage,
            CheckType::TestsKept => return self.tests_kept_again(key, check),
            CheckType::Assertion | CheckType::Quality | CheckType::Other => return Ok(None),
        };
        let wanted = FormTry {
            id: "verify".to_owned(),
            folder: dirs::shown(root),
            command: check.value.clone(),
            kind,
            results: usual_reports(),
        };
        let tried = self.try_command(&wanted)?;
        let verdict = tried
            .passes
            .map_or(Verdict::Unknown, |passes| if passes { Verdict::Pass } else { Verdict::Fail });
        let made = EvidenceRecord { exit_code: tried.code, tests: tried.tests, ..record_of(check, verdict) };
        Ok(Some(made))
    }

    /// Whether tests are weakened now; `None` where it is not known in which commit the loop began: only the machine that ran it knows.
    fn tests_kept_again(&self, key: &str, check: &EvidenceCheck) -> Result<Option<EvidenceRecord>, Failure> {
        if self.began(key)?.is_none_or(|began| began.commit.is_none()) {
            return Ok(None);
        }
        let tests = self.weakened_tests(key)?;
        let verdict = match (tests.found.is_empty(), tests.is_whole) {
            (false, _) => Verdict::Fail,
            (true, true) => Verdict::Pass,
            (true, false) => Verdict::Unknown,
        };
        Ok(Some(record_of(check, verdict)))
    }
}

fn record_of(check: &EvidenceCheck, verdict: Verdict) -> EvidenceRecord {
    EvidenceRecord {
        v: lines::VERSION,
        check: Some(check.clone()),
        verdict,
        at: to_iso_seconds(clock::now()),
        ..EvidenceRecord::default()
    }
}
