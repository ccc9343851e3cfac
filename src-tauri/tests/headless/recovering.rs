//! `recover`: a file that cannot be read, what can take its place, and putting it there.

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

/// A loop with progress documents whose master breaks off in its middle; and what is left of it.
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
    place.promises("recover", &proposed, &["id", "file", "aside", "options"]);
    let options = proposed["options"].as_array().unwrap();
    assert!(!options.is_empty());
    for option in options {
        place.promises("recover", option, &["way", "fields", "lost", "text", "fingerprint"]);
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
    let text = option["text"].as_str().unwrap();
    for (path, bytes) in &mut expected {
        if path.ends_with(file()) {
            *bytes = text.into();
        }
    }
    expected.push((place.workspace().join(aside), left.clone().into()));
    expected.sort();
    assert_eq!(contents(&place), expected, "the proposal, the damaged file, and nothing else");
    assert_ne!(done["shown_status"], "cannot_read");
    assert_eq!(place.run("check", &[V2]).code, 0);
    place.json("undo", &[V2]);
    assert_eq!(place.read(&file()), left);
    // A proposal can be asked for as a change, too.
    let options = place.json("recover", &[V2])["options"].clone();
    let change =
        json!({ "kind": "recover", "way": options[0]["way"], "fingerprint": options[0]["fingerprint"] });
    let again = place.json("change", &[V2, "--json-change", &change.to_string()]);
    assert_eq!(place.read(&file()), options[0]["text"].as_str().unwrap());
    assert_eq!(place.read(again["aside"].as_str().unwrap()), left);
    place.refused("change", &[V2, "--json-change", &change.to_string()], "nothing_to_repair");
    cut(&place);
    place.refused("change", &[V2, "--json-change", &change.to_string()], "changed_since");
}

#[test]
fn what_is_shown_first_is_what_is_written_first() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/2-debugging", ROOT);
    place.age(&file());
    // The journal knows what it said before.
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
    assert_eq!(place.read(&file()), first["text"].as_str().unwrap());
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
    let damaged = place.read(file).replacen('{', "{{", 1);
    place.write(file, &damaged);
    place.age(file);
    assert_eq!(place.json("recover", &[file])["options"], json!([]));
    assert_eq!(place.run("recover", &[file]).code, 0);
    place.refused("recover", &[file, "--write"], "no_proposal");
    place.refused("recover", &[file, "--write", "--way", "rebuilt"], "way_not_offered");
    let (place, _) = truncated();
    fs::remove_dir_all(place.workspace().join(format!("{ROOT}/{V2}.progress"))).unwrap();
    place.refused("recover", &[V2, "--way", "backup", "--write"], "way_not_offered");
}
