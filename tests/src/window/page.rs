//! What a test sees and does in the window.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::child::TICK;
use xtask::display::Area;

use super::driver::Driver;

/// The name under which WebDriver returns elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long [`Page::find`] and its callers wait for an element.
const FIND_PATIENCE: Duration = Duration::from_secs(60);

/// Resolves as soon as `CONDITION` holds: checks after every change of the document, and every 50 ms for
/// conditions without such a change.
const WAIT: &str = "\
const [patience, done] = arguments;
const holds = () => { try { return (() => { CONDITION })(); } catch { return false; } };
if (holds()) { done(true); return; }
const finish = (result) => { observer.disconnect(); clearInterval(floor); clearTimeout(end); done(result); };
const look = () => { if (holds()) finish(true); };
const observer = new MutationObserver(look);
observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
const floor = setInterval(look, 50);
const end = setTimeout(() => finish(false), patience);";

/// Two clicks in one place within this time are a double click, and the window ignores the second if the
/// first was on a verb (`REST` in `ui/src/state/verb-guard.ts`). A person takes longer for two separate
/// clicks.
const DOUBLE_CLICK: Duration = Duration::from_millis(600);

/// Two clicks within this distance, in CSS pixels, are in one place.
const ONE_PLACE: f64 = 24.0;

/// The page in the window. Every method fails the test when it does not succeed.
#[derive(Debug)]
pub struct Page {
    driver: Driver,
    session: String,
    /// Where and when the last click was.
    clicked: Cell<Option<(f64, f64, Instant)>>,
}

impl Page {
    pub(super) fn new(driver: Driver, session: String) -> Self {
        let page = Self { driver, session, clicked: Cell::new(None) };
        page.post("/timeouts", &json!({ "script": 100_000 }));
        page
    }

    /// The window's title.
    pub fn title(&self) -> String {
        string(&self.get("/title"))
    }

