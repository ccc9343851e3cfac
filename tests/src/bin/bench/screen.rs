//! The real window: from another process's rename to the changed row, scrolling, and memory.

use crate::corpus;
use crate::report::{Report, percentile};
use loopdeck_tests::window::{App, Stage};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const PATIENCE: Duration = Duration::from_secs(60);
const CHANGES: usize = 200;

/// Records when a title first appears in the document, in milliseconds since 1970.
const OBSERVE: &str = "\
window.benchSeen = new Map();\
const look = () => {\
  for (const row of document.querySelectorAll('[data-testid=loop-row]')) {\
    const found = /Marker (\\d+)!/.exec(row.textContent);\
    if (found && !window.benchSeen.has(found[1])) window.benchSeen.set(found[1], performance.timeOrigin + performance.now());\
  }\
};\
new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });";

/// From the rename by another process to the changed row in the document.
pub(crate) fn measure_watch(report: &mut Report, folder: &Path) {
    let stage = Stage::new("bench-watch");
    let workspace = workspace(folder, 1_000);
    let app = open(&stage, &workspace, 1_000);
    app.page.execute(OBSERVE, &[]);
    let mut idle = channel_events(&app);
    let idle_p99 = percentile(&mut idle, 0.99);
    // The newest change sorts first in its group, so the changed row is always on screen.
    app.page.execute("document.querySelector('[data-testid=filter]').focus()", &[]);
    app.page.type_text("marker");
    let mut latencies = Vec::new();
    for n in 0..=CHANGES {
        // Agents write at any time: sometimes right after another change, mostly later.
        std::thread::sleep(Duration::from_millis((n as u64 * 7_919) % 300));
        let latency = change_and_see(&app, &workspace, n);
        if n > 0 {
            latencies.push(latency); // the first one only brings the row into the filtered list
        }
    }
    Report::note("an event through the channel with nothing to do, p99", idle_p99, "ms");
    Report::note("rename to changed row, 1,000 loops, median", percentile(&mut latencies, 0.5), "ms");
    report.limit("rename to changed row, 1,000 loops, p99", percentile(&mut latencies, 0.99), 40.0, "ms");
}

fn change_and_see(app: &App<'_>, workspace: &Path, n: usize) -> f64 {
    let target = workspace.join(corpus::file(7));
    let temp = target.with_extension("json.tmp.9");
    fs::write(&temp, corpus::state(&corpus::id(7), &format!("Marker {n}!"), 20, 80)).expect("written");
    fs::rename(&temp, &target).expect("renamed");
    let renamed = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64() * 1_000.0;
    app.page.wait_until(&format!("return window.benchSeen.has('{n}')"), PATIENCE);
    let seen = app.page.execute(&format!("return window.benchSeen.get('{n}')"), &[]);
    seen.as_f64().expect("a time") - renamed
}

/// How long a message takes from the page to the backend and back through a channel.
fn channel_events(app: &App<'_>) -> Vec<f64> {
    let script = "const [count, done] = arguments; const times = [];\
        const next = () => {\
          if (times.length === count) { done(times); return; }\
          const start = performance.now();\
          const id = window.__TAURI_INTERNALS__.transformCallback(() => { times.push(performance.now() - start); setTimeout(next, 120); }, true);\
          window.__TAURI_INTERNALS__.invoke('subscribe', { channel: `__CHANNEL__:${id}` });\
        };\
        next();";
    let times = app.page.execute_async(script, &[json!(50)]);
    times.as_array().expect("times").iter().filter_map(Value::as_f64).collect()
}

/// Scrolling through 10,000 rows, compared with the frame time of the same window at rest.
pub(crate) fn measure_scrolling(report: &mut Report, folder: &Path) {
    let stage = Stage::new("bench-scroll");
    let workspace = workspace(folder, 10_000);
    let app = open(&stage, &workspace, 10_000);
    let mut rest = frames(&app, 0);
    let mut scrolling = frames(&app, 120);
    let rows = app.page.count("[data-testid=loop-row]");
    let (rest, scrolling) = (percentile(&mut rest, 0.95), percentile(&mut scrolling, 0.95));
    Report::note("frame at rest, p95", rest, "ms");
    report.limit("frame while scrolling 10,000 rows, p95 / at rest", scrolling / rest, 2.0, "x");
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    report.limit("rows in the document", rows as f64, 80.0, "");
}

/// Frame times of 150 frames while the list moves by `step` pixels each frame.
fn frames(app: &App<'_>, step: u32) -> Vec<f64> {
    let script = "const [step, done] = arguments; const times = []; let last = performance.now();\
        const list = document.querySelector('[data-testid=loop-list]');\
        const scroller = [list, ...list.querySelectorAll('*')].find((e) => e.scrollHeight > e.clientHeight + 100\
            && getComputedStyle(e).overflowY !== 'visible') ?? list.closest('[data-scroller]') ?? list;\
        const frame = (now) => {\
          times.push(now - last); last = now; scroller.scrollTop += step;\
          if (times.length < 150) requestAnimationFrame(frame); else done(times.slice(5));\
        };\
        requestAnimationFrame(frame);";
    let times = app.page.execute_async(script, &[json!(step)]);
    times.as_array().expect("times").iter().filter_map(Value::as_f64).collect()
}

/// Memory of the backend with 10,000 loops, compared with the same app with none.
pub(crate) fn measure_memory(report: &mut Report, folder: &Path) {
    let workspace = workspace(folder, 10_000);
    let without = {
        let stage = Stage::new("bench-memory-none");
        let app = stage.open(&[]);
        app.page.wait_until("return document.documentElement.dataset.ready === 'true'", PATIENCE);
        resident_mb()
    };
    let stage = Stage::new("bench-memory");
    let _app = open(&stage, &workspace, 10_000);
    let with = resident_mb();
    Report::note("backend memory without loops", without, "MB");
    report.limit("backend memory for 10,000 loops", with - without, 60.0, "MB");
}

/// Resident memory of the running app's own process, without the web view's helpers.
fn resident_mb() -> f64 {
    let processes = fs::read_dir("/proc").expect("a process list").flatten();
    let sizes = processes.filter_map(|process| {
        let exe = fs::read_link(process.path().join("exe")).ok()?;
        (exe.file_name()? == "loopdeck-desktop").then_some(())?;
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse::<f64>().ok()
    });
    sizes.fold(0.0, f64::max) / 1_024.0
}

fn workspace(folder: &Path, loops: usize) -> PathBuf {
    let workspace = folder.join(format!("window-{loops}"));
    if !workspace.exists() {
        corpus::fill(&workspace, loops).expect("a corpus");
    }
    workspace
}

fn open<'a>(stage: &'a Stage, workspace: &Path, loops: usize) -> App<'a> {
    let start = Instant::now();
    let app = stage.open(&[workspace.as_os_str()]);
    let complete = format!(
        "return document.querySelector('[data-testid=loop-list]')?.closest('[data-loops]')?.dataset.loops === '{loops}' \
         || document.querySelector('[data-loops]')?.dataset.loops === '{loops}'"
    );
    app.page.wait_until(&complete, PATIENCE);
    Report::note(
        &format!("app started to {loops} loops on screen"),
        start.elapsed().as_secs_f64() * 1_000.0,
        "ms",
    );
    app
}
