//! Output of the real agents (`cargo xtask test --real-agents` with `LOOPDECK_RECORD=1`), with the known
//! result of each run, judged like any run.

use super::{FOLDERS, folder, read};
use loopdeck_agents::event::AgentEvent;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::outcome::{Asked, ExitHow, Outcome, Verdict, judge};
use loopdeck_agents::usage::share;
use loopdeck_agents::{OutputKind, table};
use serde_json::Value;
use std::fs;

use OutputKind::{ClaudeJsonl as Claude, CodexJsonl as Codex, GeminiJsonl as Gemini, QwenJsonl as Qwen};

/// A recorded run.
struct Recorded {
    name: String,
    events: Vec<AgentEvent>,
    facts: Facts,
    exit: ExitHow,
    /// It was sent a signal.
    signalled: bool,
}

impl Recorded {
    fn of(kind: OutputKind, name: &str) -> Self {
        let path = folder(kind).join("recorded").join(name);
        let stream = fs::read(path.with_extension("jsonl")).unwrap();
        let meta: Value =
            serde_json::from_slice(&fs::read(path.with_extension("meta.json")).unwrap()).unwrap();
        let lines = |key: &str| meta[key].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        let stderr: String = lines("stderr").map(|line| format!("{line}\n")).collect();
        let (events, facts) = read(kind, &stream, stderr.as_bytes());
        let number = |key: &str| meta[key].as_i64().map(|number| i32::try_from(number).unwrap());
        let exit = number("exit").map(ExitHow::Code).or(number("signal").map(ExitHow::Signal)).unwrap();
        let signalled = lines("done_to_it").next().is_some();
        Self { name: name.to_owned(), events, facts, exit, signalled }
    }

    fn all(kind: OutputKind) -> Vec<Self> {
        let entries = fs::read_dir(folder(kind).join("recorded")).unwrap().map(|entry| entry.unwrap().path());
        let streams = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        streams.map(|path| Self::of(kind, path.file_stem().unwrap().to_str().unwrap())).collect()
    }

    fn verdict(&self, kind: OutputKind, asked: Option<Asked>) -> Verdict {
        judge(kind, &self.facts, self.exit, asked)
    }
}

fn agents() -> impl Iterator<Item = OutputKind> {
    FOLDERS.into_iter().map(|(kind, _)| kind).filter(|kind| *kind != OutputKind::Text)
}

/// The outcome of a scenario in which we did not end the run.
fn expected(kind: OutputKind, name: &str) -> Outcome {
    match (name, kind) {
        ("success" | "edit" | "denied" | "structured" | "stdio_allowed" | "stdio_denied", _) => Outcome::Ok,
        ("unauthorized", _) => Outcome::Auth,
        ("rate_limited", Claude | Codex) => Outcome::Limit,
        ("unknown_flag" | "bad_session", _) => Outcome::Unknown,
        // These two are still retrying when they are ended; Gemini CLI calls that a normal exit.
        ("rate_limited" | "terminated", Gemini) => Outcome::Unknown,
        ("rate_limited" | "terminated" | "killed_in_a_tool", _) => Outcome::Crashed,
        ("interrupted" | "stdio_interrupted", Claude) => Outcome::Cancelled,
        ("interrupted_without_result", Claude) => Outcome::Unknown,
        ("interrupted", _) => Outcome::Crashed,
        _ if name.starts_with("budget_") => Outcome::Budget,
        _ if name.starts_with("loop_") || name.starts_with("resumed_") => Outcome::Ok,
        _ => panic!("{name}: what is to come of it?"),
    }
}

#[test]
fn every_recorded_run_ends_as_its_scenario_says() {
    for kind in agents() {
        let all = Recorded::all(kind);
        assert!(all.len() >= 17, "{kind:?}: {}", all.len());
        for run in all {
            let verdict = run.verdict(kind, None);
            assert_eq!(verdict.outcome, expected(kind, &run.name), "{kind:?} {}: {verdict:#?}", run.name);
            if run.signalled {
                let asked = run.verdict(kind, Some(Asked::Stop));
                assert_eq!(asked.outcome, Outcome::Cancelled, "{kind:?} {}", run.name);
            }
        }
    }
}