    /// Runs the body of a function with `args`; its return value must be JSON.
    pub fn execute(&self, script: &str, args: &[Value]) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": args }))
    }

    /// Like [`Page::execute`], but the script returns its value by calling its last argument.
    pub fn execute_async(&self, script: &str, args: &[Value]) -> Value {
        self.post("/execute/async", &json!({ "script": script, "args": args }))
    }

    /// Calls a command of the app and waits for its answer; fails the test when the command fails.
    pub fn invoke(&self, command: &str, args: &Value) -> Value {
        let script = "const [command, args, done] = arguments;\
            window.__TAURI_INTERNALS__.invoke(command, args)\
                .then((ok) => done({ ok }), (error) => done({ error }));";
        let answer = self.execute_async(script, &[command.into(), args.clone()]);
        assert!(answer.get("error").is_none(), "{command}: {}", answer["error"]);
        answer["ok"].clone()
    }

    /// Waits until `condition`, the body of a function, returns a true value.
    pub fn wait_until(&self, condition: &str, patience: Duration) {
        assert!(self.holds_within(condition, patience), "not within {patience:?}: {condition}");
    }

    /// Whether `condition`, the body of a function, returns a true value within `patience`.
    pub fn holds_within(&self, condition: &str, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let script = WAIT.replace("CONDITION", condition);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let body = json!({ "script": script, "args": [left.as_millis()] });
            match self.driver.post(&self.path("/execute/async"), &body) {
                Ok(result) => return result == true,
                Err(error) if left.is_zero() => panic!("cannot wait for {condition}: {error}"),
                Err(_) => thread::sleep(TICK), // the document was just replaced: ask the new one
            }
        }
    }

    /// Waits for the first element that `css` selects; returns its WebDriver id.
    pub fn find(&self, css: &str) -> String {
        let quoted = Value::from(css);
        self.wait_until(&format!("return document.querySelector({quoted}) !== null"), FIND_PATIENCE);
        let found = self.post("/element", &json!({ "using": "css selector", "value": css }));
        string(&found[ELEMENT])
    }

    /// How many elements `css` selects now.
    pub fn count(&self, css: &str) -> u64 {
        let count = self.execute("return document.querySelectorAll(arguments[0]).length", &[css.into()]);
        count.as_u64().expect("a number")
    }

    /// The visible text of the element.
    pub fn text(&self, css: &str) -> String {
        let id = self.find(css);
        string(&self.get(&format!("/element/{id}/text")))
    }

    /// Clicks in the middle of the element, scrolling to it when needed. Two clicks are never a double click.
    pub fn click(&self, css: &str) {
        self.find(css);
        let (x, y) = self.middle(css);
        if let Some((last_x, last_y, at)) = self.clicked.get()
            && (x - last_x).hypot(y - last_y) < ONE_PLACE
        {
            thread::sleep(DOUBLE_CLICK.saturating_sub(at.elapsed()));
        }
        self.click_current(css);
        self.clicked.set(Some((x, y, Instant::now())));
    }

    /// Clicks what `css` selects now. The page may replace an element between finding and clicking it.
    fn click_current(&self, css: &str) {
        let click = |id: &str| self.driver.post(&self.path(&format!("/element/{id}/click")), &json!({}));
        let Err(first) = click(&self.find(css)) else { return };
        if let Err(second) = click(&self.find(css)) {
            panic!("cannot click {css}: {first}; again: {second}");
        }
    }

    /// The middle of the element, after scrolling to it.
    fn middle(&self, css: &str) -> (f64, f64) {
        const MIDDLE: &str = "\
            const element = document.querySelector(arguments[0]);\
            if (element === null) return [-1, -1];\
            element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });\
            const { x, y, width, height } = element.getBoundingClientRect();\
            return [x + width / 2, y + height / 2];";
        let middle = self.execute(MIDDLE, &[css.into()]);
        let number = |at: usize| middle[at].as_f64().unwrap_or(-1.0);
        (number(0), number(1))
    }

    /// Clicks by script, for a click that closes the window: WebDriver would wait for it to be painted.
    pub fn click_and_leave(&self, css: &str) {
        self.find(css);
        let click =
            "const element = document.querySelector(arguments[0]); setTimeout(() => element.click());";
        self.execute(click, &[css.into()]);
    }

    /// Types `text` into the element.
    pub fn type_into(&self, css: &str, text: &str) {
        let id = self.find(css);
        self.post(&format!("/element/{id}/value"), &json!({ "text": text }));
    }

    /// Empties the field and types `text` into it.
    pub fn fill(&self, css: &str, text: &str) {
        let id = self.find(css);
        self.post(&format!("/element/{id}/clear"), &json!({}));
        self.post(&format!("/element/{id}/value"), &json!({ "text": text }));
    }

    /// Moves the pointer to the middle of the element.
    pub fn hover(&self, css: &str) {
        let id = self.find(css);
        let to = json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": { ELEMENT: id } });
        self.post("/actions", &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": [to] }] }));
    }

    /// Presses `keys` together (in order, released in reverse) wherever the focus is: `&[CONTROL, "k"]`.
    pub fn press(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        let actions: Vec<Value> = down.chain(up).collect();
        self.post(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }),
        );
    }

    /// Types `text` letter by letter wherever the focus is.
    pub fn type_text(&self, text: &str) {
        for letter in text.chars() {
            self.press(&[letter.encode_utf8(&mut [0; 4])]);
        }
    }

    /// Gives the window this size in pixels.
    pub fn resize(&self, width: u32, height: u32) {
        self.post("/window/rect", &json!({ "width": width, "height": height }));
    }

    /// The position of the window, once all changes of the page so far are painted.
    pub(super) fn painted_area(&self) -> Area {
        let two_frames = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0](null)))";
        self.execute_async(two_frames, &[]);
        let rect = self.get("/window/rect");
        let number = |key: &str| rect[key].as_f64().unwrap_or_else(|| panic!("no {key} in {rect}")) as i32;
        let extent = |key: &str| number(key).unsigned_abs();
        Area { x: number("x"), y: number("y"), width: extent("width"), height: extent("height") }
    }

    /// Closes the window and with it the app.
    pub(super) fn close(&self) {
        let _ = self.driver.delete(&self.session); // the app may already have ended
    }

    fn path(&self, command: &str) -> String {
        format!("{}{command}", self.session)
    }

    fn get(&self, command: &str) -> Value {
        self.driver.get(&self.path(command)).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    fn post(&self, command: &str, body: &Value) -> Value {
        self.driver
            .post(&self.path(command), body)
            .unwrap_or_else(|error| panic!("{command} {body}: {error}"))
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}
