//! The person's editor: which ones there are, and opening a file in one of them.
//!
//! An editor is a program that gets arguments; there is no shell in between, and the file itself is never run.

mod command;
pub(crate) mod find;
mod known;
pub(crate) mod start;

use crate::views::{Failure, FailureKind};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::ffi::OsString;
use std::path::PathBuf;

/// Id of the choice of a command of the person's own.
pub const CUSTOM: &str = "custom";

/// What a person chose to open files with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct EditorChoice {
    /// `auto`, `custom`, or the id of a known editor such as `vscode`.
    pub id: String,
    /// For `custom`: the program and its arguments. `{file}` means the file as an argument of its own, or before
    /// `:{line}`; `{line}` and `{column}` may stand anywhere.
    pub command: Vec<String>,
}

impl Default for EditorChoice {
    fn default() -> Self {
        Self { id: "auto".into(), command: Vec::new() }
    }
}

/// An editor of this computer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct EditorView {
    /// Its id.
    pub id: String,
    /// Its name, the same in every language.
    pub name: String,
    /// Where its program is, for display.
    pub program: String,
}

/// The editors of this computer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Type)]
pub struct Editors {
    /// Found ones, in the order in which they are preferred.
    pub found: Vec<EditorView>,
    /// Id of the one that `auto` means.
    pub auto: Option<String>,
}

/// What is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file, absolute.
    pub file: PathBuf,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column; counts only with a line.
    pub column: Option<u32>,
}

/// The editors of this computer, and which one is used when nothing was chosen.
pub(crate) fn editors() -> Editors {
    find::editors(&find::paths())
}

/// Opens `spot` in the editor that `choice` names; the editor outlives Loopdeck.
///
/// # Errors
/// `NoEditor`, `EditorCommand`, `EditorMissing`, `EditorFailed`.
pub(crate) fn open(choice: &EditorChoice, spot: &Spot) -> Result<(), Failure> {
    let argv = argv(choice, spot)?;
    let failed = |error: std::io::Error| {
        let program = argv.first().map(|program| program.to_string_lossy().into_owned());
        let failure = Failure::new(FailureKind::EditorFailed).with("reason", error);
        failure.with("program", program.unwrap_or_default())
    };
    start::start_detached(&argv, None).map_err(failed)
}

fn argv(choice: &EditorChoice, spot: &Spot) -> Result<Vec<OsString>, Failure> {
    if choice.id == CUSTOM {
        let mut argv = command::fill_in(&choice.command, spot)
            .ok_or_else(|| Failure::new(FailureKind::EditorCommand))?;
        let program = find::program(&argv[0]).ok_or_else(|| missing_program(&argv[0].to_string_lossy()))?;
        argv[0] = program.into();
        return Ok(argv);
    }
    let wanted = (choice.id != "auto").then_some(choice.id.as_str());
    match (find::known_editor(wanted), wanted) {
        (Some((editor, program)), _) => Ok(editor.argv(&program, spot)),
        (None, None) => Err(Failure::new(FailureKind::NoEditor)),
        (None, Some(id)) => Err(missing_program(known::by_id(id).map_or(id, |editor| editor.name))),
    }
}

fn missing_program(program: &str) -> Failure {
    Failure::new(FailureKind::EditorMissing).with("program", program)
}
