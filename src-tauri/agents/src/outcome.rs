//! How a run ended: judged by typed fields of the final event, then by the exit. Never by text before that,
//! because files that mention "rate limit" have stopped loops.
//!
//! The table of the agents' contract §6, read from the left: our own request wins, then the final event, then
//! the exit.

use super::complaint::Cause;
use super::event::Denied;
use super::facts::{Facts, Final};
use super::provider::{self, Refusal, Reset};
use super::{Clip, OutputKind};
use serde::{Deserialize, Serialize};
use specta::Type;

/// How a run ended. Words: catalogue `runOutcome.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename = "RunOutcome", rename_all = "snake_case")] // tests have an outcome too
pub enum Outcome {
    /// Done, according to the agent. With denials it needs attention.
    Ok,
    /// The agent reports a failure.
    TaskFailed,
    /// A usage limit of the provider.
    Limit,
    /// Not signed in, or not allowed.
    Auth,
    /// A limit that we set was reached.
    Budget,
    /// It was asked to stop.
    Cancelled,
    /// It ended without reporting a result.
    Crashed,
    /// Nothing known matches: see the message and `from`.
    Unknown,
}

/// How the process exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ExitHow {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that we did not send.
    Signal(i32),
    /// Not by itself: it kept running after its final event until we ended it.
    StillRunning,
    /// It is gone, and its exit was not observed.
    Unseen,
}

/// Why we ended a run. Recorded before anything is sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A person stopped it.
    Stop,
    /// A person interrupted it.
    Interrupt,
    /// It reached its time limit.
    Timeout,
    /// It reached its token or money limit.
    Budget,
}

/// Which cap was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BudgetKind {
    /// Time.
    Time,
    /// Money.
    Money,
    /// Turns.
    Turns,
    /// One that the agent does not name.
    Other,
}

/// How a run ended, and how that is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Verdict {
    /// How.
    pub outcome: Outcome,
    /// The agent's own word for the result (`terminal_reason`, or its class).
    pub word: Option<String>,
    /// The agent's own line about it; for a command, its last line on stderr. Untrusted text.
    pub message: Option<String>,
    /// The agent did not start because it does not know an argument of its command line; `message` says
    /// which.
    pub unknown_argument: bool,
    /// Denied actions; incomplete when `denied` is larger.
    pub denials: Vec<Denied>,
    /// How many actions were denied.
    pub denied: u32,
    /// Of [`Outcome::Budget`]: which cap. Not a part of what is written down.
    #[serde(skip)]
    pub budget: Option<BudgetKind>,
    /// Where the outcome comes from, e.g. `result.api_error_status=429`, `exit=1`.
    pub from: Vec<String>,
    /// When the usage limit resets: milliseconds since 1970 UTC, if reported. For a time that needs the clock see `reset`.
    pub resets_at_ms: Option<f64>,
    /// The same as it was told; see [`Verdict::resolve_reset`].
    #[serde(skip)]
    pub reset: Option<Reset>,
    /// It is waiting for an answer before it continues (`tool_deferred`).
    pub needs_answer: bool,
    /// It reported that it was done but did not exit by itself.
    pub lingered: bool,
    /// The raw line of an unknown event.
    pub raw: Option<Clip>,
}

impl Verdict {
    /// Sets the time of the reset from what was told: `now_ms` is when the run ended, `local` the zone of this computer.
    pub fn resolve_reset(&mut self, now_ms: i64, local: &jiff::tz::TimeZone) {
        #[allow(clippy::cast_precision_loss)] // exact until the year 287396
        let ms = self.reset.as_ref().and_then(|reset| reset.resolve(now_ms, local)).map(|ms| ms as f64);
        self.resets_at_ms = ms.or(self.resets_at_ms);
    }
}

/// An outcome, the cap that was reached, and the fields they were read from.
struct OutcomeReading {
    outcome: Outcome,
    budget: Option<BudgetKind>,
    from: Vec<String>,
}

impl OutcomeReading {
    fn new(outcome: Outcome, from: Vec<String>) -> Self {
        Self { outcome, budget: None, from }
    }

    fn cap(budget: BudgetKind, from: Vec<String>) -> Self {
        Self { outcome: Outcome::Budget, budget: Some(budget), from }
    }

    fn of_refusal(means: Refusal, from: Vec<String>) -> Self {
        match means {
            Refusal::Limit => Self::new(Outcome::Limit, from),
            Refusal::SignIn => Self::new(Outcome::Auth, from),
            Refusal::OwnBudget => Self::cap(BudgetKind::Other, from),
        }
    }

