//! *Draft it for me*: an agent that may only look makes a first draft of an AoT loop. It runs as a check that is tried does:
//! once, by a guardian, and can be stopped; nothing of it is kept.

use super::{RunningTry, Tries, until_over};
use crate::completion::verdicts::exit_code;
use crate::launcher::starting;
use crate::launcher::starting::Wanted;
use crate::mask::Mask;
use crate::preferences::plan::{Driver, RunPlan};
use crate::rows::FormDraft;
use crate::run_monitor::RunExit;
use crate::runs::log::{LogReader, Stream};
use crate::runs::{Exit, IfAppEnds, LoopKey, StopReason, spawn, spec};
use loopdeck_agents::decode::Feed;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::launch::Session;
use loopdeck_agents::outcome::{Asked, ExitHow, Outcome, judge};
use loopdeck_agents::{Level, OutputKind, Stream as Pipe};
use loopdeck_core::formats::aot::create::draft_by_agent::{DraftedLoop, MAX_PARAGRAPH, SCHEMA, prompt, read};
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{dirs, files};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long an agent may take for a draft.
const WALL: Duration = Duration::from_secs(15 * 60);
/// So much of its output is read at once, and so much of its end is the answer of an agent that only prints text.
const STRETCH: usize = 256 << 10;

impl Tries {
    /// Lets an agent draft an AoT loop from a paragraph, and waits for it; [`Tries::stop_try`] ends it before. It may only
    /// look, whatever the plan allows.
    ///
    /// # Errors
    /// `BadForm` without a paragraph or an agent that can only look; `NotAFolder`; `Untrusted`; `NoAgent`; `CannotStart`;
    /// `NoDraft` when nothing came of it.
    pub fn draft_loop(&self, wanted: &FormDraft) -> Result<DraftedLoop, Failure> {
        let paragraph = wanted.paragraph.trim();
        let bad = |field: &str| Failure::new(FailureKind::BadForm).with("field", field);
        if paragraph.is_empty() || paragraph.chars().nth(MAX_PARAGRAPH).is_some() {
            return Err(bad("paragraph"));
        }
        if !wanted.plan.names_agent() || wanted.plan.is_by_shell() {
            return Err(bad("agent"));
        }
        let folder = dirs::written(&wanted.folder);
        let missing = || Failure::new(FailureKind::NotAFolder).with("path", dirs::shown(&folder));
        let folder = files::canonical_folder(&folder).map_err(|_| missing())?;
        if !self.choices.read(|choices| choices.trusts(&folder)) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", dirs::shown(&folder)));
        }
        let run = spec::new_run_id();
        let run_dir = self.dirs.runs().join(&run);
        self.lock().insert(wanted.id.clone(), RunningTry::default());
        let drafted = self.draft_in(wanted, &prompt(paragraph), &folder, (&run, &run_dir));
        self.lock().remove(&wanted.id);
        std::fs::remove_dir_all(&run_dir).logged("a folder of ours is not removed"); // what cannot go now goes with the old runs
        drafted
    }

    fn draft_in(
        &self,
        wanted: &FormDraft,
        prompt: &str,
        folder: &Path,
        (run, run_dir): (&str, &Path),
    ) -> Result<DraftedLoop, Failure> {
        let choices = self.choices.read(Clone::clone);
        let agent = starting::usable_agent(&wanted.plan.agent, &choices)?;
        let plan = RunPlan {
            level: Some(Level::LookOnly),
            ask: false,
            driver: Driver::Loopdeck,
            ..wanted.plan.clone()
        };
        let money = plan.money_usd;
        let asked = Wanted {
            plan: &plan,
            agent: &agent,
            prompt,
            schema: Some(SCHEMA),
            variables: Vec::new(),
            folder,
            run_dir,
            run,
            session: Session::New(run.to_owned()),
            money,
            without_hooks: true,
        };
        let about = LoopKey { workspace: folder.to_string_lossy().into_owned(), file: String::new() };
        let (mut spec, kind) = asked.spec(about, Some(WALL))?;
        spec.plan.if_app_ends = IfAppEnds::End { after_ms: 0 };
        let mask = Mask::from_environment(&spec.environment);
        let name = agent.name.clone();
        let none = |reason: &str| {
            Failure::new(FailureKind::NoDraft)
                .with("agent", &name)
                .with("reason", mask.hide(reason.to_owned()))
        };
        if self.is_stopped(&wanted.id) {
            return Err(none("stopped"));
        }
        let attached = spawn(&self.guardian, run_dir, &spec).map_err(|error| {
            Failure::new(FailureKind::CannotStart).with("agent", &agent.name).with("reason", error)
        })?;
        self.keep_guardian(&wanted.id, &attached);
        let (over, _) = until_over(&attached, Instant::now());
        let (facts, tail) = read_output(&LogReader::of_run(run_dir), kind);
        let verdict = judge(kind, &facts, exit_how(&over), asked_to_end(&over));
        if verdict.outcome != Outcome::Ok {
            return Err(none(verdict.message.as_deref().unwrap_or_default()));
        }
        let texts = if kind == OutputKind::Text { std::slice::from_ref(&tail) } else { &facts.messages[..] };
        let read = |text: &str| read(facts.structured.as_deref(), text);
        // A closing remark does not hide an answer.
        let read_one = texts.iter().rev().find_map(|text| read(text).ok());
        read_one
            .map_or_else(|| read(texts.last().map_or("", String::as_str)), Ok)
            .map_err(|error| none(&error.code.to_string()))
    }
}

fn exit_how(over: &RunExit) -> ExitHow {
    match (exit_code(over.exit.as_ref()), &over.exit) {
        _ if matches!(over.stopped_by, Some(StopReason::Lingered)) => ExitHow::StillRunning,
        (Some(code), _) => ExitHow::Code(code),
        (None, Some(Exit::Signal { signal })) => ExitHow::Signal(*signal),
        (None, _) => ExitHow::Unseen,
    }
}

fn asked_to_end(over: &RunExit) -> Option<Asked> {
    match &over.stopped_by {
        None | Some(StopReason::Lingered) => None,
        Some(StopReason::WallLimit) => Some(Asked::Timeout),
        Some(_) => Some(Asked::Stop),
    }
}

/// Everything that it said: typed facts, and the end of its plain text.
fn read_output(log: &LogReader, kind: OutputKind) -> (Facts, String) {
    let mut feed = Feed::new(kind);
    let mut tail: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Ok(window) = log.read(at, STRETCH) {
        for piece in &window.pieces {
            let pipe = if piece.stream == Stream::Err { Pipe::Stderr } else { Pipe::Stdout };
            feed.push(pipe, &piece.bytes);
            if pipe == Pipe::Stdout {
                tail.extend_from_slice(&piece.bytes);
                let over = tail.len().saturating_sub(STRETCH);
                tail.drain(..over);
            }
        }
        if window.at_end || window.next <= at {
            break;
        }
        at = window.next;
    }
    feed.end();
    (feed.facts().clone(), String::from_utf8_lossy(&tail).into_owned())
}
