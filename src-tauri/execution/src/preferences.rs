//! What a person chose: for one loop, for all loops, and agents of their own.

pub mod choices;
pub mod custom;
pub mod plan;
