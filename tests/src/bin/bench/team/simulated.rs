//! Machines that are no more than a connection: each shares loops and changes them.

use loopdeck_runtime::clock;
use loopdeck_team::seat::Role;
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::raw_member::RawMember;
use loopdeck_tests::team::Server;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MACHINES: usize = 50;
/// Loops of all machines.
pub(super) const LOOPS: usize = MACHINES * 100;
const SHARE: &str = "0abc";
/// Changes a second.
const RATE: u32 = 200;

/// All of them, each with a hundred loops.
pub(super) struct Simulated {
    members: Vec<RawMember>,
    /// The change that was published last.
    last: u32,
}

impl Simulated {
    /// On `server`.
    pub(super) fn new(server: &mut Server, tokio: &Arc<tokio::runtime::Runtime>) -> Self {
        let member = |number| {
            let invitation = server.invite(&format!("m{number}.pc"), Role::Member, None);
            RawMember::new(&invitation, tokio)
        };
        let simulated = Self { members: (0..MACHINES).map(member).collect(), last: 0 };
        for member in &simulated.members {
            member.announce();
            member.share(SHARE);
        }
        (0..LOOPS).for_each(|number| simulated.put(number, 0));
        simulated
    }

    /// Publishes changes at the rate, each loop in turn, and tells each before it goes out.
    pub(super) fn change(&mut self, seconds: u32, mut told: impl FnMut(u32)) {
        at_rate(seconds, |_| {
            self.last += 1;
            told(self.last);
            self.put(self.last as usize % LOOPS, self.last);
        });
    }

    /// The loop with this number, its title saying which change it is.
    fn put(&self, number: usize, change: u32) {
        let at = clock::now().millis();
        let text = text(number, change);
        self.members[number % MACHINES].put(SHARE, &file(number), at, text.as_bytes());
    }
}

/// Makes each change when its time has come.
pub(super) fn at_rate(seconds: u32, mut change: impl FnMut(u32)) {
    let start = Instant::now();
    for count in 1..=total(seconds) {
        let due = start + Duration::from_secs(1) * count / RATE;
        std::thread::sleep(due.saturating_duration_since(Instant::now())); // the rate is what is measured at
        change(count);
    }
}

/// Changes in so many seconds.
pub(super) fn total(seconds: u32) -> u32 {
    RATE * seconds
}

/// The state file with this number.
pub(super) fn file(number: usize) -> String {
    format!("{ROOT}/{}.json", id(number))
}

/// What it says after this change.
pub(super) fn text(number: usize, change: u32) -> String {
    let id = id(number);
    loop_v2(&id, "running").replace(&format!("Title of {id}"), &format!("Change {change}!"))
}

/// Which change a title names.
pub(super) fn change_of(title: &str) -> Option<u32> {
    title.strip_prefix("Change ")?.strip_suffix('!')?.parse().ok()
}

fn id(number: usize) -> String {
    format!("loop-v2-20261120T042421-{number:08}")
}