    /// As its exit code says.
    fn of_exit(said: SaidByExit, from: Vec<String>) -> Self {
        match said {
            SaidByExit::Auth => Self::new(Outcome::Auth, from),
            SaidByExit::Cap(budget) => Self::cap(budget, from),
        }
    }
}

/// Judges a run by its `facts`, its `exit` and what it was `asked` to do.
#[must_use]
pub fn judge(kind: OutputKind, facts: &Facts, exit: ExitHow, asked: Option<Asked>) -> Verdict {
    let OutcomeReading { outcome, budget, from } = match (asked, &facts.last) {
        (Some(asked), _) => by_asking(asked),
        (None, Some(last)) => by_final(kind, facts, last, exit),
        (None, None) => by_exit(kind, facts, exit),
    };
    let last = facts.last.as_ref();
    let reason = last.and_then(|last| last.reason.as_deref());
    let reset = reset(facts).filter(|_| outcome == Outcome::Limit);
    #[allow(clippy::cast_precision_loss)] // exact until the year 287396
    let resets_at_ms = match &reset {
        Some(Reset::At(ms)) => Some(*ms as f64),
        _ => None,
    };
    Verdict {
        outcome,
        word: last.and_then(|last| last.reason.clone().or_else(|| last.class.clone())),
        message: message(kind, facts, outcome, &from),
        unknown_argument: outcome == Outcome::Unknown
            && !facts.started
            && facts.complaints.cause() == Some(Cause::UnknownArgument),
        denials: facts.denials.clone(),
        denied: facts.denied,
        budget,
        from,
        resets_at_ms,
        reset,
        needs_answer: asked.is_none() && reason == Some("tool_deferred"),
        lingered: last.is_some() && exit == ExitHow::StillRunning,
        raw: facts.last_unknown.clone().filter(|_| outcome == Outcome::Unknown),
    }
}

/// When the provider serves again: as its refused allowance says, then its last error, then a line beside the events.
fn reset(facts: &Facts) -> Option<Reset> {
    let allowance = facts.refused.clone().flatten();
    let of_error = || match &facts.last {
        Some(last) => last.told.reset.clone(),
        None => facts.error_told.as_ref().and_then(|told| told.reset.clone()),
    };
    allowance.or_else(of_error).or_else(|| facts.complaints.refusal()?.1.reset.clone())
}

/// Why it ended so: the agent's own line from its final event or its last error, otherwise the best explanation besides
/// its events, otherwise the fields that decided. A command has no events and its output is its result, so it is the
/// last line on stderr.
fn message(kind: OutputKind, facts: &Facts, outcome: Outcome, from: &[String]) -> Option<String> {
    if let Some(message) = facts.last.as_ref().and_then(|last| last.message.clone()) {
        return Some(message);
    }
    if matches!(outcome, Outcome::Ok | Outcome::Cancelled) {
        return None;
    }
    if kind == OutputKind::Text {
        return facts.complaints.last().map(|clip| clip.text.clone());
    }
    let refused =
        facts.complaints.refusal().filter(|_| facts.last.is_none()).map(|(line, _)| line.text.clone());
    let refused = refused.filter(|_| facts.complaints.cause().is_none());
    let told = || facts.error_told.as_ref().filter(|_| facts.last.is_none())?.line.clone();
    // An error of the provider is a message of the agent's too.
    let said = || facts.message_error.as_ref().and(facts.answer()).map(|said| Clip::from_text(said).text);
    let beside = || facts.complaints.reason(facts.started).map(|clip| clip.text.clone());
    let by_stop = || facts.last.as_ref()?.stop.as_ref().map(|stop| format!("stop_reason: {stop}"));
    let decided = || Some(from.join(", ")).filter(|from| !from.is_empty());
    refused.or_else(told).or_else(said).or_else(beside).or_else(by_stop).or_else(decided)
}

fn by_asking(asked: Asked) -> OutcomeReading {
    let from = |name| vec![format!("asked={name}")];
    match asked {
        Asked::Stop => OutcomeReading::new(Outcome::Cancelled, from("stop")),
        Asked::Interrupt => OutcomeReading::new(Outcome::Cancelled, from("interrupt")),
        Asked::Timeout => OutcomeReading::cap(BudgetKind::Time, from("timeout")),
        Asked::Budget => OutcomeReading::cap(BudgetKind::Money, from("budget")),
    }
}

