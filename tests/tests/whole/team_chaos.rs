//! Everything that goes wrong between machines, for a while, at random, and together: servers that are killed and whose disks are
//! full, networks that are cut, programs that are closed and killed. Meanwhile the members work. In the end nothing is lost, nothing
//! was done twice, and nothing is stuck: counted from the journals, the records of each machine, and what the servers still keep.
//!
//! `LOOPDECK_CHAOS_SECONDS` says how long (`cargo xtask chaos`), `LOOPDECK_TEST_SEED` which disorder.

mod counting;

use self::counting::json;
use crate::team_runs::{NodeProcess, form, programs, repository};
use loopdeck_core::control::Verb;
use loopdeck_core::timeline::EntryContent;
use loopdeck_runtime::views::{FailureKind, VerbOptions, WriteCause};
use loopdeck_team::invitation::Invitation;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_team::{IfGone, JobStage, NodeRules, Target};
use loopdeck_tests::driving::develops;
use loopdeck_tests::faults::SmallDisk;
use loopdeck_tests::live::ROOT;
use loopdeck_tests::proxy::Proxy;
use loopdeck_tests::random::Random;
use loopdeck_tests::scripted::{Output, Scripted, Step};
use loopdeck_tests::team::{Machine, Server};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the disorder lasts unless the environment says otherwise.
const SECONDS: u64 = 30;
/// Its pace.
const STEP: Duration = Duration::from_millis(150);
/// How long anything may take after everything is mended.
const QUIET_WITHIN: Duration = Duration::from_secs(75);
/// So many jobs are on their way at once.
const JOBS: usize = 4;
/// Longer than any network is cut and any node is closed: only several troubles, one after the other, take a job from its node.
const LEASE: u32 = 40;
/// The disk of each server.
const DISK_KB: u32 = 48 << 10;
/// The streams that become full.
const STREAMS: [&str; 5] = ["COMMANDS", "ANSWERS", "KV_LOOPS", "RUNS", "KV_REPORTS"];

