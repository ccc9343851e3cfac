//! The points of dependencies: out of every frame around their start, and into every frame around their end.

use super::clusters::{Link, Passage, Tree};
use super::inside::Inside;
use super::{Direction, Place};

/// The inputs for the points of dependencies.
pub(super) struct Ways<'w> {
    pub(super) tree: &'w Tree,
    pub(super) insides: &'w [Inside],
    /// Upper left corner of each frame.
    pub(super) corners: &'w [(f64, f64)],
    pub(super) direction: Direction,
}

impl Ways<'_> {
    /// Converts x and y to along and across, or back.
    fn turned(&self, (x, y): (f64, f64)) -> (f64, f64) {
        if self.direction == Direction::Down { (y, x) } else { (x, y) }
    }

    /// Bends of a frame as along and across in the whole drawing.
    fn absolute(&self, frame: usize, bends: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (left, top) = self.corners[frame];
        bends.iter().map(|(x, y)| self.turned((x + left, y + top))).collect()
    }

    fn bends(&self, link: &Link) -> Vec<(f64, f64)> {
        link.by.map_or_else(Vec::new, |(frame, edge)| self.absolute(frame, &self.insides[frame].bends[edge]))
    }

    /// Start and end of an item's layer.
    fn layer(&self, frame: usize, item: usize) -> Option<(f64, f64)> {
        let (corner, _) = self.turned(self.corners[frame]);
        self.insides[frame].layers[item].map(|(begin, end)| (corner + begin, corner + end))
    }

    /// x and y alternating, from one end of a dependency to the other.
    pub(super) fn points(&self, link: &Link, from: &Place, to: &Place) -> Vec<f64> {
        let points = if link.against {
            self.along(link, to, from).into_iter().rev().collect()
        } else {
            self.along(link, from, to)
        };
        let points = points.into_iter().map(|point| self.turned(point));
        points.flat_map(|(x, y)| [x.round(), y.round()]).collect()
    }

    /// Along the direction: out of every frame around the upper end, through the bends, and into those around
    /// the lower.
    fn along(&self, link: &Link, upper: &Place, lower: &Place) -> Vec<(f64, f64)> {
        let mut points = vec![self.foot(upper)];
        for Passage { frame, port } in &link.out {
            self.leave_layer(&mut points, *frame, self.tree.frames[*frame].exits[*port]);
            points.extend(self.absolute(*frame, &self.insides[*frame].exits[*port]));
        }
        let mut arrives = vec![self.head(lower)];
        for Passage { frame, port } in &link.into {
            self.enter_layer(&mut arrives, *frame, self.tree.frames[*frame].entries[*port]);
            arrives.extend(self.absolute(*frame, &self.insides[*frame].entries[*port]).into_iter().rev());
        }
        if let Some((frame, edge)) = link.by {
            let (from, to) = self.tree.frames[frame].edges[edge];
            let (above, below) = if link.against { (to, from) } else { (from, to) };
            self.leave_layer(&mut points, frame, above);
            self.enter_layer(&mut arrives, frame, below);
            points.extend(self.bends(link));
        } else if link.into.is_empty() {
            // A container that waits for something inside it is entered at its far border,
            arrives = points.last().map(|(_, across)| (self.foot(lower).0, *across)).into_iter().collect();
        } else {
            // and something inside that waits for the container starts at the near one.
            points = arrives.last().map(|(_, across)| (self.head(upper).0, *across)).into_iter().collect();
        }
        points.extend(arrives.into_iter().rev());
        points
    }

    /// The middle of the near border.
    fn head(&self, place: &Place) -> (f64, f64) {
        (self.turned((place.x, place.y)).0, self.turned(place.centre()).1)
    }

    /// The middle of the far border.
    fn foot(&self, place: &Place) -> (f64, f64) {
        (self.turned((place.x + place.w, place.y + place.h)).0, self.turned(place.centre()).1)
    }

    /// An edge does not turn next to a taller neighbour, because it could run into it.
    fn leave_layer(&self, points: &mut Vec<(f64, f64)>, frame: usize, item: usize) {
        let Some((_, end)) = self.layer(frame, item) else { return };
        let last = points.last().copied().filter(|(along, _)| end > *along);
        points.extend(last.map(|(_, across)| (end, across)));
    }

    /// The same for entering a layer; the points are collected from the end.
    fn enter_layer(&self, points: &mut Vec<(f64, f64)>, frame: usize, item: usize) {
        let Some((begin, _)) = self.layer(frame, item) else { return };
        let last = points.last().copied().filter(|(along, _)| begin < *along);
        points.extend(last.map(|(_, across)| (begin, across)));
    }
}
