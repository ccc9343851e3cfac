//! The texts of a loop that a person searches, and where each of them is shown.

use crate::summary::Summary;
use crate::view::{FactValue, LoopDetail, TestRow};
use serde::Serialize;
use specta::Type;
use std::borrow::Cow;

/// What a text is. Words: catalogue `search.kind.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// The title, tags, or why it ended.
    Title,
    /// Description, objective or prompt.
    Objective,
    /// An item of the completion checklist.
    Check,
    /// A task, or a step of an older format.
    Task,
    /// A task of the list next to the loop.
    ListedTask,
    /// A hypothesis, its evidence and verdict.
    Hypothesis,
    /// What is understood of the bug so far.
    Understanding,
    /// A single test.
    Test,
    /// An atom.
    Atom,
    /// The result of an atom.
    Binding,
    /// Why an alternative was chosen, or an atom split.
    Decision,
    /// What a person corrected.
    Correction,
    /// What a worker reported.
    Worker,
    /// A finding.
    Finding,
    /// An error.
    Error,
    /// The summary at the end.
    Summary,
    /// What a person noted about the loop in Loopdeck.
    Note,
    /// A line of a document or log next to the loop.
    Document,
    /// A line of the state file.
    Source,
}

/// A text of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchedText<'a> {
    /// What it is.
    pub kind: TextKind,
    /// What its view calls it: the id of a hypothesis, an atom, a task; the name of a test.
    pub item: Option<Cow<'a, str>>,
    /// The text. Untrusted.
    pub text: Cow<'a, str>,
}

/// All texts of a loop, in the order in which a person reads them; lines of files are not among them.
#[must_use]
pub fn searched_texts<'a>(
    summary: &'a Summary,
    detail: &'a LoopDetail,
    tests: &'a [TestRow],
) -> Vec<SearchedText<'a>> {
    let mut texts = Texts(Vec::new());
    texts.add(TextKind::Title, None, [summary.title.as_str()]);
    texts.add(TextKind::Title, None, summary.tags.iter().map(String::as_str));
    texts.add(TextKind::Title, None, summary.reason.as_deref());
    texts.objective(detail);
    texts.tasks(detail);
    texts.debugging(detail);
    texts.tests(detail, tests);
    texts.atoms(detail);
    texts.results(detail);
    texts.0
}

struct Texts<'a>(Vec<SearchedText<'a>>);

impl<'a> Texts<'a> {
    /// Adds each of `texts` that is not empty.
    fn add(&mut self, kind: TextKind, item: Option<&'a str>, texts: impl IntoIterator<Item = &'a str>) {
        let filled = texts.into_iter().filter(|text| !text.trim().is_empty());
        let item = item.filter(|item| !item.is_empty()).map(Cow::Borrowed);
        self.0.extend(filled.map(|text| SearchedText {
            kind,
            item: item.clone(),
            text: Cow::Borrowed(text),
        }));
    }

    fn objective(&mut self, detail: &'a LoopDetail) {
        let kind = TextKind::Objective;
        let facts = detail.facts.iter().filter_map(|fact| match &fact.value {
            FactValue::Text(text) => Some(text.as_str()),
            _ => None,
        });
        self.add(kind, None, facts);
        if let Some(objective) = &detail.objective {
            let whole = [
                &objective.goal,
                &objective.background_intent,
                &objective.deliverables,
                &objective.definition_of_done,
            ];
            self.add(kind, None, whole.map(String::as_str));
            let lists = objective.in_scope.iter().chain(&objective.out_of_scope);
            self.add(kind, None, lists.map(String::as_str));
            let questions = objective.clarifications.iter();
            self.add(kind, None, questions.flat_map(|one| [one.question.as_str(), one.resolution.as_str()]));
        }
        self.add(kind, None, detail.prompt.as_deref());
        for row in &detail.checklist {
            self.add(TextKind::Check, None, [row.item.as_str()]);
            self.add(TextKind::Check, None, row.value.as_deref());
            self.add(TextKind::Check, None, row.evidence.iter().map(|evidence| evidence.text.as_str()));
        }
    }

    fn tasks(&mut self, detail: &'a LoopDetail) {
        for task in &detail.tasks {
            let item = Some(task.id.as_str());
            self.add(TextKind::Task, item, [task.description.as_str()]);
            self.add(TextKind::Task, item, task.done_when.iter().map(String::as_str));
            self.add(TextKind::Task, item, task.files_changed.iter().map(String::as_str));
        }
        for task in &detail.task_list {
            let texts = [task.description.as_str(), task.prompt_template.as_str()];
            self.add(TextKind::ListedTask, Some(&task.id), texts);
            self.add(TextKind::ListedTask, Some(&task.id), task.command.as_deref());
        }
        for step in &detail.history {
            self.add(TextKind::Task, None, [step.step.as_str()]);
        }
    }

