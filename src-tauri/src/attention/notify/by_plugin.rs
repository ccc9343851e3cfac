//! Through the plugin, which supports neither clicks nor removal: a click brings the app to the front in the
//! system's way.

use crate::attention::news::Notice;
use std::collections::HashSet;
use tauri::AppHandle;
use tauri_plugin_notification::NotificationExt as _;

/// Shows notifications.
pub(in crate::attention) struct Notifications(AppHandle);

impl Notifications {
    pub(in crate::attention) fn start(app: &AppHandle) -> Self {
        Self(app.clone())
    }

    pub(in crate::attention) fn show(&self, notice: Notice, _open: &str) {
        // The person may have turned them off; the window shows everything too.
        let _ = self.0.notification().builder().title(notice.title).body(notice.body).show();
    }

    pub(in crate::attention) fn still_waiting(&self, _needs: HashSet<String>) {}
}
