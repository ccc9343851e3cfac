//! Ids of tasks as people and agents write them.

/// Where the number of the id at the start of a text begins, and where the id ends: `T012`, `T-012`, `I1-T012`, `T012a`, `T012.1`.
pub(super) fn plain(text: &str) -> Option<(usize, usize)> {
    let series = count(text, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    // `T009-T017` is a range.
    let is_task = text.starts_with('T') && series == 1 + count(&text[1..], |byte| byte.is_ascii_digit());
    let has_series = (1..=6).contains(&series) && text[series..].starts_with("-T") && !is_task;
    let series = if has_series { series + 1 } else { 0 };
    let rest = text[series..].strip_prefix('T')?;
    let number = text.len() - rest.strip_prefix('-').unwrap_or(rest).len();
    let mut end = number + count(&text[number..], |byte| byte.is_ascii_digit());
    if end == number {
        return None;
    }
    end += count(&text[end..], |byte| byte.is_ascii_alphabetic()).min(2);
    while text[end..].starts_with('.') && text[end + 1..].starts_with(|next: char| next.is_ascii_digit()) {
        end += 1 + count(&text[end + 1..], |byte| byte.is_ascii_digit());
    }
    let is_whole = !text[end..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    is_whole.then_some((number, end))
}

/// The length of the id of a task: as [`plain`], and `T012-test`, `T009-T017` and `T009–T017`.
pub(super) fn of_task(text: &str) -> Option<usize> {
    let (_, mut end) = plain(text)?;
    while let Some(part) =
        text[end..].strip_prefix(['-', '–']).filter(|part| part.starts_with(char::is_alphanumeric))
    {
        end = text.len() - part.len() + count(part, |byte| byte.is_ascii_alphanumeric()).max(1);
    }
    Some(end)
}

/// An id without the zeros and the hyphen of its number: `T-7` and `T007` are one.
pub(super) fn unspelled(id: &str) -> String {
    let Some((number, _)) = plain(id) else { return id.to_owned() };
    [id[..number].trim_end_matches('-'), id[number..].trim_start_matches('0')].concat()
}

fn count(text: &str, is_part: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| is_part(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_many_forms() {
        for (text, id) in [
            ("T012 Do it", "T012"),
            ("T-01: Do it", "T-01"),
            ("I1-T003, T4", "I1-T003"),
            ("T012a", "T012a"),
            ("T012.1", "T012.1"),
            ("T012. Do", "T012"),
            ("T1001", "T1001"),
            ("T009-T017", "T009"),
        ] {
            assert_eq!(plain(text).map(|(_, end)| &text[..end]), Some(id), "{text}");
        }
        for text in [
            "TXXX",
            "Test",
            "T",
            "T-",
            "T-shirt",
            "T12abc",
            "T12_a",
            "US-1",
            "-T01",
            "t01",
            "TOOLONG-T01",
            "",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
        assert_eq!(of_task("T009–T017 All"), Some("T009–T017".len()));
        assert_eq!(of_task("T010-test Do"), Some("T010-test".len()));
        assert_eq!(of_task("T010 - Do"), Some("T010".len()));
        assert_eq!(unspelled("I1-T-007a"), "I1-T7a");
    }
}
