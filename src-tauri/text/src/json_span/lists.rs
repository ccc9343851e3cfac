//! New items at the end of an array as one text edit; existing items stay byte for byte.

use super::change::Step;
use super::json::Json;
use super::scan::{Reader, Scan, ValueKind};
use super::search::descend;
use super::splice::{Outline, SpliceError};
use super::style::{ArrayStyle, unit_of, without_blank_lines};
use super::tree::Node;
use crate::text_edit::{self, TextEdit};
use std::ops::Range;

/// The array at `path`, with its position and those of its items.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    text: &'a str,
    span: Range<usize>,
    items: Vec<Range<usize>>,
}

impl<'a> Items<'a> {
    /// Checks the whole document and finds the array; `None` when there is nothing or something else.
    ///
    /// # Errors
    /// When the document is not JSON, or it repeats a key of the path.
    pub fn read(bytes: &'a [u8], path: &[Step<'_>]) -> Result<Option<Self>, SpliceError> {
        let mut reader = Reader::new(bytes)?;
        let (mut duplicate, mut found) = (None, None);
        descend(&mut reader, path, ValueKind::List, &mut duplicate, &mut |list| {
            found = Some(Self::read_here(list)?);
            Ok(())
        })?;
        reader.end()?;
        match duplicate {
            Some(key) => Err(SpliceError::DuplicateKey(key)),
            None => Ok(found),
        }
    }

    fn read_here(reader: &mut Reader<'a>) -> Scan<Self> {
        let start = reader.offset();
        let mut items = Vec::new();
        reader.list(|item| item.skip().map(|span| items.push(span)))?;
        Ok(Self { text: reader.text(), span: start..reader.offset(), items })
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The members of the object at `index`, for editing only that item.
    ///
    /// # Errors
    /// When there is no such item, or it is not an object.
    pub fn outline(&self, index: usize) -> Result<Outline<'a>, SpliceError> {
        let item = self.items.get(index).ok_or(SpliceError::NoObject)?;
        Outline::at(self.text, item.start)
    }

    /// The edit that appends `new`, laid out like its neighbours; checked.
    ///
    /// # Errors
    /// [`SpliceError::Unsafe`] when the result would not have the intended content.
    pub fn push(&self, new: &Json) -> Result<TextEdit, SpliceError> {
        self.append(std::slice::from_ref(new))
    }

    /// Like [`Items::push`], for several items in order.
    ///
    /// # Errors
    /// [`SpliceError::Unsafe`] when the result would not have the intended content.
    pub fn append(&self, new: &[Json]) -> Result<TextEdit, SpliceError> {
        let edit = match self.items.last() {
            _ if new.is_empty() => TextEdit::insert(self.span.end - 1, ""),
            Some(last) => {
                let separator = self.separator(last);
                let style = ArrayStyle::of_separator(&separator, self.text);
                let layout = self.layout_of_items(last, &style);
                let items = new.iter().map(|new| separator.clone() + &new.laid_out(&layout));
                TextEdit::insert(last.end, items.collect::<String>())
            }
            None => TextEdit::replace(self.span.start + 1..self.span.end - 1, self.first(new)),
        };
        self.verify(&edit, new)?;
        Ok(edit)
    }

    /// Edits that remove items, each with the comma before it.
    #[must_use]
    pub fn remove(&self, removed: impl Fn(usize) -> bool) -> Vec<TextEdit> {
        let kept: Vec<usize> = (0..self.items.len()).filter(|&index| !removed(index)).collect();
        let Some(&first) = kept.first() else {
            let inside = self.span.start + 1..self.span.end - 1;
            return if self.items.is_empty() { Vec::new() } else { vec![TextEdit::replace(inside, "")] };
        };
        let mut edits = Vec::new();
        if first > 0 {
            edits.push(TextEdit::replace(self.items[0].start..self.items[first].start, ""));
        }
        let ends = kept.iter().skip(1).map(|&next| next - 1).chain([self.items.len() - 1]);
        for (&index, end) in kept.iter().zip(ends).filter(|(index, end)| *index < end) {
            edits.push(TextEdit::replace(self.items[index].end..self.items[end].end, ""));
        }
        edits
    }

    /// The text before the last item, with its comma.
    fn separator(&self, last: &Range<usize>) -> String {
        match self.items.len().checked_sub(2).and_then(|index| self.items.get(index)) {
            Some(before) => without_blank_lines(&self.text[before.end..last.start]),
            None => format!(",{}", &self.text[self.span.start + 1..last.start]),
        }
    }

    /// An item on one line among items on one line each stays on one line.
    fn layout_of_items(&self, last: &Range<usize>, around: &ArrayStyle) -> super::json::Separators {
        let old = &self.text[last.clone()];
        if matches!(around, ArrayStyle::Lines { .. }) && old.starts_with(['{', '[']) && !old.contains('\n') {
            let style = if old.contains(": ") { ArrayStyle::Inline } else { ArrayStyle::Minified };
            return if old.len() > 2 { style.layout() } else { around.layout() };
        }
        around.layout()
    }

    fn first(&self, new: &[Json]) -> String {
        if !self.text.trim_end().contains('\n') {
            let items: Vec<String> = new.iter().map(Json::compact).collect();
            return items.join(",");
        }
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let start = self.text[..self.span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[start..self.span.start];
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let unit = unit_of(self.text);
        let inner = format!("{newline}{indent}{unit}");
        let style = ArrayStyle::Lines { line: inner.clone(), unit: unit.to_owned() };
        let items: Vec<String> = new.iter().map(|new| new.laid_out(&style.layout())).collect();
        format!("{inner}{}{newline}{indent}", items.join(&format!(",{inner}")))
    }

    fn verify(&self, edit: &TextEdit, new: &[Json]) -> Result<(), SpliceError> {
        let start = self.span.start;
        let mut local: Vec<_> = self.items.iter().map(|item| TextEdit::replace(item.clone(), "0")).collect();
        local.push(edit.clone());
        for edit in &mut local {
            edit.range = edit.range.start - start..edit.range.end - start;
        }
        let list = &self.text[self.span.clone()];
        let edited = text_edit::apply(list.as_bytes(), &local).map_err(|_| SpliceError::Unsafe)?;
        let node = Node::parse(&edited).map_err(|_| SpliceError::Unsafe)?;
        let added = node.items().iter().skip(self.items.len()).map(Json::from_node);
        let same = node.items().len() == self.items.len() + new.len() && added.eq(new.iter().cloned());
        if same { Ok(()) } else { Err(SpliceError::Unsafe) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, new: &Json, expected: &str) {
        let items = Items::read(text.as_bytes(), &[Step::Key("a")]).expect("valid").expect("a list");
        let edit = items.push(new).expect("safe");
        let edited = text_edit::apply(text.as_bytes(), &[edit]).expect("inside");
        assert_eq!(String::from_utf8(edited).as_deref(), Ok(expected));
    }

    #[test]
    fn an_item_is_laid_out_as_its_neighbours() {
        let new = Json::object(vec![("k", Json::count(1))]);
        check("{\"a\":[]}", &new, "{\"a\":[{\"k\":1}]}");
        check("{\"a\":[0]}", &new, "{\"a\":[0,{\"k\":1}]}");
        check("{\n  \"a\": [ ]\n}", &new, "{\n  \"a\": [\n    {\n      \"k\": 1\n    }\n  ]\n}");
        let two = "{\n  \"a\": [\n    {\n      \"k\": 50.0\n    }\n  ]\n}\n";
        let three = "{\n  \"a\": [\n    {\n      \"k\": 50.0\n    },\n    {\n      \"k\": 1\n    }\n  ]\n}\n";
        check(two, &new, three);
        check("{\n\t\"a\": [\"x\", \"y\"]\n}", &Json::text("z"), "{\n\t\"a\": [\"x\", \"y\", \"z\"]\n}");
        let rows = "{\n  \"a\": [\n    {\"k\": 0}\n  ]\n}";
        check(rows, &new, "{\n  \"a\": [\n    {\"k\": 0},\n    {\"k\": 1}\n  ]\n}");
    }

    #[test]
    fn removed_items_take_their_comma_along() {
        let text = "{\"a\": [1, 2,  3, 4]}";
        let items = Items::read(text.as_bytes(), &[Step::Key("a")]).expect("valid").expect("a list");
        for (gone, expected) in [
            (vec![0], "[2,  3, 4]"),
            (vec![1, 2], "[1, 4]"),
            (vec![3], "[1, 2,  3]"),
            (vec![0, 2], "[2, 4]"),
            (vec![0, 1, 2, 3], "[]"),
            (vec![], "[1, 2,  3, 4]"),
        ] {
            let edits = items.remove(|index| gone.contains(&index));
            let edited = text_edit::apply(text.as_bytes(), &edits).expect("disjoint");
            assert_eq!(String::from_utf8(edited), Ok(format!("{{\"a\": {expected}}}")));
        }
    }

    #[test]
    fn what_is_no_list_is_not_found() {
        assert!(matches!(Items::read(b"{\"a\":null}", &[Step::Key("a")]), Ok(None)));
        let twice = Items::read(b"{\"a\":[],\"a\":[]}", &[Step::Key("a")]);
        assert!(matches!(twice, Err(SpliceError::DuplicateKey(_))));
    }
}
