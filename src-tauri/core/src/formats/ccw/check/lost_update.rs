//! W12, a lost update (the CCW contract §16): every writer rewrites the whole file from a copy that may be
//! minutes old. The file stays valid; the only sign is that counts that only ever rise are lower than before.

use crate::format::Format;
use crate::formats::ccw::read::facts::Findings;
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::problem::{Problem, ProblemCode};
use loopdeck_text::json_span::tree::Node;

/// The counts that went down from `earlier`, a good version of the same file, to `bytes`. Empty when either
/// is unreadable, or when they are two loops of one name (different `created_at`). A version that a person
/// restored on purpose is its own `earlier` version from then on.
#[must_use]
pub fn lost_updates(format: Format, earlier: &[u8], bytes: &[u8]) -> Vec<Problem> {
    let (Ok(before), Ok(now)) = (Node::parse(earlier), Node::parse(bytes)) else { return Vec::new() };
    let created = |node: &Node<'_>| node.get("created_at").text().map(str::to_owned);
    if !before.is_object() || !now.is_object() || created(&before) != created(&now) {
        return Vec::new();
    }
    let mut found = Findings::new(bytes, Vec::new());
    for (was, is) in counts(format, &before).into_iter().zip(counts(format, &now)) {
        if is.count < was.count {
            let args = [("found", is.count.to_string()), ("expected", was.count.to_string())];
            found.add(ProblemCode::W12_went_backwards, is.path, is.node, &args);
        }
    }
    found.finish()
}

/// A count that only ever rises, and its position.
pub(crate) struct Count<'t> {
    path: &'static str,
    node: &'t Node<'t>,
    pub(crate) count: f64,
}

pub(crate) fn counts<'t>(format: Format, root: &'t Node<'t>) -> Vec<Count<'t>> {
    let skill = root.get("skill_state");
    let iteration = root.get("current_iteration");
    let mut counts = vec![Count {
        path: "current_iteration",
        node: iteration,
        // A missing count is lower than any.
        count: iteration.lenient_number().unwrap_or(0.0),
    }];
    match format {
        Format::LoopV2 => {
            let state = CcwState::new(root, Home::SkillState);
            let path = "skill_state.develop.completed";
            counts.push(Count { path, node: state.develop.get("completed"), count: state.completed() });
            counts.push(listed("skill_state.completed_actions", skill.get("completed_actions")));
        }
        Format::LoopB => {
            counts.push(listed("skill_state.completed_tasks", skill.get("completed_tasks")));
            counts.push(listed("skill_state.workers_completed", skill.get("workers_completed")));
        }
        _ => counts.clear(),
    }
    counts
}

#[allow(clippy::cast_precision_loss)] // lists are shorter than 2^52
fn listed<'t>(path: &'static str, node: &'t Node<'t>) -> Count<'t> {
    Count { path, node, count: node.items().len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v2(iteration: u32, done: usize, actions: &str) -> String {
        let task = |n: usize| {
            format!("{{\"id\":\"t{n}\",\"status\":\"{}\"}}", if n < done { "completed" } else { "pending" })
        };
        format!(
            "{{\n\"created_at\":\"2026-01-22T02:00:00Z\",\n\"current_iteration\":{iteration},\n\"skill_state\":{{\"completed_actions\":[{actions}],\"develop\":{{\"completed\":{done},\"tasks\":[{}]}}}}}}",
            (0..3).map(task).collect::<Vec<_>>().join(",")
        )
    }

    #[track_caller]
    fn check(format: Format, earlier: &str, now: &str, paths: &[&str]) {
        let problems = lost_updates(format, earlier.as_bytes(), now.as_bytes());
        assert!(problems.iter().all(|problem| problem.code == ProblemCode::W12_went_backwards));
        assert_eq!(problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), paths);
    }

    #[test]
    fn counts_of_loop_v2_only_rise() {
        let new = v2(5, 2, "\"DEVELOP\",\"DEVELOP\"");
        check(Format::LoopV2, &v2(4, 1, "\"DEVELOP\""), &new, &[]);
        check(Format::LoopV2, &new, &new, &[]);
        check(Format::LoopV2, &new, &v2(4, 2, "\"DEVELOP\",\"DEVELOP\""), &["current_iteration"]);
        let all = ["current_iteration", "skill_state.develop.completed", "skill_state.completed_actions"];
        check(Format::LoopV2, &new, &v2(4, 1, "\"DEVELOP\""), &all);
        let gone = "{\"created_at\":\"2026-01-22T02:00:00Z\",\"current_iteration\":5,\"skill_state\":null}";
        check(Format::LoopV2, &new, gone, &all[1..]);
        let problem = &lost_updates(Format::LoopV2, new.as_bytes(), v2(4, 2, "1,2").as_bytes())[0];
        assert_eq!((problem.args["found"].as_str(), problem.args["expected"].as_str()), ("4", "5"));
        assert_eq!(problem.line, Some(3));
    }

    #[test]
    fn counts_of_loop_b_only_rise() {
        let text = |tasks: &str, workers: &str| {
            format!(
                "{{\"current_iteration\":1,\"skill_state\":{{\"completed_tasks\":[{tasks}],\"workers_completed\":[{workers}]}}}}"
            )
        };
        check(Format::LoopB, &text("1", "\"init\""), &text("1,2", "\"init\""), &[]);
        let both = ["skill_state.completed_tasks", "skill_state.workers_completed"];
        check(Format::LoopB, &text("1", "\"init\""), &text("", ""), &both);
    }

    #[test]
    fn another_loop_of_that_name_and_damage_say_nothing() {
        let (new, old) = (v2(5, 2, ""), v2(4, 1, ""));
        check(Format::LoopV2, &new, &old.replace("02:00:00", "03:00:00"), &[]);
        check(Format::LoopV2, &new, &old[..40], &[]);
        check(Format::LoopV2, "", &old, &[]);
        check(Format::V1, &new, &old, &[]);
    }
}
