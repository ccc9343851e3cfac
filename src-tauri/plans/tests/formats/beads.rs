//! beads: not tested yet.
