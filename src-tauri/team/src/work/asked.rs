//! Jobs that this machine asked for, a folder each, from the moment they are asked until the person forgets them.

use crate::message::is_id;
use crate::our_files::{entries, read_json, write_json};
use crate::seat::Seat;
use crate::work::job::{IfGone, Job, Target};
use crate::work::report::{Report, SentCommit, Stage};
use loopdeck_core::times::Timestamp;
use loopdeck_system::failure::{Failure, FailureKind};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::path::PathBuf;

/// The file of a job in its folder.
const FILE: &str = "job.json";

/// How far a job is. Words: catalogue `remote_run.<stage>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum JobStage {
    /// Kept here until there is a connection.
    Waiting,
    /// On the server; no machine has taken it yet.
    Queued,
    /// A machine works on it.
    Running,
    /// It ended.
    Ended,
    /// No machine is to run it.
    Refused,
    /// Its machine is gone, and nobody was to continue.
    Interrupted,
    /// No longer wanted.
    Withdrawn,
}

/// A job as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskedJob {
    pub(crate) job: Job,
    /// Where it was asked for: the repository of the result.
    pub(crate) folder: PathBuf,
    pub(crate) stage: JobStage,
    /// Who has it, or had it last.
    pub(crate) seat: Option<Seat>,
    /// The fencing token of the last report.
    pub(crate) fence: u64,
    /// When it came to be at this stage, ms since 1970 UTC.
    pub(crate) since: i64,
    /// The share that has its loop.
    pub(crate) share: Option<String>,
    /// The word that the loop shows.
    pub(crate) word: Option<String>,
    /// Why it was refused.
    pub(crate) why: Option<String>,
    /// What a failure said besides its kind.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// Nodes that did not take it from the queue, and why.
    #[serde(default)]
    pub(crate) passed: Vec<PassedBy>,
    pub(crate) result: Option<SentCommit>,
    /// The result is here.
    pub(crate) arrived: bool,
    /// The branch into which it was taken.
    pub(crate) branch: Option<String>,
    /// It is to be taken from the queue.
    pub(crate) withdraw: bool,
}

/// A job on the screen.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct JobView {
    /// Names it in commands.
    pub id: String,
    /// What it is about, in one line.
    pub title: String,
    /// The folder, for display.
    pub folder: String,
    /// The agent.
    pub agent: String,
    /// Where it is to run.
    pub target: Target,
    /// What happens when that machine is gone.
    pub if_gone: IfGone,
    /// How far it is.
    pub stage: JobStage,
    /// Who has it, or had it last.
    pub seat: Option<Seat>,
    /// Since when that machine is not reachable, ms since 1970 UTC.
    pub gone_since: Option<f64>,
    /// When it was asked, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// When it came to be at this stage, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub since: f64,
    /// The key of its loop in the list, once that is shared.
    pub key: Option<String>,
    /// The shown status of its loop at the end.
    pub word: Option<String>,
    /// Why it was refused: code of the catalogue `run_refused`, or kind of a failure.
    pub why: Option<String>,
    /// What that failure said besides its kind. Untrusted text.
    pub reason: Option<String>,
    /// Nodes that did not take it from the queue while it waits there.
    pub passed: Vec<PassedBy>,
    /// Commits are on their way.
    pub result_awaited: bool,
    /// Commits are here that can be taken in.
    pub has_result: bool,
    /// The branch into which they were taken.
    pub branch: Option<String>,
}

/// A node that left a job to others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct PassedBy {
    /// Which.
    pub seat: Seat,
    /// Why: code of the catalogue `run_refused`.
    pub why: String,
}

/// The longest word of another machine that is shown.
const LONGEST_WORD: usize = 60;
/// The longest reason.
const LONGEST_REASON: usize = 400;
/// Nobody took it. Words: catalogue `run_refused`.
const EXPIRED: &str = "expired";
/// So many nodes that passed a job on are remembered.
const MOST_PASSED: usize = 20;

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

impl AskedJob {
    /// One that was asked just now.
    pub(crate) fn new(job: Job, folder: PathBuf) -> Self {
        Self {
            since: job.at,
            job,
            folder,
            stage: JobStage::Waiting,
            seat: None,
            fence: 0,
            share: None,
            word: None,
            why: None,
            reason: None,
            passed: Vec::new(),
            result: None,
            arrived: false,
            branch: None,
            withdraw: false,
        }
    }

    /// Whether what came of it is still to be fetched.
    pub(crate) fn awaits_result(&self) -> bool {
        self.result.is_some() && !self.arrived
    }

