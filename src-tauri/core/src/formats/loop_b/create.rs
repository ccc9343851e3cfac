//! The first text of a Loop-B (the CCW contract §1.4, §8): as its coordinator writes it before the first
//! worker, with correct UTC times. A Loop-B has no `created`.

use crate::format::Format;
use crate::formats::ccw_v2::create::{NewLoopV2, stamp, verified_text};
use crate::refusal::Refusal;
use crate::times::{self, Timestamp};
use loopdeck_text::json_span::json::Json;
use serde::{Deserialize, Serialize};
use specta::Type;

/// How a loop goes through its actions; a Loop v2 has no `parallel`. Words: catalogue `mode.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum WorkMode {
    /// A menu before each action; with a skill it needs a terminal.
    Interactive,
    /// One worker after the other.
    Auto,
    /// Develop, debug and validate in parallel.
    Parallel,
}

impl WorkMode {
    /// The mode that a word names, in any case; none for an unknown word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let modes = [WorkMode::Interactive, WorkMode::Auto, WorkMode::Parallel];
        modes.into_iter().find(|mode| mode.word().eq_ignore_ascii_case(word))
    }

    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            WorkMode::Interactive => "interactive",
            WorkMode::Auto => "auto",
            WorkMode::Parallel => "parallel",
        }
    }
}

/// How a new Loop-B starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Birth {
    /// `running`, as the coordinator writes it: for a caller that starts an agent immediately.
    Running,
    /// `paused`: waits until a person resumes it. A `running` file without an agent would count as running
    /// elsewhere.
    Paused,
}

/// The file name without `.json` of a loop created at `now`: `loop-b-20260122T110000-k3v9x2ab`. `random`: any
/// number; use another one if the name is taken.
#[must_use]
pub fn stem(now: Timestamp, random: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let digit = |place: u32| {
        let rest = random / 36_u64.pow(place) % 36;
        char::from(DIGITS[usize::try_from(rest).unwrap_or_default()])
    };
    let suffix: String = (0..8).rev().map(digit).collect();
    format!("loop-b-{}-{suffix}", stamp(now))
}

/// The text of a new file named `<stem>.json`.
///
/// # Errors
/// A refusal when the title, the limit or the name (`loop_id`) is outside what the format allows.
pub fn create(
    stem: &str,
    new: &NewLoopV2,
    mode: WorkMode,
    birth: Birth,
    now: Timestamp,
) -> Result<String, Refusal> {
    let time = times::to_iso_millis(now);
    let status = match birth {
        Birth::Running => "running",
        Birth::Paused => "paused",
    };
    let master = Json::object(vec![
        ("loop_id", Json::text(stem)),
        ("title", Json::text(new.checked_title()?)),
        ("description", Json::text(&new.description)),
        ("mode", Json::text(mode.word())),
        ("status", Json::text(status)),
        ("current_iteration", Json::count(0)),
        ("max_iterations", Json::count(new.checked_limit()?)),
        ("created_at", Json::text(&time)),
        ("updated_at", Json::text(&time)),
        ("skill_state", skill_state()),
    ]);
    verified_text(stem, "loop-b-", Format::LoopB, &master, now)
}

