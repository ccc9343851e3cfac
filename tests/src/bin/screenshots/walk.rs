//! The route through the window: its views, and how to reach them.

use crate::camera::{CALM, Camera};
use crate::extreme;
use crate::look::Amount;
use crate::parts;
use crate::small;
use loopdeck_tests::window::keys::CONTROL;
use std::time::Duration;

const START: Duration = Duration::from_secs(120);

/// A loop to visit: the name of its pictures, a part of its key, its views.
pub(crate) type Visit = (&'static str, &'static str, fn(&mut Camera<'_>, &str));

/// A paused loop: nearly every verb is legal.
const RESTING: &str = "loop-v2-20261118T100000-19ab77c3";

const TYPICAL: &[Visit] = &[
    ("loop-v2", "loop-v2-20261120T091500-7c41e0aa", parts::every_part),
    ("loop-b", "loop-b-20261120T090000-k3v9x2ab", parts::every_part),
    ("aot", "aot-loop-state", parts::every_part),
    ("legacy", "LOOP-fix-the-cart-badge", parts::every_part),
    ("damaged", "loop-v2-20261117T200000-e27d51bc", parts::damaged),
    ("resting", RESTING, parts::history),
    ("dialogs", RESTING, parts::dialogs),
];

/// Every view, with this amount of data.
pub(crate) fn every_view(camera: &mut Camera<'_>, amount: Amount) {
    if amount == Amount::Typical {
        camera.app.page.click("[data-testid=open-sample]");
    }
    let (visits, loops) = match amount {
        Amount::Small => (small::VISITS, small::LOOPS),
        Amount::Typical => (TYPICAL, 10),
        Amount::Extreme => (extreme::VISITS, extreme::LOOPS),
    };
    let there = format!("return Number(document.querySelector('[data-loops]')?.dataset.loops) >= {loops}");
    camera.app.page.wait_until(&there, START);
    camera.app.page.hover(CALM);
    lists(camera);
    for (name, id, visit) in visits {
        if camera.begin(name) {
            open(camera, id);
            visit(camera, name);
            camera.app.page.click("[data-testid=nav-loops]");
        }
    }
    for_leads(camera);
    over_the_window(camera);
}

/// What is about many loops: overview, trends, rules, report, comparison, search.
fn for_leads(camera: &mut Camera<'_>) {
    if !camera.begin("leads") {
        return;
    }
    camera.click("[data-testid=loop-row] [aria-haspopup=menu]").click("[data-testid=menu-more]");
    camera.click("[data-testid=menu-compare]");
    camera.keep_in_dialog("[data-testid=compare-dialog]", "compare");
    camera.anew();
    camera.click("[data-testid=nav-overview]");
    counted(camera).keep("overview").keep_end("overview-end");
    camera.click("[data-testid=open-rules]").keep_and_close("[data-testid=rules-dialog]", "rules");
    camera.anew();
    camera.click("[data-testid=write-report]").keep_and_close("[data-testid=report-dialog]", "report");
    camera.anew();
    camera.click("[data-testid=segment-trends]").keep("trends").keep_end("trends-end");
    camera.anew();
    camera.click("[data-testid=nav-search]").keep("search-empty");
    camera.app.page.fill("[data-testid=search-page] input", "login");
    camera.sees("[data-testid=found-loop]").keep("search").keep_end("search-end");
    camera.anew();
    camera.click("[data-testid=nav-loops]");
}

/// Every loop that the overview shows has its facts.
fn counted<'c, 'a>(camera: &'c mut Camera<'a>) -> &'c mut Camera<'a> {
    camera.waits_until("document.querySelector('[data-testid=overview-section]') !== null")
}

/// The views that the README shows.
pub(crate) fn readme(camera: &mut Camera<'_>) {
    camera.app.page.click("[data-testid=open-sample]");
    camera
        .app
        .page
        .wait_until("return document.querySelectorAll('[data-testid=loop-row]').length >= 5", START);
    camera.begin("list");
    camera.keep("list");
    for (name, id, tabs) in [
        ("loop-v2", "loop-v2-20261120T091500-7c41e0aa", &["debug", "tests", "activity"] as &[&str]),
        ("loop-b", "loop-b-20261120T090000-k3v9x2ab", &["work"]),
        ("aot", "aot-loop-state", &["work"]),
    ] {
        camera.begin(name);
        open(camera, id);
        for tab in tabs {
            camera.click(&format!("[data-testid=tab-{tab}]"));
            let ending = if name == "aot" { "-graph" } else { "" };
            camera.keep(&format!("{name}-{tab}{ending}"));
        }
        camera.app.page.click("[data-testid=nav-loops]");
    }
    camera.begin("leads");
    camera.click("[data-testid=nav-overview]");
    counted(camera).keep("overview");
    camera.click("[data-testid=nav-loops]");
}

fn lists(camera: &mut Camera<'_>) {
    camera.begin("list");
    camera.keep("list").keep_end("list-end");
    camera.click("[data-testid=chip-problem]").keep("list-problems");
    camera.anew();
    camera.click("[data-testid=nav-loops]");
    camera.app.page.fill("[data-testid=filter]", "nothing-is-called-this");
    camera.keep("list-no-match");
    camera.click("main .empty button");
    camera.app.page.execute("document.activeElement.blur()", &[]);
    camera.anew();
    camera.click("[data-testid=columns]").keep_and_close("[role=menu]", "columns");
    camera.anew();
    camera.click("[data-testid=loop-row] [aria-haspopup=menu]").keep_and_close("[role=menu]", "row-menu");
}

/// Overlays above any view.
fn over_the_window(camera: &mut Camera<'_>) {
    if !camera.begin("window") {
        return;
    }
    camera.press_in("[data-testid=loop-list], [data-testid=loop-row]", &["?"]);
    camera.keep_and_close("[data-testid=keys-dialog]", "keys");
    camera.anew();
    camera.app.page.press(&[CONTROL, "k"]);
    camera.keep_and_close("[data-testid=palette]", "palette");
    camera.app.page.press(&[CONTROL, "k"]);
    camera.app.page.find("[data-testid=palette-input]");
    let words = camera.app.page.execute("return document.documentElement.lang", &[]);
    camera.app.page.type_text(match words.as_str() {
        Some("zh-CN") => "主题",
        Some("ja") => "テーマ",
        _ => "theme",
    });
    camera.keep_and_close("[data-testid=palette]", "palette-found");
}

/// Opens a loop through the filter, because its row may be off screen.
pub(crate) fn open(camera: &mut Camera<'_>, id: &str) {
    let page = &camera.app.page;
    page.fill("[data-testid=filter]", id);
    page.wait_until(
        &format!("return document.querySelector('[data-testid=loop-row][data-key*=\"{id}\"]') !== null"),
        START,
    );
    let row = format!("[data-testid=loop-row][data-key*='{id}']");
    let key = page.execute("return document.querySelector(arguments[0]).dataset.key", &[row.clone().into()]);
    page.click(&format!("{row} .title"));
    page.wait_until("return document.querySelector('[data-testid=tab-overview]') !== null", START);
    page.hover(CALM);
    camera.key = key.as_str().unwrap_or_default().to_owned();
}
