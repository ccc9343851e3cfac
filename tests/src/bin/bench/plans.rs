//! Plans of other tools: what the look for them costs a folder that has none, and how long large ones take beside an AoT loop of their size.

use crate::growth::{Sized, read};
use crate::large::SENTENCES;
use crate::report::{Report, ms, percentile};
use crate::{corpus, large};
use loopdeck_core::layout::{self, Found};
use loopdeck_core::loops::Place;
use loopdeck_core::plans::PlanKind;
use loopdeck_runtime::{Options, Runtime};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const LOOPS: usize = 100;
const ITEMS: usize = 2_000;
const ROUNDS: usize = 9;

/// Measures both.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    measure_none(report, folder);
    // As many items without texts, and of 5 MB.
    measure_large(report, 0);
    measure_large(report, SENTENCES);
}

fn measure_none(report: &mut Report, folder: &Path) {
    let workspace = folder.join("no-plan");
    corpus::fill(&workspace, LOOPS).expect("a corpus");
    let (mut opens, mut looks) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        opens.push(ms(open(&folder.join(format!("data-{round}")), &workspace)));
        looks.push(ms(look_for_plans(&workspace)));
    }
    let (open, look) = (percentile(&mut opens, 0.5), percentile(&mut looks, 0.5));
    Report::note(&format!("{LOOPS} loops and no plan: list complete, cold"), open, "ms");
    Report::note("the look for plans", look, "ms");
    report.limit("list complete / the same without the look for plans", open / (open - look), 1.2, "x");
}

fn open(data: &Path, workspace: &Path) -> Duration {
    let runtime =
        Runtime::start(&Options { polling: true, ..Options::new(data.to_owned()) }).expect("starts");
    let start = Instant::now();
    runtime.open_workspace(workspace).expect("opens");
    let took = start.elapsed();
    assert_eq!(runtime.changes(0).workspaces[0].loops as usize, LOOPS);
    took
}

/// Looks for every place of a plan as the list does, and for its folder as the watcher does.
fn look_for_plans(workspace: &Path) -> Duration {
    let places = || layout::found().filter(|(_, place)| matches!(place, Place::Plan(_)));
    let start = Instant::now();
    for (found, _) in places() {
        match found {
            Found::File(file) => drop(black_box(fs::symlink_metadata(workspace.join(file)))),
            Found::EachFolder { root, .. } | Found::EachFile { root, .. } => {
                drop(black_box(fs::read_dir(workspace.join(root))));
            }
        }
    }
    for (found, _) in places() {
        let (Found::File(root) | Found::EachFolder { root, .. } | Found::EachFile { root, .. }) = found;
        black_box(workspace.join(root).is_dir());
    }
    start.elapsed()
}

/// Reads plans for the list and for the page; each item has so many sentences.
fn measure_large(report: &mut Report, sentences: usize) {
    let aot = if sentences == 0 { crate::editing::aot(ITEMS) } else { large::plan(ITEMS) };
    let aot = Sized {
        place: Place::AotFile,
        stem: "aot-loop-state".to_owned(),
        bytes: aot.into_bytes(),
        beside: Vec::new(),
    };
    let text = "The field is validated in the shared module, with a test. ".repeat(sentences);
    let formats = [
        ("Task Master", plan(PlanKind::TaskMaster, ".taskmaster/tasks/tasks.json", &task_master(&text))),
        ("Spec Kit", plan(PlanKind::SpecKit, "specs/001-form/tasks.md", &spec_kit(&text))),
        ("prd.json", plan(PlanKind::Prd, "scripts/ralph/prd.json", &prd(&text))),
    ];
    for (format, plan) in formats {
        let (mut plans, mut aots) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            plans.push(read(&plan));
            aots.push(read(&aot));
        }
        let (it, other) = (percentile(&mut plans, 0.5), percentile(&mut aots, 0.5));
        let named = format!("{format}, {ITEMS} items, {} KB", plan.bytes.len() >> 10);
        Report::note(&format!("{named}: list and page"), it, "ms");
        let beside = format!("{named}: list and page / AoT, {} KB", aot.bytes.len() >> 10);
        report.limit(&beside, it / other, 1.0, "x");
    }
}

fn plan(kind: PlanKind, file: &str, text: &str) -> Sized {
    Sized {
        place: Place::Plan(kind),
        stem: file.to_owned(),
        bytes: text.as_bytes().to_vec(),
        beside: Vec::new(),
    }
}

/// One text for each item, by its number; every second one is done.
fn each(item: impl Fn(usize, bool) -> String, between: &str) -> String {
    (1..=ITEMS).map(|n| item(n, n.is_multiple_of(2))).collect::<Vec<_>>().join(between)
}

fn task_master(text: &str) -> String {
    let task = |n: usize, done: bool| {
        let status = if done { "done" } else { "pending" };
        let waits = if n > 2 { (n - 2).to_string() } else { String::new() };
        format!(
            r#"{{"id":{n},"title":"Field {n}","details":"{text}","status":"{status}","dependencies":[{waits}],"subtasks":[]}}"#
        )
    };
    format!(r#"{{"master":{{"tasks":[{}]}}}}"#, each(task, ",\n"))
}

fn spec_kit(text: &str) -> String {
    let task = |n: usize, done: bool| {
        format!(
            "- [{}] T{n:04} [P] [US1] Field {n} in src/form/field{n}.ts {text}\n",
            if done { 'x' } else { ' ' }
        )
    };
    format!("# Tasks: Form\n\n## Phase 1: Setup\n\n{}", each(task, ""))
}

fn prd(text: &str) -> String {
    let story = |n: usize, done: bool| {
        format!(
            r#"{{"id":"US-{n}","title":"Field {n}","description":"{text}","acceptanceCriteria":["It is rejected"],"priority":{n},"passes":{done},"notes":""}}"#
        )
    };
    format!(
        r#"{{"project":"Form","branchName":"form","description":"Forms","userStories":[{}]}}"#,
        each(story, ",\n")
    )
}
