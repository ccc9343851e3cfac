//! Every way in which a version without our requested values can arise, for all three formats.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use super::*;
use crate::control::{Intent, Situation};
use crate::format::FileFacts;
use crate::loops::{self, Place};
use crate::status::StatusWord;
use serde_json::{Value, json};

const OLD: &str = "2026-11-20T04:00:00.000Z";
const BEFORE: &str = "2026-11-20T04:10:00.000Z";
const OURS: &str = "2026-11-20T05:00:00.000Z";
const LATER: &str = "2026-11-20T05:00:00.020Z";
const EARLIER: &str = "2026-11-20T04:59:59.900Z";
const SAME_MOMENT: &str = "2026-11-20T04:59:59.995Z";
/// The time as the skills write it: eight hours ahead.
const BY_SKILL: &str = "2026-11-20T13:00:00.020Z";
const NOW: &str = "2026-11-20T05:00:01.000Z";

fn ms(time: &str) -> Timestamp {
    times::parse(time).unwrap()
}

// --- CCW ----------------------------------------------------------------------------------------------------------

/// The work of the two CCW formats, at step `step`.
fn work(format: Format, step: u64) -> Value {
    if format == Format::LoopB {
        let done: Vec<u64> = (0..step).collect();
        return json!({"phase": "develop", "action_index": 1, "workers_completed": ["init"], "completed_tasks": done});
    }
    let status = |n: u64| if n < step { "completed" } else { "pending" };
    let tasks: Vec<Value> = (0..9).map(|n| json!({"id": format!("t{n}"), "status": status(n)})).collect();
    json!({"current_action": "develop", "completed_actions": [], "develop": {"completed": step, "tasks": tasks}})
}

fn state(format: Format, status: &str, step: u64, updated_at: &str) -> Value {
    let mut state = json!({
        "loop_id": id(format), "title": "T", "description": "", "max_iterations": 10, "status": status,
        "current_iteration": 3, "created_at": "2026-11-20T03:00:00.000Z", "updated_at": updated_at,
        "skill_state": work(format, step),
    });
    if format == Format::LoopB {
        state["mode"] = json!("auto");
    }
    state
}

fn id(format: Format) -> &'static str {
    match format {
        Format::LoopB => "loop-b-20261120T030000-abcdefgh",
        Format::Aot => "aot-loop-state",
        _ => "loop-v2-20261120T030000-d8ff7e62",
    }
}

fn text(state: &Value) -> String {
    serde_json::to_string_pretty(state).unwrap()
}

/// What upstream's server writes for a verb: it rewrites everything.
fn server(copy: &str, verb: Verb, time: &str) -> String {
    let mut state: Value = serde_json::from_str(copy).unwrap();
    let fields = state.as_object_mut().unwrap();
    match verb {
        Verb::Pause => fields["status"] = json!("paused"),
        Verb::Stop => {
            fields["status"] = json!("failed");
            fields.insert("failure_reason".into(), json!("Manually stopped by user"));
            fields.insert("completed_at".into(), json!(time));
        }
        _ => {
            fields["status"] = json!("running");
            fields.remove("completed_at");
            fields.remove("failure_reason");
        }
    }
    fields["updated_at"] = json!(time);
    text(&state)
}

fn with(copy: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut state: Value = serde_json::from_str(copy).unwrap();
    change(&mut state);
    text(&state)
}

// --- ours ---------------------------------------------------------------------------------------------------------

fn intent(verb: Verb) -> Intent {
    match verb {
        Verb::Pause => Intent::Pause,
        Verb::Stop => Intent::Stop { reason: None },
        Verb::Reopen => Intent::Reopen { raise_limit_to: None },
        _ => Intent::Resume { raise_limit_to: None },
    }
}

