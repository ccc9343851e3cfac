//! A test bench for the driver: a file, its memory, and workers with scripted answers.

use crate::aot::NOW;
use loopdeck_core::checklist::CommandEnd;
use loopdeck_core::control::Situation;
use loopdeck_core::driver::{AgentTask, Conclusion, EndReason, Ended, FailureClass, Memory};
use loopdeck_core::format::FileFacts;
use loopdeck_core::formats::aot::drive::{
    self, AotNext, BatchEnd, CommandCheck, CommandResult, FileCheck, FileFound,
};
use loopdeck_core::formats::aot::{self, AotOperation};
use loopdeck_core::refusal::Refusal;
use loopdeck_core::status::StatusWord;
use loopdeck_core::view::LoopDetail;
use loopdeck_text::text_edit;
use std::fmt::Write as _;

pub(crate) const FACTS: FileFacts<'static> = FileFacts { stem: "aot-loop-state", modified: NOW, now: NOW };
pub(crate) const DRIVEN: Situation = Situation { shown: StatusWord::Running, now: NOW };

/// One check in the older form.
pub(crate) const ONE_COMMAND: &str = "    type: command\n    value: \"npm test\"\n";

/// No dependencies.
pub(crate) const NOTHING: &[&str] = &[];

/// An atom as written in a file: id, status, dependencies, group.
pub(crate) type Atom<'a> = (&'a str, &'a str, &'a [&'a str], Option<&'a str>);

/// A running loop in its first round. `rest`: the sections after the atoms; empty for none.
pub(crate) fn file(base_case: &str, atoms: &[Atom<'_>], rest: &str) -> String {
    let mut text = format!(
        "---\nobjective:\n  goal: \"Build it\"\n  base_case:\n{base_case}  background_intent: \"For the team\"\n  deliverables: \"A program\"\n  definition_of_done: \"It works\"\n  constraints:\n    max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n\ncontrol:\n  status: running\n  iteration: 1\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n\natoms:\n"
    );
    for (id, status, needs, group) in atoms {
        let _ = write!(
            text,
            "  - id: {id}\n    description: \"Do {id}\"\n    status: {status}\n    depends_on: [{}]\n",
            needs.join(", ")
        );
        if let Some(group) = group {
            let _ = writeln!(text, "    or_group: {group}");
        }
    }
    let empty = "\ndecompositions: []\n\nor_groups: {}\n\nbindings: {}\n\ntrail: []\n";
    text.push_str(if rest.is_empty() { empty } else { rest });
    text.push_str("\ncorrections: []\n---\n\n# Original Prompt\n\nPlease build it.\n");
    text
}

/// The same with other values of `control` and `constraints`.
pub(crate) fn with(mut text: String, fields: &[(&str, &str)]) -> String {
    for (key, value) in fields {
        let lead = format!("{}{key}: ", if key.starts_with("max_") { "    " } else { "  " });
        let start = text.find(&format!("\n{lead}")).expect(key) + 1 + lead.len();
        let end = start + text[start..].find('\n').expect("a line");
        text.replace_range(start..end, value);
    }
    text
}

/// How a worker ends.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    Answer(String),
    Plain(String),
    Fails(String),
    Asks(String),
    Cancelled,
    Unavailable,
}

impl Said {
    pub(crate) fn resolved(summary: &str) -> Self {
        Self::Answer(format!(
            "{{\"status\":\"resolved\",\"summary\":\"{summary}\",\"artifacts\":[\"src/a.rs\"],\"children\":[],\"reason\":null,\"needs\":null}}"
        ))
    }

    pub(crate) fn failed(reason: &str) -> Self {
        Self::Answer(format!("{{\"status\":\"failed\",\"summary\":\"\",\"reason\":\"{reason}\"}}"))
    }

    pub(crate) fn split(children: &str) -> Self {
        Self::Answer(format!(
            "{{\"status\":\"decomposed\",\"children\":{children},\"reason\":\"too large\"}}"
        ))
    }

    pub(crate) fn ended(&self) -> Ended<'_> {
        match self {
            Said::Answer(text) => Ended::Answered { text, structured: None, plain: false },
            Said::Plain(text) => Ended::Answered { text, structured: None, plain: true },
            Said::Fails(message) => Ended::Failed { class: FailureClass::Work, message },
            Said::Asks(text) => Ended::Asks { text },
            Said::Cancelled => Ended::Failed { class: FailureClass::Cancelled, message: "" },
            Said::Unavailable => Ended::Failed { class: FailureClass::Unavailable, message: "limit" },
        }
    }
}

/// A loop in progress.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) bytes: Vec<u8>,
    pub(crate) memory: Memory,
}

