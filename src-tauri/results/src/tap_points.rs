//! The single lines of TAP: points, plans and diagnostics.

use super::tally::Status;
use super::text::{decimal, duration, first_line, is_like, number, span};

/// `ok 1 - name # SKIP reason`
#[derive(Debug, PartialEq)]
pub(super) struct Point<'a> {
    pub(super) name: std::borrow::Cow<'a, str>,
    pub(super) status: Status,
    pub(super) ms: Option<f64>,
    /// Its number, where it has one.
    pub(super) number: Option<u64>,
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
    let (number, rest) = number(rest).map_or((None, rest), |(number, rest)| (Some(number), rest));
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('-').map_or(rest, str::trim_start);
    let (rest, opens) = match rest.strip_suffix('{') {
        Some(before) if before.is_empty() || before.ends_with(' ') => (before.trim_end(), true),
        _ => (rest, false),
    };
    let (name, directive) = directive(rest);
    let mut parts = directive.split(" #").map(str::trim);
    let excused = parts.clone().any(is_excuse);
    let is_damaged = parts.clone().any(is_nearly_excuse);
    let status = match ok {
        // With a damaged directive it may not have run, so it doesn't count as passed.
        _ if excused || ok && is_damaged => Status::Skipped,
        true => Status::Passed,
        false => Status::Failed,
    };
    let told = |part: &str| part.strip_prefix("time=").or(part.strip_prefix("in ")).and_then(span);
    let (name, ms) = match parts.find_map(told) {
        Some(ms) => (name.trim_end(), Some(ms)),
        None => timed(name.trim_end()),
    };
    let name =
        if name.contains('\\') { name.replace("\\#", "#").replace("\\\\", "\\").into() } else { name.into() };
    Some(Point { name, status, ms, number, opens })
}

/// A name, and what bats writes behind it: `adds in 12ms`.
fn timed(name: &str) -> (&str, Option<f64>) {
    let found =
        name.rsplit_once(" in ").filter(|(_, time)| time.starts_with(|char: char| char.is_ascii_digit()));
    match found.and_then(|(name, time)| Some((name, span(time).filter(|_| time.ends_with("ms"))?))) {
        Some((name, ms)) => (name.trim_end(), Some(ms)),
        None => (name, None),
    }
}

/// A directive by which a result doesn't count.
fn is_excuse(directive: &str) -> bool {
    ["skip", "todo"].iter().any(|known| super::text::head(directive, 4).eq_ignore_ascii_case(known))
}

/// The same with one damaged letter.
fn is_nearly_excuse(directive: &str) -> bool {
    let word = directive.split([' ', ':', '\t']).next().unwrap_or_default();
    ["skip", "todo"].iter().any(|known| is_like(word, known))
}

/// Name and directive; `\#` does not start one.
fn directive(text: &str) -> (&str, &str) {
    let begins = |(at, _): &(usize, &str)| {
        let word = super::text::head(text[at + 1..].trim_start(), 5).to_ascii_lowercase();
        let known = word.starts_with("time=")
            || is_excuse(text[at + 1..].trim_start())
            || is_nearly_excuse(text[at + 1..].trim_start())
            || word
                .strip_prefix("in ")
                .is_some_and(|time| time.starts_with(|char: char| char.is_ascii_digit()));
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

/// Why a plan has no tests: `1..0 # SKIP no database`.
pub(super) fn skip_reason(plan: &str) -> Option<&str> {
    let (_, said) = plan.split_once('#')?;
    let said = said.trim();
    let is_skip = super::text::head(said, 4).eq_ignore_ascii_case("skip");
    let reason = if is_skip { said[4..].trim_start_matches(|char: char| char.is_alphabetic()) } else { said };
    Some(reason.trim_start_matches(':').trim()).filter(|reason| !reason.is_empty())
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
    let ms = value("duration_ms").and_then(|ms| decimal(&ms)).and_then(duration);
    let ms = ms.or_else(|| ["duration", "time"].into_iter().find_map(|key| span(&value(key)?)));
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
        for (text, name, ms) in [
            ("ok 1 - x # time=6.10ms", "x", 6.1),
            ("ok 1 - x # time=1,5s", "x", 1500.0),
            ("ok 1 - x # SKIP no net # time=2ms", "x", 2.0),
            ("ok 1 - x # time=2ms # SKIP no net", "x", 2.0),
            ("ok 1 adds in 12ms", "adds", 12.0),
            ("ok 1 adds # in 12 ms", "adds", 12.0),
        ] {
            let point = point(text).unwrap();
            assert_eq!((&*point.name, point.ms), (name, Some(ms)), "{text}");
            assert_eq!(point.status == Status::Skipped, text.contains("SKIP"), "{text}");
        }
        assert_eq!(of("ok 1 - done in 12 steps"), row("done in 12 steps", Status::Passed, false));
        for text in ["okay", "not okay", "nok 1", "1..2"] {
            assert_eq!(of(text), None, "{text}");
        }
        for text in ["1..0 # SKIP no net", "1..0 # skipped: no net", "1..0 # no net"] {
            assert_eq!(skip_reason(text), Some("no net"), "{text}");
        }
        assert_eq!((skip_reason("1..0"), skip_reason("1..0 # SKIP")), (None, None));
        assert_eq!((plan("1..4"), plan("1..0 # SKIP x"), plan("1..4x")), (Some(4), Some(0), None));
    }
}