/// What we write for a request.
fn ours(format: Format, before: &str, verb: Verb) -> String {
    let place = if format == Format::Aot { Place::AotFile } else { Place::CcwFile };
    let facts = FileFacts { stem: id(format), modified: ms(BEFORE), now: ms(OURS) };
    let summary = loops::summary(place, before.as_bytes(), &facts).unwrap();
    assert_eq!(summary.format, format);
    let shown = match verb {
        Verb::Resume => StatusWord::Paused,
        Verb::Reopen => StatusWord::Stopped,
        _ => StatusWord::RunningElsewhere,
    };
    let situation = Situation { shown, now: ms(OURS) };
    let carried = loops::carry_out(&summary, before.as_bytes(), &facts, &intent(verb), &situation);
    String::from_utf8(carried.unwrap().bytes).unwrap()
}

/// An old version, the one before our request, and ours.
struct PastVersions {
    format: Format,
    verb: Verb,
    old: String,
    before: String,
    ours: String,
    /// Kept or written since.
    since: Vec<String>,
    our_agent: bool,
}

impl PastVersions {
    fn ccw(format: Format, verb: Verb) -> Self {
        let word = if verb == Verb::Resume { "paused" } else { "running" };
        let old = text(&state(format, word, 1, OLD));
        Self::before_and_after(format, verb, old, text(&state(format, word, 2, BEFORE)))
    }

    fn before_and_after(format: Format, verb: Verb, old: String, before: String) -> Self {
        let ours = ours(format, &before, verb);
        Self { format, verb, old, before, ours, since: Vec::new(), our_agent: false }
    }

    #[track_caller]
    fn check(&self, name: &str, foreign: &str, expected: Descent) {
        let version = |text: &String| Version::from_bytes(self.format, text.as_bytes()).unwrap();
        let lineage = Lineage {
            before: [&self.old, &self.before].map(version).into(),
            since: std::iter::once(&self.ours).chain(&self.since).map(version).collect(),
        };
        let seen = JudgementInputs { verb: self.verb, now: ms(NOW), our_agent: self.our_agent };
        let found = lineage.descent(&version(&foreign.to_owned()), &seen);
        assert_eq!(found, expected, "{name}: {:?} {:?}\n{foreign}", self.format, self.verb);
    }
}

const CCW: [Format; 2] = [Format::LoopV2, Format::LoopB];
/// Each with another tool's response to it.
const VERBS: [(Verb, Verb); 4] = [
    (Verb::Pause, Verb::Resume),
    (Verb::Resume, Verb::Pause),
    (Verb::Stop, Verb::Resume),
    (Verb::Resume, Verb::Stop),
];

#[test]
fn copies_from_before_are_stale() {
    for format in CCW {
        for (verb, _) in VERBS {
            let past = PastVersions::ccw(format, verb);
            let (old, before) = (&past.old, &past.before);
            past.check("the whole copy", before, Descent::Stale);
            past.check("in another layout", &before.replace("  ", "\t"), Descent::Stale);
            past.check("as JSON.stringify spells it", &before.replace(": 10,", ": 10.0,"), Descent::Stale);
            past.check("git checkout of an old version", old, Descent::Stale);
            past.check("saved unchanged in an editor", before, Descent::Stale);
            let newer = |copy: &str| with(copy, |state| state["updated_at"] = json!(LATER));
            past.check("an old copy with a newer time", &newer(old), Descent::Stale);
            let unknown = text(&state(format, "running", 0, LATER));
            past.check("counters of a version that is not kept", &unknown, Descent::Stale);
            let skill = with(before, |state| state["updated_at"] = json!(BY_SKILL));
            past.check("a copy with the newer time of a skill", &skill, Descent::AgentsWork);
            past.check(
                "decided before us, written after us",
                &server(before, verb_of(before), EARLIER),
                Descent::Stale,
            );
        }
    }
}

/// The decision that led to the words of `copy`.
fn verb_of(copy: &str) -> Verb {
    if copy.contains("paused") { Verb::Pause } else { Verb::Resume }
}

