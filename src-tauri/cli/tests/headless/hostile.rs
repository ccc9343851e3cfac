//! Whatever is in the place of a file: every command answers, in little memory and without waiting for anybody.

use crate::place::Place;
use crate::{AOT, ID};
use loopdeck_tests::bounded::{Grower, Hostile, bounded};
use loopdeck_tests::live::{ROOT, loop_v2};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Output;

const BAD: &str = "loop-v2-20261120T042421-00000bad";

/// A workspace with a good loop, and with the same thing in the place of everything else that is read there.
struct Trapped {
    place: Place,
    /// Written to as long as this lives.
    _growing: Vec<Grower>,
}

impl Trapped {
    fn new(hostile: Hostile) -> Self {
        let place = Place::with(ID, &loop_v2(ID, "running"));
        let outside = place.folder.path().join("secret.json");
        fs::write(&outside, loop_v2("loop-v2-secret", "running")).unwrap();
        let traps = [
            format!("{ROOT}/{BAD}.json"),
            format!("{ROOT}/{BAD}.json.backup"),
            AOT.to_owned(),
            format!("{ROOT}/{ID}.progress/debug.log"),
            format!("{ROOT}/{ID}.progress/changes.log"),
            format!("{ROOT}/{ID}.workers/init.output.json"),
            format!("{ROOT}/{ID}.tasks.jsonl"),
            ".git".to_owned(),
            ".loopdeck/other.running".to_owned(),
        ];
        let put = |file: &String| hostile.put(&place.workspace().join(file), &outside);
        let growing = traps.iter().filter_map(put).collect();
        Self { place, _growing: growing }
    }

    fn run(&self, args: &[&str]) -> Output {
        bounded(env!("CARGO_BIN_EXE_loopdeck"), |command| {
            command.arg("--data-dir").arg(self.place.data()).args(args);
            command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        })
    }

