//! Frames within frames: which units are drawn in which frame, and at which level each dependency matters.

use super::layers::circles;
use super::{FrameKind, Style, UnitToDraw};
use std::collections::HashMap;

/// Deeper frames are not drawn. Real plans never nest this deep, but a cycle of parents would.
const MAX_DEPTH: usize = 16;

/// Something that is placed: a unit or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    Unit(usize),
    Frame(usize),
}

/// A frame being built.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) name: String,
    /// The frame around it; the first frame is everything and has none.
    pub(super) outer: usize,
    pub(super) depth: usize,
    pub(super) items: Vec<Item>,
    /// Dependencies between items of this frame, as indices into `items`.
    pub(super) edges: Vec<(usize, usize)>,
    /// Whether each of them closes a cycle and is drawn against the direction.
    pub(super) against: Vec<bool>,
    /// Items with a dependency that leaves the frame, as indices into `items`.
    pub(super) exits: Vec<usize>,
    /// Items with a dependency that enters the frame.
    pub(super) entries: Vec<usize>,
}

impl Frame {
    fn new(kind: FrameKind, name: String) -> Self {
        let (items, edges, against, exits, entries) = Default::default();
        Self { kind, name, outer: 0, depth: 0, items, edges, against, exits, entries }
    }
}

/// One step of a dependency through a frame that contains only one of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    pub(super) frame: usize,
    /// Index into the `exits` or the `entries` of the frame.
    pub(super) port: usize,
}

/// A dependency, and the frame edge that carries it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Frame and index into its `edges`; none when one end is inside the other.
    pub(super) by: Option<(usize, usize)>,
    /// It is drawn against the direction.
    pub(super) against: bool,
    /// The frames it leaves from its upper end, innermost first.
    pub(super) out: Vec<Passage>,
    /// The frames it enters to its lower end, innermost first.
    pub(super) into: Vec<Passage>,
}

/// All frames; the first is everything.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) frames: Vec<Frame>,
    pub(super) links: Vec<Link>,
    /// Units that are not drawn themselves: inside something collapsed, or drawn as the frame of their
    /// children.
    pub(super) hidden: Vec<bool>,
    /// Containers drawn as a unit.
    pub(super) collapsed: Vec<bool>,
}

struct Builder<'u, 'a> {
    units: &'u [UnitToDraw<'a>],
    index: HashMap<&'a str, usize>,
    has_children: Vec<bool>,
    frames: Vec<Frame>,
    /// Frame of each container and of each group within a frame.
    of_container: HashMap<usize, usize>,
    of_group: HashMap<(usize, &'a str), usize>,
    /// The total number of choices of each group.
    choices: HashMap<&'a str, usize>,
}