fn by_final(kind: OutputKind, facts: &Facts, last: &Final, exit: ExitHow) -> OutcomeReading {
    let event = last.event;
    let class = last.class.as_deref();
    let word = |word: &str| vec![format!("{event}.terminal_reason={word}")];
    if kind == OutputKind::ClaudeJsonl {
        match last.reason.as_deref() {
            Some(reason @ ("aborted_tools" | "aborted_streaming")) => {
                return OutcomeReading::new(Outcome::Cancelled, word(reason));
            }
            Some(reason @ "max_turns") => return OutcomeReading::cap(BudgetKind::Turns, word(reason)),
            Some(reason @ "budget_exhausted") => return OutcomeReading::cap(BudgetKind::Money, word(reason)),
            _ => {}
        }
        let subtype = |class: &str| vec![format!("{event}.subtype={class}")];
        match class {
            Some(class @ "error_max_turns") => return OutcomeReading::cap(BudgetKind::Turns, subtype(class)),
            Some(class @ "error_max_budget_usd") => {
                return OutcomeReading::cap(BudgetKind::Money, subtype(class));
            }
            _ => {}
        }
    }
    match last.error {
        Some(true) => match exit_of(kind, exit) {
            Some(SaidByExit::Cap(budget)) => OutcomeReading::cap(budget, vec![exit_word(exit)]),
            _ => failed(kind, facts, last, exit),
        },
        Some(false) => went_well(kind, facts, last, exit),
        None => refused(facts, last).unwrap_or_else(|| {
            OutcomeReading::new(
                Outcome::Unknown,
                vec![event.to_owned(), format!("{} is missing", error_field(kind))],
            )
        }),
    }
}

/// A refusal of the provider, by typed fields first, by known sentences second.
fn refused(facts: &Facts, last: &Final) -> Option<OutcomeReading> {
    let (by_error, is_typed) = match last.told.refusal(last.told_field) {
        Some(told) => {
            let is_typed = told.1 != last.told_field;
            (Some(told), is_typed)
        }
        None => (None, false),
    };
    let typed = by_error.clone().filter(|_| is_typed);
    let (means, from) = typed.or_else(|| refused_before(facts)).or(by_error)?;
    Some(OutcomeReading::of_refusal(means, vec![from]))
}

/// A refusal that was told before the final event, or without one.
fn refused_before(facts: &Facts) -> Option<(Refusal, String)> {
    let word = facts.message_error.as_deref();
    let by_message =
        word.and_then(|word| Some((provider::of_class(word)?, format!("assistant.error={word}"))));
    let by_allowance =
        facts.refused.as_ref().map(|_| (Refusal::Limit, "rate_limit_event.status=rejected".to_owned()));
    by_message.or(by_allowance)
}

/// A refusal that a line beside the events tells: only that of an agent which never began, because later lines may come
/// from a tool.
fn refused_to_begin(facts: &Facts) -> Option<(Refusal, String)> {
    let (_, told) = facts.complaints.refusal().filter(|_| !facts.started)?;
    told.refusal("a line beside the events")
}

fn failed(kind: OutputKind, facts: &Facts, last: &Final, exit: ExitHow) -> OutcomeReading {
    if let Some(refused) = refused(facts, last) {
        return refused;
    }
    if let Some(said) = exit_of(kind, exit) {
        return OutcomeReading::of_exit(said, vec![exit_word(exit)]);
    }
    // It never started: a bad option or a bad session, not a failed task.
    if last.turns == Some(0) || !facts.started {
        return OutcomeReading::new(Outcome::Unknown, vec![error_word(kind, last, true), not_begun(last)]);
    }
    OutcomeReading::new(Outcome::TaskFailed, vec![error_word(kind, last, true)])
}

fn went_well(kind: OutputKind, facts: &Facts, last: &Final, exit: ExitHow) -> OutcomeReading {
    let mut from = vec![error_word(kind, last, false)];
    let mut outcome = Outcome::Ok;
    if let Some(reason) = &last.reason {
        from.push(format!("{}.terminal_reason={reason}", last.event));
        if reason != "completed" {
            outcome = Outcome::Unknown;
        }
    }
    if last.turns == Some(0) {
        from.push(not_begun(last));
        outcome = Outcome::Unknown;
    }
    if let Some((stopped, word)) = stopped_early(facts, last) {
        from.push(word);
        outcome = stopped;
    }
    match exit {
        ExitHow::Code(0) => from.push(exit_word(exit)),
        // The event counts; how the process was ended says nothing about the task.
        ExitHow::StillRunning | ExitHow::Unseen => {}
        ExitHow::Code(_) | ExitHow::Signal(_) => {
            from.push(exit_word(exit));
            outcome = Outcome::Unknown;
        }
    }
    OutcomeReading::new(outcome, from)
}

