//! The views in the real window: how long they take to open and how smoothly they move, compared with an
//! empty page's frames.

use crate::corpus;
use crate::report::{Report, percentile};
use loopdeck_tests::window::{App, Stage};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const TESTS: usize = 100_000;

/// A run of 100,000 tests: opened, scrolled.
pub(crate) fn measure_tests(report: &mut Report, folder: &Path) {
    let workspace = folder.join("tests");
    write(&workspace, &format!(".workflow/.loop/{LOOP}.json"), &tests_master());
    let stage = Stage::new("bench-tests");
    let app = opened(&stage, &workspace);
    let rest = p95(&app, "'body'", "0");
    app.page.click("[data-testid=tab-overview]");
    let took = switch(&app, "tab-tests", "[data-testid=test-line]");
    report.limit("100,000 tests: from the click to the first rows", took, 300.0, "ms");
    let scrolling = p95(&app, "'[data-testid=test-panel] [role=treegrid], [role=treegrid]'", "120");
    Report::note("frame at rest, p95", rest, "ms");
    report.limit("frame while scrolling 100,000 tests, p95 / at rest", scrolling / rest, 2.0, "x");
    let rows = app.page.count("[data-testid=test-line]");
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    report.limit("test rows in the document", rows as f64, 120.0, "");
}

/// Work graphs of 2,000 and 5,000 atoms: opened, panned.
pub(crate) fn measure_graphs(report: &mut Report, folder: &Path) {
    for (atoms, limit) in [(2_000, 500.0), (5_000, 1_500.0)] {
        let workspace = folder.join(format!("graph-{atoms}"));
        write(&workspace, ".claude/aot-loop-state.md", &plan(atoms));
        let stage = Stage::new(&format!("bench-graph-{atoms}"));
        let app = opened(&stage, &workspace);
        let rest = p95(&app, "'body'", "0");
        // Large graphs show the outline first; the choice of the graph is remembered.
        app.page.click("[data-testid=tab-work]");
        app.page.click("[data-testid=work-view-graph]");
        app.page.find("[data-testid=graph] canvas");
        app.page.click("[data-testid=tab-overview]");
        let took = switch(&app, "tab-work", "[data-testid=graph][data-drawn=true]");
        report.limit(&format!("{atoms} atoms: from the click to the drawn graph"), took, limit, "ms");
        let panning = pan(&app);
        report.limit(&format!("frame while panning {atoms} atoms, p95 / at rest"), panning / rest, 2.0, "x");
        let (changing, drawn) = follow(&app, &workspace, atoms);
        let what = format!("frame while {PER_SECOND} of {atoms} atoms change each second, p95 / at rest");
        report.limit(&what, changing / rest, 2.0, "x");
        let what = format!(
            "from a write to the unit drawn anew, slowest of {}, {atoms} atoms",
            PER_SECOND * SECONDS
        );
        report.limit(&what, drawn, DRAWN_WITHIN, "ms");
    }
}

/// Atoms that change each second, and for how many seconds.
const PER_SECOND: usize = 20;
const SECONDS: usize = 4;
/// How soon a unit shows what was written to the file, in milliseconds: windows are notified ten times a
/// second.
const DRAWN_WITHIN: f64 = 500.0;

/// A unit that was set to resolved, or back to pending, and when: milliseconds since 1970.
struct Change {
    unit: String,
    resolved: bool,
    at: f64,
}