    fn debugging(&mut self, detail: &'a LoopDetail) {
        let Some(debug) = &detail.debug else { return };
        self.add(TextKind::Understanding, None, debug.active_bug.as_deref());
        self.add(TextKind::Understanding, None, debug.understanding.as_deref());
        for one in &debug.hypotheses {
            let whole =
                [&one.description, &one.testable_condition, &one.logging_point, &one.confirm, &one.reject];
            let item = Some(one.id.as_str());
            self.add(TextKind::Hypothesis, item, whole.map(String::as_str));
            let more = [&one.mechanism, &one.evidence, &one.verdict_reason];
            self.add(TextKind::Hypothesis, item, more.into_iter().filter_map(|text| text.as_deref()));
        }
    }

    fn tests(&mut self, detail: &'a LoopDetail, rows: &'a [TestRow]) {
        for row in rows {
            let item = row.full_name();
            let texts = [Some(&row.name), row.error_message.as_ref(), row.stack_trace.as_ref()];
            let filled = texts.into_iter().flatten().filter(|text| !text.trim().is_empty());
            self.0.extend(filled.map(|text| SearchedText {
                kind: TextKind::Test,
                item: Some(item.clone()),
                text: Cow::Borrowed(text.as_str()),
            }));
        }
        let failed = detail.validation.iter().flat_map(|validation| &validation.failed_tests);
        for name in failed.filter(|name| !rows.iter().any(|row| row.name == **name)) {
            self.add(TextKind::Test, Some(name), [name.as_str()]);
        }
    }

    fn atoms(&mut self, detail: &'a LoopDetail) {
        for atom in &detail.atoms {
            let item = Some(atom.id.as_str());
            self.add(TextKind::Atom, item, [atom.description.as_str()]);
            self.add(TextKind::Binding, item, atom.summary.as_deref());
            self.add(TextKind::Binding, item, atom.artifacts.iter().map(String::as_str));
        }
        for choice in &detail.trail {
            self.add(TextKind::Decision, choice.atom.as_deref(), [choice.reason.as_str()]);
            self.add(TextKind::Decision, choice.atom.as_deref(), choice.other.as_deref());
        }
        for split in &detail.decompositions {
            self.add(TextKind::Decision, Some(&split.parent), [split.reason.as_str()]);
        }
        for correction in &detail.corrections {
            self.add(TextKind::Correction, correction.atom.as_deref(), [correction.description.as_str()]);
        }
    }

    fn results(&mut self, detail: &'a LoopDetail) {
        for worker in &detail.workers {
            self.add(TextKind::Worker, None, [worker.summary.as_str()]);
            self.add(TextKind::Worker, None, worker.detail.as_deref());
            self.add(TextKind::Worker, None, worker.next_suggestion.as_deref());
            self.add(TextKind::Worker, None, worker.files_changed.iter().map(String::as_str));
        }
        self.add(TextKind::Finding, None, detail.findings.iter().map(|finding| finding.text.as_str()));
        self.add(TextKind::Error, None, detail.errors.iter().map(|error| error.message.as_str()));
        for fact in &detail.summary {
            match &fact.value {
                FactValue::Text(text) => self.add(TextKind::Summary, None, [text.as_str()]),
                FactValue::List(texts) => self.add(TextKind::Summary, None, texts.iter().map(String::as_str)),
                _ => (),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::status::FileStatus;
    use crate::view::{AtomState, AtomView, DebugView, HypothesisView};

    #[test]
    fn each_text_says_where_it_is_shown() {
        let hypothesis =
            HypothesisView { id: "H1".into(), description: "a race".into(), ..HypothesisView::default() };
        let atom = AtomView {
            id: "A1".into(),
            description: "split it".into(),
            status: "resolved".into(),
            state: AtomState::Resolved,
            depends_on: Vec::new(),
            blocked_by: Vec::new(),
            on_critical_path: false,
            ready_to_resolve: false,
            or_group: None,
            parent: None,
            children: Vec::new(),
            summary: Some("split in two".into()),
            summary_cut: false,
            artifacts: vec!["src/a.rs".into()],
            has_result: true,
            line: None,
        };
        let detail = LoopDetail {
            debug: Some(DebugView { hypotheses: vec![hypothesis], ..DebugView::default() }),
            atoms: vec![atom],
            ..LoopDetail::default()
        };
        let row = |suite: &str| TestRow { name: "works".into(), suite: suite.into(), ..TestRow::default() };
        let rows = [row(""), row("cart")];
        let summary = Summary::empty(Format::LoopV2, "Fix it", FileStatus::Running);
        let texts = searched_texts(&summary, &detail, &rows);
        let said: Vec<(TextKind, Option<&str>, &str)> =
            texts.iter().map(|one| (one.kind, one.item.as_deref(), &*one.text)).collect();
        assert_eq!(
            said,
            [
                (TextKind::Title, None, "Fix it"),
                (TextKind::Hypothesis, Some("H1"), "a race"),
                (TextKind::Test, Some("works"), "works"),
                (TextKind::Test, Some("cart › works"), "works"),
                (TextKind::Atom, Some("A1"), "split it"),
                (TextKind::Binding, Some("A1"), "split in two"),
                (TextKind::Binding, Some("A1"), "src/a.rs"),
            ]
        );
    }
}
