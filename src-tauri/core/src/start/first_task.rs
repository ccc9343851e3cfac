//! What the first agent of a new loop would be asked.

use super::{FirstFile, NewFormat};
use crate::control::{Intent, Situation};
use crate::driver::{AgentTask, Memory};
use crate::format::FileFacts;
use crate::loops::{self, Place};
use crate::status::StatusWord;
use crate::times::Timestamp;

impl FirstFile {
    /// The file's name without folders and without `.json`.
    #[must_use]
    pub fn stem(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.strip_suffix(".json").unwrap_or(name)
    }

    /// The first task for an agent, from the file as it is once the loop runs; `None` when the first step needs no agent.
    #[must_use]
    pub fn first_task(&self, format: NewFormat, now: Timestamp) -> Option<AgentTask> {
        let facts = FileFacts { stem: self.stem(), modified: now, now };
        let (intent, shown) = format.first_intent();
        let bytes = self.text.as_bytes();
        let summary = loops::summary(format.place(), bytes, &facts)?;
        let carried = loops::carry_out(&summary, bytes, &facts, &intent, &Situation { shown, now }).ok()?;
        let next = loops::drive::next(format.format(), (&carried.bytes, &facts), &Memory::default());
        next.into_tasks().into_iter().next()
    }
}

impl NewFormat {
    /// What makes a new loop run, and the status it has until then: a Loop-B waits, paused, for its agent.
    fn first_intent(self) -> (Intent, StatusWord) {
        match self {
            NewFormat::LoopB => (Intent::Resume { raise_limit_to: None }, StatusWord::Paused),
            NewFormat::LoopV2 | NewFormat::Aot => (Intent::Start, StatusWord::NotStarted),
        }
    }

    /// Where its files are.
    fn place(self) -> Place {
        match self {
            NewFormat::LoopV2 | NewFormat::LoopB => Place::CcwFile,
            NewFormat::Aot => Place::AotFile,
        }
    }
}
