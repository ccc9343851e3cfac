//! Where the units of a work graph are drawn: in layers along their dependencies, alternatives and the children of a
//! container inside frames (ux.md §4.5). Made here because layout engines of the web take seconds.
//!
//! Pure and linear but for a sort per layer. A graph with cycles, missing ids and contradicting frames is drawn too.

mod clusters;
mod layers;
mod order;
mod place;
#[cfg(test)]
mod tests;

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
    /// Ids that come before it; unknown ones are left out.
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
    /// Containers whose children are not drawn, by id.
    pub collapsed: HashSet<String>,
}

impl Default for Style {
    fn default() -> Self {
        Self { direction: Direction::Down, unit: (208.0, 72.0), collapsed: HashSet::new() }
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
    /// It closes a circle.
    pub against: bool,
    /// Both ends lie on the critical path.
    pub critical: bool,
}

/// The whole drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Drawing {
    /// In the order of the units.
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

/// Draws `units`.
#[must_use]
pub fn draw(units: &[Unit<'_>], style: &Style) -> Drawing {
    let tree = clusters::Tree::new(units, style);
    place::draw(units, &tree, style)
}
