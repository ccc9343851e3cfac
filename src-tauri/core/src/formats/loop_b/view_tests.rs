//! What a person sees of the sample loop, and of worker outputs in all forms (the CCW contract §8).

use super::*;
use crate::control::Verb;
use crate::formats::ccw::progress_docs::records::Confidence;
use crate::status::StatusWord;
use crate::view::CompanionKind;
use crate::view::{RankView, RankedBy};

const STEM: &str = "loop-b-20260122T110000-k3v9x2ab";
const SAMPLE: &str = include_str!(
    "../../../../../tests/fixtures/ccw/codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab.json"
);

fn read(text: &str, companions: &[Companion]) -> LoopDetail {
    let now = crate::times::parse("2026-01-22T11:20:00Z").expect("time");
    let facts = FileFacts { stem: STEM, modified: now, now };
    detail(text.as_bytes(), &facts, &Situation { shown: StatusWord::RunningElsewhere, now }, companions)
}

fn output(action: &str, text: &str) -> Companion {
    let file = format!("{STEM}.workers/{action}.output.json");
    Companion { kind: CompanionKind::WorkerOutput, file, bytes: text.as_bytes().to_vec(), cut: false }
}

fn sides(view: &LoopDetail, at: usize) -> Vec<&str> {
    view.conflicts[at].sides.iter().map(|side| side.action.as_str()).collect()
}

fn parallel(results: &str) -> String {
    format!(
        "{{\"loop_id\":\"{STEM}\",\"title\":\"T\",\"mode\":\"parallel\",\"status\":\"running\",\"current_iteration\":1,\"max_iterations\":10,\"skill_state\":{{\"phase\":\"init\",\"action_index\":-1,\"parallel_results\":{results}}}}}"
    )
}

#[test]
fn the_sample_shows_workers_tasks_and_the_merge() {
    let view = read(SAMPLE, &[]);
    let actions: Vec<_> = view.workers.iter().map(|worker| worker.action.as_str()).collect();
    assert_eq!(actions, ["develop", "debug"], "validate is null");
    assert_eq!(view.workers[0].loop_back_to, None, "the text \"null\" is none");
    assert_eq!(view.workers[1].loop_back_to.as_deref(), Some("develop"));
    assert!(view.workers[0].detail.as_ref().is_some_and(|text| text.contains("lines_added: 180")));
    assert_eq!(view.tasks.len(), 3);
    assert_eq!(sides(&view, 0), ["develop", "debug"]);
    assert!(view.merged_at.is_some());
    assert_eq!(view.metadata.editable, ["title", "description", "max_iterations"]);
    let resume = view.controls.iter().find(|control| control.verb == Verb::Resume).expect("offered");
    assert_eq!(resume.args["command"], format!("/ccw-loop-b --loop-id={STEM} --mode=parallel"));
    let pause = view.controls.iter().find(|control| control.verb == Verb::Pause).expect("offered");
    assert!(pause.refusal.is_some());
}

