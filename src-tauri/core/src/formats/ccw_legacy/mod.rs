//! Legacy session folders of the Claude skill, read-only (the CCW contract §9).
//!
//! `state.json` has the sections at its top level under older names; Loop v2's state and view read both.

use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::ccw;
use crate::formats::ccw::check::rules;
use crate::formats::ccw::read::facts::{FactList, Findings};
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::formats::ccw::read::values::either;
use crate::formats::ccw_v2::check::{disagree, warnings};
use crate::formats::ccw_v2::read::companions;
use crate::formats::ccw_v2::view::{clock, completed_at, document, metadata, sections, unknown_fields};
use crate::summary::Summary;
use crate::view::{Companion, Fact, FactValue, LoopDetail};
use loopdeck_text::shorten;

const TOP: &[&str] = &[
    "session_id",
    "loop_id",
    "task_description",
    "title",
    "description",
    "status",
    "initialized",
    "mode",
    "created_at",
    "updated_at",
    "completed_at",
    "failure_reason",
    "iteration_count",
    "current_iteration",
    "max_iterations",
    "current_action",
    "last_action",
    "completed_actions",
    "develop",
    "debug",
    "validate",
    "context",
    "errors",
    "summary",
];

/// What a list shows of a legacy session's `state.json`; `facts.stem` is the folder's name.
#[must_use]
pub fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> Summary {
    ccw::legacy_summary(bytes, facts)
}

/// The full read for the detail view; problems included.
#[must_use]
pub fn detail(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    situation: &Situation,
    companions: &[Companion],
) -> LoopDetail {
    let summary = summary(bytes, facts);
    let Some(root) = document(bytes) else {
        return LoopDetail { problems: summary.problems, ..LoopDetail::default() };
    };
    let state = CcwState::new(&root, Home::TopLevel);
    let side = companions::read(companions);
    let clock = clock(&state, &summary, facts, &side.times());
    let mut found = Findings::new(bytes, summary.problems.clone());
    let at_work = rules::is_at_work(situation);
    warnings::check(&state, &summary, facts, &clock, at_work, &mut found);
    disagree::check(&state, &side, at_work, &mut found);
    let mut detail = sections(&state, &clock, &side);
    detail.facts = overview(&state, &summary, &clock, side.meta("mode"));
    detail.metadata = metadata(&root, &[]);
    detail.extra = unknown_fields(&state, TOP);
    detail.problems = found.finish();
    detail
}

