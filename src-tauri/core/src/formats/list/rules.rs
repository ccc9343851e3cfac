//! What is shown of a list, which verbs it takes, and what they and the driver write (the Ralph contract §4, §5).

use super::operation::ListOperation;
use super::{ListChange, ListFormat, ListItem, WorkList, drive, prompt, summary};
use crate::control::{Control, Intent, Metadata, MetadataPatch, Situation, Standing, Verb};
use crate::driver::{AgentTask, ChangedLines, Ended, Memory, ObservedRun};
use crate::format::{FileFacts, Handling, Traits};
use crate::formats::ccw::check::controls::{OFFERED, effect};
use crate::formats::ccw::check::rules;
use crate::formats::loop_format::{KnownFile, LoopConclusion, LoopDriver, LoopFormat, LoopNext, LoopStep};
use crate::formats::plan::{PlanRules, view};
use crate::forms::Bounds;
use crate::lineage::{ControlFields, Version, hash};
use crate::outcome::FileChanges;
use crate::problem::{Problem, ProblemCode};
use crate::refusal::{Refusal, RefusalCode, bad_value, not_editable};
use crate::status::{FileStatus, StatusWord};
use crate::step::{Operation, RepairCode};
use crate::summary::Summary;
use crate::view::{Companion, CompanionKind, Fact, FactValue, LoopDetail, TaskState, TaskView};
use loopdeck_text::shorten;
use loopdeck_text::text_edit::{self, TextEdit};
use std::collections::BTreeMap;

/// Most items that are shown.
const MOST_ITEMS: usize = 2_000;
/// Characters of an item's text.
const LONGEST_ITEM: usize = 2_000;
/// Characters of the prompt.
const LONGEST: usize = 20_000;

impl<F: ListFormat> LoopFormat for F {
    fn traits(&self) -> Traits {
        Traits { handling: Handling::Driven, ..Traits::SHOWN }
    }

    fn summary(&self, (bytes, facts): KnownFile<'_>) -> Option<Summary> {
        Some(match self.read(bytes) {
            Ok(list) => summary(self, &list, facts),
            Err(problem) => Summary::unreadable(self.format(), facts.stem, problem),
        })
    }

    fn detail(
        &self,
        (bytes, facts): KnownFile<'_>,
        situation: &Situation,
        beside: &[Companion],
    ) -> LoopDetail {
        let list = match self.read(bytes) {
            Ok(list) => list.linked(beside, facts),
            Err(problem) => {
                let summary = Summary::unreadable(self.format(), facts.stem, problem);
                let controls = self.controls(&summary, facts, situation);
                return LoopDetail { controls, problems: summary.problems, ..LoopDetail::default() };
            }
        };
        let summary = summary(self, &list, facts);
        let prompt = prompt(beside);
        let controls = self.controls(&summary, facts, situation);
        let mut problems = summary.problems;
        if prompt.is_none_or(|text| text.trim().is_empty()) {
            problems.push(Problem::new(ProblemCode::R1_no_prompt, ""));
        }
        LoopDetail {
            facts: facts_of(&list),
            metadata: Metadata {
                title: Some(summary.title),
                max_iterations: Some(list.limit.into()),
                editable: vec!["max_iterations".to_owned()],
                ..Metadata::default()
            },
            controls,
            tasks: tasks(&list),
            prompt: prompt.map(|text| shorten(text, LONGEST)),
            problems,
            ..LoopDetail::default()
        }
    }

    /// The status belongs to the verbs, everything else to the work.
    fn version(&self, bytes: &[u8]) -> Option<Version> {
        let list = self.read(bytes).ok()?;
        let at = list.word_at;
        Some(Version {
            bytes: hash(bytes),
            identity: None,
            control: ControlFields { status: list.word.to_lowercase(), ..ControlFields::default() },
            ended: None,
            written: None,
            work: hash(&(&bytes[..at.start], &bytes[at.end..])),
            counts: vec![list.iteration.into()],
        })
    }

    fn refuse(&self, summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
        rules::refuse(summary, verb, situation)
    }

    /// Their value `iteration` is the next one.
    fn controls(&self, summary: &Summary, facts: &FileFacts<'_>, situation: &Situation) -> Vec<Control> {
        let control = |verb| Control {
            verb,
            refusal: rules::refuse(summary, verb, situation),
            effect: effect(summary, verb, situation),
            args: args(summary, verb, facts),
            confirm: matches!(verb, Verb::Stop | Verb::Delete | Verb::Reopen),
            notice: None,
            takes_reason: false,
        };
        OFFERED.into_iter().map(control).collect()
    }

    fn request_standing(&self, summary: &Summary, verb: Verb) -> Standing {
        rules::request_standing(summary, verb)
    }

    fn iterations(&self) -> Bounds {
        ListFormat::iterations(self)
    }

