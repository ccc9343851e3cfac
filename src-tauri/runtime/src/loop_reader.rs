//! Reading one loop for its page: the full state with companions, its documents, windows of its text.
//!
//! Runs on the caller's thread, apart from the owner; it only reads.

use crate::elsewhere::Elsewhere;
use crate::observe::catalog::{Catalog, Entry};
use crate::observe::companions::{self, text_files};
use crate::observe::reconcile;
use crate::observe::roots::Candidate;
use crate::store::journal::Version;
use crate::views::{
    DocumentKind, DocumentView, Failure, FailureKind, FollowUpLink, ListMarks, LoopNotes, LoopPage, LoopRow,
    PastChange, SourcePage, VersionPage, VersionView,
};
use loopdeck_core::checklist::Verdict;
use loopdeck_core::compare::compare;
use loopdeck_core::control::Control;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::aot::{Correction, Effects, drive};
use loopdeck_core::formats::ccw::check::lost_update::lost_updates;
use loopdeck_core::loops;
use loopdeck_core::past::Past;
use loopdeck_core::problem::{Problem, ProblemCode};
use loopdeck_core::recovery;
use loopdeck_core::refusal::Refusal;
use loopdeck_core::status::FileStatus;
use loopdeck_core::summary::Summary;
use loopdeck_core::timeline::entries;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_core::view::{Companion, CompanionKind, LoopDetail, TestRow};
use loopdeck_core::work_view::work_view;
use loopdeck_system::clock;
use loopdeck_system::files;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A loop's folders hold a handful of documents; a folder with more is cut.
const DOCUMENT_LIMIT: usize = 200;
const LINE_CHARS: usize = 2_000;
const PAGE_LINES: u32 = 2_000;

/// A loop found in the catalog, with its place.
pub(crate) struct LocatedLoop {
    pub(crate) entry: Entry,
    pub(crate) root: PathBuf,
    elsewhere: Option<Elsewhere>,
    last_good: Option<(Arc<[u8]>, Timestamp)>,
    parent: Option<FollowUpLink>,
    followed_by: Vec<FollowUpLink>,
    pub(crate) notes: LoopNotes,
    pub(crate) marks: ListMarks,
}

