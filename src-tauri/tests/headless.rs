//! The headless commands from outside: the real program, without a display, on real and on hostile files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use loopdeck_core::control::Verb;
use loopdeck_runtime::rows::{RequestState, VerbOptions};
use loopdeck_runtime::{Options, Runtime, sample};
use loopdeck_tests::live::{ROOT, aot, loop_v2, loop_v2_at};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;
use xtask::child::bound_command;

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const AOT: &str = ".claude/aot-loop-state.md";
const LIST_KEYS: [&str; 10] = [
    "id",
    "format",
    "file",
    "status_as_written",
    "shown_status",
    "title",
    "iteration",
    "limit",
    "progress",
    "problems",
];

/// A workspace and a data folder that does not exist yet.
struct Place {
    folder: TempDir,
}

/// What a command answered.
#[derive(Debug)]
struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Place {
    fn empty() -> Self {
        let place = Self { folder: TempDir::with_prefix("loopdeck-headless-").unwrap() };
        fs::create_dir_all(place.workspace().join(ROOT)).unwrap();
        place
    }

    fn with(id: &str, text: &str) -> Self {
        let place = Self::empty();
        place.write(&format!("{ROOT}/{id}.json"), text);
        place
    }

    fn with_sample() -> Self {
        let place = Self { folder: TempDir::with_prefix("loopdeck-headless-").unwrap() };
        sample::lay_out(&place.workspace()).unwrap();
        place
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("workspace")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.workspace().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs `loopdeck <verb> WORKSPACE <rest>` without a display.
    fn run(&self, verb: &str, rest: &[&str]) -> Answer {
        let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
        command.arg("--data-dir").arg(self.data()).arg(verb).arg(self.workspace()).args(rest);
        answer(command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("GDK_BACKEND", "none"))
    }

    fn json(&self, verb: &str, rest: &[&str]) -> Value {
        let answer = self.run(verb, &[rest, &["--json"]].concat());
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{verb} {rest:?}");
        answer.json()
    }

    /// A runtime as the window has it, on the same data.
    fn window(&self) -> Runtime {
        let floor = Duration::from_millis(200);
        let window = Runtime::start(&Options { floor, ..Options::new(self.data()) }).unwrap();
        window.open_workspace(&self.workspace()).unwrap();
        window
    }
}

fn answer(command: &mut std::process::Command) -> Answer {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Answer { code: output.status.code().expect("a code"), out: text(output.stdout), err: text(output.stderr) }
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().map(String::as_str).collect()
}

/// Every file below `folder` with its bytes and its time.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().unwrap().modified().unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.insert(entry.path(), (Vec::new(), modified));
            found.extend(everything(&entry.path()));
        } else {
            found.insert(entry.path(), (fs::read(entry.path()).unwrap(), modified));
        }
    }
    found
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn list_has_the_promised_keys_for_every_format() {
    let place = Place::with_sample();
    let listed = place.json("list", &[]);
    let loops = listed.as_array().unwrap();
    let formats: BTreeSet<&str> = loops.iter().map(|found| found["format"].as_str().unwrap()).collect();
    assert!(
        ["aot", "legacy", "loop_b", "loop_v2", "v1"].iter().all(|name| formats.contains(name)),
        "{formats:?}"
    );
    for found in loops {
        assert_eq!(keys(found), BTreeSet::from(LIST_KEYS), "{found}");
        assert_eq!(keys(&found["progress"]), BTreeSet::from(["phase", "overall"]));
        for problem in found["problems"].as_array().unwrap() {
            assert_eq!(keys(problem), BTreeSet::from(["code", "severity", "path", "line", "args"]));
        }
    }
    let text = place.run("list", &[]);
    assert_eq!((text.code, text.out.lines().count()), (0, loops.len()), "{text:?}");
}

#[test]
fn list_says_what_the_file_says() {
    let place = Place::with(ID, &loop_v2_at(ID, "paused", 3));
    let expected = json!([{
        "id": ID, "format": "loop_v2", "file": format!("{ROOT}/{ID}.json"), "status_as_written": "paused",
        "shown_status": "paused", "title": format!("Title of {ID}"), "iteration": 3, "limit": 10,
        "progress": { "phase": { "kind": "not_initialised" }, "overall": 0 }, "problems": [],
    }]);
    assert_eq!(place.json("list", &[]), expected);
    assert_eq!(place.run("list", &[]).out, format!("Paused  3/10  {ID}  Title of {ID}\n"));
}

