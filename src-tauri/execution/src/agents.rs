//! Finds agents on this computer: where their programs are, which version they have, and whether they are signed in.

pub mod doctor;
pub mod environment;
pub mod places;
