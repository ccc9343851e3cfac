//! Lists as people, editors and agents write them (`tests/fixtures/field`, and texts of the same kinds): what is a box, and that
//! open work is never called done (the Ralph contract §2).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::driver::Memory;
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::list::operation::ListOperation;
use loopdeck_core::loops::drive::{LoopNext, step};
use loopdeck_core::loops::{self, Place};
use loopdeck_core::phase::Phase;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};
use loopdeck_core::step::Operation;
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{Companion, CompanionKind};
use std::path::PathBuf;

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const FACTS: FileFacts<'_> = FileFacts { stem: "shop", modified: NOW, now: NOW };

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/field").join(name);
    std::fs::read(folder.join(".ralph/shop/TODO.md")).unwrap()
}

fn summary(bytes: &[u8]) -> Summary {
    loops::summary(Place::RalphList, bytes, &FACTS).unwrap()
}

/// How many boxes are ticked, and how many there are.
fn counts(summary: &Summary) -> (u32, u32) {
    match summary.phase {
        Some(Phase::Todo { done, total }) => (done, total),
        ref phase => panic!("{phase:?}"),
    }
}

/// What the driver of a running list does now: whether it completes the loop.
fn completes(bytes: &[u8]) -> bool {
    let prompt = Companion {
        kind: CompanionKind::Prompt,
        file: "PROMPT.md".into(),
        bytes: b"Do it."[..].into(),
        cut: false,
    };
    let memory = Memory::default();
    let completes = match step(Format::Ralph, (bytes, &FACTS), &memory, Some(&[prompt])).next {
        LoopNext::Write(Operation::List { step: ListOperation::Complete }) => true,
        LoopNext::Agent { .. } => false,
        next => panic!("{next:?}"),
    };
    let complete = Intent::Operate(Box::new(Operation::List { step: ListOperation::Complete }));
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let carried = loops::carry_out(&summary(bytes), bytes, &FACTS, &complete, &situation);
    match carried {
        Ok(carried) => {
            assert!(completes);
            let status = summary(&carried.bytes).status;
            assert_eq!(status, FileStatus::Completed);
        }
        Err(refusal) => assert_eq!((completes, refusal.code), (false, RefusalCode::WrongStep)),
    }
    completes
}

/// Problems as `code:line`.
fn problems(bytes: &[u8]) -> String {
    let found = summary(bytes).problems;
    let said = |problem: &loopdeck_core::problem::Problem| {
        let code = problem.code.name().split('_').next().unwrap_or_default();
        problem.line.map_or(code.to_owned(), |line| format!("{code}:{line}"))
    };
    found.iter().map(said).collect::<Vec<_>>().join(" ")
}

/// Boxes that are ticked, boxes, whether the driver completes the loop, problems.
type Row<'r> = (&'r str, (u32, u32), bool, &'r str);

#[test]
fn lists_of_the_field_say_what_is_open() {
    let table: [Row<'_>; 8] = [
        ("01-ralph-code-span-at-line-start", (2, 4), false, ""),
        ("02-ralph-other-marks", (1, 6), false, "R4:5 R4:6 R4:7 R4:8 R4:9"),
        ("03-ralph-boxes-in-comment", (2, 2), true, ""),
        ("05-ralph-no-readable-boxes", (0, 0), false, "R2:4 R2:5 R2:6 R2:7 R2:8 R2:9 R5"),
        ("07-ralph-brackets-that-are-no-boxes", (3, 5), false, ""),
        ("08-ralph-fences", (2, 2), true, ""),
        ("10-ralph-bom-crlf", (1, 2), false, ""),
        ("12-ralph-status-line-variants", (0, 1), false, ""),
    ];
    for (name, boxes, done, found) in table {
        let bytes = fixture(name);
        assert_eq!((counts(&summary(&bytes)), problems(&bytes)), (boxes, found.to_owned()), "{name}");
        if name != "10-ralph-bom-crlf" {
            assert_eq!(completes(&bytes), done, "{name}");
        }
    }
    let summary = summary(&fixture("12-ralph-status-line-variants"));
    assert_eq!(summary.status, FileStatus::Running);
    assert_eq!(summary.iteration.map(|bar| bar.current), Some(7.0));
    assert_eq!(problems(&fixture("09-ralph-utf16")), "F6");
}

#[test]
fn a_mark_and_line_ends_survive_a_resume() {
    let before = fixture("10-ralph-bom-crlf");
    let situation = Situation { shown: StatusWord::Paused, now: NOW };
    let resume = Intent::Resume { raise_limit_to: None };
    let after = loops::carry_out(&summary(&before), &before, &FACTS, &resume, &situation).unwrap().bytes;
    let text = String::from_utf8(before).unwrap().replace("status=paused", "status=running");
    assert_eq!(String::from_utf8(after).unwrap(), text);
}

