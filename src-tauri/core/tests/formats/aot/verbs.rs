//! Every verb in every state (AoT contract §6): one table.

use crate::aot::{NOW, carry_out, detail, fixture, stop, summary, text};
use loopdeck_core::control::{EffectCode, Intent, Situation, Standing, Verb};
use loopdeck_core::loops;
use loopdeck_core::refusal::{RefusalCode, RefusalCode as R};
use loopdeck_core::status::{StatusWord, StatusWord as W};
use loopdeck_core::step::StepCode;

/// The backtracked sample with another status and reason.
fn file(status: &str, reason: &str) -> String {
    text("sample-04-running-or-backtracked")
        .replacen("status: running", &format!("status: {status}"), 1)
        .replacen("stop_reason: null", &format!("stop_reason: {reason}"), 1)
}

fn refusal(file: &str, verb: Verb, shown: StatusWord) -> Option<RefusalCode> {
    loops::refuse(&summary(file.as_bytes()), verb, &Situation { shown, now: NOW }).map(|refusal| refusal.code)
}

#[test]
fn a_refusal_of_an_interrupted_loop_does_not_call_it_running() {
    let file = summary(file("running", "null").as_bytes());
    let status =
        |verb, shown| loops::refuse(&file, verb, &Situation { shown, now: NOW }).map(|one| one.status);
    for verb in [Verb::Pause, Verb::Stop] {
        assert_eq!(status(verb, StatusWord::Interrupted), Some(Some(StatusWord::Interrupted)));
    }
    assert_eq!(
        status(Verb::Reopen, StatusWord::Interrupted),
        Some(Some(StatusWord::Running)),
        "it is: already"
    );
    assert_eq!(status(Verb::Delete, StatusWord::Running), Some(Some(StatusWord::Running)));
}

const OK: Option<R> = None;

/// The file's word, what is shown, and what is said to Start, Pause, Resume, Stop, Reopen, Finalise, Delete.
const TABLE: [(&str, W, [Option<R>; 7]); 13] = [
    (
        "pending",
        W::NotStarted,
        [
            OK,
            Some(R::NotRunning),
            Some(R::NotPaused),
            Some(R::NotRunning),
            Some(R::NotFinished),
            Some(R::NotRunning),
            OK,
        ],
    ),
    (
        "pending",
        W::Starting,
        [
            Some(R::AlreadyRunning),
            Some(R::NotRunning),
            Some(R::NotPaused),
            Some(R::NotRunning),
            Some(R::NotFinished),
            Some(R::NotRunning),
            Some(R::Running),
        ],
    ),
    (
        "running",
        W::Running,
        [
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            Some(R::Running),
            Some(R::Running),
        ],
    ),
    (
        "running",
        W::Silent,
        [
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            Some(R::Running),
            Some(R::Running),
        ],
    ),
    (
        "running",
        W::NeedsYou,
        [
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            Some(R::Running),
            Some(R::Running),
        ],
    ),
    (
        "running",
        W::RunningElsewhere,
        [
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            OK,
            Some(R::AlreadyRunning),
            Some(R::ForeignOwner),
            Some(R::Running),
        ],
    ),
    (
        "running",
        W::Interrupted,
        [
            Some(R::AlreadyRunning),
            Some(R::NotRunning),
            OK,
            Some(R::NotRunning),
            Some(R::AlreadyRunning),
            OK,
            OK,
        ],
    ),
    (
        "running",
        W::AgentUnknown,
        [
            Some(R::AlreadyRunning),
            Some(R::NotRunning),
            OK,
            Some(R::NotRunning),
            Some(R::AlreadyRunning),
            OK,
            OK,
        ],
    ),
    (
        "stopped",
        W::Stopped,
        [
            Some(R::AlreadyPaused),
            Some(R::NotRunning),
            OK,
            Some(R::NotRunning),
            Some(R::NotFinished),
            Some(R::NotRunning),
            OK,
        ],
    ),
    (
        "stopped",
        W::Stopping,
        [
            Some(R::AlreadyPaused),
            Some(R::NotRunning),
            Some(R::Running),
            Some(R::NotRunning),
            Some(R::NotFinished),
            Some(R::NotRunning),
            Some(R::Running),
        ],
    ),
    (
        "completed",
        W::Completed,
        [
            Some(R::Finished),
            Some(R::NotRunning),
            Some(R::Finished),
            Some(R::NotRunning),
            OK,
            Some(R::NotRunning),
            OK,
        ],
    ),
    (
        "completed",
        W::EndedStillRunning,
        [
            Some(R::Finished),
            Some(R::NotRunning),
            Some(R::Finished),
            Some(R::NotRunning),
            Some(R::Running),
            Some(R::NotRunning),
            Some(R::Running),
        ],
    ),
    (
        "paused",
        W::Unknown,
        [
            Some(R::UnknownStatus),
            Some(R::UnknownStatus),
            Some(R::UnknownStatus),
            Some(R::UnknownStatus),
            Some(R::UnknownStatus),
            Some(R::UnknownStatus),
            OK,
        ],
    ),
];

