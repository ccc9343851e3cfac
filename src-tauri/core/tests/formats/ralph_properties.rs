//! Whatever a list contains, a verb changes its status line and no other byte (the Ralph contract §4).
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::times::Timestamp;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const FACTS: FileFacts<'_> = FileFacts { stem: "shop", modified: NOW, now: NOW };

/// Lines that mean something to the reader, and lines that do not.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<!-- loop: status=running iteration=3 max=20 -->".to_owned()),
        Just("  <!-- loop: owner=anna -->".to_owned()),
        Just("<!--loop:status=paused-->".to_owned()),
        Just("- [ ] one".to_owned()),
        Just("  2) [x] two".to_owned()),
        Just("---".to_owned()),
        Just("```md".to_owned()),
        Just("~~~~".to_owned()),
        Just("# Title".to_owned()),
        ".{0,30}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    let begin = prop_oneof![Just(""), Just("\u{feff}")];
    (begin, proptest::collection::vec(line(), 0..12), end, any::<bool>()).prop_map(
        |(begin, lines, end, ends)| {
            let text = lines.join(end);
            format!("{begin}{text}{}", if ends { end } else { "" })
        },
    )
}

/// The lines that are no status line of the form that is written.
fn others(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').filter(|line| !line.contains("loop:")).collect()
}

proptest! {
    #[test]
    fn a_verb_changes_the_status_line_alone(text in text()) {
        let summary = loops::summary(Place::RalphList, text.as_bytes(), &FACTS).unwrap();
        for (shown, intent, status) in [
            (StatusWord::Interrupted, Intent::Pause, FileStatus::Paused),
            (StatusWord::Interrupted, Intent::Stop { reason: None }, FileStatus::StoppedByUser),
            (StatusWord::NotStarted, Intent::Start, FileStatus::Running),
            (StatusWord::Paused, Intent::Resume { raise_limit_to: Some(30) }, FileStatus::Running),
        ] {
            let situation = Situation { shown, now: NOW };
            let Ok(carried) = loops::carry_out(&summary, text.as_bytes(), &FACTS, &intent, &situation) else { continue };
            let after = String::from_utf8(carried.bytes).unwrap();
            let read = loops::summary(Place::RalphList, after.as_bytes(), &FACTS).unwrap();
            prop_assert_eq!(read.status, status, "{:?}", after);
            prop_assert_eq!(&read.phase, &summary.phase, "{:?}", after);
            // A mark at the beginning is in front of a new line.
            let plain = |text: &str| text.replace('\u{feff}', "");
            let (now, before) = (plain(&after), plain(&text));
            prop_assert_eq!(others(&now), others(&before), "{:?}", after);
        }
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let situation = Situation { shown: StatusWord::Running, now: NOW };
        let summary = loops::summary(Place::RalphList, &bytes, &FACTS).unwrap();
        let detail = loops::detail(Format::Ralph, &bytes, &FACTS, &situation, &[]);
        prop_assert_eq!(detail.problems.iter().filter(|problem| summary.problems.contains(problem)).count(), summary.problems.len());
    }
}
