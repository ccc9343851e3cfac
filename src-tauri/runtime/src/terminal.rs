//! The person's terminal: which ones there are, and opening one in a folder.
//!
//! A terminal is started with its folder and nothing else: no command goes to it, and no shell is in between. A variable names only a
//! program, so that nothing in it is run.

use crate::editor::{find, start};
use crate::views::{Failure, FailureKind};
use loopdeck_system::dirs;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What a person chose to open folders with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct TerminalChoice {
    /// `auto`, or the id of a known terminal such as `kitty`.
    pub id: String,
}

impl Default for TerminalChoice {
    fn default() -> Self {
        Self { id: "auto".into() }
    }
}

/// A terminal of this computer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct TerminalView {
    /// Its id.
    pub id: String,
    /// Its name, the same in every language.
    pub name: String,
    /// Where its program is, for display.
    pub program: String,
}

/// The terminals of this computer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct Terminals {
    /// Found ones, in the order in which they are preferred.
    pub found: Vec<TerminalView>,
    /// Name or program of the one that `auto` means.
    pub auto: Option<String>,
}

/// A terminal that Loopdeck knows how to open in a folder.
#[derive(Debug)]
struct Terminal {
    /// Stable; used in the settings.
    id: &'static str,
    /// As its makers write it.
    name: &'static str,
    program: &'static str,
    /// The system that it is the terminal of; `open` is another program elsewhere.
    only_on: Option<&'static str>,
    /// What names the folder, beside the folder that it is started in: many hand the wish over to a process that is there already.
    arguments: &'static [&'static str],
}

/// Stands for the folder, which is always absolute and so never an option.
const FOLDER: &str = "{folder}";
const WORKING_DIRECTORY: &[&str] = &["--working-directory={folder}"];

/// In the order in which one of them is chosen by default.
const TERMINALS: &[Terminal] = &[
    terminal("x-terminal-emulator", "x-terminal-emulator", "x-terminal-emulator", &[]),
    terminal("gnome-terminal", "GNOME Terminal", "gnome-terminal", WORKING_DIRECTORY),
    terminal("ptyxis", "Ptyxis", "ptyxis", &["--new-window", "--working-directory={folder}"]),
    terminal("konsole", "Konsole", "konsole", &["--workdir", FOLDER]),
    terminal("xfce4-terminal", "Xfce Terminal", "xfce4-terminal", WORKING_DIRECTORY),
    terminal("kitty", "kitty", "kitty", &["--directory", FOLDER]),
    terminal("alacritty", "Alacritty", "alacritty", &["--working-directory", FOLDER]),
    terminal("wezterm", "WezTerm", "wezterm", &["start", "--cwd", FOLDER]),
    terminal("ghostty", "Ghostty", "ghostty", WORKING_DIRECTORY),
    terminal("foot", "foot", "foot", WORKING_DIRECTORY),
    terminal("xterm", "xterm", "xterm", &[]),
    Terminal {
        only_on: Some("macos"),
        ..terminal("terminal", "Terminal", "open", &["-a", "Terminal", FOLDER])
    },
    // By the folder that it is started in: in an argument it takes `;` for the end of a command.
    Terminal {
        only_on: Some("windows"),
        ..terminal("windows-terminal", "Windows Terminal", "wt", &["-d", "."])
    },
];

const fn terminal(
    id: &'static str,
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
) -> Terminal {
    Terminal { id, name, program, only_on: None, arguments }
}

/// Where terminals are looked for, and what the person's variable names.
struct TerminalSearch {
    folders: Vec<PathBuf>,
    /// `TERMINAL`.
    named: Option<OsString>,
}

impl TerminalSearch {
    fn of_person() -> Self {
        Self { folders: find::search_path().to_vec(), named: std::env::var_os("TERMINAL") }
    }

    fn known(&self) -> impl Iterator<Item = (&'static Terminal, PathBuf)> {
        let here =
            |terminal: &&Terminal| terminal.only_on.is_none_or(|system| system == std::env::consts::OS);
        let found = |terminal: &'static Terminal| {
            Some((terminal, find::in_folders(&self.folders, OsStr::new(terminal.program))?))
        };
        TERMINALS.iter().filter(here).filter_map(found)
    }

    /// The program that the variable names, by its name or its absolute path. Its options are left out.
    fn program_of_variable(&self) -> Option<PathBuf> {
        let named = self.named.as_ref()?.to_str()?.split_whitespace().next()?;
        let path = Path::new(named);
        if path.is_absolute() {
            return find::program_at(path);
        }
        (path.components().count() == 1).then(|| find::in_folders(&self.folders, OsStr::new(named)))?
    }

    /// What `choice` means here: a program, and the known terminal that it is.
    fn chosen(&self, choice: &TerminalChoice) -> Option<(PathBuf, Option<&'static Terminal>)> {
        if choice.id != "auto" {
            let found = self.known().find(|(terminal, _)| terminal.id == choice.id)?;
            return Some((found.1, Some(found.0)));
        }
        if let Some(program) = self.program_of_variable() {
            let known = TERMINALS.iter().find(|one| program.file_stem() == Some(OsStr::new(one.program)));
            return Some((program, known));
        }
        self.known().next().map(|(terminal, program)| (program, Some(terminal)))
    }
}

