//! Loops of a team: 50 simulated machines with 100 loops each on a real server, and one member who looks.

use crate::report::{Report, ms, percentile};
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::VerbOptions;
use loopdeck_runtime::{Runtime, clock};
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::team::{Machine, Server};
use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const MACHINES: usize = 50;
const LOOPS: usize = 100;
const SHARE: &str = "0abc";
/// Changes a second, and for how long.
const RATE: u32 = 200;
const SECONDS: u32 = 60;
/// Pauses of a loop on another machine.
const PAUSES: usize = 30;
const OWN: &str = "loop-v2-20261120T042421-d8ff7e62";

/// Measures a team.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let mut server = Server::start();
    let tokio = RawMember::tokio();
    let members: Vec<RawMember> = (0..MACHINES)
        .map(|number| RawMember::new(&server.invite(&format!("m{number}.pc"), Role::Member, None), &tokio))
        .collect();
    for member in &members {
        member.announce();
        member.share(SHARE);
    }
    for number in 0..MACHINES * LOOPS {
        put(&members, number, 0);
    }
    let invitation = server.invite("bob.tower", Role::Lead, None);
    let start = Instant::now();
    let bob = Machine::new(&invitation);
    bob.until("all loops", || (bob.rows().len() >= MACHINES * LOOPS).then_some(()));
    report.limit("joining late: 5,000 loops of 50 machines in the list", ms(start.elapsed()), 2_000.0, "ms");
    // A member may publish nothing but its loops.
    let operator = RawMember::new(&server.authority.operator().expect("an operator"), &tokio);
    let mut bare = operator.round_trips(2_000);
    let bare = percentile(&mut bare, 0.99);
    Report::note("publish to subscriber, nothing else, p99", bare, "ms");
    let mut seen = live(&members, &bob);
    let p99 = percentile(&mut seen, 0.99);
    Report::note("foreign change to changed row, 200 a second, p50", percentile(&mut seen, 0.5), "ms");
    report.limit("foreign change to changed row, 200 a second for a minute, p99", p99, 250.0, "ms");
    Report::note("the same as a multiple of publish to subscriber", p99 / bare, "×");
    let mut pauses = pauses(&mut server, &bob);
    report.limit(
        "pause asked to pause in the file of another machine, p99",
        percentile(&mut pauses, 0.99),
        2_000.0,
        "ms",
    );
}

fn id(number: usize) -> String {
    format!("loop-v2-20261120T042421-{number:08}")
}

/// The loop with this number, its title saying which change it is.
fn put(members: &[RawMember], number: usize, change: u32) {
    let id = id(number);
    let text = loop_v2(&id, "running").replace(&format!("Title of {id}"), &format!("{change}"));
    let at = clock::now().millis();
    members[number % MACHINES].put(SHARE, &format!("{ROOT}/{id}.json"), at, text.as_bytes());
}

/// When a change was published, by the title that says which it is.
type Published = Arc<Mutex<HashMap<String, Instant>>>;

/// Publishes changes at the rate, each loop in turn. Times until the row says so, in ms.
fn live(members: &[RawMember], bob: &Machine) -> Vec<f64> {
    let published = Published::default();
    let (tell, told) = channel();
    bob.runtime.subscribe(Box::new(move |_| tell.send(()).is_ok()));
    std::thread::scope(|scope| {
        let total = RATE * SECONDS;
        let watching = Arc::clone(&published);
        let runtime = Arc::clone(&bob.runtime);
        let seen = scope.spawn(move || watch(&runtime, &told, &watching, total));
        let start = Instant::now();
        for change in 1..=total {
            let due = start + Duration::from_secs(1) * change / RATE;
            std::thread::sleep(due.saturating_duration_since(Instant::now())); // the rate is what is measured at
            published.lock().expect("no panic").insert(change.to_string(), Instant::now());
            put(members, change as usize % (MACHINES * LOOPS), change);
        }
        seen.join().expect("seen")
    })
}

/// Pulls changes as a window does, until all were seen. A change that a newer one of its loop overtook counts as seen then.
fn watch(runtime: &Runtime, told: &Receiver<()>, published: &Published, total: u32) -> Vec<f64> {
    let (mut since, mut times) = (0, Vec::new());
    let deadline = Instant::now() + Duration::from_secs(u64::from(SECONDS) + 60);
    while times.len() < total as usize && Instant::now() < deadline {
        let _ = told.recv_timeout(Duration::from_secs(1));
        loop {
            let page = runtime.changes(since);
            since = page.revision;
            let mut published = published.lock().expect("no panic");
            times
                .extend(page.rows.iter().filter_map(|row| Some(ms(published.remove(&row.title)?.elapsed()))));
            if !page.more {
                break;
            }
        }
    }
    let missing = total as usize - times.len();
    assert_eq!(missing, 0, "changes that no row showed");
    times
}

/// Times from the request to the owner's file, in ms.
fn pauses(server: &mut Server, bob: &Machine) -> Vec<f64> {
    let ada = server.machine("ada.laptop", Role::Member);
    ada.write(OWN, "running");
    ada.share(Scope::State, Steering::Leads);
    let key = ada.until("its own loop", || ada.rows().first().map(|row| row.key.clone()));
    let pause = |_| {
        bob.wait_for(OWN, |row| row.file_word == "running");
        let start = Instant::now();
        bob.ask(OWN, Verb::Pause);
        while ada.status(OWN) != "paused" {
            std::thread::sleep(Duration::from_millis(1)); // a look at the file is what is timed
        }
        let time = ms(start.elapsed());
        ada.runtime.act(&key, Verb::Resume, VerbOptions::default()).expect("resumed");
        time
    };
    (0..PAUSES).map(pause).collect()
}