#[test]
fn show_has_everything_the_window_shows() {
    let place = Place::with_sample();
    let window = place.window();
    for row in window.changes(0).rows {
        let shown = place.json("show", &[&row.file]);
        let mut expected = BTreeSet::from(LIST_KEYS);
        expected.extend([
            "group",
            "agent",
            "reason",
            "ended_by_limit",
            "mode",
            "priority",
            "tags",
            "changed",
        ]);
        expected.extend(["created", "verbs", "detail", "documents", "test_rows", "last_good"]);
        assert_eq!(keys(&shown), expected);
        let page = serde_json::to_value(window.read_loop(&row.key).unwrap()).unwrap();
        assert_eq!(keys(&shown["detail"]), keys(&page["detail"]));
        assert_eq!(
            shown["detail"]["tasks"].as_array().map(Vec::len),
            page["detail"]["tasks"].as_array().map(Vec::len)
        );
        let runs = page["detail"]["validation"]["runs"].as_array().map_or(&[][..], Vec::as_slice);
        let rows: Vec<u64> = runs.iter().map(|run| run["rows"].as_u64().unwrap()).collect();
        let single = shown["test_rows"].as_array().unwrap().iter();
        assert_eq!(
            single.map(|rows| rows.as_array().unwrap().len() as u64).collect::<Vec<_>>(),
            rows,
            "{}",
            row.id
        );
        assert!(!place.run("show", &[&row.file]).out.contains('?'), "{}", row.id);
    }
}

#[test]
fn looking_leaves_nothing_behind() {
    let place = Place::with_sample();
    let left_over = place.write(&format!("{ROOT}/.loopdeck-old.tmp"), "half");
    let old = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().write(true).open(&left_over).unwrap().set_modified(old).unwrap();
    let look = || {
        let before = everything(place.folder.path());
        for (verb, rest) in [("list", &[][..]), ("show", &["aot-loop-state"]), ("check", &[])] {
            assert_eq!(place.run(verb, rest).err, "");
            assert_eq!(everything(place.folder.path()), before, "{verb}");
        }
    };
    look();
    assert!(!place.data().exists());
    fs::create_dir(place.data()).unwrap();
    fs::write(place.data().join("settings.json"), "{damaged").unwrap();
    look();
}

#[test]
fn check_names_code_place_and_sentence_and_ends_with_one() {
    let place = Place::with("loop-v2-good", &loop_v2("loop-v2-good", "paused"));
    assert_eq!((place.run("check", &[]).code, place.json("check", &[])), (0, json!([])));
    place.write(&format!("{ROOT}/loop-v2-other.json"), &loop_v2("loop-v2-wrong", "paused"));
    let answer = place.run("check", &["--json"]);
    assert_eq!((answer.code, answer.err.as_str()), (1, ""));
    let expected = json!([{
        "id": "loop-v2-other", "file": format!("{ROOT}/loop-v2-other.json"), "code": "E5_id_mismatch",
        "severity": "error", "path": "loop_id", "line": 2,
        "args": { "found": "loop-v2-wrong", "expected": "loop-v2-other" },
        "message": "The id in the file is “loop-v2-wrong”, the file name says “loop-v2-other”.",
    }]);
    assert_eq!(answer.json(), expected);
    let text = place.run("check", &["loop-v2-other"]);
    let line = format!("{ROOT}/loop-v2-other.json:2: error E5_id_mismatch: The id in the file is");
    assert!(text.code == 1 && text.out.starts_with(&line), "{text:?}");
    assert_eq!(place.run("check", &["loop-v2-good"]).code, 0);
}

#[test]
fn hostile_files_are_problems_and_their_text_moves_no_cursor() {
    let place = Place::empty();
    place.write(&format!("{ROOT}/loop-v2-torn.json"), "{\"loop_id\": \"loop-v2-torn\", ");
    place.write(&format!("{ROOT}/loop-v2-empty.json"), "");
    place.write(&format!("{ROOT}/loop-v2-soup.json"), &"[".repeat(100_000));
    place.write(AOT, "---\ncontrol: {\u{1b}[2J\n---\n");
    fs::create_dir(place.workspace().join(ROOT).join("loop-v2-folder.json")).unwrap();
    let evil = loop_v2("loop-v2-evil", "paused").replace("Title of", "\\u001b[31m\\u202e\\nTitle of");
    place.write(&format!("{ROOT}/loop-v2-evil.json"), &evil);
    let listed = place.json("list", &[]);
    assert_eq!(listed.as_array().unwrap().len(), 6, "{listed:#}");
    let unreadable = listed.as_array().unwrap().iter().filter(|found| found["shown_status"] == "cannot_read");
    assert_eq!(unreadable.count(), 5, "{listed:#}");
    for (verb, rest) in
        [("list", &[][..]), ("check", &[]), ("show", &["loop-v2-evil"]), ("show", &["loop-v2-torn"])]
    {
        let text = place.run(verb, rest);
        assert!(text.code < 2, "{text:?}");
        assert!(!text.out.contains(['\u{1b}', '\u{202e}', '?']), "{verb}: {text:?}");
    }
    assert_eq!(place.run("check", &[]).code, 1);
}

