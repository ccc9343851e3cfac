//! Steps of the work by hand, on real files: the state file and the files next to it change together, and are
//! undone together, byte for byte.

use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::{self, Correction, NewAtom, ObjectivePatch};
use loopdeck_core::formats::loop_b::operation::LoopBOperation as LoopB;
use loopdeck_core::phase::Phase;
use loopdeck_core::problem::{Problem, ProblemCode, Severity};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::LoopDetail;
use loopdeck_runtime::views::{Failure, FailureKind, LoopChange, VerbOptions};
use loopdeck_tests::live::{self, Live, ROOT, loop_v2};
use loopdeck_tests::steps::{self, begin, complete, debug, develop, hypothesis, init, output, validate};
use std::fs;
use std::io::Write as _;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const AOT: &str = ".claude/aot-loop-state.md";

/// A loop that a person has just started and nobody else works on.
fn started() -> Live {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "created")).unwrap();
    });
    live.act(NAME, Verb::Start).unwrap();
    live.wait_for_word(NAME, StatusWord::Interrupted);
    live
}

fn beside(live: &Live, name: &str) -> String {
    live.read(&format!("{ID}.progress/{name}"))
}

fn refusal(done: Result<(), Failure>) -> RefusalCode {
    done.unwrap_err().refusal.expect("a refusal").code
}

/// Carries out `change`, undoes and redoes it, byte for byte for every file it touched. Returns the page
/// afterwards.
fn done_undone_redone(live: &Live, key: &str, change: &LoopChange) -> LoopDetail {
    let before = live.files();
    live.runtime.change(key, change.clone()).unwrap_or_else(|failure| panic!("{change:?}: {failure:?}"));
    let after = live.files();
    assert_ne!(before, after, "{change:?} changed nothing");
    live.runtime.undo(key).unwrap();
    assert_eq!(live.files(), before, "undone: {change:?}");
    live.runtime.undo(key).unwrap();
    assert_eq!(live.files(), after, "redone: {change:?}");
    let detail = live.runtime.open_loop(key).unwrap().detail;
    // Work that a person starts by hand has no known agent, and work they complete has no verification.
    let by_hand =
        [ProblemCode::W11_orphaned_task, ProblemCode::V16_orphaned_atom, ProblemCode::V17_not_verified];
    let wrong =
        |problem: &&Problem| problem.severity >= Severity::Warning && !by_hand.contains(&problem.code);
    let wrong: Vec<_> = detail.problems.iter().filter(wrong).collect();
    assert!(wrong.is_empty(), "after {change:?}: {wrong:#?}");
    detail
}

#[test]
fn a_whole_loop_v2_by_hand() {
    let mut live = started();
    let key = live.key(NAME);
    let step = |live: &Live, change: LoopChange| done_undone_redone(live, &key, &change);
    assert_eq!(step(&live, init(&["task-001", "task-002"])).tasks.len(), 2);
    assert!(beside(&live, "develop.md").contains("do task-001"));
    let tasks = step(&live, begin("task-001")).tasks;
    assert_eq!(tasks[0].status, "in_progress");
    let tasks = step(&live, develop("task-001")).tasks;
    assert_eq!((tasks[0].status.as_str(), tasks[1].status.as_str()), ("completed", "pending"));
    step(&live, develop("task-002"));
    assert_eq!(beside(&live, "changes.log").lines().count(), 2);
    assert_eq!(beside(&live, "develop.md").matches("### Iteration").count(), 2);
    assert_eq!(beside(&live, "develop.md").matches("do task-001").count(), 2, "one head, one entry");
    let run = step(&live, validate(1, 1)).validation.unwrap();
    assert_eq!(run.failed_tests, ["failed 0"]);
    step(&live, debug(vec![hypothesis("H1", "pending"), hypothesis("H2", "pending")], None));
    let found = step(&live, debug(vec![hypothesis("H1", "confirmed")], Some("H1"))).debug.unwrap();
    assert_eq!(found.hypotheses.len(), 2);
    assert!(beside(&live, "hypotheses.json").contains("\"confirmed\""));
    step(&live, validate(2, 0));
    assert!(!step(&live, complete()).summary.is_empty());
    live.wait_for_word(NAME, StatusWord::Completed);
    assert!(beside(&live, "summary.md").contains("Good"));
    assert_eq!(refusal(live.change(NAME, develop("task-001"))), RefusalCode::Finished);
}

