//! What a person sees of a plan.

use super::{PlanRules, count};
use crate::problem::{Problem, ProblemCode};
use crate::step::{RepairCode, RepairOffer};
use crate::times::TimeView;
use crate::view::{
    DebugView, EventKind, EventView, Fact, FactValue, HypothesisVerdict, HypothesisView, LoopDetail,
    TaskState, TaskView,
};
use loopdeck_plans::{self as plans, FindingCode, Item, ItemState, Layout, Plan, Verdict};
use loopdeck_text::shorten;
use std::collections::{BTreeMap, HashSet};

/// Most items that are shown.
const MOST_ITEMS: usize = 5_000;
/// Most events.
const MOST_EVENTS: usize = 5_000;
/// Characters of a text.
const LONGEST_TEXT: usize = 2_000;
/// Characters of the prompt.
const LONGEST_PROMPT: usize = 20_000;

/// The page of a plan, but for its controls.
pub(crate) fn detail(rules: PlanRules, plan: &Plan) -> LoopDetail {
    let ready: HashSet<usize> = rules.0.format().next(plan).into_iter().collect();
    let settable: Vec<TaskState> = STATES
        .into_iter()
        .filter(|(state, _)| rules.0.format().mark(*state).is_some())
        .map(|(_, state)| state)
        .collect();
    let editable = rules.0.format().layout() != Layout::Fixed;
    let task = |(at, item): (usize, &Item)| task(item, ready.contains(&at), (&settable, editable));
    let newest = plan.events.len().saturating_sub(MOST_EVENTS);
    LoopDetail {
        facts: facts(plan),
        tasks: plan.items.iter().take(MOST_ITEMS).enumerate().map(task).collect(),
        debug: debug(plan),
        prompt: plan.prompt.as_deref().map(|prompt| shorten(prompt, LONGEST_PROMPT)),
        asks: plan.needs.iter().map(|need| shorten(need, LONGEST_TEXT)).collect(),
        events: plan.events[newest..].iter().map(event).collect(),
        events_total: count(plan.events.len()),
        problems: problems(plan),
        ..LoopDetail::default()
    }
}

const STATES: [(ItemState, TaskState); 6] = [
    (ItemState::Open, TaskState::Pending),
    (ItemState::Active, TaskState::InProgress),
    (ItemState::Done, TaskState::Completed),
    (ItemState::Blocked, TaskState::Blocked),
    (ItemState::Failed, TaskState::Failed),
    (ItemState::Dropped, TaskState::Dropped),
];

fn state_of(state: ItemState) -> TaskState {
    STATES.iter().find(|(known, _)| *known == state).map_or(TaskState::Other, |(_, state)| *state)
}

/// The state of an item that a task's state stands for; `None` for one that is never written.
pub(super) fn item_state(state: TaskState) -> Option<ItemState> {
    STATES.iter().find(|(_, known)| *known == state).map(|(state, _)| *state)
}

/// The text of an item as it is shown, by which a change names it.
pub(super) fn shown_text(item: &Item) -> String {
    shorten(&item.text, LONGEST_TEXT)
}

fn task(item: &Item, ready: bool, (settable, editable): (&[TaskState], bool)) -> TaskView {
    let can_be_set = item.mark.is_some();
    TaskView {
        id: shorten(&item.id, 200),
        description: shown_text(item),
        // A box has no word; what is in it says less than the state.
        status: if item.word.trim().len() > 1 { shorten(&item.word, 40) } else { String::new() },
        state: state_of(item.state),
        priority: item.priority.as_deref().map(|word| shorten(word, 40)),
        files_planned: item.files.iter().take(50).map(|file| shorten(file, 300)).collect(),
        depends_on: item.depends_on.iter().take(200).map(|id| shorten(id, 200)).collect(),
        done_when: item.done_when.iter().take(100).map(|text| shorten(text, LONGEST_TEXT)).collect(),
        group: item.group.as_deref().map(|group| shorten(group, 200)),
        parent: item.parent.as_deref().map(|id| shorten(id, 200)),
        details: shorten(&item.details, LONGEST_TEXT),
        ready,
        parallel: item.parallel,
        optional: item.optional,
        line: Some(item.line).filter(|line| *line > 0),
        file: item.file.clone(),
        settable: if can_be_set { settable.to_vec() } else { Vec::new() },
        editable: can_be_set && editable,
        ..TaskView::default()
    }
}

fn facts(plan: &Plan) -> Vec<Fact> {
    let fact = |name: &str, value| Fact { name: name.to_owned(), value };
    let word = Some(&plan.word).filter(|word| !word.is_empty());
    let goal = plan.goal.iter().map(|goal| fact("goal", FactValue::Text(shorten(goal, LONGEST_TEXT))));
    let status = word.map(|word| fact("status", FactValue::Code(shorten(word, 40))));
    let number =
        |name: &str, value: Option<u32>| value.map(|value| fact(name, FactValue::Number(value.into())));
    let numbers = [number(LoopDetail::ITERATION, plan.iteration), number("max_iterations", plan.limit)]
        .into_iter()
        .flatten();
    let process = number("process", plan.process);
    let others = plan.facts.iter().map(|other| fact(other.name, value(&other.value)));
    goal.chain(status).chain(numbers).chain(process).chain(others).collect()
}