#[test]
fn every_verb_in_every_state() {
    let verbs =
        [Verb::Start, Verb::Pause, Verb::Resume, Verb::Stop, Verb::Reopen, Verb::Finalise, Verb::Delete];
    for (status, shown, expected) in TABLE {
        let file = file(status, "null").replace(
            // Something must be ready for the start gate.
            "    depends_on: [A3_sqlite]\n",
            "    depends_on: []\n",
        );
        for (verb, expected) in verbs.into_iter().zip(expected) {
            assert_eq!(refusal(&file, verb, shown), expected, "{verb:?} on {status}, shown {shown:?}");
        }
        assert_eq!(refusal(&file, Verb::EditMetadata, shown), Some(R::NotInFormat));
    }
}

#[test]
fn a_refusal_says_what_the_file_says_as_a_word_of_the_screen() {
    for (status, reason, word) in [
        ("pending", "null", Some(StatusWord::NotStarted)),
        ("stopped", "Paused by user", Some(StatusWord::Paused)),
        ("stopped", "Max iterations reached", Some(StatusWord::Stopped)),
        ("completed", "null", Some(StatusWord::Completed)),
    ] {
        let file = file(status, reason);
        let situation = Situation { shown: StatusWord::Unknown, now: NOW };
        let refusal = loops::refuse(&summary(file.as_bytes()), Verb::Stop, &situation).expect(status);
        assert_eq!((refusal.status, refusal.args["status"].as_str()), (word, status), "{reason}");
        let steps = detail(file.as_bytes(), StatusWord::Unknown).steps;
        let hold =
            steps.into_iter().find(|offer| offer.step == StepCode::AotHold).expect("a hold is offered");
        assert_eq!(hold.refusal.and_then(|refusal| refusal.status), word, "steps say the same");
    }
}

#[test]
fn the_gate_names_what_is_missing() {
    let start = |from: &str, to: &str| {
        let file = text("seed-002-s8-1").replacen(from, to, 1);
        let refusal = loops::refuse(
            &summary(file.as_bytes()),
            Verb::Start,
            &Situation { shown: StatusWord::NotStarted, now: NOW },
        );
        refusal.map(|refusal| (refusal.code, refusal.args.get("field").cloned().unwrap_or_default()))
    };
    let gate = |field: &str| Some((RefusalCode::GateNotMet, field.to_owned()));
    assert_eq!(start("goal: \"...\"", "goal: \"...\""), None);
    assert_eq!(start("goal: \"...\"", "goal: \"\""), gate("objective.goal"));
    assert_eq!(
        start("definition_of_done: \"...\"", "definition_of_done: "),
        gate("objective.definition_of_done")
    );
    assert_eq!(start("value: \"...\"", "value: \"\""), gate("objective.base_case"));
    assert_eq!(start("depends_on: []", "depends_on: [A9]"), gate("atoms"));
    assert_eq!(start("max_iterations: 20", "max_iterations: 0").map(|r| r.0), Some(RefusalCode::DamagedFile));
}

#[test]
fn limits_and_dead_ends_are_named_at_resume() {
    let at_limit = file("stopped", "\"Max iterations reached\"").replace("iteration: 9", "iteration: 25");
    assert_eq!(refusal(&at_limit, Verb::Resume, StatusWord::LimitReached), Some(RefusalCode::LimitReached));
    let running = file("running", "null").replace("iteration: 9", "iteration: 25");
    assert_eq!(refusal(&running, Verb::Resume, StatusWord::LimitReached), Some(RefusalCode::LimitReached));
    let exhausted = file("stopped", "\"OR group exhausted: storage_method\"")
        .replace("status: in_progress", "status: pending")
        .replace("failed: [A3_sqlite]", "failed: [A3_sqlite, A3_postgres, A3_files]");
    let refused = loops::refuse(
        &summary(exhausted.as_bytes()),
        Verb::Resume,
        &Situation { shown: StatusWord::LimitReached, now: NOW },
    );
    assert_eq!(
        refused.map(|r| (r.code, r.args["field"].clone())),
        Some((RefusalCode::GateNotMet, "or_groups".to_owned()))
    );
}

#[test]
fn damage_refuses_all_but_stopping() {
    let damaged = file("running", "null").replace("iteration: 9", "iteration: 08");
    for verb in [Verb::Resume, Verb::Reopen, Verb::Start] {
        assert_eq!(refusal(&damaged, verb, StatusWord::Running), Some(RefusalCode::DamagedFile), "{verb:?}");
    }
    for verb in [Verb::Stop, Verb::Pause] {
        assert_eq!(refusal(&damaged, verb, StatusWord::Running), None);
    }
    assert_eq!(refusal(&damaged, Verb::Finalise, StatusWord::Interrupted), None);
    let ambiguous = file("running", "null").replace("iteration: 9", "iteration: 9\n  status: stopped");
    assert_eq!(refusal(&ambiguous, Verb::Stop, StatusWord::Running), None);
    assert_eq!(refusal(&ambiguous, Verb::Finalise, StatusWord::Interrupted), Some(RefusalCode::DamagedFile));
    assert_eq!(refusal("---\nopen", Verb::Finalise, StatusWord::CannotRead), Some(RefusalCode::DamagedFile));
}