#[test]
fn what_stands_beside_is_appended_to_and_a_line_without_end_is_ended() {
    let live = started();
    let folder = live.path(&format!("{ID}.progress"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("develop.md"), "# Theirs\r\n").unwrap();
    fs::write(folder.join("changes.log"), "{\"theirs\": 1}").unwrap();
    live.change(NAME, init(&["task-001"])).unwrap();
    assert_eq!(
        beside(&live, "develop.md"),
        "# Theirs\r\n",
        "INIT has nothing to add to a text that is there"
    );
    live.change(NAME, develop("task-001")).unwrap();
    assert!(beside(&live, "develop.md").starts_with("# Theirs\r\n\r\n### Iteration"));
    let log = beside(&live, "changes.log");
    assert!(log.starts_with("{\"theirs\": 1}\n{\"timestamp\""), "{log}");
}

#[test]
fn a_foreign_write_into_any_of_the_files_refuses_the_undo_of_all() {
    for name in [format!("{ID}.progress/changes.log"), format!("{ID}.progress/develop.md"), NAME.to_owned()] {
        let live = started();
        live.change(NAME, init(&["task-001"])).unwrap();
        live.change(NAME, develop("task-001")).unwrap();
        let mut file = fs::File::options().append(true).open(live.path(&name)).unwrap();
        file.write_all(b"\n").unwrap();
        let before = live.files();
        let failure = live.undo(NAME).unwrap_err();
        assert_eq!(failure.kind, FailureKind::ChangedSince, "{name}");
        assert!(failure.args["path"].ends_with(&name), "{failure:?}");
        assert_eq!(live.files(), before, "{name}");
    }
}

#[test]
fn a_file_that_went_away_refuses_the_undo() {
    let live = started();
    live.change(NAME, init(&["task-001"])).unwrap();
    fs::remove_file(live.path(&format!("{ID}.progress/develop.md"))).unwrap();
    let before = live.files();
    assert_eq!(live.undo(NAME).unwrap_err().kind, FailureKind::ChangedSince);
    assert_eq!(live.files(), before);
}

#[test]
fn undo_takes_back_one_step_and_no_neighbour() {
    // Another loop whose name starts with this one's.
    let other = format!("{ID}.x.json");
    let mut live = started();
    live.write(&other, loop_v2(&format!("{ID}.x"), "created"));
    live.wait_for("the other loop", |live| live.row(&other).is_some());
    live.change(NAME, init(&["task-001", "task-002"])).unwrap();
    live.change(NAME, develop("task-001")).unwrap();
    let before = live.files();
    live.change(NAME, develop("task-002")).unwrap();
    live.act(&other, Verb::Start).unwrap();
    let started = live.read(&other);
    live.undo(NAME).unwrap();
    assert_eq!(live.read(&other), started, "the neighbour stays");
    live.undo(&other).unwrap();
    assert_eq!(live.files(), before);
}

#[test]
fn steps_are_undone_after_a_restart() {
    let live = started();
    let before = live.files();
    live.change(NAME, init(&["task-001"])).unwrap();
    let live = live.restarted();
    live.undo(NAME).unwrap();
    assert_eq!(live.files(), before);
    live.change(NAME, init(&["task-001"])).unwrap();
    assert!(beside(&live, "develop.md").contains("do task-001"), "begun again with its head");
}

#[test]
fn steps_are_refused_while_somebody_else_drives() {
    let mut live = Live::new();
    live.write(NAME, loop_v2(ID, "running"));
    live.wait_for_word(NAME, StatusWord::RunningElsewhere);
    let before = live.files();
    assert_eq!(refusal(live.change(NAME, init(&["task-001"]))), RefusalCode::ForeignOwner);
    assert_eq!(refusal(live.change(NAME, steps::aot(aot::AotOperation::Complete))), RefusalCode::NotInFormat);
    assert_eq!(live.files(), before);
}

// --- Loop-B ---------------------------------------------------------------------------------------------------------

const B: &str = "loop-b-20260122T110000-k3v9x2ab.json";

fn loop_b(mode: &str) -> Live {
    let text = format!(
        "{{\n  \"loop_id\": \"{}\",\n  \"title\": \"T\",\n  \"description\": \"D\",\n  \"max_iterations\": 10,\n  \"mode\": \"{mode}\",\n  \
         \"status\": \"running\",\n  \"current_iteration\": 0,\n  \"created_at\": \"2026-11-20T04:20:21.870Z\",\n  \
         \"updated_at\": \"2026-11-20T04:20:21.870Z\"\n}}\n",
        B.trim_end_matches(".json")
    );
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(B), text.replace("running", "created")).unwrap();
    });
    live.act(B, Verb::Start).unwrap();
    live.wait_for_word(B, StatusWord::Interrupted);
    live
}