/// Frame times while visible units are resolved and reset one after the other, and the longest time until one
/// of them is drawn in its new state. In the end the graph shows all of them.
fn follow(app: &App<'_>, workspace: &Path, atoms: usize) -> (f64, f64) {
    let file = workspace.join(".claude/aot-loop-state.md");
    let shown = "const graph = document.querySelector('[data-testid=graph]').getBoundingClientRect();\
        return [...document.querySelectorAll('[data-testid=graph] [data-unit]')].filter((unit) => {\
          const box = unit.getBoundingClientRect();\
          return box.left > graph.left && box.right < graph.right && box.top > graph.top && box.bottom < graph.bottom;\
        }).map((unit) => unit.dataset.unit);";
    let units: Vec<String> = serde_json::from_value(app.page.execute(shown, &[])).expect("the units in view");
    assert!(units.len() > 4, "so many units are in view: {}", units.len());
    let writing = std::thread::spawn(move || resolve_in_turn(&file, &units));
    let script = "const [seconds, done] = arguments; const times = [], drawn = []; PAINTED\
        const observer = new MutationObserver((changes) => {\
          for (const { target } of changes) if (target.dataset.unit) {\
            const change = [target.dataset.unit, target.classList.contains('resolved')];\
            painted(() => drawn.push([...change, Date.now()]));\
          }\
        });\
        const graph = document.querySelector('[data-testid=graph]');\
        observer.observe(graph, { subtree: true, attributes: true, attributeFilter: ['class'] });\
        const from = performance.now(); let last = from;\
        const end = () => { observer.disconnect(); done([times.slice(5), drawn]); };\
        const frame = (now) => {\
          times.push(now - last); last = now;\
          if (now - from < seconds * 1000) requestAnimationFrame(frame); else setTimeout(end, 3000);\
        };\
        requestAnimationFrame(frame);";
    let told = app.page.execute_async(&script.replace("PAINTED", PAINTED), &[json!(SECONDS)]);
    let (changes, resolved) = writing.join().expect("written");
    let shown = format!(
        "return document.querySelector('[data-testid=ready-line]').parentElement.textContent.replaceAll(/[^0-9a-z]/g, '').includes('{resolved}of{atoms}')",
    );
    app.page.wait_until(&shown, PATIENCE);
    (percentile(&mut numbers(&told[0]), 0.95), slowest(&changes, &told[1]))
}

/// Resolves and resets each of `units`, repeatedly; returns the changes, and how many units are resolved at
/// the end.
fn resolve_in_turn(file: &Path, units: &[String]) -> (Vec<Change>, usize) {
    let mut text = fs::read_to_string(file).expect("the plan");
    let mut changes = Vec::new();
    for unit in units.iter().cycle().take(PER_SECOND * SECONDS) {
        let started = std::time::Instant::now();
        let atom = text.find(&format!("  - id: {unit}\n")).expect("the atom");
        let at = atom + text[atom..].find("    status: ").expect("its status");
        let end = at + text[at..].find('\n').expect("a line");
        let resolved = text[at..end].ends_with("pending");
        text.replace_range(at..end, if resolved { "    status: resolved" } else { "    status: pending" });
        let temp = file.with_extension("tmp");
        fs::write(&temp, &text).expect("written");
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        fs::rename(&temp, file).expect("renamed");
        changes.push(Change { unit: unit.clone(), resolved, at: since.as_secs_f64() * 1_000.0 });
        let each = Duration::from_secs(1) / u32::try_from(PER_SECOND).expect("small");
        std::thread::sleep(each.saturating_sub(started.elapsed()));
    }
    (changes, text.matches("status: resolved").count())
}

/// The longest time from a change until it was drawn; infinite when one of them never was.
fn slowest(changes: &[Change], drawn: &Value) -> f64 {
    let took = |change: &Change| {
        let of =
            drawn.as_array().into_iter().flatten().filter(|one| {
                one[0].as_str() == Some(&change.unit) && one[1].as_bool() == Some(change.resolved)
            });
        // Both clocks have at least millisecond precision.
        let times = of.filter_map(|one| one[2].as_f64()).filter(|at| *at >= change.at - 1.0);
        times.map(|at| at - change.at).fold(f64::INFINITY, f64::min)
    };
    changes.iter().map(took).fold(0.0, f64::max)
}

/// `painted(then)` calls `then` once the next frame is painted. A channel message would be up to 4 ms later:
/// it goes through another process, which waits for the frame to reach the screen.
pub(crate) const PAINTED: &str =
    "const painted = (then) => requestAnimationFrame(() => setTimeout(then, 0));";

