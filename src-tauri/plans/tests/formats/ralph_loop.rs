//! Ralph-loop files: what they say, what makes them run without an end, and how they are paused.

use crate::common::{codes, finding, plan_of, read};
use loopdeck_plans::FindingCode::{
    AnySession, CounterStuck, NoItems, NoLimit, OptionsAsPrompt, PromiseNotAsked, UnknownWord,
};
use loopdeck_plans::{
    Change, FactValue, FindingCode, Plan, PlanKind, PlanStatus, ReadError, Request, Source,
};
use loopdeck_text::text_edit::apply;
use proptest::prelude::*;

const CLAUDE: &str = ".claude/ralph-loop.local.md";
const OMO: &str = ".omo/ralph-loop.local.md";

/// Each file with its place, its iteration, its limit and what is wrong with it, counted by hand.
type Counted = (&'static str, &'static [u8], Option<u32>, Option<u32>, &'static [FindingCode]);

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/ralph_loop/", $name))
    };
}

const FILES: [Counted; 13] = [
    (CLAUDE, fixture!("plain.md"), Some(4), Some(20), &[]),
    (CLAUDE, fixture!("stuck.md"), Some(7), None, &[CounterStuck, NoLimit, PromiseNotAsked, AnySession]),
    (CLAUDE, fixture!("single_quotes.md"), Some(2), Some(40), &[PromiseNotAsked, AnySession]),
    (CLAUDE, fixture!("options.md"), Some(1), Some(10), &[AnySession, OptionsAsPrompt]),
    (CLAUDE, fixture!("number.md"), Some(1), Some(10), &[AnySession, OptionsAsPrompt]),
    (CLAUDE, fixture!("reviewed.md"), Some(0), Some(12), &[AnySession]),
    (CLAUDE, fixture!("crlf_bom.md"), Some(5), Some(5), &[AnySession]),
    (CLAUDE, fixture!("no_limit_crlf.md"), Some(8), None, &[NoLimit, AnySession]),
    (
        CLAUDE,
        fixture!("words.md"),
        None,
        None,
        &[UnknownWord, UnknownWord, UnknownWord, NoLimit, PromiseNotAsked],
    ),
    (CLAUDE, fixture!("inactive.md"), Some(6), None, &[NoLimit, AnySession]),
    (CLAUDE, fixture!("no_prompt.md"), Some(4194), Some(5000), &[NoItems]),
    (OMO, fixture!("omo.md"), Some(6), None, &[NoLimit]),
    (OMO, fixture!("omo_default.md"), Some(3), Some(100), &[]),
];

fn plan(place: &str, bytes: &[u8]) -> Plan {
    plan_of(PlanKind::RalphLoop, place, bytes, &[])
}

fn request(place: &str, bytes: &[u8], request: Request) -> Option<Change> {
    let source = Source { file: place, bytes, beside: &[], modified: 0, now: 0 };
    let format = PlanKind::RalphLoop.format();
    let plan = format.read(&source).ok().flatten()?;
    format.request(&source, &plan, request)
}

#[test]
fn every_file_says_what_a_person_counts() {
    for (at, (place, bytes, iteration, limit, found)) in FILES.iter().enumerate() {
        let plan = plan(place, bytes);
        assert_eq!((plan.iteration, plan.limit), (*iteration, *limit), "file {at}");
        assert_eq!(codes(&plan), *found, "file {at}: {:?}", plan.findings);
        assert!(
            plan.items.is_empty()
                && PlanKind::RalphLoop.format().mark(loopdeck_plans::ItemState::Done).is_none()
        );
    }
}

/// The hook's own way: lines that begin with a key, blanks taken away.
#[test]
fn the_numbers_are_those_that_a_line_scan_finds() {
    let scan = |text: &str, key: &str| {
        let line = text
            .lines()
            .take_while(|line| !line.is_empty())
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.and_then(|value| value.trim().parse::<u32>().ok())
    };
    for (place, bytes, ..) in FILES.iter().filter(|(place, ..)| *place == CLAUDE) {
        let text = std::str::from_utf8(bytes).unwrap();
        let plan = plan(place, bytes);
        assert_eq!(plan.iteration, scan(text, "iteration"), "{text}");
        assert_eq!(plan.limit, scan(text, "max_iterations").filter(|limit| *limit > 0), "{text}");
    }
}