    /// No machine took it while the queue kept it, so it is no longer waited for.
    pub(crate) fn expire(&mut self) {
        // A machine may have been faster.
        if self.stage == JobStage::Queued {
            (self.stage, self.why) = (JobStage::Refused, Some(EXPIRED.to_owned()));
        }
    }

    /// If a machine tells of it all the same, that counts.
    fn is_expired(&self) -> bool {
        self.stage == JobStage::Refused && self.why.as_deref() == Some(EXPIRED)
    }

    /// Takes a report of `seat` in, if it is newer than what is known.
    pub(crate) fn take_report(&mut self, report: Report, seat: Seat) {
        // A machine can have been faster than the withdrawal.
        let over = matches!(self.stage, JobStage::Ended | JobStage::Refused | JobStage::Interrupted)
            && !self.is_expired();
        let wanted = match &self.job.target {
            Target::Machine { seat: wanted } => *wanted == seat,
            Target::Any { .. } => true,
        };
        if over || report.fence < self.fence || !(wanted || report.stage == Stage::Withdrawn) {
            return;
        }
        if report.stage == Stage::Passed {
            self.passed.retain(|known| known.seat != seat);
            let waits = matches!(self.stage, JobStage::Waiting | JobStage::Queued);
            if waits && self.passed.len() < MOST_PASSED {
                let why = shortened(&report.why.unwrap_or_default(), LONGEST_WORD);
                self.passed.push(PassedBy { seat, why });
            }
            return;
        }
        let before = (self.stage, self.seat.clone());
        self.stage = match report.stage {
            Stage::Running => JobStage::Running,
            Stage::Ended => JobStage::Ended,
            Stage::Refused => JobStage::Refused,
            Stage::Interrupted => JobStage::Interrupted,
            Stage::Withdrawn if seat == self.job.from => JobStage::Withdrawn,
            Stage::Withdrawn | Stage::Passed => return,
        };
        self.passed.clear();
        (self.fence, self.share, self.word) = (report.fence, report.share.or(self.share.take()), report.word);
        self.why = report.why;
        self.reason = report.reason.map(|reason| shortened(&reason, LONGEST_REASON));
        self.result = report.result;
        if report.stage != Stage::Withdrawn && report.stage != Stage::Interrupted {
            self.seat = Some(seat);
        }
        if before != (self.stage, self.seat.clone()) {
            self.since = report.at;
        }
    }

    /// The job on the screen. `gone_since`: since when its machine is not reachable; `key`: of its loop.
    pub(crate) fn view(&self, gone_since: Option<Timestamp>, key: Option<String>) -> JobView {
        let running = self.stage == JobStage::Running;
        JobView {
            id: self.job.id.clone(),
            title: self.job.message(),
            folder: loopdeck_system::dirs::shown(&self.folder),
            agent: self.job.plan.agent.clone(),
            target: self.job.target.clone(),
            if_gone: self.job.if_gone,
            stage: self.stage,
            seat: self.seat.clone(),
            gone_since: gone_since.filter(|_| running).map(Timestamp::number),
            at: Timestamp::from_millis(self.job.at).number(),
            since: Timestamp::from_millis(self.since).number(),
            key,
            word: self.word.as_ref().map(|word| shortened(word, LONGEST_WORD)),
            why: self.why.as_ref().map(|why| shortened(why, LONGEST_WORD)),
            reason: self.reason.clone(),
            passed: self.passed.clone(),
            result_awaited: self.awaits_result(),
            has_result: self.arrived && self.branch.is_none(),
            branch: self.branch.clone(),
        }
    }
}

/// The folder of all jobs.
#[derive(Debug)]
pub(crate) struct AskedJobs {
    folder: PathBuf,
    /// One change at a time.
    changing: Mutex<()>,
}

