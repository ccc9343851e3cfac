//! Plans of other tools in a folder, for the form: what is there to go on with.

use crate::observe::roots::{self, Candidate};
use crate::observe::scan::{self, Look};
use loopdeck_core::layout;
use loopdeck_core::loops::Place;
use loopdeck_core::phase::Phase;
use loopdeck_core::plans::{Advice, KnownTool, Sign, known_tools};
use loopdeck_core::start::{NewFormat, NewWork};
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::preferences::plan::StartForm;
use loopdeck_execution::rows::{FolderPlan, UnreadAdvice, UnreadTool};
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, files};
use std::path::Path;

/// Most plans that the form offers.
const MOST: usize = 20;
/// Most files that are read for it.
const MOST_READ: usize = 500;

/// The plans in a folder that aren't done, those changed last first.
pub(super) fn plans(folder: &Path) -> Vec<FolderPlan> {
    let candidates = roots::candidates(folder).into_iter();
    let candidates =
        candidates.filter(|found| matches!(found.place, Place::Plan(_))).take(MOST_READ).collect();
    let mut found: Vec<(Timestamp, FolderPlan)> = Vec::new();
    scan::look_at_workspace(folder, candidates, clock::now(), |looks| {
        found.extend(looks.into_iter().filter_map(|look| {
            let summary = look.summary?;
            let Some(Phase::Todo { done, total }) = summary.phase else { return None };
            let is_worked_off = summary.format.traits().is_worked_off;
            let is_open = is_worked_off && done < total && summary.status != FileStatus::Completed;
            let file = look.candidate.file;
            let work = NewWork::of_plan(&file, &summary.title);
            let (goal, run_as) = (work.goal, NewFormat::OF_PLANS);
            let plan =
                FolderPlan { file, format: summary.format, title: summary.title, done, total, goal, run_as };
            is_open.then(|| (look.stamp.map_or(Timestamp::from_millis(0), Fingerprint::modified), plan))
        }));
    });
    found.sort_by_key(|(changed, plan)| (std::cmp::Reverse(*changed), plan.file.clone()));
    found.into_iter().take(MOST).map(|(_, plan)| plan).collect()
}

/// The plan of a form that isn't in the folder, or isn't a plan.
pub(super) fn missing<'f>(form: &'f StartForm, folder: &Path) -> Option<&'f str> {
    let file = form.work.plan.as_deref()?;
    let candidates =
        layout::places_of(file).map(|place| Candidate { file: file.to_owned(), place }).collect();
    let mut is_there = false;
    scan::look_at_workspace(folder, candidates, clock::now(), |looks| {
        let read =
            |look: &Look| look.summary.as_ref().is_some_and(|found| found.status != FileStatus::Unreadable);
        is_there |= looks.iter().any(read);
    });
    (!is_there).then_some(file)
}

/// The form with the title of its plan, where it has none of its own.
pub(super) fn titled(form: &StartForm, folder: &Path) -> StartForm {
    let mut form = form.clone();
    if let Some(file) = form.work.plan.as_ref().filter(|_| form.work.title.trim().is_empty()) {
        let found = plans(folder).into_iter().find(|plan| plan.file == *file);
        form.work.title = found.map_or_else(|| file.clone(), |plan| plan.title);
    }
    form
}

/// Tools that keep their plans in a folder in a form that isn't read, each with what shows it.
pub(super) fn unread(folder: &Path) -> Vec<UnreadTool> {
    let found = known_tools(|sign| is_there(folder, sign)).into_iter();
    let tool = |(tool, sign): (&KnownTool, Sign)| UnreadTool {
        name: tool.name.to_owned(),
        file: path_of(sign),
        advice: advice_of(tool.advice),
    };
    found.map(tool).collect()
}

/// Whether a sign is there, in the folder: behind a link that leads out of it nothing is looked for.
fn is_there(folder: &Path, sign: Sign) -> bool {
    let inside = |path: &Path| files::lies_within(folder, path);
    let kind = |below: &str| {
        let path = folder.join(below);
        let found = path.parent().is_some_and(inside).then(|| path.symlink_metadata().ok()).flatten();
        found.map(|found| found.file_type())
    };
    match sign {
        Sign::File(file) => kind(file).is_some_and(|kind| kind.is_file()),
        Sign::Folder(below) => kind(below).is_some_and(|kind| kind.is_dir()),
        Sign::Ending { folder: below, ending } => {
            let path = folder.join(below);
            let entries = inside(&path).then(|| std::fs::read_dir(&path).ok()).flatten();
            let mut names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
            names.any(|name| name.to_str().is_some_and(|name| name.ends_with(ending)))
        }
    }
}

fn path_of(sign: Sign) -> String {
    match sign {
        Sign::File(path) | Sign::Folder(path) => path.to_owned(),
        Sign::Ending { folder, ending } => format!("{folder}/*{ending}"),
    }
}

fn advice_of(advice: Advice) -> UnreadAdvice {
    match advice {
        Advice::Database => UnreadAdvice::Database,
        Advice::Cloud => UnreadAdvice::Cloud,
        Advice::ReadOnlyElsewhere => UnreadAdvice::Elsewhere,
        Advice::NotYet => UnreadAdvice::NotYet,
        Advice::DefinitionsOnly => UnreadAdvice::Definitions,
    }
}
