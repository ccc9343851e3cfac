//! Notifications of the desktop. Where nothing can show them, nothing happens.

#[cfg(target_os = "linux")]
#[path = "notify/over_dbus.rs"]
mod shown;

#[cfg(not(target_os = "linux"))]
#[path = "notify/by_plugin.rs"]
mod shown;

pub(super) use shown::Notifications;
