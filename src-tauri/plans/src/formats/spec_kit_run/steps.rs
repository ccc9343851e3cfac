//! The steps of a run: those of its workflow in their order with what became of them, or only the results.

use crate::boxes::one_line;
use crate::json::word;
use crate::plan::{Fact, FactValue, Item, ItemState, Plan, PlanStatus};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use loopdeck_text::yaml_span::YamlNode;
use std::collections::{HashMap, HashSet};

/// Most instances of a step that is done for each of a list.
const MOST_INSTANCES: usize = 500;
/// How often a loop may run without a number of its own.
const MOST_ITERATIONS: u32 = 10;

/// What the state says of the steps.
pub(super) struct Run<'r> {
    results: HashMap<&'r str, &'r Node<'r>>,
    /// The latest result of a step in a loop from its second time on, with how often that is.
    later: HashMap<(&'r str, &'r str), (u32, &'r Node<'r>)>,
    order: Vec<&'r str>,
    /// `None` for one that only says that it runs.
    status: Option<PlanStatus>,
    current: &'r str,
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
fn parts(id: &str) -> Option<(&str, &str, &str)> {
    let (rest, number) = id.rsplit_once(':')?;
    let (parent, own) = rest.rsplit_once(':')?;
    Some((parent, own, number))
}

impl<'r> Run<'r> {
    pub(super) fn new(state: &'r Node<'r>, status: Option<PlanStatus>) -> Self {
        let fields = state.get("step_results").fields();
        let mut later = HashMap::new();
        for (id, result) in fields {
            let Some((parent, own, Ok(number))) =
                parts(id).map(|(parent, own, number)| (parent, own, number.parse()))
            else {
                continue;
            };
            let latest = later.entry((base(parent), own)).or_insert((number, result));
            *latest = if latest.0 <= number { (number, result) } else { *latest };
        }
        Self {
            results: fields.iter().map(|(id, result)| (id.as_ref(), result)).collect(),
            later,
            order: fields.iter().map(|(id, _)| id.as_ref()).collect(),
            status,
            current: state.get("current_step_id").text().unwrap_or_default(),
        }
    }

    pub(super) fn read(&self, steps: Option<&YamlNode<'_>>, plan: &mut Plan) {
        match steps.filter(|steps| !steps.items().is_empty()) {
            Some(steps) => self.walk(steps.items(), &Place::default(), plan),
            None => self.without_workflow(plan),
        }
        let gates = plan.items.iter().filter(|item| item.state == ItemState::Blocked);
        if self.status == Some(PlanStatus::Paused) {
            plan.needs = gates.map(|item| item.text.clone()).filter(|text| !text.is_empty()).collect();
        }
    }

    /// Older runs have no copy of their workflow: the results, in the order in which they came, and the step that has none yet.
    fn without_workflow(&self, plan: &mut Plan) {
        let current = Some(self.current).filter(|id| !id.is_empty() && !self.results.contains_key(id));
        let mut before = Vec::new();
        for id in self.order.iter().copied().chain(current) {
            let parent =
                parts(id).map(|(parent, ..)| parent).filter(|parent| self.results.contains_key(parent));
            let mut item = self.item(id, self.results.get(id).copied(), false);
            if let Some(result) = self.results.get(id) {
                item.details = word(result.get("type"));
                item.text =
                    result.get("output").get("message").shown(500).unwrap_or_else(|| item.details.clone());
            }
            if parent.is_none() {
                item.depends_on = std::mem::replace(&mut before, vec![id.to_owned()]);
            }
            plan.items.push(Item { parent: parent.map(str::to_owned), ..item });
        }
        let open = plan.items.iter().filter(|item| !is_settled(item)).filter_map(|item| item.parent.clone());
        let open: HashSet<String> = open.collect();
        plan.items.iter_mut().filter(|item| open.contains(&item.id)).for_each(wait_for_parts);
    }

