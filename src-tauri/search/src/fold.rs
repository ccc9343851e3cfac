//! Letters as they are compared: without case, accents and width.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Calls `take` with each letter that `letter` is compared as: none for an accent, several for a ligature.
pub(crate) fn fold(letter: char, mut take: impl FnMut(char)) {
    if letter.is_ascii() {
        return take(letter.to_ascii_lowercase());
    }
    if is_cjk(letter) {
        return take(letter);
    }
    decompose_compatible(letter, |part| {
        if !is_combining_mark(part) {
            part.to_lowercase().for_each(&mut take);
        }
    });
}

/// Whether words of this script have no spaces between them.
pub(crate) fn is_cjk(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF // Thai, Lao
        | 0x3040..=0x30FF // kana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Han
        | 0xAC00..=0xD7AF // Hangul
        | 0x2_0000..=0x3_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|letter| fold(letter, |part| out.push(part)));
        out
    }

    #[test]
    fn case_accents_and_width_do_not_count() {
        for (text, expected) in [
            ("ÄÖÜ ß", "aou ß"),
            ("Café", "cafe"),
            ("e\u{301}", "e"),
            ("ＡＰＩ１", "api1"),
            ("ﬁn", "fin"),
            ("が登録", "が登録"),
            ("İ", "i"),
            ("😀", "😀"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }
}