/// What is wrong, and is mended later.
enum Trouble {
    Killed(usize),
    DiskFull(usize, PathBuf),
    StreamFull(&'static str, i64),
    Cut(usize),
    Closed(usize),
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    commands: usize,
    jobs: usize,
    killed: usize,
    disks: usize,
    streams: usize,
    cuts: usize,
    closures: usize,
    moved: usize,
}

/// A loop of one member that others steer.
struct Steered {
    id: String,
    owner: usize,
    /// Who asks.
    asker: usize,
    /// What was asked, by whom.
    asked: Vec<(usize, Verb)>,
}

/// The whole team.
struct Team {
    servers: Server,
    disks: Vec<SmallDisk>,
    members: Vec<Machine>,
    /// Bob's jobs run on these: one in this process, one in its own, which is killed.
    node: Machine,
    process: NodeProcess,
    /// The networks of the members, and of the nodes.
    networks: Vec<Vec<Proxy>>,
    steered: Vec<Steered>,
    troubles: Vec<(Instant, Trouble)>,
    /// The kinds of trouble whose turn it is.
    kinds: Vec<usize>,
    random: Random,
    done: Done,
    log: PathBuf,
    _place: tempfile::TempDir,
}

/// Has the way of a machine to each server go through a proxy, from its next connection on.
fn behind(machine: &Machine) -> Vec<Proxy> {
    let invitation = machine.home().read_invitation().unwrap();
    let address = |server: &String| server.rsplit('/').next().unwrap().parse().unwrap();
    let network: Vec<Proxy> = invitation.servers.iter().map(|server| Proxy::new(address(server))).collect();
    let servers = network.iter().map(|proxy| format!("nats://{}", proxy.address())).collect();
    Invitation { servers, ..invitation }.write(&machine.home().invitation()).unwrap();
    network
}

const SEATS: [&str; 4] = ["bob.tower", "ada.laptop", "eve.pc", "joe.mini"];
/// Who sends jobs.
const BOB: usize = 0;
/// The nodes.
const NODES: [&str; 2] = ["ada.one", "ada.two"];
const NODE: usize = SEATS.len();
const PROCESS: usize = NODE + 1;

impl Team {
    fn new() -> Self {
        let disks = RefCell::new(Vec::new());
        let mut servers =
            Server::cluster_in(|folder| disks.borrow_mut().push(SmallDisk::mount_at(folder, DISK_KB)));
        let place = tempfile::tempdir().unwrap();
        let log = place.path().join("log");
        let works = tells(&log);
        let repository = repository(&works);
        let mut members: Vec<Machine> = SEATS
            .iter()
            .map(|seat| servers.runner(seat, Role::Lead, &programs(), |folder| repository(folder)))
            .collect();
        for member in &members {
            fs::create_dir_all(member.workspace.join(ROOT)).unwrap();
            member.runtime.trust(&member.workspace.to_string_lossy(), true).unwrap();
        }
        let shop = members[BOB].workspace.clone();
        let rules = NodeRules { slots: 3, lease_seconds: LEASE, ..NodeRules::default() };
        let [mut node, process] =
            NODES.map(|seat| servers.closed_node(seat, &programs(), &shop, rules.clone()));
        let networks = members.iter().chain([&node, &process]).map(behind).collect();
        members.iter_mut().chain([&mut node]).for_each(Machine::open);
        members.iter().for_each(|member| member.share(Scope::State, Steering::Leads));
        let process = NodeProcess::start(process);
        let mut team = Self {
            servers,
            disks: disks.into_inner(),
            members,
            node,
            process,
            networks,
            steered: Vec::new(),
            troubles: Vec::new(),
            kinds: Vec::new(),
            random: Random::new(11),
            done: Done::default(),
            log,
            _place: place,
        };
        for owner in 0..SEATS.len() {
            (0..SEATS.len()).filter(|asker| *asker != owner).for_each(|asker| team.write(owner, asker));
        }
        for steered in &team.steered {
            team.members[steered.asker].wait_for(&steered.id, |_| true);
        }
        team
    }

    /// A new loop of `owner` that `asker` steers.
    fn write(&mut self, owner: usize, asker: usize) {
        let id = format!("loop-v2-20261120T042421-{:08}", self.steered.len());
        self.members[owner].write(&id, "running");
        self.steered.push(Steered { id, owner, asker, asked: Vec::new() });
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.random.below(end as u64)).unwrap()
    }

    /// Whether a machine is closed, so that nobody can do anything there.
    fn is_closed(&self, who: usize) -> bool {
        self.troubles.iter().any(|(_, trouble)| matches!(trouble, Trouble::Closed(at) if *at == who))
    }

    /// Somebody asks for something.
    fn work(&mut self) {
        let loops: Vec<usize> = (0..self.steered.len())
            .filter(|at| !self.steered[*at].asked.iter().any(|(_, verb)| *verb == Verb::Stop))
            .collect();
        let at = loops[self.below(loops.len())];
        let (owner, asker) = (self.steered[at].owner, self.steered[at].asker);
        let verb = match self.steered[at].asked.last().copied() {
            None if self.below(4) > 0 => Verb::Pause,
            Some((_, Verb::Pause)) if self.below(2) > 0 => Verb::Resume,
            _ => Verb::Stop,
        };
        if !self.ask(at, asker, verb) || verb != Verb::Stop {
            return;
        }
        // Sometimes a third one wants the same at the same time: one of the two is too late.
        let third = self.below(SEATS.len());
        if ![owner, asker].contains(&third) {
            self.ask(at, third, verb);
        }
        self.write(owner, asker);
    }