/// Typing in the filter above 10,000 loops, and what one live change re-renders.
pub(crate) fn measure_filter(report: &mut Report, folder: &Path) {
    let workspace = window_of_10_000(folder);
    let stage = Stage::new("bench-filter");
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.wait_until("return document.querySelector('[data-loops]')?.dataset.loops === '10000'", PATIENCE);
    let opening = percentile(&mut keys(&app, 1), 1.0);
    report.limit("a key right after 10,000 loops were read, slowest of 15", opening, 50.0, "ms");
    let rest = p95(&app, "'body'", "0");
    Report::note("frame at rest, p95", rest, "ms");
    let mut times = keys(&app, 4);
    let worst = percentile(&mut times, 1.0);
    Report::note("a key in the filter over 10,000 loops, median", percentile(&mut times, 0.5), "ms");
    report.limit("a key in the filter over 10,000 loops, slowest of 60, with its frame", worst, 50.0, "ms");
    let mut bare = bare_frames(&app);
    Report::note("the same area painted in one colour, median", percentile(&mut bare, 0.5), "ms");
    Report::note("the same area painted in one colour, slowest of 60", percentile(&mut bare, 1.0), "ms");
    renders(report, &app, &workspace);
}

/// Milliseconds from each key of a few words to the end of the frame that shows its result; all words are
/// typed `rounds` times.
fn keys(app: &App<'_>, rounds: u32) -> Vec<f64> {
    let script = "const [rounds, done] = arguments; const times = [];\
        PAINTED\
        const field = document.querySelector('[data-testid=filter]');\
        const words = ['l','lo','loo','loop','loop n','loop nu','loop 7','loop 77','loop 777','s:failed','f:aot','','n','nu','num'];\
        const next = () => {\
          if (times.length === words.length * rounds) { done(times); return; }\
          const start = performance.now();\
          field.value = words[times.length % words.length];\
          field.dispatchEvent(new InputEvent('input', { bubbles: true }));\
          painted(() => { times.push(performance.now() - start); setTimeout(next, 50); });\
        };\
        next();";
    numbers(&app.page.execute_async(&script.replace("PAINTED", PAINTED), &[json!(rounds)]))
}

/// Milliseconds for a frame that paints the area a key in the filter may change in one colour, with nothing
/// else in the page: the machine's share, whatever the page does.
fn bare_frames(app: &App<'_>) -> Vec<f64> {
    let script = "const done = arguments[0]; const times = [];\
        PAINTED\
        const { left, top } = document.querySelector('[data-testid=filter]').closest('section').getBoundingClientRect();\
        const page = [...document.body.children];\
        for (const one of page) one.style.display = 'none';\
        const area = document.body.appendChild(document.createElement('div'));\
        area.style.cssText = `position: fixed; inset: ${top}px 0 0 ${left}px`;\
        const next = () => {\
          if (times.length === 60) {\
            area.remove(); for (const one of page) one.style.display = ''; done(times); return;\
          }\
          const start = performance.now();\
          area.style.backgroundColor = times.length % 2 ? 'white' : 'black';\
          painted(() => { times.push(performance.now() - start); setTimeout(next, 50); });\
        };\
        next();";
    numbers(&app.page.execute_async(&script.replace("PAINTED", PAINTED), &[]))
}

