//! The steps of a run: those of its workflow in their order with what became of them, or only the results.

use crate::boxes::one_line;
use crate::fields::{step_state, unique};
use crate::json::word;
use crate::plan::{Item, ItemState, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::YamlNode;
use std::collections::{HashMap, HashSet};

/// Most instances of a step that is done for each of a list.
const MOST_INSTANCES: usize = 500;
/// How often a loop may run without a number of its own.
const MOST_ITERATIONS: u32 = 10;

/// What a step does, by the kinds of steps.
const WORK: [&str; 7] = ["message", "command", "prompt", "run", "condition", "expression", "items"];

/// What the state says of the steps, and the items that are made of it.
pub(super) struct Run<'r> {
    results: HashMap<&'r str, &'r Node<'r>>,
    /// The latest result of a step in a loop from its second time on, with how often that is.
    later: HashMap<(&'r str, &'r str), (u32, &'r Node<'r>)>,
    /// `None` for one that only says that it runs.
    status: Option<PlanStatus>,
    current: &'r str,
    pub(super) items: Vec<Item>,
    /// The loops: how often each was run to its end, and how often it may.
    pub(super) loops: Vec<(String, u32, u32)>,
}

/// Where a list of steps stands.
#[derive(Clone, Default)]
struct Place<'p> {
    parent: Option<&'p str>,
    branch: Option<&'p str>,
    before: Vec<String>,
    is_loop: bool,
    /// The run took another branch.
    is_left_out: bool,
}

/// The step's own id in that of an iteration or an instance: `review` of `loop:review:2`.
pub(super) fn base(id: &str) -> &str {
    id.rsplit(':').find(|part| part.parse::<u32>().is_err()).unwrap_or(id)
}

/// The parts of the id of an iteration or an instance: the step it is in, its own id, and its number.
fn parts(id: &str) -> Option<(&str, &str, Option<u32>)> {
    let (rest, number) = id.rsplit_once(':')?;
    let (parent, own) = rest.rsplit_once(':')?;
    Some((parent, own, number.parse().ok()))
}

impl<'r> Run<'r> {
    /// The run of a state, with the steps of its workflow where that has any.
    pub(super) fn read(
        state: &'r Node<'r>,
        status: Option<PlanStatus>,
        steps: Option<&YamlNode<'_>>,
    ) -> Self {
        let results = state.get("step_results").fields();
        let mut later = HashMap::new();
        for (id, result) in results {
            let Some((parent, own, Some(number))) = parts(id) else { continue };
            let latest = later.entry((base(parent), own)).or_insert((number, result));
            *latest = if latest.0 <= number { (number, result) } else { *latest };
        }
        let mut run = Self {
            results: results.iter().map(|(id, result)| (id.as_ref(), result)).collect(),
            later,
            status,
            current: state.get("current_step_id").text().unwrap_or_default(),
            items: Vec::new(),
            loops: Vec::new(),
        };
        match steps.map_or(&[][..], YamlNode::items) {
            [] => run.add_results(results.iter().map(|(id, _)| id.as_ref())),
            steps => run.add_steps(steps, &Place::default()),
        }
        run
    }

    /// Older runs have no copy of their workflow: the results, in the order in which they came, and the step that has none yet.
    fn add_results(&mut self, ids: impl Iterator<Item = &'r str>) {
        let current = Some(self.current).filter(|id| !id.is_empty() && !self.results.contains_key(id));
        let mut before = Vec::new();
        for id in ids.chain(current) {
            let parent =
                parts(id).map(|(parent, ..)| parent).filter(|parent| self.results.contains_key(parent));
            let result = self.results.get(id).copied();
            let mut item = Item { parent: parent.map(str::to_owned), ..self.item(id, result, false) };
            if let Some(result) = result {
                item.details = word(result.get("type"));
                item.text = result.get("output").get("message").shown(500).unwrap_or(item.details.clone());
            }
            if parent.is_none() {
                item.depends_on = std::mem::replace(&mut before, vec![id.to_owned()]);
            }
            self.items.push(item);
        }
        let open = self.items.iter().filter(|item| !is_settled(item)).filter_map(|item| item.parent.clone());
        let open: HashSet<String> = open.collect();
        self.items.iter_mut().filter(|item| open.contains(&item.id)).for_each(wait_for_parts);
    }

