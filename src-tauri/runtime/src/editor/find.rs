//! Which editors this computer has: on the search path of Loopdeck and on that of the person's login shell, because a
//! program that the desktop started often knows only the first half of it.

use super::known::{self, EDITORS, Editor};
use super::{EditorView, Editors};
use loopdeck_execution::agents::environment;
use loopdeck_system::dirs;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folders in which programs are looked for, and what the person's variables name.
pub(super) struct Paths {
    pub(super) folders: Vec<PathBuf>,
    /// `VISUAL`, then `EDITOR`.
    pub(super) preferred: Vec<OsString>,
}

/// Those of this process and of the login shell.
pub(super) fn paths() -> Paths {
    let preferred = ["VISUAL", "EDITOR"].into_iter().filter_map(std::env::var_os).collect();
    Paths { folders: search_path().to_vec(), preferred }
}

/// Every folder once, only absolute ones: the folder we happen to be in is none of them.
pub(crate) fn search_path() -> &'static [PathBuf] {
    static KNOWN: OnceLock<Vec<PathBuf>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let path = environment::value(environment::environment(), "PATH").unwrap_or_default();
        std::env::split_paths(path).collect()
    })
}

/// The known editor with the id `wanted`, or the preferred one, with its program.
pub(super) fn known_editor(wanted: Option<&str>) -> Option<(&'static Editor, PathBuf)> {
    let paths = paths();
    match wanted {
        Some(id) => known::by_id(id).and_then(|editor| paths.with_program(editor)),
        None => paths.preferred(),
    }
}

/// A program by its name, or by an absolute path; `~` is the home folder.
pub(super) fn program(name: &OsStr) -> Option<PathBuf> {
    let in_home = name.to_str().and_then(|name| name.strip_prefix("~/"));
    let path = match in_home {
        Some(rest) => std::env::home_dir()?.join(rest),
        None => PathBuf::from(name),
    };
    if path.is_absolute() {
        return program_at(&path);
    }
    let bare = path.components().count() == 1;
    if bare { in_folders(search_path(), name) } else { None }
}

/// The editors that are there.
pub(super) fn editors(paths: &Paths) -> Editors {
    let found = EDITORS.iter().filter_map(|editor| paths.with_program(editor));
    let view = |(editor, program): (&Editor, PathBuf)| EditorView {
        id: editor.id.to_owned(),
        name: editor.name.to_owned(),
        program: dirs::shown(&program),
    };
    let auto = paths.preferred().map(|(editor, _)| editor.id.to_owned());
    Editors { found: found.map(view).collect(), auto }
}

impl Paths {
    fn with_program(&self, editor: &'static Editor) -> Option<(&'static Editor, PathBuf)> {
        let mut programs = editor.programs.iter();
        programs.find_map(|name| Some((editor, in_folders(&self.folders, OsStr::new(name))?)))
    }

    /// What the person's variables name, when it has a window; else the first that is there.
    fn preferred(&self) -> Option<(&'static Editor, PathBuf)> {
        let named = self.preferred.iter().find_map(|command| self.editor_of(command));
        named.or_else(|| EDITORS.iter().find_map(|editor| self.with_program(editor)))
    }

    /// `code --wait` is Visual Studio Code: options are left out, they are for those who wait for its end.
    fn editor_of(&self, command: &OsStr) -> Option<(&'static Editor, PathBuf)> {
        let first = command.to_str()?.split_whitespace().next()?;
        let path = Path::new(first);
        let editor = known::by_program(path.file_name()?)?;
        if path.is_absolute() {
            return program_at(path).map(|program| (editor, program));
        }
        Some((editor, in_folders(&self.folders, path.file_name()?)?))
    }
}

/// The program of this name in the first of the folders that has it.
pub(crate) fn in_folders(folders: &[PathBuf], name: &OsStr) -> Option<PathBuf> {
    folders.iter().find_map(|folder| program_at(&folder.join(name)))
}

/// The program at exactly this path, with the ending that the system adds.
pub(crate) fn program_at(path: &Path) -> Option<PathBuf> {
    which::which_in(path, None::<&OsStr>, "/").ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn folder(programs: &[(&str, u32)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, mode) in programs {
            let path = dir.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(*mode)).unwrap();
        }
        dir
    }

    #[test]
    fn found_are_those_that_can_be_started() {
        let dir = folder(&[("gedit", 0o755), ("code", 0o644), ("codium", 0o755), ("vim", 0o755)]);
        let paths = |preferred: &[&str]| Paths {
            folders: vec![dir.path().join("nothing"), dir.path().to_owned()],
            preferred: preferred.iter().map(OsString::from).collect(),
        };
        let ids = |editors: &Editors| editors.found.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        let plain = editors(&paths(&[]));
        assert_eq!(ids(&plain), ["vscodium", "gedit"]);
        assert_eq!(plain.auto.as_deref(), Some("vscodium"));
        let gedit = dir.path().join("gedit");
        for (preferred, auto) in [
            (&["vim", "gedit --wait"][..], "gedit"),
            (&[gedit.to_str().unwrap()], "gedit"),
            (&["code --wait"], "vscodium"),
            (&["/nowhere/gedit", "", "  "], "vscodium"),
        ] {
            assert_eq!(editors(&paths(preferred)).auto.as_deref(), Some(auto), "{preferred:?}");
        }
        assert_eq!(editors(&Paths { folders: vec![], preferred: vec![] }), Editors::default());
    }

    #[test]
    fn a_program_is_named_or_has_a_whole_path() {
        let dir = folder(&[("edit", 0o755), ("text", 0o644)]);
        assert_eq!(program(dir.path().join("edit").as_os_str()), Some(dir.path().join("edit")));
        assert_eq!(program(dir.path().join("text").as_os_str()), None);
        assert!(program(OsStr::new("sh")).is_some_and(|path| path.is_absolute()));
        assert_eq!(program(OsStr::new("./sh")), None);
        assert_eq!(program(OsStr::new("no-such-editor-at-all")), None);
    }
}
