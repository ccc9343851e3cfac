//! The formats of agent loops, one folder each. What the CCW formats share is in [`ccw`], which knows none of them.

pub mod aot;
pub mod ccw;
pub mod ccw_legacy;
pub mod ccw_v1;
pub mod ccw_v2;
pub mod loop_b;
