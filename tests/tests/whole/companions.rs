//! The files next to a loop are read when it is opened, and those without a loop are reported.

use loopdeck_core::compare::Changed;
use loopdeck_core::test_table::TestQuery;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{EventKind, LoopDetail};
use loopdeck_runtime::store::journal::{Journal, LoopRef, Retention};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use std::fs;
use std::path::Path;

const V2: &str = "loop-v2-20260122T020000-3fa91c0e";
const B: &str = "loop-b-20260122T110000-k3v9x2ab";

/// Copies a fixture folder with everything in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn fixture(below: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ccw").join(below)
}

fn opened(live: &Live, file: &str) -> LoopDetail {
    live.runtime.open_loop(&live.rows[file].key).unwrap().detail
}

fn kinds(detail: &LoopDetail) -> Vec<EventKind> {
    let mut kinds: Vec<_> = detail.events.iter().map(|event| event.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn a_loop_v2_is_shown_with_its_progress_files_in_either_root() {
    for below in [".loop", ROOT] {
        let live = Live::with(|workspace| {
            copy(&fixture("codex-ccw-loop-synth/2-debugging"), &workspace.join(below));
        });
        let detail = opened(&live, &format!("{below}/{V2}.json"));
        use EventKind as E;
        let expected =
            [E::ChangeLog, E::DebugLog, E::DevelopEntry, E::DebugEntry, E::ValidateEntry, E::Error];
        assert_eq!(kinds(&detail), expected, "{below}");
        let debug = detail.debug.unwrap();
        assert_eq!(debug.hypotheses.iter().map(|h| h.log_total).collect::<Vec<_>>(), [2, 2, 2]);
        assert_eq!(detail.validation.unwrap().coverage_files.len(), 2);
        let logged = detail.events.iter().find(|event| event.kind == E::DebugLog).unwrap();
        assert_eq!(logged.file, format!("{V2}.progress/debug.log"));
    }
}

#[test]
fn a_loop_b_has_the_hypotheses_of_its_report_and_its_workers_in_the_timeline() {
    let live = Live::with(|workspace| copy(&fixture("codex-ccw-loop-b-synth"), &workspace.join(ROOT)));
    let detail = opened(&live, &format!("{ROOT}/{B}.json"));
    assert_eq!(detail.debug.as_ref().unwrap().hypotheses[0].description, "missing idempotency key");
    assert_eq!(kinds(&detail), [EventKind::DevelopEntry, EventKind::Worker]);
    assert_eq!(detail.workers.len(), 4);
}

#[test]
fn the_text_with_the_hypotheses_has_a_past_where_loopdeck_kept_it() {
    let live = Live::with(|workspace| copy(&fixture("codex-ccw-loop-b-synth"), &workspace.join(ROOT)));
    let key = live.rows[&format!("{ROOT}/{B}.json")].key.clone();
    let file = format!("{ROOT}/{B}.progress/debug.md");
    let now = fs::read_to_string(live.workspace.join(&file)).unwrap();
    let runtime = &live.runtime;
    assert_eq!(runtime.hypothesis_changes(&key, 10).unwrap(), [], "nothing was kept");
    assert_eq!(runtime.document_history(&key, "debug.md", 10).unwrap(), []);
    let older = now.replace("H1: missing idempotency key", "H7: a race");
    let mut journal = Journal::open(&live.data().journal(), Retention::default());
    let of = LoopRef { workspace: live.workspace.to_str().unwrap(), file: &file };
    for (at, text) in [(1_000, &older), (2_000, &now)] {
        journal.keep_foreign(of, text.as_bytes(), Timestamp::from_millis(at), true).unwrap();
    }
    let history = runtime.document_history(&key, "debug.md", 10).unwrap();
    assert_eq!(
        history.iter().map(|one| (one.at, one.current)).collect::<Vec<_>>(),
        [(2_000.0, true), (1_000.0, false)]
    );
    let then = runtime.document_version(&key, "debug.md", history[1].id, 1, 100).unwrap();
    assert!(then.lines.iter().any(|line| line.contains("H7: a race")), "{then:?}");
    let changes = runtime.hypothesis_changes(&key, 10).unwrap();
    let words = |one: &Changed| format!("{} {} {}", one.id, one.from.is_some(), one.to.is_some());
    let said: Vec<String> = changes
        .iter()
        .map(|one| format!("{}: {}", one.at, one.changes.iter().map(words).collect::<Vec<_>>().join(", ")))
        .collect();
    assert_eq!(said, ["2000: H1 false true, H7 true false", "1000: H7 false true"]);
    for name in ["../debug.md", "nothing.md"] {
        assert_eq!(runtime.document_history(&key, name, 10).unwrap_err().kind, FailureKind::Unreadable);
    }
    let unknown = runtime.document_version(&key, "debug.md", 4_000, 1, 9).unwrap_err();
    assert_eq!(unknown.kind, FailureKind::UnknownVersion);
}

#[test]
fn single_tests_beside_a_loop_are_in_its_table_and_follow_their_file() {
    let results = |names: &[&str]| {
        let tests: Vec<String> =
            names.iter().map(|name| format!("{{\"test_name\":\"{name}\",\"status\":\"passed\"}}")).collect();
        let (tests, total) = (tests.join(","), names.len());
        format!("{{\"tests\":[{tests}],\"summary\":{{\"total\":{total},\"passed\":{total}}}}}")
    };
    let beside = format!("{ROOT}/{V2}.progress/test-results.json");
    let live = Live::with(|workspace| {
        fs::write(workspace.join(format!("{ROOT}/{V2}.json")), loop_v2(V2, "paused")).unwrap();
        fs::create_dir_all(workspace.join(format!("{ROOT}/{V2}.progress"))).unwrap();
        fs::write(workspace.join(&beside), results(&["a", "b"])).unwrap();
    });
    let key = live.rows[&format!("{ROOT}/{V2}.json")].key.clone();
    let total = || {
        let query = TestQuery { limit: 10, ..TestQuery::default() };
        live.runtime.tests(&key, &query).unwrap().counts.all
    };
    assert_eq!(total(), 2);
    assert_eq!(live.runtime.test_runs(&key).unwrap()[0].len(), 2);
    fs::write(live.workspace.join(&beside), results(&["a", "b", "c"])).unwrap();
    assert_eq!(total(), 3, "made anew although the state file is the same");
}

#[test]
fn a_legacy_session_is_shown_with_its_files() {
    let session = "LOOP-add-login-2026-01-22";
    let live = Live::with(|workspace| {
        let folder = workspace.join(".loop").join(session);
        for below in ["develop", "debug", "validate"] {
            fs::create_dir_all(folder.join(below)).unwrap();
        }
        let state =
            format!("{{\"session_id\":\"{session}\",\"task_description\":\"t\",\"status\":\"running\"}}");
        fs::write(folder.join("state.json"), state).unwrap();
        fs::write(folder.join("meta.json"), "{\"mode\":\"auto\"}").unwrap();
        let from = fixture("codex-ccw-loop-synth/2-debugging").join(format!("{V2}.progress"));
        for (name, to) in [
            ("develop.md", "develop/progress.md"),
            ("changes.log", "develop/changes.log"),
            ("debug.md", "debug/understanding.md"),
            ("debug.log", "debug/debug.log"),
            ("validate.md", "validate/validation.md"),
        ] {
            fs::copy(from.join(name), folder.join(to)).unwrap();
        }
    });
    let detail = opened(&live, &format!(".loop/{session}/state.json"));
    assert_eq!(detail.debug.as_ref().unwrap().hypotheses.len(), 3, "the state file has none");
    assert_eq!(detail.validation.as_ref().unwrap().runs[0].total, 4);
    assert!(detail.facts.iter().any(|fact| fact.name == "mode"), "{:?}", detail.facts);
    assert_eq!(kinds(&detail).len(), 5);
}

#[test]
fn what_lies_beside_no_loop_is_told_and_forgotten_with_its_loop_there() {
    let live = Live::with(|workspace| {
        let root = workspace.join(ROOT);
        fs::create_dir_all(root.join("loop-v2-gone.progress")).unwrap();
        fs::create_dir_all(root.join("loop-v2-here.progress")).unwrap();
        fs::write(root.join("loop-v2-gone.tasks.jsonl"), "{}\n").unwrap();
        fs::write(root.join("loop-v2-here.json"), loop_v2("loop-v2-here", "paused")).unwrap();
    });
    let orphans = |live: &Live| {
        let workspaces = live.runtime.changes(0).workspaces;
        (workspaces[0].orphans.clone(), workspaces[0].orphans_total)
    };
    let gone = [".progress", ".tasks.jsonl"].map(|ending| format!("{ROOT}/loop-v2-gone{ending}"));
    live.runtime.rescan().unwrap();
    assert_eq!(orphans(&live), (gone.to_vec(), 2));
    live.write("loop-v2-gone.json", loop_v2("loop-v2-gone", "paused"));
    live.runtime.rescan().unwrap();
    assert_eq!(orphans(&live), (Vec::new(), 0));
}