/// How editors save: a last newline, a byte order mark, Windows line ends, and all of it.
fn saved(text: &str) -> [(&'static str, String); 4] {
    let windows = text.replace('\n', "\r\n");
    [
        ("a last newline", format!("{text}\n")),
        ("a byte order mark", format!("\u{feff}{text}")),
        ("the line ends of Windows", windows.clone()),
        ("all of it", format!("\u{feff}{windows}\r\n")),
    ]
}

#[test]
fn what_an_editor_saves_is_the_version_that_it_read() {
    for format in CCW {
        for (verb, other) in VERBS {
            let past = PastVersions::ccw(format, verb);
            for (how, text) in saved(&past.before) {
                past.check(&format!("read before us, saved with {how}"), &text, Descent::Stale);
            }
            for (how, text) in saved(&past.old) {
                past.check(&format!("read long before us, saved with {how}"), &text, Descent::Stale);
            }
            // The person changed only the word.
            let by_hand = with(&server(&past.ours, other, LATER), |state| state["updated_at"] = json!(OURS));
            for (how, text) in saved(&by_hand) {
                past.check(&format!("ours with another word, saved with {how}"), &text, Descent::Decision);
            }
        }
    }
}

#[test]
fn an_old_end_with_a_newer_time_is_stale_and_a_new_end_is_a_decision() {
    for format in CCW {
        let old = text(&state(format, "running", 1, OLD));
        let past = PastVersions::before_and_after(
            format,
            Verb::Reopen,
            old.clone(),
            server(&old, Verb::Stop, BEFORE),
        );
        let newer = with(&past.before, |state| state["updated_at"] = json!(LATER));
        past.check("their old stop", &newer, Descent::Stale);
        past.check("a new stop", &server(&past.ours, Verb::Stop, LATER), Descent::Decision);
    }
}

#[test]
fn an_agents_work_with_the_status_it_remembered_does_not_stand() {
    for format in CCW {
        for (verb, _) in VERBS {
            let past = PastVersions::ccw(format, verb);
            for time in [BEFORE, LATER, BY_SKILL] {
                let work = with(&past.before, |state| {
                    (state["skill_state"], state["updated_at"]) = (work(format, 3), json!(time));
                });
                past.check("work", &work, Descent::AgentsWork);
                let round = with(&past.before, |state| {
                    (state["current_iteration"], state["updated_at"]) = (json!(4), json!(time));
                });
                past.check("the next round", &round, Descent::AgentsWork);
            }
            let named = with(&past.before, |state| {
                (state["title"], state["updated_at"]) = (json!("Renamed"), json!(LATER));
            });
            past.check("a server that renamed what it had read before us", &named, Descent::AgentsWork);
        }
    }
}

#[test]
fn a_decision_stands() {
    for format in CCW {
        for (verb, other) in VERBS {
            let mut past = PastVersions::ccw(format, verb);
            past.check("fresh", &server(&past.ours, other, LATER), Descent::Decision);
            past.check("in the same millisecond", &server(&past.ours, other, OURS), Descent::Decision);
            past.check("in the same moment", &server(&past.ours, other, SAME_MOMENT), Descent::Decision);
            let saved = with(&server(&past.ours, other, LATER), |state| state["updated_at"] = json!(OURS));
            past.check("saved in an editor that read ours", &saved, Descent::Decision);
            let compact: Value = serde_json::from_str(&server(&past.ours, other, LATER)).unwrap();
            past.check("in another layout", &compact.to_string(), Descent::Decision);
            // A copy with only a new time looks like this too; skills write another time together with their
            // work.
            let renewed = with(&past.before, |state| state["updated_at"] = json!(LATER));
            past.check("the word from before at a new time", &renewed, Descent::Decision);
            // The same decision was made before: what we resumed had been paused in the same way.
            past.before = server(&past.before, other, BEFORE);
            past.ours = match verb {
                Verb::Resume => past.ours,
                _ => ours(format, &past.before, verb),
            };
            past.check("again", &server(&past.ours, other, LATER), Descent::Decision);
            // An agent continues and has meanwhile taken over our word.
            let kept = with(&past.ours, |state| {
                (state["skill_state"], state["updated_at"]) = (work(format, 4), json!(BY_SKILL));
            });
            past.since.push(kept.clone());
            past.check("on an agent's work", &server(&kept, other, LATER), Descent::Decision);
            past.check("on ours, when work came between", &server(&past.ours, other, LATER), Descent::Stale);
        }
        let past = PastVersions::ccw(format, Verb::Stop);
        let word = with(&past.ours, |state| {
            (state["status"], state["skill_state"]) = (json!("archived"), work(format, 3));
        });
        past.check("a word that nobody could remember", &word, Descent::Decision);
    }
}

#[test]
fn our_own_agent_does_not_decide() {
    for format in CCW {
        for verb in [Verb::Pause, Verb::Stop] {
            let mut past = PastVersions::ccw(format, verb);
            past.our_agent = true;
            let by_hand = with(&past.ours, |state| state["status"] = json!("running"));
            past.check("it undoes our word by hand", &by_hand, Descent::AgentsWork);
            past.check("a tool resumes", &server(&past.ours, Verb::Resume, LATER), Descent::Decision);
        }
        let mut past = PastVersions::ccw(format, Verb::Resume);
        past.our_agent = true;
        let paused =
            with(&past.ours, |state| (state["status"], state["title"]) = (json!("paused"), json!("X")));
        past.check("somebody tells it to pause", &paused, Descent::Decision);
        past.check("a copy from before", &past.before, Descent::Stale);
    }
}

#[test]
fn another_loop_in_its_place_is_not_what_was_asked_about() {
    for format in CCW {
        let past = PastVersions::ccw(format, Verb::Pause);
        let other = with(&past.before, |state| state["created_at"] = json!(LATER));
        past.check("created at another time", &other, Descent::Unrelated);
    }
    assert_eq!(Version::from_bytes(Format::LoopV2, b"{\"status\": \"runn"), None);
    assert_eq!(Version::from_bytes(Format::Aot, b"---\ncontrol:\n"), None);
    let nothing =
        Version::from_bytes(Format::LoopV2, text(&state(Format::LoopV2, "running", 1, OLD)).as_bytes());
    let seen = JudgementInputs { verb: Verb::Pause, now: ms(NOW), our_agent: false };
    let alone = Lineage::default().descent(&nothing.unwrap(), &seen);
    assert_eq!(alone, Descent::AgentsWork, "without a past it is written again");
}

// --- AoT: no times ------------------------------------------------------------------------------------------------

const FLAG: &str = "stop_requested: true\n  stop_reason: ";
const NO_FLAG: &str = "stop_requested: false\n  stop_reason: null";

fn aot(status: &str, iteration: u32, flag: &str) -> String {
    format!(
        "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n    type: command\n    value: \"npm test\"\n  \
         background_intent: \"Because\"\n  deliverables: \"A thing\"\n  definition_of_done: \"It works\"\n  constraints:\n    \
         max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n\ncontrol:\n  status: {status}\n  \
         iteration: {iteration}\n  stall_count: 1\n  prev_pending_count: 1\n  {flag}\n  \
         redirect_requested: false\n\natoms:\n  - id: A1\n    description: \"Do it\"\n    status: pending\n    depends_on: []\n\n\
         decompositions: []\n\nor_groups: {{}}\n\nbindings: {{}}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n"
    )
}

fn aot_past(verb: Verb) -> PastVersions {
    let status = if verb == Verb::Resume { "stopped" } else { "running" };
    let stopped = format!("{FLAG}\"Manual stop requested\"");
    let flag = if verb == Verb::Resume { &stopped } else { NO_FLAG };
    PastVersions::before_and_after(Format::Aot, verb, aot(status, 4, flag), aot(status, 5, flag))
}

#[test]
fn aot_copies_and_work_do_not_stand() {
    for verb in [Verb::Pause, Verb::Stop, Verb::Resume] {
        let past = aot_past(verb);
        past.check("the whole copy", &past.before, Descent::Stale);
        past.check("git checkout of an old version", &past.old, Descent::Stale);
        past.check("saved in an editor", &past.before.replace("\"Ship it\"", "'Ship it'"), Descent::Stale);
        let work = past.before.replace("    status: pending", "    status: resolved");
        past.check("an agent's work", &work, Descent::AgentsWork);
        past.check(
            "the next round",
            &past.before.replace("iteration: 5", "iteration: 6"),
            Descent::AgentsWork,
        );
        let old = past.before.replace("iteration: 5", "iteration: 2");
        past.check("a version that is not kept", &old, Descent::Stale);
    }
}

#[test]
fn aot_decisions_stand() {
    let stop = format!("{FLAG}\"Manual stop requested\"");
    for verb in [Verb::Pause, Verb::Resume] {
        let past = aot_past(verb);
        let raised = if verb == Verb::Resume {
            past.ours.replace(NO_FLAG, &stop)
        } else {
            past.ours.replace("\"Paused by user\"", "\"Manual stop requested\"")
        };
        past.check("/exit-recursion", &raised, Descent::Decision);
        let stopped = raised.replace("status: running", "status: stopped");
        past.check("and its hook", &stopped, Descent::Decision);
    }
    let mut past = aot_past(Verb::Pause);
    past.check(
        "the flag is lowered in an editor",
        &past.ours.replace("stop_requested: true", "stop_requested: false"),
        Descent::Decision,
    );
    past.our_agent = true;
    past.check(
        "by our own agent",
        &past.ours.replace("stop_requested: true", "stop_requested: false"),
        Descent::AgentsWork,
    );
    past.our_agent = false;
    // The hook carries out our stop, and the person sets the loop to running again.
    past.since.push(past.ours.replace("status: running", "status: stopped"));
    past.check("/enter-recursion", &past.before, Descent::Decision);
    past.check("a copy of an older time", &past.old, Descent::Stale);
}

#[test]
fn aot_decisions_that_were_made_before_stand_unless_nothing_tells_them_from_a_copy() {
    let stop = format!("{FLAG}\"Manual stop requested\"");
    // A person stopped it, we resumed it, and it is stopped again with the same words.
    let mut past = aot_past(Verb::Resume);
    let again = past.ours.replace(NO_FLAG, &stop);
    past.check("the same decision again", &again, Descent::Decision);
    past.old = aot("running", 4, &stop);
    past.check("and its earlier flag is kept", &again, Descent::Decision);
    let worked = past.ours.replace("iteration: 5", "iteration: 6");
    past.since.push(worked.clone());
    past.check("the same decision again, after work", &worked.replace(NO_FLAG, &stop), Descent::Decision);
    // Right after ours: a version with more content than the one before ours is not a copy of that.
    let past = aot_past(Verb::Pause);
    let lowered = past.ours.replace("stop_requested: true", "stop_requested: false");
    past.check("decided right after ours", &lowered, Descent::Decision);
    let stronger = past.ours.replace("\"Paused by user\"", "\"Enough\"");
    past.check("a stop right after ours", &stronger, Descent::Decision);
    let same = past
        .ours
        .replace("stop_requested: true", "stop_requested: false")
        .replace("\"Paused by user\"", "null");
    past.check("in the words from before us: without a time it is a copy", &same, Descent::Stale);
}

#[test]
fn aot_decisions_after_our_stop_stand() {
    let mut past = aot_past(Verb::Stop);
    let lowered = past.ours.replace("stop_requested: true", "stop_requested: false");
    past.check("the flag is lowered in an editor", &lowered, Descent::Decision);
    past.check("a copy from before", &past.before, Descent::Stale);
    past.our_agent = true;
    past.check("by our own agent", &lowered, Descent::AgentsWork);
    past.our_agent = false;
    let stopped = past.ours.replace("status: running", "status: stopped");
    past.since.push(stopped);
    past.check("/enter-recursion after the hook", &past.before, Descent::Decision);
    past.check("a copy of an older time", &past.old, Descent::Stale);
}
