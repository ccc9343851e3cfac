//! What verbs and the driver write: values of the status line (the Ralph contract §4, §5); and what a person adds to the list.

use super::read::{WORDS, status_lines};
use crate::formats::list::{ListChange, WorkList};
use crate::status::FileStatus;
use loopdeck_plans::lines_of;
use loopdeck_text::markdown::Document;
use loopdeck_text::text_edit::TextEdit;

/// The text edits of a change.
pub(crate) fn edits(list: &WorkList<'_>, change: ListChange) -> Vec<TextEdit> {
    let word = change.status.and_then(word_of);
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let (lines, top) = status_lines(list.text);
    let Some(there) = lines.first() else {
        let new = line(
            word.unwrap_or("pending"),
            change.iteration.unwrap_or(list.iteration),
            change.limit.unwrap_or(list.limit),
        );
        let end = if list.text.contains("\r\n") { "\r\n" } else { "\n" };
        return vec![TextEdit::insert(top, format!("{new}{end}"))];
    };
    let values = [
        ("status", word.map(str::to_owned)),
        ("iteration", number(change.iteration)),
        ("max", number(change.limit)),
    ];
    let given = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    given
        .filter_map(|(key, value)| match there.field(key) {
            Some(field) if field.value == value => None,
            Some(field) => Some(TextEdit::replace(field.range.clone(), value)),
            None => Some(TextEdit::insert(there.end, format!(" {key}={value}"))),
        })
        .collect()
}

/// A new box after the last one of the outermost level, with the same bullet.
pub(crate) fn addition(list: &WorkList<'_>, text: &str) -> Option<TextEdit> {
    let document = Document::read(list.text);
    let column = |start: usize| start - list.text[..start].rfind('\n').map_or(0, |end| end + 1);
    let boxes = document.items.iter().filter_map(|item| Some((item.start, item.mark.as_ref()?.1.start)));
    // Of equals `min_by_key` takes the first.
    let (start, mark) = boxes.rev().min_by_key(|(start, _)| column(*start))?;
    let block = lines_of(list.text, mark);
    let bullet = list.text.get(start..mark.checked_sub(1)?)?;
    let digits = bullet.len() - bullet.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let bullet = match bullet[..digits].parse::<u32>() {
        Ok(number) => format!("{}{}", number.checked_add(1)?, &bullet[digits..]),
        Err(_) => bullet.to_owned(),
    };
    let end = if list.text.contains("\r\n") { "\r\n" } else { "\n" };
    Some(TextEdit::insert(block.end, format!("{end}{}{bullet}[ ] {text}", " ".repeat(column(start)))))
}

fn word_of(status: FileStatus) -> Option<&'static str> {
    WORDS.iter().find(|(_, known)| *known == status).map(|(word, _)| *word)
}

/// A status line.
pub(crate) fn line(status: &str, iteration: u32, max: u32) -> String {
    format!("<!-- loop: status={status} iteration={iteration} max={max} -->")
}
