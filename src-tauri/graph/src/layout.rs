//! Where the units of a work graph are drawn: in layers along their dependencies. Alternatives and the
//! children of a container are drawn inside frames. Written here because layout engines for the web take
//! seconds.
//!
//! Pure, and linear except for one sort per layer. Graphs with cycles, missing ids and contradicting frames
//! are drawn too.

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
    /// Predecessors are above.
    #[default]
    Down,
    /// Predecessors are on the left.
    Right,
}

/// One unit to draw.
#[derive(Clone, Debug, Default)]
pub struct UnitToDraw<'a> {
    /// If two units share an id, the first one counts.
    pub id: &'a str,
    /// Ids that come before it; unknown ones are drawn as missing.
    pub after: Vec<&'a str>,
    /// The unit whose frame contains it.
    pub parent: Option<&'a str>,
    /// The group of alternatives whose frame contains it.
    pub group: Option<&'a str>,
    /// Whether it is on the critical path.
    pub critical: bool,
}

/// How to draw.
#[derive(Clone, Debug)]
pub struct Style {
    /// Which way dependencies point.
    pub direction: Direction,
    /// Width and height of a unit, in pixels at zoom 1.
    pub unit: (f64, f64),
    /// The same when more than [`SIBLINGS`] units are next to each other.
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
    /// From the left edge.
    #[specta(type = u32)] // a finite number in TypeScript
    pub x: f64,
    /// From the top edge.
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
    /// Where it is.
    pub place: Place,
    /// It is a container and its children are not drawn.
    pub collapsed: bool,
    /// It has room for one line only, because many units are next to it.
    pub compact: bool,
    /// No unit has this id, but another one waits for it.
    pub missing: bool,
}

/// What a frame represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// A container; its name is the id of the unit.
    Container,
    /// Alternatives; its name is the name of the group.
    OneOf,
}

/// A frame, drawn below the units in it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DrawnFrame {
    /// What it represents.
    pub kind: FrameKind,
    /// Unit id or group name.
    pub name: String,
    /// Where it is; the topmost [`FRAME_HEAD`] pixels are its head.
    pub place: Place,
    /// How many frames are around it.
    pub depth: u32,
}

/// A dependency that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct DrawnEdge {
    /// What comes first.
    pub from: String,
    /// What comes after it.
    pub to: String,
    /// x and y alternating, from one end to the other; at least two points.
    #[specta(type = Vec<u32>)]
    pub points: Vec<f64>,
    /// It is drawn against the direction.
    pub against: bool,
    /// It is part of a cycle in which each unit waits for the next.
    pub circle: bool,
    /// Both ends are on the critical path.
    pub critical: bool,
}

/// The whole drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Drawing {
    /// In the order of the units; missing ones come last.
    pub units: Vec<DrawnUnit>,
    /// Outer ones first.
    pub frames: Vec<DrawnFrame>,
    /// In the order of the dependent units.
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
/// Between the border of a frame and its contents.
const FRAME_PAD: f64 = 12.0;
/// Between neighbours in a layer.
const SIDE_GAP: f64 = 24.0;
/// Between layers.
const LAYER_GAP: f64 = 40.0;

/// With more units than this next to each other, they are drawn compact.
pub const SIBLINGS: usize = 8;
/// At most this many missing units are drawn: a file with more has other problems.
const MAX_MISSING: usize = 500;

/// Draws `units`.
#[must_use]
pub fn draw(units: &[UnitToDraw<'_>], style: &Style) -> Drawing {
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

/// The units, followed by one for each id that does not exist. It is placed where the first unit that waits
/// for it is.
fn with_missing<'a>(units: &[UnitToDraw<'a>]) -> Vec<UnitToDraw<'a>> {
    let mut known: HashSet<&str> = units.iter().map(|unit| unit.id).collect();
    let mut all = units.to_vec();
    // A missing unit contains nothing.
    all.iter_mut().for_each(|unit| unit.parent = unit.parent.filter(|parent| known.contains(parent)));
    let mut missing = Vec::new();
    for unit in &all {
        for id in unit.after.iter().filter(|id| !id.is_empty()) {
            if missing.len() < MAX_MISSING && known.insert(id) {
                missing.push(UnitToDraw { id, parent: unit.parent, ..UnitToDraw::default() });
            }
        }
    }
    all.append(&mut missing);
    all
}
