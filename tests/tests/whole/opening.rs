//! Files that a loop names, opened in the person's editor: a real program that reports its arguments.

use loopdeck_runtime::editor::EditorChoice;
use loopdeck_runtime::path_lookup::PathState;
use loopdeck_runtime::views::{FailureKind, Settings};
use loopdeck_tests::live::Live;
use loopdeck_tests::programs::write_program;
use loopdeck_tests::recorder::Recorder;
use loopdeck_tests::runs::eventually;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const NAME: &str = "loop-v2-20261120T091500-7c41e0aa.json";

struct Desk {
    live: Live,
    editor: Recorder,
    outside: tempfile::TempDir,
}

fn desk(arguments: &[&str]) -> Desk {
    let state =
        fs::read(xtask::workspace::root().join("src-tauri/runtime/sample/dot-workflow/dot-loop").join(NAME));
    let live = Live::with(|workspace| {
        fs::write(workspace.join(".workflow/.loop").join(NAME), state.unwrap()).unwrap();
        fs::create_dir(workspace.join("src")).unwrap();
    });
    let outside = tempfile::tempdir().unwrap();
    let editor = Recorder::new(outside.path());
    let desk = Desk { live, editor, outside };
    desk.choose(&desk.editor.command(arguments));
    desk
}

impl Desk {
    fn choose(&self, command: &[String]) {
        let editor = EditorChoice { id: "custom".into(), command: command.to_vec() };
        let settings = Settings { editor, ..self.live.runtime.settings() };
        self.live.runtime.save_settings(settings).unwrap();
        self.live.runtime.confirm_editor(command.to_vec()).unwrap();
    }

