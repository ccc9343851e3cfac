//! What leaves Loopdeck: places in an editor, a copy under a name of the person's, what a deletion would take.

use super::Runtime;
use crate::editor;
use crate::editor::{EditorChoice, Editors, Spot};
use crate::files::Canonical as _;
use crate::path_lookup::{LookedUpPath, LookupFolders};
use crate::platform;
use crate::store::delete;
use crate::terminal::{self, Terminals};
use crate::views::{Deletion, Failure, FailureKind};
use loopdeck_system::{dirs, files};
use std::path::Path;

impl Runtime {
    /// Whether files that a loop names can be opened: at most 500, in the order of `names`. A name may end in a line and a column.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn sights(&self, key: &str, names: &[String]) -> Result<Vec<LookedUpPath>, Failure> {
        const MOST: usize = 500;
        let found = self.find(key)?;
        let around = LookupFolders { workspace: &found.root, file: &found.candidate().file };
        Ok(names.iter().take(MOST).map(|name| around.sight(name)).collect())
    }

    /// Opens a file that a loop names in the person's editor, at a line and column that begin at 1. The file is looked up
    /// inside of the workspace and handed over by its real path; nothing of it is run.
    ///
    /// # Errors
    /// `UnknownLoop`; `FileMissing`, `FileOutside`, `NotARegularFile`; `EditorNotConfirmed`, `NoEditor`, `EditorCommand`,
    /// `EditorMissing`, `EditorFailed`.
    pub fn open_place(
        &self,
        key: &str,
        file: &str,
        line: Option<u32>,
        column: Option<u32>,
    ) -> Result<(), Failure> {
        let found = self.find(key)?;
        let around = LookupFolders { workspace: &found.root, file: &found.candidate().file };
        let file = around.path(file).map_err(|state| state.failure(file))?;
        self.open_in_editor(&self.settings().editor, &Spot { file, line, column })
    }

    /// Opens the state file of a loop in the person's editor.
    ///
    /// # Errors
    /// As [`Runtime::open_place`].
    pub fn open_state_file(&self, key: &str) -> Result<(), Failure> {
        let found = self.find(key)?;
        let (workspace, file) = (&found.root, found.candidate().on_disk());
        let around = LookupFolders { workspace, file: "" };
        let file = around.path(file).map_err(|state| state.failure(file))?;
        self.open_in_editor(&self.settings().editor, &Spot { file, line: None, column: None })
    }

    /// The editors of this computer, and the one that is used when nothing was chosen.
    #[must_use]
    pub fn editors(&self) -> Editors {
        editor::editors()
    }

    /// Opens a text of ours in the editor that `choice` names, to see whether it works: at its third line.
    ///
    /// # Errors
    /// `OwnData`; those of the editor as in [`Runtime::open_place`].
    pub fn try_editor(&self, choice: &EditorChoice, text: &str) -> Result<(), Failure> {
        let file = self.dirs.data.join("editor-test.txt");
        files::write_own(&file, text.as_bytes()).map_err(Failure::own_data)?;
        let file = file.canonical().map_err(Failure::own_data)?;
        self.open_in_editor(choice, &Spot { file, line: Some(3), column: Some(1) })
    }

    fn open_in_editor(&self, choice: &EditorChoice, spot: &Spot) -> Result<(), Failure> {
        if let Some(command) = self.editor_to_confirm(choice) {
            return Err(Failure::new(FailureKind::EditorNotConfirmed).with("command", command));
        }
        editor::open(choice, spot)
    }

    /// The terminals of this computer, and the one that is used when nothing was chosen.
    #[must_use]
    pub fn terminals(&self) -> Terminals {
        terminal::terminals()
    }

    /// Opens the person's terminal in the folder of a loop: its workspace, which is a worktree where it works in one. Nothing is run in it.
    ///
    /// # Errors
    /// `UnknownLoop`; `OnAnotherMachine`; `NoTerminal`, `TerminalFailed`.
    pub fn open_terminal(&self, key: &str) -> Result<(), Failure> {
        self.refuse_elsewhere(key)?;
        terminal::open(&self.settings().terminal, &self.find(key)?.root)
    }

    /// The same in a workspace.
    ///
    /// # Errors
    /// `UnknownWorkspace`; those of the terminal as in [`Runtime::open_terminal`].
    pub fn open_workspace_terminal(&self, id: &str) -> Result<(), Failure> {
        terminal::open(&self.settings().terminal, &self.workspace_path(id)?)
    }

    /// Writes what a person saves under a name they chose just now.
    ///
    /// # Errors
    /// `Disk`; what was there stays then.
    pub fn save_as(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let failed =
            |error| Failure::new(FailureKind::Disk).with("path", dirs::shown(path)).with("reason", error);
        files::write_shared(path, bytes).map_err(|error: std::io::Error| failed(error))
    }

    /// What a deletion would move to the trash.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn deletion(&self, key: &str) -> Result<Deletion, Failure> {
        let found = self.find(key)?;
        let files = delete::belongings(&found.root, found.candidate());
        Ok(Deletion { files, restorable: platform::CAN_RESTORE })
    }
}
