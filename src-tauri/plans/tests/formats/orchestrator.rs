//! orchestrator: not tested yet.
