//! An hour of output at 5,000 lines a second: its cost for the processes and the disk, and how the window
//! behaves while the output is followed, searched, and left for another iteration.
//!
//! The lines take the path of every run: a pipe, the guardian, its log on disk, the decoder, rows on disk,
//! pages for the window. They come twelve times as fast, so the figures are per line, not per time.
//! `LOOPDECK_BENCH_LINES` sets their number.

use crate::processes::{self, Process};
use crate::report::{Report, percentile};
use crate::speaking::{FEW, PACE, RARE, SPEAK};
use loopdeck_tests::window::{App, Stage};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A sixth of an hour; the whole is 18,000,000.
const LINES: u64 = 3_000_000;
const PATIENCE: Duration = Duration::from_secs(90);
/// Memory must not grow with the lines: random growth by allocators and caches is smaller.
const GROWTH: f64 = 1.25;
/// Of the page's process, from a tenth to all lines, and between two thirds of a run.
const LEVEL: f64 = 1.05;
const MB: f64 = 1_048_576.0;

/// The whole part, in one window.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let lines =
        std::env::var("LOOPDECK_BENCH_LINES").ok().and_then(|text| text.parse().ok()).unwrap_or(LINES);
    let stage = Stage::new("bench-output");
    let run = Run::begin(&stage, lines);
    let rest = frames(&run.app, REST);
    run.start();
    let tenth = run.hear(report, lines / 10, 0);
    run.open("go-on");
    let third = run.hear(report, lines / 3, lines / 10);
    let two_thirds = run.hear(report, lines / 3 * 2, lines / 3);
    let whole = run.hear(report, lines, lines / 3 * 2);
    bounded(report, &tenth, &whole);
    levels_off(report, [&tenth, &third, &two_thirds, &whole]);
    run.disk(report);
    run.open("go-live");
    run.follow(report, &rest, &whole);
    run.look_around(report, &rest);
    run.open("go-end");
}

/// Peaks since the last measurement, in MB.
struct Memory {
    app: f64,
    guardian: f64,
    web: f64,
}

fn bounded(report: &mut Report, tenth: &Memory, whole: &Memory) {
    Report::note("peak memory of the app after a tenth", tenth.app, "MB");
    Report::note("peak memory of the app after all lines", whole.app, "MB");
    report.limit("peak memory of the app, all lines / a tenth", whole.app / tenth.app, GROWTH, "x");
    Report::note("peak memory of the guardian after all lines", whole.guardian, "MB");
    report.limit(
        "peak memory of the guardian, all lines / a tenth",
        whole.guardian / tenth.guardian,
        GROWTH,
        "x",
    );
}

/// The page's process. Its engine chooses how far the heap grows before a collection; anything that grows with the lines also grows in
/// the last third.
fn levels_off(report: &mut Report, [tenth, third, two_thirds, whole]: [&Memory; 4]) {
    Report::note("peak memory of the page's process, first tenth", tenth.web, "MB");
    Report::note("peak memory of the page's process, up to a third", third.web, "MB");
    Report::note("peak memory of the page's process, second third", two_thirds.web, "MB");
    Report::note("peak memory of the page's process, last third", whole.web, "MB");
    report.limit("peak memory of the page, last third / first tenth", whole.web / tenth.web, LEVEL, "x");
    report.limit(
        "peak memory of the page, last third / second third",
        whole.web / two_thirds.web,
        LEVEL,
        "x",
    );
}

/// The loop with its talkative agent, in an open window.
struct Run<'a> {
    app: App<'a>,
    stage: &'a Stage,
    workspace: PathBuf,
    lines: u64,
}

impl<'a> Run<'a> {
    fn begin(stage: &'a Stage, lines: u64) -> Self {
        let workspace = stage.folder().join("talkative");
        fs::create_dir_all(workspace.join(".workflow/.loop")).expect("a workspace");
        let workspace = workspace.canonicalize().expect("a path");
        let app = stage.open(&[workspace.as_os_str()]);
        app.page.wait_until("return document.documentElement.dataset.ready === 'true'", PATIENCE);
        Self { app, stage, workspace, lines }
    }

