//! What can be done now: dependencies of the items of any format, once.

use crate::finding::{Finding, FindingCode};
use crate::plan::{Item, ItemState, Mark, Plan, PlanStatus};
use loopdeck_text::text_edit::TextEdit;
use std::collections::{HashMap, HashSet};

/// Most findings of a kind that are told one by one.
const MOST_TOLD: usize = 20;

/// Indices of the items that could be begun now, in file order: open, not optional, and nothing that they wait for is open. Of items
/// that share an id all have to be done. An item with open parts that count isn't begun itself.
#[must_use]
pub fn ready(plan: &Plan) -> Vec<usize> {
    let open = open_ids(plan);
    let with_open_parts: HashSet<&str> = plan
        .items
        .iter()
        .filter(|item| !is_settled(item) && !item.optional)
        .filter_map(|item| item.parent.as_deref())
        .collect();
    let is_ready = |item: &Item| {
        item.state == ItemState::Open
            && !item.optional
            && item.depends_on.iter().all(|id| open.get(id.as_str()) == Some(&false))
            && !with_open_parts.contains(item.id.as_str())
    };
    plan.items.iter().enumerate().filter(|(_, item)| is_ready(item)).map(|(at, _)| at).collect()
}

/// Whether each id has an item that isn't settled.
fn open_ids(plan: &Plan) -> HashMap<&str, bool> {
    let mut open = HashMap::new();
    for item in &plan.items {
        *open.entry(item.id.as_str()).or_insert(false) |= !is_settled(item);
    }
    open
}

fn is_settled(item: &Item) -> bool {
    matches!(item.state, ItemState::Done | ItemState::Dropped)
}

/// Ids of items that wait for each other in a circle, or for themselves, in file order.
#[must_use]
pub fn waits_in_circle(plan: &Plan) -> Vec<&str> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (at, item) in plan.items.iter().enumerate() {
        first.entry(item.id.as_str()).or_insert(at);
    }
    let after: Vec<Vec<usize>> = plan
        .items
        .iter()
        .map(|item| item.depends_on.iter().filter_map(|id| first.get(id.as_str()).copied()).collect())
        .collect();
    // What can be taken away because it waits for nothing that is left; the rest is circles and what waits for them.
    let strip = |edges: &[Vec<usize>]| -> Vec<bool> {
        let mut count = vec![0_usize; edges.len()];
        let mut back = vec![Vec::new(); edges.len()];
        for (from, to) in
            edges.iter().enumerate().flat_map(|(from, list)| list.iter().map(move |to| (from, *to)))
        {
            count[from] += 1;
            back[to].push(from);
        }
        let mut left = vec![true; edges.len()];
        let mut free: Vec<usize> = (0..edges.len()).filter(|at| count[*at] == 0).collect();
        while let Some(at) = free.pop() {
            left[at] = false;
            for from in &back[at] {
                count[*from] -= 1;
                if count[*from] == 0 {
                    free.push(*from);
                }
            }
        }
        left
    };
    let forward = strip(&after);
    let mut reversed = vec![Vec::new(); after.len()];
    for (from, to) in after.iter().enumerate().flat_map(|(from, list)| list.iter().map(move |to| (from, *to)))
    {
        reversed[to].push(from);
    }
    let backward = strip(&reversed);
    let circles = (0..after.len()).filter(|at| forward[*at] && backward[*at]);
    circles.map(|at| plan.items[at].id.as_str()).collect()
}

/// What is wrong with ids, dependencies and parts, whatever the format: each told with its item. `open` is what the format writes for an
/// open item.
pub(crate) fn findings(plan: &Plan, open: Option<Mark>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut known: HashMap<&str, u32> = HashMap::new();
    for item in &plan.items {
        *known.entry(item.id.as_str()).or_insert(0) += 1;
    }
    let mut told = HashSet::new();
    let repeated =
        plan.items.iter().filter(|item| known[item.id.as_str()] > 1 && told.insert(item.id.as_str()));
    found.extend(
        repeated
            .take(MOST_TOLD)
            .map(|item| Finding::new(FindingCode::RepeatedId).with("item", &item.id).at_line(own_line(item))),
    );
    let waiting = plan.items.iter().filter(|item| !is_settled(item));
    let unknown = waiting.flat_map(|item| {
        let ids = item.depends_on.iter().filter(|id| !known.contains_key(id.as_str()));
        ids.map(move |id| (item, id.as_str()))
    });
    let never = |item: &Item, id: &str| {
        let finding = Finding::new(FindingCode::NeverReady).with("item", &item.id);
        finding.with("found", id).at_line(own_line(item))
    };
    found.extend(unknown.take(MOST_TOLD).map(|(item, id)| never(item, id)));
    let circle: HashSet<&str> = waits_in_circle(plan).into_iter().collect();
    let circled = plan.items.iter().filter(|item| circle.contains(item.id.as_str()) && !is_settled(item));
    found.extend(circled.take(MOST_TOLD).map(|item| never(item, &item.id)));
    let mut parts: HashMap<&str, usize> = HashMap::new();
    for item in plan.items.iter().filter(|item| !is_settled(item) && !item.optional) {
        if let Some(parent) = &item.parent {
            *parts.entry(parent).or_insert(0) += 1;
        }
    }
    let done = plan.items.iter().filter(|item| item.state == ItemState::Done);
    let with_parts = done.filter_map(|item| Some((item, *parts.get(item.id.as_str())?)));
    found.extend(with_parts.take(MOST_TOLD).map(|(item, count)| {
        let mark = item.mark.clone().filter(|_| item.file.is_none());
        let reopened = mark.zip(open).map(|(mark, open)| TextEdit::replace(mark, open));
        let finding = Finding::new(FindingCode::DoneWithOpenParts).with("item", &item.id);
        finding.with("found", count).at_line(own_line(item)).repaired_by(reopened)
    }));
    found
}

