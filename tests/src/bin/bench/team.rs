//! Loops of a team: 50 simulated machines with 100 loops each on a real server, a member who looks, and one at work.

mod simulated;
mod steering;
mod window;

use crate::report::{Report, ms, percentile};
use loopdeck_runtime::Runtime;
use loopdeck_team::seat::Role;
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::team::{Machine, Server};
use simulated::{LOOPS, Simulated, change_of, total};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long changes come in: when this part is measured alone, and otherwise.
const SECONDS: (u32, u32) = (300, 60);
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at the list's revision, and between two round trips of nothing else. A look at the list itself would
/// hold up what is measured.
const LOOK: Duration = Duration::from_micros(100);
const BETWEEN: Duration = Duration::from_millis(20);

/// Measures a team.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let seconds = if report.is_alone() { SECONDS.0 } else { SECONDS.1 };
    let mut server = Server::start();
    let tokio = RawMember::tokio();
    let mut simulated = Simulated::new(&mut server, &tokio);
    let invitation = server.invite("bob.tower", Role::Lead, None);
    let start = Instant::now();
    let bob = Machine::new(&invitation);
    pull_all(&bob.runtime);
    report.limit("joining late: 5,000 loops of 50 machines in the list", ms(start.elapsed()), 2_000.0, "ms");
    // A member may publish nothing but its loops.
    let operator = RawMember::new(&server.authority.operator().expect("an operator"), &tokio);
    live(report, &mut simulated, (&bob.runtime, &operator), seconds);
    steering::measure(report, &mut server, &bob);
    drop(bob);
    window::measure(report, (&mut server, &mut simulated), SECONDS.1);
}

/// Pulls as a window does, until every loop is there.
fn pull_all(runtime: &Runtime) {
    let told = ticks(runtime);
    let (mut since, mut keys) = (0, HashSet::new());
    while keys.len() < LOOPS {
        told.recv_timeout(PATIENCE).expect("more loops");
        loop {
            let page = runtime.changes(since);
            since = page.revision;
            keys.extend(page.rows.into_iter().map(|row| row.key));
            if !page.more {
                break;
            }
        }
    }
}

fn ticks(runtime: &Runtime) -> Receiver<()> {
    let (tell, told) = channel();
    runtime.subscribe(Box::new(move |_| tell.send(()).is_ok()));
    told
}

/// Changes at the rate, as a window hears of them, as the list has them, and bare messages at the same time.
fn live(
    report: &mut Report,
    simulated: &mut Simulated,
    (runtime, operator): (&Runtime, &RawMember),
    seconds: u32,
) {
    let (pulled, listed) = (&Published::default(), &Published::default());
    let ended = AtomicBool::new(false);
    let told = ticks(runtime);
    let (mut pulls, mut lists, mut bare) = std::thread::scope(|scope| {
        let wait = move |_| {
            let _ = told.recv_timeout(Duration::from_secs(1)); // it looks again in any case
        };
        let pulls = scope.spawn(|| pulled.watch(runtime, seconds, wait));
        let newer = move |since| {
            let deadline = Instant::now() + Duration::from_secs(1);
            while runtime.changed_workspaces(since).0 == since && Instant::now() < deadline {
                std::thread::sleep(LOOK);
            }
        };
        let lists = scope.spawn(move || listed.watch(runtime, seconds, newer));
        let bare = scope.spawn(|| {
            let mut times = Vec::new();
            while !ended.load(Ordering::Relaxed) {
                times.extend(operator.round_trips(1));
                std::thread::sleep(BETWEEN); // so that they change nothing of what is measured
            }
            times
        });
        simulated.change(seconds, |change| {
            let now = Instant::now();
            [pulled, listed].into_iter().for_each(|published| published.put(change, now));
        });
        ended.store(true, Ordering::Relaxed);
        (pulls.join().expect("pulled"), lists.join().expect("listed"), bare.join().expect("bare"))
    });
    let bare = percentile(&mut bare, 0.99);
    Report::note("publish to subscriber at the same time, nothing else, p99", bare, "ms");
    Report::note("foreign change to changed row in the list, p50", percentile(&mut lists, 0.5), "ms");
    let listed = percentile(&mut lists, 0.99);
    Report::note("foreign change to changed row in the list, p99", listed, "ms");
    report.limit("the same as a multiple of publish to subscriber", listed / bare, 3.0, "×");
    Report::note("foreign change to row pulled by a window, p50", percentile(&mut pulls, 0.5), "ms");
    report.limit(
        &format!("foreign change to row pulled by a window, 200 a second for {seconds} s, p99"),
        percentile(&mut pulls, 0.99),
        250.0,
        "ms",
    );
}

/// When each change was published, until it was seen.
#[derive(Default)]
struct Published(Mutex<HashMap<u32, Instant>>);

impl Published {
    fn put(&self, change: u32, at: Instant) {
        self.0.lock().expect("no panic").insert(change, at);
    }

    /// Times until a row says so, in ms. No change is overtaken: a loop has its turn again much later.
    fn watch(&self, runtime: &Runtime, seconds: u32, wait: impl Fn(u32)) -> Vec<f64> {
        let (mut since, mut times) = (0, Vec::new());
        let deadline = Instant::now() + Duration::from_secs(u64::from(seconds) + 60);
        while times.len() < total(seconds) as usize && Instant::now() < deadline {
            wait(since);
            loop {
                let page = runtime.changes(since);
                since = page.revision;
                let mut published = self.0.lock().expect("no panic");
                let changes = page.rows.iter().filter_map(|row| change_of(&row.title));
                times.extend(changes.filter_map(|change| Some(ms(published.remove(&change)?.elapsed()))));
                if !page.more {
                    break;
                }
            }
        }
        assert_eq!(total(seconds) as usize - times.len(), 0, "changes that no row showed");
        times
    }
}