fn value(value: &plans::FactValue) -> FactValue {
    match value {
        plans::FactValue::Text(text) => FactValue::Text(shorten(text, LONGEST_TEXT)),
        plans::FactValue::Code(text) => FactValue::Code(shorten(text, 300)),
        plans::FactValue::Number(number) => FactValue::Number(*number),
        plans::FactValue::Time(text) => FactValue::Time(TimeView::read(text, false)),
        plans::FactValue::List(texts) => {
            FactValue::List(texts.iter().take(100).map(|text| shorten(text, LONGEST_TEXT)).collect())
        }
    }
}

/// The board of a plan that looks for a fault.
fn debug(plan: &Plan) -> Option<DebugView> {
    let view = |hypothesis: &plans::Hypothesis| HypothesisView {
        id: shorten(&hypothesis.id, 200),
        description: shorten(&hypothesis.text, LONGEST_TEXT),
        testable_condition: shorten(&hypothesis.test, LONGEST_TEXT),
        verdict: match hypothesis.verdict {
            Verdict::Pending => HypothesisVerdict::Pending,
            Verdict::Confirmed => HypothesisVerdict::Confirmed,
            Verdict::Rejected => HypothesisVerdict::Rejected,
        },
        evidence_count: count(hypothesis.evidence.len()),
        evidence: (!hypothesis.evidence.is_empty())
            .then(|| shorten(&hypothesis.evidence.join("\n"), LONGEST_PROMPT)),
        ..HypothesisView::default()
    };
    let confirmed = plan.hypotheses.iter().find(|hypothesis| hypothesis.verdict == Verdict::Confirmed);
    (!plan.hypotheses.is_empty()).then(|| DebugView {
        active_bug: plan.title.as_deref().map(|title| shorten(title, 200)),
        confirmed: confirmed.map(|hypothesis| hypothesis.id.clone()),
        hypotheses: plan.hypotheses.iter().take(200).map(view).collect(),
        ..DebugView::default()
    })
}

fn event(event: &plans::Event) -> EventView {
    EventView {
        time: (!event.time.is_empty()).then(|| TimeView::read(&event.time, false)),
        kind: EventKind::PlanLog,
        subject: event.item.as_deref().map(|id| shorten(id, 200)),
        text: shorten(&event.text, 1_000),
        ..EventView::default()
    }
}

fn problems(plan: &Plan) -> Vec<Problem> {
    let problem = |finding: &plans::Finding| {
        let problem = Problem::new(code(finding.code), "").at_line(finding.line);
        finding.args.iter().fold(problem, |problem, (name, value)| problem.with(name, value))
    };
    let mut problems: Vec<Problem> = plan.findings.iter().map(problem).collect();
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    problems
}

fn code(code: FindingCode) -> ProblemCode {
    match code {
        FindingCode::CounterStuck => ProblemCode::P1_counter_stuck,
        FindingCode::NoLimit => ProblemCode::P2_no_limit,
        FindingCode::PromiseNotAsked => ProblemCode::P3_promise_not_asked,
        FindingCode::AnySession => ProblemCode::P4_any_session,
        FindingCode::OptionsAsPrompt => ProblemCode::P5_options_as_prompt,
        FindingCode::NeverReady => ProblemCode::P6_never_ready,
        FindingCode::RepeatedId => ProblemCode::P7_repeated_id,
        FindingCode::DoneWithOpenParts => ProblemCode::P8_done_with_open_parts,
        FindingCode::StaleRunning => ProblemCode::P9_stale_running,
        FindingCode::SourcesDisagree => ProblemCode::P12_sources_disagree,
        FindingCode::UnknownWord => ProblemCode::P13_unknown_word,
        FindingCode::FileMissing => ProblemCode::P14_file_missing,
        FindingCode::ExportOnly => ProblemCode::P15_export_only,
        FindingCode::NoItems => ProblemCode::P16_no_items,
        FindingCode::FileConflict => ProblemCode::P17_file_conflict,
        FindingCode::Corrected => ProblemCode::P18_corrected,
        FindingCode::CanFire => ProblemCode::P19_can_fire,
    }
}

/// The repair that a finding can be offered.
pub(super) fn repair_code(code: FindingCode) -> Option<RepairCode> {
    Some(match code {
        FindingCode::CounterStuck => RepairCode::PlanCounter,
        FindingCode::NoLimit => RepairCode::PlanLimit,
        FindingCode::PromiseNotAsked => RepairCode::PlanPromise,
        FindingCode::DoneWithOpenParts => RepairCode::PlanReopen,
        FindingCode::Corrected => RepairCode::PlanJson,
        _ => return None,
    })
}

/// What can be repaired with one click, each once.
pub(super) fn repairs(plan: &Plan) -> Vec<RepairOffer> {
    let found = plan.findings.iter().filter(|finding| !finding.repair.is_empty());
    let mut offers: Vec<RepairOffer> = found
        .filter_map(|finding| {
            let (repair, ends) = (repair_code(finding.code)?, vec![code(finding.code)]);
            Some(RepairOffer { code: repair, ends, args: BTreeMap::new(), refusal: None })
        })
        .collect();
    offers.sort_by_key(|offer| offer.code);
    offers.dedup_by_key(|offer| offer.code);
    offers
}
