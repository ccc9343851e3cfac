//! Editors with a window, and how each one takes the line.

use super::Spot;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// An editor that Loopdeck knows how to call.
#[derive(Debug)]
pub(super) struct Editor {
    /// Stable; used in the settings.
    pub(super) id: &'static str,
    /// As its makers write it.
    pub(super) name: &'static str,
    /// Its programs, the usual one first.
    pub(super) programs: &'static [&'static str],
    style: Style,
}

/// How a place is written.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// `-g file:12:5`
    Goto,
    /// `file:12:5`
    Joined,
    /// `--line 12 --column 5 file`
    Options,
    /// `+12:5 file`
    PlusBoth,
    /// `+12 file`
    Plus,
}

/// In the order in which one of them is chosen by default.
pub(super) const EDITORS: &[Editor] = &[
    editor("vscode", "Visual Studio Code", &["code", "code-insiders"], Style::Goto),
    editor("vscodium", "VSCodium", &["codium", "vscodium"], Style::Goto),
    editor("cursor", "Cursor", &["cursor"], Style::Goto),
    editor("windsurf", "Windsurf", &["windsurf"], Style::Goto),
    editor("zed", "Zed", &["zed", "zeditor", "zedit"], Style::Joined),
    editor("sublime", "Sublime Text", &["subl", "sublime_text"], Style::Joined),
    editor(
        "idea",
        "IntelliJ IDEA",
        &["idea", "idea.sh", "intellij-idea-ultimate", "intellij-idea-community"],
        Style::Options,
    ),
    editor("webstorm", "WebStorm", &["webstorm", "webstorm.sh"], Style::Options),
    editor("pycharm", "PyCharm", &["pycharm", "pycharm.sh", "charm"], Style::Options),
    editor("rustrover", "RustRover", &["rustrover", "rustrover.sh"], Style::Options),
    editor("goland", "GoLand", &["goland", "goland.sh"], Style::Options),
    editor("clion", "CLion", &["clion", "clion.sh"], Style::Options),
    editor("phpstorm", "PhpStorm", &["phpstorm", "phpstorm.sh"], Style::Options),
    editor("rubymine", "RubyMine", &["rubymine", "rubymine.sh"], Style::Options),
    editor("rider", "Rider", &["rider", "rider.sh"], Style::Options),
    editor("gvim", "GVim", &["gvim", "mvim"], Style::Plus),
    editor("emacs", "Emacs", &["emacs"], Style::PlusBoth),
    editor("kate", "Kate", &["kate"], Style::Options),
    editor("kwrite", "KWrite", &["kwrite"], Style::Options),
    editor("gnome-text-editor", "GNOME Text Editor", &["gnome-text-editor"], Style::PlusBoth),
    editor("gedit", "gedit", &["gedit"], Style::PlusBoth),
    editor("geany", "Geany", &["geany"], Style::Options),
    editor("xed", "Xed", &["xed"], Style::Plus),
    editor("pluma", "Pluma", &["pluma"], Style::Plus),
    editor("mousepad", "Mousepad", &["mousepad"], Style::Options),
];

const fn editor(
    id: &'static str,
    name: &'static str,
    programs: &'static [&'static str],
    style: Style,
) -> Editor {
    Editor { id, name, programs, style }
}

/// The editor with this id.
pub(super) fn by_id(id: &str) -> Option<&'static Editor> {
    EDITORS.iter().find(|editor| editor.id == id)
}

/// The editor whose program is called `name`.
pub(super) fn by_program(name: &OsStr) -> Option<&'static Editor> {
    EDITORS.iter().find(|editor| editor.programs.iter().any(|program| *program == name))
}

impl Editor {
    /// Program and arguments that open `spot`.
    pub(super) fn argv(&self, program: &Path, spot: &Spot) -> Vec<OsString> {
        let mut argv = vec![OsString::from(program)];
        let file = spot.file.as_os_str();
        let Some(line) = spot.line.map(|line| line.max(1)) else {
            argv.push(file.to_owned());
            return argv;
        };
        let column = spot.column.map_or(1, |column| column.max(1));
        match self.style {
            // Always with a column: a file called `a:3` stays that file.
            Style::Goto => argv.extend(["-g".into(), file_with_position(file, line, column)]),
            Style::Joined => argv.push(file_with_position(file, line, column)),
            Style::Options => {
                argv.extend(["--line".into(), line.to_string().into()]);
                if spot.column.is_some() {
                    argv.extend(["--column".into(), column.to_string().into()]);
                }
                argv.push(file.to_owned());
            }
            Style::PlusBoth if spot.column.is_some() => {
                argv.extend([format!("+{line}:{column}").into(), file.to_owned()]);
            }
            Style::Plus | Style::PlusBoth => argv.extend([format!("+{line}").into(), file.to_owned()]),
        }
        argv
    }
}

fn file_with_position(file: &OsStr, line: u32, column: u32) -> OsString {
    let mut place = file.to_owned();
    place.push(format!(":{line}:{column}"));
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn argv(id: &str, line: Option<u32>, column: Option<u32>) -> String {
        let spot = Spot { file: "/w/größe \"a\".ts".into(), line, column };
        let argv = by_id(id).unwrap().argv(Path::new("/bin/x"), &spot);
        let shown: Vec<String> = argv[1..].iter().map(|one| one.to_string_lossy().into_owned()).collect();
        shown.join(" | ")
    }

    #[test]
    fn each_editor_is_told_the_place_in_its_own_way() {
        for (id, full, line) in [
            ("vscode", "-g | F:12:5", "-g | F:12:1"),
            ("vscodium", "-g | F:12:5", "-g | F:12:1"),
            ("cursor", "-g | F:12:5", "-g | F:12:1"),
            ("zed", "F:12:5", "F:12:1"),
            ("sublime", "F:12:5", "F:12:1"),
            ("idea", "--line | 12 | --column | 5 | F", "--line | 12 | F"),
            ("kate", "--line | 12 | --column | 5 | F", "--line | 12 | F"),
            ("gedit", "+12:5 | F", "+12 | F"),
            ("gnome-text-editor", "+12:5 | F", "+12 | F"),
            ("emacs", "+12:5 | F", "+12 | F"),
            ("gvim", "+12 | F", "+12 | F"),
        ] {
            let whole = |text: &str| text.replace('F', "/w/größe \"a\".ts");
            assert_eq!(argv(id, Some(12), Some(5)), whole(full), "{id}");
            assert_eq!(argv(id, Some(12), None), whole(line), "{id}");
            assert_eq!(argv(id, None, Some(5)), whole("F"), "{id}");
            assert!(!argv(id, Some(0), Some(0)).contains('0'), "{id}: lines begin at 1");
        }
    }

    #[test]
    fn ids_and_programs_are_those_of_one_editor() {
        let ids: BTreeSet<_> = EDITORS.iter().map(|editor| editor.id).collect();
        let programs: Vec<_> = EDITORS.iter().flat_map(|editor| editor.programs).collect();
        assert_eq!(ids.len(), EDITORS.len());
        assert_eq!(programs.iter().collect::<BTreeSet<_>>().len(), programs.len());
        assert!(!ids.contains("auto") && !ids.contains("custom"));
        assert_eq!(by_program("subl".as_ref()).map(|editor| editor.id), Some("sublime"));
        assert!(by_program("vim".as_ref()).is_none());
    }
}
