//! Follow-up work of a completed CCW loop. COMPLETE proposes to expand a loop in four directions (test,
//! enhance, refactor, doc); each is offered with the fact of this loop that best supports it. An accepted
//! offer becomes a new loop. No state file has a field for the loop it follows from, so its description names
//! that in one line.

use crate::status::FileStatus;
use crate::summary::Summary;
use crate::view::{EventKind, FollowUpKind, FollowUpOffer, FollowUpReason, LoopDetail, RunView, TaskState};
use loopdeck_agents::answers::is_id;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// Most names in an offer.
const MOST_NAMES: usize = 5;

/// The completed loop that new work follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FollowUp {
    /// In which direction.
    pub kind: FollowUpKind,
    /// Its id, which the description of the new loop names.
    pub loop_id: String,
    /// Its key in the list; kept in our own data only.
    pub key: String,
}

impl FollowUp {
    /// The line that names the loop; none when its id is not a single word.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        is_id(&self.loop_id).then(|| format!("Follow-up ({}) of {}", self.kind.word(), self.loop_id))
    }
}

/// Possible follow-ups of a loop: none unless it is completed and its format has them.
#[must_use]
pub fn offers(summary: &Summary, detail: &LoopDetail) -> Vec<FollowUpOffer> {
    if !summary.format.traits().has_follow_ups || summary.status != FileStatus::Completed {
        return Vec::new();
    }
    let files = files_changed(detail);
    let offer = |kind| {
        let (because, count, names) = match kind {
            FollowUpKind::Test => test(detail.validation.as_ref().and_then(|it| it.runs.last())),
            FollowUpKind::Enhance => enhance(detail),
            FollowUpKind::Refactor | FollowUpKind::Doc if files.is_empty() => enhance(detail),
            FollowUpKind::Refactor | FollowUpKind::Doc => {
                (FollowUpReason::FilesChanged, count(files.len()), files.clone())
            }
        };
        FollowUpOffer { kind, because, count, names: names.into_iter().take(MOST_NAMES).collect() }
    };
    FollowUpKind::ALL.map(offer).to_vec()
}

type Because = (FollowUpReason, u32, Vec<String>);

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of a hundred
fn test(run: Option<&RunView>) -> Because {
    use FollowUpReason as R;
    let Some(run) = run.filter(|run| run.failed == 0 && run.passed > 0) else {
        return (R::NotValidated, 0, Vec::new());
    };
    let (because, count) = match run.coverage {
        _ if run.skipped > 0 => (R::SkippedTests, run.skipped),
        Some(share) => (R::Covered, share.clamp(0.0, 100.0).round() as u32),
        None => (R::TestsPassed, run.passed),
    };
    (because, count, Vec::new())
}

fn enhance(detail: &LoopDetail) -> Because {
    let left: Vec<String> = detail
        .tasks
        .iter()
        .filter(|task| task.state != TaskState::Completed)
        .map(|task| task.description.clone())
        .collect();
    let done = detail.tasks.len() - left.len();
    match left.is_empty() {
        true => (FollowUpReason::TasksDone, count(done), Vec::new()),
        false => (FollowUpReason::TasksLeft, count(left.len()), left),
    }
}

