//! The parallel merge (the CCW contract §8): results of workers side by side, and the files changed by two of
//! them.

use crate::formats::loop_b::operate::WorkerOutput;
use crate::place::same_path;
use loopdeck_text::json_span::json::Json;
use std::collections::BTreeMap;

/// The actions that run in parallel, in the order that decides who named a file first.
pub const PARALLEL_ACTIONS: [&str; 3] = ["develop", "debug", "validate"];

/// A file that two workers changed, in the form of `parallel_results`.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The file.
    pub file: String,
    /// The two workers.
    pub workers: Vec<String>,
    /// As written, e.g. `manual`.
    pub resolution: String,
}

impl Conflict {
    /// As it is written.
    pub(crate) fn json(self) -> Json {
        Json::object(vec![
            ("file", Json::text(self.file)),
            ("workers", Json::texts(&self.workers)),
            ("resolution", Json::text(self.resolution)),
        ])
    }
}

/// The first worker that named a file is paired with each later one. Two spellings of one path are one file,
/// shown in the first worker's spelling.
#[must_use]
pub fn conflicts(workers: &[(&str, Vec<String>)]) -> Vec<Conflict> {
    let mut first: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    let mut conflicts = Vec::new();
    for (action, files) in workers {
        let named: BTreeMap<String, &str> =
            files.iter().rev().map(|file| (same_path(file), file.as_str())).collect();
        for (path, file) in named {
            match first.get(&path) {
                Some((earlier, file)) => conflicts.push(Conflict {
                    workers: vec![(*earlier).to_owned(), (*action).to_owned()],
                    resolution: "manual".to_owned(),
                    file: (*file).to_owned(),
                }),
                None => drop(first.insert(path, (action, file))),
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
    let mut members: Vec<_> = PARALLEL_ACTIONS
        .into_iter()
        .map(|action| (action, of(action).map_or(Json::Null, |output| output.json(now))))
        .collect();
    members.push(("conflicts", Json::List(conflicts(&named).into_iter().map(Conflict::json).collect())));
    members.push(("merged_at", Json::text(now)));
    Json::object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_a_path_are_one_file() {
        let files = |files: &[&str]| files.iter().map(|&file| file.to_owned()).collect::<Vec<_>>();
        let workers = [
            ("develop", files(&["./src/a.ts", "src/a.ts", "b"])),
            ("debug", files(&["src\\a.ts", "/b"])),
            ("validate", files(&["src//a.ts", "src/A.ts"])),
        ];
        let found = conflicts(&workers);
        let pairs: Vec<_> =
            found.iter().map(|found| (found.file.as_str(), found.workers.join("+"))).collect();
        let expected = [("./src/a.ts", "develop+debug"), ("./src/a.ts", "develop+validate")];
        assert_eq!(pairs, expected.map(|(file, workers)| (file, workers.to_owned())));
    }
}
