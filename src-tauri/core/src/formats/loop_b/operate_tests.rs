//! A coordinator's steps on the sample, and steps that do not follow.

use super::*;
use crate::formats::loop_b::recover::recover;
use crate::outcome::WriteHow;
use crate::status::StatusWord;
use crate::view::{Companion, CompanionKind};
use loopdeck_text::text_edit;

const STEM: &str = "loop-b-20260122T110000-k3v9x2ab";
const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const SAMPLE: &str = include_str!(
    "../../../../../tests/fixtures/ccw/codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab.json"
);
const FACTS: FileFacts<'static> = FileFacts { stem: STEM, modified: NOW, now: NOW };

fn run(text: &str, operation: &LoopBOperation) -> Result<(String, Vec<FileWrite>), RefusalCode> {
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let outcome = operate(text.as_bytes(), &FACTS, operation, &situation).map_err(|refusal| refusal.code)?;
    let bytes = text_edit::apply(text.as_bytes(), &outcome.edits).expect("disjoint");
    Ok((String::from_utf8(bytes).expect("UTF-8"), outcome.files))
}

fn output(action: &str, files: &[&str]) -> WorkerOutput {
    WorkerOutput {
        action: action.into(),
        status: "success".into(),
        summary: "done".into(),
        files_changed: files.iter().map(|&file| file.to_owned()).collect(),
        ..WorkerOutput::default()
    }
}