#[test]
fn every_line_of_the_checked_versions_is_understood() {
    for kind in agents() {
        for run in Recorded::all(kind) {
            let other = run.events.iter().find(|event| matches!(event, AgentEvent::Other { .. }));
            assert_eq!(other, None, "{kind:?} {}", run.name);
        }
    }
}

#[test]
fn what_stands_in_the_way_is_told_in_the_agents_own_words() {
    for kind in agents() {
        let message = |name: &str| Recorded::of(kind, name).verdict(kind, None).message.unwrap_or_default();
        assert!(message("unknown_flag").contains("such-flag-here"), "{kind:?}: {}", message("unknown_flag"));
        assert!(
            message("unauthorized").contains("invalid credentials"),
            "{kind:?}: {}",
            message("unauthorized")
        );
        assert!(message("bad_session").to_lowercase().contains("session") || kind == Codex, "{kind:?}");
    }
    let of = |name: &str| Recorded::of(Qwen, name).verdict(Qwen, None).message.unwrap();
    assert!(of("budget_turns").starts_with("Reached max session turns"), "{}", of("budget_turns"));
    assert!(of("budget_tools").starts_with("Run aborted: tool-call budget"), "{}", of("budget_tools"));
}

#[test]
fn denials_are_counted_where_they_are_told() {
    let denied = |kind| Recorded::of(kind, "denied").verdict(kind, None).denied;
    assert_eq!((denied(Claude), denied(Gemini), denied(Codex)), (1, 1, 0));
    assert_eq!(Recorded::of(Claude, "stdio_denied").verdict(Claude, None).denied, 1);
}

#[test]
fn a_resumed_run_keeps_its_conversation_and_pays_for_itself_only() {
    for kind in agents() {
        let (first, second) = (Recorded::of(kind, "resumed_first"), Recorded::of(kind, "resumed_second"));
        assert_eq!(first.facts.session, second.facts.session, "{kind:?}");
        assert!(first.facts.session.is_some());
        let one = share(kind, first.facts.usage.unwrap(), None);
        let two = share(kind, second.facts.usage.unwrap(), Some(one.baseline));
        let of = |share: &loopdeck_agents::usage::Share| (share.run.input, share.run.output);
        assert_eq!(of(&one), of(&two), "{kind:?}: the same was asked twice");
        let cents = |cost: Option<f64>| cost.map(|cost| (cost * 10_000.0).round());
        assert_eq!(cents(one.run.cost_usd), cents(two.run.cost_usd), "{kind:?}");
        assert_eq!(one.run.cost_usd.is_some(), kind == Claude, "{kind:?}");
    }
}

#[test]
fn answers_of_whole_loops_are_found() {
    for kind in agents() {
        let answer = |name: &str| Recorded::of(kind, name).facts.answer().unwrap().to_owned();
        let plan = answer("loop_0_init");
        assert!(plan.contains("task-003"), "{kind:?}: {plan}");
        let debugged = answer("loop_4_debug");
        assert!(debugged.contains("\"confirmed\": \"H1\""), "{kind:?}: {debugged}");
    }
    for kind in [Claude, Codex] {
        let facts = Recorded::of(kind, "structured").facts;
        let answer = facts.structured.as_deref().or(facts.answer()).unwrap();
        assert_eq!(answer, r#"{"status":"success"}"#, "{kind:?}");
    }
}

#[test]
fn the_recorded_versions_are_the_checked_ones() {
    let run = Recorded::of(Claude, "success");
    let version = run.events.iter().find_map(|event| match event {
        AgentEvent::Started(started) => started.version.clone(),
        _ => None,
    });
    let claude = table::agent(&loopdeck_agents::AgentId::Claude).unwrap();
    assert_eq!(version, Some(claude.checked.to_string()));
}
