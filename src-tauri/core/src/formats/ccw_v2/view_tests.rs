//! What a person sees of the sample loops, and of files in every tolerated form (the CCW contract §18).

use super::*;
use crate::problem::ProblemCode as Code;
use crate::status::StatusWord;
use crate::times;
use crate::times::Timestamp;
use crate::view::CompanionKind;

const STEM: &str = "loop-v2-20260122T020000-3fa91c0e";
const DONE: &str = include_str!(
    "../../../../../tests/fixtures/ccw/codex-ccw-loop-synth/3-completed/loop-v2-20260122T020000-3fa91c0e.json"
);
const PAUSED: &str = include_str!(
    "../../../../../tests/fixtures/ccw/codex-ccw-loop-synth/1-paused-mid-develop/loop-v2-20260122T020000-3fa91c0e.json"
);

fn at(text: &str) -> i64 {
    (times::parse(text).expect("time")).millis()
}

fn read(text: &str, companions: &[Companion]) -> LoopDetail {
    let facts = FileFacts {
        stem: STEM,
        modified: Timestamp::from_millis(at("2026-01-22T02:54:00Z")),
        now: Timestamp::from_millis(at("2026-01-22T03:00:00Z")),
    };
    detail(text.as_bytes(), &facts, &Situation { shown: StatusWord::Paused, now: facts.now }, companions)
}

fn fact<'d>(detail: &'d LoopDetail, name: &str) -> Option<&'d FactValue> {
    let all = detail.facts.iter().chain(&detail.summary);
    all.filter(|fact| fact.name == name).map(|fact| &fact.value).next()
}

/// A valid master with `skill` inside `skill_state`.
fn with_skill(skill: &str) -> String {
    format!(
        "{{\"loop_id\":\"{STEM}\",\"title\":\"T\",\"status\":\"paused\",\"current_iteration\":1,\"max_iterations\":10,\"skill_state\":{{{skill}}}}}"
    )
}

#[test]
fn tasks_that_wait_for_develop_are_said() {
    for (statuses, expected) in [
        (&["completed", "Pending"][..], true),
        (&["completed", "in_progress", "failed"], false),
        (&[], false),
    ] {
        let tasks: Vec<String> =
            statuses.iter().map(|status| format!("{{\"id\":\"a\",\"status\":\"{status}\"}}")).collect();
        let skill =
            format!("\"develop\":{{\"tasks\":[{}]}},\"debug\":{{}},\"validate\":{{}}", tasks.join(","));
        let progress = read(&with_skill(&skill), &[]).progress.expect("progress");
        assert_eq!(progress.has_pending_develop, expected, "{statuses:?}");
    }
}

#[test]
fn a_completed_loop_shows_everything() {
    let view = read(DONE, &[]);
    let progress = view.progress.expect("progress");
    assert_eq!((progress.develop, progress.overall), (100.0, 100.0));
    assert_eq!(view.tasks.len(), 4);
    assert_eq!(view.tasks[1].files_changed.len(), 3);
    assert_eq!(view.tasks[1].tool.as_deref(), Some("codex"));
    assert_eq!(view.tasks[1].priority.as_deref(), Some("2"));
    let debug = view.debug.as_ref().expect("debug");
    assert_eq!(debug.confirmed.as_deref(), Some("H1"));
    assert_eq!(debug.hypotheses[0].evidence_count, 2);
    assert!(debug.hypotheses[0].evidence.as_ref().is_some_and(|text| text.contains("\"before\": 4")));
    assert_eq!(debug.hypotheses[0].reject, "counter is unchanged");
    let validation = view.validation.as_ref().expect("validation");
    assert_eq!(
        (validation.pass_rate, validation.coverage, validation.passed),
        (Some(100.0), None, Some(true)),
        "the last run measured no coverage"
    );
    let runs: Vec<_> =
        validation.runs.iter().map(|run| (run.passed, run.failed, run.rows, run.coverage)).collect();
    assert_eq!(runs, [(2, 1, 4, Some(71.4)), (4, 0, 4, None)]);
    assert_eq!(validation.runs[0].duration_ms, Some(1834.0));
    assert_eq!(view.errors[0].message, "coverage script exited 1");
    let since = fact(&view, "summary.duration_since_created");
    assert_eq!(since, Some(&FactValue::Duration(3_240_000.0)), "the skill knows nothing else");
    assert_eq!(fact(&view, "summary.validate.coverage"), Some(&FactValue::NotMeasured));
    assert_eq!(fact(&view, "summary.develop.completion_rate"), Some(&FactValue::Percent(100.0)));
    assert_eq!(fact(&view, "summary.debug.root_cause_found"), Some(&FactValue::Flag(true)));
    assert!(view.extra.is_empty(), "{:?}", view.extra);
    assert_eq!(
        view.metadata.editable,
        ["title", "description", "max_iterations", "tags", "priority", "notes"]
    );
    assert_eq!(view.controls.len(), 7);
}

