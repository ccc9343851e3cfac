//! boulder: not tested yet.
