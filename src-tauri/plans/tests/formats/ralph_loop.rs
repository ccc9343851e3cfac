//! ralph_loop: not tested yet.
