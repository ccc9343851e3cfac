//! The work of a loop as one graph, for a person: which unit waits for which, which contains which, and the
//! progress of each and overall (AoT contract §9; tasks of prep loops by their dependencies).

use crate::problem::{Problem, ProblemCode as Code};
use crate::view::{
    DependencyView, GraphProblem, LoopDetail, MissingUnit, UnitKind, UnitProgress, UnitStanding, WorkTotals,
    WorkUnit, WorkView,
};
use crate::work_units::{PlainUnit, units};
use std::collections::{HashMap, HashSet};

/// The graph; none without atoms or anything that belongs to them, and without tasks that wait for others.
#[must_use]
pub fn work_view(detail: &LoopDetail) -> Option<WorkView> {
    let of_atoms =
        !detail.atoms.is_empty() || !detail.or_groups.is_empty() || !detail.decompositions.is_empty();
    if !of_atoms && detail.tasks.iter().all(|task| task.depends_on.is_empty()) {
        return None;
    }
    let plain = units(detail);
    let places = places(&plain);
    let waits = WaitsFor::new(&plain, &places);
    let view = WorkView {
        of: if detail.atoms.is_empty() { UnitKind::Task } else { UnitKind::Atom },
        units: joined(detail, &plain, &places, &waits),
        totals: totals(&plain),
        problems: problems(detail, &plain, &waits),
        missing: waits.missing.into_iter().map(|(id, by)| missing(id, &by, &plain)).collect(),
    };
    Some(view)
}

fn places<'d>(plain: &[PlainUnit<'d>]) -> HashMap<&'d str, usize> {
    plain.iter().enumerate().map(|(place, unit)| (unit.id, place)).collect()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Which unit waits for which, by index.
struct WaitsFor<'d> {
    needed_by: Vec<Vec<usize>>,
    missing: Vec<(&'d str, Vec<usize>)>,
}