fn planned() -> LoopChange {
    let tasks = vec![steps::task("T1"), steps::task("T2")];
    steps::loop_b(LoopB::Planned { output: output("init", &[]), tasks })
}

fn enter(phase: &str) -> LoopChange {
    steps::loop_b(LoopB::Enter { phase: phase.into() })
}

#[test]
fn a_whole_loop_b_by_hand() {
    let mut live = loop_b("auto");
    let key = live.key(B);
    let step = |live: &Live, change: LoopChange| done_undone_redone(live, &key, &change);
    assert_eq!(step(&live, planned()).tasks.len(), 2);
    step(&live, enter("develop"));
    let worked = steps::loop_b(LoopB::WorkerDone { output: output("develop", &["T2"]) });
    let detail = step(&live, worked);
    assert!(
        detail.tasks.iter().any(|task| task.id == "T2" && task.status == "completed"),
        "{:?}",
        detail.tasks
    );
    assert!(detail.workers.iter().any(|worker| worker.action == "develop"), "{:?}", detail.workers);
    let stem = B.trim_end_matches(".json");
    assert!(live.read(&format!("{stem}.workers/develop.output.json")).contains("\"success\""));
    assert!(live.read(&format!("{stem}.progress/develop.md")).contains("**Task ID**: T2"));
    assert_eq!(refusal(live.change(B, enter("complete"))), RefusalCode::WrongStep);
    step(&live, steps::loop_b(LoopB::WorkerDone { output: output("develop", &["T1"]) }));
    step(&live, enter("validate"));
    step(&live, steps::loop_b(LoopB::WorkerDone { output: output("validate", &[]) }));
    step(&live, enter("complete"));
    let done = LoopB::Complete { executive: "Good".into(), recommendations: Vec::new(), worked_ms: None };
    step(&live, steps::loop_b(done));
    live.wait_for_word(B, StatusWord::Completed);
}

#[test]
fn a_parallel_merge_by_hand() {
    let live = loop_b("parallel");
    let key = live.key(B);
    done_undone_redone(&live, &key, &planned());
    let outputs = vec![output("develop", &[]), output("debug", &[])];
    let merge = steps::loop_b(LoopB::Merge { outputs });
    let detail = done_undone_redone(&live, &key, &merge);
    assert_eq!(detail.conflicts.len(), 1, "both changed src/a.rs");
    assert!(detail.merged_at.is_some());
}

// --- AoT ------------------------------------------------------------------------------------------------------------

fn aot_loop(text: String) -> (Live, String) {
    let live = Live::with(|workspace| {
        fs::create_dir_all(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(AOT), text).unwrap();
    });
    let key = live.rows[AOT].key.clone();
    (live, key)
}

