//! What loops need of the person: permissions, questions, menus, limits, failures, what a stop left; and the answers.

use super::limits;
use super::mask::Mask;
use super::person::by_person;
use super::turn::Turn;
use super::work::{About, Activity, Waiting};
use crate::launcher::starting;
use crate::preferences::plan::RunPlan;
use crate::rows::{Need, NeedAnswer, NeedAnswerKind, NeedAnswerKind as K, NeedKind, NeedReason, Needs};
use crate::run::Run;
use crate::runs::{FoundRun, RunNotice, StopReport, attach, end_leftovers};
use loopdeck_agents::control::{allow_line, deny_line};
use loopdeck_agents::event::PermissionRequest;
use loopdeck_agents::outcome::{Outcome, Verdict};
use loopdeck_core::driver::{DriverQuestion, MenuChoice, Reply, UsedUp};
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::phase::IterationBar;
use loopdeck_system::clock;
use loopdeck_system::dirs::shown;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files;
use loopdeck_system::files::ReplaceFault;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::words::to_word;
use loopdeck_text::json_span::tree::Node;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest text that is shown, in characters.
const LONGEST: usize = 4_000;
/// The same for an exact input. A longer one is handed out as a whole, and can be allowed only after that.
const LONGEST_INPUT: usize = 16_000;
/// The answer to an agent whose input cannot be shown.
const TOO_LONG: &str =
    "This input is too long to be shown to the person who would have to allow it. Do it in smaller parts.";
/// Answers that let a tool run.
const ALLOWING: [NeedAnswerKind; 2] = [NeedAnswerKind::AllowOnce, NeedAnswerKind::AllowForRun];

