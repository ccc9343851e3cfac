//! pi_ralph: not tested yet.