    /// Starts the loop and opens the output of its second task.
    fn start(&self) {
        let page = &self.app.page;
        page.invoke("trust", &json!({ "path": self.workspace, "trusted": true }));
        let mut plan = page.invoke("plan_of", &json!({ "key": "" }));
        let program = std::env::current_exe().expect("this program");
        plan["agent"] = "shell".into();
        plan["level"] = "full_access".into();
        plan["shell_command"] = format!("{} {SPEAK} {}", program.display(), self.lines).into();
        plan["test_command"] = loopdeck_tests::driving::PASSING.into();
        let work = json!({ "recipe": "fix_bug", "goal": "Say a great deal", "title": "", "tasks": [] });
        let form = json!({ "work": work, "folder": self.workspace, "worktree": "", "plan": plan, "page": 0 });
        page.invoke("start_loop", &json!({ "form": form }));
        page.click("[data-testid=loop-row] .title");
        page.click("[data-testid=tab-output]");
        page.wait_until(
            "return document.querySelector('[data-testid=run-list]')?.textContent.includes('task-002')",
            PATIENCE,
        );
        page.find("[data-testid=output-row]");
    }

    fn open(&self, gate: &str) {
        fs::write(self.workspace.join(gate), "").expect("a gate");
    }

    /// Waits until the window has received this many lines; returns the peaks.
    fn hear(&self, report: &mut Report, lines: u64, from: u64) -> Memory {
        let all = self.processes();
        all.iter().for_each(Process::forget_peak);
        let begin = Instant::now();
        let shown = format!(
            "return Number(document.querySelector('[data-testid=output-rows]')?.ariaRowCount) >= {lines}"
        );
        while !self.app.page.holds_within(&shown, Duration::from_secs(20)) {
            assert!(
                begin.elapsed() < PATIENCE + Duration::from_secs(lines / PACE / 4),
                "the lines do not come"
            );
        }
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
        let pace = begin.elapsed().as_secs_f64() * PACE as f64 / (lines - from) as f64;
        report.limit(
            &format!("from the pipe to the window, {lines} lines: time / their time in an hour"),
            pace,
            0.1,
            "x",
        );
        let of =
            |kind: &str| all.iter().filter(|one| one.kind == kind).map(Process::peak_mb).fold(0.0, f64::max);
        Memory { app: of("app"), guardian: of("guardian"), web: of("page") }
    }

    fn processes(&self) -> Vec<Process> {
        processes::below(&self.stage.data_dir())
    }

    /// The disk usage of the run with the most output.
    fn disk(&self, report: &mut Report) {
        let runs = fs::read_dir(self.stage.data_dir().join("runs")).expect("runs").flatten();
        let most = runs.map(|run| run.path()).max_by_key(|run| bytes(run)).expect("a run");
        report.limit("the log on disk", size(&most.join("log")) / MB, 256.0, "MB");
        report.limit("the rows on disk", size(&most.join("rows")) / MB, 200.0, "MB");
    }

    /// The newest rows at 5,000 lines a second.
    fn follow(&self, report: &mut Report, rest: &[f64], before: &Memory) {
        let page = &self.app.page;
        page.wait_until(
            &format!(
                "return Number(document.querySelector('[data-testid=output-rows]').ariaRowCount) > {}",
                self.lines + PACE
            ),
            PATIENCE,
        );
        let all = self.processes();
        all.iter().for_each(Process::forget_peak);
        let busy: f64 = all.iter().map(Process::cpu_seconds).sum();
        let begin = Instant::now();
        page.execute(COUNT_MESSAGES, &[]);
        let following = frames(&self.app, REST);
        let messages = page.execute("return window.benchMessages", &[]).as_f64().expect("a count");
        assert!(messages > 0.0, "messages are not seen");
        let seconds = begin.elapsed().as_secs_f64();
        let busy = all.iter().map(Process::cpu_seconds).sum::<f64>() - busy;
        let web = all.iter().filter(|one| one.kind == "page").map(Process::peak_mb).fold(0.0, f64::max);
        compare_frames(report, "following 5,000 lines a second", &following, rest);
        report.limit("messages a second while following", messages / seconds, 10.0, "");
        Report::note("processors busy while following, all processes together", busy / seconds, "");
        report.limit("peak memory of the page while following / before", web / before.web, GROWTH, "x");
        self.rows_in_document(report, "following");
    }

    /// Back to the start, to a search result, to another iteration, each while lines arrive.
    fn look_around(&self, report: &mut Report, rest: &[f64]) {
        let page = &self.app.page;
        let took =
            |script: &str| page.execute_async(&format!("{TIMED}{script}"), &[]).as_f64().expect("a time");
        report.limit("far back by the scroll bar: to the first rows", took(FAR_BACK), 300.0, "ms");
        let busy = self.page_seconds();
        let scrolling = frames(&self.app, -240.0);
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let each = (self.page_seconds() - busy) * 1_000.0 / scrolling.len() as f64;
        Report::note("processor time of the page for a frame of scrolling", each, "ms");
        compare_frames(report, "scrolling back while lines come", &scrolling, rest);
        self.rows_in_document(report, "reading");
        page.fill("[data-testid=output-search]", RARE);
        report.limit("search, rare words, backwards: to the row in view", took(FIND), 1_500.0, "ms");
        page.fill("[data-testid=output-search]", "nowhere to be found");
        report.limit("search for what is nowhere: to the answer", took(FIND_NOTHING), 5_000.0, "ms");
        report.limit(
            "to another iteration: to its first rows",
            took(&OTHER.replace("COUNT", &FEW.to_string())),
            300.0,
            "ms",
        );
        report.limit("back to the run that lasts: to its newest rows", took(BACK), 300.0, "ms");
    }

