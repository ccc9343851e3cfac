//! The real agents for `cargo xtask test --real-agents`: pinned versions from npm, in a folder of their own.

use std::env::consts::{ARCH, OS};
use std::path::{Path, PathBuf};
use std::{env, fs};

use xtask::Failure;

use crate::{steps, ui};

/// A cache folder and what npm installs there.
struct Pin<'a> {
    folder: &'a str,
    package: &'a str,
    version: &'a str,
}

/// The versions that the adapters were written for. Raise them together with the recorded streams.
const PINS: [Pin<'static>; 4] = [
    Pin { folder: "claude", package: "@anthropic-ai/claude-code", version: "2.1.328" },
    Pin { folder: "codex", package: "@openai/codex", version: "0.169.0" },
    Pin { folder: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
    Pin { folder: "qwen", package: "@qwen-code/qwen-code", version: "0.24.4" },
];

/// The newest Node version that any of them requires.
const NODE: &str = "22.23.3";

/// Installs what is missing. Returns the folder, and the Node folder inside it that has to come first in
/// `PATH`.
pub(crate) fn install(state: &Path) -> Result<PathBuf, Failure> {
    let cache = env::var_os("LOOPDECK_REAL_AGENTS").map_or_else(|| state.join("real-agents"), PathBuf::from);
    let node = node_package()?;
    npm_install(&cache, &Pin { folder: "node", package: &node, version: NODE }, None)?;
    let node_bin = cache.join("node/bin");
    link_node(&cache, &node, &node_bin)?;
    for pin in &PINS {
        npm_install(&cache, pin, Some(&node_bin))?;
    }
    Ok(cache)
}

/// The package with the program itself: `node` on npm only downloads it in a script.
fn node_package() -> Result<String, Failure> {
    let system = match OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win",
        other => return Err(format!("npm has no Node for {other}").into()),
    };
    let machine = if ARCH == "aarch64" { "arm64" } else { "x64" };
    Ok(format!("node-{system}-{machine}"))
}

/// One path for the program, whatever its package is called.
fn link_node(cache: &Path, package: &str, node_bin: &Path) -> Result<(), Failure> {
    let file = format!("node{}", env::consts::EXE_SUFFIX);
    if node_bin.join(&file).exists() {
        return Ok(());
    }
    fs::create_dir_all(node_bin)?;
    let inside = cache.join("node/node_modules").join(package).join("bin").join(&file);
    fs::hard_link(&inside, node_bin.join(&file))?;
    Ok(())
}

/// npm with scripts off: no code of a package runs before its test does.
fn npm_install(cache: &Path, pin: &Pin<'_>, node_bin: Option<&Path>) -> Result<(), Failure> {
    let folder = cache.join(pin.folder);
    let stamp = folder.join("installed");
    let wanted = format!("{}@{}", pin.package, pin.version);
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    steps::heading(&wanted);
    fs::create_dir_all(&folder)?;
    let mut npm = ui::npm();
    npm.current_dir(&folder).args(["install", "--prefix", "."]);
    npm.args(["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", &wanted]);
    if let Some(first) = node_bin {
        // An older Node makes npm skip the packages with the native programs.
        let others = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([first.to_owned()].into_iter().chain(env::split_paths(&others)))?;
        npm.env("PATH", path);
    }
    steps::run("npm install", &mut npm)?;
    Ok(fs::write(stamp, wanted)?)
}
