//! Markdown by its bytes: headings, list items with their boxes, comments, and what only looks like a box.
//!
//! CommonMark decides what is an item, a heading, code or a comment. A box is what task lists add to it: `[ ]`, `[x]`, or another
//! mark in brackets, before the text of a list item. Everything has its place, so that an edit replaces these bytes and no others.
//!
//! ```
//! use loopdeck_text::markdown::{Document, Mark};
//!
//! let text = "# Shop\n\n- [x] one\n- [~] two\n";
//! let list = Document::read(text);
//! let boxes: Vec<_> = list.boxes().map(|(item, mark)| (&text[item.text.clone()], mark)).collect();
//! assert_eq!(boxes, [("one", Mark::Ticked), ("two", Mark::Unknown)]);
//! ```

mod boxes;
mod document;
mod front_matter;
mod html;
mod lines;
mod walk;

pub use document::{Document, Heading, Item, Lookalike, LookalikePlace, Mark};

#[cfg(test)]
mod tests;
