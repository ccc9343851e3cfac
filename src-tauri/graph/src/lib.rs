//! Work graphs: units with dependencies and alternatives.
//!
//! - [`work_graph`]: what is ready, what blocks what, cycles, the critical path.
//! - [`layout`]: where the units of a graph are drawn, in layers, frames within frames.
//!
//! No loops here: units are numbers, and the caller knows what they mean.

pub mod layout;
pub mod work_graph;
