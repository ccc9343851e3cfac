//! Two foreign processes rewrite whole files from stale copies while a person presses buttons (L3): the
//! person's last request is kept, no file is damaged, and we lose nothing of the others.
//!
//! Ten seconds each; `LOOPDECK_HOSTILE_SECONDS=60` is the full run.

use loopdeck_core::control::Verb;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::views::{Failure, FailureKind, VerbOptions};
use loopdeck_tests::hostile::{Kind, Writer, serve_if_asked};
use loopdeck_tests::live::{Live, ROOT, aot, loop_v2, loop_v2_at};
use loopdeck_tests::random::Random;
use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";
const AOT: &str = ".claude/aot-loop-state.md";
const COUNTERS: [&str; 2] = ["x_first", "x_second"];
const TURNS: usize = 12;

const LOOP_V2: Kind = Kind { counters: json_counters, rewrite: rewrite_json };
const AOT_LOOP: Kind = Kind { counters: aot_counters, rewrite: rewrite_aot };

// --- the writers --------------------------------------------------------------------------------------------------

#[test]
fn child_that_writes_json() {
    serve_if_asked(LOOP_V2);
}

#[test]
fn child_that_writes_aot() {
    serve_if_asked(AOT_LOOP);
}

fn json_counters(text: &str) -> Option<[u64; 2]> {
    let state: serde_json::Value = serde_json::from_str(text).ok()?;
    Some([state[COUNTERS[0]].as_u64()?, state[COUNTERS[1]].as_u64()?])
}

/// Like `JSON.stringify` of a changed object: everything is rewritten.
fn rewrite_json(copy: &str, number: usize, count: u64, status: Option<&str>) -> String {
    let mut state: serde_json::Value = serde_json::from_str(copy).unwrap();
    state[COUNTERS[number]] = count.into();
    if let Some(status) = status {
        state["status"] = status.into();
    }
    serde_json::to_string_pretty(&state).unwrap()
}

fn aot_counters(text: &str) -> Option<[u64; 2]> {
    let whole =
        text.starts_with("---\nobjective:") && text.ends_with("---\n\n# Original Prompt\n\nShip it.\n");
    let counter = |name: &str| line_value(text, name)?.parse().ok();
    whole.then_some([counter(COUNTERS[0])?, counter(COUNTERS[1])?])
}

fn rewrite_aot(copy: &str, number: usize, count: u64, status: Option<&str>) -> String {
    let text = with_line_value(copy, COUNTERS[number], &count.to_string());
    status.map_or(text.clone(), |status| with_line_value(&text, "  status", status))
}

fn line_value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

fn with_line_value(text: &str, key: &str, value: &str) -> String {
    let old = format!("\n{key}: {}\n", line_value(text, key).unwrap());
    text.replacen(&old, &format!("\n{key}: {value}\n"), 1)
}

// --- the person ---------------------------------------------------------------------------------------------------

/// The result of pressing buttons at random.
#[derive(Debug, Default)]
struct Pressed {
    last: Option<Verb>,
    accepted: u32,
    refused: u32,
    contended: u32,
}

/// Presses one of `verbs` now and then until `done`, then as often as needed for the final request.
fn press(runtime: &Runtime, key: &str, verbs: &[Verb], random: &mut Random, done: &AtomicBool) -> Pressed {
    let mut pressed = Pressed::default();
    loop {
        let last = done.load(Ordering::Acquire);
        let verb = verbs[usize::try_from(random.below(verbs.len() as u64)).unwrap()];
        match runtime.act(key, verb, VerbOptions::default()) {
            Ok(()) => (pressed.last, pressed.accepted) = (Some(verb), pressed.accepted + 1),
            Err(Failure { kind: FailureKind::Refused, .. }) => pressed.refused += 1,
            Err(Failure { kind: FailureKind::Contended | FailureKind::Unreadable, .. }) => {
                pressed.contended += 1;
            }
            Err(failure) => panic!("{verb:?}: {failure:?}"),
        }
        if last && pressed.last.is_some() {
            return pressed;
        }
        // A person's pace, many times faster.
        std::thread::sleep(Duration::from_millis(random.below(25)));
    }
}

/// Ends the person's work, even when the fight ends in a panic: the test must fail, not hang.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn seconds() -> Duration {
    let asked = std::env::var("LOOPDECK_HOSTILE_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(asked.unwrap_or(10))
}

/// Storms and turns until the time is over; returns the last counts.
fn fight(writers: &mut [Writer; 2], random: &mut Random) -> [u64; 2] {
    let (end, mut counts) = (Instant::now() + seconds(), [0, 0]);
    loop {
        writers.iter_mut().for_each(|writer| writer.order(&format!("storm {}", 100 + random.below(400))));
        for writer in writers.iter_mut() {
            writer.answer();
        }
        // Both pause. Each writes its newest count once, and from then on no count may go back.
        for turn in 0..TURNS {
            // A count from the storm is known only once its writer has written a newer one.
            let [first, second] =
                [0, 1].map(|n| if turn > n { counts[n].to_string() } else { "-".to_owned() });
            let order = format!("turn {first} {second}");
            writers[turn % 2].order(&order);
            counts[turn % 2] = writers[turn % 2].answer();
        }
        if Instant::now() > end {
            return counts;
        }
    }
}