#[test]
fn a_file_caught_half_written_is_no_damage() {
    let whole = loop_v2(ID, "running");
    let place = Place::with(ID, &whole[..100]);
    let file = place.workspace().join(ROOT).join(format!("{ID}.json"));
    let checked = std::thread::scope(|scope| {
        let check = scope.spawn(|| place.run("check", &["--json"]));
        std::thread::sleep(Duration::from_millis(300));
        fs::write(&file, &whole).unwrap();
        check.join().unwrap()
    });
    assert_eq!((checked.code, checked.json()), (0, json!([])));
}

#[test]
fn pause_changes_two_values_and_no_other_byte() {
    let before = format!(
        "\u{feff}{{\r\n\t\"loop_id\" : \"{ID}\",\r\n\t\"title\":\"A\\u00e9\",  \"x\": [1, 2.50, 1E+3],\r\n\t\"status\":   \"running\" ,\
         \r\n\t\"max_iterations\": 10.0,\r\n\r\n\t\"current_iteration\": 3,\r\n\t\"created_at\": \"2026-11-20T04:24:21.870Z\",\
         \r\n\t\"updated_at\": \"2026-11-20T04:24:21.915Z\"\r\n}}"
    );
    let place = Place::with(ID, &before);
    let done = place.json("pause", &[ID]);
    let after = fs::read_to_string(place.workspace().join(ROOT).join(format!("{ID}.json"))).unwrap();
    let (start, end) =
        before.split_at(before.find("\"updated_at\": \"").unwrap() + "\"updated_at\": \"".len());
    assert!(after.starts_with(&start.replace("running", "paused")), "{after}");
    assert!(
        after.ends_with(&end["2026-11-20T04:24:21.915Z".len()..]) && after.len() == before.len() - 1,
        "{after}"
    );
    assert_eq!(fs::read_dir(place.workspace().join(ROOT)).unwrap().count(), 1, "no temporary file is left");
    let expected = json!({
        "id": ID, "format": "loop_v2", "file": format!("{ROOT}/{ID}.json"), "verb": "pause",
        "effect": "pause_before_next_action", "command": null, "request": "requested",
        "status_as_written": "paused", "shown_status": "paused", "iteration": 3, "limit": 10,
    });
    assert_eq!(done, expected);
}

#[test]
fn every_verb_does_what_it_says() {
    let place = Place::with(ID, &loop_v2_at(ID, "running", 10));
    let done = |rest: &[&str]| {
        let done = place.json(rest[0], &rest[1..]);
        (done["status_as_written"].as_str().unwrap().to_owned(), done["limit"].clone())
    };
    assert_eq!(done(&["pause", ID]), ("paused".into(), json!(10)));
    let full = place.run("resume", &[ID]);
    assert!(full.code == 2 && full.err.starts_with("loopdeck: limit_reached: "), "{full:?}");
    assert_eq!(done(&["resume", ID, "--raise-limit", "12"]), ("running".into(), json!(12)));
    assert_eq!(done(&["stop", ID]), ("failed".into(), json!(12)));
    assert_eq!(done(&["reopen", ID, "--raise-limit", "20"]), ("running".into(), json!(20)));

    let file = place.write(AOT, &aot("pending", 0));
    assert!(place.json("start", &["aot-loop-state"])["command"].is_string());
    // Our own start is no sign of life; the agent's first round is.
    let idle = place.run("stop", &["aot-loop-state"]);
    assert!(idle.code == 2 && idle.err.starts_with("loopdeck: not_running: "), "{idle:?}");
    place.write(AOT, &aot("running", 1));
    place.json("stop", &["aot-loop-state", "--reason", "Enough: for today"]);
    let text = fs::read_to_string(file).unwrap();
    let expected = aot("running", 1)
        .replace("stop_requested: false", "stop_requested: true")
        .replace("stop_reason: null", "stop_reason: \"Enough: for today\"");
    assert_eq!(text, expected);
    // Nobody has worked on it for an hour.
    let file = place.write(AOT, &aot("running", 4));
    let old = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    assert_eq!(place.json("list", &[])[0]["shown_status"], "interrupted");
    assert_eq!(place.json("finalise", &[AOT])["status_as_written"], "stopped");
}

