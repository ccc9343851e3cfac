//! Work graphs: units with dependencies and alternatives.
//!
//! - [`work_graph`]: what is ready, what blocks what, cycles, the critical path.
//! - [`layout`]: where the units of a graph are drawn, in layers, frames within frames.
//!
//! No loops here: units are numbers, and whoever asks knows what they are.

pub mod layout;
pub mod work_graph;
