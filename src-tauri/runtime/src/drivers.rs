//! Running loops: what a person chose for it, what goes on in it, and what it needs of them.

pub mod choices;
pub mod custom;
mod door;
mod output;
pub mod plan;
pub mod rows;