    /// Whether it was possible: not while a request of one's own is on its way.
    fn ask(&mut self, at: usize, asker: usize, verb: Verb) -> bool {
        let member = &self.members[asker];
        if self.is_closed(asker) {
            return false;
        }
        let Some(row) = member.foreign(&self.steered[at].id) else { return false };
        let seen = match self.steered[at].asked.last() {
            _ if self.unanswered(asker) > 30 => false,
            Some((_, Verb::Pause)) => row.file_word == "paused",
            Some((_, Verb::Resume)) => self.answers(at, asker).len() == self.asked(at, asker),
            _ => true,
        };
        if !seen || !row.verbs.contains(&verb) {
            return false;
        }
        member.runtime.act(&row.key, verb, VerbOptions::default()).unwrap();
        self.steered[at].asked.push((asker, verb));
        self.done.commands += 1;
        true
    }

    fn asked(&self, at: usize, asker: usize) -> usize {
        self.steered[at].asked.iter().filter(|(who, _)| *who == asker).count()
    }

    /// Requests of a member that have no answer.
    fn unanswered(&self, who: usize) -> usize {
        let outbox = self.members[who].home().invitation().with_file_name("outbox");
        json(&outbox).len() + json(&outbox.join("sent")).len()
    }

    /// The answers that a member's journal has of a loop.
    fn answers(&self, at: usize, asker: usize) -> Vec<(Option<WriteCause>, Option<String>)> {
        let member = &self.members[asker];
        let Some(row) = member.foreign(&self.steered[at].id) else { return Vec::new() };
        member.runtime.open_loop(&row.key).unwrap();
        let answer = |entry: loopdeck_core::timeline::TimelineEntry| match entry.content {
            EntryContent::AnsweredAcross { cause, refused } => Some((cause, refused)),
            _ => None,
        };
        member.timeline(&row.key).into_iter().filter_map(answer).collect()
    }

    /// Bob has a loop run on any node.
    fn send_job(&mut self) {
        let bob = &self.members[BOB];
        let Some(team) = bob.team.as_ref() else { return };
        let over = |stage| matches!(stage, JobStage::Ended | JobStage::Refused | JobStage::Interrupted);
        if team.jobs().iter().filter(|job| !over(job.stage)).count() >= JOBS {
            return;
        }
        match team.send_run(&form(bob), Target::Any { memory_gb: 0 }, IfGone::Continue) {
            Err(failure) if failure.kind == FailureKind::NoMachineForRun => {}
            sent => {
                sent.unwrap();
                self.done.jobs += 1;
            }
        }
    }

    /// Something goes wrong. Never two servers at once.
    fn disturb(&mut self) {
        let of_servers = |(_, trouble): &(Instant, Trouble)| {
            matches!(trouble, Trouble::Killed(_) | Trouble::DiskFull(..) | Trouble::StreamFull(..))
        };
        if self.kinds.is_empty() {
            self.kinds.extend(0..5);
        }
        let turn = self.below(self.kinds.len());
        let trouble = match self.kinds[turn] {
            kind @ 0..3 => {
                if self.troubles.iter().any(of_servers) || !self.servers.in_step() {
                    return;
                }
                let at = self.below(3);
                match kind {
                    0 => {
                        self.servers.kill(at);
                        self.done.killed += 1;
                        Trouble::Killed(at)
                    }
                    1 => {
                        self.done.disks += 1;
                        Trouble::DiskFull(at, self.disks[at].fill())
                    }
                    _ => {
                        let stream = STREAMS[self.below(STREAMS.len())];
                        let Some(before) = self.servers.room(stream, None) else { return };
                        self.done.streams += 1;
                        Trouble::StreamFull(stream, before)
                    }
                }
            }
            kind => {
                let who = self.below(self.networks.len());
                if self.troubles.iter().any(
                    |(_, trouble)| matches!(trouble, Trouble::Cut(at) | Trouble::Closed(at) if *at == who),
                ) {
                    return;
                }
                if kind == 3 {
                    self.networks[who].iter().for_each(Proxy::cut);
                    self.done.cuts += 1;
                    Trouble::Cut(who)
                } else {
                    match who {
                        PROCESS => self.process.kill(),
                        NODE => drop(self.node.team.take()),
                        _ => drop(self.members[who].team.take()),
                    }
                    self.done.closures += 1;
                    Trouble::Closed(who)
                }
            }
        };
        self.kinds.swap_remove(turn);
        let lasts = Duration::from_millis(1_000 + self.random.below(7_000));
        self.troubles.push((Instant::now() + lasts, trouble));
    }

