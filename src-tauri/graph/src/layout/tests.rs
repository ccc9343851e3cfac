use super::*;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn unit<'a>(id: &'a str, after: &[&'a str]) -> UnitToDraw<'a> {
    UnitToDraw { id, after: after.to_vec(), ..UnitToDraw::default() }
}

fn place(drawing: &Drawing, id: &str) -> Place {
    drawing.units.iter().find(|unit| unit.id == id).map(|unit| unit.place).expect("drawn")
}

fn frame(drawing: &Drawing, name: &str) -> Place {
    drawing.frames.iter().find(|frame| frame.name == name).map(|frame| frame.place).expect("framed")
}

fn lies_in(inner: Place, outer: Place) -> bool {
    inner.x >= outer.x
        && inner.y >= outer.y + FRAME_HEAD
        && inner.x + inner.w <= outer.x + outer.w
        && inner.y + inner.h <= outer.y + outer.h
}

fn overlap(a: Place, b: Place) -> bool {
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

#[test]
fn what_comes_after_lies_below_and_a_diamond_is_even() {
    let units = [unit("a", &[]), unit("b", &["a"]), unit("c", &["a"]), unit("d", &["b", "c"])];
    let drawing = draw(&units, &Style::default());
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|id| place(&drawing, id));
    assert!(a.y < b.y && (b.y - c.y).abs() < 1.0 && c.y < d.y, "{drawing:?}");
    assert!((a.x - d.x).abs() < 2.0 && b.x < a.x && a.x < c.x, "{drawing:?}");
    assert_eq!(drawing.edges.len(), 4);
    assert_eq!(drawing.edges[0].points, [a.x + a.w / 2.0, a.y + a.h, b.x + b.w / 2.0, b.y]);
    let style = Style { direction: Direction::Right, ..Style::default() };
    let turned = draw(&units, &style);
    assert!(place(&turned, "a").x < place(&turned, "b").x && place(&turned, "b").x < place(&turned, "d").x);
}

#[test]
fn alternatives_and_children_lie_in_their_frames() {
    let one_of = |id, after: &[&'static str]| UnitToDraw { group: Some("G"), ..unit(id, after) };
    let child = |id, after: &[&'static str]| UnitToDraw { parent: Some("p"), ..unit(id, after) };
    let units = [
        unit("a", &[]),
        one_of("b", &["a"]),
        one_of("c", &["a"]),
        unit("p", &["b", "c"]),
        child("p1", &[]),
        child("p2", &["p1"]),
        unit("z", &["p"]),
    ];
    let drawing = draw(&units, &Style::default());
    for (inner, outer) in [("b", "G"), ("c", "G"), ("p1", "p"), ("p2", "p")] {
        assert!(lies_in(place(&drawing, inner), frame(&drawing, outer)), "{inner} in {outer}: {drawing:?}");
    }
    assert!(frame(&drawing, "p").y > frame(&drawing, "G").y);
    assert!(drawing.units.iter().all(|unit| unit.id != "p"), "drawn as a frame");
    let from_frame = drawing.edges.iter().find(|edge| edge.from == "p" && edge.to == "z").expect("drawn");
    let p = frame(&drawing, "p");
    assert_eq!(from_frame.points[1], p.y + p.h);

    let style = Style { collapsed: HashSet::from(["p".to_owned()]), ..Style::default() };
    let drawing = draw(&units, &style);
    assert!(drawing.units.iter().any(|unit| unit.id == "p" && unit.collapsed));
    assert!(drawing.units.iter().all(|unit| !unit.id.starts_with("p1") && !unit.id.starts_with("p2")));
    assert!(drawing.edges.iter().all(|edge| edge.from != "p1"));
}

#[test]
fn circles_are_drawn_and_said() {
    let units = [unit("a", &["c"]), unit("b", &["a"]), unit("c", &["b"]), unit("s", &["s", "gone"])];
    let drawing = draw(&units, &Style::default());
    assert_eq!(drawing.units.len(), 5);
    assert_eq!(drawing.edges.iter().filter(|edge| edge.against).count(), 1);
    let in_circle = |drawing: &Drawing| {
        let edges = drawing.edges.iter().filter(|edge| edge.circle);
        edges.map(|edge| format!("{}{}", edge.from, edge.to)).collect::<Vec<_>>()
    };
    assert_eq!(in_circle(&drawing), ["ca", "ab", "bc"], "all of it, and nothing else");
    // A container waits for its child, which waits for it.
    let child = UnitToDraw { parent: Some("p"), ..unit("p1", &["p", "a"]) };
    let drawing = draw(&[unit("a", &[]), unit("p", &["a"]), child], &Style::default());
    assert_eq!(in_circle(&drawing), ["pp1"]);
    // Frames that lead into each other are not a cycle of work.
    let of = |group, id, after: &[&'static str]| UnitToDraw { group: Some(group), ..unit(id, after) };
    let groups = [of("g", "a", &[]), of("g", "d", &["c"]), of("h", "b", &["a"]), of("h", "c", &[])];
    let drawing = draw(&groups, &Style::default());
    assert!(drawing.edges.iter().any(|edge| edge.against) && in_circle(&drawing).is_empty(), "{drawing:?}");
    let parents = [
        UnitToDraw { parent: Some("y"), ..unit("x", &[]) },
        UnitToDraw { parent: Some("x"), ..unit("y", &[]) },
        UnitToDraw { parent: Some("z"), ..unit("z", &[]) },
    ];
    assert_eq!(draw(&parents, &Style::default()).units.len(), 3);
}

#[test]
fn what_is_missing_is_drawn_beside_what_waits_for_it() {
    let child = UnitToDraw { parent: Some("p"), ..unit("p1", &["gone", "lost", ""]) };
    let units = [unit("p", &[]), child, unit("z", &["gone", "p"])];
    let drawing = draw(&units, &Style::default());
    let missing: Vec<&str> =
        drawing.units.iter().filter(|unit| unit.missing).map(|unit| unit.id.as_str()).collect();
    assert_eq!(missing, ["gone", "lost"]);
    assert!(lies_in(place(&drawing, "gone"), frame(&drawing, "p")), "{drawing:?}");
    let edges: Vec<(&str, &str)> =
        drawing.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    assert_eq!(edges, [("gone", "p1"), ("lost", "p1"), ("gone", "z"), ("p", "z")]);
}

#[test]
fn more_than_eight_beside_each_other_are_compact() {
    let ids: Vec<String> = (0..9).map(|n| format!("A{n}")).collect();
    let row = |count: usize| {
        let mut units = vec![unit("root", &[])];
        units.extend(ids[..count].iter().map(|id| unit(id, &["root"])));
        draw(&units, &Style::default())
    };
    assert!(row(8).units.iter().all(|unit| !unit.compact));
    let drawing = row(9);
    let style = Style::default();
    for unit in &drawing.units {
        assert_eq!(unit.compact, unit.id != "root", "{unit:?}");
        let size = if unit.compact { style.compact } else { style.unit };
        assert_eq!((unit.place.w, unit.place.h), size);
    }
    let alone: Vec<UnitToDraw<'_>> = ids.iter().map(|id| unit(id, &[])).collect();
    assert!(draw(&alone, &style).units.iter().all(|unit| unit.compact));
}

#[test]
fn what_stands_alone_fills_rows_not_one_line() {
    let ids: Vec<String> = (0..400).map(|n| format!("A{n}")).collect();
    let units: Vec<UnitToDraw<'_>> = ids.iter().map(|id| unit(id, &[])).collect();
    let drawing = draw(&units, &Style::default());
    assert!(drawing.width < 10_000.0 && drawing.height < 10_000.0, "{} x {}", drawing.width, drawing.height);
    assert_eq!(draw(&[], &Style::default()), Drawing::default());
}

/// Points along an edge as it is drawn: a curve from each of its points to the next, starting and ending
/// along the direction.
fn curve(points: &[f64], right: bool) -> Vec<(f64, f64)> {
    let pairs: Vec<(f64, f64)> = points.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let between = |a: f64, b: f64, step: u32| {
        let t = f64::from(step) / 16.0;
        (a, b, t, t * t * (3.0 - 2.0 * t))
    };
    let mut all = Vec::new();
    for pair in pairs.windows(2) {
        let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
        for step in 0..=16 {
            let (from, to, t, eased) = if right { between(ax, bx, step) } else { between(ay, by, step) };
            // Bézier with both handles in the middle: along is 1.5 t (1 - t) + t³, across is eased.
            let along = from + (to - from) * (1.5 * t * (1.0 - t) + t * t * t);
            let across = if right { ay + (by - ay) * eased } else { ax + (bx - ax) * eased };
            all.push(if right { (along, across) } else { (across, along) });
        }
    }
    all
}

/// Unrelated units and frames that an edge is drawn across.
fn crossed<'d>(drawing: &'d Drawing, edge: &DrawnEdge, right: bool) -> Vec<&'d str> {
    let points = curve(&edge.points, right);
    let inside = |place: Place| {
        let (x, y) = (place.x + 1.0..place.x + place.w - 1.0, place.y + 1.0..place.y + place.h - 1.0);
        points.iter().any(|(px, py)| x.contains(px) && y.contains(py))
    };
    let units = drawing.units.iter().map(|unit| (unit.id.as_str(), unit.place));
    let frames = drawing.frames.iter().map(|frame| (frame.name.as_str(), frame.place));
    let is_end = |name: &str| name == edge.from || name == edge.to;
    let ends: Vec<Place> = units
        .clone()
        .chain(frames.clone())
        .filter(|(name, _)| is_end(name))
        .map(|(_, place)| place)
        .collect();
    let others = units.chain(frames).filter(|(name, _)| !is_end(name));
    let others = others.filter(|(_, place)| !ends.iter().any(|end| lies_in(*end, *place)));
    others.filter(|(_, place)| inside(*place)).map(|(name, _)| name).collect()
}

/// Any plan: dependencies and parents point anywhere, groups contain anything.
fn plans() -> impl Strategy<Value = Vec<(Vec<usize>, Option<usize>, Option<u8>)>> {
    let link = proptest::collection::vec(0..40usize, 0..4);
    let one = (link, proptest::option::weighted(0.3, 0..40usize), proptest::option::weighted(0.3, 0..4u8));
    proptest::collection::vec(one, 0..40)
}

proptest! {
    #[test]
    fn any_plan_is_drawn_without_overlaps(plan in plans(), right: bool) {
        let ids: Vec<String> = (0..40).map(|n| format!("A{n}")).collect();
        let groups = ["g0", "g1", "g2", "g3"];
        let units: Vec<UnitToDraw<'_>> = plan.iter().enumerate().map(|(at, (after, parent, group))| UnitToDraw {
            id: &ids[at],
            after: after.iter().map(|to| ids[*to].as_str()).collect(),
            parent: parent.map(|parent| ids[parent].as_str()),
            group: group.map(|group| groups[usize::from(group)]),
            critical: false,
        }).collect();
        let direction = if right { Direction::Right } else { Direction::Down };
        let drawing = draw(&units, &Style { direction, ..Style::default() });
        // Every unit is drawn once: as a unit or as a frame.
        let framed = drawing.frames.iter().filter(|frame| frame.kind == FrameKind::Container).count();
        let missing = drawing.units.iter().filter(|unit| unit.missing).count();
        prop_assert_eq!(drawing.units.len() - missing + framed, units.len());
        for (at, a) in drawing.units.iter().enumerate() {
            prop_assert!(a.place.x >= -1.0 && a.place.x + a.place.w <= drawing.width + 1.0);
            prop_assert!(a.place.y >= -1.0 && a.place.y + a.place.h <= drawing.height + 1.0);
            for b in &drawing.units[at + 1..] {
                prop_assert!(!overlap(a.place, b.place), "{} and {}", a.id, b.id);
            }
        }
        // Where possible, successors are placed after their predecessors.
        let of: HashMap<&str, Place> = drawing.units.iter().map(|unit| (unit.id.as_str(), unit.place)).collect();
        for edge in drawing.edges.iter().filter(|edge| !edge.against) {
            prop_assert!(edge.points.len() >= 4 && edge.points.len() % 2 == 0);
            for point in edge.points.chunks(2) {
                let inside = (-1.0..=drawing.width + 1.0).contains(&point[0])
                    && (-1.0..=drawing.height + 1.0).contains(&point[1]);
                prop_assert!(inside, "{} -> {} outside: {point:?}", edge.from, edge.to);
            }
            let (Some(from), Some(to)) = (of.get(edge.from.as_str()), of.get(edge.to.as_str())) else { continue };
            let lone = drawing.frames.is_empty();
            let follows = if right { from.x < to.x } else { from.y < to.y };
            prop_assert!(!lone || follows, "{} -> {}", edge.from, edge.to);
        }
        prop_assert_eq!(&draw(&units, &Style { direction, ..Style::default() }), &drawing, "the same twice");
        // Nothing unrelated is in the way of an edge.
        for edge in &drawing.edges {
            let crossed = crossed(&drawing, edge, right);
            prop_assert!(crossed.is_empty(), "{} -> {} across {crossed:?}", edge.from, edge.to);
        }
    }
}