    /// Runs a command that has an end and says no more than that, and answers whether it was carried out.
    fn ends(&self, args: &[&str]) -> bool {
        let output = self.run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code();
        assert!(code.is_some_and(|code| code <= 2) && !said.contains("panicked"), "{args:?}: {output:?}");
        code == Some(0)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a state file of this kind is said to be; one that grows is now this and now that.
fn code(hostile: Hostile) -> Option<&'static str> {
    match hostile {
        Hostile::Pipe | Hostile::Folder | Hostile::Socket => Some("F2_not_a_file"),
        Hostile::Device | Hostile::Outside => Some("F3_outside_workspace"),
        Hostile::Sparse => Some("F1_too_large"),
        Hostile::Growing => None,
    }
}

#[test]
fn every_look_ends_in_little_memory() {
    for hostile in Hostile::ALL {
        let trapped = Trapped::new(hostile);
        let workspace = trapped.place.workspace();
        let dir = &*workspace.to_string_lossy();
        let listed = text(&trapped.run(&["list", dir]).stdout);
        assert!(listed.contains(&format!("Title of {ID}")), "{hostile:?}: {listed}");
        assert!(!listed.contains("Title of loop-v2-secret"), "{hostile:?}: {listed}");
        let checked = text(&trapped.run(&["check", dir]).stdout);
        for file in [&*format!("{ROOT}/{BAD}.json"), AOT] {
            let says = |code: &str| checked.contains(&format!("{file}: error {code}: "));
            assert!(code(hostile).is_none_or(says), "{hostile:?}: {file} in {checked}");
        }
        for id in [BAD, ID] {
            for verb in ["show", "check", "history", "recover", "repair"] {
                trapped.ends(&[verb, dir, id]);
            }
        }
        let report = text(&trapped.run(&["report", dir]).stdout);
        assert!(report.contains(&format!("Title of {ID}")), "{hostile:?}: {report}");
        assert!(trapped.ends(&["summary", dir]), "{hostile:?}");
    }
}

#[test]
fn every_change_ends_in_little_memory_and_touches_nothing_else() {
    for hostile in Hostile::ALL {
        let trapped = Trapped::new(hostile);
        let workspace = trapped.place.workspace();
        let dir = &*workspace.to_string_lossy();
        assert!(!trapped.ends(&["pause", dir, BAD]), "{hostile:?}");
        assert!(!trapped.ends(&["stop", dir, BAD]), "{hostile:?}");
        trapped.ends(&["recover", dir, BAD, "--way", "last_good"]);
        assert!(trapped.ends(&["pause", dir, ID]), "{hostile:?}");
        let paused = trapped.place.read(&format!("{ROOT}/{ID}.json"));
        assert!(paused.contains("\"paused\""), "{hostile:?}: {paused}");
        assert!(trapped.ends(&["undo", dir, ID]), "{hostile:?}");
        assert!(trapped.ends(&["new", dir, "--goal", "another one"]), "{hostile:?}");
        let secret = fs::read_to_string(trapped.place.folder.path().join("secret.json")).unwrap();
        assert_eq!(secret, loop_v2("loop-v2-secret", "running"), "{hostile:?}");
    }
}

#[test]
fn what_would_be_shared_is_found_in_little_memory() {
    for hostile in Hostile::ALL {
        let trapped = Trapped::new(hostile);
        let workspace = trapped.place.workspace();
        let at = |name: &str| trapped.place.folder.path().join(name).to_string_lossy().into_owned();
        let (team, invitation) = (at("team"), at("invitation.json"));
        assert!(trapped.ends(&["team", "init", &team, "--server", "nats://127.0.0.1:9"]));
        assert!(trapped.ends(&["team", "invite", &team, "ada.laptop", "-o", &invitation]));
        assert!(trapped.ends(&["team", "join", &invitation]));
        for scope in ["rows", "state", "progress"] {
            let share = ["team", "share", &*workspace.to_string_lossy(), "--scope", scope];
            let shared = text(&trapped.run(&share).stdout);
            assert!(shared.contains(&format!("{ROOT}/{ID}.json")), "{hostile:?}: {shared}");
            let bad = shared.contains(BAD);
            assert!(!bad || hostile == Hostile::Growing, "{hostile:?}: {shared}");
        }
    }
}

/// An export that has no end, or no line that ends.
#[test]
fn whatever_is_imported_is_read_with_a_bound() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    let (dir, secret) = (place.workspace(), place.folder.path().join("secret.json"));
    fs::write(&secret, "{}").unwrap();
    let refused = |file: &Path, how: &str| {
        let imported = bounded(env!("CARGO_BIN_EXE_loopdeck"), |command| {
            command.arg("--data-dir").arg(place.data()).arg("import").arg(&dir).arg(file);
        });
        assert_eq!(imported.status.code(), Some(2), "{how}: {imported:?}");
        let said = text(&imported.stderr);
        let codes = ["loopdeck: disk: ", "loopdeck: not_an_export: "];
        assert!(codes.iter().any(|code| said.starts_with(code)), "{how}: {said}");
    };
    for hostile in Hostile::ALL {
        let file = place.folder.path().join(format!("{hostile:?}.jsonl"));
        let growing = hostile.put(&file, &secret);
        refused(&file, &format!("{hostile:?}"));
        drop(growing);
    }
    // Its first line is one of ours, and the rest has no end.
    for begin in ["", "{\"kind\":"] {
        let file = place.folder.path().join("begins.jsonl");
        let mut export = fs::File::create(&file).unwrap();
        writeln!(export, "{{\"kind\":\"loopdeck\",\"form\":1}}").unwrap();
        write!(export, "{begin}").unwrap();
        export.set_len(10 << 30).unwrap();
        refused(&file, begin);
    }
}

/// Files that the person names are read with a bound too.
#[test]
fn a_device_is_no_invitation() {
    let place = Place::empty();
    let joined = bounded(env!("CARGO_BIN_EXE_loopdeck"), |command| {
        command.arg("--data-dir").arg(place.data()).args(["team", "join"]).arg(Path::new("/dev/zero"));
    });
    assert_eq!(joined.status.code(), Some(2), "{joined:?}");
    assert!(text(&joined.stderr).starts_with("loopdeck: bad_invitation: "), "{joined:?}");
}
