//! The notice that nothing is painted. Uses GTK directly: if the page does appear later, the notice has to
//! close itself.

use super::restart::replace_with;
use crate::words;
use gtk::prelude::{DialogExt as _, GtkWindowExt as _, WidgetExt as _};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::logged::Logged as _;
use std::cell::RefCell;
use std::sync::Arc;
use tauri::{AppHandle, Manager as _};

/// The message on stderr and in the log.
pub(crate) const TEXT: &str = "\
loopdeck: the window has shown nothing so far. The likely cause is the graphics driver under WebKitGTK.
loopdeck: try again with WEBKIT_DISABLE_COMPOSITING_MODE=1 in the environment; if that does not help, GDK_BACKEND=x11.";

/// The second remedy for a blank window: the web view doesn't use the graphics card.
const NO_COMPOSITING: (&str, &str) = ("WEBKIT_DISABLE_COMPOSITING_MODE", "1");

thread_local! {
    /// Used only on the main thread.
    static SHOWN: RefCell<Option<gtk::MessageDialog>> = const { RefCell::new(None) };
}

/// Shows it, unless `painted` is true by now or a restart has already been tried.
pub(crate) fn show(app: &AppHandle, painted: impl Fn() -> bool + Send + 'static) {
    if std::env::var_os(NO_COMPOSITING.0).is_some() {
        return;
    }
    let handle = app.clone();
    app.run_on_main_thread(move || {
        // Only here can no report come in between.
        if !painted() {
            open(&handle);
        }
    })
    .logged("the tray is not up to date");
}

/// Closes it.
pub(crate) fn close(app: &AppHandle) {
    app.run_on_main_thread(|| {
        if let Some(dialog) = SHOWN.take() {
            dialog.close();
        }
    })
    .logged("the tray is not up to date");
}

fn open(app: &AppHandle) {
    let words = words::words(&app.state::<Arc<Runtime>>().settings().language);
    let dialog = gtk::MessageDialog::builder()
        .message_type(gtk::MessageType::Warning)
        .title(&words.blank_title)
        .text(&words.blank_title)
        .secondary_text(&words.blank_text)
        .build();
    dialog.add_button(&words.blank_restart, gtk::ResponseType::Accept);
    dialog.add_button(&words.blank_wait, gtk::ResponseType::Cancel);
    dialog.connect_response(|dialog, response| {
        SHOWN.take();
        if response == gtk::ResponseType::Accept {
            replace_with(NO_COMPOSITING);
        }
        // Closing emits one more response at the end.
        if response != gtk::ResponseType::DeleteEvent {
            dialog.close();
        }
    });
    dialog.show_all();
    SHOWN.set(Some(dialog));
}