fn atom(description: &str) -> NewAtom {
    NewAtom { description: description.into(), ..NewAtom::default() }
}

#[test]
fn a_whole_aot_loop_by_hand() {
    use aot::AotOperation as AotStep;
    let (mut live, key) = aot_loop(live::aot("pending", 0));
    live.runtime.act(&key, Verb::Start, VerbOptions::default()).unwrap();
    live.wait_for("started", |live| live.rows[AOT].word == StatusWord::Interrupted);
    let step = |live: &Live, step| done_undone_redone(live, &key, &steps::aot(step));
    let children = vec![atom("First half"), atom("Second half")];
    let parts = step(&live, AotStep::Decompose { parent: "A1".into(), children, reason: "Too large".into() });
    assert_eq!((parts.atoms.len(), parts.decompositions.len()), (3, 1));
    let change =
        Correction::Objective(ObjectivePatch { goal: Some("Ship more".into()), ..Default::default() });
    let turned = step(&live, AotStep::Redirect { change, description: "More of it".into() });
    assert_eq!(turned.objective.unwrap().goal, "Ship more");
    assert!(turned.corrections.len() == 1);
    let way = |words: &str| NewAtom { or_group: Some("way".into()), ..atom(words) };
    let add =
        |atom| AotStep::Redirect { change: Correction::AddAtom(atom), description: "Another way".into() };
    step(&live, add(way("Quick")));
    step(&live, add(way("Slow")));
    let selected = step(&live, AotStep::Select { group: "way".into(), id: None, reason: "Quick".into() });
    assert_eq!(selected.or_groups[0].selected.as_deref(), Some("A4"));
    step(&live, AotStep::StartAtoms { ids: vec!["A4".into()] });
    let back = step(&live, AotStep::Backtrack { id: "A4".into(), why: "too quick".into() });
    assert_eq!((back.or_groups[0].selected.as_deref(), back.trail.len()), (Some("A5"), 2));
    for id in ["A2", "A3", "A5"] {
        step(&live, AotStep::StartAtoms { ids: vec![id.into()] });
        step(&live, AotStep::Resolve { id: id.into(), summary: "Done".into(), artifacts: Vec::new() });
    }
    step(&live, AotStep::ResolveContainers);
    let complete = live.runtime.change(&live.key(AOT), steps::aot(AotStep::Complete));
    assert_eq!(refusal(complete), RefusalCode::NotDone, "nobody says so without a passing completion check");
    live.wait_for("all work done", |live| {
        matches!(live.rows[AOT].phase, Some(Phase::Atoms { resolved, total, .. }) if resolved == total)
    });
}

#[test]
fn a_loop_that_runs_elsewhere_is_held_before_its_direction_changes() {
    use aot::AotOperation as AotStep;
    let (mut live, key) = aot_loop(live::aot("running", 2));
    live.wait_for("running elsewhere", |live| live.rows[AOT].word == StatusWord::RunningElsewhere);
    let change = Correction::AddAtom(atom("More"));
    let redirect = steps::aot(AotStep::Redirect { change, description: "More of it".into() });
    assert_eq!(refusal(live.runtime.change(&key, redirect.clone())), RefusalCode::Running);
    let begin = steps::aot(AotStep::StartAtoms { ids: vec!["A1".into()] });
    assert_eq!(refusal(live.runtime.change(&key, begin)), RefusalCode::ForeignOwner);
    done_undone_redone(&live, &key, &steps::aot(AotStep::HoldForRedirect));
    assert!(fs::read_to_string(live.workspace.join(AOT)).unwrap().contains("redirect_requested: true"));
    let detail = done_undone_redone(&live, &key, &redirect);
    assert_eq!((detail.atoms.len(), detail.corrections.len()), (2, 1));
    assert!(fs::read_to_string(live.workspace.join(AOT)).unwrap().contains("redirect_requested: false"));
}
