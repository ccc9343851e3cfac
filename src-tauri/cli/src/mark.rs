//! `loopdeck archive|pin|snooze DIR ID…`: which loops the list shows, and which come first.

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_runtime::clock;
use loopdeck_runtime::views::{ListMarks, MarkedLoop};
use serde::Serialize;
use std::str::FromStr;

/// What is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Out of the list.
    Archive,
    /// First in the list.
    Pin,
    /// Out of the list until then; without a time it is only taken back.
    Snooze(Option<Until>),
}

/// A time that lies ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Until(Timestamp);

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let now = clock::now();
        let until = span(text).map(|span| now + span).or_else(|| clock::local_time(text));
        let until = until.ok_or("neither a span such as 2h or 3d, nor a date such as 2027-01-31")?;
        if until > now { Ok(Self(until)) } else { Err("this time is over".to_owned()) }
    }
}

/// `30m`, `2h`, `3d`, `1w`.
fn span(text: &str) -> Option<TimeDelta> {
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok().filter(|number| *number > 0)?;
    match unit {
        'm' => TimeDelta::try_minutes(number),
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        'w' => TimeDelta::try_weeks(number),
        _ => None,
    }
}

impl Mark {
    fn put_on(self, marks: ListMarks, undo: bool) -> ListMarks {
        match (self, undo) {
            (Self::Pin, _) => ListMarks { pinned: !undo, ..marks },
            (Self::Archive, true) => ListMarks { archived: false, ..marks },
            (Self::Archive, false) => ListMarks { archived: true, snoozed_until: None, ..marks },
            (Self::Snooze(Some(Until(until))), false) => {
                ListMarks { archived: false, snoozed_until: Some(until.number()), ..marks }
            }
            (Self::Snooze(_), _) => ListMarks { snoozed_until: None, ..marks },
        }
    }

    fn said(self, undo: bool) -> &'static str {
        match (self, undo) {
            (Self::Archive, false) => "archived",
            (Self::Archive, true) => "unarchived",
            (Self::Pin, false) => "pinned",
            (Self::Pin, true) => "unpinned",
            (Self::Snooze(_), false) => "snoozed",
            (Self::Snooze(_), true) => "unsnoozed",
        }
    }
}

/// The marks of one loop, for scripts. The names are a promise: `words/help/mark.txt` documents them.
#[derive(Debug, Serialize)]
struct Marked<'a> {
    id: &'a str,
    file: &'a str,
    marks: ListMarks,
}

/// Puts `mark` on the loops that `ids` name, or takes it off: on all of them or on none.
pub(super) fn answer(
    workspace: &Workspace,
    ids: &[String],
    mark: Mark,
    undo: bool,
) -> Result<Answer, Complaint> {
    let rows = ids.iter().map(|id| workspace.find(id)).collect::<Result<Vec<_>, _>>()?;
    let marked: Vec<Marked<'_>> = rows
        .iter()
        .map(|row| Marked { id: &row.id, file: &row.file, marks: mark.put_on(row.marks, undo) })
        .collect();
    let wanted = rows
        .iter()
        .zip(&marked)
        .map(|(row, marked)| MarkedLoop { key: row.key.clone(), marks: marked.marks });
    workspace.runtime.keep_list_marks(wanted.collect())?;
    let line =
        |marked: &Marked<'_>| text::plain(&text::sentence("headless", mark.said(undo), [("id", marked.id)]));
    let lines = marked.iter().map(line).collect();
    Answer::new(&marked, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_ahead_is_a_span_or_a_date() {
        for (text, minutes) in [("30m", 30), ("2h", 120), ("3d", 4_320), ("1w", 10_080)] {
            assert_eq!(span(text), TimeDelta::try_minutes(minutes), "{text}");
        }
        for text in ["2999-01-31", "2999-01-31T09:00", "2999-01-31 09:00", "2999-01-31T09:00:00Z"] {
            assert!(text.parse::<Until>().is_ok(), "{text}");
        }
        for text in
            ["", "d", "-1d", "0h", "2y", "soon", "2020-01-31", "2999-02-30", "99999999999999999d", "9é"]
        {
            assert!(text.parse::<Until>().is_err(), "{text}");
        }
    }
}
