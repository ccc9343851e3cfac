//! Updates: looked for when a person asks, never by themselves. A build that was not told whom to ask and whose signature to trust
//! has no updater at all, so it cannot call anybody.

#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use loopdeck_runtime::views::{Failure, FailureKind};
use serde::Serialize;
use serde_json::json;
use specta::Type;
use std::fmt::Display;
use tauri::{AppHandle, Builder, Context, State, Wry};
use tauri_plugin_updater::{Update, UpdaterExt as _};

/// Whom to ask for newer versions, and the key whose signature they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpdateSource {
    endpoint: String,
    key: String,
}

/// What the page may ask about updates; nothing without a source.
#[derive(Debug)]
pub(crate) struct Updates(Option<UpdateSource>);

/// A version that is newer than this one.
#[derive(Clone, Debug, Serialize, Type)]
pub(crate) struct NewVersion {
    /// Its number.
    version: String,
}

impl UpdateSource {
    /// Both values come from the environment in which this program was built. Builds for tests also take them when they start.
    pub(crate) fn of_this_build() -> Option<Self> {
        let built_in = Self::new(option_env!("LOOPDECK_UPDATE_ENDPOINT"), option_env!("LOOPDECK_UPDATE_KEY"));
        if !cfg!(debug_assertions) {
            return built_in;
        }
        let given = ["LOOPDECK_UPDATE_ENDPOINT", "LOOPDECK_UPDATE_KEY"].map(|name| std::env::var(name).ok());
        let [endpoint, key] = given.each_ref().map(Option::as_deref);
        built_in.or_else(|| Self::new(endpoint, key))
    }

    fn new(endpoint: Option<&str>, key: Option<&str>) -> Option<Self> {
        let given =
            |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        Some(Self { endpoint: given(endpoint)?, key: given(key)? })
    }
}

impl Updates {
    /// Whether the person can ask.
    pub(crate) fn are_on(&self) -> bool {
        self.0.is_some()
    }
}

/// `app` with an updater, where there is a source.
pub(crate) fn with_updater(
    app: Builder<Wry>,
    context: &mut Context<Wry>,
    source: Option<UpdateSource>,
) -> Builder<Wry> {
    let app = app.manage(Updates(source.clone()));
    let Some(UpdateSource { endpoint, key }) = source else { return app };
    // An old version under a new number is refused: the number is part of what is signed.
    let config = json!({ "endpoints": [endpoint], "pubkey": key, "requireSignedVersion": true });
    context.config_mut().plugins.0.insert("updater".to_owned(), config);
    app.plugin(tauri_plugin_updater::Builder::new().build())
}

/// The version that is newer than this one, if there is one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn check_for_update(
    app: AppHandle,
    updates: State<'_, Updates>,
) -> Result<Option<NewVersion>, Failure> {
    Ok(newest(&app, &updates).await?.map(|update| NewVersion { version: update.version }))
}

/// Downloads the newest version, checks its signature, and puts it in the place of this one. It runs from the next start on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn install_update(app: AppHandle, updates: State<'_, Updates>) -> Result<(), Failure> {
    let Some(update) = newest(&app, &updates).await? else { return Ok(()) };
    update.download_and_install(|_, _| {}, || {}).await.map_err(failed)
}

async fn newest(app: &AppHandle, updates: &Updates) -> Result<Option<Update>, Failure> {
    if !updates.are_on() {
        return Ok(None); // there is no updater to ask
    }
    app.updater().map_err(failed)?.check().await.map_err(failed)
}

fn failed(reason: impl Display) -> Failure {
    Failure::new(FailureKind::NotUpdated).with("reason", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_both() {
        let key = Some("key");
        for (endpoint, key) in [(None, None), (Some("https://x"), None), (None, key), (Some(" "), key)] {
            assert_eq!(UpdateSource::new(endpoint, key), None);
        }
        let source = UpdateSource::new(Some("https://x\n"), key).expect("both");
        assert_eq!((source.endpoint.as_str(), source.key.as_str()), ("https://x", "key"));
    }
}
