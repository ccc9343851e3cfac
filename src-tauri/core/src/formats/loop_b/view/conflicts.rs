//! Files that several workers of a Loop-B changed. The file has pairs of workers, but a person wants to see
//! all sides of a file together (the CCW contract §8).

use crate::formats::ccw::read::facts::{LONG, text, texts};
use crate::formats::loop_b::operate::merge::{self, Conflict, PARALLEL_ACTIONS};
use crate::formats::loop_b::read::state::{LoopBState, Output};
use crate::phase::CcwPhase;
use crate::place::same_path;
use crate::view::{ConflictSide, ConflictView, Resolution, WorkerView};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::{HashMap, HashSet};

/// Most lines shown of a worker's details.
const LINES: usize = 4;
/// Longest line.
const LONGEST: usize = 1_000;

/// Every file with all workers that changed it, in the order in which files are named.
pub(crate) fn conflicts(
    state: &LoopBState<'_>,
    outputs: &[Output<'_>],
    is_parallel: bool,
    workers: &[WorkerView],
) -> Vec<ConflictView> {
    by_file(&pairs(state, outputs, is_parallel), workers)
}

/// As written; recomputed from the workers if a merge lacks them (§8).
fn pairs(state: &LoopBState<'_>, outputs: &[Output<'_>], is_parallel: bool) -> Vec<Conflict> {
    if let Some(written) = state.parallel.find("conflicts").filter(|node| !node.is_null()) {
        let pair = |node: &Node<'_>| {
            let file = node.text().map_or_else(|| text(node, "file"), |file| shorten(file, LONG));
            let mut workers = texts(node.get("workers"));
            // Both sides are shown, even if only the file is written.
            if workers.is_empty() {
                workers = who_changed(&file, outputs);
            }
            Conflict { workers, resolution: text(node, "resolution"), file }
        };
        return written.items().iter().map(pair).collect();
    }
    if is_parallel && state.parallel.is_object() { recomputed(outputs) } else { Vec::new() }
}

fn who_changed(file: &str, outputs: &[Output<'_>]) -> Vec<String> {
    let path = same_path(file);
    let changed = |output: &&Output<'_>| output.files().iter().any(|file| same_path(file) == path);
    outputs.iter().filter(changed).map(|output| output.action.clone()).collect()
}

fn recomputed(outputs: &[Output<'_>]) -> Vec<Conflict> {
    let parallel = outputs.iter().filter(|output| PARALLEL_ACTIONS.contains(&&*output.action));
    let named: Vec<_> = parallel.map(|output| (output.action.as_str(), output.files())).collect();
    merge::conflicts(&named)
}

fn by_file(pairs: &[Conflict], workers: &[WorkerView]) -> Vec<ConflictView> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut files: Vec<ConflictView> = Vec::new();
    let mut known = HashSet::new();
    for pair in pairs {
        let at = *places.entry(same_path(&pair.file)).or_insert(files.len());
        if at == files.len() {
            files.push(ConflictView { file: pair.file.clone(), ..ConflictView::default() });
        }
        let view = &mut files[at];
        for action in &pair.workers {
            if known.insert((at, action)) {
                view.sides.push(side(action, &pair.file, workers));
            }
        }
        let resolution = resolution(&pair.resolution);
        view.resolutions.extend(resolution.filter(|resolution| !view.resolutions.contains(resolution)));
    }
    files
}

fn resolution(word: &str) -> Option<Resolution> {
    match word {
        "" => None,
        word if word.eq_ignore_ascii_case("manual") => Some(Resolution::Manual),
        word => Some(Resolution::Other(word.to_owned())),
    }
}

fn side(action: &str, file: &str, workers: &[WorkerView]) -> ConflictSide {
    let at = workers.iter().position(|worker| worker.action == action);
    let detail = at.and_then(|at| workers[at].detail.as_deref());
    ConflictSide {
        action: action.to_owned(),
        phase: CcwPhase::from_word(action),
        worker: at.and_then(|at| u32::try_from(at).ok()),
        lines: lines_about(detail.unwrap_or_default(), file),
    }
}

/// Lines that name a file by its path or its file name.
fn lines_about(text: &str, file: &str) -> Vec<String> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file).trim();
    let named = text.split('\n').filter(|line| !name.is_empty() && line.contains(name));
    named.take(LINES).map(|line| shorten(line.trim(), LONGEST)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(file: &str, workers: [&str; 2], resolution: &str) -> Conflict {
        let workers = workers.map(str::to_owned).to_vec();
        Conflict { file: file.to_owned(), workers, resolution: resolution.to_owned() }
    }

    fn worker(action: &str, detail: &str) -> WorkerView {
        WorkerView { action: action.to_owned(), detail: Some(detail.to_owned()), ..WorkerView::default() }
    }

    #[test]
    fn all_pairs_of_a_file_are_one_conflict_with_every_side_once() {
        let pairs = [
            pair("src/a.ts", ["develop", "debug"], "manual"),
            pair("b", ["debug", "odd"], ""),
            pair("./src/a.ts", ["develop", "validate"], "Manual"),
            pair("src/a.ts", ["debug", "validate"], "keep mine"),
        ];
        let workers = [worker("debug", "src/b.ts"), worker("develop", "x\n  - src/a.ts: new\ny")];
        let files = by_file(&pairs, &workers);
        let shown: Vec<_> = files.iter().map(|view| (view.file.as_str(), view.resolutions.clone())).collect();
        let settled = vec![Resolution::Manual, Resolution::Other("keep mine".to_owned())];
        assert_eq!(shown, [("src/a.ts", settled), ("b", Vec::new())]);
        let sides: Vec<_> =
            files[0].sides.iter().map(|side| (side.phase, side.worker, &side.lines)).collect();
        assert_eq!(
            sides,
            [
                (Some(CcwPhase::Develop), Some(1), &vec!["- src/a.ts: new".to_owned()]),
                (Some(CcwPhase::Debug), Some(0), &Vec::new()),
                (Some(CcwPhase::Validate), None, &Vec::new()),
            ]
        );
        assert_eq!((files[1].sides[1].action.as_str(), files[1].sides[1].phase), ("odd", None));
    }

    #[test]
    fn lines_are_those_that_name_the_file() {
        let many = "a.ts 1\na.ts 2\nb\nsrc\\a.ts 3\na.ts 4\na.ts 5";
        for (text, file, expected) in [
            (many, "src/a.ts", vec!["a.ts 1", "a.ts 2", "src\\a.ts 3", "a.ts 4"]),
            ("  of a.ts\r\nb", "src\\a.ts ", vec!["of a.ts"]),
            ("everything", "", vec![]),
            ("everything", "src/", vec![]),
            ("", "a.ts", vec![]),
        ] {
            assert_eq!(lines_about(text, file), expected, "{file}");
        }
        assert_eq!(lines_about(&"a".repeat(2_000), "a")[0].chars().count(), LONGEST + 1);
    }
}
