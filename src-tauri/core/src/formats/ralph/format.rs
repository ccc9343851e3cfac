//! What Loopdeck does with Ralph loops.

use super::{LIST, PROMPT_FILE, ROOT, create, forms, list_file, outline, prompt_file, read, write};
use crate::format::{Format, Place};
use crate::formats::list::{self, ListChange, ListFormat, WorkList};
use crate::formats::loop_format::KnownFile;
use crate::formats::new_loops::NewLoops;
use crate::formats::state_files::{Found, StateFiles};
use crate::forms::Bounds;
use crate::problem::Problem;
use crate::refusal::Refusal;
use crate::start::{FirstFile, FirstText, NewWork};
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind};
use loopdeck_text::text_edit::TextEdit;

/// Ralph loops (the Ralph contract).
pub(crate) struct Ralph;

impl StateFiles for Ralph {
    fn found(&self) -> &'static [Found] {
        &[Found::EachFolder { root: ROOT, file: LIST }]
    }

    fn has_own_folder(&self) -> bool {
        true
    }

    fn summary(&self, (bytes, facts): KnownFile<'_>, beside: &[Companion]) -> Option<Summary> {
        match read::read(bytes) {
            Ok(list) => Some(list::summary(self, &list.linked(beside, facts), facts)),
            Err(problem) => Some(Summary::unreadable(Format::Ralph, facts.stem, problem)),
        }
    }

    fn linked(&self, bytes: &[u8]) -> Option<String> {
        read::plan_of(bytes)
    }

    fn names_files(&self) -> bool {
        true
    }

    fn outline(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        outline::outline(bytes)
    }

    fn format_by_name(&self, _stem: &str) -> Format {
        Format::Ralph
    }

    fn companion_names(&self, _file: &str) -> Vec<(CompanionKind, String)> {
        vec![(CompanionKind::Prompt, PROMPT_FILE.to_owned())]
    }
}

impl ListFormat for Ralph {
    fn format(&self) -> Format {
        Format::Ralph
    }

    fn read<'b>(&self, bytes: &'b [u8]) -> Result<WorkList<'b>, Problem> {
        read::read(bytes)
    }

    fn edits(&self, list: &WorkList<'_>, change: ListChange) -> Vec<TextEdit> {
        write::edits(list, change)
    }

    fn addition(&self, list: &WorkList<'_>, text: &str) -> Option<TextEdit> {
        write::addition(list, text)
    }

    fn iterations(&self) -> Bounds {
        forms::ITERATIONS
    }

    fn file(&self, stem: &str) -> String {
        list_file(stem)
    }

    fn prompt_file(&self) -> &'static str {
        PROMPT_FILE
    }
}

impl NewLoops for Ralph {
    fn usual_iterations(&self) -> u32 {
        forms::USUAL_ITERATIONS
    }

    fn place(&self) -> Place {
        Place::RalphList
    }

    fn first_file(&self, work: &NewWork, _now: Timestamp, random: u32) -> Result<FirstFile, Refusal> {
        let new = create::NewRalphLoop {
            title: work.written_title(),
            goal: [work.goal.trim(), &work.parent_line()].join("\n\n"),
            tasks: work.tasks.iter().map(|task| task.description.clone()).collect(),
            max_iterations: work.max_iterations,
            plan: work.plan.clone(),
        };
        let name = create::name(&new.title, random);
        let prompt = FirstText { file: prompt_file(&name), text: new.prompt() };
        Ok(FirstFile { file: list_file(&name), text: new.todo()?, beside: vec![prompt] })
    }
}
