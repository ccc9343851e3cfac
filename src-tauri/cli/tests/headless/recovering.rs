//! `recover`: an unreadable file, its possible replacements, and writing one.

use crate::place::{Place, everything};
use loopdeck_tests::live::ROOT;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

const V2: &str = "loop-v2-20260122T020000-3fa91c0e";

fn file() -> String {
    format!("{ROOT}/{V2}.json")
}

/// A loop with progress documents whose master is cut off in the middle, and what is left of it.
fn truncated() -> (Place, String) {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    let left = cut(&place);
    (place, left)
}

fn cut(place: &Place) -> String {
    let whole = place.read(&file());
    let left = whole[..whole.len() / 2].to_owned();
    place.write(&file(), &left);
    place.age(&file());
    left
}

/// A proposal with the time at which it was written, which the file has.
fn stamped(proposed: &str, written: &str) -> String {
    let stamp =
        |text: &str| serde_json::from_str::<Value>(text).unwrap()["updated_at"].as_str().unwrap().to_owned();
    let (before, after) = (stamp(proposed), stamp(written));
    assert_ne!(after, before, "the time of the write");
    proposed.replacen(&format!("\"updated_at\": \"{before}\""), &format!("\"updated_at\": \"{after}\""), 1)
}

/// Every file with its bytes only.
fn contents(place: &Place) -> Vec<(PathBuf, Vec<u8>)> {
    let all = everything(&place.workspace()).into_iter().filter(|(path, _)| path.is_file());
    all.map(|(path, (bytes, _))| (path, bytes)).collect()
}

#[test]
fn a_truncated_master_is_proposed_anew_and_nothing_is_touched() {
    let (place, left) = truncated();
    let before = everything(place.folder.path());
    let proposed = place.json("recover", &[V2]);
    place.promises("recover", &proposed, &["id", "file", "aside", "options", "by_hand"]);
    let options = proposed["options"].as_array().unwrap();
    assert!(!options.is_empty());
    for option in options {
        place.promises(
            "recover",
            option,
            &["way", "fields", "lost", "asked", "recovered", "known", "text", "fingerprint"],
        );
        let text: Value = serde_json::from_str(option["text"].as_str().unwrap()).unwrap();
        assert_eq!(text["loop_id"], V2);
    }
    let text = place.run("recover", &[V2]);
    let first = &options[0]["fields"][0];
    let line = format!("  {}: {}\n", first["path"].as_str().unwrap(), first["source"].as_str().unwrap());
    assert!(text.code == 0 && text.out.contains(&line) && !text.out.contains('?'), "{text:?}");
    assert!(text.out.ends_with("add --write; to choose one, --way.\n"), "{text:?}");
    assert_eq!(everything(place.folder.path()), before);
    assert!(!place.data().exists() && place.read(&file()) == left);
}

#[test]
fn writing_keeps_the_damaged_file_and_can_be_undone() {
    let (place, left) = truncated();
    let mut expected = contents(&place);
    let proposed = place.json("recover", &[V2, "--way", "rebuilt"]);
    assert_eq!(proposed["options"].as_array().unwrap().len(), 1);
    let option = &proposed["options"][0];
    let done = place.json("recover", &[V2, "--way", "rebuilt", "--write"]);
    place.promises("recover", &done, &crate::changing::DONE_KEYS);
    assert_eq!((&done["change"]["kind"], &done["change"]["way"]), (&json!("recover"), &json!("rebuilt")));
    assert_eq!(done["change"]["fingerprint"], option["fingerprint"]);
    let aside = done["aside"].as_str().unwrap();
    assert!(aside.starts_with(&format!("{}.damaged-", file())), "{aside}");
    let text = stamped(option["text"].as_str().unwrap(), &place.read(&file()));
    for (path, bytes) in &mut expected {
        if path.ends_with(file()) {
            *bytes = text.clone().into();
        }
    }
    expected.push((place.workspace().join(aside), left.clone().into()));
    expected.sort();
    assert_eq!(contents(&place), expected, "the proposal, the damaged file, and nothing else");
    assert_ne!(done["shown_status"], "cannot_read");
    assert_eq!(place.run("check", &[V2]).code, 0);
    place.json("undo", &[V2]);
    assert_eq!(place.read(&file()), left);
    // A proposal can also be requested as a change.
    let options = place.json("recover", &[V2])["options"].clone();
    let change =
        json!({ "kind": "recover", "way": options[0]["way"], "fingerprint": options[0]["fingerprint"] });
    let again = place.json("change", &[V2, "--json-change", &change.to_string()]);
    let written = place.read(&file());
    assert_eq!(written, stamped(options[0]["text"].as_str().unwrap(), &written));
    assert_eq!(place.read(again["aside"].as_str().unwrap()), left);
    place.refused("change", &[V2, "--json-change", &change.to_string()], "nothing_to_repair");
    cut(&place);
    place.refused("change", &[V2, "--json-change", &change.to_string()], "changed_since");
}

