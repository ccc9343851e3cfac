//! The formats of agent loops, one folder each. [`ccw`] is what the CCW formats share; it knows none of them.

pub mod aot;
pub mod ccw;
pub mod ccw_legacy;
pub mod ccw_v1;
pub mod ccw_v2;
pub mod loop_b;
pub mod ralph;