impl Turn<'_> {
    /// `text` without secrets. What says nothing hides nothing, and the environment need not be known for it yet.
    fn hidden(&self, text: String) -> String {
        if text.is_empty() { text } else { self.scheduler().workshop.choices.read(Mask::of_all).hide(text) }
    }

    /// Notes a need and tells everybody.
    pub(crate) fn need(
        &mut self,
        key: &LoopId,
        kind: NeedKind,
        text: &str,
        about: About,
        answers: &[NeedAnswerKind],
        more: impl FnOnce(&mut Need),
    ) {
        let text = self.hidden(text.to_owned());
        let title = self.store.read(key).ok().map(|entry| entry.summary.title);
        let id = self.scheduler().workshop.needs.next_id();
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let mut need = Need {
            id,
            key: key.to_string(),
            run: None,
            title: title.unwrap_or_default(),
            kind,
            since: clock::now().number(),
            agent: work.agent.clone(),
            tool: None,
            input: None,
            cut_from: None,
            folder: shown(&work.root),
            text: text.chars().take(LONGEST).collect(),
            args: std::collections::BTreeMap::new(),
            choices: Vec::new(),
            extension: None,
            until: None,
            answers: answers.to_vec(),
            processes: Vec::new(),
            wrong: Vec::new(),
            lines: Vec::new(),
            left: None,
            requested: None,
        };
        more(&mut need);
        work.needs.push(Waiting { need, about, reason: None });
        self.tell_needs();
    }

    /// Notes that something failed, and why.
    pub(crate) fn need_because(
        &mut self,
        key: &LoopId,
        reason: NeedReason,
        text: &str,
        about: About,
        answers: &[NeedAnswerKind],
        more: impl FnOnce(&mut Need),
    ) {
        self.need(key, reason.kind(), text, about, answers, |need| {
            need.args.insert("code".into(), reason.word());
            more(need);
        });
        let last = self.scheduler_mut().works.get_mut(key).and_then(|work| work.needs.last_mut());
        if let Some(waiting) = last {
            waiting.reason = Some(reason);
        }
    }

    /// Everything that waits, for the windows.
    pub fn tell_needs(&mut self) {
        let mut needs: Vec<Need> = self
            .scheduler()
            .works
            .values()
            .flat_map(|work| work.needs.iter().map(|waiting| waiting.need.clone()))
            .collect();
        needs.sort_by(|one, other| one.since.total_cmp(&other.since).then_with(|| one.id.cmp(&other.id)));
        let on = self.scheduler().works.values().filter(|work| work.is_on()).count();
        let mine = Needs { needs, running: u32::try_from(on).unwrap_or(u32::MAX) };
        let workshop = &self.scheduler().workshop;
        let (board, workspace) = (Arc::clone(&workshop.needs), workshop.workspace.clone());
        board.update(&workspace, mine, || self.store.needs_changed());
    }

    pub(crate) fn ask_permission(&mut self, key: &LoopId, run: &str, request: &PermissionRequest) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let attached = work.part_mut(run).and_then(|part| part.attached.clone());
        if request.is_cut {
            if let Some(attached) = attached {
                attached.send_stdin(deny_line(&request.id, TOO_LONG)).logged("an agent is not answered");
            }
            return;
        }
        if work.allowed.contains(&(run.to_owned(), request.tool.clone()))
            && let (Some(attached), Some(line)) =
                (attached, allow_line(&request.id, &request.exact_input, None))
        {
            attached.send_stdin(line).logged("an agent is not answered");
            return;
        }
        let about = About::Permission {
            run: run.to_owned(),
            request: request.id.clone(),
            tool: request.tool.clone(),
            input: request.exact_input.clone(),
        };
        let reason = request.reason.as_ref().map(|clip| clip.text.clone()).unwrap_or_default();
        // Hidden first and cut then: half a secret would not be known for one.
        let whole = whole_input(&request.exact_input, &self.scheduler().workshop.choices.read(Mask::of_all));
        let length = whole.chars().count();
        let is_cut = length > LONGEST_INPUT;
        let input = whole.chars().take(LONGEST_INPUT).collect();
        let answers: Vec<_> =
            ALLOWING.into_iter().filter(|_| !is_cut).chain([NeedAnswerKind::Deny]).collect();
        let tool = request.tool.clone();
        self.need(key, NeedKind::Permission, &reason, about, &answers, |need| {
            (need.run, need.tool, need.input) = (Some(run.to_owned()), Some(tool), Some(input));
            need.cut_from = is_cut.then(|| u32::try_from(length).unwrap_or(u32::MAX));
        });
        self.show_work(key);
    }

    /// The whole input of a permission. From now on it can be allowed: nothing of it was kept from the person.
    pub fn hand_out_input(&mut self, id: &str) -> Result<String, Failure> {
        let mask = self.scheduler().workshop.choices.read(Mask::of_all);
        let waiting = self
            .scheduler_mut()
            .works
            .values_mut()
            .flat_map(|work| &mut work.needs)
            .find(|it| it.need.id == id);
        let Some(Waiting { need, about: About::Permission { input, .. }, .. }) = waiting else {
            return Err(Failure::new(FailureKind::UnknownNeed));
        };
        let whole = whole_input(input, &mask);
        if need.cut_from.is_some() && !need.answers.iter().any(|answer| ALLOWING.contains(answer)) {
            need.answers.splice(0..0, ALLOWING);
            self.tell_needs();
        }
        Ok(whole)
    }

    /// The agent of `run` no longer asks this; another one may ask under the same name.
    pub(crate) fn withdraw(&mut self, key: &LoopId, run: &str, request: &str) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let is_it = |about: &About| matches!(about, About::Permission { run: of, request: id, .. } if of == run && id == request);
        work.needs.retain(|waiting| !is_it(&waiting.about));
        self.tell_needs();
        self.show_work(key);
    }

    pub(crate) fn ask_question(&mut self, key: &LoopId, question: &DriverQuestion) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.wait(Activity::Asks);
        work.memory.question = Some(question.clone());
        let code = to_word(question.code);
        let replies = question.replies.iter().map(|reply| NeedAnswerKind::from(*reply));
        let answers: Vec<_> = replies.chain([NeedAnswerKind::Stop]).collect();
        let (about, count) = (question.about.clone(), question.count);
        let mut wrong = question.wrong.clone();
        for error in &mut wrong {
            error.found = self.hidden(std::mem::take(&mut error.found));
        }
        let mut lines = question.lines.to_vec();
        for value in lines.iter_mut().flat_map(|line| line.args.values_mut()) {
            *value = self.hidden(std::mem::take(value));
        }
        let run = self.run_about(key, &about);
        // The tool is a part of the question itself.
        let (text, tool) = match question.code.is_of_tool() {
            true => ("", question.text.as_str()),
            false => (question.text.as_str(), ""),
        };
        let plans = self.plans_agent(key);
        self.need(key, NeedKind::Question, text, About::Question, &answers, |need| {
            (need.run, need.wrong, need.lines) = (run, wrong, lines);
            if !tool.is_empty() {
                need.args.insert("tool".into(), tool.to_owned());
                need.args.insert("instead".into(), plans);
            }
            need.args.insert("question".into(), code);
            need.args.insert("about".into(), about);
            need.args.insert("count".into(), count.to_string());
        });
        self.keep_memory(key);
        self.show_work(key);
        self.store.observe(key); // a loop that was paused or ended meanwhile waits for no answer
    }

    /// Display name of the agent that the plan names.
    fn plans_agent(&self, key: &LoopId) -> String {
        let Some(work) = self.scheduler().works.get(key) else { return String::new() };
        let choices = self.scheduler().workshop.choices.read(Clone::clone);
        starting::usable(&work.plan.agent, &choices).map_or_else(|_| work.agent.clone(), |agent| agent.name)
    }

    /// The newest run of an action, or on a task: what a question about it stems from.
    pub(crate) fn run_about(&mut self, key: &LoopId, about: &str) -> Option<String> {
        let of = self.scheduler().works.get(key)?.loop_key();
        let runs = self.journal().runs((&of).into(), 20).unwrap_or_default();
        let is_it = |run: &Run| run.action.word() == about || run.task.as_deref() == Some(about);
        runs.into_iter().find(is_it).map(|run| run.id)
    }

    pub(crate) fn ask_menu(&mut self, key: &LoopId, choices: Vec<MenuChoice>) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.wait(Activity::Asks);
        self.need(key, NeedKind::Menu, "", About::Menu, &[K::Choose, K::Stop], |need| need.choices = choices);
        self.keep_memory(key);
        self.show_work(key);
        self.store.observe(key);
    }

    /// `run`: the one that a limit ended.
    pub(crate) fn need_limit(&mut self, key: &LoopId, limit: UsedUp, run: Option<String>) {
        let bar = self.bar_of(key);
        let extension = self
            .scheduler()
            .works
            .get(key)
            .map(|work| limits::extension(limit, work.format, bar, &work.plan));
        let answers = [K::Extend, K::Stop, K::Dismiss];
        self.need(key, NeedKind::LimitReached, "", About::Limit, &answers, |need| {
            need.extension = extension;
            need.args.insert("limit".into(), to_word(limit));
            need.run = run;
        });
    }

    fn bar_of(&self, key: &LoopId) -> Option<IterationBar> {
        self.store.read(key).ok().and_then(|entry| entry.summary.iteration)
    }

    pub(crate) fn need_failed(&mut self, key: &LoopId, reason: NeedReason, said: &str) {
        self.need_because(key, reason, said, About::GoOn, &[K::Resume, K::Dismiss], |_| {});
    }

    /// Whether the state file is gone from a workspace that is there.
    pub(crate) fn is_gone(&self, key: &LoopId) -> bool {
        self.store.root_of(key).is_ok_and(|root| {
            let seen = root.join(file_of(key)).symlink_metadata();
            seen.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        })
    }

    /// The file disappeared during the work: its last content can be restored.
    pub(crate) fn need_restore(&mut self, key: &LoopId) {
        let is_kept = self.last_words(key).is_some();
        let answers: &[_] = if is_kept { &[K::Restore, K::Dismiss] } else { &[K::Dismiss] };
        self.need_because(key, NeedReason::FileGone, "", About::Gone, answers, |_| {});
    }

    /// What the file said when it was last seen.
    fn last_words(&mut self, key: &LoopId) -> Option<Arc<[u8]>> {
        self.store.last_words(key)
    }

    fn restore_gone(&mut self, key: &LoopId, id: &str) -> Result<(), Failure> {
        let file = file_of(key).to_owned();
        let disk = |error: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Disk).with("path", &file).with("reason", error)
        };
        let unknown = || Failure::new(FailureKind::UnknownVersion);
        let bytes = self.last_words(key).ok_or_else(unknown)?;
        let root = files::canonical_folder(&self.store.root_of(key)?).map_err(|error| disk(&error))?;
        let path = root.join(&file);
        files::make_folder_above(&root, &path).map_err(|error| disk(&error))?;
        match files::create(&root, &path, &bytes) {
            Ok(stamp) => {
                // No other program has worked on it since.
                if let Some(work) = self.scheduler_mut().works.get_mut(key) {
                    work.over_at = work.over_at.max(Some(stamp.modified()));
                }
            }
            Err(ReplaceFault::Changed(_)) => {} // it came back
            Err(fault) => return Err(disk(&fault)),
        }
        self.take_need(key, id);
        self.store.observe(key);
        self.show_work(key);
        self.tell_needs();
        Ok(())
    }

    /// What a run's own end means for the person.
    pub(crate) fn need_verdict(&mut self, key: &LoopId, run: &str, verdict: &Verdict) {
        let reason = match verdict.unknown_argument {
            true => NeedReason::UnknownArgument,
            false => NeedReason::Run(verdict.outcome),
        };
        let said = verdict.message.clone().unwrap_or_default();
        let until = verdict.resets_at_ms;
        self.need_because(key, reason, &said, About::GoOn, &[K::Resume, K::Dismiss], |need| {
            (need.run, need.until) = (Some(run.to_owned()), until);
        });
    }

    pub(crate) fn need_left(&mut self, key: &LoopId, runs: Vec<PathBuf>) {
        let report = self.scheduler().works.get(key).and_then(|work| work.stop.clone());
        self.need_left_of(key, report, runs);
    }

    pub(crate) fn need_left_of(&mut self, key: &LoopId, report: Option<StopReport>, runs: Vec<PathBuf>) {
        let (processes, why) = match report {
            Some(StopReport::Left { processes, .. }) => (processes, String::new()),
            Some(StopReport::Unknown { why }) => (Vec::new(), why),
            _ => return,
        };
        let answers = [K::EndLeft, K::Dismiss];
        self.need(key, NeedKind::LeftOver, &why, About::Left(runs), &answers, |need| {
            need.processes = processes.iter().map(Into::into).collect();
        });
    }

    // --- answers --------------------------------------------------------------------------------------------------

    /// The person answers.
    pub fn answer_need(&mut self, id: &str, answer: NeedAnswer) -> Result<(), Failure> {
        let unknown = || Failure::new(FailureKind::UnknownNeed);
        let found = self.scheduler().works.values().find_map(|work| {
            let waiting = work.needs.iter().find(|waiting| waiting.need.id == id)?;
            Some((work.key.clone(), waiting.need.clone()))
        });
        let (key, need) = found.ok_or_else(unknown)?;
        if !need.answers.contains(&answer.kind()) {
            return Err(unknown()); // the page asked something else meanwhile
        }
        check_answer(&answer)?;
        match answer {
            NeedAnswer::Dismiss => {
                self.drop_need(&key, id);
                Ok(())
            }
            NeedAnswer::Stop => {
                self.stop_now(&key)?;
                self.drop_need(&key, id);
                Ok(())
            }
            NeedAnswer::AllowOnce => self.permit(&key, id, false),
            NeedAnswer::AllowForRun => self.permit(&key, id, true),
            NeedAnswer::Deny { note } => self.forbid(&key, id, &note),
            NeedAnswer::Say { text } => self.reply(&key, id, &Reply::Text { text }),
            NeedAnswer::TryAgain => self.reply(&key, id, &Reply::TryAgain),
            NeedAnswer::GoOn => self.reply(&key, id, &Reply::GoOn),
            NeedAnswer::Confirm => self.reply(&key, id, &Reply::Confirm),
            NeedAnswer::Refute { why } => {
                let text = Some(why).filter(|why| !why.trim().is_empty());
                self.reply(&key, id, &Reply::Deny { text })
            }
            NeedAnswer::AllowTool => {
                self.allow_tool(&key)?;
                self.reply(&key, id, &Reply::Allow)
            }
            NeedAnswer::Choose { index } => {
                let choice = need.choices.get(index as usize).copied().ok_or_else(unknown)?;
                self.choose(&key, id, choice)
            }
            NeedAnswer::Extend { iterations, minutes, money_usd, tokens, turns } => {
                self.extend(&key, id, iterations, |plan| {
                    // Time, money and tokens start at zero with each start: what is added is what the new start may use.
                    plan.minutes = minutes.or(plan.minutes);
                    plan.money_usd = money_usd.or(plan.money_usd);
                    plan.tokens = tokens.or(plan.tokens);
                    plan.turns = turns.or(plan.turns);
                })
            }
            NeedAnswer::Resume => self.resume(&key, id),
            NeedAnswer::EndLeft => self.end_left(&key, id),
            NeedAnswer::Restore => self.restore_gone(&key, id),
        }
    }

    fn take_need(&mut self, key: &LoopId, id: &str) -> Option<Waiting> {
        let work = self.scheduler_mut().works.get_mut(key)?;
        let at = work.needs.iter().position(|waiting| waiting.need.id == id)?;
        Some(work.needs.remove(at))
    }

    fn drop_need(&mut self, key: &LoopId, id: &str) {
        self.take_need(key, id);
        self.tell_needs();
        self.show_work(key);
    }

    fn permit(&mut self, key: &LoopId, id: &str, for_run: bool) -> Result<(), Failure> {
        let (run, tool) = self.answer_request(key, id, |request, input| allow_line(request, input, None))?;
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|_| for_run) else { return Ok(()) };
        work.allowed.insert((run.clone(), tool.clone()));
        // What it asked for the same tool meanwhile is answered with it.
        let same = |waiting: &&Waiting| matches!(&waiting.about, About::Permission { run: of, tool: wanted, .. } if *of == run && *wanted == tool);
        let also: Vec<String> =
            work.needs.iter().filter(same).map(|waiting| waiting.need.id.clone()).collect();
        for id in also {
            let _ = self.answer_request(key, &id, |request, input| allow_line(request, input, None));
        }
        Ok(())
    }

    fn forbid(&mut self, key: &LoopId, id: &str, note: &str) -> Result<(), Failure> {
        let note = if note.trim().is_empty() { "The person did not allow this." } else { note };
        self.answer_request(key, id, |request, _| Some(deny_line(request, note))).map(drop)
    }

    fn answer_request(
        &mut self,
        key: &LoopId,
        id: &str,
        line: impl FnOnce(&str, &str) -> Option<String>,
    ) -> Result<(String, String), Failure> {
        let gone = || Failure::new(FailureKind::UnknownNeed);
        let waiting = self.take_need(key, id).ok_or_else(gone)?;
        let About::Permission { run, request, tool, input } = waiting.about else { return Err(gone()) };
        let attached =
            self.scheduler_mut().works.get_mut(key).and_then(|work| work.part_mut(&run)?.attached.clone());
        let sent = line(&request, &input).zip(attached);
        let sent = sent.is_some_and(|(line, attached)| attached.send_stdin(line).is_ok());
        self.tell_needs();
        self.show_work(key);
        if sent { Ok((run, tool)) } else { Err(gone()) }
    }

    fn reply(&mut self, key: &LoopId, id: &str, reply: &Reply) -> Result<(), Failure> {
        self.go_on_after(key, id, |work| work.memory.reply(reply))
    }

    fn choose(&mut self, key: &LoopId, id: &str, choice: MenuChoice) -> Result<(), Failure> {
        self.go_on_after(key, id, |work| work.memory.choose(choice))
    }

    fn go_on_after(
        &mut self,
        key: &LoopId,
        id: &str,
        change: impl FnOnce(&mut super::work::Execution),
    ) -> Result<(), Failure> {
        self.take_need(key, id).ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?;
        if let Some(work) = self.scheduler_mut().works.get_mut(key) {
            change(work);
            work.wait_no_more();
        }
        // Answers survive a crash, and the run that an answer leads to refers to it.
        self.keep_memory(key);
        self.tell_needs();
        self.go_on(key);
        Ok(())
    }

    /// Raises the limit that was reached and continues.
    fn extend(
        &mut self,
        key: &LoopId,
        id: &str,
        iterations: Option<u32>,
        change: impl FnOnce(&mut RunPlan),
    ) -> Result<(), Failure> {
        let plan = self.scheduler().works.get(key).map(|work| work.plan.clone());
        let mut plan = plan.ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?;
        change(&mut plan);
        let bar = self.bar_of(key);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small counts
        let limit = iterations.zip(bar).map(|(more, bar)| (bar.limit as u32).saturating_add(more));
        self.launch_after(key, id, Some(plan), limit)
    }

    fn resume(&mut self, key: &LoopId, id: &str) -> Result<(), Failure> {
        if self.scheduler().works.get(key).is_some_and(|work| matches!(work.doing, Activity::Waits { .. })) {
            return self.go_on_after(key, id, |_| {});
        }
        self.launch_after(key, id, None, None)
    }

    fn launch_after(
        &mut self,
        key: &LoopId,
        id: &str,
        plan: Option<RunPlan>,
        limit: Option<u32>,
    ) -> Result<(), Failure> {
        let kept = self.take_need(key, id);
        let done = self.launch(key, plan, limit);
        if let (Err(_), Some(kept), Some(work)) = (&done, kept, self.scheduler_mut().works.get_mut(key)) {
            work.needs.push(kept); // it still waits
            self.show_work(key);
        }
        self.tell_needs();
        done
    }

    /// Ends what a stop left. Takes a few seconds at worst, in a thread of its own.
    fn end_left(&mut self, key: &LoopId, id: &str) -> Result<(), Failure> {
        let waiting = self.take_need(key, id).ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?;
        let About::Left(runs) = waiting.about else { return Err(Failure::new(FailureKind::UnknownNeed)) };
        let (inbox, key) = (self.scheduler().workshop.inbox.clone(), key.clone());
        let end = move || {
            let reports: Vec<StopReport> = runs.iter().map(|run| end_run(run)).collect();
            inbox.send(super::event::ExecutionEvent::LeftEnded(key, runs, reports));
        };
        let started = crate::tasks::start(end);
        self.tell_needs();
        started.map(drop).map_err(Failure::own_data)
    }

    /// What became of it.
    pub(crate) fn left_ended(&mut self, key: &LoopId, runs: Vec<PathBuf>, reports: &[StopReport]) {
        let report = StopReport::of_all(reports);
        let is_left = !report.is_all_gone();
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.stop = Some(report);
        let of = work.loop_key();
        for mut run in self.journal().runs((&of).into(), 50).unwrap_or_default() {
            if runs.iter().any(|folder| folder.ends_with(&run.id)) {
                run.stop = self
                    .scheduler()
                    .works
                    .get(key)
                    .and_then(|work| work.stop.as_ref())
                    .map(super::work::stop_view);
                if run.ended.is_none() {
                    run.ended = Some(clock::now());
                    run.outcome = Some(Outcome::Cancelled);
                }
                self.journal().keep_run((&of).into(), &run).logged("a run is not recorded");
            }
        }
        if is_left {
            self.need_left(key, runs);
        }
        self.show_work(key);
    }
}

