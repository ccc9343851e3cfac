//! The files beside a loop are read when it is opened, and what lies there without its loop is told.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::view::{EventKind, LoopDetail};
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
