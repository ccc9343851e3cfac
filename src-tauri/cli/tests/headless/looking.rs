//! `list`, `show` and `check`.

use crate::place::{Place, everything, keys};
use crate::{AOT, ID};
use loopdeck_tests::live::{ROOT, aot, loop_v2, loop_v2_at};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

const LIST_KEYS: [&str; 15] = [
    "id",
    "format",
    "file",
    "status_as_written",
    "shown_status",
    "runner",
    "title",
    "claims",
    "marks",
    "pull_request",
    "iteration",
    "limit",
    "progress",
    "request",
    "problems",
];

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
    place.promises("list", &loops[0], &LIST_KEYS);
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

/// A file that was half written a moment ago is read again for a second: whoever reads all loops waits for it.
#[test]
fn a_look_at_one_loop_reads_no_other() {
    let place = Place::with(ID, &loop_v2(ID, "paused"));
    let half = "loop-v2-20261120T042421-00000000";
    let cut = place.write(&format!("{ROOT}/{half}.json"), "{\"loop_id\": \"loop");
    fs::File::options()
        .write(true)
        .open(cut)
        .unwrap()
        .set_modified(SystemTime::now() + Duration::from_secs(60))
        .unwrap();
    let took = |verb: &str, rest: &[&str]| {
        let start = Instant::now();
        assert_eq!(place.run(verb, rest).code, 0, "{verb} {rest:?}");
        start.elapsed()
    };
    assert!(took("list", &[]) > Duration::from_millis(900), "all of them are read");
    let file = format!("{ROOT}/{ID}.json");
    for (verb, id) in
        [("show", ID), ("show", &file), ("show", &format!("./{file}")), ("history", ID), ("repair", ID)]
    {
        // On a busy machine any look may be slow; one that waits for the other file always is.
        assert!((0..5).any(|_| took(verb, &[id]) < Duration::from_millis(900)), "{verb} {id}");
    }
    place.refused("show", &["loop-v2-unknown"], "unknown_id");
}

#[test]
fn list_says_what_the_file_says() {
    let place = Place::with(ID, &loop_v2_at(ID, "paused", 3));
    let expected = json!([{
        "id": ID, "format": "loop_v2", "file": format!("{ROOT}/{ID}.json"), "status_as_written": "paused",
        "shown_status": "paused", "runner": null, "title": format!("Title of {ID}"), "claims": null, "iteration": 3, "limit": 10,
        "marks": { "pinned": false, "archived": false, "snoozed_until": null }, "pull_request": null,
        "progress": { "phase": { "kind": "not_initialised" }, "overall": 0 }, "request": null, "problems": [],
    }]);
    assert_eq!(place.json("list", &[]), expected);
    assert_eq!(place.run("list", &[]).out, format!("Paused  3/10  {ID}  Title of {ID}\n"));
}

/// The state file of a running loop may be an hour old while its agent writes next to it.
#[test]
fn list_takes_progress_for_a_sign_of_life() {
    for (folder, shown) in [
        ("loop-v2-other.progress", "interrupted"),
        (&*format!("{ID}.progress"), "running_elsewhere"),
        (&*format!("{ID}.workers"), "running_elsewhere"),
    ] {
        let place = Place::with(ID, &loop_v2(ID, "running"));
        place.age(&format!("{ROOT}/{ID}.json"));
        place.write(&format!("{ROOT}/{folder}/develop.md"), "# Development Progress\n");
        assert_eq!(place.json("list", &[])[0]["shown_status"], shown, "{folder}");
    }
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
        expected.extend(["created", "verbs", "detail", "parent", "followed_by", "documents"]);
        expected.extend(["test_rows", "last_good", "weakened"]);
        assert_eq!(keys(&shown), expected);
        let page = serde_json::to_value(window.read_loop(&row.key).unwrap()).unwrap();
        assert_eq!(keys(&shown["detail"]), keys(&page["detail"]));
        let own: serde_json::Map<String, Value> = shown
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| !LIST_KEYS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        place.documents("show", &Value::Object(own));
        place.documents("show", &shown["detail"]);
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

/// The sections of the text form of `show`: a heading and its rows.
fn sections(place: &Place, id: &str) -> Vec<String> {
    let shown = place.run("show", &[id]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""));
    shown.out.trim_end().split("\n\n").skip(1).map(str::to_owned).collect()
}

