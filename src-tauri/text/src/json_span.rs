//! JSON by byte span: read without building trees, edit without rewriting.
//!
//! serde_json can neither report the position of a value nor keep blank lines, number spellings and key
//! order, so the CCW formats read and edit through this module. [`scan`] is a strict one-pass reader (RFC
//! 8259, depth at most 128, duplicate keys visible), [`tree`] keeps a whole document with offsets for the
//! detail view, [`splice`] turns changes of one object into text edits, [`lists`] does the same for new items
//! of an array. [`json`] is a value to write.

pub mod change;
pub mod json;
pub mod lists;
pub(crate) mod quick;
pub mod scan;
mod search;
pub mod splice;
mod strings;
mod style;
pub mod tree;
