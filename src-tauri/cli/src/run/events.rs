//! The progress of a run: one JSON object per line on stdout for scripts, one sentence per line on stderr for
//! people.

use std::io::{self, Write as _};

use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{LeftProcessView, Need, NeedAnswer, NeedAnswerKind, NeedKind, RunView};
use loopdeck_runtime::unread::UnreadReport;
use loopdeck_runtime::views::LoopRow;
use serde::Serialize;

use super::outcome::Ended;
use crate::text;

/// One thing that happened. The names are a promise: `words/help/run.txt` documents them.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    Began {
        id: &'a str,
        file: &'a str,
        agent: &'a str,
        level: Option<Level>,
    },
    RunStarted {
        run: &'a str,
        action: &'a str,
        task: Option<&'a str>,
        agent: &'a str,
        at: u64,
    },
    RunEnded {
        run: &'a str,
        action: &'a str,
        task: Option<&'a str>,
        outcome: Option<Outcome>,
        exit_code: Option<i32>,
        message: Option<&'a str>,
        seconds: f64,
        cost_usd: Option<f64>,
    },
    Unread {
        run: &'a str,
        report: &'a UnreadReport,
    },
    Iteration {
        current: u64,
        limit: u64,
    },
    Status {
        shown_status: StatusWord,
        status_as_written: &'a str,
    },
    Needs {
        need: &'a Need,
    },
    Answered {
        need: &'a str,
        answer: &'a NeedAnswer,
    },
    AnswerRefused {
        need: &'a str,
        given: &'a str,
    },
    AnswerUnused {
        given: &'a str,
    },
    Interrupted,
    Ended {
        outcome: Ended,
        limit: Option<&'a str>,
        exit_code: u8,
        ended_processes: u32,
        left: &'a [LeftProcessView],
    },
}

/// Where events are printed.
#[derive(Debug)]
pub(super) struct Teller {
    /// NDJSON on stdout as well.
    pub(super) json: bool,
    /// The commands that run the loop and show it.
    pub(super) run: String,
    pub(super) show: String,
}

impl Teller {
    /// Prints one event. A closed output is no reason to abandon a loop half way.
    pub(super) fn print(&self, event: &Event<'_>) {
        if self.json
            && let Ok(line) = serde_json::to_string(event)
        {
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        }
        for line in self.lines(event) {
            let _ = writeln!(io::stderr().lock(), "{}", text::plain(&line));
        }
    }

    fn lines(&self, event: &Event<'_>) -> Vec<String> {
        let say = |code: &str, args: &[(&str, &str)]| text::sentence("headless", code, args.iter().copied());
        let line = match event {
            Event::Began { file, agent, .. } => say("run_began", &[("file", file), ("agent", agent)]),
            Event::RunStarted { action, task, .. } => say("run_started", &[("what", &what(action, *task))]),
            Event::RunEnded { action, task, outcome, seconds, message, .. } => {
                let code = text::name(outcome.unwrap_or(Outcome::Unknown));
                let outcome = say(&format!("outcome_{code}"), &[]);
                let args = [
                    ("what", &*what(action, *task)),
                    ("outcome", &*outcome),
                    ("seconds", &*format!("{seconds:.1}")),
                    ("message", message.unwrap_or_default()),
                ];
                let told =
                    if code == "ok" || message.is_none() { "run_ended" } else { "run_ended_with_message" };
                say(told, &args)
            }
            Event::Unread { report, .. } => unread(report),
            Event::Iteration { current, limit } => {
                say("iteration", &[("current", &current.to_string()), ("limit", &limit.to_string())])
            }
            Event::Status { .. } => return Vec::new(),
            Event::Needs { need } if is_lost(need) => {
                let code = format!("run_{}", need.args["code"]);
                say(&code, &[("file", loopdeck_core::loop_id::file_of(&need.key))])
            }
            Event::Needs { need } => {
                let answers: Vec<String> =
                    need.answers.iter().flat_map(|answer| possible(need, *answer)).collect();
                let kind = need.args.get("question").cloned().unwrap_or_else(|| text::name(need.kind));
                let waits = [("kind", &*kind), ("says", &says(need)), ("answers", &answers.join(", "))];
                let lines =
                    need.text.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("  {line}"));
                return [say("run_needs", &waits)].into_iter().chain(lines).collect();
            }
            Event::Answered { answer, .. } => {
                let answer = serde_json::to_value(answer).unwrap_or_default();
                say("run_answered", &[("answer", answer["answer"].as_str().unwrap_or_default())])
            }
            Event::AnswerRefused { given, .. } => say("run_answer_refused", &[("given", given)]),
            Event::AnswerUnused { given } => say("run_answer_unused", &[("given", given)]),
            Event::Interrupted => say("run_interrupted", &[]),
            Event::Ended { outcome, limit, ended_processes, left, .. } => {
                let left: Vec<String> =
                    left.iter().map(|one| format!("{} ({})", one.name, one.pid)).collect();
                let count = ended_processes.to_string();
                let code = format!("run_{}", text::name(*outcome));
                // Raising the limit of iterations doesn't help where nothing is left to try.
                let of_limit = limit.map(|limit| format!("{code}_{limit}"));
                let code = of_limit.filter(|code| text::has("headless", code)).unwrap_or(code);
                let (run, show) = (&*self.run, &*self.show);
                say(&code, &[("count", &count), ("left", &left.join(", ")), ("run", run), ("show", show)])
            }
        };
        vec![line]
    }
}

