//! Takes the pictures of the README from the real window: `cargo xtask screenshots`.
//!
//! An argument is a folder for a larger set (every theme, language and size, with all dialogs), to look at before a
//! release; a second one takes only the looks whose name contains it, such as `dark` or `ja-small`.

use loopdeck_tests::window::keys::{CONTROL, ESCAPE};
use loopdeck_tests::window::{App, Stage};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

struct Look {
    theme: &'static str,
    language: &'static str,
    size: (u32, u32),
}

impl Look {
    /// `light`, `dark-ja`, `light-zh-CN-small`.
    fn name(&self) -> String {
        let language = if self.language == "en" { String::new() } else { format!("-{}", self.language) };
        let size = if self.size.0 < 1_000 { "-small" } else { "" };
        format!("{}{language}{size}", self.theme)
    }
}

fn main() {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let (to, looks) = match &folder {
        Some(folder) => (folder.clone(), every_look()),
        None => (xtask::workspace::root().join("docs/screenshots"), readme_looks()),
    };
    fs::create_dir_all(&to).expect("a folder for the pictures");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for look in looks.into_iter().filter(|look| look.name().contains(&wanted)) {
        take(&look, &to, folder.is_some());
    }
}

fn readme_looks() -> Vec<Look> {
    let themes = ["light", "dark"].into_iter();
    let look = |theme| ["en", "zh-CN"].map(|language| Look { theme, language, size: (1280, 800) });
    themes.flat_map(look).collect()
}

fn every_look() -> Vec<Look> {
    let mut looks = Vec::new();
    for theme in ["light", "dark", "contrast-light", "contrast-dark"] {
        for language in ["en", "zh-CN", "ja"] {
            for size in [(1280, 800), (900, 600)] {
                looks.push(Look { theme, language, size });
            }
        }
    }
    looks
}

fn take(look: &Look, to: &Path, every_tab: bool) {
    let stage = Stage::new("pictures");
    let settings = json!({ "settings": { "theme": look.theme, "language": look.language } });
    fs::create_dir_all(stage.data_dir()).expect("a data folder");
    fs::write(stage.data_dir().join("settings.json"), settings.to_string()).expect("settings");
    let app = stage.open(&[]);
    app.page.resize(look.size.0, look.size.1);
    if every_tab {
        app.page.find("[data-testid=open-sample]");
        keep(&app, look, to, "first-start");
    }
    app.page.click("[data-testid=open-sample]");
    app.page.wait_until("return document.querySelectorAll('[data-testid=loop-row]').length >= 5", SOON);
    app.page.hover(CALM);
    keep(&app, look, to, "list");
    let loops: &[(&str, &str, &[&str])] = if every_tab { ALL_TABS } else { README_TABS };
    for (name, id, tabs) in loops {
        open_loop(&app, id);
        for tab in *tabs {
            app.page.click(&format!("[data-testid=tab-{tab}]"));
            app.page.wait_until(&format!("return document.querySelector('[data-testid=tab-{tab}]').getAttribute('aria-selected') === 'true'"), SOON);
            app.page.hover(CALM);
            keep(&app, look, to, &format!("{name}-{tab}"));
            if every_tab && scrolled_to_end(&app) {
                keep(&app, look, to, &format!("{name}-{tab}-end"));
            }
        }
        app.page.click("[data-testid=nav-loops]");
    }
    if every_tab {
        keep_dialogs(&app, look, to);
    }
}

type Tabs = &'static [(&'static str, &'static str, &'static [&'static str])];

const EVERY: &[&str] = &["overview", "work", "debug", "tests", "activity", "documents", "source", "history"];

/// A paused loop: nearly every verb is legal.
const RESTING: &str = "loop-v2-20261118T100000-19ab77c3";
const README_TABS: Tabs = &[
    ("loop", "loop-v2-20261120T091500-7c41e0aa", &["debug", "tests", "activity"]),
    ("loop-b", "loop-b-20261120T090000-k3v9x2ab", &["work"]),
    ("aot", "aot-loop-state", &["work"]),
];
const ALL_TABS: Tabs = &[
    ("loop-v2", "loop-v2-20261120T091500-7c41e0aa", EVERY),
    ("loop-b", "loop-b-20261120T090000-k3v9x2ab", EVERY),
    ("aot", "aot-loop-state", EVERY),
    ("damaged", "loop-v2-20261117T200000-e27d51bc", &["overview", "source"]),
];

/// Where the pointer rests: nothing reacts to it there.
const CALM: &str = "nav .brand";

/// Shows the end of a long tab; whether there was more than one view of it.
fn scrolled_to_end(app: &App<'_>) -> bool {
    let script = "const sheet = document.querySelector('main .sheet') ?? document.querySelector('main .text');\
        if (!sheet || sheet.scrollHeight < sheet.clientHeight * 1.2) return false;\
        sheet.scrollTop = sheet.scrollHeight;\
        return true;";
    app.page.execute(script, &[]) == true
}

/// Opens a loop through the filter, as the row may be out of sight.
fn open_loop(app: &App<'_>, id: &str) {
    app.page.fill("[data-testid=filter]", id);
    app.page.click(&format!("[data-testid=loop-row][data-key*='{id}'] .title"));
    app.page.find("[data-testid=tab-overview]");
}

fn keep(app: &App<'_>, look: &Look, to: &Path, what: &str) {
    let name = format!("{what}-{}.png", look.name());
    fs::copy(app.screenshot("last"), to.join(name)).expect("a picture");
}

/// Everything that opens on top of the window, each closed again with Escape.
fn keep_dialogs(app: &App<'_>, look: &Look, to: &Path) {
    let opened = |css: &str, what: &str| {
        app.page.find(css);
        app.page.wait_until("return document.getAnimations().length === 0", SOON);
        keep(app, look, to, what);
        app.page.press(&[ESCAPE]);
        app.page.wait_until(&format!("return document.querySelector({css:?}) === null"), SOON);
    };
    app.page.click("[data-testid=loop-row] .title");
    app.page.click("[data-testid=back]");
    app.page.press(&["?"]);
    opened("[data-testid=keys-dialog]", "keys");
    app.page.press(&[CONTROL, "k"]);
    opened("[data-testid=palette]", "palette");
    app.page.press(&[CONTROL, ","]);
    opened("[data-testid=settings-dialog]", "settings");
    app.page.click("[data-testid=columns]");
    opened("[role=menu]", "columns");
    app.page.click("[data-testid=loop-row] [aria-haspopup=menu]");
    opened("[role=menu]", "row-menu");
    open_loop(app, RESTING);
    for (button, dialog, what) in [
        ("control-stop", "verb-dialog", "stop"),
        ("control-resume", "verb-dialog", "resume"),
        ("control-edit_metadata", "metadata-dialog", "metadata"),
        ("control-delete", "delete-dialog", "delete"),
    ] {
        app.page.click(&format!("[data-testid={button}]"));
        opened(&format!("[data-testid={dialog}]"), what);
    }
    app.page.click("[data-testid=nav-loops]");
}
