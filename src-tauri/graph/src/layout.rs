//! Where the units of a work graph are drawn: in layers along their dependencies, alternatives and the children of a
//! container inside frames. Made here because layout engines of the web take seconds.
//!
//! Pure and linear but for a sort per layer. A graph with cycles, missing ids and contradicting frames is drawn too.

mod circles;
mod clusters;
mod inside;
mod layers;
mod order;
mod place;
#[cfg(test)]
mod tests;
mod ways;

use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::HashSet;

/// Which way dependencies point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// What comes first is above.
    #[default]
    Down,
    /// What comes first is at the left.
    Right,
}

/// One unit to draw.
#[derive(Clone, Debug, Default)]
pub struct Unit<'a> {
    /// The first unit of an id counts.
    pub id: &'a str,
    /// Ids that come before it; unknown ones are drawn as what is missing.
    pub after: Vec<&'a str>,
    /// The unit whose frame it lies in.
    pub parent: Option<&'a str>,
    /// The group of alternatives whose frame it lies in.
    pub group: Option<&'a str>,
    /// It lies on the critical path.
    pub critical: bool,
}

/// How to draw.
#[derive(Clone, Debug)]
pub struct Style {
    /// Which way.
    pub direction: Direction,
    /// Width and height of a unit, in pixels at zoom 1.
    pub unit: (f64, f64),
    /// The same where more than [`SIBLINGS`] units lie beside each other.
    pub compact: (f64, f64),
    /// Containers whose children are not drawn, by id.
    pub collapsed: HashSet<String>,
}

impl Default for Style {
    fn default() -> Self {
        let (unit, compact) = ((208.0, 72.0), (184.0, 36.0));
        Self { direction: Direction::Down, unit, compact, collapsed: HashSet::new() }
    }
}

/// A place in pixels at zoom 1; the upper left corner of everything is 0, 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Type)]
pub struct Place {
    /// From the left.
    #[specta(type = u32)] // a finite number in TypeScript
    pub x: f64,
    /// From the top.
    #[specta(type = u32)]
    pub y: f64,
    /// Width.
    #[specta(type = u32)]
    pub w: f64,
    /// Height.
    #[specta(type = u32)]
    pub h: f64,
}

impl Place {
    fn centre(&self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }
}

/// A unit that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DrawnUnit {
    /// Its id.
    pub id: String,
    /// Where.
    pub place: Place,
    /// It is a container whose children are not drawn.
    pub collapsed: bool,
    /// It has room for one line only: many lie beside it.
    pub compact: bool,
    /// There is no such unit, but another one waits for it.
    pub missing: bool,
}

/// What a frame stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// A container; its name is the id of the unit.
    Container,
    /// Alternatives; its name is the name of the group.
    OneOf,
}

/// A frame that is drawn, below the units in it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DrawnFrame {
    /// What it stands for.
    pub kind: FrameKind,
    /// Unit id or group name.
    pub name: String,
    /// Where; the topmost [`FRAME_HEAD`] pixels are its head.
    pub place: Place,
    /// How many frames it lies in.
    pub depth: u32,
}

/// A dependency that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DrawnEdge {
    /// What comes first.
    pub from: String,
    /// What comes after it.
    pub to: String,
    /// x and y in turn, from one to the other; at least two points.
    #[specta(type = Vec<u32>)]
    pub points: Vec<f64>,
    /// It is drawn against the direction.
    pub against: bool,
    /// It is part of a circle in which each waits for the next.
    pub circle: bool,
    /// Both ends lie on the critical path.
    pub critical: bool,
}

/// The whole drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Drawing {
    /// In the order of the units; what is missing comes last.
    pub units: Vec<DrawnUnit>,
    /// Outer ones first.
    pub frames: Vec<DrawnFrame>,
    /// In the order of the units that come after.
    pub edges: Vec<DrawnEdge>,
    /// Width of everything.
    #[specta(type = u32)]
    pub width: f64,
    /// Height of everything.
    #[specta(type = u32)]
    pub height: f64,
}

/// Height of a frame's head.
pub const FRAME_HEAD: f64 = 28.0;
/// Between the border of a frame and what is in it.
const FRAME_PAD: f64 = 12.0;
/// Between neighbours in a layer.
const SIDE_GAP: f64 = 24.0;
/// Between layers.
const LAYER_GAP: f64 = 40.0;

/// More units beside each other than this are drawn compact.
pub const SIBLINGS: usize = 8;
/// More missing units than this are not drawn: such a file has other troubles.
const MAX_MISSING: usize = 500;

/// Draws `units`.
#[must_use]
pub fn draw(units: &[Unit<'_>], style: &Style) -> Drawing {
    let all = with_missing(units);
    let tree = clusters::Tree::new(&all, style);
    let mut drawing = place::draw(&all, &tree, style);
    circles::mark(units, &mut drawing.edges);
    let known: HashSet<&str> = units.iter().map(|unit| unit.id).collect();
    for unit in &mut drawing.units {
        unit.missing = !known.contains(unit.id.as_str());
    }
    drawing
}

/// The units, and behind them one for each id that does not exist: it lies where the first one that waits for it does.
fn with_missing<'a>(units: &[Unit<'a>]) -> Vec<Unit<'a>> {
    let mut known: HashSet<&str> = units.iter().map(|unit| unit.id).collect();
    let mut all = units.to_vec();
    // What is missing contains nothing.
    all.iter_mut().for_each(|unit| unit.parent = unit.parent.filter(|parent| known.contains(parent)));
    let mut missing = Vec::new();
    for unit in &all {
        for id in unit.after.iter().filter(|id| !id.is_empty()) {
            if missing.len() < MAX_MISSING && known.insert(id) {
                missing.push(Unit { id, parent: unit.parent, ..Unit::default() });
            }
        }
    }
    all.append(&mut missing);
    all
}
