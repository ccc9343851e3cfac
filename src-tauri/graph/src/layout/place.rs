//! Coordinates: frames from the inside out, each as wide and high as its contents.

use super::clusters::{Frame, Item, Tree};
use super::inside::Inside;
use super::layers::layers;
use super::order::{Spot, untangle};
use super::ways::Ways;
use super::{
    Direction, Drawing, DrawnEdge, DrawnFrame, DrawnUnit, FRAME_HEAD, FRAME_PAD, FrameKind, LAYER_GAP, Place,
    SIBLINGS, SIDE_GAP, Style, UnitToDraw,
};
use std::collections::HashMap;

/// Sweeps that pull items towards their neighbours.
const PULLS: usize = 4;
/// At most this many bends per item are drawn; with more, long edges go straight. Edges that leave the frame
/// are counted separately.
const BENDS_PER_ITEM: usize = 8;

pub(super) fn draw(units: &[UnitToDraw<'_>], tree: &Tree, style: &Style) -> Drawing {
    let mut insides: Vec<Inside> = tree.frames.iter().map(|_| Inside::default()).collect();
    // Frames were created from the outside in.
    for frame in (0..tree.frames.len()).rev() {
        let sizes: Vec<(f64, f64)> = tree.frames[frame]
            .items
            .iter()
            .map(|item| match item {
                Item::Unit(_) => style.unit,
                Item::Frame(inner) => insides[*inner].size,
            })
            .collect();
        insides[frame] = inside(&tree.frames[frame], sizes, style, frame == 0);
    }
    let Corners { corners, unit_places, frame_places } = put_together(tree, &insides, units.len());
    let containers = tree.frames.iter().zip(&frame_places).skip(1);
    let containers = containers.filter(|(frame, _)| frame.kind == FrameKind::Container);
    let of_container: HashMap<&str, Place> =
        containers.map(|(frame, place)| (frame.name.as_str(), *place)).collect();
    let place_of = |at: usize| unit_places[at].or_else(|| of_container.get(units[at].id).copied());
    let ways = Ways { tree, insides: &insides, corners: &corners, direction: style.direction };
    let edges = tree.links.iter().filter_map(|link| {
        let (from, to) = (place_of(link.from)?, place_of(link.to)?);
        Some(DrawnEdge {
            from: units[link.from].id.to_owned(),
            to: units[link.to].id.to_owned(),
            points: ways.points(link, &from, &to),
            against: link.against,
            circle: false,
            critical: units[link.from].critical && units[link.to].critical,
        })
    });
    let (width, height) = insides[0].size;
    Drawing {
        edges: edges.collect(),
        units: units
            .iter()
            .enumerate()
            .filter_map(|(at, unit)| {
                let place = rounded(unit_places[at]?);
                let (collapsed, compact) = (tree.collapsed[at], place.h < style.unit.1);
                Some(DrawnUnit { id: unit.id.to_owned(), place, collapsed, compact, missing: false })
            })
            .collect(),
        frames: frames(tree, &frame_places),
        width: width.ceil(),
        height: height.ceil(),
    }
}

/// Where everything is in the drawing as a whole.
struct Corners {
    /// The left upper corner of each frame.
    corners: Vec<(f64, f64)>,
    /// Nothing for a unit that is in no frame of its own.
    unit_places: Vec<Option<Place>>,
    frame_places: Vec<Place>,
}

/// Puts each frame into the one around it.
fn put_together(tree: &Tree, insides: &[Inside], units: usize) -> Corners {
    let mut corners = vec![(0.0, 0.0); tree.frames.len()];
    let mut unit_places: Vec<Option<Place>> = vec![None; units];
    let mut frame_places = vec![Place::default(); tree.frames.len()];
    for (frame, made) in insides.iter().enumerate() {
        let (left, top) = corners[frame];
        for (item, place) in tree.frames[frame].items.iter().zip(&made.places) {
            let moved = Place { x: place.x + left, y: place.y + top, ..*place };
            match item {
                Item::Unit(at) => unit_places[*at] = Some(moved),
                Item::Frame(inner) => {
                    corners[*inner] = (moved.x, moved.y);
                    frame_places[*inner] = moved;
                }
            }
        }
    }
    Corners { corners, unit_places, frame_places }
}

fn frames(tree: &Tree, places: &[Place]) -> Vec<DrawnFrame> {
    let drawn = tree.frames.iter().zip(places).skip(1).map(|(frame, place)| DrawnFrame {
        kind: frame.kind,
        name: frame.name.clone(),
        place: rounded(*place),
        depth: u32::try_from(frame.depth).unwrap_or(u32::MAX),
    });
    drawn.collect()
}

fn rounded(place: Place) -> Place {
    Place { x: place.x.round(), y: place.y.round(), w: place.w.round(), h: place.h.round() }
}

/// Lays out one frame. "Along" is the direction of the dependencies, "across" is within a layer.
fn inside(frame: &Frame, mut sizes: Vec<(f64, f64)>, style: &Style, outermost: bool) -> Inside {
    let direction = style.direction;
    let layers = layers(sizes.len(), &frame.edges, &frame.against);
    let turned = |(w, h): (f64, f64)| if direction == Direction::Down { (w, h) } else { (h, w) };
    let linked = linked(frame);
    for item in crowded(frame, &layers, &linked) {
        sizes[item] = style.compact;
    }
    let sizes: Vec<(f64, f64)> = sizes.into_iter().map(turned).collect();
    let sheet = Sheet::new(frame, layers, &sizes, &linked);
    let mut across = sheet.pull();
    let bands = sheet.bands();
    let mut end = bands.last().map_or(0.0, |(_, end)| *end);
    let mut places: Vec<Place> = (0..sizes.len())
        .map(|item| {
            let (w, h) = sizes[item];
            Place {
                x: across[item] - w / 2.0,
                y: bands.get(sheet.layer[item]).map_or(0.0, |(begin, _)| *begin),
                w,
                h,
            }
        })
        .collect();
    let width = move_to_edge(&sheet, &linked, &mut across, &mut places);
    let width = pack(&mut places, &linked, width, &mut end);
    let (pad, head) = if outermost { (0.0, 0.0) } else { (FRAME_PAD, FRAME_HEAD) };
    let place = |(x, y): (f64, f64)| {
        let (x, y) = if direction == Direction::Down { (x, y) } else { (y, x) };
        (x + pad, y + pad + head)
    };
    let bends = |passes: &[Vec<Spot>]| -> Vec<Vec<(f64, f64)>> {
        passes.iter().map(|passes| sheet.bends(passes, &across, &bands).map(place).collect()).collect()
    };
    let begins = if direction == Direction::Down { pad + head } else { pad };
    let layer = |item: usize| {
        let (begin, end) = bands[sheet.layer[item]];
        (begins + begin, begins + end)
    };
    let (w, h) = turned((width, end));
    Inside {
        places: places
            .iter()
            .map(|at| {
                let (x, y) = place((at.x, at.y));
                let (w, h) = turned((at.w, at.h));
                Place { x, y, w, h }
            })
            .collect(),
        bends: bends(&sheet.passes),
        exits: bends(&sheet.exits),
        entries: bends(&sheet.entries),
        layers: (0..sizes.len()).map(|item| linked[item].then(|| layer(item))).collect(),
        size: (w + 2.0 * pad, h + 2.0 * pad + head),
    }
}

/// Moves everything to the left edge; answers how wide the linked items and the bends between them are.
fn move_to_edge(sheet: &Sheet, linked: &[bool], across: &mut [f64], places: &mut [Place]) -> f64 {
    let left = (0..places.len()).filter(|item| linked[*item]).map(|item| places[item].x);
    let left = left.chain(sheet.bends_across(across)).fold(f64::INFINITY, f64::min);
    let left = if left.is_finite() { left } else { 0.0 };
    across.iter_mut().for_each(|x| *x -= left);
    places.iter_mut().for_each(|place| place.x -= left);
    let width = (0..places.len()).filter(|item| linked[*item]).map(|item| places[item].x + places[item].w);
    width.chain(sheet.bends_across(across)).fold(0.0, f64::max)
}

/// The items that take part in the layers: those that depend on each other, and those linked to something
/// outside the frame. A few others are placed next to them, clear of the edges that leave the frame.
fn linked(frame: &Frame) -> Vec<bool> {
    let mut linked = vec![false; frame.items.len()];
    frame.edges.iter().for_each(|(from, to)| (linked[*from], linked[*to]) = (true, true));
    let ports = || frame.exits.iter().chain(&frame.entries);
    let alone = linked.iter().filter(|linked| !**linked).count();
    if ports().next().is_some() && alone <= SIBLINGS {
        linked.fill(true);
    } else if !frame.edges.is_empty() {
        ports().for_each(|item| linked[*item] = true);
    }
    linked
}

/// Units of one frame when more than [`SIBLINGS`] of them are in one layer, or have no dependencies at all.
fn crowded(frame: &Frame, layer: &[usize], linked: &[bool]) -> Vec<usize> {
    let units = || (0..frame.items.len()).filter(|item| matches!(frame.items[*item], Item::Unit(_)));
    let row = |item: usize| linked[item].then_some(layer[item]);
    let mut beside: HashMap<Option<usize>, usize> = HashMap::new();
    for item in units() {
        *beside.entry(row(item)).or_default() += 1;
    }
    units().filter(|item| beside[&row(*item)] > SIBLINGS).collect()
}

/// Items without any dependency go in rows below the rest.
fn pack(places: &mut [Place], linked: &[bool], width: f64, end: &mut f64) -> f64 {
    let alone: Vec<usize> = (0..places.len()).filter(|item| !linked[*item]).collect();
    let area: f64 =
        alone.iter().map(|item| (places[*item].w + SIDE_GAP) * (places[*item].h + SIDE_GAP)).sum();
    let room = width.max((area * 1.6).sqrt());
    let mut widest: f64 = width;
    let (mut x, mut y, mut row) = (0.0, if *end > 0.0 { *end + LAYER_GAP } else { 0.0 }, 0.0_f64);
    for item in alone {
        let (w, h) = (places[item].w, places[item].h);
        if x > 0.0 && x + w > room {
            y += row + SIDE_GAP;
            (x, row) = (0.0, 0.0);
        }
        (places[item].x, places[item].y) = (x, y);
        x += w + SIDE_GAP;
        row = row.max(h);
        widest = widest.max(x - SIDE_GAP);
        *end = y + row;
    }
    widest
}

/// Items and bends of one frame in their layers.
struct Sheet {
    items: usize,
    /// Layer of each spot; items come first.
    layer: Vec<usize>,
    layers: Vec<Vec<Spot>>,
    up: Vec<Vec<Spot>>,
    down: Vec<Vec<Spot>>,
    sizes: Vec<(f64, f64)>,
    /// Spots that each edge passes, in the direction of the drawing.
    passes: Vec<Vec<Spot>>,
    /// Spots from the item of each exit to the border, and from the border to the item of each entry.
    exits: Vec<Vec<Spot>>,
    entries: Vec<Vec<Spot>>,
}

impl Sheet {
    fn new(frame: &Frame, layer: Vec<usize>, sizes: &[(f64, f64)], linked: &[bool]) -> Self {
        let mut sheet = Self {
            items: sizes.len(),
            layer,
            layers: Vec::new(),
            up: vec![Vec::new(); sizes.len()],
            down: vec![Vec::new(); sizes.len()],
            sizes: sizes.to_vec(),
            passes: Vec::new(),
            exits: vec![Vec::new(); frame.exits.len()],
            entries: vec![Vec::new(); frame.entries.len()],
        };
        sheet.thread(frame);
        let count = sheet.layer.iter().max().map_or(0, |last| last + 1);
        sheet.open(frame, count, linked);
        sheet.layers = vec![Vec::new(); count];
        for spot in (0..sheet.layer.len()).filter(|spot| *spot >= sizes.len() || linked[*spot]) {
            sheet.layers[sheet.layer[spot]].push(spot);
        }
        untangle(&mut sheet.layers, &sheet.up, &sheet.down);
        sheet
    }

    /// Edges over several layers bend in each of them.
    fn thread(&mut self, frame: &Frame) {
        let span = |layer: &[usize], (from, to): (usize, usize)| layer[from].abs_diff(layer[to]);
        let bends: usize = frame.edges.iter().map(|edge| span(&self.layer, *edge).saturating_sub(1)).sum();
        let straight = bends > BENDS_PER_ITEM * self.items + 1_000;
        for ((from, to), against) in frame.edges.iter().zip(&frame.against) {
            let (upper, lower) = if *against { (*to, *from) } else { (*from, *to) };
            let between = self.layer[upper] + 1..self.layer[lower];
            let passes: Vec<Spot> = between.filter(|_| !straight).map(|layer| self.bend(layer)).collect();
            self.chain(std::iter::once(upper).chain(passes.iter().copied()).chain(std::iter::once(lower)));
            self.passes.push(passes);
        }
    }

    /// Edges that enter or leave the frame bend in each layer between their item and the border.
    fn open(&mut self, frame: &Frame, count: usize, linked: &[bool]) {
        let exits = frame.exits.iter().map(|item| count - 1 - self.layer[*item]);
        let bends: usize = exits.chain(frame.entries.iter().map(|item| self.layer[*item])).sum();
        if bends > BENDS_PER_ITEM * self.items + 1_000 {
            return;
        }
        for (port, item) in frame.exits.iter().enumerate().filter(|(_, item)| linked[**item]) {
            let spots: Vec<Spot> = (self.layer[*item] + 1..count).map(|layer| self.bend(layer)).collect();
            self.chain(std::iter::once(*item).chain(spots.iter().copied()));
            self.exits[port] = spots;
        }
        for (port, item) in frame.entries.iter().enumerate().filter(|(_, item)| linked[**item]) {
            let spots: Vec<Spot> = (0..self.layer[*item]).map(|layer| self.bend(layer)).collect();
            self.chain(spots.iter().copied().chain(std::iter::once(*item)));
            self.entries[port] = spots;
        }
    }

    fn bend(&mut self, layer: usize) -> Spot {
        self.layer.push(layer);
        self.sizes.push((0.0, 0.0));
        self.up.push(Vec::new());
        self.down.push(Vec::new());
        self.layer.len() - 1
    }

    /// Each of `spots` is a neighbour of the next.
    fn chain(&mut self, mut spots: impl Iterator<Item = Spot>) {
        let Some(mut last) = spots.next() else { return };
        for spot in spots {
            self.down[last].push(spot);
            self.up[spot].push(last);
            last = spot;
        }
    }

    /// Middle of each spot across, near its neighbours and without overlaps.
    fn pull(&self) -> Vec<f64> {
        let mut at = vec![0.0; self.layer.len()];
        for layer in &self.layers {
            let wishes: Vec<f64> = vec![0.0; layer.len()];
            self.settle(layer, &wishes, &mut at);
        }
        for sweep in 0..PULLS {
            let neighbours = if sweep % 2 == 0 { &self.up } else { &self.down };
            let count = self.layers.len();
            for step in 0..count {
                let layer = &self.layers[if sweep % 2 == 0 { step } else { count - 1 - step }];
                let wishes: Vec<f64> = layer.iter().map(|spot| wish(*spot, neighbours, &at)).collect();
                self.settle(layer, &wishes, &mut at);
            }
        }
        at
    }

    /// Keeps the order, without overlaps, each as near to its wish as the others allow: neighbours that push
    /// each other move together (pool adjacent violators).
    #[allow(clippy::cast_precision_loss)] // far fewer spots than f64 can count
    fn settle(&self, layer: &[Spot], wishes: &[f64], at: &mut [f64]) {
        let mut offsets = Vec::with_capacity(layer.len());
        let mut offset = 0.0;
        for (place, spot) in layer.iter().enumerate() {
            if let Some(before) = place.checked_sub(1).map(|before| layer[before]) {
                let gap = if *spot >= self.items && before >= self.items { SIDE_GAP / 2.0 } else { SIDE_GAP };
                offset += f64::midpoint(self.sizes[before].0, self.sizes[*spot].0) + gap;
            }
            offsets.push(offset);
        }
        // Blocks of (sum of wishes, how many).
        let mut blocks: Vec<(f64, usize)> = Vec::new();
        for (wish, offset) in wishes.iter().zip(&offsets) {
            blocks.push((wish - offset, 1));
            while let [.., (left, lefts), (right, rights)] = blocks[..] {
                if left / (lefts as f64) <= right / (rights as f64) {
                    break;
                }
                blocks.pop();
                if let Some(last) = blocks.last_mut() {
                    *last = (left + right, lefts + rights);
                }
            }
        }
        let mut spots = layer.iter().zip(&offsets);
        for (sum, count) in blocks {
            for (spot, offset) in spots.by_ref().take(count) {
                at[*spot] = sum / count as f64 + offset;
            }
        }
    }

    /// Start and end of each layer along the direction.
    fn bands(&self) -> Vec<(f64, f64)> {
        let mut begin = 0.0;
        let band = |layer: &Vec<Spot>| {
            let band = (begin, begin + self.height(layer));
            begin = band.1 + LAYER_GAP;
            band
        };
        self.layers.iter().map(band).collect()
    }

    fn height(&self, layer: &[Spot]) -> f64 {
        layer.iter().map(|spot| self.sizes[*spot].1).fold(0.0, f64::max)
    }

    fn bends_across<'s>(&'s self, across: &'s [f64]) -> impl Iterator<Item = f64> + 's {
        across[self.items..].iter().copied()
    }

    /// Where a path enters and leaves each layer it passes.
    fn bends<'s>(
        &'s self,
        passes: &'s [Spot],
        across: &'s [f64],
        bands: &'s [(f64, f64)],
    ) -> impl Iterator<Item = (f64, f64)> + 's {
        passes.iter().flat_map(|spot| {
            let (begin, end) = bands[self.layer[*spot]];
            [(across[*spot], begin), (across[*spot], end)]
        })
    }
}

#[allow(clippy::cast_precision_loss)] // far fewer neighbours than f64 can count
fn wish(spot: Spot, neighbours: &[Vec<Spot>], at: &[f64]) -> f64 {
    let near = &neighbours[spot];
    if near.is_empty() {
        return at[spot];
    }
    near.iter().map(|other| at[*other]).sum::<f64>() / near.len() as f64
}
