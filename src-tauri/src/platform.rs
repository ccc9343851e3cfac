//! What differs between desktops. Nothing else in this package has a `cfg` for one.
//!
//! Only Linux is tested. The code for macOS and Windows is compiled (`cargo xtask cross check`).

#[cfg(target_os = "linux")]
#[path = "platform/linux/mod.rs"]
mod here;
#[cfg(not(target_os = "linux"))]
#[path = "platform/other/mod.rs"]
mod here;

pub(crate) use here::*;

/// Whether the system can quit the app while it has a window.
pub(crate) const QUITS_WITH_WINDOWS: bool = cfg!(target_os = "macos");

/// Whether starting at sign-in can be arranged.
pub(crate) const STARTS_AT_SIGN_IN: bool = cfg!(target_os = "linux");

/// Whether the person clicked on the app in the Dock.
pub(crate) fn is_called_back(event: &tauri::RunEvent) -> bool {
    #[cfg(target_os = "macos")]
    return matches!(event, tauri::RunEvent::Reopen { .. });
    #[cfg(not(target_os = "macos"))]
    {
        let _ = event;
        false
    }
}
