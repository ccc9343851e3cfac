//! Embeds the configuration, the capabilities and the built page.

use std::path::Path;
use std::{fs, io};

/// What the window shows when the UI has not been built.
const NO_UI: &str = "<!doctype html><meta charset=\"utf-8\"><title>Loopdeck</title>\
    <p>The UI is not built. Run: cargo xtask run</p>\n";

fn main() -> io::Result<()> {
    ensure_page(Path::new("../ui/dist"))?;
    tauri_build::build();
    Ok(())
}

/// Tauri refuses to compile without a page, but editors and `cargo check` must work on a fresh clone without
/// Node.
fn ensure_page(dist: &Path) -> io::Result<()> {
    if dist.exists() {
        return Ok(());
    }
    fs::create_dir_all(dist)?;
    fs::write(dist.join("index.html"), NO_UI)
}