#[test]
fn show_prints_each_part_of_a_loop_v2_as_a_section() {
    const LOOP_V2: &str = "loop-v2-20260122T020000-3fa91c0e";
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    let line = |id: &str, description: &str, tool: &str| {
        json!({ "task_id": id, "description": description, "tool": tool, "mode": "write",
            "prompt_template": "", "order": 0, "created_at": "2026-01-22T02:00:00Z", "updated_at": "2026-01-22T02:00:00Z" })
    };
    place.write(
        &format!("{ROOT}/{LOOP_V2}/tasks.jsonl"),
        &format!(
            "{}\n{}\n",
            line("task-002", "Create login/logout endpoints", "codex"),
            line("new", "Do it\nand more", "")
        ),
    );
    let expected = [
        "Tasks: 4 of 4 completed
  [x] task-001  Analyse the current auth module and session middleware
  [x] task-002  Create login/logout endpoints
                src/auth/login.ts, src/auth/logout.ts, src/server.ts
  [x] task-003  Add lock-out counter after 5 failed attempts
                src/auth/lockout.ts
  [x] task-004  Write unit tests for login, logout and lock-out
                test/auth/login.test.ts, test/auth/lockout.test.ts",
        "Task list: 1 of 2 picked up
  [x] task-002  Create login/logout endpoints  (codex, write)
  [ ] new       Do it  (write)",
        "Hypotheses: 0 of 3 judged (* root cause)
    H1  pending  Failed-attempt counter is reset when the session is regenerated
    H2  pending  Counter is stored per process, tests hit two workers
    H3  pending  Lock check runs after the password check",
        "Understanding of the problem:\n  The counter is lost somewhere between attempts.",
        "Tests: 2 of 4 passed, 1 failed, 1 skipped
  Coverage: 71.4 %
  [!] auth/lockout › locks after 5 failed attempts
      expected 423, got 401",
        "Errors: 1
  VALIDATE: coverage script exited 1",
    ];
    let found = sections(&place, LOOP_V2);
    assert_eq!(found[..found.len() - 1], expected, "the last one are the problems");
    assert!(found.last().unwrap().starts_with("Problems: "));
    // It was not measured.
    let file = format!("{ROOT}/{LOOP_V2}.json");
    let text = place.read(&file).replacen("\"coverage\": 71.4", "\"coverage\": null", 1);
    place.write(&file, &text);
    fs::remove_dir_all(place.workspace().join(ROOT).join(format!("{LOOP_V2}.progress"))).unwrap();
    let tests = sections(&place, LOOP_V2).into_iter().find(|section| section.starts_with("Tests: ")).unwrap();
    assert!(tests.contains("\n  Coverage: not measured\n"), "{tests}");
}

#[test]
fn show_prints_each_part_of_a_loop_b_as_a_section() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-b-synth", ROOT);
    let expected = [
        "Tasks: 0 of 3 completed
  [ ] T1  Extract PaymentGateway
  [ ] T2  Add idempotency keys
  [ ] T3  Raise test coverage",
        "Hypotheses: 0 of 1 judged (* root cause)
    H1  pending  missing idempotency key",
        "Tests: 111 of 113 passed, 2 failed, 0 skipped
  Coverage: 85.0 %",
        "Workers: 4
  init: success  Initialized with 3 development tasks
  develop: success  Implemented: T1 extract PaymentGateway
      src/pay/gateway.ts, src/pay/index.ts
  debug: success  Root cause: retry storm on 409
      src/pay/index.ts
  validate: {\"total\": 113, \"passed\": 111, \"failed\": 2}",
        "Problems: 0",
    ];
    assert_eq!(sections(&place, "loop-b-20260122T110000-k3v9x2ab"), expected);
}

#[test]
fn show_prints_each_part_of_an_aot_loop_as_a_section() {
    let place = Place::with_fixture("aot/sample-04-running-or-backtracked", "");
    let expected = [
        "Atoms: 1 of 7 resolved
  [x] A1           Describe the job record
                   Job record: id, kind, payload, run_at, attempts, locked_by
  [+] A2           Choose storage backend  <- A1
  [!] A3_sqlite    SQLite backend with WAL  <- A1
  [>] A3_postgres  Postgres backend with SKIP LOCKED  <- A1
  [-] A3_files     Append-only files with fsync  <- A1
  [.] A4           Recovery scan on boot  <- A3_sqlite
  [.] A5           Restart integration test  <- A4",
        "OR groups (* selected, ! failed)
  storage_method: !A3_sqlite | *A3_postgres | A3_files",
        "Completion checklist: 0 of 4 passed
  [ ] Durability
    [ ] Restart test passes: cargo test --test restart
    [ ] Store is reachable by one backend
      [ ] SQLite file: var/jobs.sqlite3
      [ ] Postgres up: pg_isready -q
  [ ] Operator agrees the recovery time is acceptable: Recovery after kill -9 takes under two seconds on the staging host",
        "Problems: 0",
    ];
    assert_eq!(sections(&place, "aot-loop-state"), expected);
}

