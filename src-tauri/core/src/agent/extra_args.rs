//! extra_args
