//! The contents of one frame, drawn but not yet placed.

use super::Place;

/// The contents of one frame, relative to its upper left corner.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    pub(crate) places: Vec<Place>,
    /// Bends of each edge.
    pub(crate) bends: Vec<Vec<(f64, f64)>>,
    /// Bends from each exit's item to the border, and from the border to each entry's item.
    pub(crate) exits: Vec<Vec<(f64, f64)>>,
    pub(crate) entries: Vec<Vec<(f64, f64)>>,
    /// Start and end of each item's layer along the direction; none for items in rows.
    pub(crate) layers: Vec<Option<(f64, f64)>>,
    pub(crate) size: (f64, f64),
}
