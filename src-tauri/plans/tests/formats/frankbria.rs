//! frankbria: not tested yet.