    fn edit(
        &self,
        (bytes, facts): KnownFile<'_>,
        intent: &Intent,
        situation: &Situation,
    ) -> Result<Vec<TextEdit>, Refusal> {
        let list = self.read(bytes).map_err(|_| damaged())?;
        if let Some(refusal) = rules::refuse_intent(&summary(self, &list, facts), intent, situation) {
            return Err(refusal);
        }
        let to = |status| ListChange { status: Some(status), ..ListChange::default() };
        let change = match intent {
            Intent::Start => to(FileStatus::Running),
            Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
                ListChange { limit: *raise_limit_to, ..to(FileStatus::Running) }
            }
            Intent::Pause => to(FileStatus::Paused),
            Intent::Stop { .. } => to(FileStatus::StoppedByUser),
            Intent::LaunchFailed { .. } => to(FileStatus::Failed),
            Intent::EditMetadata(patch) => limit_of(patch)?,
            Intent::Finalise | Intent::Repair(_) | Intent::Operate(_) => {
                return Err(Refusal::new(RefusalCode::NotInFormat));
            }
        };
        written(self, bytes, &list, change)
    }

    fn operate(
        &self,
        (bytes, facts): KnownFile<'_>,
        operation: &Operation,
        situation: &Situation,
        beside: &[Companion],
    ) -> Result<FileChanges, Refusal> {
        let Operation::List { step } = operation else {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        };
        let list = self.read(bytes).map_err(|_| damaged())?.linked(beside, facts);
        gate(&summary(self, &list, facts), &list, step, situation)?;
        let change = match *step {
            ListOperation::Add { ref text } => return added(self, bytes, &list, text),
            ListOperation::Complete if !list.is_done() => return Err(Refusal::new(RefusalCode::WrongStep)),
            ListOperation::Complete => {
                ListChange { status: Some(FileStatus::Completed), ..ListChange::default() }
            }
            ListOperation::Iterated { iteration, max } => ListChange {
                iteration: Some(iteration),
                status: (!list.has_control).then_some(FileStatus::Running),
                limit: (!list.has_control).then_some(max),
            },
        };
        written(self, bytes, &list, change).map(FileChanges::from)
    }

    fn repair(
        &self,
        _file: KnownFile<'_>,
        _code: RepairCode,
        _situation: &Situation,
        _beside: &[Companion],
    ) -> Result<Vec<TextEdit>, Refusal> {
        Err(Refusal::new(RefusalCode::NothingToRepair))
    }

    fn driver(&'static self) -> &'static dyn LoopDriver {
        self
    }
}

impl<F: ListFormat> LoopDriver for F {
    fn reads(&self) -> &'static [CompanionKind] {
        &[CompanionKind::Prompt, CompanionKind::Linked]
    }

    fn step(&self, file: KnownFile<'_>, memory: &Memory, beside: Option<&[Companion]>) -> LoopStep {
        drive::next(self, file, memory, beside).map(|step| Operation::List { step }).into()
    }

    fn send_back(&self, file: KnownFile<'_>, memory: &Memory, beside: &[Companion]) -> Option<LoopNext> {
        Some(drive::send_back(self, file, memory, beside)?.map(|step| Operation::List { step }))
    }

    fn conclude(
        &self,
        task: &AgentTask,
        ended: &Ended<'_>,
        _seen: ObservedRun<'_>,
        _lines: Option<ChangedLines>,
        _file: KnownFile<'_>,
        memory: &mut Memory,
    ) -> LoopConclusion {
        drive::conclude(task, ended, memory).map(|step| Operation::List { step })
    }
}

fn damaged() -> Refusal {
    Refusal::new(RefusalCode::DamagedFile)
}

fn facts_of(list: &WorkList<'_>) -> Vec<Fact> {
    let fact = |name: &str, value| Fact { name: name.to_owned(), value };
    let word = Some(list.word).filter(|word| !word.is_empty());
    let status = word.map(|word| fact("status", FactValue::Code(shorten(word, 40))));
    let plan = list.link.as_ref().map(|link| fact("plan", FactValue::Code(shorten(&link.file, 300))));
    let numbers = [
        fact(LoopDetail::ITERATION, FactValue::Number(list.iteration.into())),
        fact("max_iterations", FactValue::Number(list.limit.into())),
    ];
    status.into_iter().chain(plan).chain(numbers).collect()
}

/// The items of the list, or of the plan that it works off.
fn tasks(list: &WorkList<'_>) -> Vec<TaskView> {
    match list.link.as_ref().and_then(|link| link.plan.as_ref()) {
        Some((kind, plan)) => view::detail(PlanRules(*kind), plan)
            .tasks
            .into_iter()
            .map(|task| TaskView { settable: Vec::new(), ..task })
            .collect(),
        None => list.items.iter().take(MOST_ITEMS).enumerate().map(task).collect(),
    }
}

