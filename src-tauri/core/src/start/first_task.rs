//! What the first agent of a new loop would be asked.

use super::{FirstFile, NewFormat};
use crate::control::{Intent, Situation};
use crate::driver::{AgentTask, Memory};
use crate::format::FileFacts;
use crate::layout;
use crate::located;
use crate::loops::{self, Place};
use crate::status::{FileStatus, StatusWord};
use crate::times::Timestamp;
use crate::view::Companion;

impl FirstFile {
    /// The identity that the file gives the loop.
    #[must_use]
    pub fn stem(&self, format: NewFormat) -> &str {
        located::stem(format.new_loops().place(), &self.file)
    }

    /// The first task for an agent, from the files as they are once the loop runs; `None` when the first step needs no agent. `linked`:
    /// the plan that it works off, as it is read beside the loop.
    #[must_use]
    pub fn first_task(&self, format: NewFormat, now: Timestamp, linked: Vec<Companion>) -> Option<AgentTask> {
        let facts = FileFacts { stem: self.stem(format), modified: now, now };
        let bytes = self.text.as_bytes();
        let place = format.new_loops().place();
        let summary = loops::summary(place, bytes, &facts)?;
        // Some wait, paused, for their agent.
        let (intent, shown) = match summary.status {
            FileStatus::Paused => (Intent::Resume { raise_limit_to: None }, StatusWord::Paused),
            _ => (Intent::Start, StatusWord::NotStarted),
        };
        let carried = loops::carry_out(&summary, bytes, &facts, &intent, &Situation { shown, now }).ok()?;
        let memory = Memory::default();
        let mut beside = self.companions(place);
        beside.extend(linked);
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