    /// A step with its state.
    fn item(&self, id: &str, result: Option<&Node<'_>>, is_left_out: bool) -> Item {
        let word = result.map(|result| word(result.get("status"))).unwrap_or_default();
        let is_current = self.current == id || base(self.current) == id;
        let state = match word.as_str() {
            _ if is_current && self.status == Some(PlanStatus::Running) => ItemState::Active,
            "" if is_current && self.status == Some(PlanStatus::Failed) => ItemState::Failed,
            "" if is_left_out || self.status == Some(PlanStatus::Completed) => ItemState::Dropped,
            "" | "pending" => ItemState::Open,
            "running" => ItemState::Active,
            "completed" => ItemState::Done,
            "failed" => ItemState::Failed,
            "skipped" => ItemState::Dropped,
            "paused" => ItemState::Blocked,
            _ => ItemState::Unknown,
        };
        Item { id: id.to_owned(), word, state, ..Item::default() }
    }

    /// Steps one after the other, each followed by those in it.
    fn walk(&self, steps: &[YamlNode<'_>], place: &Place<'_>, plan: &mut Plan) {
        let mut before = place.before.clone();
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.is_map()) {
            let id = text_of(step, "id").unwrap_or_else(|| format!("step-{at}"));
            let loops = place.parent.filter(|_| place.is_loop);
            let later =
                loops.and_then(|parent| self.later.get(&(parent, id.as_str()))).map(|(_, result)| *result);
            let result = later.or_else(|| self.results.get(id.as_str()).copied());
            let item = self.item(&id, result, place.is_left_out);
            let place = Place { before: std::mem::replace(&mut before, vec![id]), ..place.clone() };
            self.step(step, result, item, &place, plan);
        }
    }

    fn step(
        &self,
        step: &YamlNode<'_>,
        result: Option<&Node<'_>>,
        item: Item,
        place: &Place<'_>,
        plan: &mut Plan,
    ) {
        let kind = text_of(step, "type").unwrap_or_else(|| "command".to_owned());
        let output = result.map(|result| result.get("output"));
        let mut item = described(step, &kind, output, item);
        item.parent = place.parent.map(str::to_owned);
        item.group = place.branch.map(str::to_owned);
        item.depends_on.clone_from(&place.before);
        let waits = step.get("wait_for").map_or(&[][..], YamlNode::items).iter().filter_map(YamlNode::text);
        item.depends_on.extend(
            waits
                .filter(|id| !place.before.iter().any(|before| before == id.as_ref()))
                .map(ToString::to_string),
        );
        let error =
            result.and_then(|result| result.get("error").shown(1000)).filter(|error| !error.is_empty());
        item.details.extend(error.map(|error| format!("\n{error}")));
        // The run went on without it, as its workflow says.
        let goes_on = text_of(step, "continue_on_error").is_some_and(|flag| flag == "true");
        item.optional = goes_on && item.state == ItemState::Failed;
        let (index, id) = (plan.items.len(), item.id.clone());
        plan.items.push(item);
        self.inside(step, &kind, output, &Place { parent: Some(&id), branch: None, ..place.clone() }, plan);
        if plan.items[index + 1..].iter().any(|item| !is_settled(item)) {
            wait_for_parts(&mut plan.items[index]);
        }
    }

    /// The steps in a step, by branches.
    fn inside(
        &self,
        step: &YamlNode<'_>,
        kind: &str,
        output: Option<&Node<'_>>,
        place: &Place<'_>,
        plan: &mut Plan,
    ) {
        let is_loop = matches!(kind, "while" | "do-while");
        let condition = output.and_then(|output| output.get("condition_result").flag());
        let case = output.and_then(|output| output.get("matched_case").text());
        let list = |key: &str| step.get(key).map_or(&[][..], YamlNode::items);
        let mut branch = |steps: &[YamlNode<'_>], name: Option<&str>, is_left_out: bool| {
            let is_left_out = is_left_out || place.is_left_out;
            self.walk(steps, &Place { branch: name, is_loop, is_left_out, ..place.clone() }, plan);
        };
        branch(list("then"), Some("then"), condition == Some(false));
        branch(list("else"), Some("else"), condition == Some(true));
        for entry in step.get("cases").map_or(&[][..], YamlNode::entries) {
            let name = entry.key.text().map(AsRef::as_ref).unwrap_or_default();
            branch(entry.value.items(), Some(name), case.is_some_and(|case| case != name));
        }
        branch(list("default"), Some("default"), case.is_some_and(|case| case != "__default__"));
        branch(list("steps"), None, condition == Some(false));
        if is_loop {
            self.iterations(list("steps"), place.parent.unwrap_or_default(), step, plan);
        }
        if let Some(template) = step.get("step").filter(|template| template.is_map()) {
            self.instances(template, output, place, plan);
        }
    }

