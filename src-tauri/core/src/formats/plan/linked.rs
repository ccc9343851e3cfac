//! A plan that a loop of ours works off: the plan's own file says what is done, the loop's file how it is run.

use crate::format::{FileFacts, Place};
use crate::layout;
use crate::view::{Companion, CompanionKind};
use loopdeck_plans::{Beside, FactValue, Item, ItemState, Plan, PlanKind, Source};
use loopdeck_text::shorten;
use std::collections::HashSet;

/// A link to a plan, and what the plan says where it was read.
#[derive(Clone, Debug)]
pub(crate) struct PlanLink {
    /// Below the workspace.
    pub(crate) file: String,
    /// Its kind and content; `None` when it wasn't read, isn't there or can't be read.
    pub(crate) plan: Option<(PlanKind, Plan)>,
}

impl PlanLink {
    /// A link to a place where a plan can be; `None` for any other path.
    pub(crate) fn to(file: &str) -> Option<Self> {
        plans_at(file).next().map(|_| Self { file: file.to_owned(), plan: None })
    }

    /// Reads the plan from what was found beside the loop.
    pub(crate) fn read(&mut self, beside: &[Companion], facts: &FileFacts<'_>) {
        let linked = beside.iter().filter(|companion| companion.kind == CompanionKind::Linked);
        let files: Vec<(&str, &[u8])> = linked
            .filter_map(|companion| Some((companion.file.strip_prefix('/')?, companion.bytes.as_slice())))
            .collect();
        let Some((_, bytes)) = files.iter().find(|(file, _)| *file == self.file) else { return };
        let (folder, above) = (folder_of(&self.file), folder_of(folder_of(&self.file)));
        let mut beside: Vec<(String, &[u8])> = files
            .iter()
            .filter_map(|(file, bytes)| Some((name_beside(file, folder, above)?, *bytes)))
            .collect();
        beside.sort();
        let beside: Vec<Beside<'_>> = beside.iter().map(|(file, bytes)| Beside { file, bytes }).collect();
        let (modified, now) = (facts.modified.millis(), facts.now.millis());
        let source = Source { file: &self.file, bytes, beside: &beside, modified, now };
        let mut read = plans_at(&self.file).filter_map(|kind| Some((kind, kind.read(&source).ok()??)));
        self.plan = read.next();
    }

    /// Which plan that is, for an agent: of a file that holds several, its tag too.
    pub(crate) fn told(&self) -> String {
        let file = layout::on_disk(&self.file);
        let fact = |name| self.plan.iter().flat_map(|(_, plan)| &plan.facts).find(|fact| fact.name == name);
        match (fact("tags"), fact("tag").map(|fact| &fact.value)) {
            (Some(_), Some(FactValue::Code(tag))) => {
                format!("{file}, and there only the tag {:?}", shorten(tag, 100))
            }
            _ => file.to_owned(),
        }
    }

    /// How much of it is done; `None` where it wasn't read.
    pub(crate) fn progress(&self) -> Option<(usize, usize)> {
        self.plan.as_ref().map(|(_, plan)| plan.progress())
    }

    /// The items that can be done next, each on a line with its id: those that somebody began and left, then those that can be begun, in
    /// the order of the format.
    pub(crate) fn next(&self) -> Vec<String> {
        let Some((kind, plan)) = &self.plan else { return Vec::new() };
        let parents: HashSet<&str> = plan.items.iter().filter_map(|item| item.parent.as_deref()).collect();
        let is_left = |item: &Item| {
            item.state == ItemState::Active && !item.optional && !parents.contains(item.id.as_str())
        };
        let left = plan.items.iter().enumerate().filter(|(_, item)| is_left(item)).map(|(at, _)| at);
        let mut told = HashSet::new();
        let places = left.chain(kind.format().next(plan)).filter(|at| told.insert(*at));
        let items = places.filter_map(|at| plan.items.get(at));
        items.map(|item| format!("{} {}", item.id, item.text).trim().to_owned()).collect()
    }
}

/// The kinds of plans whose files are at this path.
pub(crate) fn plans_at(file: &str) -> impl Iterator<Item = PlanKind> {
    layout::places_of(file).filter_map(|place| if let Place::Plan(kind) = place { Some(kind) } else { None })
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name that a format gives to a file next to its own: below the folder, or one level up.
fn name_beside(file: &str, folder: &str, above: &str) -> Option<String> {
    let below = |folder: &str| {
        if folder.is_empty() { Some(file) } else { file.strip_prefix(folder)?.strip_prefix('/') }
    };
    below(folder).map(str::to_owned).or_else(|| below(above).map(|name| format!("../{name}")))
}
