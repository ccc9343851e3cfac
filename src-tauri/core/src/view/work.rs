//! What a person sees of the work of a loop as one graph: how its atoms or tasks hang together. Texts stay where they are:
//! a unit names its place in `atoms` or `tasks`.

use super::{AtomView, DependencyView};
use crate::problem::Problem;
use serde::Serialize;
use specta::Type;

/// The work of a loop as one graph.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkView {
    /// What its units are.
    pub of: UnitKind,
    /// In file order; of several with one id the first. The drawing has the same units in the same order.
    pub units: Vec<WorkUnit>,
    /// Ids that do not exist, in the order in which something waits for them.
    pub missing: Vec<MissingUnit>,
    /// How far the whole is.
    pub totals: WorkTotals,
    /// What is wrong with the graph: ids, circles, dependencies, alternatives, containers. Ids that are `missing` are left
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

/// Where a unit stands in the course of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// To be done, and not now.
    Open,
    /// Being done, or could start now.
    Now,
    /// Done.
    Done,
    /// An alternative that is not followed: it counts for nothing.
    Idle,
}

/// How an atom or a task hangs together with the others. Every id in it is one of the graph's but for `needs`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkUnit {
    /// Its place in `atoms` or `tasks`, from 0.
    pub at: u32,
    /// Where it stands.
    pub standing: Standing,
    /// What a task waits for; an atom says so itself.
    pub needs: Vec<DependencyView>,
    /// Ids of those that wait for it.
    pub needed_by: Vec<String>,
    /// The unit that it is part of. Whoever would close a circle of parents has none.
    pub parent: Option<String>,
    /// Units that are part of it, in file order.
    pub children: Vec<String>,
    /// How far its children are; nothing for what has none.
    pub progress: Option<UnitProgress>,
    /// Place in `decompositions` of the one that took it apart, from 0.
    pub split: Option<u32>,
    /// Numbers of the choices of the trail that chose it.
    pub turns: Vec<u32>,
    /// In how many units it lies.
    pub depth: u32,
}

/// How far the children of a unit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct UnitProgress {
    /// Children that have done their work.
    pub done: u32,
    /// All children, those that do not exist too.
    pub total: u32,
    /// Nothing is left to be done in it: it is done itself, or all of its children are.
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

/// How far a graph is. What is idle is to be counted nowhere else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct WorkTotals {
    /// Done.
    pub done: u32,
    /// All but the idle ones.
    pub active: u32,
    /// Alternatives that are not followed.
    pub idle: u32,
}

/// A problem of the graph.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct GraphProblem {
    /// The problem.
    pub problem: Problem,
    /// The unit that it is about: one that it names, or the one that its line is in.
    pub unit: Option<String>,
}

/// What changed in a large graph since the page that shows it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct WorkChange {
    /// Up to where the changes go.
    pub revision: u32,
    /// Units that say something else, in file order.
    pub units: Vec<ChangedUnit>,
    /// How far the whole is now.
    pub totals: WorkTotals,
    /// What the next round starts.
    pub batch: Vec<String>,
}

/// A unit of a graph as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct ChangedUnit {
    /// Its place among the units.
    pub place: u32,
    /// The unit.
    pub unit: WorkUnit,
    /// Its atom.
    pub atom: AtomView,
}
