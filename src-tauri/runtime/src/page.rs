//! Reading one loop for its page: the full state with companions, its documents, windows of its text.
//!
//! Runs on the asker's thread, beside the owner; it only reads.

use crate::catalog::{Catalog, Entry};
use crate::clock;
use crate::files;
use crate::journal::Version;
use crate::roots::Candidate;
use crate::rows::{DocumentView, Failure, FailureKind, LoopPage, SourcePage, TestPage, VersionPage};
use crate::stamp::Stamp;
use crate::sweep;
use loopdeck_core::control::Control;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::problem::shorten;
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::Millis;
use loopdeck_core::view::{Companion, CompanionKind, LoopDetail};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Companions above this size are documents to page through, not state to show.
const COMPANION_LIMIT: u64 = 4 << 20;
/// A loop's folders hold a handful of documents; a folder with more is cut.
const DOCUMENT_LIMIT: usize = 200;
const LINE_CHARS: usize = 2_000;
const PAGE_LINES: u32 = 2_000;

/// A loop found in the catalog, with where it lies.
pub(crate) struct Found {
    pub(crate) entry: Entry,
    pub(crate) root: PathBuf,
    last_good: Option<(Arc<[u8]>, Millis)>,
}

impl Found {
    /// The loop named `key`.
    pub(crate) fn in_catalog(catalog: &Catalog, key: &str) -> Result<Self, Failure> {
        let entry = catalog.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?.clone();
        let workspace = catalog.workspace(&entry.workspace);
        let workspace = workspace.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))?;
        Ok(Self { root: workspace.path.clone(), last_good: catalog.last_good.get(key), entry })
    }

    pub(crate) fn candidate(&self) -> &Candidate {
        &self.entry.candidate
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(&self.candidate().file)
    }

    /// What stands there now; nothing when it was emptied.
    pub(crate) fn bytes_there(&self) -> Result<Vec<u8>, Failure> {
        let emptied = std::fs::symlink_metadata(self.path()).is_ok_and(|is| is.is_file() && is.len() == 0);
        if emptied { Ok(Vec::new()) } else { self.read().map(|(bytes, _)| bytes) }
    }

    /// What it said when it could be read last.
    pub(crate) fn last_good(&self) -> Option<Arc<[u8]>> {
        self.last_good.as_ref().map(|(bytes, _)| Arc::clone(bytes))
    }

    fn read(&self) -> Result<(Vec<u8>, Stamp), Failure> {
        read(&self.root, &self.path(), &self.candidate().file)
    }

    /// The page of this loop. A file that cannot be read shows its problems, over the last good version if there is one.
    pub(crate) fn page(&self) -> LoopPage {
        let now = clock::now();
        let (detail, last_good) = self.detail();
        LoopPage { row: self.entry.row(now), detail, documents: self.documents(), last_good }
    }

    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    fn detail(&self) -> (LoopDetail, Option<f64>) {
        let now_there = self.read().ok().map(|(bytes, stamp)| self.detail_of(&bytes, stamp.modified_ms()));
        if self.entry.summary.status != FileStatus::Unreadable {
            return (now_there.unwrap_or_else(|| self.problems_only()), None);
        }
        match &self.last_good {
            Some((bytes, modified)) => {
                // Nothing may be done on the strength of an old version.
                let LoopDetail { problems, repairs, steps, .. } =
                    now_there.unwrap_or_else(|| self.problems_only());
                let (good, controls) = (self.detail_of(bytes, *modified), self.controls());
                let metadata = loopdeck_core::control::Metadata::default();
                let detail = LoopDetail { problems, repairs, steps, controls, metadata, ..good };
                (detail, Some(*modified as f64))
            }
            None => (now_there.unwrap_or_else(|| self.problems_only()), None),
        }
    }

    fn detail_of(&self, bytes: &[u8], modified: Millis) -> LoopDetail {
        self.detail_with(self.entry.summary.format, bytes, modified, &self.companions())
    }

    fn detail_with(
        &self,
        format: Format,
        bytes: &[u8],
        modified: Millis,
        beside: &[Companion],
    ) -> LoopDetail {
        let now = clock::now();
        let facts = FileFacts { stem: self.candidate().stem(), modified, now };
        loops::detail(format, bytes, &facts, &self.entry.situation(now), beside)
    }

    /// Whether the journal should be asked for what this damaged loop said last.
    pub(crate) fn misses_good(&self) -> bool {
        self.entry.summary.status == FileStatus::Unreadable && self.last_good.is_none()
    }

    /// The loop as `version` has it. Its companions are not kept, and nothing may be done on the strength of it.
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub(crate) fn as_then(&self, version: &Version, bytes: &[u8]) -> VersionPage {
        let facts = FileFacts { stem: self.candidate().stem(), modified: version.at, now: clock::now() };
        let summary = loops::summary(self.candidate().place, bytes, &facts);
        let format = summary.map_or(self.entry.summary.format, |summary| summary.format);
        let then = self.detail_with(format, bytes, version.at, &[]);
        let metadata = loopdeck_core::control::Metadata::default();
        let (repairs, steps) = (Vec::new(), Vec::new());
        let detail = LoopDetail { controls: Vec::new(), repairs, steps, metadata, ..then };
        VersionPage { id: crate::past::number(version.id), at: version.at as f64, detail }
    }

    fn problems_only(&self) -> LoopDetail {
        let problems = self.entry.summary.problems.clone();
        LoopDetail { problems, controls: self.controls(), ..LoopDetail::default() }
    }

    /// Verbs with their sentences and reasons.
    pub(crate) fn controls(&self) -> Vec<Control> {
        let now = clock::now();
        let modified = self.entry.stamp.map_or(now, Stamp::modified_ms);
        let facts = FileFacts { stem: self.candidate().stem(), modified, now };
        loops::controls(&self.entry.summary, &facts, &self.entry.situation(now))
    }

    /// Rows of one run.
    pub(crate) fn test_rows(&self, run: u32, offset: u32, limit: u32) -> Result<TestPage, Failure> {
        let (bytes, _) = self.read()?;
        let rows = loops::test_rows(self.entry.summary.format, &bytes, run as usize);
        let total = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let rows = rows.into_iter().skip(offset as usize).take(limit.min(500) as usize).collect();
        Ok(TestPage { total, offset, rows })
    }

    /// Lines of the state file itself.
    pub(crate) fn source(&self, first: u32, count: u32) -> Result<SourcePage, Failure> {
        let (bytes, _) = self.read()?;
        Ok(lines(&self.candidate().file, &bytes, first, count))
    }

    /// Lines of a document beside the loop; `name` must be one of [`Found::documents`].
    pub(crate) fn document(&self, name: &str, first: u32, count: u32) -> Result<SourcePage, Failure> {
        let documents = self.documents();
        let document = documents.iter().find(|document| document.name == name);
        let document = document.ok_or_else(|| Failure::new(FailureKind::Unreadable).with("path", name))?;
        let (bytes, _) = read(&self.root, &self.root.join(&document.file), &document.file)?;
        Ok(lines(&document.file, &bytes, first, count))
    }

    /// Text files beside the loop, by name.
    #[allow(clippy::cast_precision_loss)] // sizes and times are exact in f64
    pub(crate) fn documents(&self) -> Vec<DocumentView> {
        let mut found: Vec<DocumentView> = Vec::new();
        for folder in sweep::companion_folders(&self.root, self.candidate()) {
            for (name, path) in text_files(&folder) {
                let Ok(stamp) = Stamp::at(&path) else { continue };
                let file =
                    path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                let (size, changed) = (stamp.size as f64, stamp.modified_ms() as f64);
                found.push(DocumentView { name, file, size, changed });
            }
        }
        found.truncate(DOCUMENT_LIMIT);
        found
    }

    /// Companions that the full read looks at.
    pub(crate) fn companions(&self) -> Vec<Companion> {
        let candidate = self.candidate();
        if candidate.place == Place::AotFile {
            return Vec::new();
        }
        let stem = candidate.stem();
        let folder = candidate.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (progress, own) = match candidate.place {
            Place::LegacyState => (vec!["debug", "validate"], ""),
            Place::CcwFile | Place::AotFile => (vec![".progress"], stem),
        };
        let mut wanted = vec![(CompanionKind::TaskList, format!("{folder}/{stem}.tasks.jsonl"))];
        wanted.push((CompanionKind::TaskList, format!("{folder}/{stem}/tasks.jsonl")));
        for part in progress {
            let dir =
                if own.is_empty() { format!("{folder}/{part}") } else { format!("{folder}/{own}{part}") };
            wanted.push((CompanionKind::Hypotheses, format!("{dir}/hypotheses.json")));
            wanted.push((CompanionKind::TestResults, format!("{dir}/test-results.json")));
            wanted.push((CompanionKind::Coverage, format!("{dir}/coverage.json")));
        }
        let workers = format!("{folder}/{stem}.workers");
        for (name, _) in text_files(&self.root.join(&workers)) {
            if name.ends_with(".output.json") {
                wanted.push((CompanionKind::WorkerOutput, format!("{workers}/{name}")));
            }
        }
        wanted.into_iter().filter_map(|(kind, file)| self.companion(kind, &file, folder)).collect()
    }

    fn companion(&self, kind: CompanionKind, file: &str, folder: &str) -> Option<Companion> {
        let path = self.root.join(file);
        let parent = path.parent()?;
        if !files::lies_within(&self.root, parent) || path.metadata().ok()?.len() > COMPANION_LIMIT {
            return None;
        }
        let (bytes, _) = read(&self.root, &path, file).ok()?;
        let below_root = file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/').to_owned();
        Some(Companion { kind, file: below_root, bytes })
    }
}

