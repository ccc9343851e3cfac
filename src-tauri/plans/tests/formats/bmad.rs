//! bmad: not tested yet.
