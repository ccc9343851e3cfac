//! Start at sign-in, as the page sees it. The desktop keeps the setting, not we.

use std::path::PathBuf;

use loopdeck_runtime::data_dir::DataDir;
use loopdeck_runtime::views::{Failure, FailureKind};
use tauri::{AppHandle, Manager as _};

use crate::platform::{STARTS_AT_SIGN_IN, autostart};

/// Whether Loopdeck starts when the person signs in; nothing where that can't be arranged.
///
/// # Errors
/// `Unreadable`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn starts_at_sign_in(app: AppHandle) -> Result<Option<bool>, Failure> {
    if !STARTS_AT_SIGN_IN {
        return Ok(None);
    }
    let config = config(&app)?;
    autostart::is_on(&config).map(Some).map_err(|error| failure(FailureKind::Unreadable, &config, error))
}

/// From now on Loopdeck starts when the person signs in, or it doesn't.
///
/// # Errors
/// `Disk`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_at_sign_in(app: AppHandle, on: bool) -> Result<(), Failure> {
    let config = config(&app)?;
    let done = if on { autostart::turn_on(&config, &start(&app)?) } else { autostart::turn_off(&config) };
    done.map_err(|error| failure(FailureKind::Disk, &config, error))
}

/// This program, as the person started it.
fn start(app: &AppHandle) -> Result<autostart::Start, Failure> {
    let data_dir = app.state::<DataDir>();
    let own = data_dir.instance_suffix().map(|_| data_dir.path().to_owned());
    let program = autostart::program(&app.env()).map_err(Failure::own_data)?;
    program.metadata().map_err(Failure::own_data)?; // replaced by an update while it runs: it has another name now
    Ok(autostart::Start { program, data_dir: own })
}

fn config(app: &AppHandle) -> Result<PathBuf, Failure> {
    app.path().config_dir().map_err(Failure::own_data)
}

fn failure(kind: FailureKind, config: &std::path::Path, error: std::io::Error) -> Failure {
    Failure::new(kind).with("path", config.join("autostart").display()).with("reason", error)
}