#[test]
fn a_refusal_has_a_code_a_sentence_and_no_effect() {
    let place = Place::with(ID, &loop_v2(ID, "completed"));
    place.write(
        &format!("{ROOT}/loop-v2-twice.json"),
        &loop_v2("loop-v2-twice", "running").replacen('{', "{\"status\": 1,", 1),
    );
    let before = everything(&place.workspace());
    let refused = place.run("pause", &[ID, "--json"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    let sentence = "Refused: the loop has ended (Completed). Reopen it first. Nothing was written.\n";
    assert_eq!(refused.err, format!("loopdeck: finished: {sentence}"));
    let damaged = place.run("stop", &["loop-v2-twice"]);
    assert!(
        damaged.code == 2 && damaged.err.starts_with("loopdeck: not_editable: Refused: a field "),
        "{damaged:?}"
    );
    assert_eq!(everything(&place.workspace()), before);
}

#[test]
fn an_ambiguous_id_asks_for_the_file() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    place.write(&format!(".loop/{ID}.json"), &loop_v2(ID, "running"));
    let asked = place.run("pause", &[ID]);
    assert_eq!(asked.code, 2);
    assert!(
        asked.err.starts_with("loopdeck: ambiguous_id: ") && asked.err.contains(&format!(".loop/{ID}.json"))
    );
    assert_eq!(place.json("pause", &[&format!(".loop/{ID}.json")])["file"], format!(".loop/{ID}.json"));
    let unknown = place.run("show", &["../../etc/passwd"]);
    assert!(unknown.code == 2 && unknown.err.starts_with("loopdeck: unknown_id: "), "{unknown:?}");
}

#[test]
fn what_cannot_be_done_ends_with_two() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let run = |args: &[&str]| answer(bound_command(env!("CARGO_BIN_EXE_loopdeck")).args(args));
    let missing = place.workspace().join("missing");
    let gone = run(&["list", missing.to_str().unwrap(), "--json"]);
    assert!(
        gone.code == 2 && gone.err.starts_with("loopdeck: not_a_folder: ") && gone.out.is_empty(),
        "{gone:?}"
    );
    for args in
        [&["show"][..], &["pause", "."], &["list", ".", "--nonsense"], &["stop", ".", "x", "--raise-limit=3"]]
    {
        let refused = run(args);
        assert!(
            refused.code == 2 && refused.err.starts_with("loopdeck: ") && refused.out.is_empty(),
            "{refused:?}"
        );
    }
    let help = run(&["resume", "--help"]);
    assert!(help.code == 0 && help.out.contains("--raise-limit") && help.err.is_empty(), "{help:?}");
    // A data folder that cannot be used: the request could not be kept, so it is not made.
    fs::write(place.data(), "in the way").unwrap();
    let refused = place.run("pause", &[ID]);
    assert!(refused.code == 2 && refused.err.starts_with("loopdeck: own_data: "), "{refused:?}");
    assert_eq!(place.json("list", &[])[0]["status_as_written"], "running");
}

#[test]
fn the_window_sees_and_guards_what_was_asked_here() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let file = place.workspace().join(ROOT).join(format!("{ID}.json"));
    let window = place.window();
    place.json("pause", &[ID]);
    let request = || window.changes(0).rows[0].request.clone();
    wait_for("the request is shown", || request().is_some_and(|request| request.verb == Verb::Pause));
    fs::write(&file, loop_v2(ID, "running")).unwrap();
    wait_for("sent again", || request().is_some_and(|request| request.sent_again == 1));
    assert!(fs::read_to_string(&file).unwrap().contains("\"paused\""));
}

#[test]
fn the_window_does_not_fight_a_newer_word_from_here() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let window = place.window();
    let key = window.changes(0).rows[0].key.clone();
    window.act(&key, Verb::Pause, VerbOptions::default()).unwrap();
    assert_eq!(place.json("resume", &[ID])["status_as_written"], "running");
    wait_for("the newer request is the one that is shown", || {
        let request = window.changes(0).rows[0].request.clone();
        request
            .is_some_and(|request| request.verb == Verb::Resume && request.state == RequestState::Requested)
    });
    assert_eq!(place.json("list", &[])[0]["status_as_written"], "running");
}
