//! Sixteen kinds of damage to three loops, with and without an older version: the first offer restores most,
//! counted here by hand and not by the ranking code (the CCW contract §16, seed 001 "recovery").
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue must stop loudly")]

use crate::ccw_recovery_facts::{facts, items};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::recovery::{ProposalSource, Remains, proposals};
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind as Kind};
use serde_json::{Value, json};
use std::path::Path;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);

/// A loop with everything next to it.
struct Loop {
    name: &'static str,
    format: Format,
    stem: &'static str,
    master: String,
    /// An earlier version of it.
    older: String,
    companions: Vec<Companion>,
    /// The files next to it after more work: newer texts over side files of an earlier round.
    newer_texts: Vec<Companion>,
    another: String,
}

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ccw").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn beside(kind: Kind, file: &str, text: &str) -> Companion {
    Companion { kind, file: file.to_owned(), bytes: text.as_bytes().to_vec(), cut: false }
}

const V2: &str = "loop-v2-20260122T020000-3fa91c0e";
const B: &str = "loop-b-20260122T110000-k3v9x2ab";

fn v2(folder: &str, file: &str) -> String {
    text(&format!("codex-ccw-loop-synth/{folder}/{V2}{file}"))
}

fn progress(folder: &str, kind: Kind, file: &str) -> Companion {
    beside(kind, file, &v2(folder, &format!(".progress/{file}")))
}

/// What both moments of the Loop v2 share.
fn work() -> Vec<Companion> {
    vec![
        progress("2-debugging", Kind::DevelopDoc, "develop.md"),
        progress("2-debugging", Kind::ChangesLog, "changes.log"),
        progress("2-debugging", Kind::DebugLog, "debug.log"),
        progress("2-debugging", Kind::Coverage, "coverage.json"),
    ]
}

fn earlier_side_files() -> [Companion; 2] {
    [
        progress("2-debugging", Kind::Hypotheses, "hypotheses.json"),
        progress("2-debugging", Kind::TestResults, "test-results.json"),
    ]
}

fn later_texts() -> [Companion; 3] {
    [
        progress("3-completed", Kind::DebugDoc, "debug.md"),
        progress("3-completed", Kind::ValidateDoc, "validate.md"),
        progress("3-completed", Kind::SummaryDoc, "summary.md"),
    ]
}

/// A completed Loop v2 with two runs, a summary, and every file next to it from the last round.
fn rich() -> Loop {
    let master = v2("3-completed", ".json");
    let state: Value = serde_json::from_str(&master).unwrap();
    let (debug, runs) = (&state["skill_state"]["debug"], &state["skill_state"]["validate"]["test_results"]);
    let hypotheses = json!({ "hypotheses": debug["hypotheses"], "iteration": debug["iteration"] });
    let side = [
        beside(Kind::Hypotheses, "hypotheses.json", &hypotheses.to_string()),
        beside(Kind::TestResults, "test-results.json", &runs[1].to_string()),
    ];
    let mut without_coverage = work();
    without_coverage.pop();
    Loop {
        name: "rich",
        format: Format::LoopV2,
        stem: V2,
        older: v2("2-debugging", ".json"),
        companions: without_coverage.into_iter().chain(side).chain(later_texts()).collect(),
        newer_texts: work().into_iter().chain(earlier_side_files()).chain(later_texts()).collect(),
        another: master.replace("3fa91c0e", "00000000"),
        master,
    }
}

/// The same loop with one failed run and open hypotheses.
fn debugging() -> Loop {
    let texts = [
        progress("2-debugging", Kind::DebugDoc, "debug.md"),
        progress("2-debugging", Kind::ValidateDoc, "validate.md"),
    ];
    let newer = work().into_iter().chain(earlier_side_files()).chain(later_texts().into_iter().take(2));
    let master = v2("2-debugging", ".json");
    Loop {
        name: "debugging",
        format: Format::LoopV2,
        stem: V2,
        older: v2("1-paused-mid-develop", ".json"),
        companions: work().into_iter().chain(earlier_side_files()).chain(texts).collect(),
        newer_texts: newer.collect(),
        another: master.replace("3fa91c0e", "00000000"),
        master,
    }
}

