//! The tolerant full read of a Loop-B master and its worker outputs (the CCW contract §8).

use crate::formats::ccw::progress_docs::records::coverage;
use crate::formats::ccw::progress_docs::side;
use crate::formats::ccw::read::facts::SHORT;
use crate::formats::ccw::read::values::gather_times;
use crate::problem::{Problem, ProblemCode};
use crate::view::{Companion, CompanionKind};
use loopdeck_text::almost_json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;

/// Most entries shown of each list in a hostile file.
pub(super) const MOST: usize = 500;

/// The actions that write worker outputs, in order.
pub(crate) const ACTIONS: [&str; 5] = ["init", "develop", "debug", "validate", "complete"];

/// A master file, read as a Loop-B.
#[derive(Debug)]
pub(crate) struct LoopBState<'t> {
    pub(crate) root: &'t Node<'t>,
    pub(crate) skill: &'t Node<'t>,
    pub(crate) parallel: &'t Node<'t>,
    pub(crate) pending: &'t [Node<'t>],
    pub(crate) completed: &'t [Node<'t>],
}

impl<'t> LoopBState<'t> {
    pub(crate) fn new(root: &'t Node<'t>) -> Self {
        let skill = root.get("skill_state");
        Self {
            root,
            skill,
            parallel: skill.get("parallel_results"),
            pending: skill.get("pending_tasks").items(),
            completed: skill.get("completed_tasks").items(),
        }
    }

    /// All skill-written times of the master.
    pub(crate) fn skill_times(&self) -> Vec<&'t str> {
        let mut times = Vec::new();
        gather_times("", self.skill, &mut times);
        times
    }

    /// `action_index`; the oldest version wrote -1, shown as 0.
    pub(crate) fn action_index(&self) -> Option<f64> {
        self.skill.get("action_index").number().map(|index| index.max(0.0))
    }
}

/// The output of one worker: a file, or its part of `parallel_results`.
#[derive(Debug)]
pub(crate) struct Output<'t> {
    pub(crate) action: String,
    pub(crate) source: String,
    pub(crate) node: std::borrow::Cow<'t, Node<'t>>,
}

impl Output<'_> {
    /// Files the worker says it changed.
    pub(crate) fn files(&self) -> Vec<String> {
        crate::formats::ccw::read::facts::texts(self.node.get("files_changed"))
    }

    /// Names of the failed tests; in our earlier versions' files they are in `detailed_output`.
    pub(crate) fn failed_tests(&self) -> Vec<String> {
        test_names(self.own_or_detailed("failed_tests"))
    }

    /// Overall coverage, 0 to 100; from the same places.
    pub(crate) fn coverage(&self) -> Option<f64> {
        coverage(self.own_or_detailed("coverage"))
    }

    fn own_or_detailed(&self, key: &str) -> &Node<'_> {
        let own = self.node.get(key);
        if own.is_null() { self.node.get("detailed_output").get(key) } else { own }
    }

    /// The test counts of a validate worker: in its own form, that of the seed's `parallel_results`, or ours.
    pub(crate) fn test_counts(&self) -> &Node<'_> {
        let (summary, results) = (self.node.get("summary"), self.node.get("test_results"));
        match (summary.is_object(), results.is_null()) {
            (true, _) => summary,
            (false, false) => results,
            (false, true) => self.node.get("detailed_output").get("test_results"),
        }
    }
}

/// Worker outputs in the order of their actions. The master's copy counts only when there is no file.
/// Almost JSON is read too; its first fault is a problem, as are unusable files.
pub(crate) fn outputs<'t>(
    state: &LoopBState<'t>,
    companions: &'t [Companion],
) -> (Vec<Output<'t>>, Vec<Problem>) {
    let (mut outputs, mut unreadable) = (Vec::new(), Vec::new());
    for companion in companions.iter().filter(|companion| companion.kind == CompanionKind::WorkerOutput) {
        match almost_json::read_file(&companion.bytes) {
            Some(reading) if reading.value.is_object() => {
                unreadable.extend(
                    side::fault(&reading, &companion.file).map(|fault| fault.with("file", &companion.file)),
                );
                outputs.push(Output {
                    action: action(&reading.value, &companion.file),
                    source: companion.file.clone(),
                    node: std::borrow::Cow::Owned(reading.value),
                });
            }
            other => unreadable.push(unreadable_output(companion, other.as_ref().map(|read| &read.value))),
        }
    }
    for (key, node) in state.parallel.fields() {
        let is_worker = ACTIONS.contains(&&**key) && !node.is_null();
        if is_worker && !outputs.iter().any(|output| output.action == *key) {
            outputs.push(Output {
                action: key.to_string(),
                source: "parallel_results".to_owned(),
                node: std::borrow::Cow::Borrowed(node),
            });
        }
    }
    let place = |output: &Output<'_>| ACTIONS.iter().position(|action| *action == output.action);
    outputs.sort_by_key(|output| place(output).unwrap_or(ACTIONS.len()));
    (outputs, unreadable)
}

/// Outputs that hold nothing: workers that are only known by their files.
pub(crate) fn empty_outputs<'t>(outputs: &[Output<'_>], companions: &[Companion]) -> Vec<Output<'t>> {
    let files = companions.iter().filter(|companion| companion.kind == CompanionKind::WorkerOutput);
    let unread = files.filter(|file| {
        let named = action(&Node::null(), &file.file);
        outputs.iter().all(|output| output.source != file.file && output.action != named)
    });
    unread
        .map(|file| Output {
            action: action(&Node::null(), &file.file),
            source: file.file.clone(),
            node: std::borrow::Cow::Owned(Node::null()),
        })
        .collect()
}

/// `says`: its content, if it is JSON.
fn unreadable_output(companion: &Companion, says: Option<&Node<'_>>) -> Problem {
    let file = shorten(&companion.file, 200);
    let problem = |code| Problem::new(code, &*file).with("file", &file);
    match says {
        Some(says) => problem(ProblemCode::W10_bad_output).with("found", says.json(None, 80)),
        None if companion.bytes.trim_ascii().is_empty() => problem(ProblemCode::W10_empty_output),
        None => Problem::new(ProblemCode::W10_bad_line, &*file).with("found", &file),
    }
}

/// `action` as written; the file's name if the coordinator found no block and wrote `unknown`.
fn action(node: &Node<'_>, file: &str) -> String {
    let named = file.rsplit(['/', '\\']).next().unwrap_or(file).split('.').next().unwrap_or(file);
    match node.get("action").text() {
        Some(action) if action != "unknown" && !action.is_empty() => shorten(action, 60),
        _ => shorten(named, 60),
    }
}

/// Names of tests: a list of names, or of objects with a name.
fn test_names(node: &Node<'_>) -> Vec<String> {
    let name = |item: &Node<'_>| {
        let named = ["test_name", "name"].into_iter().find_map(|key| item.get(key).text());
        named.map_or_else(|| item.shown(SHORT), |name| Some(shorten(name, SHORT)))
    };
    node.items().iter().take(MOST).filter_map(name).collect()
}
