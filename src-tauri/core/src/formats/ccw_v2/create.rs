//! The first text of a Loop v2 (the CCW contract §1.4, §2, §5.1): as the dashboard's server writes it, with
//! two-space indent and no newline at the end. The skill adds its state when it starts.

pub(crate) mod initial;

use super::forms::{ITERATIONS, USUAL_ITERATIONS, takes_title};
use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::refusal::{Refusal, bad_value};
use crate::times::{self, Timestamp};
use loopdeck_text::json_span::json::Json;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A person's input for a new loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct NewLoopV2 {
    /// 1 to 100 characters; surrounding blanks are dropped.
    pub title: String,
    /// The task; may be empty.
    pub description: String,
    /// 1 to 100; 10 when `None`.
    pub max_iterations: Option<u32>,
}

impl NewLoopV2 {
    /// The title to write.
    pub(crate) fn checked_title(&self) -> Result<&str, Refusal> {
        let title = self.title.trim();
        if takes_title(title) { Ok(title) } else { Err(bad_value("title")) }
    }

    /// The limit to write.
    pub(crate) fn checked_limit(&self) -> Result<u32, Refusal> {
        let limit = self.max_iterations.unwrap_or(USUAL_ITERATIONS);
        if ITERATIONS.accepts(limit) { Ok(limit) } else { Err(bad_value("max_iterations")) }
    }
}

/// The file name without `.json` of a loop created at `now`: `loop-v2-20261120T042420-a62bb5fb`. `random`:
/// any number; use another one if the name is taken.
#[must_use]
pub fn stem(now: Timestamp, random: u32) -> String {
    format!("loop-v2-{}-{random:08x}", stamp(now))
}

/// `20261120T042420`.
pub(crate) fn stamp(now: Timestamp) -> String {
    let time = times::to_iso_seconds(now);
    time.chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect()
}

/// The text of a new file named `<stem>.json`; its status is `created`.
///
/// # Errors
/// A refusal when the title, the limit or the name (`loop_id`) is outside what the format allows.
pub fn create(stem: &str, new: &NewLoopV2, now: Timestamp) -> Result<String, Refusal> {
    let time = times::to_iso_millis(now);
    let master = Json::object(vec![
        ("loop_id", Json::text(stem)),
        ("title", Json::text(new.checked_title()?)),
        ("description", Json::text(&new.description)),
        ("max_iterations", Json::count(new.checked_limit()?)),
        ("status", Json::text("created")),
        ("current_iteration", Json::count(0)),
        ("created_at", Json::text(&time)),
        ("updated_at", Json::text(&time)),
    ]);
    verified_text(stem, "loop-v2-", Format::LoopV2, &master, now)
}

/// The text, provided it reads back as a valid loop of this name.
pub(crate) fn verified_text(
    stem: &str,
    prefix: &str,
    format: Format,
    master: &Json,
    now: Timestamp,
) -> Result<String, Refusal> {
    let text = master.pretty();
    let facts = FileFacts { stem, modified: now, now };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_sound = ccw::summary(text.as_bytes(), &facts)
        .is_some_and(|summary| summary.format == format && summary.problems.is_empty());
    if stem.starts_with(prefix) && stem.chars().all(plain) && is_sound {
        Ok(text)
    } else {
        Err(bad_value("loop_id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Situation, Verb};
    use crate::formats::ccw::read::clock::is_ours;
    use crate::refusal::RefusalCode;
    use crate::status::StatusWord;

    /// A file written by the real server.
    const STOPPED: &str =
        include_str!("../../../../../tests/fixtures/ccw/stopped/loop-v2-20261120T042421-d8ff7e62.json");
    const STEM: &str = "loop-v2-20261120T042421-d8ff7e62";

    fn now() -> Timestamp {
        times::parse("2026-11-20T04:24:21.870Z").expect("time")
    }

    fn new(title: &str) -> NewLoopV2 {
        NewLoopV2 { title: title.into(), ..NewLoopV2::default() }
    }

    #[test]
    fn the_text_is_that_of_the_server() {
        let text = create(STEM, &new(" Refactor logger\n"), now()).expect("valid");
        let begin = STOPPED.find("  \"updated_at\"").expect("there");
        let expected = STOPPED[..begin].replace("\"failed\"", "\"created\"")
            + "  \"updated_at\": \"2026-11-20T04:24:21.870Z\"\n}";
        assert_eq!(text, expected);
        assert_eq!(stem(now(), 0xd8ff_7e62), STEM);
        assert_eq!(stem(now(), 1), "loop-v2-20261120T042421-00000001");
        assert!(is_ours(&stem(now(), 1)), "its times are read as true");
    }

    #[test]
    fn it_reads_back_without_any_problem_and_can_be_started() {
        let description = "\"}{\\ \u{1F600}\n## x".to_owned();
        let new =
            NewLoopV2 {
                title: "é".repeat(100), description: description.clone(), max_iterations: Some(100)
            };
        let text = create(STEM, &new, now()).expect("valid");
        let facts = FileFacts { stem: STEM, modified: now(), now: now() };
        let situation = Situation { shown: StatusWord::NotStarted, now: now() };
        let view = super::super::detail(text.as_bytes(), &facts, &situation, &[]);
        assert_eq!(view.problems, []);
        assert_eq!(view.metadata.description, Some(description));
        assert_eq!(view.metadata.max_iterations, Some(100.0));
        let start = view.controls.iter().find(|control| control.verb == Verb::Start).expect("offered");
        assert_eq!(start.refusal, None);
    }

    #[test]
    fn what_the_form_does_not_take_is_refused() {
        let field = |stem: &str, new: &NewLoopV2| {
            let refusal = create(stem, new, now()).expect_err("refused");
            assert_eq!(refusal.code, RefusalCode::BadValue);
            refusal.args["field"].clone()
        };
        assert_eq!(field(STEM, &new(" \n")), "title");
        assert_eq!(field(STEM, &new(&"x".repeat(101))), "title");
        for limit in [0, 101] {
            assert_eq!(field(STEM, &NewLoopV2 { max_iterations: Some(limit), ..new("x") }), "max_iterations");
        }
        for stem in ["", "loop-b-20261120T042421-d8ff7e62", "loop-v2-../x", "loop-v2-a/b", "loop-v2-x y", "x"]
        {
            assert_eq!(field(stem, &new("x")), "loop_id", "{stem}");
        }
    }
}