    fn put(&self, file: &str) -> String {
        let path = self.live.workspace.join(file);
        fs::write(&path, "text\n").unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn open(&self, file: &str, line: Option<u32>) -> Result<(), FailureKind> {
        let key = self.live.key(NAME);
        self.live.runtime.open_place(&key, file, line, None).map_err(|failure| failure.kind)
    }

    fn state(&self, file: &str) -> PathState {
        self.live.runtime.sights(&self.live.key(NAME), &[file.to_owned()]).unwrap()[0].state
    }
}

#[test]
fn the_editor_gets_exactly_the_place() {
    let desk = desk(&["--at", "{line},{column}", "{file}"]);
    for name in
        ["src/a.ts", "src/with space & \"quotes\" 'too'.ts", "src/größe-数-🙂.ts", "src/-o $(id) `x`;.ts"]
    {
        let path = desk.put(name);
        assert_eq!(desk.state(name), PathState::There, "{name}");
        desk.open(name, Some(12)).unwrap();
        assert_eq!(desk.editor.heard(), ["--at", "12,1", &path], "{name}");
    }
    let path = desk.put("src/b.ts");
    desk.open(&path, None).unwrap();
    assert_eq!(desk.editor.heard(), ["--at", "1,1", &path], "an absolute path of the workspace");
    desk.live.runtime.open_state_file(&desk.live.key(NAME)).unwrap();
    assert_eq!(desk.editor.heard()[2], desk.live.path(NAME).to_str().unwrap());
}

#[test]
fn a_file_that_could_be_run_is_opened_and_not_run() {
    let desk = desk(&["{file}:{line}"]);
    let ran = desk.outside.path().join("ran");
    for name in ["src/tool.sh", "src/app.desktop"] {
        let path = desk.put(name);
        write_program(Path::new(&path), &format!("#!/bin/sh\ntouch '{}'\n", ran.display()));
        desk.open(name, Some(3)).unwrap();
        assert_eq!(desk.editor.heard(), [format!("{path}:3")]);
        assert!(!ran.exists(), "{name}");
    }
}

#[test]
fn what_is_not_a_file_of_the_workspace_is_refused_and_nothing_starts() {
    let desk = desk(&["{file}"]);
    let secret = desk.outside.path().join("secret.ts");
    fs::write(&secret, "").unwrap();
    let at = |name: &str| desk.live.workspace.join(name);
    symlink(&secret, at("src/out.ts")).unwrap();
    symlink(desk.outside.path(), at("up")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("src/pipe.ts"), rustix::fs::Mode::RUSR).unwrap();
    for (name, refused) in [
        ("src/out.ts", FailureKind::FileOutside),
        ("up/secret.ts", FailureKind::FileOutside),
        (secret.to_str().unwrap(), FailureKind::FileOutside),
        ("../../../../../../etc/passwd", FailureKind::FileOutside),
        ("src/pipe.ts", FailureKind::NotARegularFile),
        ("src", FailureKind::NotARegularFile),
        ("src/gone.ts", FailureKind::FileMissing),
        ("", FailureKind::FileMissing),
    ] {
        assert_eq!(desk.open(name, Some(1)), Err(refused), "{name}");
        assert_ne!(desk.state(name), PathState::There, "{name}");
    }
    // The next start is for a file that may be opened: nothing was started before it.
    let path = desk.put("src/a.ts");
    desk.open("src/a.ts", None).unwrap();
    assert_eq!(desk.editor.heard(), [path]);
    let unknown = desk.live.runtime.open_place("no such loop", "src/a.ts", None, None).unwrap_err();
    assert_eq!(unknown.kind, FailureKind::UnknownLoop);
}

#[test]
fn a_command_that_cannot_be_used_says_so() {
    let desk = desk(&["{file}"]);
    desk.put("src/a.ts");
    for (command, refused) in [
        (&["/nowhere/editor", "{file}"][..], FailureKind::EditorMissing),
        (&["no-such-editor-at-all", "{file}"], FailureKind::EditorMissing),
        (&["sh", "-c", "{file}"], FailureKind::EditorCommand),
        (&["sh"], FailureKind::EditorCommand),
        (&[], FailureKind::EditorCommand),
    ] {
        let command: Vec<String> = command.iter().map(|one| (*one).to_owned()).collect();
        desk.choose(&command);
        assert_eq!(desk.open("src/a.ts", Some(1)), Err(refused), "{command:?}");
    }
}

#[test]
fn an_editor_is_tried_with_a_text_of_ours() {
    let desk = desk(&["+{line}", "{file}"]);
    let choice = desk.live.runtime.settings().editor;
    desk.live.runtime.try_editor(&choice, "one\ntwo\nthree\n").unwrap();
    let heard = desk.editor.heard();
    assert_eq!(heard[0], "+3");
    assert_eq!(fs::read_to_string(&heard[1]).unwrap(), "one\ntwo\nthree\n");
    assert!(!Path::new(&heard[1]).starts_with(&desk.live.workspace));
}

/// What the page saves or tries is not enough to start a program: the person confirms its command outside of the page.
#[test]
fn a_command_of_the_page_starts_nothing_until_the_person_confirms_it() {
    let desk = desk(&["{file}"]);
    desk.put("src/a.ts");
    let ran = desk.outside.path().join("ran");
    let program = desk.outside.path().join("theirs");
    write_program(&program, &format!("#!/bin/sh\ntouch '{}'\n", ran.display()));
    let command = vec![program.to_str().unwrap().to_owned(), "{file}".to_owned()];
    let choice = EditorChoice { id: "custom".into(), command: command.clone() };
    let settings = Settings { editor: choice.clone(), ..desk.live.runtime.settings() };
    desk.live.runtime.save_settings(settings).unwrap();
    for refused in [
        desk.open("src/a.ts", Some(1)),
        desk.live.runtime.open_state_file(&desk.live.key(NAME)).map_err(|failure| failure.kind),
        desk.live.runtime.try_editor(&choice, "text").map_err(|failure| failure.kind),
    ] {
        assert_eq!(refused, Err(FailureKind::EditorNotConfirmed));
    }
    assert!(!ran.exists());
    desk.live.runtime.confirm_editor(command).unwrap();
    desk.open("src/a.ts", Some(1)).unwrap();
    eventually("the editor did not start", || ran.exists().then_some(()));
}
