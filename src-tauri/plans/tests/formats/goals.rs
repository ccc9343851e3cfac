//! goals: not tested yet.
