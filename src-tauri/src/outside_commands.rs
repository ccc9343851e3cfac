//! Commands that lead out of the window: to the person's editor, browser and file manager, and to the system's dialogs.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use crate::commands::{Shared, off_main};
use crate::link::Link;
use crate::outside::{self, cannot_open};
use loopdeck_runtime::dirs::shown;
use loopdeck_runtime::editor::{EditorChoice, Editors};
use loopdeck_runtime::path_lookup::LookedUpPath;
use loopdeck_runtime::terminal::Terminals;
use loopdeck_runtime::views::{Failure, FailureKind};
use std::path::Path;
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt as _;
use tauri_plugin_opener::OpenerExt as _;

/// Opens the state file in the person's editor.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_file(app: AppHandle, runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        outside::confirm_editor(&app, runtime, &runtime.settings().editor)?;
        match runtime.open_state_file(&key) {
            Err(Failure { kind: FailureKind::NoEditor, .. }) => {}
            done => return done,
        }
        // Without an editor, the desktop picks a program for text.
        let path = runtime.state_file(&key)?;
        open_with_its_program(&app, &path)
    })
    .await
}

/// Whether files that a loop names can be opened.
#[tauri::command]
#[specta::specta]
pub(crate) async fn sights(
    runtime: Shared<'_>,
    key: String,
    names: Vec<String>,
) -> Result<Vec<LookedUpPath>, Failure> {
    off_main(runtime, move |runtime| runtime.sights(&key, &names)).await
}

/// Opens a file that a loop names in the person's editor.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_place(
    app: AppHandle,
    runtime: Shared<'_>,
    key: String,
    file: String,
    line: Option<u32>,
    column: Option<u32>,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        outside::confirm_editor(&app, runtime, &runtime.settings().editor)?;
        runtime.open_place(&key, &file, line, column)
    })
    .await
}

/// The editors on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn editors(runtime: Shared<'_>) -> Result<Editors, Failure> {
    off_main(runtime, |runtime| Ok(runtime.editors())).await
}

/// Opens a sample text in an editor, to check that it works.
#[tauri::command]
#[specta::specta]
pub(crate) async fn try_editor(
    app: AppHandle,
    runtime: Shared<'_>,
    choice: EditorChoice,
    text: String,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        outside::confirm_editor(&app, runtime, &choice)?;
        runtime.try_editor(&choice, &text)
    })
    .await
}

/// Opens a web or mail address in the person's browser or mail program, and no other kind.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_address(
    app: AppHandle,
    runtime: Shared<'_>,
    address: String,
) -> Result<(), Failure> {
    off_main(runtime, move |_| {
        let address = outside::address(&address)?;
        let opened = app.opener().open_url(&address, None::<&str>);
        opened.map_err(|error| cannot_open(Path::new(&address), &error))
    })
    .await
}

/// Asks where to save and writes `bytes` there; returns the path for display, nothing when the person
/// cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_as(
    app: AppHandle,
    runtime: Shared<'_>,
    name: String,
    bytes: Vec<u8>,
) -> Result<Option<String>, Failure> {
    off_main(runtime, move |runtime| {
        let name = outside::file_name(&name);
        let mut dialog = app.dialog().file().set_file_name(&name);
        if let Some((_, ending)) = name.rsplit_once('.') {
            dialog = dialog.add_filter(ending.to_uppercase(), &[ending]);
        }
        let Some(chosen) = dialog.blocking_save_file() else { return Ok(None) };
        let path = chosen.into_path().map_err(|error| cannot_open(Path::new(&name), &error))?;
        runtime.save_as(&path, &bytes)?;
        Ok(Some(shown(&path)))
    })
    .await
}

/// A link to a place in a loop, for pasting into a chat.
#[tauri::command]
#[specta::specta]
pub(crate) async fn link(
    runtime: Shared<'_>,
    key: String,
    tab: Option<String>,
    item: Option<String>,
) -> Result<String, Failure> {
    off_main(runtime, move |runtime| {
        Ok(Link::text(&runtime.state_file(&key)?, tab.as_deref(), item.as_deref()))
    })
    .await
}

/// Shows the state file in the desktop's file manager.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_folder(app: AppHandle, runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        let path = runtime.state_file(&key)?;
        app.opener().reveal_item_in_dir(&path).map_err(|error| cannot_open(&path, &error))
    })
    .await
}

/// Shows a workspace in the desktop's file manager.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_workspace_folder(
    app: AppHandle,
    runtime: Shared<'_>,
    id: String,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        let path = runtime.workspace_path(&id)?;
        open_with_its_program(&app, &path)
    })
    .await
}

/// The terminals on this computer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn terminals(runtime: Shared<'_>) -> Result<Terminals, Failure> {
    off_main(runtime, |runtime| Ok(runtime.terminals())).await
}

/// Opens the person's terminal in the folder of a loop. Nothing is run in it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_terminal(runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.open_terminal(&key)).await
}

/// The same in a workspace.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_workspace_terminal(runtime: Shared<'_>, id: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.open_workspace_terminal(&id)).await
}

/// Asks for a folder with the system's dialog and opens it; nothing when the person cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_workspace(app: AppHandle, runtime: Shared<'_>) -> Result<Option<String>, Failure> {
    off_main(runtime, move |runtime| {
        let Some(folder) = app.dialog().file().blocking_pick_folder() else { return Ok(None) };
        let path = folder.into_path().map_err(|error| cannot_open(Path::new(""), &error))?;
        runtime.open_workspace(&path).map(Some)
    })
    .await
}

/// Opens a file or a folder with the program that the desktop has for it.
fn open_with_its_program(app: &AppHandle, path: &Path) -> Result<(), Failure> {
    let opened = app.opener().open_path(path.to_string_lossy(), None::<&str>);
    opened.map_err(|error| cannot_open(path, &error))
}
