//! The outline of a list: its title, its status line and its boxes.

use super::read::{StatusField, read, status_lines};
use crate::outline::{LEFT_OUT, kept, line};

/// What the driver knows of a status line.
const FIELDS: [&str; 3] = ["status", "iteration", "max"];

/// The same list without its texts; `None` when it cannot be read.
pub(crate) fn outline(bytes: &[u8]) -> Option<Vec<u8>> {
    let list = read(bytes).ok()?;
    let mut text = String::new();
    for status in status_lines(list.text).0 {
        let known = status.fields.iter().filter(|field| FIELDS.contains(&field.key));
        let fields: String = known.map(field).collect();
        text.push_str(&format!("<!-- loop:{fields} -->\n"));
    }
    if let Some(title) = &list.title {
        text.push_str(&format!("# {}\n", line(title)));
    }
    for item in &list.items {
        text.push_str(&format!("- [{}] {LEFT_OUT}\n", if item.is_done { 'x' } else { ' ' }));
    }
    Some(text.into_bytes())
}

fn field(field: &StatusField<'_>) -> String {
    // A word that is none stays one: the row says so.
    format!(" {}={}", field.key, kept("status", field.value))
}