fn loop_b() -> Loop {
    let file = |name: &str| text(&format!("codex-ccw-loop-b-synth/{B}{name}"));
    let mut companions = vec![
        beside(Kind::DevelopDoc, "develop.md", &file(".progress/develop.md")),
        beside(Kind::DebugDoc, "debug.md", &file(".progress/debug.md")),
        beside(Kind::ValidateDoc, "validate.md", &file(".progress/validate.md")),
    ];
    companions.extend(["init", "develop", "debug", "validate"].map(|action| {
        let name = format!("{action}.output.json");
        beside(Kind::WorkerOutput, &name, &file(&format!(".workers/{name}")))
    }));
    let master = file(".json");
    let mut older: Value = serde_json::from_str(&master).unwrap();
    older["skill_state"]["parallel_results"] = Value::Null;
    older["skill_state"]["pending_tasks"].as_array_mut().unwrap().pop();
    older["current_iteration"] = json!(0);
    older["updated_at"] = json!("2026-01-22T11:03:00.137Z");
    Loop {
        name: "Loop-B",
        format: Format::LoopB,
        stem: B,
        older: serde_json::to_string_pretty(&older).unwrap(),
        newer_texts: companions.clone(),
        another: master.replace("k3v9x2ab", "aaaaaaaa"),
        master,
        companions,
    }
}

/// A kind of damage: the bytes of the file, and the files next to it.
struct Damage {
    kind: &'static str,
    bytes: Vec<u8>,
    companions: Vec<Companion>,
    elsewhere: Option<Vec<u8>>,
}

fn kinds(of: &Loop) -> Vec<Damage> {
    let whole = of.master.trim_end();
    let cut = |percent: usize| whole.as_bytes()[..whole.len() * percent / 100].to_vec();
    let within = |marker: &str| whole.find(marker).unwrap_or_else(|| panic!("{}: {marker}", of.name));
    let string = within("\"description\"") + 24;
    let middle = whole.len() / 2;
    let older_tail = format!("{whole}\n{}", &of.older.trim_end()[of.older.trim_end().len() / 2..]);
    // A name with a non-ASCII letter, in the encoding of an old editor.
    let named = whole.replacen("\"title\": \"", "\"title\": \"\u{e9} ", 1);
    let latin = named.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    let garbage: Vec<u8> = (0..64_u8).map(|index| index.wrapping_mul(37) | 0x80).collect();
    let older_stamp = line_of(&of.older, "updated_at");
    let stamp = line_of(whole, "updated_at");
    let conflict =
        whole.replacen(&stamp, &format!("<<<<<<< HEAD\n{stamp}\n=======\n{older_stamp}\n>>>>>>> other"), 1);
    let nul = [&whole.as_bytes()[..middle], &vec![0; whole.len() - middle][..]].concat();
    let spoiled = [&whole.as_bytes()[..middle], &garbage[..], &whole.as_bytes()[middle + 64..]].concat();
    let plain =
        |kind, bytes: Vec<u8>| Damage { kind, bytes, companions: of.companions.clone(), elsewhere: None };
    let no_develop = of.companions.iter().filter(|file| file.kind != Kind::DevelopDoc).cloned().collect();
    vec![
        plain("truncated at 10 %", cut(10)),
        plain("truncated at 50 %", cut(50)),
        plain("truncated at 90 %", cut(90)),
        plain("in the middle of a string", whole.as_bytes()[..string].to_vec()),
        plain("empty", Vec::new()),
        plain("NUL bytes", nul),
        plain("tail of an older version", older_tail.into_bytes()),
        plain("swapped with another loop", of.another.clone().into_bytes()),
        Damage {
            elsewhere: Some(of.master.clone().into_bytes()),
            ..plain("swapped, found elsewhere", of.another.clone().into_bytes())
        },
        plain("Latin-1 bytes", latin),
        plain("missing closing braces", whole.trim_end_matches(['}', '\n', ' ']).as_bytes().to_vec()),
        plain("duplicate half", format!("{}{whole}", &whole[..middle]).into_bytes()),
        plain("binary garbage", spoiled),
        plain("merge-conflict markers", conflict.into_bytes()),
        plain("wrong top-level type", format!("[{whole}]").into_bytes()),
        Damage { companions: no_develop, ..plain("develop.md gone", cut(8)) },
        Damage { companions: of.newer_texts.clone(), ..plain("side files older than the texts", cut(12)) },
    ]
}

fn line_of(text: &str, key: &str) -> String {
    text.lines().find(|line| line.contains(key)).unwrap().to_owned()
}

