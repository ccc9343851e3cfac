//! Concluding a batch: each result is processed once, in file order, on the updated file (AoT contract §9.5).

use super::known::{BranchPlace, KnownVersion};
use super::{BatchEnd, check_at_end, children, situation};
use crate::driver::{
    Action, AgentTask, Conclusion, DriverQuestion, EndReason, Ended, FailureClass, Memory, QuestionCode,
};
use crate::format::FileFacts;
use crate::formats::aot::drive::verification::LeftApart;
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::read::state::{self, Document};
use crate::formats::aot::{damaged, operate_on, summarise};
use crate::refusal::{Refusal, RefusalCode};
use loopdeck_agents::answers::{self, Answer, AnswerError, AnswerErrorCode, AtomAnswer, AtomStatus};
use loopdeck_text::shorten;
use std::collections::HashSet;

/// Characters of a reason in the trail or of a decomposition.
const LONGEST_REASON: usize = 300;

/// What follows when all workers of a batch have ended. `bytes`: the current file.
pub fn conclude_batch(
    ends: &[BatchEnd<'_>],
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Conclusion<AotOperation> {
    memory.ended_asking();
    // Before these workers started, the person had been asked about every atom possible.
    memory.aot.conflicts.clear();
    let Ok(document) = state::read(bytes) else { return Conclusion::End(EndReason::Damaged) };
    if let Err(end) = check_at_end(&summarise(&document, facts)) {
        return Conclusion::End(end);
    }
    let mut taking = BatchWrite::new(bytes, KnownVersion::from_document(&document), facts, memory);
    let mut last: Vec<(&str, String)> = Vec::new();
    for (id, end) in in_file_order(ends, &document) {
        if !taking.is_in_progress(id) {
            continue; // processed before, or redirected away
        }
        let came = with_left(came_to(end), end.left);
        if let WorkerResult::Failed { why } = &came
            && taking.is_last_choice(id)
        {
            // It stops the loop: after all other results.
            last.push((id, why.clone()));
            continue;
        }
        taking.take_result(id, came);
    }
    for (id, why) in last {
        taking.take_result(id, WorkerResult::Failed { why });
    }
    taking.finish()
}

/// Results with the ids of their atoms, in file order.
fn in_file_order<'e, 'a>(
    ends: &'e [BatchEnd<'a>],
    document: &Document<'_>,
) -> Vec<(&'a str, &'e BatchEnd<'a>)> {
    let place = |id: &str| document.state.atoms.iter().position(|atom| atom.id == id);
    let mut ends: Vec<(&str, &BatchEnd<'_>)> = ends
        .iter()
        .filter_map(|end| match &end.task.action {
            Action::Atom { id } => Some((id.as_str(), end)),
            _ => None,
        })
        .collect();
    ends.sort_by_cached_key(|(id, _)| place(id).unwrap_or(usize::MAX));
    ends
}

/// The result of one worker.
pub(super) enum WorkerResult {
    Resolved {
        summary: String,
        artifacts: Vec<String>,
    },
    Split {
        answer: AtomAnswer,
    },
    Failed {
        why: String,
    },
    /// Its answer is unreadable.
    Unread {
        why: String,
    },
    /// It resolved the atom, but its changes could not be merged.
    Unmerged {
        summary: String,
        artifacts: Vec<String>,
        left: LeftApart,
    },
    Asks {
        text: String,
    },
    Cut {
        end: EndReason,
    },
}

/// Whether the worker says that it finished its atom: only then are its changes merged.
#[must_use]
pub fn resolves(end: &BatchEnd<'_>) -> bool {
    matches!(came_to(end), WorkerResult::Resolved { .. })
}

/// Its result, when its changes are not in the folder.
fn with_left(came: WorkerResult, left: Option<&LeftApart>) -> WorkerResult {
    let Some(left) = left else { return came };
    match came {
        WorkerResult::Resolved { summary, artifacts } => {
            WorkerResult::Unmerged { summary, artifacts, left: left.clone() }
        }
        WorkerResult::Failed { why } => {
            WorkerResult::Failed { why: format!("{why} (its changes: {})", left.reference) }
        }
        other => other,
    }
}

fn came_to(end: &BatchEnd<'_>) -> WorkerResult {
    match end.ended {
        Ended::Failed { class: FailureClass::Cancelled, .. } => {
            WorkerResult::Cut { end: EndReason::Cancelled }
        }
        Ended::Failed { class: FailureClass::Unavailable, message } => {
            WorkerResult::Cut { end: EndReason::AgentUnavailable { message: shorten(message, 500) } }
        }
        Ended::Failed { class: FailureClass::Work, message } => {
            WorkerResult::Failed { why: answers::plain_summary(message) }
        }
        Ended::Asks { text } => WorkerResult::Asks { text: text.to_owned() },
        Ended::Answered { text, structured, plain } => answered(end.task, structured, text, plain),
    }
}

fn answered(task: &AgentTask, structured: Option<&str>, text: &str, plain: bool) -> WorkerResult {
    match task.read(structured, text) {
        Ok(reading) => match reading.answer {
            Answer::Atom(answer) => by_status(answer),
            _ => WorkerResult::Unread { why: AnswerErrorCode::NoObject.to_string() },
        },
        Err(errors) if plain && errors.iter().any(is_no_answer) => {
            WorkerResult::Resolved { summary: answers::plain_summary(text), artifacts: Vec::new() }
        }
        Err(errors) => {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            WorkerResult::Unread { why: said.join("; ") }
        }
    }
}

/// For a text agent: nothing in its output was meant as an answer.
fn is_no_answer(error: &AnswerError) -> bool {
    use AnswerErrorCode as E;
    error.code == E::NoObject || error.place == "status"
}

fn by_status(answer: AtomAnswer) -> WorkerResult {
    let said = |answer: &AtomAnswer| {
        let summary = Some(answer.summary.clone()).filter(|text| !text.is_empty());
        answer.reason.clone().or(summary).unwrap_or_else(|| "The worker gave no reason".to_owned())
    };
    match answer.status {
        AtomStatus::Resolved => {
            WorkerResult::Resolved { summary: answer.summary, artifacts: answer.artifacts }
        }
        AtomStatus::Failed => WorkerResult::Failed { why: said(&answer) },
        AtomStatus::Decomposed => WorkerResult::Split { answer },
        AtomStatus::NeedsInput => {
            WorkerResult::Asks { text: answer.needs.clone().unwrap_or_else(|| said(&answer)) }
        }
    }
}

/// A batch being written to the file.
pub(super) struct BatchWrite<'t> {
    bytes: Vec<u8>,
    /// The atoms in progress, according to the bytes.
    known: KnownVersion,
    /// The round of the batch.
    iteration: i64,
    facts: &'t FileFacts<'t>,
    pub(super) memory: &'t mut Memory,
    operations: Vec<AotOperation>,
    pub(super) question: Option<DriverQuestion>,
    cut: Option<EndReason>,
    refused: Option<Refusal>,
    /// Atoms that wait again although they did not fail.
    pub(super) releases: bool,
    /// The result of an atom was processed.
    pub(super) took: bool,
}

impl<'t> BatchWrite<'t> {
    /// Starts with the current file.
    pub(super) fn on(bytes: &[u8], facts: &'t FileFacts<'t>, memory: &'t mut Memory) -> Self {
        let known =
            state::read(bytes).map(|document| KnownVersion::from_document(&document)).unwrap_or_default();
        Self::new(bytes, known, facts, memory)
    }

    fn new(bytes: &[u8], known: KnownVersion, facts: &'t FileFacts<'t>, memory: &'t mut Memory) -> Self {
        Self {
            bytes: bytes.to_vec(),
            iteration: known.iteration,
            known,
            facts,
            memory,
            operations: Vec::new(),
            question: None,
            cut: None,
            refused: None,
            releases: false,
            took: false,
        }
    }

    fn is_in_progress(&self, id: &str) -> bool {
        self.known.in_progress.contains_key(id)
    }

    fn place(&self, id: &str) -> BranchPlace {
        self.known.in_progress.get(id).copied().unwrap_or_default()
    }

    /// Whether its failure leaves its OR group, and every group above, without a choice.
    fn is_last_choice(&self, id: &str) -> bool {
        let place = self.place(id);
        place.fails_an_alternative && place.exhausts
    }

    pub(super) fn take_result(&mut self, id: &str, came: WorkerResult) {
        if !matches!(came, WorkerResult::Cut { .. }) {
            self.took = true;
            self.memory.aot.cut_off.remove(id);
        }
        if !matches!(came, WorkerResult::Unread { .. } | WorkerResult::Cut { .. }) {
            self.memory.aot.unread.remove(id);
        }
        // Only finished parts of an abandoned alternative are kept; nothing else of it is worth a question.
        let is_over = !matches!(came, WorkerResult::Resolved { .. } | WorkerResult::Cut { .. })
            && self.place(id).is_abandoned;
        match came {
            _ if is_over => drop(self.apply(AotOperation::Fail { id: id.to_owned() })),
            WorkerResult::Resolved { summary, artifacts } => {
                let summary = summary.trim().to_owned();
                let resolve = AotOperation::Resolve { id: id.to_owned(), summary, artifacts };
                if self.apply(resolve) {
                    self.memory.failures.remove(id);
                }
            }
            WorkerResult::Split { answer } => self.split(id, &answer),
            WorkerResult::Failed { why } => self.fail(id, &why),
            WorkerResult::Unread { why } => self.unread(id, &why),
            WorkerResult::Unmerged { summary, artifacts, left } => {
                self.unmerged(id, summary, artifacts, left);
            }
            WorkerResult::Asks { text } => {
                self.releases = true;
                let question = DriverQuestion::new(QuestionCode::AgentAsks, id, &text);
                self.question.get_or_insert(question);
            }
            WorkerResult::Cut { end } => {
                self.memory.aot.cut_off.insert(id.to_owned());
                self.cut.get_or_insert(end);
            }
        }
    }

    fn split(&mut self, id: &str, answer: &AtomAnswer) {
        let reason = [answer.reason.as_deref(), Some(answer.summary.as_str())];
        let reason = reason.into_iter().flatten().find(|text| !text.trim().is_empty());
        let reason = shorten(reason.unwrap_or("Split by its worker"), LONGEST_REASON);
        let document = state::read(&self.bytes).ok();
        let children = document.as_ref().map(|document| {
            let taken: HashSet<&str> = document.state.atoms.iter().map(|atom| &*atom.id).collect();
            children::with_ids(&answer.children, id, &taken)
        });
        let refused = match children {
            Some(Ok(children)) => {
                let decompose = AotOperation::Decompose { parent: id.to_owned(), children, reason };
                match self.try_on(decompose) {
                    Ok(()) => {
                        self.memory.failures.remove(id);
                        return;
                    }
                    Err(refusal) => in_words(&refusal),
                }
            }
            Some(Err(unknown)) => format!("no atom has the id {unknown}"),
            None => "the file cannot be read".to_owned(),
        };
        self.fail(id, &format!("The smaller atoms could not be taken up: {refused}"));
    }

    /// An alternative gives way to the next one immediately, and also when one of its parts has used up its
    /// attempts. Anything else waits and is retried.
    fn fail(&mut self, id: &str, why: &str) {
        let is_last_try = self.memory.failed_again(id, why);
        let place = self.place(id);
        let id = id.to_owned();
        let operation = match place.fails_an_alternative && (is_last_try || !place.is_part) {
            true => AotOperation::Backtrack { id, why: trail_line(why) },
            false => AotOperation::Fail { id },
        };
        self.apply(operation);
    }

    /// An alternative is not abandoned because of a single unreadable answer.
    fn unread(&mut self, id: &str, why: &str) {
        let why = format!("The answer could not be read: {why}");
        let tries = self.memory.aot.unread.entry(id.to_owned()).or_default();
        *tries = tries.saturating_add(1);
        if *tries < self.memory.policy.answer_tries && self.place(id).fails_an_alternative {
            self.memory.failed_again(id, &why);
            self.releases = true;
        } else {
            self.memory.aot.unread.remove(id);
            self.fail(id, &why);
        }
    }

    /// Whether the file accepts it; if it does not accept a result, the atom waits again.
    pub(super) fn apply(&mut self, operation: AotOperation) -> bool {
        let Err(refusal) = self.try_on(operation) else { return true };
        self.releases = true;
        // If the loop was stopped meanwhile, nothing counts as refused: the work is repeated when it resumes.
        if refusal.code != RefusalCode::NotRunning {
            self.refused.get_or_insert(refusal);
        }
        false
    }

    fn try_on(&mut self, operation: AotOperation) -> Result<(), Refusal> {
        let document = state::read(&self.bytes).map_err(|problem| damaged(&problem))?;
        let problems = summarise(&document, self.facts).problems;
        let situation = situation(self.facts);
        let look = |new: &[u8], after: &Document<'_>| (new.to_vec(), KnownVersion::from_document(after));
        let (_, (bytes, known)) = operate_on(&self.bytes, document, &problems, &operation, &situation, look)?;
        (self.bytes, self.known) = (bytes, known);
        self.operations.push(operation);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Conclusion<AotOperation> {
        let iteration = Some(self.iteration);
        if let Some(end) = self.cut.take() {
            self.keep_question();
            return Conclusion::WriteThenEnd(self.operations, end);
        }
        if self.releases && !self.known.in_progress.is_empty() {
            // A stopped loop releases them when it is resumed.
            let _ = self.try_on(AotOperation::ReleaseOrphans);
        }
        if let Some(refusal) = self.refused.take() {
            return Conclusion::WriteThenEnd(self.operations, EndReason::Refused { refusal });
        }
        // Waiting for a person does not count as a round without progress.
        let asks = self.question.is_some() || !self.memory.aot.conflicts.is_empty();
        if !asks && self.took {
            self.memory.aot.done = iteration;
        }
        self.keep_question();
        Conclusion::Write(self.operations)
    }

    fn keep_question(&mut self) {
        if self.question.is_some() {
            self.memory.question = self.question.take();
        }
    }
}

/// One line for the trail.
fn trail_line(why: &str) -> String {
    let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = shorten(&line, LONGEST_REASON);
    if text.is_empty() { "no reason was given".to_owned() } else { text }
}

/// For the next worker.
fn in_words(refusal: &Refusal) -> String {
    let value = |name: &str| refusal.args.get(name).cloned().unwrap_or_default();
    match refusal.code {
        RefusalCode::WouldCycle => format!("they would wait in a circle: {}", value("cycle")),
        RefusalCode::UnknownAtom => format!("no atom has the id {}", value("id")),
        RefusalCode::IdTaken => format!("the id {} is taken", value("id")),
        RefusalCode::BadValue => format!("{} is missing or not possible", value("field")),
        _ => "the file does not take them".to_owned(),
    }
}
