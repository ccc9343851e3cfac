//! The names of phases and plans, which real projects write in many ways.

/// `2.1` for `02.1` and `CK-02.1`; `None` for what isn't the number of a phase.
pub(super) fn number(written: &str) -> Option<String> {
    let bare = without_code(written);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    if !begins_with_digit(bare) || bare.len() > 20 || !bare.chars().all(is_part) {
        return None;
    }
    let parts = bare.split('.').map(|part| match part.trim_start_matches('0') {
        // The last zero of `00` stays.
        rest if part.starts_with('0') && !begins_with_digit(rest) => format!("0{rest}"),
        rest => rest.to_owned(),
    });
    Some(parts.collect::<Vec<_>>().join(".").to_ascii_uppercase())
}

/// What phases and plans are sorted by: 2, 2.1, 10.
pub(super) fn order(id: &str) -> Vec<(u64, String)> {
    let part = |part: &str| {
        let words = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = &part[..part.len() - words.len()];
        (digits.parse().unwrap_or(u64::MAX), words.to_owned())
    };
    id.split(['.', '-']).map(part).collect()
}

/// The number of the phase that a folder holds: `2.1` for `02.1-rain`, `phase-02.1` and `CK-02.1-rain`.
pub(super) fn phase_of(folder: &str) -> Option<String> {
    let bare = without_code(folder);
    number(bare.strip_prefix("phase-").unwrap_or(bare).split('-').next()?)
}

/// `02.1-03` for `2.1-3`, `02.1-03-PLAN.md`, `02.1-PLAN-03-words.md`, and for `PLAN-03.md` in that phase; `None` where the name has
/// no number.
pub(super) fn plan_id(name: &str, phase: &str) -> Option<String> {
    let parts = parts_of(name);
    match name.split('-').next() {
        Some(first) if is_marker(first) => {
            Some(id(phase, parts.first().filter(|part| is_plan_number(part))?))
        }
        _ => Some(id(&number(parts.first()?)?, parts.get(1).filter(|part| is_plan_number(part))?)),
    }
}

/// The id of a plan and of its summary: the words of the name where it has no number.
pub(super) fn id_of(path: &str, phase: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    plan_id(name, phase).unwrap_or_else(|| {
        let words = parts_of(name).join("-");
        let is_bare = words.is_empty() || number(&words).as_deref() == Some(phase);
        match words {
            _ if is_bare => id(phase, "PLAN"),
            // `01-PLAN` in another phase than the first.
            number if is_plan_number(&number) => id(phase, &number),
            words => words,
        }
    })
}

/// The id of a plan with this number.
pub(super) fn id(phase: &str, plan: &str) -> String {
    let padded = |number: &str| {
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 1 { format!("0{number}") } else { number.to_owned() }
    };
    format!("{}-{}", padded(phase), padded(plan))
}

/// `01`, `3`, `05b`, `04.1`; a year isn't one.
pub(super) fn is_plan_number(part: &str) -> bool {
    let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_end = rest.is_empty() || rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_decimal = rest.strip_prefix('.').is_some_and(begins_with_digit);
    (1..=2).contains(&(part.len() - rest.len())) && (is_end || is_decimal)
}

/// Whether the name of a file has this word at its end or before a number: `02.1-03-PLAN.md`, `02.1-PLAN-03-words.md`.
pub(super) fn is_of_kind(path: &str, word: &str) -> bool {
    let Some(name) = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md")) else { return false };
    let mut parts = name.split('-').skip_while(|part| !part.eq_ignore_ascii_case(word));
    parts.next().is_some() && parts.next().is_none_or(begins_with_digit)
}

pub(super) fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit())
}

/// The parts of a name without its markers, the code of the project, and its ending.
fn parts_of(name: &str) -> Vec<&str> {
    let base = name.strip_suffix(".md").unwrap_or(name);
    without_code(base).split('-').filter(|part| !part.is_empty() && !is_marker(part)).take(40).collect()
}

fn is_marker(part: &str) -> bool {
    part.eq_ignore_ascii_case("plan") || part.eq_ignore_ascii_case("summary")
}

/// A name without the code of the project in front of the number.
fn without_code(name: &str) -> &str {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_code = |code: &str| code.len() > 1 && !begins_with_digit(code) && code.bytes().all(is_part);
    name.split_once('-')
        .filter(|(code, rest)| is_code(code) && begins_with_digit(rest))
        .map_or(name, |(_, rest)| rest)
}
