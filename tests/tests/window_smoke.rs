//! The app opens, shows its page, and there is only one of it per data folder.
#![cfg(feature = "window")]

use std::path::Path;
use std::time::Duration;

use loopdeck_tests::window::Stage;
use serde_json::json;

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
    let app = stage.open(&[Path::new("/one").as_os_str()]);
    let second = stage.start_again(&[Path::new("two").as_os_str()]);
    assert!(second.status.success(), "{second:?}");
    let two = stage.folder().canonicalize().expect("the folder").join("two");
    assert_eq!(app.page.invoke("startup", &json!({}))["workspaces"], json!(["/one", two]));
}

#[test]
fn the_page_cannot_reach_plugins_or_other_origins() {
    let stage = Stage::new("closed-doors");
    let app = stage.open(&[]);
    app.page.find("#app > *");
    let refused = app.page.execute_async(
        "const [done] = arguments;\
         const tries = ['plugin:dialog|open', 'plugin:opener|open_url', 'plugin:window|close', 'plugin:event|listen']\
            .map((command) => window.__TAURI_INTERNALS__.invoke(command, { url: 'https://example.org' }));\
         Promise.allSettled(tries).then((all) => done(all.map((one) => one.status)));",
        &[],
    );
    assert_eq!(refused, json!(["rejected", "rejected", "rejected", "rejected"]));
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