#[test]
fn what_is_shown_first_is_what_is_written_first() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    place.age(&file());
    // The journal has its earlier content.
    let verbs = place.json("show", &[V2])["verbs"].clone();
    let verb = if verbs.as_array().unwrap().contains(&json!("pause")) { "pause" } else { "stop" };
    place.json(verb, &[V2]);
    cut(&place);
    let before = everything(place.folder.path());
    let proposed = place.json("recover", &[V2]);
    assert_eq!(everything(place.folder.path()), before);
    let first = &proposed["options"][0];
    let done = place.json("recover", &[V2, "--write"]);
    assert_eq!(done["change"]["fingerprint"], first["fingerprint"]);
    let written = place.read(&file());
    let proposed = first["text"].as_str().unwrap();
    assert!(written == proposed || first["way"] != "last_good" && written == stamped(proposed, &written));
    let sources: BTreeSet<&str> =
        first["fields"].as_array().unwrap().iter().map(|field| field["source"].as_str().unwrap()).collect();
    assert!(first["way"] == "last_good" || sources.contains("last_good"), "{sources:?}");
}

#[test]
fn a_file_that_can_be_read_is_not_recovered() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    let refused = place.refused("recover", &[V2], "nothing_to_repair");
    assert!(refused.err.ends_with("Nothing was written.\n"), "{refused:?}");
    place.refused("recover", &[V2, "--write", "--json"], "nothing_to_repair");
}

#[test]
fn without_a_proposal_nothing_is_set_aside() {
    let place = Place::with_sample();
    let file = ".loop/LOOP-fix-the-cart-badge-2026-11-17/state.json";
    place.write(file, "Nothing of it is left.");
    place.age(file);
    assert_eq!(place.json("recover", &[file])["options"], json!([]));
    assert_eq!(place.run("recover", &[file]).code, 0);
    place.refused("recover", &[file, "--write"], "no_proposal");
    place.refused("recover", &[file, "--write", "--way", "rebuilt"], "way_not_offered");
    let (place, _) = truncated();
    fs::remove_dir_all(place.workspace().join(format!("{ROOT}/{V2}.progress"))).unwrap();
    place.refused("recover", &[V2, "--way", "backup", "--write"], "way_not_offered");
}

/// The first proposal has the tasks, the run and the verdicts from the files next to the loop.
#[test]
fn the_first_proposal_brings_back_most() {
    let (place, _) = truncated();
    fs::remove_file(place.workspace().join(format!("{ROOT}/{V2}.progress/develop.md"))).unwrap();
    let whole = place.read(&file());
    place.write(&file(), &whole[..200]);
    place.age(&file());
    let options = place.json("recover", &[V2])["options"].clone();
    let recovered: Vec<u64> =
        options.as_array().unwrap().iter().map(|option| option["recovered"].as_u64().unwrap()).collect();
    assert!(recovered.len() > 1 && recovered.iter().rev().is_sorted(), "{recovered:?}");
    let done = place.json("recover", &[V2, "--write"]);
    assert_eq!(done["change"]["way"], "rebuilt");
    let state: Value = serde_json::from_str(&place.read(&file())).unwrap();
    assert_eq!(state["skill_state"]["develop"]["tasks"].as_array().unwrap().len(), 4);
    assert_eq!(state["skill_state"]["develop"]["completed"], 4);
    assert_eq!(state["skill_state"]["validate"]["test_results"].as_array().unwrap().len(), 1);
}