#[test]
fn folders_of_other_ralph_tools_are_loops_of_these_tools() {
    let place = Place::with_fixture("field/11-ralph-folders-of-other-tools", "");
    let listed = place.json("list", &[]);
    let of = |row: &Value| format!("{} {}", row["format"].as_str().unwrap(), row["file"].as_str().unwrap());
    let expected = [
        "ralph_loop .claude/ralph-loop.local.md",
        "orchestrator .ralph/agent/scratchpad.md",
        "frankbria .ralph/fix_plan.md",
        "prd prd.json",
    ];
    assert_eq!(listed.as_array().unwrap().iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(place.run("check", &[]).code, 0);
}

#[test]
fn check_names_the_lines_that_only_look_like_boxes() {
    let place = Place::with_fixture("field/05-ralph-no-readable-boxes", "");
    let checked = place.run("check", &[]);
    for line in ["TODO.md:4", "TODO.md:9"] {
        assert!(checked.out.contains(line), "{}", checked.out);
    }
    assert!(checked.out.contains("- [  ] Two blanks"), "{}", checked.out);
}

#[test]
fn looking_leaves_nothing_behind() {
    let place = Place::with_sample();
    let left_over = place.write(&format!("{ROOT}/.loopdeck-old.tmp"), "half");
    let old = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().write(true).open(&left_over).unwrap().set_modified(old).unwrap();
    let look = |says: fn(&str) -> bool| {
        let before = everything(place.folder.path());
        for (verb, rest) in [("list", &[][..]), ("show", &["aot-loop-state"]), ("check", &[])] {
            let err = place.run(verb, rest).err;
            assert!(says(&err), "{verb}: {err}");
            assert_eq!(everything(place.folder.path()), before, "{verb}");
        }
    };
    look(str::is_empty);
    assert!(!place.data().exists());
    fs::create_dir(place.data()).unwrap();
    fs::write(place.data().join("settings.json"), "{damaged").unwrap();
    look(|said| said.starts_with("loopdeck: damaged_data: ") && said.contains("settings.json"));
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
        "message": "The ID in the file is “loop-v2-wrong”, but the file name says “loop-v2-other”.",
    }]);
    assert_eq!(answer.json(), expected);
    place.documents("check", &answer.json()[0]);
    let text = place.run("check", &["loop-v2-other"]);
    let line = format!("{ROOT}/loop-v2-other.json:2: error E5_id_mismatch: The ID in the file is");
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

/// The plugin's hook would pass the value to its shell, which runs the command in it.
#[test]
fn check_holds_a_file_against_the_contract_for_tools() {
    let place = Place::empty();
    let file = |text: &str| place.write("loop.json", text);
    file(r#"{"status": "pending", "iteration": 0, "limit": 9}"#);
    let held = place.run("check", &["loop.json", "--contract"]);
    assert_eq!((held.code, held.err.as_str()), (0, ""), "{}", held.out);
    file(r#"{"status": "running", "iteration": 0, "limit": "a\u001b[31m"}"#);
    let broken = place.run("check", &["loop.json", "--contract"]);
    let codes: Vec<_> = broken.out.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    assert_eq!((broken.code, codes), (1, vec!["C3_limit:", "C5_owner:", "C6_heartbeat:"]), "{}", broken.out);
    assert!(!broken.out.contains('\u{1b}'), "{}", broken.out);
    let told = place.run("check", &["loop.json", "--contract", "--json"]).json();
    assert_eq!(told[1]["severity"], "warning");
    for unreadable in ["gone.json", "."] {
        assert_eq!(place.run("check", &[unreadable, "--contract"]).code, 2, "{unreadable}");
    }
}

#[test]
fn check_names_a_number_that_runs_a_command_and_does_not_run_it() {
    let place = Place::empty();
    let evil = aot("running", 1).replacen("  iteration: 1\n", "  iteration: HOME[$(touch pwned)]\n", 1);
    place.write(AOT, &evil);
    let before = everything(&place.workspace());
    let checked = place.run("check", &[]);
    assert_eq!((checked.code, checked.err.as_str()), (1, ""));
    assert!(checked.out.starts_with(&format!("{AOT}:17: error V4_shell_value: ")), "{checked:?}");
    assert!(checked.out.contains("HOME[$(touch pwned)]"), "{checked:?}");
    assert_eq!(everything(&place.workspace()), before);
    for folder in [place.workspace(), place.workspace().join(".claude"), std::env::current_dir().unwrap()] {
        assert!(!folder.join("pwned").exists(), "{folder:?}");
    }
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
fn check_names_what_was_torn_beside_a_loop() {
    const LOOP_B: &str = "loop-b-20260122T110000-k3v9x2ab";
    const LOOP_V2: &str = "loop-v2-20260122T020000-3fa91c0e";
    let codes = |place: &Place, id: &str| -> BTreeSet<String> {
        let found = place.json("check", &[id]);
        found.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    };
    let place = Place::with_fixture("ccw/codex-ccw-loop-b-synth", ROOT);
    let before = codes(&place, LOOP_B);
    place.write(&format!("{ROOT}/{LOOP_B}.workers/debug.output.json"), "");
    place.write(&format!("{ROOT}/{LOOP_B}.workers/validate.output.json"), "[1]");
    let new: Vec<String> = codes(&place, LOOP_B).difference(&before).cloned().collect();
    assert_eq!(new, ["W10_bad_output", "W10_empty_output"]);
    let said = place.run("check", &[LOOP_B]).out;
    assert!(said.contains("debug.output.json is empty") && said.contains("[1]"), "{said}");

    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/1-paused-mid-develop", ROOT);
    assert!(!codes(&place, LOOP_V2).contains("W10_bad_line"));
    let log = format!("{ROOT}/{LOOP_V2}.progress/changes.log");
    place.write(&log, "{\"timestamp\":\"2026");
    assert!(codes(&place, LOOP_V2).contains("W10_bad_line"));
}
