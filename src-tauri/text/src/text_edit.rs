//! Text edits: the only way Loopdeck changes a state file. We edit, we do not rewrite.

/// Replace `range` of the original bytes with `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// Byte range in the original; empty for an insertion.
    pub range: std::ops::Range<usize>,
    /// The new text.
    pub text: String,
}

impl TextEdit {
    /// Replaces `range` with `text`.
    pub fn replace(range: std::ops::Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    /// Inserts `text` before the byte `at`.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { range: at..at, text: text.into() }
    }
}

/// Two edits overlap, or one is outside the file. A bug in an editor, never a bad file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlappingEdits;

/// Applies `edits` in any order. Bytes outside the edited ranges are copied unchanged.
///
/// # Errors
/// [`OverlappingEdits`] when ranges overlap or leave the file; nothing may be written then.
pub fn apply(original: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, OverlappingEdits> {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    // Stable: insertions at the same position keep their order.
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out =
        Vec::with_capacity(original.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut copied = 0;
    for edit in sorted {
        if edit.range.start < copied || edit.range.end < edit.range.start || edit.range.end > original.len() {
            return Err(OverlappingEdits);
        }
        out.extend_from_slice(&original[copied..edit.range.start]);
        out.extend_from_slice(edit.text.as_bytes());
        copied = edit.range.end;
    }
    out.extend_from_slice(&original[copied..]);
    Ok(out)
}

/// 1-based line of the byte at `offset`.
#[must_use]
pub fn line_of(bytes: &[u8], offset: usize) -> u32 {
    let newlines = memchr::memchr_iter(b'\n', &bytes[..offset.min(bytes.len())]).count();
    u32::try_from(newlines).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_place_order() {
        let edits = [TextEdit::replace(4..7, "TWO"), TextEdit::insert(0, ">"), TextEdit::insert(7, "!")];
        assert_eq!(apply(b"one two", &edits), Ok(b">one TWO!".to_vec()));
    }

    #[test]
    fn overlapping_or_outside_edits_are_refused() {
        let overlap = [TextEdit::replace(0..3, "a"), TextEdit::replace(2..4, "b")];
        assert_eq!(apply(b"12345", &overlap), Err(OverlappingEdits));
        assert_eq!(apply(b"12345", &[TextEdit::replace(4..6, "b")]), Err(OverlappingEdits));
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!((line_of(b"a\nb\n", 0), line_of(b"a\nb\n", 2), line_of(b"a\nb\n", 99)), (1, 2, 3));
    }
}