fn skill_state() -> Json {
    let none = || Json::List(Vec::new());
    Json::object(vec![
        ("phase", Json::text("init")),
        ("action_index", Json::count(0)),
        ("workers_completed", none()),
        ("parallel_results", Json::Null),
        ("pending_tasks", none()),
        ("completed_tasks", none()),
        ("findings", none()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Situation, Verb};
    use crate::format::FileFacts;
    use crate::formats::ccw::progress_docs::records::PlannedTask;
    use crate::formats::loop_b::operate::{WorkerOutput, operate};
    use crate::formats::loop_b::operation::LoopBOperation;
    use crate::refusal::RefusalCode;
    use crate::status::StatusWord;
    use loopdeck_text::json_span::tree::Node;

    const SAMPLE: &str = include_str!(
        "../../../../../tests/fixtures/ccw/codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab.json"
    );
    const STEM: &str = "loop-b-20260122T110000-k3v9x2ab";

    fn now() -> Timestamp {
        times::parse("2026-01-22T11:00:00.137Z").expect("time")
    }

    fn new() -> NewLoopV2 {
        NewLoopV2 { title: "Analyze".into(), description: "All of it".into(), max_iterations: None }
    }

    fn keys<'t>(node: &'t Node<'_>) -> Vec<&'t str> {
        node.fields().iter().map(|(key, _)| &**key).collect()
    }

    #[test]
    fn the_keys_are_those_of_the_coordinator() {
        let text = create(STEM, &new(), WorkMode::Parallel, Birth::Running, now()).expect("valid");
        let (made, sample) = (Node::parse(text.as_bytes()), Node::parse(SAMPLE.as_bytes()));
        let (made, sample) = (made.expect("valid"), sample.expect("valid"));
        assert_eq!(keys(&made), keys(&sample));
        assert_eq!(keys(made.get("skill_state")), keys(sample.get("skill_state")));
        for key in ["loop_id", "mode", "status", "max_iterations", "created_at"] {
            assert_eq!(Json::from_node(made.get(key)), Json::from_node(sample.get(key)), "{key}");
        }
        assert_eq!((made.get("current_iteration").number(), text.ends_with("]\n  }\n}")), (Some(0.0), true));
    }

    #[test]
    fn every_mode_reads_back_without_any_problem() {
        let facts = FileFacts { stem: STEM, modified: now(), now: now() };
        for mode in [WorkMode::Interactive, WorkMode::Auto, WorkMode::Parallel] {
            for (birth, shown) in [(Birth::Running, StatusWord::Running), (Birth::Paused, StatusWord::Paused)]
            {
                let text = create(STEM, &new(), mode, birth, now()).expect("valid");
                let situation = Situation { shown, now: now() };
                let view = super::super::detail(text.as_bytes(), &facts, &situation, &[]);
                assert_eq!((view.problems, view.times_shifted), (vec![], false));
                let resume = view.controls.iter().find(|control| control.verb == Verb::Resume);
                assert_eq!(resume.expect("offered").refusal.is_none(), birth == Birth::Paused);
            }
        }
    }

    #[test]
    fn the_coordinator_can_plan_in_it() {
        let text = create(STEM, &new(), WorkMode::Auto, Birth::Running, now()).expect("valid");
        let facts = FileFacts { stem: STEM, modified: now(), now: now() };
        let task = PlannedTask { id: "T1".into(), description: "x".into(), ..PlannedTask::default() };
        let output =
            WorkerOutput { action: "init".into(), status: "success".into(), ..WorkerOutput::default() };
        let planned = LoopBOperation::Planned { output, tasks: vec![task] };
        let situation = Situation { shown: StatusWord::Running, now: now() };
        assert!(operate(text.as_bytes(), &facts, &planned, &situation).is_ok());
    }

    #[test]
    fn names_are_made_of_the_time_and_base_36() {
        assert_eq!(stem(now(), 0), "loop-b-20260122T110000-00000000");
        assert_eq!(stem(now(), 35 + 36 * 10), "loop-b-20260122T110000-000000az");
        assert_eq!(stem(now(), u64::MAX).len(), STEM.len());
        for bad in ["loop-v2-20261120T042421-d8ff7e62", "loop-b-../x", "loop-b-a\\b"] {
            let refusal = create(bad, &new(), WorkMode::Auto, Birth::Running, now()).expect_err("refused");
            assert_eq!((refusal.code, refusal.args["field"].as_str()), (RefusalCode::BadValue, "loop_id"));
        }
        let long = NewLoopV2 { title: "x".repeat(101), ..new() };
        assert!(create(STEM, &long, WorkMode::Auto, Birth::Running, now()).is_err());
    }
}
