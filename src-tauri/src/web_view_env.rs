//! Variables that WebKitGTK reads when it loads, long before we have a window.

use crate::platform::restart::replace_with;

/// Turns WebKit's DMABUF renderer off unless the person decided otherwise.
///
/// With it, many drivers and every virtual display show a blank window. The variable must be set before GTK
/// starts, and setting it in a running process is unsafe, so the process re-executes itself once (same pid,
/// under 1 ms). If that fails, the app continues, and [`crate::first_paint`] explains a blank window.
pub(crate) fn prepare() {
    replace_with("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
}

const NO_COMPOSITING: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Whether compositing is already off.
pub(crate) fn compositing_is_off() -> bool {
    std::env::var_os(NO_COMPOSITING).is_some()
}

/// Re-executes this process without compositing; the second remedy for a blank window.
pub(crate) fn restart_without_compositing() {
    replace_with(NO_COMPOSITING, "1");
}
