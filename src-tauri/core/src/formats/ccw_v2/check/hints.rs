//! The hints T1 to T5 (the CCW contract §7.1): where the skill's own order of actions leads nowhere. Shown,
//! never "fixed" on disk; only for loops that a skill could still continue.

use crate::formats::ccw::read::facts::Findings;
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::has_status;
use crate::formats::ccw::read::words;
use crate::phase::CcwPhase;
use crate::problem::ProblemCode as Code;
use crate::status::FileStatus;
use crate::summary::Summary;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// All hints. `at_work`: an agent is known, so the file does not show what it does next.
pub(crate) fn check(state: &CcwState<'_>, summary: &Summary, at_work: bool, found: &mut Findings<'_>) {
    let open = matches!(summary.status, FileStatus::Running | FileStatus::Paused | FileStatus::UserExit);
    if !open || at_work {
        return;
    }
    if summary.status == FileStatus::Running && summary.at_limit() {
        let limit = state.root.get("max_iterations");
        found.add(Code::T3_limit_leaves_running, "max_iterations", limit, &[]);
    }
    if state.skill.is_object() {
        reinit(state, found);
        let ahead = ChoiceInputs::from_state(state);
        ahead.develop(state, found);
        ahead.debug(state, found);
    }
}

/// T1: only the Claude flavour clears `current_action`, and only it treats an empty one as "not initialised".
fn reinit(state: &CcwState<'_>, found: &mut Findings<'_>) {
    let (current, last) = (state.skill.get("current_action"), state.skill.get("last_action"));
    let claude = last.text().is_some_and(|last| last.trim().to_ascii_lowercase().starts_with("action-"));
    let is_empty = current.is_null() || current.text().is_some_and(|action| action.trim().is_empty());
    if claude && is_empty {
        found.add(Code::T1_reads_as_new, "skill_state.current_action", current, &[]);
    }
}

/// The inputs of the automatic choice.
struct ChoiceInputs {
    last: Option<CcwPhase>,
    /// There are tasks, and none is `pending`: what DEVELOP selects.
    nothing_pending: bool,
    /// Ids of tasks that failed.
    failed: Vec<String>,
    all_completed: bool,
    confirmed: bool,
    passed: bool,
}

impl ChoiceInputs {
    fn from_state(state: &CcwState<'_>) -> Self {
        let tasks = state.tasks;
        let failed = tasks.iter().filter(|task| has_status(task, "failed"));
        Self {
            last: state.skill.get("last_action").text().and_then(words::action),
            nothing_pending: !tasks.is_empty() && !tasks.iter().any(|task| has_status(task, "pending")),
            failed: failed.map(|task| task.get("id").shown(40).unwrap_or_default()).collect(),
            all_completed: tasks.iter().all(|task| has_status(task, "completed"))
                && state.completed() >= state.total(),
            confirmed: state.confirmed().is_some(),
            passed: state.validate.get("passed").flag() == Some(true),
        }
    }

    /// T2 and T4: DEVELOP is chosen but has nothing to select.
    fn develop(&self, state: &CcwState<'_>, found: &mut Findings<'_>) {
        let tasks = state.develop.get("tasks");
        if !self.nothing_pending {
            return;
        }
        if !self.failed.is_empty() {
            let ids = shorten(&self.failed.join(", "), 80);
            found.add(Code::T4_never_selected, "skill_state.develop.tasks", tasks, &[("found", ids)]);
        }
        // Steps 6 and 8 come before: VALIDATE after DEBUG or with a confirmed hypothesis, COMPLETE once passed.
        if self.all_completed && self.last != Some(CcwPhase::Debug) && !self.confirmed && !self.passed {
            found.add(Code::T2_develops_again, "skill_state.develop.tasks", tasks, &[]);
        }
    }

