//! gsd_debug: not tested yet.
