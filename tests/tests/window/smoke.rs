//! The app opens, shows its page, and there is only one of it per data folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use loopdeck_tests::runs::eventually;
use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{Stage, keys};
use serde_json::{Value, json};

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
fn a_link_leads_to_what_the_person_opened_and_an_address_of_a_folder_opens_it() {
    let stage = Stage::new("links");
    for folder in ["one", "two words", "unknown"] {
        fs::create_dir(stage.folder().join(folder)).expect("a folder");
    }
    let at = |scheme: &str, folder: &str| format!("{scheme}://{}/{folder}", stage.folder().display());
    let app = stage.open(&[at("file", "two%20words").as_ref()]);
    let is_shown = |name: &str| {
        let shown =
            "[...document.querySelectorAll('[data-testid=workspace]')].map((one) => one.dataset.name)";
        app.page.wait_until(&format!("return {shown}.join() === '{name}'"), SOON);
    };
    is_shown("two words");
    let refused = stage.start_again(&[at("loopdeck", "unknown").as_ref()]);
    assert!(refused.status.success(), "{refused:?}");
    app.page.wait_until(
        "return document.querySelector('[data-testid=folder-failure]')?.textContent.includes('unknown')",
        SOON,
    );
    app.screenshot("refused");
    is_shown("two words");
    let opened = stage.start_again(&[Path::new("one").as_os_str(), at("loopdeck", "one").as_ref()]);
    assert!(opened.status.success(), "{opened:?}");
    is_shown("two words,one");
}

#[test]
fn a_person_lets_it_start_at_sign_in_and_takes_that_back() {
    let stage = Stage::new("sign-in");
    let app = stage.open(&[]);
    let entry = stage.folder().join(".config/autostart/loopdeck.desktop");
    app.page.find("#app > *"); // from then on it hears keys
    app.page.press(&[keys::CONTROL, ","]);
    app.page.click("[data-testid=set-sign-in]");
    let text = eventually("the entry", || fs::read_to_string(&entry).ok());
    let data_dir = stage.data_dir();
    assert!(
        text.contains("loopdeck-desktop\" --data-dir \"") && text.contains(&*data_dir.to_string_lossy()),
        "{text}"
    );
    app.screenshot("on");
    app.page.wait_until("return document.querySelector('[data-testid=set-sign-in]').checked", SOON);
    app.page.click("[data-testid=set-sign-in]");
    eventually("no entry", || (!entry.exists()).then_some(()));
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
    // Where a way out is open, the page is gone and nothing answers.
    app.page.execute(
        "for (const way of ['https://example.org/', 'data:text/html,x', 'file:///etc/hostname']) {\
             window.open(way);\
             const link = Object.assign(document.createElement('a'), { href: way, download: 'x' });\
             document.body.append(link);\
             link.click();\
             location.href = way;\
         }",
        &[],
    );
    app.page.press(&[keys::CONTROL, "k"]);
    app.page.find("[data-testid=palette] input");
    assert_eq!(app.page.execute("return location.origin", &[]), "tauri://localhost");
}

#[test]
fn without_a_display_one_sentence_names_what_works_without_one() {
    let stage = Stage::new("no-display");
    fs::create_dir(stage.folder().join("one")).expect("a folder");
    let app = stage.program().to_owned();
    let command_line = app.with_file_name("loopdeck");
    let none = |command: &mut Command| {
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    };
    let wayland = |command: &mut Command| {
        command.env("GDK_BACKEND", "wayland");
    };
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    for output in [
        stage.start_without_display(&command_line, none),
        stage.start_without_display(&app, |command| none(command.arg("one"))),
        stage.start_without_display(&app, wayland),
    ] {
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = said(&output);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("loopdeck list DIR") && !said.contains("panicked"), "{said}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    let listed = stage.start_by_command_line(&["list".as_ref(), "one".as_ref()]);
    assert!(listed.status.success(), "{listed:?}");
    assert!(!stage.data_dir().join("settings.json").exists(), "nothing is begun");
}
