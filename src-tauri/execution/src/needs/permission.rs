//! Permissions of tools: what an agent asks, as the person may see it, and what they answer.

use crate::driver_context::DriverContext;
use crate::mask::Mask;
use crate::rows::{NeedAnswerKind, NeedKind};
use crate::work::{NeedSubject, PendingNeed};
use loopdeck_agents::control::{allow_line, deny_line};
use loopdeck_agents::event::PermissionRequest;
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use loopdeck_text::json_span::tree::Node;

/// Longest exact input that is shown, in characters. A longer one is handed out as a whole, and can be allowed only after that.
const LONGEST_INPUT: usize = 16_000;
/// The answer to an agent whose input cannot be shown.
const TOO_LONG: &str =
    "This input is too long to be shown to the person who would have to allow it. Do it in smaller parts.";
/// Answers that let a tool run.
const ALLOWING: [NeedAnswerKind; 2] = [NeedAnswerKind::AllowOnce, NeedAnswerKind::AllowForRun];

impl DriverContext<'_> {
    pub(crate) fn ask_permission(&mut self, key: &LoopId, run: &str, request: &PermissionRequest) {
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        let attached = work.slot_mut(run).and_then(|slot| slot.attached.clone());
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
        let about = NeedSubject::Permission {
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
        let Some(PendingNeed { need, about: NeedSubject::Permission { input, .. }, .. }) = waiting else {
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
        let is_it = |about: &NeedSubject| matches!(about, NeedSubject::Permission { run: of, request: id, .. } if of == run && id == request);
        work.needs.retain(|waiting| !is_it(&waiting.about));
        self.tell_needs();
        self.show_work(key);
    }

    pub(super) fn permit(&mut self, key: &LoopId, id: &str, for_run: bool) -> Result<(), Failure> {
        let (run, tool) = self.answer_request(key, id, |request, input| allow_line(request, input, None))?;
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(|_| for_run) else { return Ok(()) };
        work.allowed.insert((run.clone(), tool.clone()));
        // What it asked for the same tool meanwhile is answered with it.
        let same = |waiting: &&PendingNeed| matches!(&waiting.about, NeedSubject::Permission { run: of, tool: wanted, .. } if *of == run && *wanted == tool);
        let also: Vec<String> =
            work.needs.iter().filter(same).map(|waiting| waiting.need.id.clone()).collect();
        for id in also {
            let _ = self.answer_request(key, &id, |request, input| allow_line(request, input, None));
        }
        Ok(())
    }

    pub(super) fn forbid(&mut self, key: &LoopId, id: &str, note: &str) -> Result<(), Failure> {
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
        let NeedSubject::Permission { run, request, tool, input } = waiting.about else { return Err(gone()) };
        let attached =
            self.scheduler_mut().works.get_mut(key).and_then(|work| work.slot_mut(&run)?.attached.clone());
        let sent = line(&request, &input).zip(attached);
        let sent = sent.is_some_and(|(line, attached)| attached.send_stdin(line).is_ok());
        self.tell_needs();
        self.show_work(key);
        if sent { Ok((run, tool)) } else { Err(gone()) }
    }
}

/// An exact input for the eye: every character as what it means, secrets hidden.
fn whole_input(exact: &str, mask: &Mask) -> String {
    let text =
        Node::parse(exact.as_bytes()).map_or_else(|_| exact.to_owned(), |node| node.json(None, usize::MAX));
    mask.hide(text)
}
