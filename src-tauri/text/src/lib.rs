//! Lossless reading and splicing of text that other programs also write.
//!
//! A state file belongs to several programs, so it is never parsed and written back. A reader here reports
//! *where* a value is, and an edit replaces exactly those bytes. Key order, comments, quoting, number
//! spelling, unknown fields and line ends stay.
//!
//! - [`almost_json`]: what was meant as JSON and isn't quite, as strict JSON with a list of corrections.
//! - [`json_span`]: JSON values with their positions, and edits of objects and lists.
//! - [`yaml_span`]: the same for YAML; edits belong to the format that knows its grammar.
//! - [`markdown`]: headings, items and boxes of Markdown with their positions.
//! - [`text_edit`]: edits as replaced ranges, applied together.
//!
//! No loops here, and no files: bytes in, bytes out.
//!
//! ```
//! use loopdeck_text::text_edit::{TextEdit, apply};
//!
//! let file = br#"{ "status":  "running" }"#;
//! let edited = apply(file, &[TextEdit::replace(14..21, "paused")]);
//! assert_eq!(edited.as_deref(), Ok(&br#"{ "status":  "paused" }"#[..]));
//! ```

pub mod almost_json;
pub mod json_span;
pub mod markdown;
mod terminal;
pub mod text_edit;
pub mod yaml_span;

pub use terminal::plain;

/// Cuts `text` to at most `limit` characters, marking the cut.
#[must_use]
pub fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned(); // no character is shorter than a byte
    }
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
