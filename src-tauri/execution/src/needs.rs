//! What loops need of the person: permissions, questions, menus, limits, failures, what a stop left; and the answers.

mod answer;
mod left;
mod permission;

use super::driver_context::DriverContext;
use super::limits;
use super::mask::Mask;
use super::work::{Activity, NeedSubject, PendingNeed};
use crate::launcher::starting;
use crate::rows::{Need, NeedAnswerKind, NeedAnswerKind as K, NeedKind, NeedReason, Needs};
use crate::run::Run;
use loopdeck_agents::outcome::Verdict;
use loopdeck_core::driver::{DriverQuestion, MenuChoice, UsedUp};
use loopdeck_core::loop_id::{LoopId, file_of};
use loopdeck_core::phase::IterationBar;
use loopdeck_system::clock;
use loopdeck_system::dirs::shown;
use loopdeck_system::words::to_word;
use std::sync::Arc;

/// Longest text that is shown, in characters.
const LONGEST: usize = 4_000;

impl DriverContext<'_> {
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
        about: NeedSubject,
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
        work.needs.push(PendingNeed { need, about, reason: None });
        self.tell_needs();
    }

    /// Notes that something failed, and why.
    pub(crate) fn need_because(
        &mut self,
        key: &LoopId,
        reason: NeedReason,
        text: &str,
        about: NeedSubject,
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
        self.need(key, NeedKind::Question, text, NeedSubject::Question, &answers, |need| {
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
        starting::usable_agent(&work.plan.agent, &choices)
            .map_or_else(|_| work.agent.clone(), |agent| agent.name)
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
        self.need(key, NeedKind::Menu, "", NeedSubject::Menu, &[K::Choose, K::Stop], |need| {
            need.choices = choices;
        });
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
        self.need(key, NeedKind::LimitReached, "", NeedSubject::Limit, &answers, |need| {
            need.extension = extension;
            need.args.insert("limit".into(), to_word(limit));
            need.run = run;
        });
    }

    fn bar_of(&self, key: &LoopId) -> Option<IterationBar> {
        self.store.read(key).ok().and_then(|entry| entry.summary.iteration)
    }

    pub(crate) fn need_failed(&mut self, key: &LoopId, reason: NeedReason, said: &str) {
        self.need_because(key, reason, said, NeedSubject::GoOn, &[K::Resume, K::Dismiss], |_| {});
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
        self.need_because(key, NeedReason::FileGone, "", NeedSubject::Gone, answers, |_| {});
    }

    /// What the file said when it was last seen.
    fn last_words(&mut self, key: &LoopId) -> Option<Arc<[u8]>> {
        self.store.last_words(key)
    }

    /// What a run's own end means for the person.
    pub(crate) fn need_verdict(&mut self, key: &LoopId, run: &str, verdict: &Verdict) {
        let reason = match verdict.unknown_argument {
            true => NeedReason::UnknownArgument,
            false => NeedReason::Run(verdict.outcome),
        };
        let said = verdict.message.clone().unwrap_or_default();
        let until = verdict.resets_at_ms;
        self.need_because(key, reason, &said, NeedSubject::GoOn, &[K::Resume, K::Dismiss], |need| {
            (need.run, need.until) = (Some(run.to_owned()), until);
        });
    }
}