    /// A step with its state.
    fn item(&self, id: &str, result: Option<&Node<'_>>, is_left_out: bool) -> Item {
        let word = result.map(|result| word(result.get("status"))).unwrap_or_default();
        let is_current = self.current == id || base(self.current) == id;
        let state = match word.as_str() {
            _ if is_current && self.status == Some(PlanStatus::Running) => ItemState::Active,
            "" if is_current && self.status == Some(PlanStatus::Failed) => ItemState::Failed,
            "" if is_left_out || self.status == Some(PlanStatus::Completed) => ItemState::Dropped,
            word => step_state(word),
        };
        Item { id: id.to_owned(), word, state, ..Item::default() }
    }

    /// Steps one after the other, each followed by those in it.
    fn add_steps(&mut self, steps: &[YamlNode<'_>], place: &Place<'_>) {
        let mut before = place.before.clone();
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.is_map()) {
            let id = id_of(step, at);
            let later =
                place.parent.filter(|_| place.is_loop).and_then(|parent| self.later.get(&(parent, &id)));
            let result = later.map(|(_, result)| *result).or_else(|| self.results.get(id.as_str()).copied());
            let place = Place { before: std::mem::replace(&mut before, vec![id.clone()]), ..place.clone() };
            self.add_step(step, &id, result, &place);
        }
    }

    /// A step, and those in it.
    fn add_step(&mut self, step: &YamlNode<'_>, id: &str, result: Option<&Node<'_>>, place: &Place<'_>) {
        let kind = text_of(step, "type").unwrap_or_else(|| "command".to_owned());
        let output = result.map(|result| result.get("output"));
        let told = |key: &str| output.and_then(|output| output.get(key).text()).map(str::to_owned);
        // A gate has the words that the person was asked with.
        let asked = told("message").filter(|_| kind == "gate");
        let text = asked.or_else(|| WORK.iter().find_map(|key| text_of(step, key)));
        let options = list(step, "options").iter().filter_map(YamlNode::text);
        let options = options.map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
        let error = result.and_then(|result| result.get("error").shown(1000)).unwrap_or_default();
        let details = [kind.clone(), options, error].into_iter().filter(|text| !text.is_empty());
        let waits = list(step, "wait_for").iter().filter_map(YamlNode::text).map(ToString::to_string);
        let item = self.item(id, result, place.is_left_out);
        // The run went on without it, as its workflow says.
        let goes_on = text_of(step, "continue_on_error").is_some_and(|flag| flag == "true");
        let index = self.items.len();
        self.items.push(Item {
            text: one_line(&shorten(&text.unwrap_or(kind), 500)),
            details: details.collect::<Vec<_>>().join("\n"),
            depends_on: unique(place.before.iter().cloned().chain(waits).collect()),
            parent: place.parent.map(str::to_owned),
            group: place.branch.map(str::to_owned),
            optional: goes_on && item.state == ItemState::Failed,
            files: told("show_file").into_iter().collect(),
            file: Some("workflow.yml".to_owned()),
            line: step.line,
            ..item
        });
        self.add_inner(step, output, &Place { parent: Some(id), branch: None, ..place.clone() });
        if self.items[index + 1..].iter().any(|item| !is_settled(item)) {
            wait_for_parts(&mut self.items[index]);
        }
    }