/// What a need asks, in the words of the window.
pub(crate) fn says(need: &Need) -> String {
    let args = [("agent", &*need.agent), ("tool", need.tool.as_deref().unwrap_or("?"))];
    let processes = need.processes.len().to_string();
    let args = text::pairs(&need.args).chain(args).chain([("count", &*processes)]);
    let code = |name: &str| need.args.get(name).map_or("", String::as_str);
    match need.kind {
        NeedKind::Question => text::counted("need_question", code("question"), args),
        NeedKind::LimitReached => text::sentence("need_limit", code("limit"), args),
        NeedKind::Failed => text::sentence("need_failed", code("code"), args),
        kind => text::counted("need_says", &text::name(kind), args),
    }
}

/// An answer as `--answer` takes it; of a menu, one for each choice.
fn possible(need: &Need, answer: NeedAnswerKind) -> Vec<String> {
    match answer {
        NeedAnswerKind::Choose => {
            need.choices.iter().map(|choice| format!("choose:{}", choice.word())).collect()
        }
        answer => vec![text::name(answer)],
    }
}

/// Whether the state file is what is wrong.
fn is_lost(need: &Need) -> bool {
    need.args.get("code").is_some_and(|code| ["file_gone", "damaged"].contains(&code.as_str()))
}

/// Why a report was not read, or not to its end.
fn unread(report: &UnreadReport) -> String {
    let value = serde_json::to_value(&report.why).unwrap_or_default();
    let word = |name: &str| match &value[name] {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let args = ["size", "limit", "line", "name", "message"].map(|name| (name, word(name)));
    let args = args.iter().map(|(name, value)| (*name, value.as_str()));
    let source = if report.source == "output" {
        text::sentence("headless", "unread_output", [])
    } else {
        report.source.clone()
    };
    text::sentence("headless", &format!("unread_{}", word("reason")), args.chain([("file", source.as_str())]))
}

fn what(action: &str, task: Option<&str>) -> String {
    let action = action.to_uppercase();
    task.map_or(action.clone(), |task| format!("{action} {task}"))
}

/// What has been printed about the loop so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    status: Option<StatusWord>,
    iteration: Option<u64>,
    started: Vec<String>,
    ended: Vec<String>,
}

impl Told {
    /// Runs of before: nothing of them is news. One that still works is taken over, and told like one of ours.
    pub(super) fn skip_earlier(&mut self, runs: &[RunView]) {
        let over = runs.iter().filter(|run| run.ended.is_some());
        self.ended.extend(over.map(|run| run.id.clone()));
        self.started.clone_from(&self.ended);
    }

    /// Tells what is new in the row and its runs (newest first).
    pub(super) fn print_news(&mut self, teller: &Teller, row: &LoopRow, runs: &[RunView]) {
        if let Some(bar) = row.iteration {
            let (current, limit) = (whole(bar.current), whole(bar.limit));
            if self.iteration.replace(current) != Some(current) {
                teller.print(&Event::Iteration { current, limit });
            }
        }
        for run in runs.iter().rev() {
            self.tell_run(teller, run);
        }
        if self.status.replace(row.word) != Some(row.word) {
            teller.print(&Event::Status { shown_status: row.word, status_as_written: &row.file_word });
        }
    }

    fn tell_run(&mut self, teller: &Teller, run: &RunView) {
        let task = run.task.as_deref();
        if !self.started.contains(&run.id) {
            self.started.push(run.id.clone());
            let (at, agent) = (whole(run.started), run.agent.as_str());
            teller.print(&Event::RunStarted { run: &run.id, action: &run.action, task, agent, at });
        }
        let Some(ended) = run.ended.filter(|_| !self.ended.contains(&run.id)) else { return };
        self.ended.push(run.id.clone());
        teller.print(&Event::RunEnded {
            run: &run.id,
            action: &run.action,
            task,
            outcome: run.outcome,
            exit_code: run.exit_code,
            message: run.message.as_deref(),
            seconds: ((ended - run.started) / 100.0).round() / 10.0,
            cost_usd: run.cost_usd,
        });
        for report in &run.unread {
            teller.print(&Event::Unread { run: &run.id, report });
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // counts and times, both far below 2^53
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_was_not_read_is_named_with_its_reason_and_limit() {
        use loopdeck_runtime::unread::UnreadReason as R;
        let name = || "EBCDIC".to_owned();
        for (why, expected) in [
            (
                R::TooLarge { size: 300, limit: 256 },
                "out/r.xml wasn’t read: it has 300 MB, and at most 256 MB of reports are read.",
            ),
            (R::TooMany { limit: 500 }, "out/r.xml wasn’t read: at most 500 result files are read."),
            (R::UnknownFormat, "out/r.xml wasn’t read: Loopdeck doesn’t know its format."),
            (R::NotWellFormed { line: 7 }, "out/r.xml is damaged at line 7. Results may be missing."),
            (R::CutOff, "out/r.xml ends early. Results may be missing."),
            (
                R::Encoding { name: name() },
                "out/r.xml wasn’t read: Loopdeck doesn’t know its encoding EBCDIC.",
            ),
            (R::Empty, "out/r.xml is empty."),
            (R::Unreadable { message: name() }, "out/r.xml can’t be read: EBCDIC"),
        ] {
            let told = unread(&UnreadReport { source: "out/r.xml".into(), why });
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn every_outcome_has_words() {
        use Outcome as O;
        for outcome in
            [O::Ok, O::TaskFailed, O::Limit, O::Auth, O::Budget, O::Cancelled, O::Crashed, O::Unknown]
        {
            let code = format!("outcome_{}", text::name(outcome));
            assert_ne!(text::sentence("headless", &code, []), code);
        }
        for ended in Ended::ALL {
            let code = format!("run_{}", text::name(ended));
            assert_ne!(text::sentence("headless", &code, []), code);
        }
    }
}