/// Files changed by tasks, workers or rounds of debugging, most often changed first.
fn files_changed(detail: &LoopDetail) -> Vec<String> {
    // The change log repeats those of the tasks.
    let is_task = |id: &String| detail.tasks.iter().any(|task| task.id == *id);
    let of_debugging = detail
        .events
        .iter()
        .filter(|event| event.kind == EventKind::ChangeLog && !event.subject.as_ref().is_some_and(is_task))
        .map(|event| &event.files);
    let of_tasks = detail.tasks.iter().map(|task| &task.files_changed);
    let of_workers = detail.workers.iter().map(|worker| &worker.files_changed);
    let mut by_file: BTreeMap<&String, usize> = BTreeMap::new();
    for file in of_tasks.chain(of_workers).chain(of_debugging).flatten() {
        *by_file.entry(file).or_default() += 1;
    }
    let mut files: Vec<(&String, usize)> = by_file.into_iter().collect();
    files.sort_by_key(|(_, times)| std::cmp::Reverse(*times)); // equal counts stay sorted by name
    files.into_iter().map(|(file, _)| file.clone()).collect()
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FileFacts;
    use crate::format::Format;
    use crate::loops;
    use crate::times::Timestamp;
    use crate::view::{EventView, TaskView, ValidationView, WorkerView};

    fn summary(status: &str) -> Summary {
        let text = format!(
            r#"{{"loop_id":"loop-v2-20261120T042421-d8ff7e62","title":"T","description":"","max_iterations":9,"status":"{status}","current_iteration":1,"created_at":"2026-11-20T04:20:21.870Z","updated_at":"2026-11-20T04:20:21.870Z","completed_at":"2026-11-20T04:20:21.870Z"}}"#
        );
        let facts = FileFacts {
            stem: "loop-v2-20261120T042421-d8ff7e62",
            modified: Timestamp::from_millis(0),
            now: Timestamp::from_millis(0),
        };
        loops::summary(loops::Place::CcwFile, text.as_bytes(), &facts).expect("a loop")
    }

    fn task(state: TaskState, description: &str, files: &[&str]) -> TaskView {
        let files_changed = files.iter().map(|&file| file.to_owned()).collect();
        TaskView { state, description: description.into(), files_changed, ..TaskView::default() }
    }

    fn told(detail: &LoopDetail) -> Vec<(FollowUpReason, u32, String)> {
        let offers = offers(&summary("completed"), detail);
        assert_eq!(offers.iter().map(|offer| offer.kind).collect::<Vec<_>>(), FollowUpKind::ALL);
        offers.into_iter().map(|offer| (offer.because, offer.count, offer.names.join("|"))).collect()
    }

    #[test]
    fn each_direction_has_the_fact_that_speaks_for_it() {
        use FollowUpReason as R;
        let done = |runs: Vec<RunView>| LoopDetail {
            tasks: vec![
                task(TaskState::Completed, "one", &["a.rs", "b.rs"]),
                task(TaskState::Completed, "two", &["b.rs"]),
            ],
            validation: Some(ValidationView { runs, ..ValidationView::default() }),
            ..LoopDetail::default()
        };
        let run = |passed, failed, skipped, coverage| RunView {
            passed,
            failed,
            skipped,
            coverage,
            ..RunView::default()
        };
        for (runs, expected) in [
            (vec![], (R::NotValidated, 0)),
            (vec![run(4, 0, 0, None), run(3, 1, 0, None)], (R::NotValidated, 0)),
            (vec![run(0, 0, 3, None)], (R::NotValidated, 0)),
            (vec![run(3, 1, 0, None), run(4, 0, 2, Some(50.0))], (R::SkippedTests, 2)),
            (vec![run(4, 0, 0, Some(61.4))], (R::Covered, 61)),
            (vec![run(4, 0, 0, None)], (R::TestsPassed, 4)),
        ] {
            let told = told(&done(runs));
            assert_eq!((told[0].0, told[0].1), expected);
            assert_eq!(told[1], (R::TasksDone, 2, String::new()));
            assert_eq!(
                told[2],
                (R::FilesChanged, 2, "b.rs|a.rs".into()),
                "what most tasks changed comes first"
            );
            assert_eq!(told[3], told[2]);
        }
        let mut left = done(vec![]);
        left.tasks.push(task(TaskState::Failed, "three", &[]));
        assert_eq!(told(&left)[1], (R::TasksLeft, 1, "three".into()));
        let bare = told(&LoopDetail::default());
        assert_eq!(bare[2], (R::TasksDone, 0, String::new()), "no file is known");
        let files: Vec<String> = (0..9).map(|at| format!("{at}.ts")).collect();
        let worker = WorkerView { files_changed: files, ..WorkerView::default() };
        let told = told(&LoopDetail { workers: vec![worker], ..LoopDetail::default() });
        assert_eq!(told[3], (R::FilesChanged, 9, "0.ts|1.ts|2.ts|3.ts|4.ts".into()));
    }

    #[test]
    fn files_that_debugging_changed_count_and_those_of_the_log_only_once() {
        let event = |kind: EventKind, subject: &str, files: &[&str]| EventView {
            kind,
            subject: Some(subject.to_owned()),
            files: files.iter().map(|&file| file.to_owned()).collect(),
            ..EventView::default()
        };
        let one = TaskView { id: "task-1".into(), ..task(TaskState::Completed, "one", &["a.rs"]) };
        let detail = LoopDetail {
            tasks: vec![one],
            events: vec![
                event(EventKind::ChangeLog, "task-1", &["a.rs"]),
                event(EventKind::DevelopEntry, "task-1", &["x.rs"]),
                event(EventKind::ChangeLog, "H1", &["z.rs"]),
                event(EventKind::ChangeLog, "debug", &["z.rs"]),
            ],
            ..LoopDetail::default()
        };
        assert_eq!(told(&detail)[2], (FollowUpReason::FilesChanged, 2, "z.rs|a.rs".into()));
    }

    #[test]
    fn only_a_completed_loop_has_follow_ups() {
        for status in ["running", "paused", "failed", "user_exit", "created"] {
            assert_eq!(offers(&summary(status), &LoopDetail::default()), [], "{status}");
        }
        let other = Summary { format: Format::V1, ..summary("completed") };
        assert_eq!(offers(&other, &LoopDetail::default()), []);
    }

    #[test]
    fn an_id_that_is_more_than_a_word_is_not_written() {
        let line = |loop_id: &str| {
            let (kind, key) = (FollowUpKind::Doc, "w:f".to_owned());
            FollowUp { kind, loop_id: loop_id.into(), key }.line()
        };
        assert_eq!(line("loop-v2-x").as_deref(), Some("Follow-up (doc) of loop-v2-x"));
        assert_eq!((line(""), line("a\nb"), line("../x")), (None, None, None));
    }
}