/// Rows of the list whose content changes when one file changes. Ages are ignored: the loops were all written
/// with the corpus less than a minute ago, so their ages change together every five seconds.
fn renders(report: &mut Report, app: &App<'_>, workspace: &Path) {
    let observe = "window.benchRows = new Set();\
        const row = (node) => { const one = node.nodeType === 1 ? node : node.parentElement;\
          return one && !one.closest('time') ? one.closest('[data-testid=loop-row]') : null; };\
        new MutationObserver((all) => { for (const one of all) {\
          const found = row(one.target); if (found) window.benchRows.add(found.dataset.key ?? found);\
        } }).observe(document.querySelector('[data-testid=loop-list]'), { subtree: true, characterData: true, childList: true, attributes: true });";
    let field = "const field = document.querySelector('[data-testid=filter]'); field.value = '';\
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));";
    app.page.execute(field, &[]);
    let target = workspace.join(corpus::file(7));
    let change = |title: &str| {
        let temp = target.with_extension("json.tmp.9");
        fs::write(&temp, corpus::state(&corpus::id(7), title, 20, 80)).expect("written");
        fs::rename(&temp, &target).expect("renamed");
    };
    change("Marker 1!");
    let shown = |n: u32| {
        format!(
            "return document.querySelector('[data-testid=loop-list]').textContent.includes('Marker {n}!')"
        )
    };
    app.page.wait_until(&shown(1), PATIENCE);
    app.page.execute(observe, &[]);
    change("Marker 2!");
    app.page.wait_until(&shown(2), PATIENCE);
    let rows = app.page.execute("return window.benchRows.size", &[]);
    report.limit("rows rendered for one changed loop", rows.as_f64().expect("a count"), 1.0, "");
}

/// The window with the first loop of the folder open.
pub(crate) fn opened<'a>(stage: &'a Stage, workspace: &Path) -> App<'a> {
    let app = stage.open(&[workspace.as_os_str()]);
    app.page.click("[data-testid=loop-row] .title");
    app.page.find("[data-testid=panel-overview]");
    app
}

/// From a click on a tab to `css` on screen (and one frame painted), in milliseconds; the median of five.
fn switch(app: &App<'_>, tab: &str, css: &str) -> f64 {
    let script = "const [tab, css, done] = arguments;\
        const start = performance.now();\
        document.querySelector(`[data-testid=${tab}]`).click();\
        const look = () => document.querySelector(css)\
          ? requestAnimationFrame(() => done(performance.now() - start)) : requestAnimationFrame(look);\
        look();";
    let mut times = Vec::new();
    for _ in 0..5 {
        app.page.click("[data-testid=tab-overview]");
        app.page.find("[data-testid=panel-overview]");
        let took = app.page.execute_async(script, &[json!(tab), json!(css)]);
        times.push(took.as_f64().expect("a time"));
    }
    percentile(&mut times, 0.5)
}

/// A workspace of 10,000 loops, created on first use.
pub(crate) fn window_of_10_000(folder: &Path) -> PathBuf {
    let workspace = folder.join("window-10000");
    if !workspace.exists() {
        corpus::fill(&workspace, 10_000).expect("a corpus");
    }
    workspace
}

/// Milliseconds of a frame while nothing moves, p95.
pub(crate) fn frame_at_rest(app: &App<'_>) -> f64 {
    p95(app, "'body'", "0")
}

/// Frame times while the element for `selector` scrolls by `step` pixels each frame.
pub(crate) fn p95(app: &App<'_>, selector: &str, step: &str) -> f64 {
    let script = format!(
        "const done = arguments[0]; const times = []; let last = performance.now();\
        const scroller = document.querySelector({selector});\
        const frame = (now) => {{\
          times.push(now - last); last = now; scroller.scrollTop += {step};\
          if (times.length < 150) requestAnimationFrame(frame); else done(times.slice(5));\
        }};\
        requestAnimationFrame(frame);"
    );
    percentile(&mut numbers(&app.page.execute_async(&script, &[])), 0.95)
}

/// Frame times while a wheel moves the graph.
fn pan(app: &App<'_>) -> f64 {
    let script = "const done = arguments[0]; const times = []; let last = performance.now();\
        const graph = document.querySelector('[data-testid=graph]');\
        const layer = graph.firstElementChild; let place = '', moved = 0;\
        const frame = (now) => {\
          times.push(now - last); last = now;\
          if (layer.style.transform !== place) moved += 1;\
          place = layer.style.transform;\
          const turn = times.length % 100 < 50 ? 1 : -1;\
          graph.dispatchEvent(new WheelEvent('wheel', { deltaX: 30 * turn, deltaY: 20 * turn, bubbles: true, cancelable: true }));\
          if (times.length < 150) requestAnimationFrame(frame); else done([moved, ...times.slice(5)]);\
        };\
        requestAnimationFrame(frame);";
    let mut times = numbers(&app.page.execute_async(script, &[]));
    // A graph that does not move costs nothing, and proves nothing.
    let moved = times.remove(0);
    assert!(moved > 140.0, "the graph moved in {moved} of 150 frames");
    percentile(&mut times, 0.95)
}

