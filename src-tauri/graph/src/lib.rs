//! Work graphs: units with dependencies and alternatives.
//!
//! - [`work_graph`]: what is ready, what blocks what, cycles, the critical path.
//! - [`layout`]: where the units of a graph are drawn, in layers, frames within frames.
//!
//! No loops here: units are numbers, and the caller knows what they mean.
//!
//! ```
//! use loopdeck_graph::work_graph::{Progress, Unit, WorkGraph};
//! use std::borrow::Cow;
//!
//! let after_plan = [Cow::from("plan")];
//! let units = [
//!     Unit { id: "plan", progress: Progress::Resolved, depends_on: &[], group: None },
//!     Unit { id: "build", progress: Progress::Pending, depends_on: &after_plan, group: None },
//! ];
//! let graph = WorkGraph::new(&units, &[], &[]);
//! let ready: Vec<&str> = graph.ready().map(|at| graph.id(at)).collect();
//! assert_eq!(ready, ["build"]);
//! ```

pub mod layout;
pub mod work_graph;