impl AskedJobs {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, changing: Mutex::default() }
    }

    /// The bundle that goes with a job.
    pub(crate) fn outgoing_bundle(&self, id: &str) -> PathBuf {
        self.folder.join(id).join("commits.bundle")
    }

    /// The bundle that came of it.
    pub(crate) fn incoming_bundle(&self, id: &str) -> PathBuf {
        self.folder.join(id).join("result.bundle")
    }

    /// Keeps a job.
    ///
    /// # Errors
    /// `OwnData` when the disk refuses.
    pub(crate) fn keep(&self, asked: &AskedJob) -> Result<(), Failure> {
        write_json(&self.folder.join(&asked.job.id).join(FILE), asked)
    }

    /// Changes one.
    ///
    /// # Errors
    /// `UnknownJob`; `OwnData`.
    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut AskedJob)) -> Result<(), Failure> {
        let _one_at_a_time = self.changing.lock();
        let mut asked = self.find(id)?;
        change(&mut asked);
        self.keep(&asked)
    }

    /// One job. `id` is a name that a window or script gave: it becomes a path only when it is one of ours.
    ///
    /// # Errors
    /// `UnknownJob`.
    pub(crate) fn find(&self, id: &str) -> Result<AskedJob, Failure> {
        let known = is_id(id).then(|| read_json(&self.folder.join(id).join(FILE)).ok().flatten()).flatten();
        known.ok_or_else(|| Failure::new(FailureKind::UnknownJob))
    }

    /// What can be read of each, and why not; `None` for one that is being asked for, and has no file yet.
    fn read_all(&self) -> impl Iterator<Item = Result<Option<AskedJob>, Failure>> {
        entries(&self.folder).map(|folder| read_json(&folder.join(FILE)))
    }

    /// Jobs whose files cannot be read. They are left where they are: what came of them is beside them.
    pub(crate) fn damaged_jobs(&self) -> Vec<Failure> {
        self.read_all().filter_map(Result::err).collect()
    }

    /// All of them, oldest first. What cannot be read is left where it is, and logged.
    pub(crate) fn list(&self) -> Vec<AskedJob> {
        let readable = |read: Result<Option<AskedJob>, Failure>| {
            read.unwrap_or_else(|failure| {
                tracing::warn!(?failure, "a job for another machine cannot be read");
                None
            })
        };
        let mut all: Vec<AskedJob> = self.read_all().filter_map(readable).collect();
        all.sort_by(|one, other| (one.job.at, &one.job.id).cmp(&(other.job.at, &other.job.id)));
        all
    }

    /// Forgets a job.
    pub(crate) fn forget(&self, id: &str) -> std::io::Result<()> {
        std::fs::remove_dir_all(self.folder.join(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: &str = r#"{"recipe": "fix_bug", "goal": "x", "title": "", "tasks": []}"#;

    fn seat(text: &str) -> Seat {
        Seat::parse(text).unwrap()
    }

    fn queued() -> AskedJob {
        let job = Job {
            id: "A".to_owned(),
            from: seat("bob.laptop"),
            target: Target::Any { memory_gb: 0 },
            if_gone: IfGone::Continue,
            at: 5,
            random: 0,
            work: serde_json::from_str(WORK).unwrap(),
            plan: loopdeck_runtime::drivers::plan::RunPlan::default(),
            origin: String::new(),
            commit: String::new(),
            name: String::new(),
            parcel: None,
        };
        AskedJob { stage: JobStage::Queued, ..AskedJob::new(job, PathBuf::new()) }
    }

    fn report(stage: Stage) -> Report {
        Report { job: "A".to_owned(), fence: 1, at: 9, stage, ..Report::default() }
    }

    #[test]
    fn a_damaged_job_is_told_and_stays_while_the_others_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let jobs = AskedJobs::new(dir.path().join("jobs"));
        assert_eq!(jobs.damaged_jobs(), []);
        jobs.keep(&queued()).unwrap();
        let asked = dir.path().join("jobs").join("B");
        std::fs::create_dir(&asked).unwrap();
        assert_eq!(jobs.damaged_jobs(), [], "one that is being asked for is none");
        let path = asked.join(FILE);
        std::fs::write(&path, "{oops").unwrap();
        let told = jobs.damaged_jobs();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].args["path"], path.display().to_string());
        assert_eq!(jobs.list(), [queued()]);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "{oops");
    }

    #[test]
    fn only_what_waits_in_the_queue_expires() {
        use JobStage::{Ended, Interrupted, Queued, Refused, Running, Waiting, Withdrawn};
        for stage in [Waiting, Queued, Running, Ended, Refused, Interrupted, Withdrawn] {
            let mut asked = AskedJob { stage, ..queued() };
            asked.expire();
            let why = asked.why.as_deref();
            let expected = if stage == Queued { (Refused, Some(EXPIRED)) } else { (stage, None) };
            assert_eq!((asked.stage, why), expected, "{stage:?}");
        }
    }

    #[test]
    fn a_machine_that_took_it_all_the_same_is_believed() {
        let mut asked = queued();
        asked.expire();
        asked.take_report(report(Stage::Running), seat("ada.tower"));
        assert_eq!((asked.stage, asked.why), (JobStage::Running, None));
        let mut refused = AskedJob { stage: JobStage::Refused, why: Some("memory".to_owned()), ..queued() };
        refused.take_report(report(Stage::Running), seat("ada.tower"));
        assert_eq!(refused.stage, JobStage::Refused, "what a machine refused is over");
    }
}
