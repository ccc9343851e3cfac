//! What differs between the formats of new loops, as a table for the page.

use super::NewFormat;
use serde::Serialize;

/// One value for each format that a new loop can have.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ByFormat<T> {
    /// CCW Loop v2.
    pub loop_v2: T,
    /// CCW Loop-B.
    pub loop_b: T,
    /// AoT loop.
    pub aot: T,
    /// Ralph loop.
    pub ralph: T,
}

impl<T> ByFormat<T> {
    /// The table of what `value` returns.
    pub fn for_each_format(value: impl Fn(NewFormat) -> T) -> Self {
        Self {
            loop_v2: value(NewFormat::LoopV2),
            loop_b: value(NewFormat::LoopB),
            aot: value(NewFormat::Aot),
            ralph: value(NewFormat::Ralph),
        }
    }
}
