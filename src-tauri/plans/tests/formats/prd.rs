//! prd: not tested yet.
