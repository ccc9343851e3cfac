//! The package, installed in a fresh Debian: what it depends on is there, the installed program runs the sample, and after
//! uninstalling nothing is left but the person's data. `cargo xtask test --package` makes both and runs this.

use loopdeck_tests::runs::eventually;
use loopdeck_tests::window::fresh_system::{FreshSystem, changed};
use loopdeck_tests::window::loops::{SOON, open_loop, stop, wait_for_word};
use loopdeck_tests::window::{Stage, keys};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "/root/loopdeck.deb";
const HOME: &str = "/home/ana";
/// Where uninstalling says that the person's data is.
const DATA: &str = "/home/ana/.local/share/loopdeck";

/// What others write when any program is installed or opened: logs and caches of apt and dpkg, and the cache of GTK's settings.
const OTHERS: [&str; 5] =
    ["var/log/apt", "var/log/dpkg.log", "var/cache/apt", "var/lib/dpkg/status-old", "home/ana/.cache/dconf"];

fn given(variable: &str) -> PathBuf {
    let value = env::var_os(variable);
    value.unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask test --package`")).into()
}

#[test]
#[ignore = "needs root and a package: cargo xtask test --package"]
fn an_installed_program_works_and_leaves_nothing_but_the_persons_data() {
    let system = FreshSystem::copy_of(&given("LOOPDECK_FRESH_DEBIAN"));
    fs::create_dir_all(system.outside(HOME)).unwrap();
    let before = system.disk();

    fs::copy(given("LOOPDECK_DEB"), system.outside(PACKAGE)).unwrap();
    // What the package says that it depends on is there, so nothing else is installed.
    let said = system.run("apt-get", &["install", "--yes", "--no-install-recommends", PACKAGE]);
    assert!(said.contains("0 upgraded, 1 newly installed, 0 to remove"), "{said}");
    is_complete(&system);
    uses_the_program(&system);
    assert_eq!(system.processes(), [""; 0], "all processes have ended");

    let said = system.run("apt-get", &["purge", "--yes", "loopdeck"]);
    assert!(said.contains("~/.local/share/loopdeck"), "it says where the data is: {said}");
    fs::remove_file(system.outside(PACKAGE)).unwrap();
    let left = changed(&before, &system.disk());
    let (data, left): (Vec<_>, Vec<_>) =
        left.into_iter().partition(|path| Path::new("/").join(path).starts_with(DATA));
    assert!(data.iter().any(|path| path.ends_with("settings.json")), "the person's data is kept: {data:?}");
    let left: Vec<_> = left.iter().filter(|path| !is_expected(path)).collect();
    assert!(left.is_empty(), "left behind: {left:#?}");
}

/// What others write, and the folders above that and above the data.
fn is_expected(path: &Path) -> bool {
    let is_above = |known: &str| Path::new(known.trim_start_matches('/')).starts_with(path);
    OTHERS.iter().any(|known| path.starts_with(known) || is_above(known)) || is_above(DATA)
}

/// Everything that the package promises is where systems look for it.
fn is_complete(system: &FreshSystem) {
    let listed = system.run("dpkg-query", &["--listfiles", "loopdeck"]);
    for file in [
        "/usr/bin/loopdeck",
        "/usr/bin/loopdeck-desktop",
        "/usr/share/applications/loopdeck.desktop",
        "/usr/share/metainfo/dev.loopdeck.desktop.metainfo.xml",
        "/usr/share/icons/hicolor/16x16/apps/loopdeck.png",
        "/usr/share/icons/hicolor/512x512/apps/loopdeck.png",
        "/usr/share/icons/hicolor/scalable/apps/loopdeck.svg",
        "/usr/share/man/man1/loopdeck.1.gz",
        "/usr/share/man/man1/loopdeck-desktop.1.gz",
        "/usr/share/man/man1/loopdeck-team-serve.1.gz",
        "/usr/share/man/man1/loopdeck-node.1.gz",
        "/usr/share/bash-completion/completions/loopdeck",
        "/usr/share/zsh/vendor-completions/_loopdeck",
        "/usr/share/fish/vendor_completions.d/loopdeck.fish",
        "/usr/lib/systemd/user/loopdeck-serve.service",
        "/usr/lib/systemd/user/loopdeck-node.service",
        "/usr/share/doc/loopdeck/copyright",
        "/usr/share/doc/loopdeck/CHANGELOG.md.gz",
    ] {
        assert!(listed.lines().any(|line| line == file), "{file} is not in the package:\n{listed}");
    }
    for program in ["loopdeck", "loopdeck-desktop"] {
        assert!(system.run(program, &["--version"]).starts_with(program));
    }
}

/// The program that the menu entry starts.
fn program_of_menu(system: &FreshSystem) -> String {
    let entry = fs::read_to_string(system.outside("/usr/share/applications/loopdeck.desktop")).unwrap();
    let command = entry.lines().find_map(|line| line.strip_prefix("Exec=")).unwrap();
    let program = command.split_whitespace().next().unwrap();
    system.run("sh", &["-c", &format!("command -v {program}")]).trim().to_owned()
}

/// A newcomer opens the sample, starts its loop and stops it.
fn uses_the_program(system: &FreshSystem) {
    let stage = Stage::new("installed");
    let app = stage.open_installed(system, &program_of_menu(system), HOME);
    app.page.click("[data-testid=open-sample]");
    open_loop(&app, "Try it: repair the tiny shop");
    app.page.click("[data-testid=verb-start]");
    app.page.click("[data-testid=tab-output]");
    app.page.wait_until("return document.body.textContent.includes('looking around')", SOON);
    app.screenshot("1-running");
    stop(&app);
    wait_for_word(&app, "Stopped", SOON);
    app.screenshot("2-stopped");
    app.page.press(&[keys::ESCAPE]);
    drop(app);
    eventually("the end of everything that was started", || system.processes().is_empty().then_some(()));
}