/// Words that a format doesn't have, each told once with the first item that has it.
pub(crate) fn words_outside(items: &[Item], is_known: impl Fn(&Item) -> bool) -> Vec<Finding> {
    let mut told = HashSet::new();
    let unknown = items.iter().filter(|item| !is_known(item) && told.insert(item.word.as_str()));
    let tell = |item: &Item| {
        let finding = Finding::new(FindingCode::UnknownWord).with("item", &item.id);
        finding.with("found", &item.word).at_line(own_line(item))
    };
    unknown.take(MOST_TOLD).map(tell).collect()
}

/// Items whose words their format doesn't define.
pub(crate) fn unknown_words(items: &[Item]) -> Vec<Finding> {
    let unknown = items.iter().filter(|item| item.state == ItemState::Unknown).take(MOST_TOLD);
    let told = |item: &Item| {
        let finding = Finding::new(FindingCode::UnknownWord).with("item", &item.id);
        finding.with("found", &item.word).at_line(own_line(item))
    };
    unknown.map(told).collect()
}

/// That there is no work in a plan that can be counted, where there is none.
pub(crate) fn no_items(plan: &Plan) -> Option<Finding> {
    plan.items.is_empty().then(|| Finding::new(FindingCode::NoItems))
}

/// A status that its format doesn't define, on this line.
pub(crate) fn unknown_status(plan: &Plan, line: u32) -> Option<Finding> {
    let finding = || Finding::new(FindingCode::UnknownWord).with("item", "status").with("found", &plan.word);
    (plan.status == Some(PlanStatus::Unknown)).then(|| finding().at_line(line))
}

/// A file that says of an item something else than the others.
pub(crate) fn disagreement(item: &str, found: &str, expected: &str, file: &str) -> Finding {
    let finding = Finding::new(FindingCode::SourcesDisagree).with("item", item).with("found", found);
    finding.with("expected", expected).with("file", file)
}

/// The line of an item in the plan's own file; 0 in another one.
fn own_line(item: &Item) -> u32 {
    if item.file.is_none() { item.line } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(items: &[(&str, ItemState, &[&str])]) -> Plan {
        let item = |(id, state, after): &(&str, ItemState, &[&str])| Item {
            id: (*id).to_owned(),
            state: *state,
            depends_on: after.iter().map(ToString::to_string).collect(),
            ..Item::default()
        };
        Plan { items: items.iter().map(item).collect(), ..Plan::default() }
    }

    #[test]
    fn what_waits_for_nothing_open_is_ready() {
        use ItemState::{Done, Dropped, Open};
        let plan = plan(&[
            ("a", Done, &[]),
            ("b", Open, &["a"]),
            ("c", Open, &["b"]),
            ("d", Open, &["gone"]),
            ("e", Dropped, &[]),
            ("f", Open, &["a", "e"]),
        ]);
        assert_eq!(ready(&plan), [1, 5]);
    }

    #[test]
    fn circles_are_found_and_what_waits_for_them_is_none() {
        use ItemState::Open;
        let plan = plan(&[
            ("a", Open, &["c"]),
            ("b", Open, &["a"]),
            ("c", Open, &["b"]),
            ("d", Open, &["c"]),
            ("e", Open, &["e"]),
            ("f", Open, &[]),
        ]);
        assert_eq!(waits_in_circle(&plan), ["a", "b", "c", "e"]);
        let codes: Vec<_> = findings(&plan, None).iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [FindingCode::NeverReady; 4]);
    }
}
