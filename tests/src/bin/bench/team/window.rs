//! The real window of a member, next to one that has as many loops of its own and sees as many changes.

use super::Report;
use super::simulated::{LOOPS, Simulated, at_rate, file, text, total};
use crate::processes;
use crate::report::{ms, percentile};
use loopdeck_team::Home;
use loopdeck_team::seat::Role;
use loopdeck_tests::team::Server;
use loopdeck_tests::window::{App, Stage};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);

/// Records when a change first appears in the document, in milliseconds since 1970.
const OBSERVE: &str = "\
window.benchSeen = {};\
const look = () => {\
  for (const row of document.querySelectorAll('[data-testid=loop-row]')) {\
    const found = /Change (\\d+)!/.exec(row.textContent);\
    if (found && !(found[1] in window.benchSeen)) window.benchSeen[found[1]] = performance.timeOrigin + performance.now();\
  }\
};\
look(); new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });";

/// Its memory, and from a change on another machine to the row on its screen.
pub(super) fn measure(report: &mut Report, (server, simulated): (&mut Server, &mut Simulated), seconds: u32) {
    // These files stay until the end: a file system is slow to make files where many were just deleted.
    let own = TempDir::with_prefix("loopdeck-bench-own-").expect("a folder");
    let local = with_own_loops(own.path(), seconds);
    let stage = Stage::new("bench-team");
    let invitation = stage.folder().join("eve.json");
    server.invite("eve.tower", Role::Lead, None).write(&invitation).expect("written");
    Home::new(&stage.data_dir()).join(&invitation).expect("joined");
    let start = Instant::now();
    let app = stage.open(&[]);
    wait_for_all(&app);
    Report::note("joining late: program started to 5,000 loops in the window", ms(start.elapsed()), "ms");
    let team = memory(&stage);
    Report::note("memory of the window with 5,000 loops of its own", local.before, "MB");
    report.limit("the same with 5,000 loops of others: more", team - local.before, 60.0, "MB");
    on_screen(report, &app, simulated, seconds);
    Report::note("memory of the window with its own loops after as many changes", local.after, "MB");
    report.limit("the same with loops of others: more", memory(&stage) - local.after, 60.0, "MB");
}

/// Memory in MB.
struct Memory {
    before: f64,
    after: f64,
}

/// Memory of a window that opens the same loops as a folder, before and after another program changes them.
fn with_own_loops(place: &Path, seconds: u32) -> Memory {
    let folder = place.join("shop");
    for number in 0..LOOPS {
        let path = folder.join(file(number));
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text(number, 0)).expect("written");
    }
    let stage = Stage::new("bench-team-local");
    let app = stage.open(&[folder.as_os_str()]);
    wait_for_all(&app);
    let before = memory(&stage);
    at_rate(seconds, |count| {
        let (number, draft) = (count as usize % LOOPS, place.join("next.json"));
        fs::write(&draft, text(number, count)).expect("written");
        fs::rename(&draft, folder.join(file(number))).expect("renamed");
    });
    Memory { before, after: memory(&stage) }
}

fn wait_for_all(app: &App<'_>) {
    // The loop that was paused before is there too.
    let all = format!("return Number(document.querySelector('[data-loops]')?.dataset.loops) >= {LOOPS}");
    app.page.wait_until(&all, PATIENCE);
}

/// Resident memory of the app and its page. A page gives memory back in its own time: the least of a few seconds.
fn memory(stage: &Stage) -> f64 {
    let now = |data: &Path| {
        let all = processes::below(data);
        all.iter().filter(|one| one.kind != "agent").map(processes::Process::resident_mb).sum::<f64>()
    };
    let times = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_millis(500)); // as the comment above says
        now(&stage.data_dir())
    });
    times.take(20).fold(f64::INFINITY, f64::min)
}

fn on_screen(report: &mut Report, app: &App<'_>, simulated: &mut Simulated, seconds: u32) {
    app.page.execute(OBSERVE, &[]);
    let (mut published, mut last) = (HashMap::new(), 0);
    simulated.change(seconds, |change| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        published.insert(change, now.as_secs_f64() * 1_000.0);
        last = change;
    });
    app.page.wait_until(&format!("return '{last}' in window.benchSeen"), PATIENCE);
    let seen = app.page.execute("return window.benchSeen", &[]);
    let seen = seen.as_object().expect("times").iter();
    let time = |(change, at): (&String, &serde_json::Value)| {
        Some(at.as_f64()? - published.get(&change.parse().ok()?)?)
    };
    let mut times: Vec<f64> = seen.filter_map(time).collect();
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let share = 100.0 * times.len() as f64 / f64::from(total(seconds));
    Report::note("changes that came among the rows on screen", share, "%");
    Report::note("foreign change to row on screen, 200 a second, p50", percentile(&mut times, 0.5), "ms");
    report.limit(
        &format!("foreign change to row on screen, 200 a second for {seconds} s, p99"),
        percentile(&mut times, 0.99),
        250.0,
        "ms",
    );
}
