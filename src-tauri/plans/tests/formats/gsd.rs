//! gsd: not tested yet.
