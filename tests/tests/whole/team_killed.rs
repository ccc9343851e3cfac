//! A window that is killed in the middle of asking for something on another machine: what it had taken on is carried out once,
//! and the answer is there when it is open again.

use loopdeck_core::control::Verb;
use loopdeck_core::timeline::EntryContent;
use loopdeck_runtime::views::{VerbOptions, WriteCause};
use loopdeck_runtime::{Options, Runtime};
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_team::{Home, Participation, Team};
use loopdeck_tests::team::{Machine, Server};
use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use xtask::child::{Owned, bound_command};

const FOLDER: &str = "LOOPDECK_TEST_ASKS";

fn id(number: u32) -> String {
    format!("loop-v2-20261120T042421-{number:08}")
}

/// Another process: a window that pauses each loop whose id it reads, until it is killed.
#[test]
fn child_that_asks() {
    let Some(data) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let runtime = Arc::new(Runtime::start(&Options::new(data.clone())).unwrap());
    let (tell, told) = channel();
    runtime.subscribe(Box::new(move |_| tell.send(()).is_ok()));
    let _team = Team::start(&runtime, Home::new(&data), Participation::Full, Box::new(|| {})).unwrap();
    println!("open");
    for wanted in std::io::stdin().lines().map_while(Result::ok) {
        let key = loop {
            let rows = runtime.changes(0).rows;
            if let Some(row) = rows.into_iter().find(|row| row.id == wanted) {
                break row.key;
            }
            let _ = told.recv_timeout(Duration::from_millis(200)); // told, or time to look once more
        };
        runtime.act(&key, Verb::Pause, VerbOptions::default()).unwrap();
        println!("asked {wanted}");
    }
}

/// A window in a process of its own.
struct Window {
    process: Owned,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Window {
    fn open(data: &Path) -> Self {
        let mut command = bound_command(std::env::current_exe().unwrap());
        command.args(["--exact", "team_killed::child_that_asks", "--nocapture"]).env(FOLDER, data);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Owned::spawn(&mut command).unwrap();
        let lines = BufReader::new(process.child().stdout.take().unwrap()).lines();
        let mut window = Self { process, lines };
        window.until("open");
        window
    }

    fn until(&mut self, line: &str) {
        assert!(self.lines.by_ref().map_while(Result::ok).any(|said| said.contains(line)), "{line}");
    }

    fn ask(&mut self, id: &str) {
        writeln!(self.process.child().stdin.as_mut().unwrap(), "{id}").unwrap();
    }

    /// With SIGKILL.
    fn kill(mut self) {
        self.process.child().kill().unwrap();
        self.process.child().wait().unwrap();
    }
}

/// How many requests are kept below `folder`, whether they were sent or not.
fn kept(folder: &Path) -> usize {
    let json = |folder: PathBuf| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".json")).count()
    };
    json(folder.join("outbox")) + json(folder.join("outbox/sent"))
}

#[test]
fn what_a_window_asked_before_it_was_killed_is_done_once_and_answered_after_it_is_open_again() {
    const LOOPS: u32 = 12;
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    (0..LOOPS).for_each(|number| ada.write(&id(number), "running"));
    ada.share(Scope::State, Steering::Leads);
    let mut bob = Machine::closed(&server.invite("bob.tower", Role::Lead, None), |_| {}, |_| {});
    let data = bob.workspace.parent().unwrap().join("data");
    let team = data.join("team");
    for number in 0..LOOPS {
        let mut window = Window::open(&data);
        let before = kept(&team);
        let is_written = || ada.status(&id(number)) == "paused";
        window.ask(&id(number));
        match number % 4 {
            // It is on the disk, and nothing else is known of it.
            0 => bob.until("kept", || (kept(&team) > before || is_written()).then_some(())),
            // The person was told that it is under way.
            1 => window.until("asked"),
            // The other machine has done it, and perhaps answered.
            2 => ada.until("written", || is_written().then_some(())),
            _ => ada.until("recorded", || (ada.writes(&id(number), WriteCause::Pause) == 1).then_some(())),
        }
        window.kill();
    }
    bob.open();
    for number in 0..LOOPS {
        bob.wait_for(&id(number), |row| row.file_word == "paused");
    }
    bob.until("every answer", || (kept(&team) == 0).then_some(()));
    for number in 0..LOOPS {
        assert_eq!(ada.writes(&id(number), WriteCause::Pause), 1, "{number}: carried out once");
        let key = bob.foreign(&id(number)).unwrap().key;
        bob.runtime.open_loop(&key).unwrap();
        let answered = || {
            let timeline = bob.timeline(&key);
            let answers = timeline.into_iter().filter_map(|entry| match entry.content {
                EntryContent::AnsweredAcross { cause, refused } => Some((cause, refused)),
                _ => None,
            });
            answers.collect::<Vec<_>>()
        };
        bob.until("an answer", || (!answered().is_empty()).then_some(()));
        assert_eq!(answered(), [(Some(WriteCause::Pause), None)], "{number}: answered once");
    }
}