#[test]
fn prompt_goal_and_facts() {
    let plain = plan(CLAUDE, fixture!("plain.md"));
    assert_eq!(plain.status, Some(PlanStatus::Running));
    assert_eq!(plain.word, "true");
    assert_eq!(
        plain.goal.as_deref(),
        Some("Count the books on every shelf of the reading room and write the sums to counts.csv.")
    );
    // It has no name but what it is for.
    assert_eq!(plain.title, plain.goal);
    let heading = format!("---\niteration: 1\n---\n\n## **{}**\n", "Roof ".repeat(40));
    let title = plan(CLAUDE, heading.as_bytes()).title.unwrap();
    assert!(title.starts_with("Roof Roof") && title.chars().count() < 125, "{title}");
    assert_eq!(plan(CLAUDE, fixture!("no_prompt.md")).title, None);
    assert!(plain.prompt.unwrap().ends_with("COUNTED</promise> and nothing else."));
    let names: Vec<&str> = plain.facts.iter().map(|fact| fact.name).collect();
    assert_eq!(names, ["completion_promise", "started_at", "session_id"]);
    assert_eq!(plain.facts[0].value, FactValue::Code("SHELVES COUNTED".to_owned()));
    assert_eq!(plain.facts[1].value, FactValue::Time("2026-05-02T08:15:00Z".to_owned()));

    let reviewed = plan(CLAUDE, fixture!("reviewed.md"));
    assert!(reviewed.prompt.as_deref().unwrap().starts_with("Read the ferry timetable"));
    assert!(reviewed.facts.iter().any(|fact| fact.name == "started_at"));
    assert_eq!(plan(CLAUDE, fixture!("inactive.md")).status, Some(PlanStatus::Completed));
    assert_eq!(plan(CLAUDE, fixture!("words.md")).status, Some(PlanStatus::Unknown));
    let omo = plan(OMO, fixture!("omo.md"));
    let value = |name: &str| omo.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone());
    assert_eq!(value("strategy"), Some(FactValue::Code("continue".to_owned())));
    assert_eq!(value("verification_pending"), Some(FactValue::Code("true".to_owned())));
    assert_eq!(omo.prompt.as_deref(), Some("重复整理目录，直到不能更好。"));
    assert_eq!(plan(CLAUDE, fixture!("crlf_bom.md")).goal.as_deref(), Some("Paint the fence."));
}

#[test]
fn findings_have_their_line_and_what_was_found() {
    let stuck = plan(CLAUDE, fixture!("stuck.md"));
    let counter = finding(&stuck, CounterStuck);
    assert_eq!(counter.line, Some(3));
    assert_eq!(counter.args, [("found", "iteration:7".to_owned())]);
    assert_eq!(finding(&stuck, NoLimit).line, Some(5));
    assert_eq!(finding(&stuck, PromiseNotAsked).args, [("found", "DONE".to_owned())]);
    let quotes = plan(CLAUDE, fixture!("single_quotes.md"));
    assert_eq!(finding(&quotes, PromiseNotAsked).args, [("found", "'ORCHARD PRUNED'".to_owned())]);
    let options = plan(CLAUDE, fixture!("options.md"));
    assert_eq!(finding(&options, OptionsAsPrompt).line, Some(9));
    let ended = String::from_utf8(fixture!("stuck.md").to_vec())
        .unwrap()
        .replace("max_iterations: 0", "max_iterations: 7");
    assert_eq!(
        codes(&plan(CLAUDE, ended.as_bytes())),
        [PromiseNotAsked, AnySession],
        "it ends after this turn"
    );
    // Upstream asks for the phrase itself, and writes the whole file.
    assert!(codes(&plan(OMO, fixture!("stuck.md"))).iter().all(|code| *code == AnySession));
}

