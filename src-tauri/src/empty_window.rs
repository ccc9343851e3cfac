//! A window with nothing in it: `cargo xtask bench` compares the start of ours with it. Same program, same web view, no page.

use std::error::Error;

use tauri::{Url, WebviewUrl, WebviewWindowBuilder};

/// Marks the first frame, as our page marks the frame that shows its list.
const MARK: &str = "requestAnimationFrame(() => performance.mark('painted'))";

/// Opens it, and returns when it is closed.
pub(crate) fn open() -> Result<(), Box<dyn Error>> {
    let app = tauri::Builder::default().setup(|app| {
        let blank = WebviewUrl::External(Url::parse("about:blank")?);
        WebviewWindowBuilder::new(app, "empty", blank).initialization_script(MARK).build()?;
        Ok(())
    });
    Ok(app.run(super::context())?)
}