#[test]
fn what_no_file_tells_is_typed_in() {
    let (place, left) = truncated();
    place.write(&file(), "");
    place.age(&file());
    let asked = place.json("recover", &[V2])["options"][0]["asked"].clone();
    let fields: Vec<&str> =
        asked.as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    for field in ["status", "current_iteration", "max_iterations", "created_at"] {
        assert!(fields.contains(&field), "{fields:?}");
    }
    let text = place.run("recover", &[V2]);
    assert!(text.out.contains("  --max-iterations: made up (10); type it in\n"), "{text:?}");
    let given =
        ["--title", "Login", "--status", "user_exit", "--current-iteration", "5", "--max-iterations=20"];
    let given =
        [&[V2, "--write"][..], &given, &["--created-at", "2026-01-21T10:00:00Z", "--tag", "auth"]].concat();
    place.json("recover", &given);
    let state: Value = serde_json::from_str(&place.read(&file())).unwrap();
    assert_eq!((&state["title"], &state["status"]), (&json!("Login"), &json!("user_exit")));
    assert_eq!((&state["current_iteration"], &state["max_iterations"]), (&json!(5), &json!(20)));
    assert_eq!((&state["created_at"], &state["tags"]), (&json!("2026-01-21T10:00:00Z"), &json!(["auth"])));
    assert_eq!(place.run("check", &[V2]).code, 0);
    place.write(&file(), &left);
    place.age(&file());
    place.refused("recover", &[V2, "--write", "--created-at", "yesterday"], "bad_value");
    assert_eq!(place.read(&file()), left, "nothing was written");
}

/// Two loops whose files were swapped: each gets its own state back, even though the first step sets one of
/// them aside.
#[test]
fn swapped_files_go_back_to_their_names() {
    const OTHER: &str = "loop-v2-20260122T020000-00000000";
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    let other = format!("{ROOT}/{OTHER}.json");
    let own = place.read(&file());
    let theirs = own.replace(V2, OTHER).replacen("Implement user", "Another user", 1);
    place.write(&file(), &theirs);
    place.write(&other, &own);
    for name in [&file(), &other] {
        place.age(name);
    }
    place.refused("pause", &[V2], "id_mismatch");
    for (id, name, expected) in [(V2, file(), &own), (OTHER, other, &theirs)] {
        let first = place.json("recover", &[id])["options"][0].clone();
        assert_eq!((&first["way"], &first["lost"]), (&json!("elsewhere"), &json!([])), "{id}");
        place.json("recover", &[id, "--write"]);
        assert_eq!(&place.read(&name), expected, "{id}");
    }
    place.refused("recover", &[V2], "nothing_to_repair");
}

/// A swapped file whose own state cannot be found is rebuilt from the files next to it.
#[test]
fn a_swapped_file_is_rebuilt_from_its_own_files() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    let theirs = place
        .read(&file())
        .replace(V2, "loop-v2-20260122T020000-00000000")
        .replace("session cookies", "another");
    place.write(&file(), &theirs);
    place.age(&file());
    let done = place.json("recover", &[V2, "--write"]);
    assert_eq!(done["change"]["way"], "rebuilt");
    let state: Value = serde_json::from_str(&place.read(&file())).unwrap();
    assert_eq!(state["loop_id"], V2);
    assert!(
        state["description"].as_str().unwrap().contains("session cookies"),
        "nothing is taken from the other loop"
    );
    assert_eq!(place.read(done["aside"].as_str().unwrap()), theirs);
    place.json("undo", &[V2]);
    assert_eq!(place.read(&file()), theirs);
}

/// Almost JSON: the line, and a proposal with nothing but the faults corrected; what is lost is counted.
#[test]
fn a_file_that_is_almost_json_is_corrected() {
    let place = Place::with_fixture("field/13-ccw-trailing-commas/ws/.workflow/.loop", ROOT);
    let id = "loop-v2-20260301T101500-0a1b2c3d";
    let name = format!("{ROOT}/{id}.json");
    place.age(&name);
    let check = place.run("check", &[]);
    assert!(check.out.contains(&format!("{name}:41: error E1_not_json")), "{check:?}");
    let refused = place.refused("resume", &[id], "damaged_file");
    let typed = place.workspace().display().to_string();
    let said = format!("What can be done: loopdeck recover {typed} {id}\n");
    assert!(refused.err.ends_with(&said), "{refused:?}");
    let text = place.run("recover", &[id]);
    assert!(text.out.contains("\n  Recovers 34 of 34 values.\n"), "{text:?}");
    let first = &place.json("recover", &[id])["options"][0];
    assert_eq!((&first["way"], &first["lost"], &first["asked"]), (&json!("prefix"), &json!([]), &json!([])));
    let faulty = place.read(&name);
    let corrected = faulty.replace("[],,", "[],").replace("\"errors\": [],", "\"errors\": []");
    assert_eq!(first["text"].as_str().unwrap(), corrected);
    place.write(&name, &faulty.replace("\"Round to cents\"", "@@"));
    place.age(&name);
    let text = place.run("recover", &[id]);
    assert!(text.out.contains("\n  Recovers 33 of 34 values.\n"), "{text:?}");
    assert!(
        text.out.contains("  skill_state.develop.tasks[task-002].description: not in this proposal\n"),
        "{text:?}"
    );
}
