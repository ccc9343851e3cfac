//! Keys that belong to an input method, in the real window: none of them is a shortcut.

use loopdeck_tests::window::loops::SOON;
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::{Value, json};

/// Sends the field that has the focus what an input method sends: during a composition, and the key that ends it, which
/// `WebKit` sends afterwards (bug 165004). Returns the keys that the page took, the field's text, and whether it has the
/// focus.
const COMPOSE: &str = "\
const field = document.activeElement;
const taken = [];
for (const isComposing of [true, false]) {
  for (const key of ['Enter', 'ArrowDown', 'ArrowUp', 'Escape', 'Tab', 'k', '/']) {
    const event = new KeyboardEvent('keydown', { key, isComposing, keyCode: 229, bubbles: true, cancelable: true });
    field.dispatchEvent(event);
    if (event.defaultPrevented) taken.push(key);
  }
}
return [taken, field.value, document.activeElement === field];";

fn compose(app: &App<'_>) -> Value {
    app.page.execute(COMPOSE, &[])
}

#[test]
fn keys_of_an_input_method_are_no_shortcuts() {
    let stage = Stage::new("composition");
    let app = stage.open(&[]);
    let page = &app.page;
    page.click("[data-testid=open-sample]");
    page.wait_until("return document.querySelectorAll('[data-testid=loop-row]').length >= 5", SOON);

    page.fill("[data-testid=filter]", "xin");
    assert_eq!(compose(&app), json!([[], "xin", true]));
    assert_eq!(page.count("[data-testid=palette]"), 0);

    page.press(&[keys::ESCAPE]); // leaves the filter, and empties it
    page.press(&[keys::CONTROL, "k"]);
    page.find("[data-testid=palette] input");
    page.type_text("overview");
    assert_eq!(compose(&app), json!([[], "overview", true]));
    assert_eq!(page.count("[data-testid=palette]"), 1);
    page.press(&[keys::ESCAPE]);
    page.wait_until("return !document.querySelector('[data-testid=palette]')", SOON);

    page.click("[data-testid=start-loop]");
    page.fill("[data-testid=goal]", "Ship it");
    assert_eq!(compose(&app), json!([[], "Ship it", true]));
    assert_eq!(page.count("[data-testid^=wrong-]"), 0, "the form was not sent");
    page.press(&[keys::ENTER]);
    page.wait_until("return document.querySelector('[data-testid^=wrong-]') !== null", SOON);
}