#[test]
fn sentences_carry_their_numbers() {
    let of = |file: &str, shown, verb| {
        let detail = detail(file.as_bytes(), shown);
        detail.controls.into_iter().find(|control| control.verb == verb).expect("every verb is listed")
    };
    let resume = of(&file("stopped", "null"), StatusWord::Stopped, Verb::Resume);
    assert_eq!(resume.effect, EffectCode::ResumeByHandResetsAtoms);
    let args: Vec<_> = resume.args.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(args, ["command=/enter-recursion", "count=1", "iteration=9", "limit=25"]);
    assert!(resume.refusal.is_none() && !resume.confirm);
    let start = of(&text("seed-002-s8-1"), StatusWord::NotStarted, Verb::Start);
    assert_eq!((start.effect, start.args["iteration"].as_str()), (EffectCode::StartByHand, "1"));
    let fresh = text("seed-002-s8-1").replacen("status: pending", "status: stopped", 1);
    let resume = of(&fresh, StatusWord::Stopped, Verb::Resume);
    assert_eq!((resume.effect, resume.args["iteration"].as_str()), (EffectCode::ResumeByHand, "1"));
    let done = text("seed-002-s6-2-after").replacen("status: running", "status: completed", 1);
    assert_eq!(of(&done, StatusWord::Completed, Verb::Reopen).effect, EffectCode::ReopenNothingToDo);
    for verb in [Verb::Stop, Verb::Delete, Verb::Reopen] {
        assert!(of(&done, StatusWord::Completed, verb).confirm, "{verb:?}");
    }
}

#[test]
fn a_guarded_verb_holds_is_undone_or_answered() {
    let standing_of = |status: &str, flag: &str, reason: &str, verb| {
        let file = file(status, reason).replace("stop_requested: false", &format!("stop_requested: {flag}"));
        loops::request_standing(&summary(file.as_bytes()), verb)
    };
    let (paused, other) = ("\"Paused by user\"", "\"Manual stop requested\"");
    let cases = [
        ("running", "true", paused, Verb::Pause, Standing::Holds),
        ("running", "false", paused, Verb::Pause, Standing::Undone),
        ("stopped", "true", paused, Verb::Pause, Standing::Holds),
        ("running", "true", other, Verb::Pause, Standing::Answered),
        ("completed", "false", "null", Verb::Pause, Standing::Answered),
        ("running", "true", other, Verb::Stop, Standing::Holds),
        ("running", "true", paused, Verb::Stop, Standing::Undone),
        ("stopped", "true", paused, Verb::Stop, Standing::Answered),
        ("running", "false", "null", Verb::Stop, Standing::Undone),
        ("stopped", "true", other, Verb::Stop, Standing::Holds),
        ("stopped", "false", "\"Max iterations reached\"", Verb::Stop, Standing::Answered),
        ("running", "false", "null", Verb::Resume, Standing::Holds),
        ("completed", "false", "null", Verb::Resume, Standing::Answered),
        ("running", "true", other, Verb::Resume, Standing::Answered),
        ("pending", "false", "null", Verb::Start, Standing::Undone),
        ("stopped", "true", paused, Verb::Resume, Standing::Undone),
        ("stopped", "false", "\"Interrupted\"", Verb::Finalise, Standing::Holds),
        ("running", "false", "null", Verb::Finalise, Standing::Answered),
    ];
    for (status, flag, reason, verb, expected) in cases {
        assert_eq!(standing_of(status, flag, reason, verb), expected, "{verb:?} {status} {flag} {reason}");
    }
    for verb in [Verb::Pause, Verb::Stop, Verb::Resume, Verb::Finalise] {
        assert_eq!(
            loops::request_standing(&summary(b"---\nhalf"), verb),
            Standing::Holds,
            "half a file answers nothing"
        );
    }
}

/// Pause, then stop, then a writer restores what it read in between: the stop is sent again and holds.
#[test]
fn a_stale_pause_does_not_answer_a_newer_stop() {
    let paused =
        carry_out(&fixture("seed-002-s6-2-before"), &Intent::Pause, StatusWord::Running).expect("legal");
    assert_eq!(loops::request_standing(&summary(&paused), Verb::Pause), Standing::Holds);
    for reason in ["enough", "Paused by user", "  Paused by user\n"] {
        let stopped =
            carry_out(&paused, &stop(reason), StatusWord::Pausing).expect("a pause can become a stop");
        assert_eq!(loops::request_standing(&summary(&stopped), Verb::Stop), Standing::Holds, "{reason:?}");
        assert_eq!(
            loops::request_standing(&summary(&stopped), Verb::Pause),
            Standing::Answered,
            "{reason:?}"
        );
    }
    assert_eq!(loops::request_standing(&summary(&paused), Verb::Stop), Standing::Undone);
}