/// Lets the person and the writers loose on `file`; at the end a writer may write `end`. Returns what was
/// pressed, and the final content.
fn run(
    live: &Live,
    file: &str,
    child: &str,
    verbs: &[Verb],
    random: &mut Random,
    end: Option<&str>,
) -> (Pressed, String) {
    let path = live.workspace.join(file);
    let mut writers = [0, 1].map(|number| Writer::start(child, &path, number));
    let (key, done, mut presses) = (live.rows[file].key.clone(), AtomicBool::new(false), random.clone());
    let runtime = &live.runtime;
    let (pressed, counts) = std::thread::scope(|scope| {
        let person = scope.spawn(|| press(runtime, &key, verbs, &mut presses, &done));
        let over = Over(&done);
        let mut counts = fight(&mut writers, random);
        drop(over);
        let pressed = person.join().unwrap();
        if let Some(status) = end {
            writers[1].order(&format!("end {} {} {status}", counts[0], counts[1]));
            counts[1] = writers[1].answer();
        }
        (pressed, counts)
    });
    let glimpses = writers[0].glimpses + writers[1].glimpses;
    eprintln!("{pressed:?}; foreign writes {counts:?}, of which {glimpses} saw their past for a moment");
    assert!(pressed.accepted > 0 && counts.iter().all(|count| *count > 0));
    drop(writers);
    (pressed, format!("{counts:?}"))
}

fn no_temporary_files(folder: &std::path::Path) {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|name| name.starts_with(".loopdeck-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

// --- Loop v2 ------------------------------------------------------------------------------------------------------

fn fight_over_json(seed: u64, end: Option<&str>) {
    let mut random = Random::new(seed);
    let start = loop_v2(ID, "running").replacen("\"title\"", "\"x_first\": 0, \"x_second\": 0, \"title\"", 1);
    let mut live = Live::with(|workspace| fs::write(workspace.join(ROOT).join(NAME), &start).unwrap());
    let file = format!("{ROOT}/{NAME}");
    let verbs = [Verb::Pause, Verb::Resume];
    let (pressed, counts) =
        run(&live, &file, "hostile_writers::child_that_writes_json", &verbs, &mut random, end);
    let meant = end.unwrap_or(if pressed.last == Some(Verb::Pause) { "paused" } else { "running" });
    live.wait_for(&format!("the last word, {meant}"), |live| live.rows[&file].file_word == meant);
    let found: serde_json::Value = serde_json::from_str(&live.read(NAME)).unwrap();
    assert_eq!(found["status"], meant);
    assert_eq!(format!("{:?}", json_counters(&live.read(NAME)).unwrap()), counts);
    let without_ours = |mut state: serde_json::Value| {
        for key in ["status", "updated_at", COUNTERS[0], COUNTERS[1]] {
            assert!(state.as_object_mut().unwrap().remove(key).is_some(), "{key} is lost");
        }
        state
    };
    assert_eq!(without_ours(found), without_ours(serde_json::from_str(&start).unwrap()));
    no_temporary_files(&live.path(""));
}

#[test]
fn the_last_word_stands_against_stale_copies() {
    fight_over_json(1, None);
}

#[test]
fn who_had_the_file_open_when_we_replaced_it_is_heard() {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join(ROOT).join(NAME), loop_v2(ID, "running")).unwrap();
    });
    // Like `open(path, "r+")`: read, work, rewind, write.
    let mut held = fs::File::options().read(true).write(true).open(live.path(NAME)).unwrap();
    live.act(NAME, Verb::Pause).unwrap();
    live.wait_for("our pause", |live| live.row(NAME).is_some_and(|row| row.file_word == "paused"));
    held.write_all(loop_v2_at(ID, "running", 7).as_bytes()).unwrap();
    live.wait_for("their iteration and our pause", |live| {
        live.row(NAME).is_some_and(|row| {
            row.file_word == "paused" && row.iteration.is_some_and(|bar| bar.current > 6.0)
        })
    });
    no_temporary_files(&live.path(""));
}

#[test]
fn the_writers_own_end_stands() {
    fight_over_json(2, Some("completed"));
}

// --- AoT ----------------------------------------------------------------------------------------------------------

#[test]
fn a_stop_flag_stays_raised_against_stale_copies() {
    let mut random = Random::new(3);
    let counters = "corrections: []\nx_first: 0\nx_second: 0\n";
    let start = aot("running", 4).replacen("corrections: []\n", counters, 1);
    let mut live = Live::with(|workspace| {
        fs::create_dir_all(workspace.join(".claude")).unwrap();
        fs::write(workspace.join(AOT), &start).unwrap();
    });
    let verbs = [Verb::Pause, Verb::Stop];
    let (_, counts) = run(&live, AOT, "hostile_writers::child_that_writes_aot", &verbs, &mut random, None);
    let path = live.workspace.join(AOT);
    live.wait_for("a raised flag", |_| {
        line_value(&fs::read_to_string(&path).unwrap(), "  stop_requested") == Some("true")
    });
    let mut found = fs::read_to_string(&path).unwrap();
    assert_eq!(format!("{:?}", aot_counters(&found).unwrap()), counts);
    // A stale copy may have the older of the two requests: either ends the loop after this iteration.
    let reason = line_value(&found, "  stop_reason").unwrap();
    assert!(["\"Paused by user\"", "\"Manual stop requested\""].contains(&reason), "{reason}");
    for (key, value) in
        [("  stop_requested", "false"), ("  stop_reason", "null"), ("x_first", "0"), ("x_second", "0")]
    {
        found = with_line_value(&found, key, value);
    }
    assert_eq!(found, start);
    no_temporary_files(path.parent().unwrap());
}