    /// Mends what has lasted until `now`.
    fn mend(&mut self, now: Instant) {
        let (due, rest) =
            std::mem::take(&mut self.troubles).into_iter().partition(|(until, _)| *until <= now);
        self.troubles = rest;
        let due: Vec<(Instant, Trouble)> = due;
        for (_, trouble) in due {
            match trouble {
                Trouble::Killed(at) => self.servers.run(at),
                Trouble::DiskFull(at, filler) => {
                    // A server that could not write works with its streams again once it is started again.
                    fs::remove_file(filler).unwrap();
                    self.servers.kill(at);
                    self.servers.run(at);
                }
                Trouble::StreamFull(stream, before) => {
                    let deadline = Instant::now() + QUIET_WITHIN;
                    while self.servers.room(stream, Some(before)).is_none() {
                        assert!(Instant::now() < deadline, "{stream} cannot be changed");
                    }
                }
                Trouble::Cut(who) => self.networks[who].iter().for_each(Proxy::heal),
                Trouble::Closed(PROCESS) => self.process.run(),
                Trouble::Closed(NODE) => self.node.open(),
                Trouble::Closed(who) => self.members[who].open(),
            }
        }
    }

    fn run(&mut self, lasts: Duration) {
        let end = Instant::now() + lasts;
        while Instant::now() < end {
            self.mend(Instant::now());
            if self.below(4) == 0 {
                self.disturb();
            }
            self.work();
            self.send_job();
            std::thread::sleep(STEP); // the pace of the disorder
        }
        self.mend(end + lasts);
    }
}

/// An agent that tells when it begins and ends, and where.
fn tells(log: &Path) -> Scripted {
    let note = |word: &str| Step::Shell(format!("echo {word} $(date +%s) $PWD >> {}", log.display()));
    let write = Step::Write { path: "note.txt".into(), text: "noted".into() };
    let rule = develops("task-001").then(note("begins")).then(write).then(note("ends"));
    Scripted { output: Output::Text, rules: vec![rule] }
}

/// Counts them from now on. They end one task of a connection, and would be seen nowhere else.
fn panics_of_teams() -> Arc<AtomicUsize> {
    let count = Arc::<AtomicUsize>::default();
    let (counted, usual) = (Arc::clone(&count), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some("team") {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        usual(panic);
    }));
    count
}

#[test]
#[ignore = "random and long: cargo xtask chaos"]
fn in_any_disorder_nothing_is_lost_nothing_is_done_twice_and_nothing_is_stuck() {
    let seconds = std::env::var("LOOPDECK_CHAOS_SECONDS").ok().and_then(|text| text.parse().ok());
    let panics = panics_of_teams();
    let mut team = Team::new();
    team.run(Duration::from_secs(seconds.unwrap_or(SECONDS)));
    let (done, found) = team.count();
    println!(
        "chaos: {} commands, {} jobs ({} had to move), {} servers killed, {} cuts, {} closures, {} full disks, {} full streams: \
         {} lost, {} twice, {} stuck",
        done.commands,
        done.jobs,
        done.moved,
        done.killed,
        done.cuts,
        done.closures,
        done.disks,
        done.streams,
        found.lost.len(),
        found.twice.len(),
        found.stuck.len(),
    );
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(panics.load(Ordering::SeqCst), 0, "panics in threads of a connection");
    assert!(done.commands > 0 && done.jobs > 0, "{done:?}");
}
