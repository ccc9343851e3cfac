//! task_master: not tested yet.
