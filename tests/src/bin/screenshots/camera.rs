//! Moves through the window and takes pictures.

use crate::look::Look;
use loopdeck_tests::window::{App, keys::ESCAPE};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(30);

/// Nothing is in progress: the requested content is there, and nothing moves. The page of parts shows what
/// loading looks like. Endless animations, such as the sign of a running agent, are held at their start.
const AT_REST: &str = "\
    const endless = (one) => one.effect?.getTiming().iterations === Infinity;\
    const moving = document.getAnimations();\
    moving.filter(endless).forEach((one) => { one.pause(); one.currentTime = 0; });\
    return document.querySelector('[aria-busy=true]:not([data-testid=parts-page] *)') === null \
    && document.querySelector('[data-testid=graph]:not([data-drawn=true])') === null \
    && moving.every(endless)";

/// Where the pointer rests (everything is pressed without it): nothing reacts to it there.
pub(crate) const CALM: &str = "nav .brand";

/// The window, the folder of its pictures, and the part that is on screen.
pub(crate) struct Camera<'a> {
    /// The window.
    pub(crate) app: &'a App<'a>,
    /// How many pictures were kept.
    pub(crate) taken: usize,
    folder: PathBuf,
    /// Only parts whose name contains it.
    only: String,
    part: String,
    /// Leaves out the ends of long views, because other looks show the same there.
    without_ends: bool,
    /// The key of the loop on screen.
    pub(crate) key: String,
    /// Something to press was missing, so what follows would show something else.
    lost: bool,
}

impl<'a> Camera<'a> {
    pub(crate) fn new(app: &'a App<'a>, look: &Look, folder: PathBuf, only: String) -> Self {
        app.page.hover(CALM);
        Self {
            app,
            taken: 0,
            folder,
            only,
            part: String::new(),
            without_ends: !look.has_ends(),
            key: String::new(),
            lost: false,
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts a new part of the window; returns whether it is wanted.
    pub(crate) fn begin(&mut self, part: &str) -> bool {
        part.clone_into(&mut self.part);
        self.lost = !part.contains(&self.only);
        !self.lost
    }

    /// Recovers after something was missing.
    pub(crate) fn anew(&mut self) {
        self.lost = !self.part.contains(&self.only);
    }

    /// Presses the element for `css`; if there is none, pictures are left out until [`Camera::anew`].
    pub(crate) fn click(&mut self, css: &str) -> &mut Self {
        self.lost = self.lost || !self.waits_for(css);
        if !self.lost {
            self.app.page.execute(
                "document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' })",
                &[css.into()],
            );
            self.app.page.execute("document.querySelector(arguments[0]).click()", &[css.into()]);
        }
        self
    }

    /// Leaves pictures out until [`Camera::anew`] if there is no element for `css` now, for parts that come
    /// with their surroundings.
    pub(crate) fn only_with(&mut self, css: &str) -> &mut Self {
        if !self.lost {
            self.rest();
            self.lost = self.app.page.count(css) == 0;
        }
        self
    }

    /// Whether something to press was missing.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Focuses the element for `css`, then presses `keys`.
    pub(crate) fn press_in(&mut self, css: &str, keys: &[&str]) -> &mut Self {
        self.lost = self.lost || !self.waits_for(css);
        if !self.lost {
            self.app.page.execute("document.querySelector(arguments[0]).focus()", &[css.into()]);
            self.app.page.press(keys);
        }
        self
    }

    /// Waits a moment for something that may be missing with this data.
    fn waits_for(&self, css: &str) -> bool {
        self.rest();
        let there = format!("return document.querySelector({}) !== null", json!(css));
        self.app.page.holds_within(&there, Duration::from_millis(700))
    }

    /// Waits for the element for `css`, because some content opens only after an answer.
    pub(crate) fn sees(&mut self, css: &str) -> &mut Self {
        self.waits_until(&format!("document.querySelector({}) !== null", json!(css)))
    }

    /// Waits until `condition`, an expression, is true; if it never is, pictures are left out until
    /// [`Camera::anew`].
    pub(crate) fn waits_until(&mut self, condition: &str) -> &mut Self {
        if !self.lost && !self.app.page.holds_within(&format!("return {condition}"), SOON) {
            println!("{}: never: {condition}", self.folder.display());
            self.lost = true;
        }
        self
    }

    fn rest(&self) {
        if !self.app.page.holds_within(AT_REST, SOON) {
            println!("{}: never at rest: {}", self.folder.display(), self.part);
        }
    }

    /// Takes a picture of the current screen.
    pub(crate) fn keep(&mut self, name: &str) -> &mut Self {
        if self.lost {
            return self;
        }
        self.rest();
        let picture = self.app.screenshot("last");
        fs::copy(picture, self.folder.join(format!("{name}.png"))).expect("a picture");
        self.taken += 1;
        self
    }

    /// Takes a picture of the end of a long tab, if it needs more than one view.
    pub(crate) fn keep_end(&mut self, name: &str) -> &mut Self {
        self.keep_end_in("main", name)
    }

    /// Takes a picture of the end of the content of `css`, if it needs more than one view.
    pub(crate) fn keep_end_in(&mut self, css: &str, name: &str) -> &mut Self {
        let script = "const outer = document.querySelector(arguments[0]);\
            const sheet = [outer, ...(outer?.querySelectorAll('*') ?? [])]\
              .find((one) => one?.clientHeight > 200 && one.scrollHeight > one.clientHeight * 1.2 && ['auto', 'scroll'].includes(getComputedStyle(one).overflowY));\
            if (!sheet) return false;\
            sheet.scrollTop = sheet.scrollHeight;\
            return true;";
        if !self.lost && !self.without_ends && self.app.page.execute(script, &[css.into()]) == true {
            self.keep(name);
        }
        self
    }

    /// Takes pictures of a dialog and its end, then closes it.
    pub(crate) fn keep_in_dialog(&mut self, css: &str, name: &str) -> &mut Self {
        if !self.lost && self.waits_for(css) {
            self.keep(name);
            self.keep_end_in(css, &format!("{name}-end"));
            self.close(css, name);
        }
        self
    }

    /// Takes a picture of an overlay, then closes it.
    pub(crate) fn keep_and_close(&mut self, css: &str, name: &str) -> &mut Self {
        if !self.lost && self.waits_for(css) {
            self.keep(name);
            self.close(css, name);
        }
        self
    }

    /// Closes an overlay.
    pub(crate) fn close(&self, css: &str, name: &str) {
        self.app.page.press(&[ESCAPE]);
        let gone = format!("return document.querySelector({}) === null", json!(css));
        if !self.app.page.holds_within(&gone, Duration::from_secs(5)) {
            println!("{}: {name} stays open", self.folder.display());
        }
    }
}