/// Texts of the same kinds, each below a status line.
#[test]
fn open_work_is_never_called_done() {
    let table: [Row<'_>; 24] = [
        // Fences: too many, too few, of another kind, ended by the item around them.
        ("- [x] a\n```\n- [ ] b\n", (1, 1), false, "R3:4"),
        ("- [x] a\n```\ncode\n```\n```\n\n- [ ] b\n", (1, 1), false, "R3:8"),
        ("- [x] a\n````\n```\n- [ ] b\n```\n", (1, 1), false, "R3:5"),
        ("- [x] a\n  ~~~\n  - [ ] b\n- [x] c\n", (2, 2), false, "R3:4"),
        ("- [x] a\n```a`b`\n- [ ] b\n", (1, 2), false, ""),
        ("- [x] a\n\n~~~ `x`\n- [ ] b\n~~~\n", (1, 1), true, ""),
        // Comments that end nowhere, or at the end of another one.
        ("- [x] a\n<!-- later\n- [ ] b\n", (1, 1), false, "R3:4"),
        ("- [x] a\n<!-- later\n- [ ] b\n<!-- c -->\n", (1, 1), false, "R3:4"),
        ("- [x] a\n\ntext <!-- c\n- [ ] b\n-->\n", (1, 2), false, ""),
        // Quotes.
        ("- [x] a\n\n> - [ ] b\n", (1, 2), false, ""),
        ("- [x] a\n\n> Note\n> [ ] b\n", (1, 1), false, "R2:5"),
        // Items that are none.
        ("- [x] a\n      - [ ] b\n", (1, 1), false, "R2:3"),
        ("- [x] a\n\ntext:\n2. [ ] b\n", (1, 1), false, "R2:5"),
        ("- [x] a\n- [] b\n", (1, 1), false, "R2:3"),
        ("- [x] a\n- [ ]b\n", (1, 1), false, "R2:3"),
        ("- [x] a\n\n| [ ] | b |\n|-----|---|\n", (1, 1), false, "R2:4"),
        ("- [x] a\n\n<details>\n- [ ] b\n</details>\n", (1, 1), false, "R2:5"),
        ("- [x] a\n\n<details>\n\n- [ ] b\n\n</details>\n", (1, 2), false, ""),
        // Ticked ones are told and hold nothing up.
        ("- [x] a\n- \\[x\\] b\n- [x]c\n\u{2611} d\n", (1, 1), true, "R2:3 R2:4 R2:5"),
        // Meant as code, and told.
        ("- [x] a\n\ntext\n\n    - [ ] b\n", (1, 1), true, "R3:6"),
        // Headings with a line below them, rules, no list at all.
        ("Shop\n===\n- [x] a\n---\n- [ ] b\n", (1, 2), false, ""),
        ("Shop\n", (0, 0), false, "R5"),
        ("- [x]\n- [ ]\n", (1, 2), false, ""),
        ("- [x] a [~]\n- [\u{2714}\u{fe0f}] b\n", (1, 2), false, "R4:3"),
    ];
    for (list, boxes, done, found) in table {
        for end in ["\n", "\r\n"] {
            let text = format!("<!-- loop: status=running iteration=1 max=20 -->\n{list}").replace('\n', end);
            let bytes = text.as_bytes();
            assert_eq!((counts(&summary(bytes)), problems(bytes)), (boxes, found.to_owned()), "{text}");
            assert_eq!(completes(bytes), done, "{text}");
        }
    }
}

#[test]
fn dashes_are_front_matter_only_around_a_map() {
    let status = "<!-- loop: status=running -->\n";
    for (text, boxes) in [
        (format!("---\n- [ ] a\n---\n{status}- [x] b\n"), (1, 2)),
        (format!("---\n\n{status}- [ ] a\n\n---\n- [x] b\n"), (1, 2)),
        (format!("---\ntitle: Shop\n---\n{status}- [x] b\n"), (1, 1)),
        (format!("---\nopen: [a: b\n---\n{status}- [x] b\n"), (1, 1)),
    ] {
        let summary = summary(text.as_bytes());
        assert_eq!((counts(&summary), summary.status), (boxes, FileStatus::Running), "{text}");
        assert_eq!(completes(text.as_bytes()), boxes == (1, 1), "{text}");
    }
    // A new status line goes behind what is front matter, and before what is none.
    let start = |text: &str| {
        let situation = Situation { shown: StatusWord::NotStarted, now: NOW };
        let carried =
            loops::carry_out(&summary(text.as_bytes()), text.as_bytes(), &FACTS, &Intent::Start, &situation);
        String::from_utf8(carried.unwrap().bytes).unwrap()
    };
    assert!(start("---\na: b\n---\n- [ ] a\n").starts_with("---\na: b\n---\n<!-- loop:"));
    assert!(start("---\n- [ ] a\n---\n").starts_with("<!-- loop:"));
}

#[test]
fn a_list_that_others_completed_says_what_is_open() {
    let text = "<!-- loop: status=completed -->\n- [x] a\n- [ ] b\n";
    assert_eq!(problems(text.as_bytes()), "R6");
    assert!(!summary(text.as_bytes()).nothing_left);
    assert_eq!(problems(text.replace("[ ]", "[x]").as_bytes()), "");
    let detail = loops::detail(
        Format::Ralph,
        text.as_bytes(),
        &FACTS,
        &Situation { shown: StatusWord::Completed, now: NOW },
        &[],
    );
    assert_eq!(detail.problems[0].args["found"], "1");
}

#[test]
fn a_status_line_in_a_quote_in_code_or_in_another_comment_says_nothing() {
    for other in [
        "> <!-- loop: status=stopped -->",
        "    <!-- loop: status=stopped -->",
        "```\n<!-- loop: status=stopped -->\n```",
        "<!--\n<!-- loop: status=stopped -->",
        "text <!-- loop: status=stopped -->",
        "<!-- old: loop: status=stopped -->",
    ] {
        let text = format!("# Shop\n\n{other}\n\n<!-- loop: status=paused -->\n- [ ] a\n");
        let summary = summary(text.as_bytes());
        assert_eq!((summary.status, summary.problems.len()), (FileStatus::Paused, 0), "{text}");
    }
}