impl LocatedLoop {
    /// The loop named `key`.
    pub(crate) fn in_catalog(catalog: &Catalog, key: &str) -> Result<Self, Failure> {
        let entry = catalog.get(key).ok_or_else(|| Failure::new(FailureKind::UnknownLoop))?.clone();
        let workspace = catalog.workspace(&entry.workspace);
        let workspace = workspace.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))?;
        Ok(Self {
            root: workspace.path.clone(),
            elsewhere: workspace.elsewhere.clone(),
            last_good: catalog.last_good.get(key),
            parent: catalog.parent_of(key),
            followed_by: catalog.follow_ups_of(key),
            notes: catalog.notes.get(key).cloned().unwrap_or_default(),
            marks: catalog.marked.of(key),
            entry,
        })
    }

    fn row(&self, now: Timestamp) -> LoopRow {
        let mut row = self.entry.row(now);
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.limit_row(&mut row);
        }
        row
    }

    pub(crate) fn candidate(&self) -> &Candidate {
        &self.entry.candidate
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(self.candidate().on_disk())
    }

    /// Its current content; nothing when it was emptied.
    pub(crate) fn bytes_there(&self) -> Result<Vec<u8>, Failure> {
        let emptied = std::fs::symlink_metadata(self.path()).is_ok_and(|is| is.is_file() && is.len() == 0);
        if emptied { Ok(Vec::new()) } else { self.read().map(|(bytes, _)| bytes) }
    }

    /// Its content when it was last readable.
    pub(crate) fn last_good(&self) -> Option<Arc<[u8]>> {
        self.last_good.as_ref().map(|(bytes, _)| Arc::clone(bytes))
    }

    pub(crate) fn read(&self) -> Result<(Vec<u8>, Fingerprint), Failure> {
        read(&self.root, &self.path(), self.candidate().on_disk())
    }

    /// The page of this loop. A file that cannot be read shows its problems, over the last good version if there is one.
    pub(crate) fn page(&self) -> LoopPage {
        self.page_as_of().0
    }

    /// The same with the fingerprint of what it was read from; none when that is not the file as it is now.
    pub(crate) fn page_as_of(&self) -> (LoopPage, Option<Fingerprint>) {
        let now = clock::now();
        let (mut detail, last_good, stamp) = self.detail_as_of();
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.limit_page(&mut detail);
        }
        self.name_runner(&mut detail);
        let page = LoopPage {
            row: LoopRow { labels: self.notes.labels.clone(), marks: self.marks, ..self.row(now) },
            detail,
            parent: self.parent.clone(),
            followed_by: self.followed_by.clone(),
            documents: self.documents(),
            last_good,
            recoverable: self.elsewhere.is_none() && recovery::is_recoverable(&self.entry.summary),
            work_revision: None,
            work_later: None,
        };
        (page, stamp)
    }

    pub(crate) fn detail(&self) -> (LoopDetail, Option<f64>) {
        let (detail, last_good, _) = self.detail_as_of();
        (detail, last_good)
    }

    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    fn detail_as_of(&self) -> (LoopDetail, Option<f64>, Option<Fingerprint>) {
        let there = self.read().ok();
        let stamp = there.as_ref().map(|(_, stamp)| *stamp);
        let now_there = there.map(|(bytes, stamp)| self.detail_of(&bytes, stamp.modified()));
        if self.entry.summary.status != FileStatus::Unreadable && !self.entry.summary.is_without_file() {
            return (now_there.unwrap_or_else(|| self.problems_only()), None, stamp);
        }
        match &self.last_good {
            Some((bytes, modified)) => {
                // Nothing may be done on the strength of an old version.
                let LoopDetail { problems, repairs, steps, controls, .. } =
                    now_there.unwrap_or_else(|| self.problems_only());
                let good = self.detail_of(bytes, *modified);
                let by_layout = self.entry.summary.format.traits().layout_decides;
                let controls = if by_layout { controls } else { self.controls() };
                let metadata = loopdeck_core::control::Metadata::default();
                let mut detail = LoopDetail { problems, repairs, steps, controls, metadata, ..good };
                // The graph tells of these problems too.
                detail.work = work_view(&detail);
                (detail, Some((*modified).number()), None)
            }
            None => (now_there.unwrap_or_else(|| self.problems_only()), None, stamp),
        }
    }

    fn detail_of(&self, bytes: &[u8], modified: Timestamp) -> LoopDetail {
        let format = self.entry.summary.format;
        let beside = companions::companions(&self.root, self.candidate());
        let mut detail = self.detail_with(format, bytes, modified, &beside);
        if let Some(ahead) = &self.entry.ahead {
            detail.problems.extend(lost_updates(format, ahead, bytes));
        }
        if let Some(files) = &self.entry.unfinished {
            detail.problems.push(Problem::new(ProblemCode::W13_unfinished_change, "").with("files", files));
        }
        detail.problems.extend(self.entry.undone.clone());
        if self.entry.ahead.is_some() || self.entry.unfinished.is_some() || self.entry.undone.is_some() {
            detail.problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
        }
        if let Some(found) = &self.entry.verified {
            if found.verdict == Verdict::Pass {
                detail.problems.retain(|problem| problem.code != ProblemCode::V17_not_verified);
            }
            if drive::is_current(bytes, found) {
                drive::add_results(&mut detail, found);
            }
        }
        self.without_our_orphans(&mut detail);
        detail
    }

    /// A task that a run of ours left unfinished is not an orphan: Loopdeck's own resume continues it first.
    fn without_our_orphans(&self, detail: &mut LoopDetail) {
        let paused = self.entry.summary.status == FileStatus::Paused;
        if !paused || !self.entry.work.after_foreign_change(self.entry.foreign_change).drives {
            return;
        }
        detail.problems.retain(|problem| problem.code != ProblemCode::W11_orphaned_task);
        detail.repairs.retain(|repair| repair.ends != [ProblemCode::W11_orphaned_task]);
    }

    fn detail_with(
        &self,
        format: Format,
        bytes: &[u8],
        modified: Timestamp,
        beside: &[Companion],
    ) -> LoopDetail {
        let now = clock::now();
        let facts = FileFacts { stem: self.candidate().stem(), modified, now };
        loops::detail(format, bytes, &facts, &self.entry.situation(now), beside)
    }

    /// What a change of direction would do to what the file says now.
    pub(crate) fn effects(&self, change: &Correction) -> Result<Effects, Failure> {
        let (bytes, stamp) = self.read()?;
        let stem = self.candidate().stem();
        let facts = FileFacts { stem, modified: stamp.modified(), now: clock::now() };
        Ok(loops::effects(self.entry.summary.format, &bytes, &facts, change)?)
    }

    /// Whether the journal should be asked for what this loop said last, because its file is damaged or gone.
    pub(crate) fn misses_good(&self) -> bool {
        let is_lost =
            self.entry.summary.status == FileStatus::Unreadable || self.entry.summary.is_without_file();
        is_lost && self.last_good.is_none()
    }

    /// The loop as `version` has it. Its companions are not kept, and nothing may be done on the strength of it.
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub(crate) fn as_then(&self, version: &Version, bytes: &[u8]) -> VersionPage {
        let facts = FileFacts { stem: self.candidate().stem(), modified: version.at, now: clock::now() };
        // Of what is no loop, only the text is shown.
        let summary = loops::summary(self.candidate().place, bytes, &facts)
            .unwrap_or_else(|| self.entry.summary.clone());
        let format = summary.format;
        let then = self.without_companions(format, bytes, version.at);
        let metadata = loopdeck_core::control::Metadata::default();
        let (controls, repairs, steps) = (Vec::new(), Vec::new(), Vec::new());
        let detail = LoopDetail { controls, repairs, steps, metadata, ..then };
        let since = compare(&self.without_companions(format, bytes, version.at), &self.plain_detail());
        let timeline = entries(&detail, &Past::default());
        VersionPage {
            id: crate::store::history::number(version.id),
            at: version.at.number(),
            row: self.row_then(version.at, summary),
            detail,
            since,
            timeline,
        }
    }

    /// The row of this loop as a file with `summary` alone tells it, in the moment in which it was written.
    fn row_then(&self, at: Timestamp, summary: Summary) -> LoopRow {
        let now = &self.entry;
        let mut then = Entry::new(Arc::clone(&now.workspace), now.candidate.clone(), None, summary, at);
        then.shown = then.shown_at(at, TimeDelta::zero());
        LoopRow { primary: None, verbs: Vec::new(), ..then.row(at) }
    }

    /// As the file alone says it: versions are compared without companions, which are not kept.
    pub(crate) fn without_companions(&self, format: Format, bytes: &[u8], modified: Timestamp) -> LoopDetail {
        self.detail_with(format, bytes, modified, &[])
    }

    fn plain_detail(&self) -> LoopDetail {
        let there = self.read().ok();
        let format = self.entry.summary.format;
        there.map(|(bytes, at)| self.without_companions(format, &bytes, at.modified())).unwrap_or_default()
    }

    /// What each of `versions` (newest first) changed against the one before it; the oldest has nothing to compare with.
    pub(crate) fn past_changes(&self, versions: &[(VersionView, Vec<u8>)]) -> Vec<PastChange> {
        let format = self.entry.summary.format;
        let details: Vec<LoopDetail> = versions
            .iter()
            .map(|(version, bytes)| {
                self.without_companions(format, bytes, Timestamp::from_number(version.at))
            })
            .collect();
        changes_between(versions, &details)
    }

    /// The text that alone has the hypotheses of this loop, below the workspace.
    pub(crate) fn debug_file(&self) -> Option<String> {
        let alone = self.entry.summary.format.traits().has_debug_text;
        let beside = companions::of_kinds(&self.root, self.candidate(), &[CompanionKind::DebugDoc]);
        let file = &beside.first().filter(|_| alone)?.file;
        Some(crate::store::companion_writes::below_folder(self.candidate(), file))
    }

    /// What each of `versions` of that text (newest first) changed about hypotheses; the oldest brought what it has.
    pub(crate) fn hypothesis_changes(&self, versions: &[(VersionView, Vec<u8>)]) -> Vec<PastChange> {
        let Ok((state, stamp)) = self.read() else { return Vec::new() };
        let format = self.entry.summary.format;
        let debug = |bytes: &Vec<u8>| {
            let (kind, file) = (CompanionKind::DebugDoc, String::new());
            let beside = [Companion { kind, file, bytes: bytes.clone(), cut: false }];
            let debug = self.detail_with(format, &state, stamp.modified(), &beside).debug;
            LoopDetail { debug, ..LoopDetail::default() }
        };
        let mut details: Vec<LoopDetail> = versions.iter().map(|(_, bytes)| debug(bytes)).collect();
        details.push(LoopDetail::default());
        changes_between(versions, &details)
    }

    fn problems_only(&self) -> LoopDetail {
        let problems = self.entry.summary.problems.clone();
        LoopDetail { problems, controls: self.controls(), ..LoopDetail::default() }
    }

    /// Verbs with their sentences and reasons.
    pub(crate) fn controls(&self) -> Vec<Control> {
        let now = clock::now();
        let modified = self.entry.stamp.map_or(now, Fingerprint::modified);
        let facts = FileFacts { stem: self.candidate().stem(), modified, now };
        loops::controls(&self.entry.summary, &facts, &self.entry.situation(now))
    }

    /// The same, with what the layout of the file adds to them.
    pub(crate) fn controls_now(&self) -> Vec<Control> {
        let by_layout = self.entry.summary.format.traits().layout_decides;
        let mut controls = if by_layout { self.detail().0.controls } else { self.controls() };
        self.name_runner_in(controls.iter_mut().map(|control| &mut control.refusal));
        controls
    }

    /// What is refused because another Loopdeck runs the loop says which.
    fn name_runner(&self, detail: &mut LoopDetail) {
        let LoopDetail { controls, repairs, steps, .. } = detail;
        self.name_runner_in(
            controls
                .iter_mut()
                .map(|control| &mut control.refusal)
                .chain(repairs.iter_mut().map(|repair| &mut repair.refusal))
                .chain(steps.iter_mut().map(|step| &mut step.refusal)),
        );
    }

    fn name_runner_in<'r>(&self, refusals: impl Iterator<Item = &'r mut Option<Refusal>>) {
        let Some(runner) = &self.entry.runner else { return };
        for refusal in refusals {
            *refusal = refusal.take().map(|refusal| refusal.beside(runner.program));
        }
    }

    /// Single tests of every run, oldest run first.
    pub(crate) fn test_runs(&self) -> Result<Vec<Vec<TestRow>>, Failure> {
        let (bytes, _) = self.read()?;
        let beside = companions::of_kinds(&self.root, self.candidate(), &loops::TESTS_BESIDE);
        Ok(loops::test_runs(self.entry.summary.format, &bytes, &beside))
    }

    /// Lines of the state file itself.
    pub(crate) fn source(&self, first: u32, count: u32) -> Result<SourcePage, Failure> {
        let (bytes, _) = self.read()?;
        Ok(lines(self.candidate().on_disk(), &bytes, first, count))
    }

    /// Lines of a document next to the loop; `name` must be one of [`LocatedLoop::documents`].
    pub(crate) fn document(&self, name: &str, first: u32, count: u32) -> Result<SourcePage, Failure> {
        let file = self.document_file(name)?;
        let (bytes, _) = read(&self.root, &self.root.join(&file), &file)?;
        Ok(lines(&file, &bytes, first, count))
    }

    /// The place of a document below the workspace; its name is looked up, never joined to a path.
    pub(crate) fn document_file(&self, name: &str) -> Result<String, Failure> {
        let found = self.documents().into_iter().find(|document| document.name == name);
        let found = found.ok_or_else(|| Failure::new(FailureKind::Unreadable).with("path", name))?;
        Ok(found.file)
    }

    /// Text files next to the loop, by name.
    #[allow(clippy::cast_precision_loss)] // sizes and times are exact in f64
    pub(crate) fn documents(&self) -> Vec<DocumentView> {
        let mut found: Vec<DocumentView> = Vec::new();
        for folder in reconcile::companion_folders(&self.root, self.candidate()) {
            for (name, path) in text_files(&folder) {
                let Ok(stamp) = Fingerprint::at(&path) else { continue };
                let file =
                    path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                let (size, changed) = (stamp.size as f64, stamp.modified().number());
                let kind = DocumentKind::from_name(&name);
                found.push(DocumentView { name, kind, file, size, changed });
            }
        }
        found.truncate(DOCUMENT_LIMIT);
        found
    }
}