/// The terminals of this computer, and which one is used when nothing was chosen.
pub(crate) fn terminals() -> Terminals {
    listed(&TerminalSearch::of_person())
}

fn listed(paths: &TerminalSearch) -> Terminals {
    let view = |(terminal, program): (&Terminal, PathBuf)| TerminalView {
        id: terminal.id.to_owned(),
        name: terminal.name.to_owned(),
        program: dirs::shown(&program),
    };
    let auto = paths.chosen(&TerminalChoice::default());
    let name = |(program, known): (PathBuf, Option<&Terminal>)| {
        known.map_or_else(|| dirs::shown(&program), |known| known.name.to_owned())
    };
    Terminals { found: paths.known().map(view).collect(), auto: auto.map(name) }
}

/// Opens the terminal that `choice` names in `folder`, an absolute path; it outlives Loopdeck.
///
/// # Errors
/// `NoTerminal`, `TerminalFailed`.
pub(crate) fn open(choice: &TerminalChoice, folder: &Path) -> Result<(), Failure> {
    let chosen = TerminalSearch::of_person().chosen(choice);
    let (program, known) = chosen.ok_or_else(|| Failure::new(FailureKind::NoTerminal))?;
    let argv = argv(&program, known, folder);
    start::start_detached(&argv, Some(folder)).map_err(|error| {
        let failure = Failure::new(FailureKind::TerminalFailed).with("reason", error);
        failure.with("program", dirs::shown(&program))
    })
}

fn argv(program: &Path, known: Option<&Terminal>, folder: &Path) -> Vec<OsString> {
    let arguments = known.map_or(&[][..], |terminal| terminal.arguments);
    let filled = |argument: &&str| match argument.split_once(FOLDER) {
        Some((before, _)) => {
            let mut filled = OsString::from(before);
            filled.push(folder);
            filled
        }
        None => OsString::from(argument),
    };
    std::iter::once(program.into()).chain(arguments.iter().map(filled)).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn folder(programs: &[(&str, u32)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, mode) in programs {
            let path = dir.path().join(name);
            fs::write(&path, "").expect("a program");
            fs::set_permissions(path, fs::Permissions::from_mode(*mode)).expect("its rights");
        }
        dir
    }

    #[test]
    fn the_persons_own_comes_before_the_first_that_is_there() {
        let dir =
            folder(&[("kitty", 0o755), ("konsole", 0o644), ("xterm", 0o755), ("open", 0o755), ("st", 0o755)]);
        let paths = |named: Option<&str>| TerminalSearch {
            folders: vec![dir.path().join("nothing"), dir.path().to_owned()],
            named: named.map(OsString::from),
        };
        let found = listed(&paths(None)).found;
        assert_eq!(found.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["kitty", "xterm"]);
        let st = dir.path().join("st");
        for (named, auto) in [
            (None, Some("kitty")),
            (Some("xterm"), Some("xterm")),
            (Some("xterm -e evil"), Some("xterm")),
            (Some(st.to_str().expect("text")), Some(&*dirs::shown(&st))),
            (Some("st"), Some(&*dirs::shown(&st))),
            (Some("../st"), Some("kitty")),
            (Some("konsole"), Some("kitty")),
            (Some(""), Some("kitty")),
        ] {
            assert_eq!(listed(&paths(named)).auto.as_deref(), auto, "{named:?}");
        }
        let chosen = |id: &str| paths(None).chosen(&TerminalChoice { id: id.into() });
        assert!(chosen("xterm").is_some() && chosen("konsole").is_none() && chosen("terminal").is_none());
        let nothing = TerminalSearch { folders: Vec::new(), named: None };
        assert_eq!(listed(&nothing), Terminals::default());
    }

    #[test]
    fn each_is_told_its_folder_and_nothing_else() {
        let told = |id: &str| {
            let known = TERMINALS.iter().find(|one| one.id == id);
            let argv = argv(Path::new("/bin/x"), known, Path::new("/w/-e größe;ls"));
            argv[1..].iter().map(|one| one.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" | ")
        };
        for (id, expected) in [
            ("gnome-terminal", "--working-directory=F"),
            ("konsole", "--workdir | F"),
            ("wezterm", "start | --cwd | F"),
            ("terminal", "-a | Terminal | F"),
            ("windows-terminal", "-d | ."),
            ("xterm", ""),
            ("of the variable", ""),
        ] {
            assert_eq!(told(id), expected.replace('F', "/w/-e größe;ls"), "{id}");
        }
    }
}
