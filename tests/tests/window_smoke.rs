//! The app opens, shows its page, and there is only one of it per data folder.
#![cfg(feature = "window")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use loopdeck_tests::window::Stage;
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);

#[test]
fn the_window_shows_the_page() {
    let stage = Stage::new("smoke");
    let app = stage.open(&[]);
    assert_eq!(app.page.title(), "Loopdeck");
    app.page.wait_until("return document.querySelector('#app').textContent.trim() !== ''", SOON);
    let picture = app.screenshot("page");
    assert!(picture.metadata().expect("a picture").len() > 1_000, "an empty picture");
}

#[test]
fn a_second_start_opens_its_folder_in_the_first_window() {
    let stage = Stage::new("second-start");
    for folder in ["one", "two"] {
        fs::create_dir(stage.folder().join(folder)).expect("a folder");
    }
    let app = stage.open(&[stage.folder().join("one").as_os_str()]);
    let names = |wanted: Value| {
        let shown =
            "[...document.querySelectorAll('[data-testid=workspace]')].map((one) => one.dataset.name)";
        app.page.wait_until(&format!("return JSON.stringify({shown}) === '{wanted}'"), SOON);
    };
    names(json!(["one"]));
    let second = stage.start_again(&[Path::new("two").as_os_str()]);
    assert!(second.status.success(), "{second:?}");
    names(json!(["one", "two"]));
    let third = stage.start_again(&[Path::new("nowhere").as_os_str()]);
    assert!(third.status.success(), "{third:?}");
    app.page.wait_until(
        "return document.querySelector('[data-testid=folder-failure]')?.textContent.includes('nowhere')",
        SOON,
    );
    app.screenshot("failure");
}

#[test]
fn the_command_line_opens_folders_in_the_window_and_the_window_takes_no_commands() {
    let stage = Stage::new("command-line");
    fs::create_dir(stage.folder().join("one")).expect("a folder");
    let app = stage.open(&[]);
    let opened = stage.start_by_command_line(&[Path::new("one").as_os_str()]);
    assert!(opened.status.success(), "{opened:?}");
    app.page
        .wait_until("return document.querySelector('[data-testid=workspace]')?.dataset.name === 'one'", SOON);
    let listed = stage.start_by_command_line(&["list".as_ref(), "one".as_ref()]);
    assert!(listed.status.success() && listed.stderr.is_empty(), "{listed:?}");
    let refused = stage.start_again(&["list".as_ref(), "one".as_ref()]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("'loopdeck list"), "{said}");
}

#[test]
fn the_page_cannot_reach_plugins_or_other_origins() {
    let stage = Stage::new("closed-doors");
    let app = stage.open(&[]);
    app.page.find("#app > *");
    let refused = app.page.execute_async(
        "const [done] = arguments;\
         const tries = ['plugin:dialog|open', 'plugin:opener|open_url', 'plugin:window|close', 'plugin:event|listen', 'plugin:tray|new']\
            .map((command) => window.__TAURI_INTERNALS__.invoke(command, { url: 'https://example.org' }));\
         Promise.allSettled(tries).then((all) => done(all.map((one) => one.status)));",
        &[],
    );
    assert_eq!(refused, json!(["rejected", "rejected", "rejected", "rejected", "rejected"]));
    let evaluated = app.page.execute_async(
        "const [done] = arguments;\
         const script = document.createElement('script');\
         script.textContent = 'window.injected = true';\
         document.head.append(script);\
         fetch('https://example.org').then(() => done('fetched'), () => done(window.injected ?? 'nothing ran'));",
        &[],
    );
    assert_eq!(evaluated, "nothing ran");
}
