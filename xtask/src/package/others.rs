//! Packages that Tauri's own command line makes: AppImage and `.dmg`. Those of Windows are `cargo xtask cross package`.

use xtask::Failure;
use xtask::workspace::cargo;

use crate::steps;
use crate::system::find_program;

/// Name, Tauri's name for it, where it can be made, as Rust and as people call it.
const FORMATS: [(&str, &str, &str, &str); 2] =
    [("AppImage", "appimage", "linux", "Linux"), (".dmg", "dmg", "macos", "macOS")];

/// Makes those of this system, or says in one line why not.
pub(super) fn build() -> Result<(), Failure> {
    for (name, bundle, system, shown) in FORMATS {
        if system != std::env::consts::OS {
            println!("{name}: not made here. It can only be made on {shown}.");
        } else if find_program("cargo-tauri").is_none() {
            println!(
                "{name}: not made here. The Tauri command line is missing: cargo install --locked tauri-cli@^2. It downloads \
                 more tools."
            );
        } else {
            steps::run(name, cargo().args(["tauri", "bundle", "--bundles", bundle]))?;
        }
    }
    Ok(())
}
