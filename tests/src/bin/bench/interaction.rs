//! What a person waits for after a click or a key: opening a loop, switching its tabs, the palette. Compared
//! with a frame at rest.

use crate::report::{Report, percentile};
use crate::views::{PAINTED, PATIENCE, frame_at_rest, numbers, window_of_10_000};
use loopdeck_tests::window::{App, Stage};
use serde_json::json;
use std::path::Path;

/// At most this many frames until the result is on screen.
const FRAMES: f64 = 3.0;
/// How often each action is repeated.
const TIMES: u32 = 20;

/// `when(there, then)` calls `then` once `there()` holds and is painted.
const WHEN: &str = "const when = (there, then) => {\
      const look = () => there() ? painted(then) : requestAnimationFrame(look); look(); };";

/// Opens loops from the list of 10,000, switches every tab of the sample's loops and opens the palette.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    measure_among_many(report, &window_of_10_000(folder));
    measure_tabs(report);
}

fn measure_among_many(report: &mut Report, workspace: &Path) {
    let stage = Stage::new("bench-interaction");
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.wait_until("return document.querySelector('[data-loops]')?.dataset.loops === '10000'", PATIENCE);
    let rest = frame_at_rest(&app);
    Report::note("frame at rest, p95", rest, "ms");
    limit(report, "a loop opened from the list of 10,000", open_loops(&app, TIMES), rest);
    limit(report, "the palette opened above 10,000 loops", open_palette(&app), rest);
}

fn measure_tabs(report: &mut Report) {
    let stage = Stage::new("bench-tabs");
    let app = stage.open(&[]);
    app.page.click("[data-testid=open-sample]");
    app.page.find("[data-testid=loop-row]");
    let rest = frame_at_rest(&app);
    Report::note("frame at rest, p95", rest, "ms");
    for (format, title) in
        [("Loop v2", "Rate-limit the login endpoint"), ("AoT", "Checkout: JWT or session tokens")]
    {
        let open = "[...document.querySelectorAll('[data-testid=loop-row] .title')]\
            .find((one) => one.textContent.trim() === arguments[0]).click()";
        app.page.execute(open, &[json!(title)]);
        app.page.find("[data-testid=panel-overview]");
        for (tab, times) in switch_tabs(&app) {
            limit(report, &format!("{format}: a switch to {tab}"), times, rest);
        }
        app.page.click("[data-testid=nav-loops]");
        app.page.find("[data-testid=loop-row]");
    }
}

fn limit(report: &mut Report, what: &str, mut times: Vec<f64>, rest: f64) {
    let figure = percentile(&mut times, 0.95) / rest;
    report.limit(&format!("{what}, p95 / frame at rest"), figure, FRAMES, "x");
}

fn script(body: &str) -> String {
    format!("const [count, done] = arguments; const times = []; {PAINTED} {WHEN} {body}")
}

/// Milliseconds from the click on a row until the loop's facts are painted, so many times.
pub(crate) fn open_loops(app: &App<'_>, times: u32) -> Vec<f64> {
    let body = script(
        "const next = () => {\
          if (times.length === count) { done(times); return; }\
          const rows = document.querySelectorAll('[data-testid=loop-row] .title');\
          const row = rows[times.length % rows.length];\
          const start = performance.now(); row.click();\
          when(() => document.querySelector('[data-testid=lead]'), () => {\
            times.push(performance.now() - start);\
            document.querySelector('[data-testid=nav-loops]').click();\
            when(() => document.querySelector('[data-testid=loop-row]'), () => setTimeout(next, 100));\
          });\
        };\
        next();",
    );
    numbers(&app.page.execute_async(&body, &[json!(times)]))
}

/// Milliseconds from the key until the palette's field is painted.
fn open_palette(app: &App<'_>) -> Vec<f64> {
    let body = script(
        "const field = () => document.querySelector('[data-testid=palette-input]');\
        const key = (target, key, ctrlKey) =>\
          target.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true,\
            code: key === 'k' ? 'KeyK' : key }));\
        const next = () => {\
          if (times.length === count) { done(times); return; }\
          const start = performance.now(); key(document.body, 'k', true);\
          when(field, () => {\
            times.push(performance.now() - start); key(field(), 'Escape', false);\
            when(() => !field(), () => setTimeout(next, 100));\
          });\
        };\
        next();",
    );
    numbers(&app.page.execute_async(&body, &[json!(TIMES)]))
}

/// Milliseconds from the click on each tab until its panel is painted.
fn switch_tabs(app: &App<'_>) -> Vec<(String, Vec<f64>)> {
    let ids =
        "return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.dataset.testid.slice(4));";
    let ids: Vec<String> = serde_json::from_value(app.page.execute(ids, &[])).expect("the tabs");
    ids.into_iter()
        .map(|tab| {
            let other = if tab == "overview" { "files" } else { "overview" };
            let body = script(
                "const at = (tab) => document.querySelector(`[data-testid=panel-${tab}]`)?.firstElementChild;\
                const go = (tab) => document.querySelector(`[data-testid=tab-${tab}]`).click();\
                const next = () => {\
                  if (times.length === count) { done(times); return; }\
                  go('OTHER'); when(() => at('OTHER'), () => setTimeout(() => {\
                    const start = performance.now(); go('TAB');\
                    when(() => at('TAB'), () => { times.push(performance.now() - start); next(); });\
                  }, 100));\
                };\
                next();",
            );
            let body = body.replace("OTHER", other).replace("TAB", &tab);
            let times = numbers(&app.page.execute_async(&body, &[json!(TIMES)]));
            (tab, times)
        })
        .collect()
}