#[test]
fn worker_outputs_are_read_in_every_shape() {
    let files = [
        output(
            "validate",
            "{\"action\":\"validate\",\"summary\":{\"total\":113,\"passed\":111,\"failed\":2},\"coverage\":85,\"quality\":{\"lint\":true}}",
        ),
        output(
            "develop",
            "{\"action\":\"unknown\",\"status\":\"unknown\",\"next_suggestion\":\"develop (if tests fail)\",\"detailed_output\":\"raw\"}",
        ),
        output(
            "debug",
            "{\"action\":\"debug\",\"status\":\"success\",\"loop_back_to\":null,\"detailed_output\":{\"metrics\":{\"lines_added\":150}}}",
        ),
        output("complete", "{torn"),
        output("init", " \n"),
        output("review", "[\"done\"]"),
    ];
    let view = read(&parallel("null"), &files);
    let actions: Vec<_> = view.workers.iter().map(|worker| worker.action.as_str()).collect();
    let all = ["init", "develop", "debug", "validate", "complete", "review"];
    assert_eq!(actions, all, "the file names an unknown action, and those that hold nothing");
    assert_eq!(view.workers[1].next_suggestion.as_deref(), Some("develop"));
    assert_eq!(view.workers[1].detail.as_deref(), Some("raw"));
    assert_eq!((view.workers[2].report.lines_added, view.workers[2].detail.as_deref()), (Some(150), None));
    assert!(view.workers[3].detail.as_ref().is_some_and(|text| text.contains("quality: ")));
    let validation = view.validation.expect("validation");
    assert_eq!((validation.coverage, validation.runs[0].failed), (Some(85.0), 2));
    assert!(view.problems.iter().any(|problem| problem.code == Code::W10_bad_line));
    let says = |code| view.problems.iter().find(|problem| problem.code == code).map(|problem| &problem.args);
    let (empty, bad) = (says(Code::W10_empty_output).unwrap(), says(Code::W10_bad_output).unwrap());
    assert!(empty["file"].ends_with("init.output.json") && bad["file"].ends_with("review.output.json"));
    assert_eq!(bad["found"], "[\"done\"]");
    assert!(
        view.facts.iter().any(|fact| fact.name == "action_index" && fact.value == FactValue::Number(0.0))
    );
}

#[test]
fn parallel_results_are_read_in_three_shapes() {
    let raw = read(&parallel("{\"develop\":\"WORKER_RESULT: …\",\"debug\":null,\"validate\":\"text\"}"), &[]);
    assert_eq!(raw.workers.len(), 2);
    assert_eq!(raw.workers[0].detail.as_deref(), Some("WORKER_RESULT: …"));
    let seed = read(
        &parallel(
            "{\"develop\":{\"status\":\"success\",\"summary\":\"s\",\"suggestions\":[\"x\"]},\"validate\":{\"test_results\":{\"total\":2,\"passed\":2},\"coverage\":{}}}",
        ),
        &[],
    );
    assert_eq!((seed.workers[0].status.as_str(), seed.workers[0].summary.as_str()), ("success", "s"));
    assert_eq!(seed.validation.map(|validation| validation.runs[0].passed), Some(2));
    let rows = parallel("{\"validate\":{\"test_results\":[{\"test_name\":\"a\",\"status\":\"passed\"}]}}");
    assert_eq!(test_rows(rows.as_bytes(), 0, &[]).len(), 1);
    assert!(test_rows(rows.as_bytes(), 1, &[]).is_empty());
}

#[test]
fn tests_beside_the_loop_belong_to_the_run_that_counts_as_many() {
    let results = Companion {
        kind: CompanionKind::TestResults,
        file: format!("{STEM}.progress/test-results.json"),
        bytes: b"{\"tests\":[{\"test_name\":\"a\",\"status\":\"passed\"},{\"test_name\":\"b\",\"status\":\"failed\"}],\"summary\":{\"total\":2,\"passed\":1,\"failed\":1}}".to_vec(),
        cut: false,
    };
    let shown = |master: &str, beside: &[Companion]| {
        let runs = read(master, beside).validation.map(|validation| validation.runs).unwrap_or_default();
        let rows = test_rows(master.as_bytes(), 0, beside);
        let counts: Vec<(u32, u32)> = runs.iter().map(|run| (run.total, run.rows)).collect();
        (counts, rows.into_iter().map(|row| row.name).collect::<Vec<_>>())
    };
    let names = || vec!["a".to_owned(), "b".to_owned()];
    let alone = parallel("{}");
    assert_eq!(shown(&alone, std::slice::from_ref(&results)), (vec![(2, 2)], names()));
    let worker = |total: u32| {
        output(
            "validate",
            &format!("{{\"action\":\"validate\",\"summary\":{{\"total\":{total},\"passed\":1}}}}"),
        )
    };
    assert_eq!(shown(&alone, &[worker(2), results.clone()]), (vec![(2, 2)], names()));
    assert_eq!(shown(&alone, &[worker(7), results.clone()]), (vec![(7, 0)], vec![]), "of another run");
    let own = parallel("{\"validate\":{\"test_results\":[{\"test_name\":\"own\",\"status\":\"passed\"}]}}");
    assert_eq!(shown(&own, &[results]).1, ["own"], "what the file has itself comes first");
}

