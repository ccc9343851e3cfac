//! The order of items within a layer, so that few edges cross: each item moves towards the middle of its
//! neighbours.

/// One thing in a layer: an item, or the bend of an edge that passes through it.
pub(super) type Spot = usize;

/// More sweeps change little.
const SWEEPS: usize = 6;

/// Orders `layers` in place; `up` and `down` are the neighbours of each spot in the layers before and after.
pub(super) fn untangle(layers: &mut [Vec<Spot>], up: &[Vec<Spot>], down: &[Vec<Spot>]) {
    let mut place = vec![0.0; up.len()];
    for layer in layers.iter() {
        note_places(layer, &mut place);
    }
    for sweep in 0..SWEEPS {
        let count = layers.len();
        for step in 1..count {
            let (layer, neighbours) = if sweep % 2 == 0 { (step, up) } else { (count - 1 - step, down) };
            arrange(&mut layers[layer], neighbours, &mut place);
        }
    }
}

#[allow(clippy::cast_precision_loss)] // far fewer spots than f64 can count
fn note_places(layer: &[Spot], place: &mut [f64]) {
    for (at, spot) in layer.iter().enumerate() {
        place[*spot] = at as f64;
    }
}

#[allow(clippy::cast_precision_loss)] // as above
fn arrange(layer: &mut [Spot], neighbours: &[Vec<Spot>], place: &mut [f64]) {
    let middle = |spot: Spot| {
        let near = &neighbours[spot];
        if near.is_empty() {
            return place[spot];
        }
        near.iter().map(|other| place[*other]).sum::<f64>() / near.len() as f64
    };
    let mut keyed: Vec<(f64, Spot)> = layer.iter().map(|spot| (middle(*spot), *spot)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable: equal items keep their order
    for (slot, (_, spot)) in layer.iter_mut().zip(keyed) {
        *slot = spot;
    }
    note_places(layer, place);
}
