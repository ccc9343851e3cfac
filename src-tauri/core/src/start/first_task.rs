//! What the first agent of a new loop would be asked.

use super::{FirstFile, NewFormat};
use crate::control::{Intent, Situation};
use crate::driver::{AgentTask, Memory};
use crate::format::FileFacts;
use crate::layout;
use crate::located;
use crate::loops::{self, Place};
use crate::status::StatusWord;
use crate::times::Timestamp;
use crate::view::Companion;

impl FirstFile {
    /// The identity that the file gives the loop.
    #[must_use]
    pub fn stem(&self, format: NewFormat) -> &str {
        located::stem(format.place(), &self.file)
    }

    /// The first task for an agent, from the files as they are once the loop runs; `None` when the first step needs no agent.
    #[must_use]
    pub fn first_task(&self, format: NewFormat, now: Timestamp) -> Option<AgentTask> {
        let facts = FileFacts { stem: self.stem(format), modified: now, now };
        let (intent, shown) = format.first_intent();
        let bytes = self.text.as_bytes();
        let summary = loops::summary(format.place(), bytes, &facts)?;
        let carried = loops::carry_out(&summary, bytes, &facts, &intent, &Situation { shown, now }).ok()?;
        let memory = Memory::default();
        let beside = self.companions(format.place());
        let step = loops::drive::step(format.format(), (&carried.bytes, &facts), &memory, Some(&beside));
        step.next.into_tasks().into_iter().next()
    }

    /// The files next to it, as they are read once they are there.
    fn companions(&self, place: Place) -> Vec<Companion> {
        let folder = self.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let named = layout::companion_names(place, &self.file).into_iter();
        let text = |(kind, name): (_, String)| {
            let file = self.beside.iter().find(|text| text.file == format!("{folder}/{name}"))?;
            Some(Companion { kind, file: name, bytes: file.text.clone().into_bytes(), cut: false })
        };
        named.filter_map(text).collect()
    }
}

impl NewFormat {
    /// What makes a new loop run, and the status it has until then: a Loop-B waits, paused, for its agent.
    fn first_intent(self) -> (Intent, StatusWord) {
        match self {
            NewFormat::LoopB => (Intent::Resume { raise_limit_to: None }, StatusWord::Paused),
            NewFormat::LoopV2 | NewFormat::Aot | NewFormat::Ralph => (Intent::Start, StatusWord::NotStarted),
        }
    }

    /// Where its files are.
    fn place(self) -> Place {
        match self {
            NewFormat::LoopV2 | NewFormat::LoopB => Place::CcwFile,
            NewFormat::Aot => Place::AotFile,
            NewFormat::Ralph => Place::RalphList,
        }
    }
}