impl Tree {
    pub(super) fn new(units: &[UnitToDraw<'_>], style: &Style) -> Self {
        let mut builder = Builder::new(units);
        let chains: Vec<Vec<usize>> = (0..units.len()).map(|at| builder.parents(at)).collect();
        let is_collapsed = |at: usize| builder.has_children[at] && style.collapsed.contains(units[at].id);
        let collapsed: Vec<bool> = (0..units.len()).map(is_collapsed).collect();
        let inside = |at: usize| chains[at].iter().any(|parent| collapsed[*parent]);
        let hidden: Vec<bool> = (0..units.len())
            .map(|at| builder.repeats(at) || inside(at) || (builder.has_children[at] && !collapsed[at]))
            .collect();
        // What represents a unit that is not drawn: the outermost collapsed container around it.
        let stands: Vec<Option<usize>> = (0..units.len())
            .map(|at| chains[at].iter().rev().copied().find(|parent| collapsed[*parent]))
            .collect();
        let mut homes = vec![0; units.len()];
        for at in 0..units.len() {
            if builder.repeats(at) || inside(at) {
                continue;
            }
            homes[at] = if builder.has_children[at] && !collapsed[at] {
                builder.container(at, &chains)
            } else {
                let home = builder.home(at, &chains);
                builder.frames[home].items.push(Item::Unit(at));
                home
            };
        }
        let index = std::mem::take(&mut builder.index);
        let mut tree = Self { frames: builder.frames, links: Vec::new(), hidden, collapsed };
        let places: Vec<HashMap<Item, usize>> = tree.frames.iter().map(places).collect();
        // Computed once per unit: a plan can have hundreds of thousands of dependencies.
        let paths: Vec<Vec<Step>> = (0..units.len()).map(|at| tree.path(at, homes[at])).collect();
        tree.link(units, &index, &stands, &paths, &places);
        for frame in &mut tree.frames {
            frame.against = circles(frame.items.len(), &frame.edges);
        }
        tree.pass_frames(&paths, &places);
        tree
    }

    /// Each dependency counts at the level where its two ends are in different items.
    fn link(
        &mut self,
        units: &[UnitToDraw<'_>],
        index: &HashMap<&str, usize>,
        stands: &[Option<usize>],
        paths: &[Vec<Step>],
        places: &[HashMap<Item, usize>],
    ) {
        let mut known: HashMap<(usize, usize, usize), usize> = HashMap::new();
        let mut seen = std::collections::HashSet::new();
        for (at, unit) in units.iter().enumerate() {
            let to = stands[at].unwrap_or(at);
            for id in &unit.after {
                let Some(from) = index.get(id).map(|from| stands[*from].unwrap_or(*from)) else { continue };
                if from == to || !seen.insert((from, to)) {
                    continue;
                }
                let level = level_of(&paths[from], &paths[to]);
                let by = level.and_then(|Parting { frame, from, to }| {
                    Some((frame, *places[frame].get(&from)?, *places[frame].get(&to)?))
                });
                let by = by.map(|(frame, a, b)| {
                    let edges = &mut self.frames[frame].edges;
                    let edge = *known.entry((frame, a, b)).or_insert_with(|| {
                        edges.push((a, b));
                        edges.len() - 1
                    });
                    (frame, edge)
                });
                let (against, out, into) = Default::default();
                self.links.push(Link { from, to, by, against, out, into });
            }
        }
    }

    /// The frames each dependency passes, once its direction is known.
    fn pass_frames(&mut self, paths: &[Vec<Step>], places: &[HashMap<Item, usize>]) {
        let mut ports = Ports::default();
        for at in 0..self.links.len() {
            let Link { from, to, by, .. } = self.links[at];
            let against = by.is_some_and(|(frame, edge)| self.frames[frame].against[edge]);
            let (upper, lower) = if against { (to, from) } else { (from, to) };
            let (leaves, arrives) = (&paths[upper], &paths[lower]);
            let same = leaves.iter().zip(arrives).take_while(|(a, b)| a.item == b.item).count();
            // The ends part in the next frame. If one is inside the other, only the inner one passes frames.
            let common = (same + 1).min(leaves.len()).min(arrives.len());
            let out = ports.through(&mut self.frames, &leaves[common..], Way::Out, places);
            let into = ports.through(&mut self.frames, &arrives[common..], Way::Into, places);
            self.links[at] = Link { from, to, by, against, out, into };
        }
    }

    /// From the outermost frame to the unit: each frame, with the item in it that leads to the unit.
    fn path(&self, unit: usize, home: usize) -> Vec<Step> {
        let is_frame = self.hidden[unit];
        let mut path = Vec::new();
        let mut item = if is_frame { Item::Frame(home) } else { Item::Unit(unit) };
        let mut frame = if is_frame { self.frames[home].outer } else { home };
        loop {
            path.push(Step { frame, item });
            if frame == 0 {
                break;
            }
            item = Item::Frame(frame);
            frame = self.frames[frame].outer;
        }
        path.reverse();
        path
    }
}

fn places(frame: &Frame) -> HashMap<Item, usize> {
    frame.items.iter().enumerate().map(|(place, item)| (*item, place)).collect()
}

/// One step from the outermost frame to a unit: a frame, and the item in it that leads to the unit.
#[derive(Clone, Copy)]
struct Step {
    frame: usize,
    item: Item,
}

/// Whether a dependency leaves or enters a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    Out,
    Into,
}

/// Dependencies that cross a border from or to the same item share their path through the frame.
#[derive(Default)]
struct Ports {
    known: HashMap<(usize, usize, Way), usize>,
}

impl Ports {
    /// The passages of one dependency through the frames of `steps`, innermost first.
    fn through(
        &mut self,
        frames: &mut [Frame],
        steps: &[Step],
        way: Way,
        places: &[HashMap<Item, usize>],
    ) -> Vec<Passage> {
        let steps = steps.iter().rev();
        let passage = |Step { frame, item }: &Step| {
            let item = *places[*frame].get(item)?;
            let port = *self.known.entry((*frame, item, way)).or_insert_with(|| {
                let frame = &mut frames[*frame];
                let ports = if way == Way::Out { &mut frame.exits } else { &mut frame.entries };
                ports.push(item);
                ports.len() - 1
            });
            Some(Passage { frame: *frame, port })
        };
        steps.filter_map(passage).collect()
    }
}

/// Where two paths part: the frame, and each one's item in it.
struct Parting {
    frame: usize,
    from: Item,
    to: Item,
}

fn level_of(from: &[Step], to: &[Step]) -> Option<Parting> {
    let (from, to) = from.iter().zip(to).find(|(from, to)| from.item != to.item)?;
    (from.frame == to.frame).then_some(Parting { frame: from.frame, from: from.item, to: to.item })
}

impl<'u, 'a> Builder<'u, 'a> {
    fn new(units: &'u [UnitToDraw<'a>]) -> Self {
        let mut index = HashMap::with_capacity(units.len());
        let mut choices: HashMap<&str, usize> = HashMap::new();
        for (at, unit) in units.iter().enumerate() {
            index.entry(unit.id).or_insert(at);
            if let Some(group) = unit.group {
                *choices.entry(group).or_default() += 1;
            }
        }
        let mut has_children = vec![false; units.len()];
        for (at, unit) in units.iter().enumerate() {
            if let Some(parent) = unit.parent.and_then(|parent| index.get(parent)).filter(|own| **own != at) {
                has_children[*parent] = true;
            }
        }
        let all = Frame::new(FrameKind::Container, String::new());
        let mut builder = Self {
            units,
            index,
            has_children,
            frames: vec![all],
            of_container: HashMap::new(),
            of_group: HashMap::new(),
            choices,
        };
        // A cycle of parents contains nothing: each of them is drawn as a unit.
        let circular: Vec<bool> = (0..units.len()).map(|at| builder.is_circular(at)).collect();
        for (at, circular) in circular.into_iter().enumerate() {
            builder.has_children[at] &= !circular;
        }
        builder
    }

