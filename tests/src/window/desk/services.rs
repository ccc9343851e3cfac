//! A desktop's services on the bus, as far as the app uses them.
#![allow(
    missing_docs,
    clippy::needless_pass_by_value,
    reason = "the macro writes items, and hands its arguments over by value"
)]

use super::Shown;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

/// Shows notifications.
pub(super) struct Daemon {
    pub(super) shown: Arc<Mutex<Vec<Shown>>>,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Daemon {
    fn get_capabilities(&self) -> Vec<&str> {
        vec!["body", "body-markup", "actions"]
    }

    #[allow(clippy::too_many_arguments, reason = "as the specification has it")]
    fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        title: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expires: i32,
    ) -> u32 {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let id = u32::try_from(shown.len()).unwrap_or_default() + 1;
        shown.push(Shown { id, title, body, actions, taken_back: false });
        id
    }

    fn close_notification(&self, id: u32) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        for one in shown.iter_mut().filter(|one| one.id == id) {
            one.taken_back = true;
        }
    }

    /// A click happened.
    #[zbus(signal)]
    pub(super) async fn action_invoked(
        emitter: &SignalEmitter<'_>,
        id: u32,
        action: &str,
    ) -> zbus::Result<()>;
}

/// Takes the icons of trays.
pub(super) struct Watcher {
    pub(super) icons: Arc<Mutex<Vec<String>>>,
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(
        &self,
        item: &str,
        #[zbus(header)] header: zbus::message::Header<'_>,
    ) -> zbus::fdo::Result<()> {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let item = if item.starts_with('/') { format!("{sender}{item}") } else { item.to_owned() };
        self.icons.lock().unwrap_or_else(PoisonError::into_inner).push(item);
        Ok(())
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}