/// Ends a run for certain, whether its guardian lives or not. Takes as long as that takes.
fn end_run(run: &Path) -> StopReport {
    if let Ok(FoundRun::Alive(attached)) = attach(run) {
        let events = attached.events();
        if attached.stop(by_person(), true).is_ok() {
            let ended = events.iter().find_map(|notice| match notice {
                RunNotice::Ended(report) => Some(report),
                _ => None,
            });
            if let Some(report) = ended {
                return report;
            }
        }
    }
    end_leftovers(run)
}

/// An exact input for the eye: every character as what it means, secrets hidden.
fn whole_input(exact: &str, mask: &Mask) -> String {
    let text =
        Node::parse(exact.as_bytes()).map_or_else(|_| exact.to_owned(), |node| node.json(None, usize::MAX));
    mask.hide(text)
}

/// What an answer has to hold.
fn check_answer(answer: &NeedAnswer) -> Result<(), Failure> {
    let bad = |field: &str| Err(Failure::new(FailureKind::BadForm).with("field", field));
    match answer {
        NeedAnswer::Say { text } if text.trim().is_empty() => bad("text"),
        NeedAnswer::Extend { iterations: Some(0), .. } => bad("max_iterations"),
        NeedAnswer::Extend { minutes, money_usd, tokens, turns, .. } => {
            let (minutes, money_usd, tokens, turns) = (*minutes, *money_usd, *tokens, *turns);
            let plan = RunPlan { minutes, money_usd, tokens, turns, ..RunPlan::default() };
            limits::out_of_range(&plan).next().map_or(Ok(()), bad)
        }
        _ => Ok(()),
    }
}