#[test]
fn times_of_the_skill_are_corrected_and_marked() {
    let view = read(DONE, &[]);
    assert!(view.times_shifted);
    let done = view.tasks[0].completed.as_ref().expect("time");
    assert_eq!((done.text.as_str(), done.shifted), ("2026-01-22T10:06:00.137Z", true));
    assert_eq!(done.ms, TimeView::read("2026-01-22T02:06:00.137Z", false).ms);
    let Some(FactValue::Time(created)) = fact(&view, "created_at") else { panic!("a time") };
    assert!(!created.shifted, "made by a server");
    for name in ["completed_at", "updated_at"] {
        let Some(FactValue::Time(time)) = fact(&view, name) else { panic!("a time") };
        assert!(time.shifted, "{name}");
    }
}

#[test]
fn test_rows_are_asked_for_by_run() {
    let test_rows =
        |text: &str, run: usize| test_runs(text.as_bytes(), &[], |_| run..run + 1).pop().unwrap_or_default();
    let rows = test_rows(DONE, 0);
    assert_eq!(rows.len(), 4);
    assert_eq!((rows[2].status.as_str(), rows[2].duration_ms), ("failed", Some(88.0)));
    assert_eq!(rows[2].error_message.as_deref(), Some("expected 423, got 401"));
    assert!(rows[2].stack_trace.as_ref().is_some_and(|stack| stack.contains("lockout.test.ts")));
    assert_eq!(test_rows(DONE, 1)[2].error_message, None);
    assert!(test_rows(DONE, 2).is_empty());
    let flat = with_skill("\"validate\":{\"test_results\":[{\"test_name\":\"a\",\"status\":\"passed\"}]}");
    assert_eq!(test_rows(&flat, 0)[0].name, "a");
}

#[test]
fn planned_files_are_not_shown_as_changed() {
    let view = read(PAUSED, &[]);
    assert_eq!(view.tasks[2].files_planned, ["src/auth/lockout.ts"]);
    assert!(view.tasks[2].files_changed.is_empty());
    let prep = with_skill(
        "\"develop\":{\"tasks\":[{\"id\":\"t\",\"status\":\"pending\",\"files_changed\":[\"p.ts\"],\"_depends_on\":[\"s\"],\"_effort\":\"small\",\"_convergence\":{\"criteria\":[\"c\"],\"verification\":\"v\",\"definition_of_done\":\"d\"}}]}",
    );
    let task = &read(&prep, &[]).tasks[0];
    assert_eq!((&task.files_planned[..], &task.files_changed[..]), (&["p.ts".to_owned()][..], &[][..]));
    assert_eq!(task.depends_on, ["s"]);
    assert_eq!(task.done_when, ["c", "v", "d"]);
    assert_eq!(task.extra[0].path, "_effort");
}

fn codes(skill: &str) -> Vec<Code> {
    read(&with_skill(skill), &[]).problems.iter().map(|problem| problem.code).collect()
}

const SECTIONS: &str = "\"debug\":{},\"validate\":{}";