pub(crate) fn numbers(times: &Value) -> Vec<f64> {
    times.as_array().expect("times").iter().filter_map(Value::as_f64).collect()
}

fn write(workspace: &Path, file: &str, text: &str) -> PathBuf {
    let path = workspace.join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, text).expect("written");
    path
}

/// A Loop v2 with one run of many tests in a hundred suites, one in fifty of them failed.
fn tests_master() -> String {
    let mut tests = String::new();
    for n in 0..TESTS {
        let (status, message) =
            if n % 50 == 7 { ("failed", "\"expected 1, got 2\"") } else { ("passed", "null") };
        let _ = write!(
            tests,
            "{}{{\"test_name\":\"does thing {n}\",\"suite\":\"suite {:03}\",\"status\":\"{status}\",\"duration_ms\":{},\
             \"error_message\":{message},\"stack_trace\":null}}",
            if n == 0 { "" } else { "," },
            n / 1_000,
            n % 977
        );
    }
    format!(
        "{{\"loop_id\":\"{LOOP}\",\"title\":\"Many tests\",\"description\":\"\",\"max_iterations\":10,\"status\":\"paused\",\
         \"current_iteration\":1,\"created_at\":\"2026-11-20T04:24:21.870Z\",\"updated_at\":\"2026-11-20T04:24:21.915Z\",\
         \"skill_state\":{{\"current_action\":\"validate\",\"last_action\":null,\"completed_actions\":[],\"mode\":\"auto\",\
         \"develop\":{{\"total\":0,\"completed\":0,\"tasks\":[]}},\"debug\":{{\"hypotheses\":[]}},\
         \"validate\":{{\"pass_rate\":98,\"coverage\":80,\"passed\":false,\"failed_tests\":[],\
         \"test_results\":[{{\"iteration\":1,\"timestamp\":\"2026-11-20T04:24:21Z\",\"summary\":{{\"total\":{TESTS},\"passed\":98000,\
         \"failed\":2000,\"skipped\":0,\"pass_rate\":\"98.0\",\"duration_ms\":1}},\"tests\":[{tests}]}}]}},\"errors\":[]}}}}"
    )
}

/// A running plan: each atom waits for up to two earlier ones.
fn plan(atoms: usize) -> String {
    let mut text = String::from(
        "---\nobjective:\n  goal: \"Ship it\"\n  base_case:\n    type: command\n    value: \"npm test\"\n  \
         background_intent: \"Because\"\n  deliverables: \"A thing\"\n  definition_of_done: \"It works\"\n  constraints:\n    \
         max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n\ncontrol:\n  status: stopped\n  \
         iteration: 1\n  stall_count: 0\n  prev_pending_count: -1\n  stop_requested: false\n  stop_reason: null\n  \
         redirect_requested: false\n\natoms:\n",
    );
    for n in 1..=atoms {
        let status = if n < atoms / 3 { "resolved" } else { "pending" };
        let mut needs: Vec<String> = [n / 2, n.saturating_sub(37)]
            .iter()
            .filter(|on| **on > 0 && **on < n)
            .map(|on| format!("A{on}"))
            .collect();
        needs.dedup();
        let _ = write!(
            text,
            "  - id: A{n}\n    description: \"Do part {n} of the plan\"\n    status: {status}\n    depends_on: [{}]\n",
            needs.join(", ")
        );
    }
    text.push_str("\ndecompositions: []\n\nor_groups: {}\n\nbindings: {}\n\ntrail: []\n\ncorrections: []\n---\n\n# Original Prompt\n\nShip it.\n");
    text
}
