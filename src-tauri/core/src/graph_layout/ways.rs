//! The points of dependencies: out of every frame around their beginning, and into every frame around their end.

use super::clusters::{Link, Passage, Tree};
use super::place::Inside;
use super::{Direction, Place};

/// What the points of a dependency are made from.
pub(super) struct Ways<'w> {
    pub(super) tree: &'w Tree,
    pub(super) insides: &'w [Inside],
    /// Upper left corner of each frame.
    pub(super) corners: &'w [(f64, f64)],
    pub(super) direction: Direction,
}

impl Ways<'_> {
    /// Turns x and y into along and across, or back.
    fn turned(&self, (x, y): (f64, f64)) -> (f64, f64) {
        if self.direction == Direction::Down { (y, x) } else { (x, y) }
    }

    /// Bends of a frame as along and across of the whole drawing.
    fn absolute(&self, frame: usize, bends: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (left, top) = self.corners[frame];
        bends.iter().map(|(x, y)| self.turned((x + left, y + top))).collect()
    }

    fn bends(&self, link: &Link) -> Vec<(f64, f64)> {
        link.by.map_or_else(Vec::new, |(frame, edge)| self.absolute(frame, &self.insides[frame].bends[edge]))
    }

    /// Where the layer of an item begins and ends.
    fn layer(&self, frame: usize, item: usize) -> Option<(f64, f64)> {
        let (corner, _) = self.turned(self.corners[frame]);
        self.insides[frame].layers[item].map(|(begin, end)| (corner + begin, corner + end))
    }

    /// Against the direction: from the border of one to the border of the other, by the bends.
    pub(super) fn against(&self, link: &Link, from: &Place, to: &Place) -> Vec<f64> {
        let (begin, across) = self.turned((from.x, from.y));
        let (_, wide) = self.turned((from.w, from.h));
        let mut points = vec![(begin, across + wide / 2.0)];
        points.extend(self.bends(link));
        points.push(self.foot(to));
        self.flat(points)
    }

    /// Along the direction: out of every frame, by the bends, and into every frame.
    pub(super) fn along(&self, link: &Link, from: &Place, to: &Place) -> Vec<f64> {
        let mut points = vec![self.foot(from)];
        for Passage { frame, port } in &link.out {
            self.leave_layer(&mut points, *frame, self.tree.frames[*frame].exits[*port]);
            points.extend(self.absolute(*frame, &self.insides[*frame].exits[*port]));
        }
        let (tx, ty) = to.centre();
        let (begin, _) = self.turned((to.x, to.y));
        let mut arrives = vec![(begin, self.turned((tx, ty)).1)];
        for Passage { frame, port } in &link.into {
            self.enter_layer(&mut arrives, *frame, self.tree.frames[*frame].entries[*port]);
            arrives.extend(self.absolute(*frame, &self.insides[*frame].entries[*port]).into_iter().rev());
        }
        if let Some((frame, edge)) = link.by {
            let (from, to) = self.tree.frames[frame].edges[edge];
            self.leave_layer(&mut points, frame, from);
            self.enter_layer(&mut arrives, frame, to);
            points.extend(self.bends(link));
        } else if link.into.is_empty() {
            // What a container waits for inside itself leads to its far border,
            arrives = points.last().map(|(_, across)| (self.foot(to).0, *across)).into_iter().collect();
        } else {
            // and what waits for the container around it comes from the near one.
            let (begin, _) = self.turned((from.x, from.y));
            points = arrives.last().map(|(_, across)| (begin, *across)).into_iter().collect();
        }
        points.extend(arrives.into_iter().rev());
        self.flat(points)
    }

    /// The middle of the far border.
    fn foot(&self, place: &Place) -> (f64, f64) {
        let (_, across) = self.turned(place.centre());
        (self.turned((place.x + place.w, place.y + place.h)).0, across)
    }

    /// Nothing turns beside a higher neighbour, which it could run into.
    fn leave_layer(&self, points: &mut Vec<(f64, f64)>, frame: usize, item: usize) {
        let Some((_, end)) = self.layer(frame, item) else { return };
        let last = points.last().copied().filter(|(along, _)| end > *along);
        points.extend(last.map(|(_, across)| (end, across)));
    }

    /// The same for what arrives; its points are collected from the end.
    fn enter_layer(&self, points: &mut Vec<(f64, f64)>, frame: usize, item: usize) {
        let Some((begin, _)) = self.layer(frame, item) else { return };
        let last = points.last().copied().filter(|(along, _)| begin < *along);
        points.extend(last.map(|(_, across)| (begin, across)));
    }

    /// x and y in turn, to the pixel.
    fn flat(&self, points: Vec<(f64, f64)>) -> Vec<f64> {
        let points = points.into_iter().map(|point| self.turned(point));
        points.flat_map(|(x, y)| [x.round(), y.round()]).collect()
    }
}
