//! Agents and tests at work: finding agents on this computer, starting them under a guardian, listening to them, and what
//! git knows of what they changed. Knows no journal and no catalog.

pub mod agents;
pub mod brief;
pub mod git;
pub mod package;
pub mod preferences;
pub mod rows;
pub mod runs;
