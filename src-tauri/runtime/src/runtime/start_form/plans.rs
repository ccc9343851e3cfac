//! Plans of other tools in a folder, for the form: what is there to go on with.

use crate::observe::roots;
use crate::observe::scan;
use loopdeck_core::loops::Place;
use loopdeck_core::phase::Phase;
use loopdeck_core::start::NewWork;
use loopdeck_core::status::FileStatus;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::rows::FolderPlan;
use loopdeck_system::clock;
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
            let is_open = done < total && summary.status != FileStatus::Completed;
            let file = look.candidate.file;
            let goal = NewWork::of_plan(&file, &summary.title).goal;
            let plan = FolderPlan { file, format: summary.format, title: summary.title, done, total, goal };
            is_open.then(|| (look.stamp.map_or(Timestamp::from_millis(0), |stamp| stamp.modified()), plan))
        }));
    });
    found.sort_by_key(|(changed, plan)| (std::cmp::Reverse(*changed), plan.file.clone()));
    found.into_iter().take(MOST).map(|(_, plan)| plan).collect()
}
