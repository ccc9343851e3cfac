//! The foundations of the other window tests work: keys, clicks, waiting, sizes.

use std::time::Duration;

use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{Stage, keys};

const FORM: &str = "\
document.body.innerHTML = '<input id=name><button id=go>Go</button><p id=said></p>';
document.querySelector('#go').onclick = () => {
    setTimeout(() => { document.querySelector('#said').textContent = document.querySelector('#name').value; }, 100);
};";

#[test]
fn a_test_can_do_what_a_person_does() {
    let stage = Stage::new("harness");
    let app = stage.open(&[]);
    let page = &app.page;
    page.find("#app > *"); // the page has rendered, so our additions stay
    page.execute(FORM, &[]);

    page.type_into("#name", "hello");
    page.press(&[keys::CONTROL, "a"]);
    page.press(&[keys::BACKSPACE]);
    page.type_text("Wörld 1");
    page.press(&[keys::TAB]);
    assert_eq!(page.execute("return document.activeElement.id", &[]), "go");

    page.click("#go");
    page.wait_until("return document.querySelector('#said').textContent !== ''", SOON);
    assert_eq!(page.text("#said"), "Wörld 1");
    assert!(!page.holds_within("return false", Duration::from_millis(60)));

    page.resize(1000, 700);
    page.wait_until("return innerWidth === 1000 && innerHeight === 700", SOON);
    page.wait_until("return document.hasFocus()", SOON);
    app.screenshot("form");
}
