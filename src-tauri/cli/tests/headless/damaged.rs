//! Files of our own that cannot be read: it is said which, what they say stays, and nothing is written over them.

use crate::ID;
use crate::place::{Answer, Place, answer, everything, wait_for};
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::live::loop_v2;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use xtask::child::{Owned, bound_command};

const FOLDER: &str = "a folder in its place";
const DAMAGE: [&str; 4] = ["", "{oops", r#"{"form": 1, "shares": [{"pa"#, FOLDER];
const NEWER: &str = r#"{"form": 99, "shares": {}, "folders": {}, "settings": 1, "trusted": 1}"#;

/// A machine of a team, with a loop.
fn member() -> Place {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let at = |name: &str| place.folder.path().join(name).to_string_lossy().into_owned();
    let (team, invitation) = (at("team"), at("invitation.json"));
    for words in [
        &["init", &team, "--server", "nats://127.0.0.1:9"][..],
        &["invite", &team, "ada.laptop", "-o", &invitation],
        &["join", &invitation],
    ] {
        let said = run(&place, &[&["team"], words].concat());
        assert_eq!(said.code, 0, "{said:?}");
    }
    place
}

fn run(place: &Place, words: &[&str]) -> Answer {
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).args(words);
    answer(command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY"))
}

fn put(path: &Path, damage: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if damage == FOLDER {
        fs::create_dir(path).unwrap();
        fs::write(path.join("inside"), "kept").unwrap();
    } else {
        fs::write(path, damage).unwrap();
    }
}

fn take_away(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

/// What is at `path`, with everything below it.
fn there(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    if path.is_dir() {
        return everything(path).into_iter().map(|(path, (bytes, _))| (path, bytes)).collect();
    }
    vec![(path.to_owned(), fs::read(path).unwrap())]
}

#[test]
fn what_would_change_a_damaged_file_is_refused_and_names_it() {
    let place = member();
    loopdeck_tests::repository::commit_all(&place.workspace());
    let workspace = place.workspace().to_string_lossy().into_owned();
    let allow = ["node", "allow", &workspace, "--agent", "claude", "--level", "edit_files"];
    let commands: [(&str, &[&str]); 7] = [
        ("team/shares.json", &["team", "share", &workspace, "--yes"]),
        ("team/shares.json", &["team", "unshare", &workspace]),
        ("team/node.json", &["node", "rules"]),
        ("team/node.json", &["node", "rules", "--slots", "3"]),
        ("team/node.json", &["node", "rules", "--lease", "60"]),
        ("team/node.json", &allow),
        ("team/node.json", &["node", "forbid", &workspace]),
    ];
    for (file, words) in commands {
        let path = place.data().canonicalize().unwrap().join(file);
        for damage in DAMAGE.into_iter().chain([NEWER]) {
            put(&path, damage);
            let before = there(&path);
            let said = run(&place, words);
            let code = if damage == NEWER { "newer_data" } else { "damaged_data" };
            assert_eq!(said.code, 2, "{words:?} over {damage:?}: {said:?}");
            assert!(
                said.err.starts_with(&format!("loopdeck: {code}: ")),
                "{words:?} over {damage:?}: {said:?}"
            );
            assert!(damage == NEWER || said.err.contains(&path.display().to_string()), "{said:?}");
            assert_eq!(there(&path), before, "{words:?} over {damage:?}");
            take_away(&path);
        }
    }
}

#[test]
fn a_command_goes_on_without_damaged_settings_and_choices_and_says_so() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    fs::create_dir_all(place.data()).unwrap();
    for file in ["settings.json", "choices.json"] {
        let path = place.data().canonicalize().unwrap().join(file);
        for damage in DAMAGE {
            put(&path, damage);
            let before = there(&path);
            for (verb, rest) in [("list", &[][..]), ("pause", &[ID]), ("resume", &[ID])] {
                let said = place.run(verb, rest);
                let expected =
                    format!("loopdeck: damaged_data: Loopdeck can’t read its own file {}", path.display());
                assert!(said.err.starts_with(&expected), "{verb} with {damage:?}: {said:?}");
                assert!(!said.out.is_empty(), "{verb} with {damage:?}: {said:?}");
                assert_eq!(there(&path), before, "{verb} with {damage:?}");
            }
            take_away(&path);
        }
        assert_eq!(place.run("list", &[]).err, "", "nothing is said of a file that is not there");
    }
}

/// The window begins without them, because a person can repair nothing without a window; what they said is kept.
#[test]
fn the_window_sets_damaged_settings_and_choices_aside_and_tells() {
    for file in ["settings.json", "choices.json"] {
        for damage in DAMAGE {
            let place = Place::with(ID, &loop_v2(ID, "running"));
            let path = place.data().join(file);
            put(&path, damage);
            let before: Vec<Vec<u8>> = there(&path).into_iter().map(|(_, bytes)| bytes).collect();
            let window = place.window();
            window.trust(&place.workspace().to_string_lossy(), true).unwrap();
            let told = window.damaged_data();
            assert_eq!(told.len(), 1, "{file}, {damage:?}: {told:?}");
            assert_eq!(told[0].kind, FailureKind::SetAside);
            assert_eq!(told[0].args["path"], path.display().to_string());
            let kept = Path::new(&told[0].args["kept"]);
            assert!(kept.to_string_lossy().starts_with(&format!("{}.damaged-", path.display())), "{kept:?}");
            let after: Vec<Vec<u8>> = there(kept).into_iter().map(|(_, bytes)| bytes).collect();
            assert_eq!(after, before, "{file}, {damage:?}");
            assert!(path.is_file(), "a new one is kept from now on");
            drop(window);
            assert!(place.window().damaged_data().is_empty(), "it is named once");
        }
    }
}

#[test]
fn serving_says_which_file_is_damaged_and_writes_the_log_of_the_window() {
    for (file, words) in
        [("shares.json", &["team", "serve"][..]), ("node.json", &["node"]), ("shares.json", &["node"])]
    {
        let place = member();
        let path = place.data().canonicalize().unwrap().join("team").join(file);
        put(&path, "{oops");
        let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
        command.arg("--data-dir").arg(place.data()).args(words).stdin(Stdio::null()).stdout(Stdio::null());
        let heard = place.folder.path().join("err");
        command.stderr(fs::File::create(&heard).unwrap());
        let serving = Owned::spawn(command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY")).unwrap();
        let name = path.display().to_string();
        wait_for("a sentence", || {
            let said = fs::read_to_string(&heard).unwrap();
            said.contains("loopdeck: damaged_data: ") && said.contains(&name)
        });
        wait_for("a line in the log", || {
            let logs = everything(&place.data().join("logs"));
            logs.values().any(|(log, _)| String::from_utf8_lossy(log).contains(&name))
        });
        drop(serving);
        assert_eq!(fs::read_to_string(&path).unwrap(), "{oops");
    }
}