/// What each of `versions` (newest first) changed, where `details` are what they say: against the one before it.
fn changes_between(versions: &[(VersionView, Vec<u8>)], details: &[LoopDetail]) -> Vec<PastChange> {
    let pairs = versions.iter().zip(details.iter().zip(details.iter().skip(1)));
    let change = |((version, _), (after, before)): (&(VersionView, _), (&LoopDetail, &LoopDetail))| {
        let VersionView { id, at, who, cause, .. } = *version;
        PastChange { id, at, who, cause, changes: compare(before, after) }
    };
    pairs.map(change).filter(|change| !change.changes.is_empty()).collect()
}

fn read(root: &Path, path: &Path, shown: &str) -> Result<(Vec<u8>, Fingerprint), Failure> {
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

/// Whether a text is one JSON object a line, as far as its first twenty tell. A line that is shown cut is none.
fn is_log(text: &str) -> bool {
    let is_object = |line: &&str| {
        line.len() <= LINE_CHARS && Node::parse(line.as_bytes()).is_ok_and(|node| node.is_object())
    };
    let some: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(20).collect();
    !some.is_empty() && some.iter().filter(|line| is_object(line)).count() * 2 >= some.len()
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
        log: is_log(&text),
        size: bytes.len() as f64,
        lossy: matches!(text, std::borrow::Cow::Owned(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_known_by_its_first_lines() {
        let many = "{\"a\":1}\n".repeat(20) + &"plain\n".repeat(100);
        let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(LINE_CHARS));
        let table = [
            ("{\"a\":1}\n{\"b\":2}\n", true),
            ("\n  {\"a\":1}\nplain\n", true),
            ("{\"a\":1}\nplain\nplain\n", false),
            ("{\n  \"a\": 1\n}\n", false),
            ("[1]\n\"x\"\n", false),
            ("", false),
            (&many, true),
            (&long, false),
        ];
        for (text, expected) in table {
            assert_eq!(lines("x", text.as_bytes(), 1, 10).log, expected, "{text:.40}");
        }
    }

    #[test]
    fn markdown_is_known_by_its_name() {
        let names = ["develop.md", "NOTES.MD", "debug.log", "md", "a.md.json"];
        assert_eq!(
            names.map(|name| DocumentKind::from_name(name) == DocumentKind::Markdown),
            [true, true, false, false, false]
        );
    }
}
