//! `archive`, `pin` and `snooze`: what the list shows, with the files of the workspace as they were.

use crate::place::{Place, everything, wait_for};
use loopdeck_tests::live::{ROOT, loop_v2};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::SystemTime;

const IDS: [&str; 3] =
    ["loop-v2-20261120T042421-a", "loop-v2-20261120T042421-b", "loop-v2-20261120T042421-c"];

fn place() -> Place {
    let place = Place::empty();
    for id in IDS {
        place.write(&format!("{ROOT}/{id}.json"), &loop_v2(id, "failed"));
    }
    place
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|found| found["id"].as_str().unwrap()).collect()
}

fn files(place: &Place) -> BTreeMap<std::path::PathBuf, (Vec<u8>, SystemTime)> {
    everything(&place.workspace())
}

#[test]
fn loops_leave_the_list_come_first_and_come_back() {
    let place = place();
    let [a, b, c] = IDS;
    let before = files(&place);
    let unmarked = json!({ "pinned": false, "archived": false, "snoozed_until": null });
    let archived = place.json("archive", &[a, b]);
    place.promises("archive", &archived[0], &["id", "file", "marks"]);
    place.json("pin", &[c]);
    let listed = |rest: &[&str]| place.json("list", rest);
    assert_eq!((ids(&listed(&[])), ids(&listed(&["--archived"]))), (vec![c], vec![a, b]));
    assert_eq!(place.json("show", &[a])["marks"]["archived"], true, "it is found by its name");
    place.json("archive", &[a, "--undo"]);
    assert_eq!(ids(&listed(&[])), [c, a], "the pinned one comes first");
    // A snooze ends what is archived, and the other way round.
    let until = &place.json("snooze", &[b, "--until", "3d"])[0]["marks"]["snoozed_until"];
    assert!(until.is_u64(), "{until}");
    assert_eq!(ids(&listed(&["--snoozed"])), [b]);
    assert!(ids(&listed(&["--archived"])).is_empty());
    place.json("snooze", &[b, "--undo"]);
    place.json("pin", &[c, "--undo"]);
    assert!(listed(&[]).as_array().unwrap().iter().all(|found| found["marks"] == unmarked));
    assert_eq!(files(&place), before, "nothing of it is in the workspace");
    place.refused("archive", &[a, "no-such-loop"], "unknown_id");
    assert_eq!(listed(&[]).as_array().unwrap().len(), 3, "all of them or none");
    assert_eq!(place.run("snooze", &[a]).code, 2, "a snooze needs a time");
    assert_eq!(place.run("snooze", &[a, "--until", "2020-01-31"]).code, 2, "one that lies ahead");
}

#[test]
fn a_loop_that_starts_or_fails_anew_is_listed_again_and_stays() {
    let place = place();
    let [a, b, c] = IDS;
    place.json("archive", &[a, b]);
    place.json("snooze", &[c, "--until", "3d"]);
    let window = place.window();
    let marks = |id: &str| window.rows().into_iter().find(|row| row.id == id).unwrap().marks;
    let is_aside = |id: &str| marks(id).is_aside();
    assert_eq!((window.needing(), IDS.map(is_aside)), (0, [true; 3]), "the next start knows them");
    place.write(&format!("{ROOT}/{a}.json"), &loop_v2(a, "running"));
    place.write(&format!("{ROOT}/{b}.json"), &loop_v2(b, "completed"));
    place.write(&format!("{ROOT}/{c}.json"), &format!("{}\n", loop_v2(c, "failed")));
    wait_for("what is new", || IDS.map(is_aside) == [false, true, false]);
    assert_eq!(window.needing(), 1, "it failed again");
    // A script is heard by the window.
    place.json("archive", &[c]);
    wait_for("the script", || is_aside(c) && window.needing() == 0);
    place.write(&format!("{ROOT}/{a}.json"), &loop_v2(a, "completed"));
    wait_for("its end", || window.rows().iter().any(|row| row.id == a && row.file_word == "completed"));
    drop(window);
    let listed = place.json("list", &[]);
    assert_eq!(ids(&listed), [a], "what came back is not forgotten");
}

/// What is deleted here goes to the trash of whoever runs the tests, and comes out of it again.
#[cfg(target_os = "linux")]
#[test]
fn a_deleted_loop_is_restored_with_all_that_belongs_to_it() {
    let place = place();
    let [a, b, _] = IDS;
    place.write(&format!("{ROOT}/{a}.progress/develop.md"), "# Development Progress\n");
    place.write(&format!("{ROOT}/{a}.tasks.jsonl"), "");
    let contents = |place: &Place| -> BTreeMap<_, _> {
        files(place).into_iter().map(|(path, (bytes, _))| (path, bytes)).collect()
    };
    let before = contents(&place);
    let window = place.window();
    let key = |id: &str| window.rows().into_iter().find(|row| row.id == id).map(|row| row.key);
    let deleted = key(a).unwrap();
    assert!(window.restore_deleted(&deleted).is_err(), "it is not deleted");
    let deletion = window.delete_loop(&deleted).unwrap();
    assert_eq!((deletion.files.len(), deletion.restorable, key(a)), (3, true, None));
    window.restore_deleted(&deleted).unwrap();
    assert_eq!((contents(&place), key(a)), (before.clone(), Some(deleted.clone())));
    assert!(window.restore_deleted(&deleted).is_err(), "once");
    // What has taken its place is not written over.
    window.delete_loop(&deleted).unwrap();
    let taken = place.write(&format!("{ROOT}/{a}.json"), &loop_v2(a, "paused"));
    let refused = window.restore_deleted(&deleted).unwrap_err();
    assert_eq!(refused.kind, loopdeck_runtime::views::FailureKind::Exists);
    assert_eq!(place.read(&format!("{ROOT}/{a}.json")), loop_v2(a, "paused"));
    std::fs::remove_file(taken).unwrap();
    window.restore_deleted(&deleted).unwrap();
    assert_eq!(contents(&place), before);
    assert!(window.restore_deleted(&key(b).unwrap()).is_err());
}
