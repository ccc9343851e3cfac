//! The names of phases and plans, which real projects write in many ways.

/// `2.1` for `02.1`, `CK-02.1` and `2.1`; `None` for what isn't the number of a phase.
pub(super) fn number(written: &str) -> Option<String> {
    let bare = without_code(written);
    let digits = bare.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(bare);
    let is_one = digits.starts_with(|letter: char| letter.is_ascii_digit()) && bare.len() <= 20;
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    if !is_one || !bare.chars().all(is_part) {
        return None;
    }
    let parts = bare.split_inclusive(['.', '-']).map(|part| {
        let digits = part.len() - part.trim_start_matches('0').len();
        // The last zero of `00` stays.
        let is_zero = !part[digits..].starts_with(|letter: char| letter.is_ascii_digit());
        &part[if is_zero { digits.saturating_sub(1) } else { digits }..]
    });
    Some(parts.collect::<String>().to_ascii_uppercase())
}

/// What phases are sorted by: 2, 2.1, 10.
pub(super) fn order(number: &str) -> Vec<(u64, String)> {
    let part = |part: &str| {
        let words = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = &part[..part.len() - words.len()];
        (digits.parse().unwrap_or(u64::MAX), words.to_owned())
    };
    number.split(['.', '-']).map(part).collect()
}

/// A name without the code of the project in front of the number.
fn without_code(name: &str) -> &str {
    match name.split_once('-') {
        Some((code, rest))
            if code.len() > 1
                && code.starts_with(|letter: char| letter.is_ascii_uppercase())
                && code.chars().all(|letter| {
                    letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_'
                })
                && rest.starts_with(|letter: char| letter.is_ascii_digit()) =>
        {
            rest
        }
        _ => name,
    }
}

/// The number of the phase that a folder holds: one that the roadmap has, if it can be read so.
pub(super) fn phase_of(folder: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let bare = without_code(folder);
    let bare = bare.strip_prefix("phase-").unwrap_or(bare);
    let mut ends = bare.match_indices('-').map(|(at, _)| at).chain([bare.len()]).take(3).collect::<Vec<_>>();
    ends.reverse();
    let numbers: Vec<String> = ends.into_iter().filter_map(|end| number(&bare[..end])).collect();
    // A number that stands first in a name is the phase's; a second one may belong to it, or begin the words of the name.
    numbers.iter().find(|number| is_known(number)).or(numbers.last()).cloned()
}

/// `02.1-03` for `2.1-3`, `02.1-03-PLAN.md`, `02.1-PLAN-03-words.md`, `02.1-03-words-SUMMARY.md`, and `PLAN-03.md` in that phase; `None`
/// where the name has no number.
pub(super) fn plan_id(name: &str, phase: &str) -> Option<String> {
    let parts = parts_of(name);
    let begins_with = |end: &usize| number(&parts[..*end].join("-")).as_deref() == Some(phase);
    let end = match name.split('-').next() {
        Some(first) if is_marker(first) => 0,
        _ => (1..=parts.len().min(3)).rev().find(begins_with)?,
    };
    parts.get(end).filter(|part| is_plan_number(part)).map(|part| id(phase, part))
}

/// Ids that a text may mean where it can be of any phase.
pub(super) fn ids_of_any_phase(written: &str) -> Vec<String> {
    let parts = parts_of(written);
    let ends = (1..parts.len().min(4)).filter(|end| is_plan_number(parts[*end]));
    ends.filter_map(|end| Some(id(&number(&parts[..end].join("-"))?, parts[end]))).collect()
}

/// The id of a plan with this number.
pub(super) fn id(phase: &str, plan: &str) -> String {
    format!("{}-{}", padded(phase), padded(plan))
}

/// `02.1` for `2.1`.
pub(super) fn padded(number: &str) -> String {
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 1 { format!("0{number}") } else { number.to_owned() }
}

/// The parts of a name without its markers, the code of the project, and its ending.
pub(super) fn parts_of(name: &str) -> Vec<&str> {
    let base = name.strip_suffix(".md").unwrap_or(name);
    without_code(base).split('-').filter(|part| !part.is_empty() && !is_marker(part)).take(40).collect()
}

fn is_marker(part: &str) -> bool {
    part.eq_ignore_ascii_case("plan") || part.eq_ignore_ascii_case("summary")
}

/// `01`, `3`, `05b`, `04.1`; a year isn't one.
pub(super) fn is_plan_number(part: &str) -> bool {
    let (whole, rest) = part.split_once('.').unwrap_or((part, "0"));
    let digits = whole.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    digits.len() <= 2 && whole.len() - digits.len() <= 1 && is_number(digits) && is_number(rest)
}

/// Whether a file of a phase is a plan.
pub(super) fn is_plan(file: &str) -> bool {
    let upper = file.to_ascii_uppercase();
    let is_other =
        ["-OUTLINE.MD", ".PRE-BOUNCE.MD", "-PLAN-REVIEW.MD"].iter().any(|end| upper.ends_with(end));
    let has_number = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    let numbered = upper.strip_prefix("PLAN-").or_else(|| upper.split_once("-PLAN-").map(|(_, rest)| rest));
    !is_other
        && !is_summary(file)
        && (upper.ends_with("-PLAN.MD") || upper == "PLAN.MD" || numbered.is_some_and(has_number))
}

/// Whether a file of a phase says that a plan was carried out.
pub(super) fn is_summary(file: &str) -> bool {
    let upper = file.to_ascii_uppercase();
    let has_number = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    let numbered =
        upper.strip_prefix("SUMMARY-").or_else(|| upper.split_once("-SUMMARY-").map(|(_, rest)| rest));
    upper.ends_with("-SUMMARY.MD")
        || upper == "SUMMARY.MD"
        || numbered.is_some_and(has_number) && upper.ends_with(".MD")
}
