//! Detect.
