//! Variables that WebKitGTK reads when it loads, long before we have a window.

use crate::platform::restart::replace_with;
use loopdeck_runtime::package::NO_DMABUF;

/// Turns WebKit's DMABUF renderer off unless the person decided otherwise.
///
/// The variable must be set before GTK starts, and setting it in a running process is unsafe, so the process re-executes itself once
/// (same pid). That takes 35 ms, because a hundred libraries are linked again, so the command line, which the menu entry starts, sets
/// it first. If it fails, the app continues, and [`crate::first_paint`] explains a blank window.
pub(crate) fn prepare() {
    replace_with(NO_DMABUF);
}
