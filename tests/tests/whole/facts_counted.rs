//! Facts are equal to what a script counts from the files that shares no code with Loopdeck: over the fixtures and over 200
//! generated loops.
#![allow(clippy::disallowed_methods, reason = "the counting script is a program of its own")]

use loopdeck_core::facts::{LoopFacts, Portion, RiskKind, TestTotals};
use loopdeck_runtime::{Options, Runtime};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = ".workflow/.loop";

/// What the script counts below `folder`, by file.
fn counted(folder: &Path) -> BTreeMap<PathBuf, Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/count_facts.mjs");
    let done = Command::new("node").arg(script).arg(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// What Loopdeck counts in the workspace `folder`, by file.
fn ours(folder: &Path) -> BTreeMap<PathBuf, LoopFacts> {
    let data = tempfile::tempdir().unwrap();
    let runtime = Runtime::start(&Options::new(data.path().to_owned())).unwrap();
    runtime.open_workspace(folder).unwrap();
    let mut found = BTreeMap::new();
    let mut since = 0;
    loop {
        let page = runtime.changes(since);
        for row in page.rows {
            let facts = runtime.loop_report(&row.key).unwrap().facts.unwrap();
            found.insert(folder.join(&row.file), facts);
        }
        since = page.revision;
        if !page.more {
            return found;
        }
    }
}

fn portion(portion: Option<Portion>) -> Value {
    portion.map_or(Value::Null, |Portion { done, total }| json!([done, total]))
}

fn totals(TestTotals { passed, failed, skipped, total, .. }: TestTotals) -> Value {
    json!([passed, failed, skipped, total])
}

/// The facts of a CCW loop in the form of the script.
fn ccw(facts: &LoopFacts) -> Value {
    let failed =
        facts.risks.iter().find(|risk| risk.kind == RiskKind::FailedWork).map_or(0, |risk| risk.count);
    json!({
        "current": facts.iterations.map(|bar| bar.current as u32),
        "limit": facts.iterations.map(|bar| bar.limit as u32),
        "tasks": portion(facts.tasks),
        "files": facts.files_changed,
        "cause": facts.root_cause.as_ref().map(|cause| &cause.id),
        "failedTasks": failed,
        "tests": facts.tests.map(|tests| json!([totals(tests.first), totals(tests.last), tests.runs])),
    })
}

fn compare_ccw(folder: &Path) -> usize {
    let (counted, ours) = (counted(folder), ours(folder));
    for (file, expected) in &counted {
        assert_eq!(&ccw(&ours[file]), expected, "{}", file.display());
    }
    counted.len()
}

/// A workspace with `files` below its root.
fn workspace(files: impl Iterator<Item = (String, String)>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn fixture(name: &str) -> String {
    let below = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    fs::read_to_string(&below).unwrap_or_else(|error| panic!("{}: {error}", below.display()))
}

#[test]
fn facts_of_ccw_fixtures_are_those_of_the_script() {
    let id = "loop-v2-20260122T020000-3fa91c0e";
    for state in ["1-paused-mid-develop", "3-completed"] {
        let text = fixture(&format!("ccw/codex-ccw-loop-synth/{state}/{id}.json"));
        let folder = workspace([(format!("{ROOT}/{id}.json"), text)].into_iter());
        assert_eq!(compare_ccw(&folder.path().canonicalize().unwrap()), 1, "{state}");
    }
}

#[test]
fn facts_of_aot_fixtures_are_those_of_the_script() {
    for name in
        ["sample-01-pending-legacy-form-created", "sample-02-running-checklist-decomposed", "seed-002-s8-1"]
    {
        let text = fixture(&format!("aot/{name}/.claude/aot-loop-state.md"));
        let folder = workspace([(".claude/aot-loop-state.md".to_owned(), text)].into_iter());
        let folder = folder.path().canonicalize().unwrap();
        let (counted, ours) = (counted(&folder), ours(&folder));
        let file = folder.join(".claude/aot-loop-state.md");
        let (counted, ours) = (&counted[&file], &ours[&file]);
        let atoms = ours.atoms.unwrap_or_default();
        assert_eq!(json!(atoms.done), counted["resolved"], "{name}");
        assert!(
            json!(atoms.total).as_u64() <= counted["atoms"].as_u64(),
            "{name}: alternatives do not count"
        );
        assert_eq!(json!(ours.redirects), counted["redirects"], "{name}");
    }
}

/// A number below `below` from a sequence that is the same in every run.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

fn generated(random: &mut Sequence, id: &str) -> String {
    let tasks: Vec<Value> = (0..random.below(6))
        .map(|n| {
            let files: Vec<String> =
                (0..random.below(4)).map(|_| format!("src/f{}.rs", random.below(5))).collect();
            let status = random.one_of(&["pending", "in_progress", "completed", "failed"]);
            json!({ "id": format!("task-{n}"), "description": "d", "status": status, "files_changed": files })
        })
        .collect();
    let hypotheses: Vec<Value> = (0..random.below(4))
        .map(|n| {
            let status = random.one_of(&["pending", "confirmed", "rejected", "inconclusive"]);
            json!({ "id": format!("H{n}"), "description": "<script>字", "status": status })
        })
        .collect();
    let runs: Vec<Value> = (0..random.below(4))
        .map(|n| {
            let (passed, failed, skipped) = (random.below(50), random.below(9), random.below(3));
            let total = passed + failed + skipped;
            json!({ "iteration": n + 1, "timestamp": "2026-11-20T08:00:00.000Z", "tests": [],
                "summary": { "total": total, "passed": passed, "failed": failed, "skipped": skipped } })
        })
        .collect();
    let confirmed = hypotheses.iter().find(|one| one["status"] == "confirmed").map(|one| one["id"].clone());
    let state = json!({
        "loop_id": id, "title": id, "description": "", "max_iterations": 10, "status": "paused",
        "current_iteration": random.below(10), "created_at": "2026-11-20T04:24:21.870Z",
        "updated_at": "2026-11-20T04:24:21.915Z",
        "skill_state": {
            "develop": { "total": tasks.len(), "completed": 0, "tasks": tasks },
            "debug": { "hypotheses": hypotheses, "confirmed_hypothesis": confirmed },
            "validate": { "pass_rate": 0, "test_results": runs },
        },
    });
    serde_json::to_string_pretty(&state).unwrap()
}

#[test]
fn facts_of_two_hundred_generated_loops_are_those_of_the_script() {
    let mut random = Sequence(26);
    let loops = (0..200).map(|n| {
        let id = format!("loop-v2-20261120T042421-{n:08x}");
        let text = generated(&mut random, &id);
        (format!("{ROOT}/{id}.json"), text)
    });
    let folder = workspace(loops);
    assert_eq!(compare_ccw(&folder.path().canonicalize().unwrap()), 200);
}