    /// The steps in a step, by branches.
    fn add_inner(&mut self, step: &YamlNode<'_>, output: Option<&Node<'_>>, place: &Place<'_>) {
        let is_loop = text_of(step, "type").is_some_and(|kind| matches!(kind.as_str(), "while" | "do-while"));
        let condition = output.and_then(|output| output.get("condition_result").flag());
        let case = output.and_then(|output| output.get("matched_case").text());
        let mut branches = vec![
            (Some("then"), list(step, "then"), condition == Some(false)),
            (Some("else"), list(step, "else"), condition == Some(true)),
        ];
        for entry in step.get("cases").map_or(&[][..], YamlNode::entries) {
            let name = entry.key.text().map(AsRef::as_ref).unwrap_or_default();
            branches.push((Some(name), entry.value.items(), case.is_some_and(|case| case != name)));
        }
        branches.push((
            Some("default"),
            list(step, "default"),
            case.is_some_and(|case| case != "__default__"),
        ));
        branches.push((None, list(step, "steps"), condition == Some(false)));
        for (branch, steps, is_left_out) in branches {
            let is_left_out = is_left_out || place.is_left_out;
            self.add_steps(steps, &Place { branch, is_loop, is_left_out, ..place.clone() });
        }
        if is_loop {
            self.add_loop(step, place.parent.unwrap_or_default());
        }
        if let Some(template) = step.get("step").filter(|template| template.is_map()) {
            self.add_instances(template, output, place);
        }
    }

    fn add_loop(&mut self, step: &YamlNode<'_>, id: &str) {
        let steps = list(step, "steps");
        let last = steps.last().map(|last| id_of(last, steps.len() - 1)).unwrap_or_default();
        let count = match self.later.get(&(id, &last)) {
            Some((number, _)) => number.saturating_add(1),
            None => u32::from(self.results.contains_key(last.as_str())),
        };
        let limit = text_of(step, "max_iterations").and_then(|limit| limit.parse().ok());
        let limit = limit.filter(|limit| *limit > 0).unwrap_or(MOST_ITERATIONS);
        self.loops.push((id.to_owned(), count, limit));
    }

    /// A step that is done for each of a list: itself until the list is known.
    fn add_instances(&mut self, template: &YamlNode<'_>, output: Option<&Node<'_>>, place: &Place<'_>) {
        let values = output.map_or(&[][..], |output| output.get("items").items());
        let own = text_of(template, "id").unwrap_or_else(|| "item".to_owned());
        if values.is_empty() {
            let is_left_out = place.is_left_out || output.is_some();
            return self.add_step(template, &own, None, &Place { is_left_out, ..place.clone() });
        }
        let parent = place.parent.unwrap_or_default();
        let most = output.and_then(|output| output.get("max_concurrency").lenient_number());
        let parallel = most.is_some_and(|most| most > 1.0);
        let mut place = place.clone();
        for (at, value) in values.iter().take(MOST_INSTANCES).enumerate() {
            let (id, index) = (format!("{parent}:{own}:{at}"), self.items.len());
            self.add_step(template, &id, self.results.get(id.as_str()).copied(), &place);
            let item = &mut self.items[index];
            item.text = one_line(&format!("{} {}", item.text, value.shown(200).unwrap_or_default()));
            item.parallel = parallel;
            if !parallel {
                place.before = vec![id];
            }
        }
    }
}

fn is_settled(item: &Item) -> bool {
    item.optional || matches!(item.state, ItemState::Done | ItemState::Dropped)
}

/// A step with open ones in it isn't done: for the engine it is completed before they begin.
fn wait_for_parts(item: &mut Item) {
    if item.state == ItemState::Done {
        item.state = ItemState::Active;
    }
}

fn id_of(step: &YamlNode<'_>, at: usize) -> String {
    text_of(step, "id").unwrap_or_else(|| format!("step-{at}"))
}

/// The text of a key, unless it is empty.
fn text_of(step: &YamlNode<'_>, key: &str) -> Option<String> {
    step.get(key)?.text().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn list<'s, 'y>(step: &'s YamlNode<'y>, key: &str) -> &'s [YamlNode<'y>] {
    step.get(key).map_or(&[][..], YamlNode::items)
}