#[test]
fn when_a_prompt_asks_for_its_phrase() {
    let with = |prompt: &str| {
        let text = format!(
            "---\niteration: 1\nsession_id: s\nmax_iterations: 2\ncompletion_promise: \"ALL OK\"\n---\n{prompt}\n"
        );
        codes(&plan(CLAUDE, text.as_bytes()))
    };
    for asks in [
        "Say <promise>ALL OK</promise>.",
        "Use <promise> tags: <promise> ALL\n OK </promise>",
        "End with the promise tag that holds ALL OK",
        "Put ALL OK between `<promise>` tags",
    ] {
        assert_eq!(with(asks), [], "{asks}");
    }
    for silent in [
        "Say ALL OK.",
        "<promise>ALL</promise> OK",
        "Build it",
        "--completion-promise 'ALL OK' go on with the work",
    ] {
        assert_eq!(with(silent), [PromiseNotAsked], "{silent}");
    }
    // The command that sets a loop up tells the phrase once and notes when.
    let set_up = |field: &str, prompt: &str| {
        let text = format!(
            "---\niteration: 1\nsession_id: s\nmax_iterations: 2\ncompletion_promise: {field}\nstarted_at: \"2026-05-02T08:15:00Z\"\n---\n{prompt}\n"
        );
        codes(&plan(CLAUDE, text.as_bytes()))
    };
    for prompt in ["Build it", "# Barn\n\nMend the roof", "Use <promise>ALL OK</promise>"] {
        assert_eq!(set_up("\"ALL OK\"", prompt), [], "{prompt}");
    }
    for prompt in ["Say ALL OK.", "End with <promise>DONE</promise>"] {
        assert_eq!(set_up("\"ALL OK\"", prompt), [PromiseNotAsked], "{prompt}");
    }
    // What the hook compares with isn't what was told.
    for field in ["'ALL OK'", "\"ALL", "\""] {
        assert_eq!(set_up(field, "Build it"), [PromiseNotAsked], "{field}");
    }
    for options in ["--verbose", "--file=a.md -n 3", "7", "-x"] {
        assert!(with(options).contains(&OptionsAsPrompt), "{options}");
    }
    for work in ["- fix it\n- test it", "--verbose fix all of it", "7 dwarfs", "-- go", "-1 is wrong"] {
        assert!(!with(work).contains(&OptionsAsPrompt), "{work}");
    }
}

#[test]
fn what_is_no_loop() {
    for other in [fixture!("notes.md").as_slice(), fixture!("other_tool.md")] {
        assert_eq!(read(PlanKind::RalphLoop, CLAUDE, other, &[]), Ok(None));
    }
    let no_end = read(PlanKind::RalphLoop, CLAUDE, fixture!("no_end.md"), &[]);
    assert!(matches!(no_end, Err(ReadError::NotParsed { line: Some(1), .. })), "{no_end:?}");
    assert_eq!(read(PlanKind::RalphLoop, CLAUDE, b" \n", &[]), Err(ReadError::Empty));
    let latin = read(PlanKind::RalphLoop, CLAUDE, b"---\niteration: 1\n---\ncaf\xe9\n", &[]);
    assert_eq!(latin, Err(ReadError::NotText { offset: 24 }));
}

#[test]
fn a_pause_is_a_limit_that_is_reached_and_nothing_else() {
    for (place, bytes, before, after) in [
        (CLAUDE, fixture!("plain.md").as_slice(), "max_iterations: 20\n", "max_iterations: 4\n"),
        (CLAUDE, fixture!("stuck.md"), "max_iterations: 0\n", "max_iterations: 7\n"),
        (CLAUDE, fixture!("reviewed.md"), "max_iterations: 12\n", "max_iterations: 1\n"),
        (CLAUDE, fixture!("no_limit_crlf.md"), "17Z\"\r\n---", "17Z\"\r\nmax_iterations: 8\r\n---"),
        (OMO, fixture!("omo.md"), "start: 143\n---", "start: 143\nmax_iterations: 6\n---"),
    ] {
        let change = request(place, bytes, Request::Pause).unwrap();
        assert!(change.create.is_none());
        let paused = String::from_utf8(apply(bytes, &change.edits).unwrap()).unwrap();
        assert_eq!(paused, std::str::from_utf8(bytes).unwrap().replacen(before, after, 1));
        let plan = plan(place, paused.as_bytes());
        assert_eq!(plan.limit, plan.iteration.map(|iteration| iteration.max(1)));
    }
    // It ends after this turn anyway; and without a number there is nothing to set.
    assert_eq!(request(CLAUDE, fixture!("crlf_bom.md"), Request::Pause), None);
    assert_eq!(request(CLAUDE, fixture!("words.md"), Request::Pause), None);
}

#[test]
fn a_stop_is_the_trash_and_going_on_takes_a_new_loop() {
    assert!(PlanKind::RalphLoop.format().ends_without_file());
    assert_eq!(request(CLAUDE, fixture!("plain.md"), Request::Stop), None);
    assert_eq!(request(CLAUDE, fixture!("plain.md"), Request::Resume), None);
    let bytes = fixture!("plain.md");
    let source = Source { file: CLAUDE, bytes, beside: &[], modified: 0, now: 0 };
    let format = PlanKind::RalphLoop.format();
    assert_eq!(format.command(&source, &plan(CLAUDE, bytes)), None);
    assert!(format.next(&plan(CLAUDE, bytes)).is_empty());
}