fn offers(of: &Loop, damage: &Damage, last_good: Option<&str>) -> Vec<(ProposalSource, Recovery)> {
    let remains = Remains {
        damaged: &damage.bytes,
        last_good: last_good.map(str::as_bytes),
        backup: None,
        elsewhere: damage.elsewhere.as_deref(),
        companions: &damage.companions,
    };
    proposals(of.format, &remains, &FileFacts { stem: of.stem, modified: NOW, now: NOW })
}

/// The true state after the damage: from the newer texts if they have it, otherwise from the master.
fn truth(of: &Loop, damage: &Damage) -> Value {
    let newer = damage.kind.starts_with("side files") && of.name == "debugging";
    let mut truth: Value =
        serde_json::from_str(&if newer { rich().master } else { of.master.clone() }).unwrap();
    if damage.kind == "Latin-1 bytes" {
        truth["title"] = json!(format!("\u{e9} {}", truth["title"].as_str().unwrap()));
    }
    truth
}

#[test]
fn the_first_proposal_brings_back_most() {
    for of in [rich(), debugging(), loop_b()] {
        for damage in kinds(&of) {
            for last_good in [None, Some(of.older.as_str())] {
                let what = format!("{}, {}, older version: {}", of.name, damage.kind, last_good.is_some());
                let truth = truth(&of, &damage);
                let found = offers(&of, &damage, last_good);
                let counted: Vec<(ProposalSource, usize)> = found
                    .iter()
                    .map(|(way, recovery)| {
                        let state: Value = serde_json::from_str(&recovery.text).unwrap();
                        consistent(&state, &what);
                        (*way, facts(&state, &truth).len())
                    })
                    .collect();
                let most = counted.iter().map(|(_, facts)| *facts).max().unwrap_or_else(|| panic!("{what}"));
                assert_eq!(counted[0].1, most, "{what}: {counted:?}");
                losses(&found, &what);
            }
        }
    }
}

/// Counters match the existing lists.
fn consistent(state: &Value, what: &str) {
    let skill = &state["skill_state"];
    for (counter, list) in [
        (&skill["develop"]["total"], &skill["develop"]["tasks"]),
        (&skill["debug"]["hypotheses_count"], &skill["debug"]["hypotheses"]),
    ] {
        if let Some(list) = list.as_array() {
            assert_eq!(counter.as_u64(), Some(list.len() as u64), "{what}");
        }
    }
    let done = items(&skill["develop"]["tasks"]).filter(|task| task["status"] == "completed").count();
    if skill["develop"].is_object() {
        assert_eq!(skill["develop"]["completed"].as_u64(), Some(done as u64), "{what}");
    }
}

/// A proposal reports as lost what another proposal has and it does not.
fn losses(found: &[(ProposalSource, Recovery)], what: &str) {
    let states: Vec<Value> =
        found.iter().map(|(_, recovery)| serde_json::from_str(&recovery.text).unwrap()).collect();
    let best = &states[0];
    for ((way, recovery), state) in found.iter().zip(&states) {
        let says =
            |path: &str| recovery.lost.iter().any(|lost| path.starts_with(lost) || lost.starts_with(path));
        for (path, pointer) in [
            ("description", "/description"),
            ("skill_state.summary", "/skill_state/summary"),
            ("skill_state.validate.test_results", "/skill_state/validate/test_results/1"),
            ("skill_state.validate.test_results", "/skill_state/validate/test_results/0"),
            ("skill_state.develop.tasks", "/skill_state/develop/tasks/3"),
            ("skill_state.debug.hypotheses", "/skill_state/debug/hypotheses/2"),
            ("skill_state.pending_tasks", "/skill_state/pending_tasks/0"),
        ] {
            let has = |state: &Value| {
                state.pointer(pointer).is_some_and(|value| *value != json!("") && !value.is_null())
            };
            assert!(
                !has(best) || has(state) || says(path),
                "{what}: {way:?} keeps {path} quiet: {:?}",
                recovery.lost
            );
        }
    }
}

