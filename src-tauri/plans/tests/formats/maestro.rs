//! maestro: not tested yet.
