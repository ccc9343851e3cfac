//! Starting agents and tests: command lines, jobs, and what both need.

mod running;
pub mod starting;
pub mod workshop;
