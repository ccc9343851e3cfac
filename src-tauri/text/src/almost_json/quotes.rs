//! Quotes: which ones begin a string, and which ones end it.

/// Whether a string may begin with `c`.
pub(super) fn is_opening_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`') || is_typographic(c)
}

/// Whether it is a typographic quote.
pub(super) fn is_typographic(c: char) -> bool {
    matches!(c, '“' | '”' | '„' | '‟' | '«' | '»' | '‘' | '’' | '‚' | '‛' | '＂' | '″' | '〝' | '〞')
}

fn is_single(c: char) -> bool {
    matches!(c, '\'' | '`' | '‘' | '’' | '‚' | '‛' | '´')
}

/// Whether a string that begins with `first` may end with `c`.
pub(super) fn closes(first: char, c: char) -> bool {
    match first {
        '"' | '\'' => c == first,
        '`' => matches!(c, '`' | '\''),
        _ if is_single(first) => is_single(c),
        _ => c == '"' || is_typographic(c) && !is_single(c),
    }
}