fn task((index, item): (usize, &ListItem<'_>)) -> TaskView {
    let (status, state) =
        if item.is_done { ("completed", TaskState::Completed) } else { ("pending", TaskState::Pending) };
    TaskView {
        id: (index + 1).to_string(),
        description: shorten(item.text, LONGEST_ITEM),
        status: status.to_owned(),
        state,
        ..TaskView::default()
    }
}

fn args(summary: &Summary, verb: Verb, facts: &FileFacts<'_>) -> BTreeMap<String, String> {
    let mut args = BTreeMap::new();
    if let (Verb::Start | Verb::Resume | Verb::Reopen, Some(bar)) = (verb, summary.iteration) {
        args.insert("iteration".to_owned(), (bar.current + 1.0).to_string());
        args.insert("limit".to_owned(), bar.limit.to_string());
        args.insert("command".to_owned(), format!("loopdeck run . {}", quoted(facts.stem)));
    }
    args
}

/// The name of a folder as one word of a shell, whatever is in it: a person may copy the command.
fn quoted(name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

/// Why the driver must not write now. An iteration that ended is still counted in a loop that was paused or ended meanwhile, and in a list
/// whose control values its agent dropped.
fn gate(
    summary: &Summary,
    list: &WorkList<'_>,
    operation: &ListOperation,
    situation: &Situation,
) -> Result<(), Refusal> {
    if let Some(code) = rules::damage(summary) {
        return Err(Refusal::because(code, summary));
    }
    let counts = matches!(operation, ListOperation::Iterated { .. });
    let takes = counts && rules::takes_result(summary.status) && rules::is_ours_alive(situation);
    let adds = matches!(operation, ListOperation::Add { .. });
    let code = match summary.status {
        _ if adds && situation.shown != StatusWord::RunningElsewhere => return Ok(()),
        FileStatus::Running if situation.shown == StatusWord::RunningElsewhere => RefusalCode::ForeignOwner,
        FileStatus::Running => return Ok(()),
        _ if takes => return Ok(()),
        FileStatus::NotStarted if counts && !list.has_control => return Ok(()),
        FileStatus::NotStarted | FileStatus::Paused => RefusalCode::NotRunning,
        _ => RefusalCode::Finished,
    };
    Err(Refusal::because(code, summary))
}

/// The limit is all that is kept apart from the text.
fn limit_of(patch: &MetadataPatch) -> Result<ListChange, Refusal> {
    let MetadataPatch { title, description, max_iterations, tags, priority, notes } = patch;
    let others =
        [title.is_some(), description.is_some(), tags.is_some(), priority.is_some(), notes.is_some()];
    if others.contains(&true) {
        return Err(Refusal::new(RefusalCode::NotInFormat));
    }
    Ok(ListChange { limit: *max_iterations, ..ListChange::default() })
}

/// The edit that adds an item, once the file was read back and has it.
fn added(
    format: &dyn ListFormat,
    bytes: &[u8],
    list: &WorkList<'_>,
    text: &str,
) -> Result<FileChanges, Refusal> {
    let refused = || not_editable("text");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The items of a list that works off a plan are that plan's.
    let edit = Some(text.as_str()).filter(|text| !text.is_empty() && list.link.is_none());
    let edit = edit.and_then(|text| format.addition(list, text)).ok_or_else(refused)?;
    let edits = vec![edit];
    let after = text_edit::apply(bytes, &edits).map_err(|_| refused())?;
    let is = format.read(&after).map_err(|_| refused())?;
    let controls = |list: &WorkList<'_>| (list.status, list.iteration, list.limit, list.unclear.len());
    let items = |list: &WorkList<'_>| {
        list.items.iter().map(|item| (item.text.to_owned(), item.is_done)).collect::<Vec<_>>()
    };
    let meant = [items(list), vec![(text, false)]].concat();
    if controls(&is) == controls(list) && items(&is) == meant { Ok(edits.into()) } else { Err(refused()) }
}

/// The edits, once the file was read back and says what was meant.
fn written(
    format: &dyn ListFormat,
    bytes: &[u8],
    list: &WorkList<'_>,
    change: ListChange,
) -> Result<Vec<TextEdit>, Refusal> {
    if change.limit.is_some_and(|limit| !format.iterations().accepts(limit)) {
        return Err(bad_value("max_iterations"));
    }
    let edits = format.edits(list, change);
    let refused = || not_editable("loop");
    let after = text_edit::apply(bytes, &edits).map_err(|_| refused())?;
    let is = format.read(&after).map_err(|_| refused())?;
    let meant = (
        change.status.unwrap_or(list.status),
        change.iteration.unwrap_or(list.iteration),
        change.limit.unwrap_or(list.limit),
    );
    let done = |list: &WorkList<'_>| list.items.iter().filter(|item| item.is_done).count();
    let work = |list: &WorkList<'_>| (list.items.len(), done(list), list.unclear.len());
    let is_meant = (is.status, is.iteration, is.limit) == meant && work(&is) == work(list);
    if is_meant { Ok(edits) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_command_has_the_name_as_one_word() {
        for (name, expected) in
            [("fix-cart", "fix-cart"), ("a b", "'a b'"), ("$(x)", "'$(x)'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(quoted(name), expected);
        }
    }
}