#[test]
fn every_tolerated_shape_reads_without_a_wrong_problem() {
    let fine = [
        format!("\"develop\":{{\"total_count\":1,\"completed_count\":0,\"current_task_id\":\"t\",\"tasks\":[{{\"id\":\"t\",\"status\":\"Pending\",\"tool\":\"any\",\"mode\":\"any\"}}]}},{SECTIONS}"),
        format!("\"last_action\":\"action-debug-with-file\",\"current_action\":null,\"develop\":{{}},{SECTIONS}"),
        format!("\"current_action\":\"paused\",\"mode\":\"AUTO\",\"develop\":{{\"tasks\":null}},{SECTIONS}"),
        "\"develop\":{},\"debug\":{\"current_bug\":\"b\",\"hypotheses\":[{\"id\":\"H1\",\"status\":\"confirmed\",\"evidence\":{\"a\":1},\"verdict_reason\":null}],\"confirmed_hypothesis\":\"H1\"},\"validate\":{\"test_results\":null,\"coverage\":null}".to_owned(),
        "\"develop\":{},\"debug\":{},\"validate\":{\"pass_rate\":\"50.0\",\"coverage\":\"85%\",\"passed\":false,\"failed_tests\":[\"b\"],\"test_results\":[{\"test_name\":\"a\",\"status\":\"passed\"},{\"test_name\":\"b\",\"status\":\"failed\"}]}".to_owned(),
    ];
    for (index, skill) in fine.iter().enumerate() {
        // Claude's state between actions is valid, with a hint.
        let hints: &[Code] = if index == 1 { &[Code::T1_reads_as_new] } else { &[] };
        assert_eq!(codes(skill), hints, "{skill}");
    }
    let view = read(&with_skill(&fine[3]), &[]);
    let debug = view.debug.expect("debug");
    assert_eq!((debug.active_bug.as_deref(), debug.hypotheses[0].evidence_count), (Some("b"), 1));
    let view = read(&with_skill(&fine[4]), &[]);
    let validation = view.validation.expect("validation");
    assert_eq!((validation.pass_rate, validation.coverage), (Some(50.0), Some(85.0)));
    assert_eq!((validation.runs.len(), validation.runs[0].total, validation.runs[0].rows), (1, 2, 2));
}

#[test]
fn any_type_in_any_place_is_shown_or_left_out() {
    for value in [
        "7",
        "\"x\"",
        "[]",
        "[1,\"a\",null,{}]",
        "{}",
        "{\"overall\":{\"statements\":\"7%\"}}",
        "true",
        "null",
    ] {
        for key in ["develop", "debug", "validate", "errors", "summary", "completed_actions", "mode"] {
            let view = read(&with_skill(&format!("\"{key}\":{value}")), &[]);
            assert_eq!(view.controls.len(), 7, "{key} {value}");
        }
        for (section, key) in [
            ("develop", "tasks"),
            ("debug", "hypotheses"),
            ("validate", "test_results"),
            ("validate", "coverage"),
        ] {
            let view = read(&with_skill(&format!("\"{section}\":{{\"{key}\":{value}}}")), &[]);
            assert!(view.progress.is_some());
        }
    }
    assert_eq!(
        read(&with_skill("\"validate\":{\"coverage\":{\"overall\":{\"statements\":\"7%\"}}}"), &[])
            .validation
            .and_then(|v| v.coverage),
        Some(7.0)
    );
}

#[test]
fn contradictions_are_warnings_with_their_place() {
    let cases = [
        (
            "\"develop\":{\"total\":2,\"completed\":1,\"tasks\":[{\"id\":\"a\",\"status\":\"completed\"}]},\"debug\":{},\"validate\":{}",
            vec![Code::W1_counters],
        ),
        (
            "\"develop\":{},\"debug\":{\"hypotheses_count\":1,\"hypotheses\":[]},\"validate\":{}",
            vec![Code::W1_counters],
        ),
        (
            "\"develop\":{},\"debug\":{\"confirmed_hypothesis\":\"H9\"},\"validate\":{}",
            vec![Code::W5_confirmed_hypothesis],
        ),
        (
            "\"develop\":{\"tasks\":[{\"id\":\"a\"},{\"id\":\"a\"}]},\"debug\":{},\"validate\":{}",
            vec![Code::W5_duplicate_id],
        ),
        (
            "\"develop\":{},\"debug\":{},\"validate\":{\"pass_rate\":90,\"passed\":true,\"test_results\":[{\"summary\":{\"total\":2,\"passed\":1,\"failed\":1,\"pass_rate\":\"50.0\"}}]}",
            vec![Code::W6_validation_disagrees; 3],
        ),
        ("\"mode\":\"turbo\",\"develop\":{},\"debug\":{},\"validate\":{}", vec![Code::W7_unknown_word]),
        ("\"develop\":{},\"debug\":{}", vec![Code::W7_missing_section]),
        (
            "\"develop\":{\"last_progress_at\":\"yesterday\"},\"debug\":{},\"validate\":{}",
            vec![Code::W9_bad_time],
        ),
        (
            "\"develop\":{\"last_progress_at\":\"2030-01-01T00:00:00Z\"},\"debug\":{},\"validate\":{}",
            vec![Code::W9_bad_time],
        ),
        (
            "\"develop\":{\"tasks\":[{\"id\":\"a\",\"status\":\"in_progress\"}]},\"debug\":{},\"validate\":{}",
            vec![Code::W11_orphaned_task],
        ),
    ];
    for (skill, expected) in cases {
        assert_eq!(codes(skill), expected, "{skill}");
    }
}

