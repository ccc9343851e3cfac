//! Without a command: which program opens the window, and that this one works without it.

use crate::place::{Answer, answer};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use xtask::child::bound_command;

const CLI: &str = env!("CARGO_BIN_EXE_loopdeck");

/// An installation: the real command line, and on request a shell in place of the desktop program.
struct Installed {
    folder: TempDir,
}

impl Installed {
    fn new() -> Self {
        // On the file system of the program, so that a link works: a copy may be busy.
        let folder = tempfile::tempdir_in(Path::new(CLI).parent().unwrap()).unwrap();
        let installed = Self { folder };
        fs::create_dir_all(installed.path("bin")).unwrap();
        fs::create_dir_all(installed.path("elsewhere")).unwrap();
        fs::hard_link(CLI, installed.path("bin/loopdeck")).unwrap();
        installed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A desktop program that runs its first argument as a script.
    fn with_desktop(self, place: &str) -> Self {
        symlink("/bin/sh", self.path(place).join("loopdeck-desktop")).unwrap();
        self
    }

    /// A script, as a path that `loopdeck` would open.
    fn script(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }

    fn run(&self, args: &[&str]) -> Answer {
        answer(self.with_path(&self.path("bin/loopdeck")).args(args))
    }

    /// `program` with its own search path; `env` sets it, because the test needs system programs.
    fn with_path(&self, program: &Path) -> Command {
        let mut command = bound_command("env");
        command.arg(format!("PATH={}", self.path("elsewhere").display())).arg(program);
        command
    }
}

#[test]
fn without_a_command_the_desktop_program_takes_over_with_the_same_arguments() {
    let installed = Installed::new().with_desktop("bin");
    let script = installed.script("print", "echo \"$@\"; exit 7");
    let opened = installed.run(&[&script, "a b", "--data-dir", "d", "--poll"]);
    assert_eq!((opened.code, &*opened.out, &*opened.err), (7, "a b --data-dir d --poll\n", ""));
}

#[test]
fn the_desktop_program_need_not_start_itself_again_for_the_web_view_and_the_persons_choice_holds() {
    let installed = Installed::new().with_desktop("bin");
    let script = installed.script("print", "echo \"$WEBKIT_DISABLE_DMABUF_RENDERER $LOOPDECK_SET_BY_US\"");
    let told = |value: Option<&str>| {
        let mut command = installed.with_path(&installed.path("bin/loopdeck"));
        command.arg(&script).env_remove("LOOPDECK_SET_BY_US").env_remove("WEBKIT_DISABLE_DMABUF_RENDERER");
        answer(command.envs(value.map(|value| ("WEBKIT_DISABLE_DMABUF_RENDERER", value)))).out
    };
    assert_eq!(told(None), "1 WEBKIT_DISABLE_DMABUF_RENDERER\n");
    assert_eq!(told(Some("0")), "0 \n");
}

#[test]
fn it_becomes_the_desktop_program_instead_of_waiting_for_it() {
    let installed = Installed::new().with_desktop("bin");
    let script = installed.script("print", "echo $$");
    let mut command = bound_command(installed.path("bin/loopdeck"));
    let child = command.arg(&script).stdout(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    assert_eq!(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(), format!("{pid}\n"));
}

#[test]
fn the_desktop_program_next_to_it_comes_before_that_on_the_path() {
    let print = "echo $0";
    let only_elsewhere = Installed::new().with_desktop("elsewhere");
    let script = only_elsewhere.script("print", print);
    assert_eq!(only_elsewhere.run(&[&script]).out, format!("{script}\n"));
    let both = Installed::new().with_desktop("bin");
    symlink("/bin/false", both.path("elsewhere").join("loopdeck-desktop")).unwrap();
    let script = both.script("print", print);
    assert_eq!(both.run(&[&script]).out, format!("{script}\n"));
}

#[test]
fn a_link_to_it_finds_the_desktop_program_of_its_installation() {
    let installed = Installed::new().with_desktop("bin");
    let script = installed.script("print", "echo found");
    let link = installed.path("elsewhere/loopdeck");
    symlink(installed.path("bin/loopdeck"), &link).unwrap();
    assert_eq!(answer(installed.with_path(&link).arg(script)).out, "found\n");
}

#[test]
fn without_a_desktop_program_it_says_what_is_missing() {
    let installed = Installed::new();
    let refused = installed.run(&["."]);
    assert!(
        refused.code == 2
            && refused.err.starts_with("loopdeck: no_desktop: ")
            && refused.err.contains("loopdeck-desktop")
            && refused.err.contains("--help")
            && refused.out.is_empty(),
        "{refused:?}"
    );
    // A desktop program that exists but does not start is a different case.
    fs::write(installed.path("bin/loopdeck-desktop"), "").unwrap();
    let refused = installed.run(&["."]);
    assert!(refused.code == 2 && refused.err.starts_with("loopdeck: desktop_failed: "), "{refused:?}");
    assert_eq!(installed.run(&["--version"]).code, 0);
}

#[test]
fn shells_and_man_get_every_command() {
    let installed = Installed::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let completions = installed.run(&["completions", shell]);
        assert!(completions.code == 0 && completions.err.is_empty(), "{completions:?}");
        for part in ["redirect", "data-dir"] {
            assert!(completions.out.contains(part), "{shell} lacks {part}");
        }
        let completes_values = ["bash", "zsh", "fish"].contains(&shell);
        assert!(!completes_values || completions.out.contains("full_access"), "{shell} lacks values");
    }
    let page = installed.run(&["man"]);
    assert!(
        page.code == 0 && page.out.contains(".TH loopdeck 1") && page.out.contains("redirect"),
        "{page:?}"
    );
    let page = installed.run(&["man", "restore"]);
    assert!(page.out.contains(".TH loopdeck-restore 1") && page.out.contains("VERSION"), "{page:?}");
    let refused = installed.run(&["man", "nothing"]);
    assert!(refused.code == 2 && refused.err.starts_with("loopdeck: no_command: "), "{refused:?}");
}

#[test]
fn a_package_gets_a_page_for_every_command() {
    let installed = Installed::new();
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().to_string_lossy();
    let written = installed.run(&["man", "--to", &to]);
    assert!(written.code == 0 && written.out.is_empty() && written.err.is_empty(), "{written:?}");
    for name in ["loopdeck", "loopdeck-restore", "loopdeck-team", "loopdeck-team-serve"] {
        let page = fs::read_to_string(folder.path().join(format!("{name}.1"))).expect(name);
        assert!(page.contains(&format!(".TH {name} 1")), "{name}: {page}");
    }
    let refused = installed.run(&["man", "--to", &format!("{to}/nowhere")]);
    assert!(refused.code == 2 && refused.err.starts_with("loopdeck: output: "), "{refused:?}");
    assert_eq!(installed.run(&["man", "restore", "--to", &to]).code, 2, "one page or all");
}

/// What the dynamic linker would load, by its own report.
#[cfg(target_os = "linux")]
fn libraries(program: &str) -> Vec<String> {
    let listed = answer(bound_command("env").arg("LD_TRACE_LOADED_OBJECTS=1").arg(program));
    listed.out.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn it_loads_the_libraries_of_the_system_and_no_others() {
    let loaded = libraries(CLI);
    assert!(loaded.iter().any(|name| name.starts_with("libc.")), "{loaded:?}");
    let known = ["linux-vdso", "libc.", "libm.", "libgcc_s.", "libpthread.", "libdl.", "librt.", "/lib"];
    let foreign: Vec<&String> =
        loaded.iter().filter(|name| !known.iter().any(|known| name.starts_with(known))).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
