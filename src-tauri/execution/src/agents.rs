//! Finding agents on this computer: where their programs lie, which version they have, whether they are signed in.

pub mod doctor;
pub mod environment;
pub mod places;