    /// Processor time of the page so far: measures the cost of scrolling even on a busy machine.
    fn page_seconds(&self) -> f64 {
        self.processes().iter().filter(|one| one.kind == "page").map(Process::cpu_seconds).sum()
    }

    fn rows_in_document(&self, report: &mut Report, when: &str) {
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let rows = self.app.page.count("[data-testid=output-row]") as f64;
        report.limit(&format!("rows in the document while {when}"), rows, 150.0, "");
    }
}

fn compare_frames(report: &mut Report, what: &str, frames: &[f64], rest: &[f64]) {
    let p95 = |times: &[f64]| percentile(&mut times.to_vec(), 0.95);
    Report::note("frame at rest, p95", p95(rest), "ms");
    Report::note(&format!("frame while {what}, slowest"), percentile(&mut frames.to_vec(), 1.0), "ms");
    report.limit(&format!("frame while {what}, p95 / at rest"), p95(frames) / p95(rest), 2.0, "x");
}

/// Nothing is scrolled.
const REST: f64 = 0.0;

/// Frame times of 400 frames while the rows, if any, move by `step` pixels each frame.
fn frames(app: &App<'_>, step: f64) -> Vec<f64> {
    let script = "const [step, done] = arguments; const times = []; let last = performance.now();\
        const box = document.querySelector('[data-testid=output-rows]');\
        const frame = (now) => {\
          times.push(now - last); last = now;\
          if (step !== 0) box.scrollTop += step;\
          if (times.length < 400) requestAnimationFrame(frame); else done(times.slice(5));\
        };\
        requestAnimationFrame(frame);";
    let times = app.page.execute_async(script, &[json!(step)]);
    times.as_array().expect("times").iter().filter_map(Value::as_f64).collect()
}

/// Messages from the page to the backend are requests with their own scheme.
const COUNT_MESSAGES: &str = "\
window.benchMessages = 0;\
const real = window.fetch;\
window.fetch = (...args) => { if (String(args[0]?.url ?? args[0]).startsWith('ipc:')) window.benchMessages += 1; return real(...args); };";

/// `after(condition)` returns how long it takes until it holds, plus one frame.
const TIMED: &str = "\
const done = arguments[arguments.length - 1];\
const box = () => document.querySelector('[data-testid=output-rows]');\
const inView = () => { const view = box()?.getBoundingClientRect();\
  return view ? [...box().querySelectorAll('[data-testid=output-row]')].filter((row) => { const r = row.getBoundingClientRect(); return r.bottom > view.top && r.top < view.bottom; }) : []; };\
const come = () => { const rows = inView(); return rows.length > 10 && rows.every((row) => !row.querySelector('.coming')); };\
const begin = performance.now();\
const after = (holds) => holds() ? requestAnimationFrame(() => done(performance.now() - begin)) : requestAnimationFrame(() => after(holds));\
const said = () => document.querySelector('[data-testid=output-said]').textContent;";

const FAR_BACK: &str = "\
box().scrollTop = box().scrollHeight / 3;\
requestAnimationFrame(() => after(come));";

const FIND: &str = "\
document.querySelector('[data-testid=find-previous]').click();\
after(() => inView().some((row) => row.textContent.includes('needle')));";

const FIND_NOTHING: &str = "\
document.querySelector('[data-testid=find-next]').click();\
requestAnimationFrame(() => after(() => said() !== '' && !said().includes('…')));";

const OTHER: &str = "\
[...document.querySelectorAll('[data-testid=run]')].find((run) => run.textContent.includes('task-001')).click();\
after(() => Number(box()?.ariaRowCount) < COUNT + 100 && come());";

const BACK: &str = "\
[...document.querySelectorAll('[data-testid=run]')].find((run) => run.textContent.includes('task-002')).click();\
after(() => Number(box()?.ariaRowCount) > 100000 && come());";

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn size(path: &Path) -> f64 {
    bytes(path) as f64
}

fn bytes(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| bytes(&entry.path())).sum(),
        Err(_) => fs::metadata(path).map_or(0, |file| file.len()),
    }
}