/// `mode` comes from `meta.json`, where the session keeps it (§18).
fn overview(
    state: &CcwState<'_>,
    summary: &Summary,
    clock: &ccw::read::clock::Clock,
    mode: Option<&str>,
) -> Vec<Fact> {
    let root = state.root;
    let mut facts = FactList::default();
    facts.text("description", either(root, "task_description", "description"));
    facts.code("session_id", either(root, "session_id", "loop_id"));
    facts.code("status", root.get("status"));
    facts.flag("initialized", root.get("initialized"));
    match root.get("mode").text().or(mode) {
        Some(mode) => facts.add("mode", Some(FactValue::Code(shorten(mode, 60)))),
        None => facts.code("mode", root.get("mode")),
    }
    facts.number(LoopDetail::ITERATION, either(root, "iteration_count", "current_iteration"));
    facts.code("last_action", root.get("last_action"));
    facts.text("current_task", either(state.develop, "current_task_id", "current_task"));
    facts.code("estimated_complexity", root.get("context").get("estimated_complexity"));
    facts.list("key_files", root.get("context").get("key_files"));
    facts.flag("understanding_updated", state.debug.get("understanding_updated"));
    facts.time("created_at", root.get("created_at").text().map(|text| clock.created(text)));
    facts.time("completed_at", completed_at(root, summary, clock));
    let progress = state.develop.get("last_progress_at").text();
    facts.time("last_progress_at", progress.map(|text| clock.skill(text)));
    facts.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ProblemCode;
    use crate::status::StatusWord;

    const STEM: &str = "LOOP-add-login-2026-01-22";
    const TEXT: &str = r#"{"session_id":"LOOP-add-login-2026-01-22","task_description":"Add login","status":"pending",
        "initialized":true,"created_at":"2026-01-22T10:00:00Z","iteration_count":3,"last_action":"action-develop-with-file",
        "develop":{"tasks":[{"id":"t","description":"d","status":"completed","files_changed":["a"]}],"current_task_id":null,"completed_count":1,"total_count":2},
        "debug":{"current_bug":"b","hypotheses":[],"confirmed_hypothesis":null,"understanding_updated":true},
        "validate":{"test_results":[],"coverage":null,"passed":false,"failed_tests":[]},
        "context":{"estimated_complexity":"low","key_files":["k"]}}"#;

    #[test]
    fn a_session_maps_to_the_view_of_loop_v2() {
        let modified = crate::times::parse("2026-01-22T02:00:01Z").expect("time");
        let facts = FileFacts { stem: STEM, modified, now: modified };
        let view =
            detail(TEXT.as_bytes(), &facts, &Situation { shown: StatusWord::NotStarted, now: modified }, &[]);
        let codes: Vec<_> = view.problems.iter().map(|problem| problem.code).collect();
        let expected =
            [ProblemCode::W3_initialized_pending, ProblemCode::W1_counters, ProblemCode::W9_shifted_time];
        assert_eq!(codes, expected);
        assert_eq!(view.progress.map(|progress| progress.develop), Some(50.0));
        assert_eq!(view.tasks[0].files_changed, ["a"]);
        assert_eq!(view.debug.and_then(|debug| debug.active_bug).as_deref(), Some("b"));
        let names: Vec<_> = view.facts.iter().map(|fact| fact.name.as_str()).collect();
        assert!(
            ["session_id", "iteration", "estimated_complexity", "key_files"]
                .iter()
                .all(|n| names.contains(n))
        );
        assert!(view.extra.is_empty() && view.controls.is_empty() && view.metadata.editable.is_empty());
    }

    #[test]
    fn files_of_the_session_stand_in_and_are_compared() {
        use crate::view::CompanionKind as Kind;
        let modified = crate::times::parse("2026-01-22T02:00:01Z").expect("time");
        let facts = FileFacts { stem: STEM, modified, now: modified };
        let situation = Situation { shown: StatusWord::NotStarted, now: modified };
        let file = |kind, file: &str, text: &str| {
            let (file, bytes) = (file.to_owned(), text.as_bytes().to_vec());
            Companion { kind, file, bytes, cut: false }
        };
        let tasks = r#"[{"id":"t","status":"pending"},{"id":"u","status":"pending"}]"#;
        let files = [
            file(Kind::SessionMeta, "meta.json", r#"{"mode":"auto"}"#),
            file(Kind::SessionTasks, "develop/tasks.json", tasks),
            file(Kind::DebugDoc, "debug/understanding.md", "#### Hypotheses\n\n**H1**: it\n"),
        ];
        let view = detail(TEXT.as_bytes(), &facts, &situation, &files);
        let mode = view.facts.iter().find(|fact| fact.name == "mode").map(|fact| &fact.value);
        assert_eq!(mode, Some(&FactValue::Code("auto".to_owned())));
        assert_eq!(view.debug.expect("a section").hypotheses[0].description, "it");
        let codes: Vec<_> = view.problems.iter().map(|p| (p.code, p.path.as_str())).collect();
        assert!(
            codes.contains(&(ProblemCode::W12_companion_disagrees, "develop.tasks[0].status")),
            "{codes:?}"
        );
        assert!(codes.contains(&(ProblemCode::W12_unknown_in_companion, "develop.tasks")), "{codes:?}");
        let lost = TEXT.replace("\"tasks\":[", "\"odd\":[");
        let view = detail(lost.as_bytes(), &facts, &situation, &files);
        assert_eq!(view.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["t", "u"]);
    }
}
