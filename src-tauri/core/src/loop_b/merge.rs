//! The parallel merge (the CCW contract §8): results of workers side by side, and the files two of them changed.

use super::operate::WorkerOutput;
use crate::json_span::json::Json;
use crate::view::ConflictView;
use std::collections::BTreeMap;

/// The actions that run at once, in the order that decides who named a file first.
pub const PARALLEL_ACTIONS: [&str; 3] = ["develop", "debug", "validate"];

/// The first worker that named a file is paired with each later one.
#[must_use]
pub fn conflicts(workers: &[(&str, Vec<String>)]) -> Vec<ConflictView> {
    let mut first: BTreeMap<String, &str> = BTreeMap::new();
    let mut conflicts = Vec::new();
    for (action, files) in workers {
        let mut files = files.clone();
        files.sort();
        files.dedup();
        for file in files {
            match first.get(&file) {
                Some(earlier) => conflicts.push(ConflictView {
                    workers: vec![(*earlier).to_owned(), (*action).to_owned()],
                    resolution: "manual".to_owned(),
                    file,
                }),
                None => drop(first.insert(file, action)),
            }
        }
    }
    conflicts
}

/// `parallel_results` in the real shape: a result or null per worker, conflicts, the time.
#[must_use]
pub fn merged(outputs: &[WorkerOutput], now: &str) -> Json {
    let of = |action: &str| outputs.iter().find(|output| output.action == action);
    let named: Vec<_> = PARALLEL_ACTIONS
        .into_iter()
        .filter_map(|action| Some((action, of(action)?.files_changed.clone())))
        .collect();
    let conflict = |conflict: ConflictView| {
        Json::object(vec![
            ("file", Json::text(conflict.file)),
            ("workers", Json::texts(&conflict.workers)),
            ("resolution", Json::text(conflict.resolution)),
        ])
    };
    let mut members: Vec<_> = PARALLEL_ACTIONS
        .into_iter()
        .map(|action| (action, of(action).map_or(Json::Null, |output| output.json(now))))
        .collect();
    members.push(("conflicts", Json::List(conflicts(&named).into_iter().map(conflict).collect())));
    members.push(("merged_at", Json::text(now)));
    Json::object(members)
}
