//! The work of a loop as one graph: how its atoms or tasks are connected. Texts are not repeated: a unit has
//! its index in `atoms` or `tasks`.

use super::{AtomView, DependencyView};
use crate::problem::Problem;
use serde::Serialize;
use specta::Type;

/// The work of a loop as one graph.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkView {
    /// What its units are.
    pub of: UnitKind,
    /// In file order; if several share an id, only the first. The drawing has the same units in the same
    /// order.
    pub units: Vec<WorkUnit>,
    /// Ids that do not exist, in the order in which something waits for them.
    pub missing: Vec<MissingUnit>,
    /// The overall progress.
    pub totals: WorkTotals,
    /// Problems of the graph: ids, cycles, dependencies, alternatives, containers. Ids in `missing` are left
    /// out.
    pub problems: Vec<GraphProblem>,
}

/// What the units of a graph are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// AoT atoms.
    Atom,
    /// Tasks of a loop without atoms.
    Task,
}

/// The state of a unit in the course of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UnitStanding {
    /// To be done later.
    Open,
    /// Being done, or could start now.
    Now,
    /// Done.
    Done,
    /// An alternative that is not pursued, so it does not count.
    Idle,
}

/// How an atom or a task is connected with the others. Every id in it belongs to the graph, except in
/// `needs`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkUnit {
    /// Its index in `atoms` or `tasks`, from 0.
    pub at: u32,
    /// Its state.
    pub standing: UnitStanding,
    /// What a task waits for; an atom has its own list.
    pub needs: Vec<DependencyView>,
    /// Ids of those that wait for it.
    pub needed_by: Vec<String>,
    /// The unit that contains it. One that would close a cycle of parents has none.
    pub parent: Option<String>,
    /// Units that it contains, in file order.
    pub children: Vec<String>,
    /// The progress of its children; none without children.
    pub progress: Option<UnitProgress>,
    /// Index in `decompositions` of the one that split it, from 0.
    pub split: Option<u32>,
    /// Numbers of the choices of the trail that chose it.
    pub turns: Vec<u32>,
    /// How many units contain it.
    pub depth: u32,
}

/// The progress of a unit's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct UnitProgress {
    /// Children that have done their work.
    pub done: u32,
    /// All children, including those that do not exist.
    pub total: u32,
    /// Nothing is left to do in it: it is done itself, or all of its children are.
    pub finished: bool,
}

/// An id that does not exist.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct MissingUnit {
    /// The id.
    pub id: String,
    /// Ids of those that wait for it.
    pub needed_by: Vec<String>,
}

/// The progress of a graph. Idle units count only as idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct WorkTotals {
    /// Done.
    pub done: u32,
    /// All but the idle ones.
    pub active: u32,
    /// Alternatives that are not pursued.
    pub idle: u32,
}

/// A problem of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct GraphProblem {
    /// The problem.
    pub problem: Problem,
    /// The unit it is about: one that it names, or the one that contains its line.
    pub unit: Option<String>,
}

/// The changes in a large graph since its page was read.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkChange {
    /// The revision up to which changes are included.
    pub revision: u32,
    /// Changed units, in file order.
    pub units: Vec<ChangedUnit>,
    /// The current overall progress.
    pub totals: WorkTotals,
    /// What the next round starts.
    pub batch: Vec<String>,
}

/// A unit of a graph in its current state.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ChangedUnit {
    /// Its index among the units.
    pub place: u32,
    /// The unit.
    pub unit: WorkUnit,
    /// Its atom.
    pub atom: AtomView,
}
