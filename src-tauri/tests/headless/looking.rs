//! `list`, `show` and `check`.

use crate::place::{Place, everything, keys};
use crate::{AOT, ID};
use loopdeck_tests::live::{ROOT, loop_v2, loop_v2_at};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

const LIST_KEYS: [&str; 11] = [
    "id",
    "format",
    "file",
    "status_as_written",
    "shown_status",
    "title",
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

#[test]
fn list_says_what_the_file_says() {
    let place = Place::with(ID, &loop_v2_at(ID, "paused", 3));
    let expected = json!([{
        "id": ID, "format": "loop_v2", "file": format!("{ROOT}/{ID}.json"), "status_as_written": "paused",
        "shown_status": "paused", "title": format!("Title of {ID}"), "iteration": 3, "limit": 10,
        "progress": { "phase": { "kind": "not_initialised" }, "overall": 0 }, "request": null, "problems": [],
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
    place.documents("check", &answer.json()[0]);
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