fn read(root: &Path, path: &Path, shown: &str) -> Result<(Vec<u8>, Stamp), Failure> {
    let mut bytes = Vec::new();
    let mut last = None;
    // A writer may be at work: a few tries, then what is wrong.
    for _ in 0..3 {
        match files::read(root, path, &mut bytes) {
            Ok(stamp) => return Ok((bytes, stamp)),
            Err(fault) => last = Some(fault),
        }
    }
    let reason = last.map(|fault| fault.code.name().to_owned()).unwrap_or_default();
    Err(Failure::new(FailureKind::Unreadable).with("path", shown).with("reason", reason))
}

/// Text documents of a folder, sorted by name; links and other things are left out.
fn text_files(folder: &Path) -> Vec<(String, PathBuf)> {
    const ENDINGS: [&str; 6] = [".md", ".log", ".json", ".jsonl", ".txt", ".yaml"];
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(String, PathBuf)> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| ENDINGS.iter().any(|ending| name.ends_with(ending)))
        .collect();
    found.sort();
    found
}

#[allow(clippy::cast_precision_loss)] // sizes are exact in f64
pub(crate) fn lines(file: &str, bytes: &[u8], first: u32, count: u32) -> SourcePage {
    let text = String::from_utf8_lossy(bytes);
    let first = first.max(1);
    let wanted = text.lines().skip(first as usize - 1).take(count.min(PAGE_LINES) as usize);
    SourcePage {
        file: file.to_owned(),
        first,
        lines: wanted.map(|line| shorten(line, LINE_CHARS)).collect(),
        total: u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
        size: bytes.len() as f64,
        lossy: matches!(text, std::borrow::Cow::Owned(_)),
    }
}
