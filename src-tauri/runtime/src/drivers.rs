//! What the shell sees of the drivers: what a person chose, the rows of runs, the limits of the form.

pub use loopdeck_execution::needs_board::NeedsWatcher;
pub use loopdeck_execution::preferences::{choices, custom, plan};
pub use loopdeck_execution::{limits, rows};
