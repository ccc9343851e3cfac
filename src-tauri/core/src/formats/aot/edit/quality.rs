//! Checks that a model judges, as Loopdeck writes them (AoT contract §11): a text or a rubric, and the
//! required score.

use super::lengths::within;
use super::written::{MAX_TEXT, Written, one_line};
use crate::checklist::wanted::{Criteria, Criterion, Quality};
use crate::refusal::{Refusal, bad_value};

/// What is wrong with a quality check, as a code of `start.wrong`; `None` when it can be judged.
pub(crate) fn flaw(quality: &Quality) -> Option<&'static str> {
    let refusal = lines(quality, "").err()?;
    Some(match refusal.args.get("field").map(String::as_str) {
        Some("pass_threshold") => "bad_threshold",
        Some("rubric") => "no_weight",
        Some("levels") => "bad_levels",
        _ => "blank",
    })
}

/// The lines of a quality check after `indent`.
pub(crate) fn lines(quality: &Quality, indent: &str) -> Result<String, Refusal> {
    if !(101..=500).contains(&quality.pass_threshold) {
        return Err(bad_value("pass_threshold"));
    }
    let mut text = format!("{indent}type: quality\n");
    match &quality.criteria {
        Criteria::Text(criteria) => text.push_str(&line(indent, "criteria", criteria)?),
        Criteria::Rubric(criteria) => {
            // Without a positive weight no score can be computed.
            if criteria.is_empty() || criteria.iter().all(|criterion| criterion.weight == Some(0)) {
                return Err(bad_value("rubric"));
            }
            text.push_str(&format!("{indent}rubric:\n"));
            for item in criteria {
                text.push_str(&criterion(item, &format!("{indent}  "))?);
            }
        }
    }
    text.push_str(&format!("{indent}pass_threshold: {}\n", decimal(quality.pass_threshold)));
    if let Some(scope) = &quality.scope {
        text.push_str(&line(indent, "scope", scope)?);
    }
    Ok(text)
}

fn criterion(item: &Criterion, indent: &str) -> Result<String, Refusal> {
    let mut text = line(&format!("{indent}- "), "criterion", &item.criterion)?;
    let inner = format!("{indent}  ");
    if let Some(description) = &item.description {
        text.push_str(&line(&inner, "description", description)?);
    }
    if let Some(weight) = item.weight {
        text.push_str(&format!("{inner}weight: {}\n", decimal(weight)));
    }
    if !item.levels.is_empty() {
        text.push_str(&format!("{inner}levels:\n"));
    }
    let mut above = 0;
    for (level, meaning) in &item.levels {
        if !(above + 1..=5).contains(level) {
            return Err(bad_value("levels"));
        }
        above = *level;
        text.push_str(&line(&format!("{inner}  "), &level.to_string(), meaning)?);
    }
    Ok(text)
}

/// `key: "text"`; a blank text is refused.
fn line(indent: &str, key: &str, text: &str) -> Result<String, Refusal> {
    within(key, text, MAX_TEXT)?;
    let text = one_line(text, MAX_TEXT);
    if text.is_empty() {
        return Err(bad_value(key));
    }
    Ok(format!("{indent}{key}: {}\n", Written::Quoted(text).yaml(0, "\n")))
}

fn decimal(hundredths: u32) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_are_written_as_a_person_writes_them() {
        assert_eq!([350, 300, 425, 40, 5].map(decimal), ["3.5", "3", "4.25", "0.4", "0.05"]);
    }
}