    /// T2 according to the Codex action texts, and T5.
    fn debug(&self, state: &CcwState<'_>, found: &mut Findings<'_>) {
        let open = |node: &Node<'_>| !has_status(node, "rejected") && !has_status(node, "confirmed");
        let codex = state.skill.get("last_action").text().is_some_and(|last| !last.starts_with("action-"));
        let asks = self.last == Some(CcwPhase::Debug) && codex && !self.confirmed;
        if asks && state.hypotheses.iter().any(open) {
            found.add(
                Code::T2_waits_for_input,
                "skill_state.debug.hypotheses",
                state.debug.get("hypotheses"),
                &[],
            );
        }
        if self.confirmed && self.nothing_pending {
            let node = state.debug.get("confirmed_hypothesis");
            let id = node.shown(40).unwrap_or_default();
            found.add(
                Code::T5_validates_for_ever,
                "skill_state.debug.confirmed_hypothesis",
                node,
                &[("found", id)],
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::control::Situation;
    use crate::format::FileFacts;
    use crate::problem::{ProblemCode as Code, Severity};
    use crate::status::StatusWord;
    use crate::times::Timestamp;

    const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";

    fn hints(status: &str, iteration: u32, skill: &str, shown: StatusWord) -> Vec<Code> {
        let text = format!(
            "{{\"loop_id\":\"{STEM}\",\"title\":\"T\",\"status\":\"{status}\",\"current_iteration\":{iteration},\"max_iterations\":10,\"skill_state\":{{{skill}}}}}"
        );
        let facts =
            FileFacts { stem: STEM, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) };
        let view = crate::formats::ccw_v2::detail(
            text.as_bytes(),
            &facts,
            &Situation { shown, now: Timestamp::from_millis(0) },
            &[],
        );
        let hints = view.problems.into_iter().filter(|problem| problem.code.name().starts_with('T'));
        hints.inspect(|hint| assert_eq!(hint.severity, Severity::Info)).map(|hint| hint.code).collect()
    }

    fn skill(last: &str, statuses: &[&str], confirmed: &str, more: &str) -> String {
        let tasks: Vec<_> = (1..)
            .zip(statuses)
            .map(|(n, status)| format!("{{\"id\":\"t{n}\",\"status\":\"{status}\"}}"))
            .collect();
        format!(
            "\"last_action\":\"{last}\",\"current_action\":\"init\",\"develop\":{{\"tasks\":[{}]}},\"debug\":{{\"hypotheses\":[{{\"id\":\"H1\",\"status\":\"inconclusive\"}}],\"confirmed_hypothesis\":{confirmed}}},\"validate\":{{{more}}}",
            tasks.join(",")
        )
    }

    #[track_caller]
    fn check(skill: &str, expected: &[Code]) {
        assert_eq!(hints("paused", 1, skill, StatusWord::Paused), expected, "{skill}");
        assert_eq!(hints("completed", 1, skill, StatusWord::Completed), [], "nobody goes on with it");
        assert_eq!(hints("running", 1, skill, StatusWord::Running), [], "the agent decides by itself");
    }

    #[test]
    fn each_trap_is_named_where_the_skill_runs_into_it() {
        let claude =
            "\"last_action\":\"action-develop-with-file\",\"develop\":{},\"debug\":{},\"validate\":{}";
        check(claude, &[Code::T1_reads_as_new]);
        check(&format!("{claude},\"current_action\":\"develop\""), &[]);
        check(&claude.replace("action-develop-with-file", "DEVELOP"), &[]);
        check(&skill("DEVELOP", &["completed", "pending"], "null", ""), &[]);
        check(&skill("DEVELOP", &["completed"], "null", ""), &[Code::T2_develops_again]);
        check(&skill("VALIDATE", &["completed"], "null", "\"passed\":true"), &[]);
        check(&skill("DEBUG", &["completed"], "null", ""), &[Code::T2_waits_for_input]);
        check(&skill("DEBUG", &["completed"], "null", "").replace("inconclusive", "rejected"), &[]);
        check(&skill("DEVELOP", &["completed", "failed"], "null", ""), &[Code::T4_never_selected]);
        check(&skill("DEVELOP", &["failed", "pending"], "null", ""), &[]);
        check(&skill("VALIDATE", &["completed"], "\"H1\"", ""), &[Code::T5_validates_for_ever]);
        check(&skill("VALIDATE", &["pending"], "\"H1\"", ""), &[]);
    }

    #[test]
    fn a_reached_limit_is_explained_while_the_file_says_running() {
        assert_eq!(hints("running", 10, "", StatusWord::LimitReached), [Code::T3_limit_leaves_running]);
        assert_eq!(hints("running", 9, "", StatusWord::Interrupted), []);
        assert_eq!(hints("paused", 10, "", StatusWord::Paused), []);
        assert_eq!(hints("running", 10, "", StatusWord::Running), []);
    }
}
