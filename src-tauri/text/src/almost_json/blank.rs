//! What may be between values: white space, comments, and lines that belong to no value.

/// Bytes that one look ahead reads at most.
pub(super) const AHEAD: usize = 1024;

/// The first byte from `at` that is not white space, a comment or NUL; looks at most [`AHEAD`] bytes ahead.
pub(super) fn past(bytes: &[u8], mut at: usize) -> usize {
    let end = bytes.len().min(at.saturating_add(AHEAD));
    while at < end {
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' | 0 => at += 1,
            _ => match comment(bytes, at, end) {
                Some(next) => at = next,
                None => break,
            },
        }
    }
    while bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
        at += 1; // the look ahead ended within a character
    }
    at
}

/// The end of the comment that begins at `at`: of a line without its line break, of a block behind `*/`. An open block
/// is none, because its end can't be known.
pub(super) fn comment(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    let rest = &bytes[at..end];
    if rest.starts_with(b"//") || rest.starts_with(b"#") {
        let end = memchr::memchr(b'\n', rest).map_or(end, |length| at + length);
        return Some(if bytes[at..end].ends_with(b"\r") { end - 1 } else { end });
    }
    if rest.starts_with(b"/*") {
        return memchr::memmem::find(&rest[2..], b"*/").map(|length| at + length + 4);
    }
    None
}

/// A line of Git's conflict marks or a code fence.
pub(super) fn is_mark(line: &[u8]) -> bool {
    [&b"<<<<<<<"[..], b"=======", b">>>>>>>", b"|||||||", b"```", b"~~~"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// The end of the line at `at`, without its line break.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}

/// The column of `at` when only white space is before it on its line; looks at most [`AHEAD`] bytes back.
pub(super) fn indent(bytes: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(AHEAD);
    let before = &bytes[from..at];
    let start = match memchr::memrchr(b'\n', before) {
        Some(line) => line + 1,
        None if from == 0 => 0,
        None => return None,
    };
    before[start..].iter().all(|byte| matches!(byte, b' ' | b'\t')).then(|| before.len() - start)
}