    fn repeats(&self, at: usize) -> bool {
        self.index.get(self.units[at].id) != Some(&at)
    }

    fn parent(&self, at: usize) -> Option<usize> {
        let parent = self.units[at].parent.and_then(|parent| self.index.get(parent).copied())?;
        (parent != at).then_some(parent)
    }

    fn is_circular(&self, at: usize) -> bool {
        let mut next = at;
        for _ in 0..=MAX_DEPTH {
            match self.parent(next) {
                Some(parent) => next = parent,
                None => return false,
            }
        }
        true
    }

    /// Containers around a unit, nearest first.
    fn parents(&self, at: usize) -> Vec<usize> {
        let mut parents = Vec::new();
        let mut next = at;
        while let Some(parent) = self.parent(next).filter(|parent| self.has_children[*parent]) {
            if parents.len() == MAX_DEPTH {
                break;
            }
            parents.push(parent);
            next = parent;
        }
        parents
    }

    /// The frame that contains a unit.
    fn home(&mut self, at: usize, chains: &[Vec<usize>]) -> usize {
        let outer = chains[at].first().map_or(0, |parent| self.container(*parent, chains));
        let group = self.units[at].group.filter(|group| self.choices[group] > 1);
        group.map_or(outer, |group| {
            if let Some(known) = self.of_group.get(&(outer, group)) {
                return *known;
            }
            let frame = self.add(FrameKind::OneOf, group, outer);
            self.of_group.insert((outer, group), frame);
            frame
        })
    }

    /// The frame of a container, created on first use.
    fn container(&mut self, at: usize, chains: &[Vec<usize>]) -> usize {
        if let Some(known) = self.of_container.get(&at) {
            return *known;
        }
        let outer = self.home(at, chains);
        let frame = self.add(FrameKind::Container, self.units[at].id, outer);
        self.of_container.insert(at, frame);
        frame
    }

    fn add(&mut self, kind: FrameKind, name: &str, outer: usize) -> usize {
        let frame = self.frames.len();
        let depth = self.frames[outer].depth + 1;
        let name = name.to_owned();
        self.frames.push(Frame { outer, depth, ..Frame::new(kind, name) });
        self.frames[outer].items.push(Item::Frame(frame));
        frame
    }
}