#[test]
fn missing_conflicts_are_recomputed_from_the_workers() {
    let files = [
        output("develop", "{\"action\":\"develop\",\"files_changed\":[\"a\",\"b\",\"a\"]}"),
        output("debug", "{\"action\":\"debug\",\"files_changed\":[\"b\"]}"),
        output("validate", "{\"action\":\"validate\",\"files_changed\":[\"b\",\"c\"]}"),
    ];
    let met = |text: &str| -> Vec<String> {
        let view = read(text, &files);
        let met = view.conflicts.iter().enumerate();
        met.map(|(at, conflict)| format!("{}: {}", conflict.file, sides(&view, at).join("+"))).collect()
    };
    assert_eq!(met(&parallel("{\"develop\":\"x\"}")), ["b: develop+debug+validate"]);
    assert_eq!(met(&parallel("{\"conflicts\":[]}")), [""; 0], "as written when it is there");
    assert_eq!(
        met(&parallel("{}").replace("\"parallel\"", "\"auto\"")),
        [""; 0],
        "one after the other is no conflict"
    );
}

#[test]
fn a_task_in_both_lists_is_named() {
    let both = SAMPLE.replace(
        "\"completed_tasks\": []",
        "\"completed_tasks\": [{\"id\": \"T2\", \"status\": \"completed\"}, {\"id\": \"T9\"}]",
    );
    let problems = read(&both, &[]).problems;
    let twice: Vec<_> = problems.iter().filter(|problem| problem.code == Code::W5_duplicate_id).collect();
    assert_eq!(twice.len(), 1);
    assert_eq!(
        (twice[0].path.as_str(), twice[0].args["found"].as_str()),
        ("skill_state.completed_tasks[0].id", "T2")
    );
}

#[test]
fn a_conflict_shows_both_sides_however_it_is_written() {
    let files = [
        output("develop", "{\"action\":\"develop\",\"files_changed\":[\"./src/a.ts\"]}"),
        output("debug", "{\"action\":\"debug\",\"files_changed\":[\"src/a.ts\"]}"),
    ];
    for results in [
        "{\"conflicts\":[\"src/a.ts\"]}",
        "{\"conflicts\":[{\"file\":\"src/a.ts\"}]}",
        "{\"develop\":\"raw\"}",
    ] {
        let view = read(&parallel(results), &files);
        assert_eq!(view.conflicts.len(), 1, "{results}");
        assert_eq!(sides(&view, 0), ["develop", "debug"], "{results}");
        for side in &view.conflicts[0].sides {
            let worker = &view.workers[side.worker.expect("handed in") as usize];
            assert_eq!((&worker.action, worker.files_changed.len()), (&side.action, 1));
        }
    }
    let written = read(
        &parallel("{\"conflicts\":[{\"file\":\"src/a.ts\",\"workers\":[\"debug\",\"validate\"]}]}"),
        &files,
    );
    assert_eq!(sides(&written, 0), ["debug", "validate"], "as written");
}