#[test]
fn contradictions_between_runs_of_tests_are_warnings() {
    // The iteration identifies the latest run, not its position.
    let run = |iteration: u32, failed: u32| {
        format!("{{\"iteration\":{iteration},\"summary\":{{\"total\":2,\"passed\":1,\"failed\":{failed}}}}}")
    };
    let runs = |first, second| {
        codes(&format!(
            "\"develop\":{{}},\"debug\":{{}},\"validate\":{{\"passed\":true,\"test_results\":[{first},{second}]}}"
        ))
    };
    assert_eq!(runs(run(2, 0), run(1, 1)), []);
    assert_eq!(runs(run(1, 0), run(2, 1)), [Code::W6_validation_disagrees; 2]);
    // A run may keep only some of its tests, but no failed one may be missing.
    let totals = |failed: u32, total: u32, rows: &[&str]| {
        let rows: Vec<_> = rows.iter().map(|word| format!("{{\"status\":\"{word}\"}}")).collect();
        let run = format!(
            "{{\"iteration\":1,\"summary\":{{\"total\":{total},\"passed\":{},\"failed\":{failed}}},\"tests\":[{}]}}",
            total - failed,
            rows.join(",")
        );
        let failed = vec!["\"x\""; failed as usize].join(",");
        codes(&format!(
            "\"develop\":{{}},\"debug\":{{}},\"validate\":{{\"failed_tests\":[{failed}],\"test_results\":[{run}]}}"
        ))
    };
    assert_eq!(totals(1, 2, &["failed", "passed"]), []);
    assert_eq!(totals(2, 3, &["failed"]), []);
    assert_eq!(totals(0, 9, &["Failed"]), [Code::W6_totals_disagree]);
    assert_eq!(totals(2, 2, &["failed", "passed"]), [Code::W6_totals_disagree]);
}

