//! open_spec: not tested yet.
