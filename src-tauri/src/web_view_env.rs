//! Variables that WebKitGTK reads when it loads, long before we have a window.

use crate::platform::restart::replace_with;

/// Turns WebKit's DMABUF renderer off unless the person decided otherwise.
///
/// With it many drivers and every virtual display show a blank window. The variable must be set before GTK
/// starts; setting it in a running process is unsafe, so the process replaces itself once (same pid, under 1 ms).
/// When that fails the app goes on: a blank window is then explained by [`crate::first_paint`].
pub(crate) fn prepare() {
    replace_with("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
}

const NO_COMPOSITING: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Whether this start already does without compositing.
pub(crate) fn compositing_is_off() -> bool {
    std::env::var_os(NO_COMPOSITING).is_some()
}

/// Replaces this process by itself without compositing; the second thing that helps against a blank window.
pub(crate) fn restart_without_compositing() {
    replace_with(NO_COMPOSITING, "1");
}
