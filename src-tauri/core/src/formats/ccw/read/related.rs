//! Related items: tasks, failed tests and events about the file of a hypothesis.

use super::values::saturated;
use crate::place::{Names, base_name, same_path};
use crate::view::{EventKind, LoopDetail, RelatedView};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Most tasks and failed tests listed for one file.
const MOST: usize = 100;
/// Most events, newest first.
const MOST_EVENTS: usize = 5;

/// Adds the related items of its file to every hypothesis. One pass over tasks, tests and events, however
/// many hypotheses there are.
pub(crate) fn relate(detail: &mut LoopDetail) {
    let Some(debug) = &detail.debug else { return };
    let files: Vec<String> =
        debug.hypotheses.iter().map(|hypothesis| file_of(hypothesis.place.as_ref())).collect();
    let mut found = Files::new(&files);
    for (at, task) in (0..).zip(&detail.tasks) {
        found.add(found.same(&task.files_changed), |related| push(&mut related.tasks, at));
    }
    let failed = detail.validation.iter().flat_map(|validation| &validation.failed_tests);
    for (at, name) in (0..).zip(failed) {
        found.add(found.mentioned_in(name), |related| push(&mut related.failed_tests, at));
    }
    for (at, event) in detail.events.iter().enumerate().rev() {
        let at = saturated(at);
        if event.kind == EventKind::DebugLog {
            continue;
        }
        let mut about = found.same(&event.files);
        about.extend(found.mentioned_in(&event.text));
        found.add(about, |related| {
            related.events_total = related.events_total.saturating_add(1);
            if related.events.len() < MOST_EVENTS {
                related.events.push(at);
            }
        });
    }
    let related: Vec<RelatedView> = files.iter().map(|file| found.related_to(file)).collect();
    for (hypothesis, related) in detail.debug.iter_mut().flat_map(|debug| &mut debug.hypotheses).zip(related)
    {
        hypothesis.related = related;
    }
}

fn file_of(place: Option<&crate::place::CodePlace>) -> String {
    place.map(|place| same_path(&place.file)).unwrap_or_default()
}

fn push(places: &mut Vec<u32>, at: u32) {
    if places.len() < MOST {
        places.push(at);
    }
}

/// The files of all hypotheses, each once.
struct Files<'f> {
    places: HashMap<&'f str, usize>,
    related: Vec<RelatedView>,
    names: Names<'f>,
    /// For each name, the files that end with it.
    of_name: Vec<Vec<usize>>,
}

impl<'f> Files<'f> {
    fn new(files: &'f [String]) -> Self {
        let names = Names::new(files.iter().map(|file| base_name(file)));
        let mut of_name = vec![Vec::new(); names.len()];
        let mut places = HashMap::new();
        for file in files.iter().map(String::as_str).filter(|file| !file.is_empty()) {
            let next = places.len();
            if let Entry::Vacant(free) = places.entry(file) {
                free.insert(next);
                // A folder has no name that a text could mention.
                if let Some(name) = names.place(base_name(file)) {
                    of_name[name].push(next);
                }
            }
        }
        Self { related: vec![RelatedView::default(); places.len()], places, names, of_name }
    }

    /// Those among `paths`.
    fn same(&self, paths: &[String]) -> Vec<usize> {
        paths.iter().filter_map(|path| self.places.get(same_path(path).as_str()).copied()).collect()
    }

    /// Those that `text` mentions.
    fn mentioned_in(&self, text: &str) -> Vec<usize> {
        self.names.in_text(text).into_iter().flat_map(|name| &self.of_name[name]).copied().collect()
    }

    /// Adds an item to each of the files at `places` once.
    fn add(&mut self, mut places: Vec<usize>, note: impl Fn(&mut RelatedView)) {
        places.sort_unstable();
        places.dedup();
        for place in places {
            note(&mut self.related[place]);
        }
    }

    fn related_to(&self, file: &str) -> RelatedView {
        self.places.get(file).map(|place| self.related[*place].clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::logging_point;
    use crate::view::{DebugView, EventView, HypothesisView, TaskView, ValidationView};

    fn hypothesis(point: &str) -> HypothesisView {
        HypothesisView { place: logging_point(point), ..HypothesisView::default() }
    }

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| (*text).to_owned()).collect()
    }

    fn task(changed: &[&str]) -> TaskView {
        TaskView { files_changed: texts(changed), ..TaskView::default() }
    }

    fn event(kind: EventKind, text: &str, files: &[&str]) -> EventView {
        EventView { kind, text: text.into(), files: texts(files), ..EventView::default() }
    }

    /// The related items of hypotheses with these logging points, in a loop whose other content is always the
    /// same.
    fn related(points: &[&str]) -> Vec<RelatedView> {
        let mut detail = LoopDetail {
            tasks: vec![
                task(&["./src\\limit\\key.ts", "src/limit/key.ts"]),
                task(&["src/key.ts"]),
                task(&[]),
            ],
            validation: Some(ValidationView {
                failed_tests: texts(&["other", "test/key.ts › limits", "monkey.ts"]),
                ..ValidationView::default()
            }),
            events: vec![
                event(EventKind::ChangeLog, "changed", &["src/limit/key.ts"]),
                event(EventKind::DebugLog, "key.ts", &["src/limit/key.ts"]),
                event(EventKind::DebugEntry, "Look at key.ts again", &["src/limit/key.ts"]),
                event(EventKind::Error, "elsewhere", &["src/key.ts"]),
            ],
            debug: Some(DebugView {
                hypotheses: points.iter().map(|point| hypothesis(point)).collect(),
                ..DebugView::default()
            }),
            ..LoopDetail::default()
        };
        relate(&mut detail);
        detail.debug.expect("a section").hypotheses.into_iter().map(|one| one.related).collect()
    }

    #[test]
    fn tasks_failed_tests_and_events_are_found_by_the_file() {
        let found =
            related(&["src/limit/key.ts:bucketKey():31", "", "src/key.ts", "src/limit/key.ts:9", "a.ts:1"]);
        let of_key =
            RelatedView { tasks: vec![0], failed_tests: vec![1], events: vec![2, 0], events_total: 2 };
        let of_other =
            RelatedView { tasks: vec![1], failed_tests: vec![1], events: vec![3, 2], events_total: 2 };
        let none = RelatedView::default();
        assert_eq!(found, [of_key.clone(), none.clone(), of_other, of_key, none]);
    }

    #[test]
    fn of_very_many_the_first_are_listed_and_of_events_the_newest() {
        let mut detail = LoopDetail {
            tasks: vec![task(&["a.ts"]); 300],
            events: vec![event(EventKind::Error, "in a.ts", &[]); 300],
            debug: Some(DebugView { hypotheses: vec![hypothesis("a.ts:1"); 2], ..DebugView::default() }),
            ..LoopDetail::default()
        };
        relate(&mut detail);
        let related = &detail.debug.expect("a section").hypotheses[1].related;
        assert_eq!((related.tasks.len(), related.tasks[99]), (100, 99));
        assert_eq!((related.events_total, related.events.as_slice()), (300, &[299, 298, 297, 296, 295][..]));
    }
}