#[test]
fn a_file_of_five_megabytes_is_read() {
    let mut text = String::from("---\niteration: 1\nmax_iterations: 3\ncompletion_promise: \"X Y\"\n---\n");
    text.push_str(&"<promise> --- promise X\n".repeat(200_000));
    assert_eq!(codes(&plan(CLAUDE, text.as_bytes())), [PromiseNotAsked, AnySession]);
}

proptest! {
    #[test]
    fn no_bytes_break_it(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just(b"---\n".to_vec()), Just(b"---\r\n".to_vec()), Just(b"iteration:".to_vec()), Just(b"iteration: 2\n".to_vec()),
                Just(b"max_iterations: 0\n".to_vec()), Just(b"completion_promise: '".to_vec()), Just(b"original_prompt: |\n  ".to_vec()),
                Just(b"<promise>".to_vec()), Just("ä".as_bytes().to_vec()), Just(b"--x".to_vec()), Just(b"\n".to_vec()),
                proptest::collection::vec(any::<u8>(), 0..4),
            ],
            0..14,
        ),
        front in any::<bool>(),
    ) {
        let mut text = if front { b"---\niteration: 1\n".to_vec() } else { Vec::new() };
        text.extend(pieces.concat());
        for place in [CLAUDE, OMO] {
            let _ = read(PlanKind::RalphLoop, place, &text, &[]);
            let _ = request(place, &text, Request::Pause);
        }
    }

    #[test]
    fn a_pause_keeps_every_other_byte(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("iteration: 3".to_owned()), Just("iteration:3".to_owned()), Just("max_iterations: 9".to_owned()),
                Just("max_iterations:".to_owned()), Just("max_iterations: \"9\"  ".to_owned()), Just("active: true".to_owned()),
                Just("completion_promise: 'ä'".to_owned()), Just("# note".to_owned()), "[a-z_]{1,6}: ?[ -~]{0,8}",
            ],
            0..8,
        ),
        body in "[ -~äé\n]{0,60}",
        end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let text = format!("---{end}{}---{end}{body}", lines.iter().map(|line| format!("{line}{end}")).collect::<String>());
        if let Some(change) = request(CLAUDE, text.as_bytes(), Request::Pause) {
            prop_assert_eq!(change.edits.len(), 1);
            let edit = &change.edits[0];
            let after = apply(text.as_bytes(), &change.edits).unwrap();
            prop_assert_eq!(&after[..edit.range.start], &text.as_bytes()[..edit.range.start]);
            prop_assert_eq!(&after[edit.range.start + edit.text.len()..], &text.as_bytes()[edit.range.end..]);
            let plan = plan(CLAUDE, &after);
            prop_assert_eq!(plan.limit, plan.iteration);
        }
    }
}

/// Each finding that can be repaired is gone afterwards, and nothing else that the file says has changed.
#[test]
fn a_repair_ends_its_finding() {
    let cases: [(&str, FindingCode); 3] = [
        (
            "---\nactive: true\niteration:3\nmax_iterations: 9\nsession_id: \"s\"\n---\nSay DONE as promise\n",
            CounterStuck,
        ),
        (
            "---\r\nactive: true\r\niteration: 3\r\nmax_iterations: 0\r\nsession_id: \"s\"\r\n---\r\nWork.\r\n",
            NoLimit,
        ),
        (
            "---\niteration: 3\nmax_iterations: 9\nsession_id: \"s\"\ncompletion_promise: \"ALL DONE\"\n---\nWork.\n",
            PromiseNotAsked,
        ),
    ];
    for (text, code) in cases {
        let file = ".claude/ralph-loop.local.md";
        let before = plan_of(PlanKind::RalphLoop, file, text.as_bytes(), &[]);
        let repair = &finding(&before, code).repair;
        let after = apply(text.as_bytes(), repair).unwrap();
        let after = plan_of(PlanKind::RalphLoop, file, &after, &[]);
        let left: Vec<_> = codes(&before).into_iter().filter(|other| *other != code).collect();
        assert_eq!(codes(&after), left, "{code:?}");
        assert_eq!((after.iteration, after.status), (Some(3), before.status), "{code:?}");
        assert_eq!(after.limit, if code == NoLimit { Some(23) } else { Some(9) }, "{code:?}");
    }
}