impl Stage {
    pub(crate) fn new(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), memory: Memory::default() }
    }

    pub(crate) fn next(&self) -> AotNext {
        drive::next(&self.bytes, &FACTS, &self.memory)
    }

    pub(crate) fn try_write(&mut self, operation: &AotOperation) -> Result<(), Refusal> {
        let edits = aot::operate(&self.bytes, &FACTS, operation, &DRIVEN)?;
        self.bytes = text_edit::apply(&self.bytes, &edits).expect("edits do not overlap");
        Ok(())
    }

    pub(crate) fn write(&mut self, operation: &AotOperation) {
        self.try_write(operation).unwrap_or_else(|refusal| panic!("{operation:?}: {refusal:?}"));
    }

    /// Carries out pure writes, up to the next step of another kind.
    pub(crate) fn settle(&mut self) -> AotNext {
        for _ in 0..50 {
            match self.next() {
                AotNext::Write(operation) => self.write(&operation),
                next => return next,
            }
        }
        panic!("it writes without end");
    }

    /// The atoms of the next batch, which is begun.
    pub(crate) fn begin(&mut self) -> Vec<AgentTask> {
        let AotNext::Batch { begin, tasks } = self.settle() else { panic!("no batch: {:?}", self.next()) };
        self.write(&begin);
        tasks
    }

    pub(crate) fn conclude(&mut self, tasks: &[AgentTask], said: &[Said]) -> Conclusion<AotOperation> {
        let ends: Vec<BatchEnd<'_>> = tasks
            .iter()
            .zip(said)
            .map(|(task, said)| BatchEnd { task, ended: said.ended(), left: None })
            .collect();
        drive::conclude_batch(&ends, &self.bytes, &FACTS, &mut self.memory)
    }

    /// Writes what a conclusion says; returns the end of the driver, if any.
    pub(crate) fn take(&mut self, conclusion: Conclusion<AotOperation>) -> Option<EndReason> {
        let (operations, end) = match conclusion {
            Conclusion::Write(operations) => (operations, None),
            Conclusion::WriteThenEnd(operations, end) => (operations, Some(end)),
            other => panic!("{other:?}"),
        };
        operations.iter().for_each(|operation| self.write(operation));
        end
    }

    /// A whole batch: started, ended and processed; returns what was written for its results.
    pub(crate) fn batch(&mut self, said: &[Said]) -> Vec<AotOperation> {
        let tasks = self.begin();
        assert_eq!(tasks.len(), said.len(), "{:?}", ids(&tasks));
        let conclusion = self.conclude(&tasks, said);
        let Conclusion::Write(operations) = conclusion.clone() else { panic!("{conclusion:?}") };
        self.take(conclusion);
        operations
    }

    pub(crate) fn command(&mut self, check: &CommandCheck, end: CommandEnd, stdout: &str) {
        let result = CommandResult { end, stdout, stderr: "", took_ms: 12.0, tests: None };
        let concluded = drive::conclude_command(check, &result, &self.bytes, &FACTS, &mut self.memory);
        assert_eq!(concluded, Conclusion::Write(vec![]));
    }

    pub(crate) fn files(&mut self, found: &[(FileCheck, FileFound)]) {
        let concluded = drive::conclude_files(found, &self.bytes, &FACTS, &mut self.memory);
        assert_eq!(concluded, Conclusion::Write(vec![]));
    }

    /// Runs the one command of [`ONE_COMMAND`], and the (empty) file checks.
    pub(crate) fn verify(&mut self, exit: i32) {
        let AotNext::Command(check) = self.settle() else { panic!("no command: {:?}", self.next()) };
        self.command(&check, CommandEnd::Exit(exit), "");
    }

    pub(crate) fn detail(&self) -> LoopDetail {
        crate::aot::detail(&self.bytes, StatusWord::Running)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("utf-8")
    }

    /// `A1 pending, A2 resolved`
    pub(crate) fn atoms(&self) -> String {
        let atoms = self.detail().atoms;
        atoms.iter().map(|atom| format!("{} {}", atom.id, atom.status)).collect::<Vec<_>>().join(", ")
    }

    /// The value of a control field, as written.
    pub(crate) fn control(&self, key: &str) -> String {
        let text = self.text();
        let lead = format!("\n  {key}: ");
        let start = text.find(&lead).expect(key) + lead.len();
        text[start..].lines().next().expect("a line").to_owned()
    }

    /// Closes the round: `EndRound` is the only write left.
    pub(crate) fn end_round(&mut self) {
        let next = self.next();
        assert_eq!(next, AotNext::Write(AotOperation::EndRound));
        self.write(&AotOperation::EndRound);
    }
}

pub(crate) fn ids(tasks: &[AgentTask]) -> Vec<String> {
    tasks.iter().map(|task| task.context.task.as_ref().expect("an atom").id.clone()).collect()
}