/// A truncated master whose progress files are intact: all tasks, runs and verdicts are restored, and nothing
/// more is lost than what no file has.
#[test]
fn a_truncated_master_with_its_progress_files_comes_back() {
    let of = rich();
    let truth: Value = serde_json::from_str(&of.master).unwrap();
    let most = facts(&truth, &truth).len();
    let tasks = of.master.find("\"tasks\"").unwrap();
    for cut in [tasks + 4, tasks + 12, of.master.len() / 2] {
        let damage = Damage {
            kind: "cut",
            bytes: of.master.as_bytes()[..cut].to_vec(),
            companions: of.companions.clone(),
            elsewhere: None,
        };
        let found = offers(&of, &damage, None);
        let (way, recovery) = &found[0];
        assert_eq!(*way, ProposalSource::Rebuilt, "{cut}");
        let state: Value = serde_json::from_str(&recovery.text).unwrap();
        let recovered = facts(&state, &truth);
        let told = &recovery.lost;
        assert!(
            told.iter().any(|path| path == "skill_state.validate.test_results"),
            "{told:?}: the first run"
        );
        assert!(recovered.len() * 100 >= most * 80, "{cut}: {} of {most}", recovered.len());
        assert_eq!(state["skill_state"]["develop"]["tasks"].as_array().unwrap().len(), 4, "{cut}");
        assert_eq!(state["skill_state"]["debug"]["confirmed_hypothesis"], "H1", "{cut}");
        assert_eq!((&state["status"], &state["max_iterations"]), (&json!("completed"), &json!(10)), "{cut}");
        let prefix =
            found.iter().find(|(way, _)| *way == ProposalSource::Prefix).map(|(_, recovery)| recovery);
        let lost = &prefix.unwrap().lost;
        let is_part = |path: &String| {
            "skill_state.develop.tasks".starts_with(path) || path.starts_with("skill_state.develop.tasks")
        };
        let tells = lost.iter().any(is_part);
        assert!(tells || cut > tasks + 12, "{lost:?}");
        assert!(lost.iter().any(|path| path == "skill_state.summary"), "{lost:?}");
    }
}

/// Without `develop.md` the words come from the report or the summary.
#[test]
fn title_and_description_come_from_any_text() {
    let of = rich();
    for (kinds, source) in [
        (&[Kind::DevelopDoc, Kind::ValidateDoc, Kind::SummaryDoc][..], "develop.md"),
        (&[Kind::ValidateDoc, Kind::SummaryDoc], "validate.md"),
        (&[Kind::SummaryDoc], "summary.md"),
    ] {
        let companions: Vec<_> =
            of.companions.iter().filter(|file| kinds.contains(&file.kind)).cloned().collect();
        let damage = Damage { kind: "empty", bytes: Vec::new(), companions, elsewhere: None };
        let recovery = &offers(&of, &damage, None)[0].1;
        let state: Value = serde_json::from_str(&recovery.text).unwrap();
        assert_eq!(
            state["description"],
            "Add login/logout with session cookies; lock the account after 5 failed attempts."
        );
        assert_eq!(state["title"], state["description"]);
        let from = recovery.provenance.iter().find(|field| field.path == "title").unwrap().source;
        assert_eq!(from, source);
    }
}

/// The task list next to a loop is a source even when nothing else shows its work (row 125).
#[test]
fn the_task_list_alone_is_a_source() {
    let line = "{\"task_id\":\"task-1-aa\",\"description\":\"First\",\"tool\":\"codex\",\"mode\":\"write\",\"order\":0}\n";
    let list = vec![beside(Kind::TaskList, "x.tasks.jsonl", line)];
    for of in [debugging(), loop_b()] {
        let damage = Damage { kind: "empty", bytes: Vec::new(), companions: list.clone(), elsewhere: None };
        let recovery = &offers(&of, &damage, None)[0].1;
        let state: Value = serde_json::from_str(&recovery.text).unwrap();
        let skill = &state["skill_state"];
        let tasks =
            if of.format == Format::LoopB { &skill["pending_tasks"] } else { &skill["develop"]["tasks"] };
        assert_eq!(
            (&tasks[0]["id"], &tasks[0]["description"]),
            (&json!("task-1-aa"), &json!("First")),
            "{}",
            of.name
        );
        assert_eq!(tasks[0]["status"], "pending");
    }
    // A loop that was never started gets no work from it.
    let created =
        "{\"loop_id\":\"loop-v2-20260122T020000-3fa91c0e\",\"title\":\"T\",\"status\":\"created\",\"max_it";
    let damage = Damage { kind: "cut", bytes: created.into(), companions: list, elsewhere: None };
    let state: Value = serde_json::from_str(&offers(&debugging(), &damage, None)[0].1.text).unwrap();
    assert!(state["skill_state"].is_null());
}