#[test]
fn a_worker_moves_its_tasks() {
    let done = WorkerOutput { completed_tasks: vec!["T2".into()], ..output("develop", &["a.ts"]) };
    let (text, files) = run(SAMPLE, &LoopBOperation::WorkerDone { output: done }).expect("legal");
    let root = Node::parse(text.as_bytes()).expect("valid");
    let skill = root.get("skill_state");
    let ids = |key: &str| -> Vec<String> {
        skill
            .get(key)
            .items()
            .iter()
            .map(|task| task.get("id").text().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(
        (ids("pending_tasks"), ids("completed_tasks")),
        (vec!["T1".to_owned(), "T3".to_owned()], vec!["T2".to_owned()])
    );
    assert_eq!(skill.get("completed_tasks").items()[0].get("status").text(), Some("completed"));
    assert_eq!(Json::from_node(&root).pretty(), text, "laid out as before");
    assert_eq!(files[0].file, format!("{STEM}.workers/develop.output.json"));
    assert!(
        matches!(&files[1].how, WriteHow::Append { begin } if begin.contains("2. [ ] Add idempotency keys"))
    );
    let unknown = WorkerOutput { completed_tasks: vec!["T9".into()], ..output("develop", &[]) };
    assert_eq!(
        run(SAMPLE, &LoopBOperation::WorkerDone { output: unknown }).err(),
        Some(RefusalCode::NoSuchTask)
    );
    let odd = LoopBOperation::WorkerDone { output: output("../x", &[]) };
    assert_eq!(run(SAMPLE, &odd).err(), Some(RefusalCode::BadValue));
}

#[test]
fn a_merge_names_the_files_that_two_changed() {
    let outputs =
        vec![output("develop", &["b", "a"]), output("debug", &["a"]), output("validate", &["a", "c"])];
    let (text, files) = run(SAMPLE, &LoopBOperation::Merge { outputs }).expect("legal");
    let root = Node::parse(text.as_bytes()).expect("valid");
    let conflicts = root.get("skill_state").get("parallel_results").get("conflicts");
    let expected = "[{\"file\":\"a\",\"workers\":[\"develop\",\"debug\"],\"resolution\":\"manual\"},{\"file\":\"a\",\"workers\":[\"develop\",\"validate\"],\"resolution\":\"manual\"}]";
    assert_eq!(Json::from_node(conflicts).compact(), expected);
    assert_eq!((files.len(), root.get("current_iteration").number()), (3, Some(2.0)));
    let auto = SAMPLE.replace("\"parallel\"", "\"auto\"");
    let merge = LoopBOperation::Merge { outputs: vec![output("debug", &[])] };
    assert_eq!(run(&auto, &merge).err(), Some(RefusalCode::WrongStep));
}

#[test]
fn phases_follow_each_other() {
    let auto = SAMPLE.replace("\"parallel\"", "\"auto\"");
    let enter = |phase: &str| LoopBOperation::Enter { phase: phase.into() };
    assert_eq!(run(&auto, &enter("complete")).err(), Some(RefusalCode::WrongStep));
    assert_eq!(run(&auto, &enter("menu")).err(), Some(RefusalCode::BadValue));
    let mut text = auto;
    for phase in ["develop", "debug", "validate", "develop", "validate", "complete"] {
        text = run(&text, &enter(phase)).expect(phase).0;
        assert!(text.contains(&format!("\"phase\": \"{phase}\"")));
    }
    let complete =
        LoopBOperation::Complete { executive: "x".into(), recommendations: vec![], worked_ms: None };
    let (text, files) = run(&text, &complete).expect("legal");
    assert!(
        text.contains("\"status\": \"completed\"") && files[0].text.contains("# CCW Loop-B Session Summary")
    );
    assert_eq!(run(&text, &complete).err(), Some(RefusalCode::Finished));
}

#[test]
fn init_plans_once() {
    let task = PlannedTask { id: "T1".into(), description: "x".into(), ..PlannedTask::default() };
    let plan = LoopBOperation::Planned { output: output("init", &[]), tasks: vec![task] };
    assert_eq!(run(SAMPLE, &plan).err(), Some(RefusalCode::AlreadyInitialised));
    let start = SAMPLE.find("\"skill_state\"").expect("there");
    let bare = format!("{}\"skill_state\": null\n}}", &SAMPLE[..start]);
    let (text, files) = run(&bare, &plan).expect("legal");
    assert!(text.contains("\"workers_completed\": [\n      \"init\"\n    ]") && files.len() == 2);
    assert_eq!(
        run(&bare, &LoopBOperation::Enter { phase: "develop".into() }).err(),
        Some(RefusalCode::NotInitialised)
    );
}

#[test]
fn every_cut_gives_a_loop() {
    macro_rules! beside {
        ($kind:ident, $file:literal) => {
            Companion {
                kind: CompanionKind::$kind,
                file: concat!("x", $file).to_owned(),
                bytes: include_bytes!(concat!(
                    "../../../../../tests/fixtures/ccw/codex-ccw-loop-b-synth/loop-b-20260122T110000-k3v9x2ab",
                    $file
                ))
                .to_vec(),
                cut: false,
            }
        };
    }
    let companions = [
        beside!(DevelopDoc, ".progress/develop.md"),
        beside!(WorkerOutput, ".workers/init.output.json"),
        beside!(WorkerOutput, ".workers/develop.output.json"),
        beside!(WorkerOutput, ".workers/debug.output.json"),
    ];
    for cut in (0..SAMPLE.len()).step_by(37) {
        let recovery = recover(&SAMPLE.as_bytes()[..cut], None, &companions, &FACTS);
        assert!(
            crate::formats::ccw_v2::recover::is_valid(&recovery, Format::LoopB, &FACTS),
            "{cut}: {}",
            recovery.text
        );
    }
    let recovery = recover(b"", None, &companions, &FACTS);
    let root = Node::parse(recovery.text.as_bytes()).expect("valid");
    let skill = root.get("skill_state");
    assert_eq!(
        (skill.get("pending_tasks").items().len(), skill.get("completed_tasks").items().len()),
        (2, 1)
    );
    assert_eq!(
        (skill.get("phase").text(), root.get("description").text()),
        (Some("debug"), Some("Analyze and improve payment module"))
    );
}

#[test]
fn a_merge_moves_the_tasks_of_all_its_workers() {
    let develop =
        WorkerOutput { completed_tasks: vec!["T1".into(), "T3".into()], ..output("develop", &["a"]) };
    let debug = WorkerOutput { completed_tasks: vec!["T3".into()], ..output("debug", &[]) };
    let failed = WorkerOutput { status: "failed".into(), ..output("validate", &[]) };
    let outputs = vec![develop.clone(), debug, failed];
    let (text, files) = run(SAMPLE, &LoopBOperation::Merge { outputs }).expect("legal");
    let root = Node::parse(text.as_bytes()).expect("valid");
    let skill = root.get("skill_state");
    let ids = |key: &str| -> Vec<String> {
        skill.get(key).items().iter().map(|task| task.get("id").shown(9).unwrap_or_default()).collect()
    };
    assert_eq!(
        (ids("pending_tasks"), ids("completed_tasks")),
        (vec!["T2".to_owned()], vec!["T1".to_owned(), "T3".to_owned()])
    );
    assert_eq!(Json::from_node(skill.get("workers_completed")).compact(), "[\"init\",\"develop\",\"debug\"]");
    assert_eq!(Json::from_node(&root).pretty(), text, "laid out as before");
    let develop_md: Vec<_> = files.iter().filter(|file| file.file.ends_with("develop.md")).collect();
    assert_eq!(develop_md.len(), 1, "a task is one worker's");
    assert_eq!(develop_md[0].text.matches("**Task ID**: T").count(), 2);
    // The same end a second time, after a foreign write: nothing is left to move.
    let (again, _) = run(&text, &LoopBOperation::WorkerDone { output: develop }).expect("legal");
    let again = Node::parse(again.as_bytes()).expect("valid");
    assert_eq!(again.get("skill_state").get("completed_tasks").items().len(), 2);
}

#[test]
fn the_summary_tells_what_each_worker_left() {
    let beside = |action: &str, text: &str| Companion {
        kind: CompanionKind::WorkerOutput,
        file: format!("{STEM}.workers/{action}.output.json"),
        bytes: text.as_bytes().to_vec(),
        cut: false,
    };
    let companions = [
        beside(
            "validate",
            "{\"action\":\"validate\",\"summary\":{\"total\":113,\"passed\":111,\"failed\":2},\"coverage\":85}",
        ),
        beside(
            "develop",
            "{\"action\":\"develop\",\"status\":\"success\",\"summary\":\"T1\\ndone\",\"files_changed\":[\"./src/pay/index.ts\",\"b\"]}",
        ),
        beside("init", "{torn"),
    ];
    let auto = SAMPLE.replace("\"parallel\"", "\"auto\"");
    let complete =
        LoopBOperation::Complete { executive: "x".into(), recommendations: vec![], worked_ms: None };
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let summary = |companions: &[Companion]| {
        let outcome = operate_with_companions(auto.as_bytes(), &FACTS, &complete, &situation, companions)
            .expect("legal");
        let text = outcome.files[0].text.clone();
        (crate::formats::ccw::progress_docs::summary::read(text.as_bytes()), text)
    };
    let (doc, text) = summary(&companions);
    let workers: Vec<_> =
        doc.workers.iter().map(|(action, status, summary)| [&**action, &**status, &**summary]).collect();
    let expected = [
        ["develop", "success", "T1 done"],
        ["debug", "success", "Root cause: retry storm on 409"],
        ["validate", "unknown", "111/113 tests passed"],
    ];
    assert_eq!(workers, expected, "files first, then what the master holds");
    assert_eq!((doc.tests, doc.coverage, doc.failed_tests), (Some((111, 113)), Some(85.0), Some(2)));
    assert_eq!(doc.files_changed, ["./src/pay/index.ts", "b"], "each file once");
    assert!(text.contains("| Tests | 111/113 |\n| Coverage | 85% |\n| Files Changed | 2 |"), "{text}");
    let (doc, text) = summary(&[]);
    assert_eq!((doc.workers.len(), doc.tests, text.contains("| Tests | N/A |")), (2, None, true));
}

#[test]
fn the_summary_has_the_time_at_work_or_says_since_when_it_counts() {
    let auto = SAMPLE.replace("\"parallel\"", "\"auto\"");
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let duration = |worked_ms: Option<f64>| {
        let complete = LoopBOperation::Complete { executive: "x".into(), recommendations: vec![], worked_ms };
        let outcome = operate(auto.as_bytes(), &FACTS, &complete, &situation).expect("legal");
        let doc = crate::formats::ccw::progress_docs::summary::read(outcome.files[0].text.as_bytes());
        (doc.duration_s, doc.since_created)
    };
    assert_eq!(duration(Some(61_400.0)), (Some(61), false));
    let (age, since_created) = duration(None);
    assert!(age.is_some_and(|age| age > 61) && since_created);
    assert_eq!(duration(Some(f64::NAN)), (age, true));
}
