//! The single lines of TAP: points, plans and diagnostics.

use super::tally::Status;
use super::text::{duration, first_line, number};

/// `ok 1 - name # SKIP reason`
#[derive(Debug, PartialEq)]
pub(super) struct Point<'a> {
    pub(super) name: std::borrow::Cow<'a, str>,
    pub(super) status: Status,
    pub(super) ms: Option<f64>,
    /// Its subtests follow between braces.
    pub(super) opens: bool,
}

/// A test point, without its indent.
pub(super) fn point(text: &str) -> Option<Point<'_>> {
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let rest = rest.trim_start();
    let rest = number(rest).map_or(rest, |(_, rest)| rest).trim_start();
    let rest = rest.strip_prefix('-').map_or(rest, str::trim_start);
    let (rest, opens) = match rest.strip_suffix('{') {
        Some(before) if before.is_empty() || before.ends_with(' ') => (before.trim_end(), true),
        _ => (rest, false),
    };
    let (name, directive) = directive(rest);
    let word = directive.to_ascii_lowercase();
    let excused = word.starts_with("skip") || word.starts_with("todo");
    let status = match ok {
        _ if excused => Status::Skipped,
        true => Status::Passed,
        false => Status::Failed,
    };
    let ms =
        word.strip_prefix("time=").and_then(|time| time.strip_suffix("ms")?.parse().ok()).and_then(duration);
    let name = name.trim_end();
    let name =
        if name.contains('\\') { name.replace("\\#", "#").replace("\\\\", "\\").into() } else { name.into() };
    Some(Point { name, status, ms, opens })
}

/// Name and directive; `\#` does not start one.
fn directive(text: &str) -> (&str, &str) {
    let begins = |(at, _): &(usize, &str)| {
        let word = super::text::head(text[at + 1..].trim_start(), 5).to_ascii_lowercase();
        let known = ["skip", "todo", "time="].iter().any(|known| word.starts_with(known));
        known && !text[..*at].ends_with('\\') && (*at == 0 || text[..*at].ends_with(' '))
    };
    // A line may contain any number of them; a directive is the last, apart from its reason.
    let found = text.match_indices('#').take(64).find(begins);
    found.map_or((text, ""), |(at, _)| (&text[..at], text[at + 1..].trim()))
}

/// `1..4`: how many points to expect.
pub(super) fn plan(text: &str) -> Option<u64> {
    let (last, rest) = number(text.strip_prefix("1..")?)?;
    (rest.trim().is_empty() || rest.trim_start().starts_with('#')).then_some(last)
}

/// Message and milliseconds from diagnostics: YAML between `---` and `...`, or plain lines.
pub(super) fn explanation(detail: &str) -> (String, Option<f64>) {
    let value = |key: &str| {
        let mut rest = detail.lines();
        let found = rest.find_map(|line| {
            let (indent, line) = (line.len() - line.trim_start().len(), line.trim());
            line.strip_prefix(key)?.strip_prefix(':').map(|value| (indent, value.trim().to_owned()))
        });
        found.map(|(indent, value)| match value.as_str() {
            "|" | "|-" | ">" | ">-" | "|+" | ">+" => {
                let inner =
                    |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() > indent;
                rest.take_while(inner).map(str::trim).collect::<Vec<_>>().join("\n")
            }
            value => unquoted(value).to_owned(),
        })
    };
    let ms = value("duration_ms").and_then(|ms| ms.parse().ok()).and_then(duration);
    let said = ["message", "error"].into_iter().filter_map(value).find(|value| !value.is_empty());
    let plain = || first_line(detail).to_owned();
    (said.unwrap_or_else(plain), ms)
}

fn unquoted(text: &str) -> &str {
    let strip = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    strip('\'').or_else(|| strip('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_taken_apart() {
        let of = |text| point(text).map(|point| (point.name.into_owned(), point.status, point.opens));
        let row = |name: &str, status, opens| Some((name.to_owned(), status, opens));
        assert_eq!(of("ok"), row("", Status::Passed, false));
        assert_eq!(of("ok 12 - a - b"), row("a - b", Status::Passed, false));
        assert_eq!(of("not ok 2 a \\# b # TODO later"), row("a # b", Status::Skipped, false));
        assert_eq!(of("ok 3 - issue #12 # skip"), row("issue #12", Status::Skipped, false));
        assert_eq!(of("not ok 1 - x # time=6.10ms {"), row("x", Status::Failed, true));
        assert_eq!(point("ok 1 - x # time=6.10ms").and_then(|point| point.ms), Some(6.1));
        for text in ["okay", "not okay", "nok 1", "1..2"] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!((plan("1..4"), plan("1..0 # SKIP x"), plan("1..4x")), (Some(4), Some(0), None));
    }
}
