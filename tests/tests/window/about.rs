//! The page about Loopdeck in the real window: what it shows is in the program.

use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::loops::wait_for_text;
use loopdeck_tests::window::{Stage, keys};

#[test]
fn changes_and_licences_are_in_the_program() {
    let stage = Stage::new("about");
    let app = stage.open(&[]);
    app.page.find("#app > *");
    app.page.press(&[keys::CONTROL, ","]);
    app.page.click("[data-testid=settings-about]");
    wait_for_text(&app, "[data-testid=about-version]", env!("CARGO_PKG_VERSION"));
    wait_for_text(&app, "[data-testid=changes]", "0.1.0");
    app.page.click("[data-testid=about-licences]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=third-party]').length > 100", SOON);
    app.screenshot("licences");
}