#[test]
fn contradictions_of_status_limits_and_words_are_warnings() {
    let ends = |from: &str, to: &str, more: &str| {
        let text = with_skill(&format!("\"develop\":{{}},{SECTIONS}")).replace(from, to);
        let text = text.replacen('{', &format!("{{{more}"), 1);
        read(&text, &[]).problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(
        ends("", "", "\"failure_reason\":\"x\",\"completed_at\":\"2026-01-01T00:00:00Z\","),
        [Code::W4_stale_end; 2]
    );
    assert_eq!(ends("paused", "failed", ""), [Code::W4_missing_end; 2]);
    assert_eq!(ends("paused", "completed", ""), [Code::W4_missing_end, Code::W2_completed_unvalidated]);
    assert_eq!(ends(":10", ":1.5", ""), [Code::W8_out_of_range]);
    assert_eq!(ends("_iteration\":1,", "_iteration\":11,", ""), [Code::W8_out_of_range]);
    assert_eq!(ends("\"T\"", &format!("\"{}\"", "x".repeat(101)), ""), [Code::W8_out_of_range]);
    assert_eq!(ends("", "", "\"priority\":\"urgent\","), [Code::W7_unknown_word]);
}

fn companion(kind: CompanionKind, text: &str) -> Companion {
    Companion { kind, file: "side".to_owned(), bytes: text.as_bytes().to_vec(), cut: false }
}

#[test]
fn side_files_stand_in_for_what_the_master_lost() {
    let side = [
        companion(
            CompanionKind::Hypotheses,
            "{\"hypotheses\":[{\"id\":\"H2\",\"likelihood\":2},{\"id\":\"H1\",\"likelihood\":1}]}",
        ),
        companion(
            CompanionKind::TestResults,
            "{\"iteration\":3,\"summary\":{\"total\":4,\"passed\":3,\"failed\":1},\"tests\":[{}]}",
        ),
        companion(CompanionKind::Coverage, "{\"files\":[],\"overall\":{\"statements\":71.4}}"),
        companion(CompanionKind::TaskList, "{\"task_id\":\"t\",\"order\":0}"),
    ];
    let view = read(&with_skill(""), &side);
    let ids: Vec<_> = view.debug.iter().flat_map(|debug| &debug.hypotheses).map(|h| h.id.as_str()).collect();
    assert_eq!(ids, ["H1", "H2"], "by likelihood");
    let validation = view.validation.expect("validation");
    assert_eq!((validation.coverage, validation.runs[0].passed, validation.runs[0].rows), (Some(71.4), 3, 1));
    assert_eq!(view.task_list[0].id, "t");
    let damaged = [companion(CompanionKind::Hypotheses, "{"), companion(CompanionKind::TestResults, "")];
    assert!(read(&with_skill(""), &damaged).debug.is_none());
    assert_eq!(
        read(DONE, &side).validation.map(|validation| validation.runs.len()),
        Some(2),
        "the master wins"
    );
}

#[test]
fn unknown_fields_are_kept_in_view() {
    let text =
        with_skill("\"odd\":1,\"develop\":{\"odd\":[50.0]},\"debug\":{\"hypotheses\":[{\"odd\":null}]}")
            .replacen('{', "{\"error_policy\":{\"on_failure\":\"pause\"},\"_x\":\"y\",", 1);
    let extra: Vec<_> = read(&text, &[]).extra.into_iter().map(|field| (field.path, field.text)).collect();
    let expected = [
        ("error_policy", "{\"on_failure\": \"pause\"}"),
        ("_x", "\"y\""),
        ("skill_state.odd", "1"),
        ("skill_state.develop.odd", "[50.0]"),
        ("skill_state.debug.hypotheses[0].odd", "null"),
    ];
    assert_eq!(extra, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
}

#[test]
fn a_damaged_file_shows_its_complete_part_and_no_verb() {
    let view = read(&format!("{DONE}\n  }}\n}}"), &[]);
    assert_eq!(view.problems[0].code, Code::E1_trailing_garbage);
    assert_eq!(view.tasks.len(), 4);
    let allowed: Vec<_> =
        view.controls.iter().filter(|control| control.refusal.is_none()).map(|c| c.verb).collect();
    assert_eq!(allowed, [crate::control::Verb::Delete]);
}

#[test]
fn a_report_that_says_fail_contradicts_passed() {
    for (word, expected) in [("❌ FAIL", 1), ("✅ PASS", 0), ("?", 0)] {
        let report = format!("# Validation Report\n\n## Validation Decision\n\n**Result**: {word}\n");
        let companions = [companion(CompanionKind::ValidateDoc, &report)];
        let view = read(DONE, &companions);
        let found = view.problems.iter().filter(|problem| problem.code == Code::W6_validation_disagrees);
        assert_eq!(found.count(), expected, "{word}");
    }
}

#[test]
fn without_runs_in_the_master_the_side_file_is_the_latest_run() {
    let results =
        "{\"iteration\":3,\"summary\":{\"total\":2,\"passed\":1,\"failed\":1,\"pass_rate\":\"50.0\"}}";
    let beside = [companion(CompanionKind::TestResults, results)];
    let found = |validate: &str| {
        let skill = format!("\"develop\":{{}},\"debug\":{{}},\"validate\":{{{validate}}}");
        let problems = read(&with_skill(&skill), &beside).problems;
        problems.into_iter().map(|problem| (problem.code, problem.path)).collect::<Vec<_>>()
    };
    let lost = [(Code::W6_validation_disagrees, "skill_state.validate.test_results".to_owned())];
    let stored = "\"pass_rate\":100,\"passed\":true,\"failed_tests\":[]";
    assert_eq!(found(stored), lost);
    let run = ",\"test_results\":[{\"iteration\":3,\"summary\":{\"total\":2,\"passed\":1,\"failed\":1,\"pass_rate\":\"50.0\"}}]";
    let stored = "\"pass_rate\":50,\"passed\":false,\"failed_tests\":[\"b\"]";
    assert_eq!(found(&format!("{stored}{run}")), [], "the master has it too");
}

#[test]
fn older_names_at_the_top_level_are_read() {
    let text = with_skill(&format!("\"develop\":{{}},{SECTIONS}"))
        .replace("\"loop_id\"", "\"session_id\"")
        .replace("\"title\"", "\"task_description\"")
        .replace("\"current_iteration\"", "\"iteration_count\"");
    let view = read(&text, &[]);
    assert_eq!(view.problems, []);
    assert_eq!(fact(&view, "description"), Some(&FactValue::Text("T".to_owned())));
    assert_eq!(fact(&view, "loop_id"), Some(&FactValue::Code(STEM.to_owned())));
    assert!(view.extra.is_empty(), "{:?}", view.extra);
    let both = read(&text.replacen('{', "{\"description\":\"newer\",", 1), &[]);
    assert_eq!(both.extra[0].path, "task_description", "nothing is out of view");
    let wrong = |from: &str, to: &str| read(&text.replace(from, to), &[]).problems[0].code;
    assert_eq!(wrong("_count\":1", "_count\":11"), Code::W8_out_of_range);
    assert_eq!(wrong("_count\":1", "_count\":-1"), Code::E6_bad_iteration);
}

#[test]
fn an_update_older_than_the_times_of_the_skill_is_named() {
    let at = |written: &str, done: &str| {
        let text = with_skill(&format!(
            "\"develop\":{{\"tasks\":[{{\"id\":\"a\",\"status\":\"completed\",\"completed_at\":\"2026-01-22T{done}:00+08:00\"}}]}},{SECTIONS}"
        ));
        let text = text.replacen('{', &format!("{{\"updated_at\":\"2026-01-22T{written}:00+08:00\","), 1);
        read(&text, &[])
            .problems
            .into_iter()
            .filter(|problem| problem.code == Code::W9_bad_time)
            .map(|problem| (problem.code, problem.path))
            .collect::<Vec<_>>()
    };
    assert_eq!(at("10:00", "10:04"), []);
    assert_eq!(at("10:00", "10:30"), [(Code::W9_bad_time, "updated_at".to_owned())]);
}

#[test]
fn hypotheses_that_say_the_same_share_a_rank_and_those_that_say_nothing_have_none() {
    let listed = |id: &str, likelihood: &str| {
        format!("{{\"id\":\"{id}\",\"likelihood\":{likelihood},\"status\":\"x\"}}")
    };
    let all = [("d", "null"), ("c", "3"), ("a", "1"), ("s", "0.5"), ("b", "\"1\""), ("n", "\"often\"")];
    let all = all.map(|(id, likelihood)| listed(id, likelihood)).join(",");
    let view = read(&with_skill(&format!("\"debug\":{{\"hypotheses\":[{all}]}}")), &[]);
    let ranked: Vec<_> = view.debug.iter().flat_map(|debug| &debug.hypotheses).collect();
    let ranked: Vec<_> =
        ranked.iter().map(|one| (one.id.as_str(), one.rank.map(|rank| rank.order))).collect();
    let expected = [("s", Some(1)), ("a", Some(2)), ("b", Some(2)), ("c", Some(3)), ("d", None), ("n", None)];
    assert_eq!(ranked, expected);
}

#[test]
fn evidence_is_counted_as_the_file_has_it() {
    for (evidence, count) in
        [("null", 0), ("[]", 0), ("{}", 1), ("[1,2]", 2), ("\"seen\"", 1), ("0", 1), ("{\"a\":1}", 1)]
    {
        let skill = format!("\"debug\":{{\"hypotheses\":[{{\"id\":\"H1\",\"evidence\":{evidence}}}]}}");
        let view = read(&with_skill(&skill), &[]);
        assert_eq!(view.debug.expect("a section").hypotheses[0].evidence_count, count, "{evidence}");
    }
}