impl<'d> WaitsFor<'d> {
    fn new(plain: &[PlainUnit<'d>], places: &HashMap<&str, usize>) -> Self {
        let mut waits = Self { needed_by: vec![Vec::new(); plain.len()], missing: Vec::new() };
        let mut unknown: HashMap<&str, usize> = HashMap::new();
        for (place, unit) in plain.iter().enumerate() {
            for &id in &unit.after {
                let by = match places.get(id) {
                    Some(&need) => &mut waits.needed_by[need],
                    None => {
                        let at = *unknown.entry(id).or_insert(waits.missing.len());
                        if at == waits.missing.len() {
                            waits.missing.push((id, Vec::new()));
                        }
                        &mut waits.missing[at].1
                    }
                };
                // A dependency that is named twice counts once.
                if by.last() != Some(&place) {
                    by.push(place);
                }
            }
        }
        waits
    }
}

fn missing(id: &str, by: &[usize], plain: &[PlainUnit<'_>]) -> MissingUnit {
    MissingUnit { id: id.to_owned(), needed_by: ids(by, plain) }
}

fn ids(places: &[usize], plain: &[PlainUnit<'_>]) -> Vec<String> {
    places.iter().map(|place| plain[*place].id.to_owned()).collect()
}

fn joined(
    detail: &LoopDetail,
    plain: &[PlainUnit<'_>],
    places: &HashMap<&str, usize>,
    waits: &WaitsFor<'_>,
) -> Vec<WorkUnit> {
    let mut children = vec![Vec::new(); plain.len()];
    for (place, unit) in plain.iter().enumerate() {
        if let Some(parent) = unit.parent {
            children[parent].push(place);
        }
    }
    let mut splits = vec![None; plain.len()];
    for (at, split) in detail.decompositions.iter().enumerate() {
        if let Some(place) = places.get(split.parent.as_str()) {
            splits[*place] = Some(at);
        }
    }
    let mut turns = vec![Vec::new(); plain.len()];
    for entry in &detail.trail {
        if let (Some(turn), Some(place)) = (entry.turn, places.get(entry.selected.as_str())) {
            turns[*place].push(turn);
        }
    }
    let depths = depths(plain);
    let unit = |(place, one): (usize, &PlainUnit<'_>)| WorkUnit {
        at: number(one.at),
        standing: one.standing,
        needs: if detail.atoms.is_empty() { needs(one, detail, plain, places) } else { Vec::new() },
        needed_by: ids(&waits.needed_by[place], plain),
        parent: one.parent.map(|parent| plain[parent].id.to_owned()),
        children: ids(&children[place], plain),
        progress: progress(one.standing, &children[place], splits[place], detail, plain),
        split: splits[place].map(number),
        turns: turns[place].clone(),
        depth: depths[place],
    };
    plain.iter().enumerate().map(unit).collect()
}

/// What a task waits for: a task that does not exist is never done.
fn needs(
    unit: &PlainUnit<'_>,
    detail: &LoopDetail,
    plain: &[PlainUnit<'_>],
    places: &HashMap<&str, usize>,
) -> Vec<DependencyView> {
    let need = |id: &&str| {
        let other = places.get(id).map(|place| &plain[*place]);
        DependencyView {
            id: (*id).to_owned(),
            known: other.is_some(),
            satisfied: other.is_some_and(|other| other.standing == UnitStanding::Done),
            status: other.map(|other| detail.tasks[other.at].status.clone()).unwrap_or_default(),
        }
    };
    unit.after.iter().map(need).collect()
}

/// Counted as in the decomposition, which includes children that do not exist; otherwise by the existing
/// children.
fn progress(
    standing: UnitStanding,
    children: &[usize],
    split: Option<usize>,
    detail: &LoopDetail,
    plain: &[PlainUnit<'_>],
) -> Option<UnitProgress> {
    let (done, total) = match split.map(|split| &detail.decompositions[split]) {
        Some(split) => (split.done, split.total),
        None if children.is_empty() => return None,
        None => {
            let done = children.iter().filter(|child| plain[**child].standing == UnitStanding::Done);
            (number(done.count()), number(children.len()))
        }
    };
    let finished = !children.is_empty() && (standing == UnitStanding::Done || done >= total);
    Some(UnitProgress { done, total, finished })
}

fn depths(plain: &[PlainUnit<'_>]) -> Vec<u32> {
    let mut depths: Vec<Option<u32>> = vec![None; plain.len()];
    for start in 0..plain.len() {
        let mut path = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| depths[*at].is_none()) {
            path.push(at);
            next = plain[at].parent;
        }
        let first = next.and_then(|at| depths[at]).map_or(0, |above| above + 1);
        for (depth, at) in (first..).zip(path.into_iter().rev()) {
            depths[at] = Some(depth);
        }
    }
    depths.into_iter().map(Option::unwrap_or_default).collect()
}

fn totals(plain: &[PlainUnit<'_>]) -> WorkTotals {
    let count = |standing| number(plain.iter().filter(|unit| unit.standing == standing).count());
    let idle = count(UnitStanding::Idle);
    WorkTotals { done: count(UnitStanding::Done), active: number(plain.len()) - idle, idle }
}

/// Problems of the graph itself; missing ids are reported separately.
fn problems(detail: &LoopDetail, plain: &[PlainUnit<'_>], waits: &WaitsFor<'_>) -> Vec<GraphProblem> {
    let about = About::new(plain);
    let missing: HashSet<&str> = waits.missing.iter().map(|(id, _)| *id).collect();
    let is_told = |problem: &&Problem| match problem.code {
        Code::V5_bad_id
        | Code::V7_cycle
        | Code::V10_or_group
        | Code::V11_decomposition
        | Code::V12_child_dependency
        | Code::V16_orphaned_atom => true,
        Code::V9_unknown_dependency => {
            !missing.contains(problem.args.get("found").map_or("", String::as_str))
        }
        _ => false,
    };
    let told = detail.problems.iter().filter(is_told);
    told.map(|problem| GraphProblem { problem: problem.clone(), unit: about.unit_of(problem) }).collect()
}

/// Finds the unit that a problem is about.
struct About<'d> {
    known: HashMap<&'d str, usize>,
    /// First lines of the units, in order.
    lines: Vec<(u32, &'d str)>,
}

impl<'d> About<'d> {
    fn new(plain: &[PlainUnit<'d>]) -> Self {
        let mut lines: Vec<(u32, &str)> =
            plain.iter().filter_map(|unit| Some((unit.line?, unit.id))).collect();
        lines.sort_by_key(|(line, _)| *line);
        lines.dedup_by_key(|(line, _)| *line);
        Self { known: places(plain), lines }
    }

    fn unit_of(&self, problem: &Problem) -> Option<String> {
        let mut args = problem.args.values();
        let named = args.find_map(|text| mentioned(text, |word| self.known.contains_key(word)));
        named.or_else(|| self.at_line(problem.line?)).map(str::to_owned)
    }

    fn at_line(&self, line: u32) -> Option<&'d str> {
        let behind = self.lines.partition_point(|(begin, _)| *begin <= line);
        behind.checked_sub(1).map(|at| self.lines[at].1)
    }
}

/// The first known id in a sentence; a full stop after it belongs to the sentence, unless it is part of the
/// id.
pub(crate) fn mentioned(text: &str, is_known: impl Fn(&str) -> bool) -> Option<&str> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | '-');
    let mut words = text.split(|sign| !is_part(sign)).flat_map(|word| [word, word.trim_end_matches('.')]);
    words.find(|word| is_known(word))
}

#[cfg(test)]
#[path = "work_view_tests.rs"]
mod tests;