#[test]
fn the_files_beside_the_sample_are_shown() {
    macro_rules! beside {
        ($kind:ident, $file:literal) => {
            Companion {
                kind: CompanionKind::$kind,
                file: $file.to_owned(),
                bytes: include_bytes!(concat!(
                    "../../../../../tests/fixtures/ccw/codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab",
                    $file
                ))
                .to_vec(),
                cut: false,
            }
        };
    }
    let files = [
        beside!(DevelopDoc, ".progress/develop.md"),
        beside!(DebugDoc, ".progress/debug.md"),
        beside!(ValidateDoc, ".progress/validate.md"),
        beside!(WorkerOutput, ".workers/init.output.json"),
        beside!(WorkerOutput, ".workers/develop.output.json"),
        beside!(WorkerOutput, ".workers/debug.output.json"),
    ];
    let view = read(SAMPLE, &files);
    let debug = view.debug.expect("from debug.md");
    assert_eq!(debug.hypotheses[0].description, "missing idempotency key");
    let by = RankedBy::Confidence(Confidence::High);
    assert_eq!(
        (debug.hypotheses[0].likelihood, debug.hypotheses[0].rank),
        (None, Some(RankView { order: 1, by }))
    );
    assert!(debug.hypotheses[0].mechanism.is_some());
    // The coordinator's output of the validate worker has no counts, but the report does.
    let validation = view.validation.expect("from validate.md");
    assert_eq!((validation.runs[0].passed, validation.runs[0].total), (111, 113));
    assert_eq!(validation.failed_tests, ["refunds twice", "currency rounding"]);
    assert_eq!(validation.coverage, Some(85.0));
    let events: Vec<_> =
        view.events.iter().map(|event| (event.kind, event.subject.as_deref().unwrap_or_default())).collect();
    use crate::view::EventKind as E;
    let expected = [
        (E::Worker, "init"),
        (E::ValidateEntry, ""),
        (E::DevelopEntry, "T1"),
        (E::Worker, "develop"),
        (E::Worker, "debug"),
    ];
    assert_eq!(events, expected);
    assert_eq!(view.events[1].file, ".progress/validate.md");
    assert_eq!(view.events[2].files, ["src/pay/gateway.ts", "src/pay/index.ts"]);
}

#[test]
fn words_of_workers_modes_and_phases_are_typed() {
    use crate::formats::loop_b::create::WorkMode;
    let files = [
        output(
            "develop",
            "{\"action\":\"Develop\",\"status\":\"SUCCESS\",\"next_suggestion\":\"Validate soon\"}",
        ),
        output("debug", "{\"action\":\"debug\",\"status\":\"swarmed\",\"loop_back_to\":\"develop\"}"),
    ];
    let view =
        read(&SAMPLE.replace("\"findings\": []", "\"findings\": [\" [x\", {\"a\": 1}, \"x [\"]"), &files);
    let of = |action: &str| view.workers.iter().find(|worker| worker.action == action).expect("handed in");
    let (develop, debug) = (of("Develop"), of("debug"));
    assert_eq!((develop.phase, develop.outcome), (Some(CcwPhase::Develop), WorkerOutcome::Success));
    assert_eq!(
        (develop.next, develop.next_suggestion.as_deref()),
        (Some(CcwPhase::Validate), Some("Validate"))
    );
    assert_eq!((debug.outcome, debug.status.as_str()), (WorkerOutcome::Other, "swarmed"));
    assert_eq!(debug.back, Some(CcwPhase::Develop));
    let way = view.way.as_ref().expect("a way");
    assert_eq!((way.mode, way.here), (Some(WorkMode::Parallel), Some(CcwPhase::Init)));
    let shapes: Vec<_> = view.findings.iter().map(|finding| finding.shape).collect();
    assert_eq!(shapes, [FindingShape::Data, FindingShape::Data, FindingShape::Prose]);
    let swarm = read(&SAMPLE.replace("\"parallel\"", "\"Swarm\""), &[]).way.expect("a way");
    assert_eq!((swarm.mode, swarm.mode_word.as_str()), (None, "Swarm"));
}

#[test]
fn a_torn_line_of_the_log_is_told_while_workers_write() {
    let torn = |text: &str| {
        let (kind, file) = (CompanionKind::ChangesLog, "changes.log".to_owned());
        let view = read(&parallel("null"), &[Companion { kind, file, bytes: text.into(), cut: false }]);
        view.problems.iter().filter(|problem| problem.code == Code::W10_bad_line).count()
    };
    assert_eq!((torn("{\"task\n"), torn("{\"task"), torn("{\"task_id\":\"T1\"}\n")), (1, 0, 0));
}