    /// How often a loop was run to its end, and how often it may.
    fn iterations(&self, steps: &[YamlNode<'_>], id: &str, step: &YamlNode<'_>, plan: &mut Plan) {
        let last = steps
            .last()
            .map(|last| text_of(last, "id").unwrap_or_else(|| format!("step-{}", steps.len() - 1)));
        let count = last.map_or(0, |last| match self.later.get(&(id, last.as_str())) {
            Some((number, _)) => number.saturating_add(1),
            None => u32::from(self.results.contains_key(last.as_str())),
        });
        let limit =
            text_of(step, "max_iterations").and_then(|limit| limit.parse().ok()).filter(|limit| *limit > 0);
        let limit = limit.unwrap_or(MOST_ITERATIONS);
        let told = format!("{id}: {count} / {limit}");
        let list = plan.facts.iter_mut().find(|fact| fact.name == "iterations").map(|fact| &mut fact.value);
        if let Some(FactValue::List(list)) = list {
            list.push(told);
            // Several loops have no common count.
            (plan.iteration, plan.limit) = (None, None);
        } else {
            plan.facts.push(Fact { name: "iterations", value: FactValue::List(vec![told]) });
            (plan.iteration, plan.limit) = (Some(count), Some(limit));
        }
    }

    /// A step that is done for each of a list: itself until the list is known.
    fn instances(
        &self,
        template: &YamlNode<'_>,
        output: Option<&Node<'_>>,
        place: &Place<'_>,
        plan: &mut Plan,
    ) {
        let values = output.map_or(&[][..], |output| output.get("items").items());
        let own = text_of(template, "id").unwrap_or_else(|| "item".to_owned());
        if values.is_empty() {
            let is_left_out = place.is_left_out || output.is_some();
            let item = self.item(&own, None, is_left_out);
            return self.step(template, None, item, &Place { is_left_out, ..place.clone() }, plan);
        }
        let parent = place.parent.unwrap_or_default();
        let is_parallel = output
            .and_then(|output| output.get("max_concurrency").lenient_number())
            .is_some_and(|most| most > 1.0);
        let kind = text_of(template, "type").unwrap_or_else(|| "command".to_owned());
        let mut before = place.before.clone();
        for (at, value) in values.iter().take(MOST_INSTANCES).enumerate() {
            let id = format!("{parent}:{own}:{at}");
            let result = self.results.get(id.as_str()).copied();
            let mut item = described(
                template,
                &kind,
                result.map(|result| result.get("output")),
                self.item(&id, result, false),
            );
            item.text = one_line(&[&item.text, " ", &value.shown(200).unwrap_or_default()].concat());
            (item.parent, item.parallel) = (Some(parent.to_owned()), is_parallel);
            item.depends_on.clone_from(&before);
            if !is_parallel {
                before = vec![id];
            }
            plan.items.push(item);
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

/// What a step does, in the words of its workflow; of a gate in those that the person was asked with.
fn described(step: &YamlNode<'_>, kind: &str, output: Option<&Node<'_>>, mut item: Item) -> Item {
    let keys = ["message", "command", "prompt", "run", "condition", "expression", "items"];
    let asked =
        output.and_then(|output| output.get("message").text()).filter(|_| kind == "gate").map(str::to_owned);
    let text = asked.or_else(|| keys.iter().find_map(|key| text_of(step, key)));
    let options = step.get("options").map_or(&[][..], YamlNode::items).iter().filter_map(YamlNode::text);
    let options: Vec<&str> = options.map(AsRef::as_ref).collect();
    item.text = one_line(&shorten(&text.unwrap_or_else(|| kind.to_owned()), 500));
    item.details = [kind, if options.is_empty() { "" } else { "\n" }, &options.join(", ")].concat();
    item.files =
        output.and_then(|output| output.get("show_file").text()).map(str::to_owned).into_iter().collect();
    (item.file, item.line) = (Some("workflow.yml".to_owned()), step.line);
    item
}

/// The text of a key, unless it is empty.
fn text_of(step: &YamlNode<'_>, key: &str) -> Option<String> {
    step.get(key)?.text().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