/// A final event that calls itself a success although the model did not come to its end.
fn stopped_early(facts: &Facts, last: &Final) -> Option<(Outcome, String)> {
    let word = |stop: &str| format!("{}.stop_reason={stop}", last.event);
    match last.stop.as_deref() {
        Some("end_turn" | "stop_sequence" | "stop") => None,
        // The call of the tool that takes the answer in the requested shape is the end.
        Some("tool_use" | "tool_calls") if facts.structured.is_some() => None,
        // It has a reason of its own, and waits for a person.
        Some("tool_deferred") => None,
        Some(
            stop @ ("refusal" | "max_tokens" | "length" | "content_filter" | "model_context_window_exceeded"),
        ) => Some((Outcome::TaskFailed, word(stop))),
        Some(stop) => Some((Outcome::Unknown, word(stop))),
        None if last.has_open_tool && facts.structured.is_none() => {
            Some((Outcome::Unknown, "a tool was called and gave no result".to_owned()))
        }
        None => None,
    }
}

fn by_exit(kind: OutputKind, facts: &Facts, exit: ExitHow) -> OutcomeReading {
    let from = vec!["no final event".to_owned(), exit_word(exit)];
    if kind == OutputKind::Text {
        return OutcomeReading::new(shell(exit), vec![exit_word(exit)]);
    }
    if let Some((means, word)) = refused_before(facts).or_else(|| refused_to_begin(facts)) {
        return OutcomeReading::of_refusal(means, [vec![word], from].concat());
    }
    match exit {
        ExitHow::Signal(_) | ExitHow::Unseen => OutcomeReading::new(Outcome::Crashed, from),
        ExitHow::StillRunning | ExitHow::Code(0) => OutcomeReading::new(Outcome::Unknown, from),
        ExitHow::Code(_) => match exit_of(kind, exit) {
            Some(said) => OutcomeReading::of_exit(said, from),
            None if facts.started => OutcomeReading::new(Outcome::Crashed, from),
            // Without any event it refused to begin: a bad option, a bad session. Its own line says which.
            None => OutcomeReading::new(Outcome::Unknown, from),
        },
    }
}

/// What an agent says by its exit code.
#[derive(Clone, Copy)]
enum SaidByExit {
    /// Not signed in.
    Auth,
    /// A cap was reached.
    Cap(BudgetKind),
}

/// Codes by which an agent says why it ended.
fn exit_of(kind: OutputKind, exit: ExitHow) -> Option<SaidByExit> {
    let ExitHow::Code(code) = exit else { return None };
    Some(match (kind, code) {
        (OutputKind::GeminiJsonl, 41) => SaidByExit::Auth,
        (OutputKind::GeminiJsonl | OutputKind::QwenJsonl, 53) => SaidByExit::Cap(BudgetKind::Turns),
        (OutputKind::QwenJsonl, 55) => SaidByExit::Cap(BudgetKind::Other),
        _ => return None,
    })
}

/// A shell reports with 126 and 127 that it could not start the program, and with more than 128 that a signal
/// ended it.
fn shell(exit: ExitHow) -> Outcome {
    match exit {
        ExitHow::Code(0) => Outcome::Ok,
        ExitHow::Code(1..=125) => Outcome::TaskFailed,
        ExitHow::Code(129..=192) | ExitHow::Signal(_) | ExitHow::Unseen => Outcome::Crashed,
        ExitHow::Code(_) | ExitHow::StillRunning => Outcome::Unknown,
    }
}

fn not_begun(last: &Final) -> String {
    match last.turns {
        Some(turns) => format!("{}.num_turns={turns}", last.event),
        None => "no first event".to_owned(),
    }
}

fn error_word(kind: OutputKind, last: &Final, error: bool) -> String {
    match kind {
        OutputKind::CodexJsonl => last.event.to_owned(),
        OutputKind::GeminiJsonl => {
            format!("{}.status={}", last.event, last.class.as_deref().unwrap_or_default())
        }
        _ => format!("{}.is_error={error}", last.event),
    }
}

/// The field that says whether the agent calls its end an error.
fn error_field(kind: OutputKind) -> &'static str {
    if kind == OutputKind::GeminiJsonl { "result.status" } else { "result.is_error" }
}

fn exit_word(exit: ExitHow) -> String {
    match exit {
        ExitHow::Code(code) => format!("exit={code}"),
        ExitHow::Signal(signal) => format!("signal={signal}"),
        ExitHow::StillRunning => "exit=none".to_owned(),
        ExitHow::Unseen => "exit=unseen".to_owned(),
    }
}
