//! The connection without a window: until it is ended, or for one look.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use loopdeck_core::status::Program;
use loopdeck_runtime::views::{Failure, FailureKind, LoopRow};
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_team::seat::Role;
use loopdeck_team::{ConnectionView, Home, MachineView, NodeRules, Participation, Team};
use serde::Serialize;

use super::home;
use crate::complaint::{self, Complaint};
use crate::output::Answer;
use crate::platform::on_interrupt;
use crate::text;
use crate::workspace::{self, rows};

/// How long a look waits for the server.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often an end that was asked for is looked for.
const LOOK: Duration = Duration::from_millis(200);

/// One loop of the team for scripts.
#[derive(Debug, Serialize)]
struct TeamLoop {
    member: String,
    machine: String,
    folder: String,
    reachable: bool,
    id: String,
    file: String,
    shown_status: loopdeck_core::status::StatusWord,
    title: String,
}

/// Every loop that other machines share.
pub(crate) fn list(data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let (home, data) = home(data_dir)?;
    let copies = data.join("team").join(format!("look-{}", std::process::id()));
    let answer = look(home.with_copies(copies.clone()), &data);
    let _ = std::fs::remove_dir_all(copies); // a look leaves no trace; what cannot be removed is removed with the team
    answer
}

fn look(home: Home, data: &std::path::Path) -> Result<Answer, Complaint> {
    let runtime = Arc::new(workspace::start(&Options::once(data.to_owned(), Traces::Nothing))?);
    let (team, told) = start(&runtime, home, Participation::Looking)?;
    current(&team, &told)?;
    let loops: Vec<TeamLoop> = rows(&runtime).iter().filter_map(|row| of_team(&runtime, row)).collect();
    let lines = loops.iter().map(line).collect();
    Answer::new(&loops, lines)
}

/// Waits until everything that others share has arrived.
pub(super) fn current(team: &Team, told: &Receiver<()>) -> Result<(), Complaint> {
    let deadline = Instant::now() + PATIENCE;
    while !team.is_current() {
        if let ConnectionView::Lost { failure: Some(failure), .. } = team.view().connection {
            return Err(failure.into());
        }
        if let Some(reason) = team.view().refused {
            return Err(Failure::new(FailureKind::TeamRefused).with("reason", reason).into());
        }
        if Instant::now() > deadline {
            let servers = team.view().servers.join(", ");
            return Err(Failure::new(FailureKind::TeamUnreachable)
                .with("address", servers)
                .with("reason", "")
                .into());
        }
        let _ = told.recv_timeout(LOOK); // told, or time to look at the clock
    }
    Ok(())
}

fn of_team(runtime: &Runtime, row: &LoopRow) -> Option<TeamLoop> {
    let whose = runtime.elsewhere(&row.key)?;
    Some(TeamLoop {
        member: whose.member,
        machine: whose.machine,
        folder: whose.name,
        reachable: whose.unreachable_since.is_none(),
        id: row.id.clone(),
        file: row.file.clone(),
        shown_status: row.word,
        title: row.title.clone(),
    })
}

fn line(one: &TeamLoop) -> String {
    let whose = format!("{}.{}", one.member, one.machine);
    text::plain(&format!(
        "{whose}  {}  {}  {}  {}",
        one.folder,
        one.id,
        text::name(one.shown_status),
        one.title
    ))
}

/// Shares and carries out commands until the program is ended.
pub(super) fn serve(data_dir: Option<PathBuf>, as_node: bool) -> Result<Answer, Complaint> {
    let (home, data) = home(data_dir)?;
    let takes_nothing = if as_node { takes_nothing(&home) } else { None };
    takes_nothing.iter().for_each(|sentence| say(sentence));
    let options = Options { traces: Traces::Runs, program: Program::Node, ..Options::new(data) };
    let runtime = Arc::new(workspace::start(&options)?);
    let (team, told) = start(&runtime, home, Participation::Full)?;
    for share in team.shares() {
        runtime.open_workspace(&share.path)?;
    }
    let end = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&end);
    on_interrupt(move || asked.store(true, Ordering::Relaxed)).map_err(Failure::own_data)?;
    let mut said = Vec::new();
    while !end.load(Ordering::Relaxed) {
        let now = sentences(&team);
        now.iter().filter(|sentence| !said.contains(*sentence)).for_each(|sentence| say(sentence));
        said = now;
        let _ = told.recv_timeout(LOOK); // told, or time to look whether the end was asked for
    }
    Answer::new(&team.view(), Vec::new())
}

pub(super) fn start(
    runtime: &Arc<Runtime>,
    home: Home,
    part: Participation,
) -> Result<(Team, Receiver<()>), Failure> {
    let (tell, told) = channel();
    let tell = Box::new(move || tell.send(()).unwrap_or_default());
    let team = Team::start(runtime, home, part, tell)?;
    complaint::tell(&team.damaged_data());
    Ok((team, told))
}

/// Why `loopdeck node` takes no work, and what it does all the same.
fn takes_nothing(home: &Home) -> Option<String> {
    let role = home.read_invitation().ok()?.role;
    let allows = !NodeRules::read(&home.node()).ok()?.folders.is_empty(); // `start` names a damaged file
    let code = match (role, allows) {
        (Role::Node, true) => return None,
        (Role::Node, false) => "node_allows_nothing",
        _ => "node_other_role",
    };
    Some(text::sentence("headless", code, [("role", role.word())]))
}

fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "{}", text::plain(sentence)); // nobody may be reading
}

/// The connection, and whose clock is wrong.
fn sentences(team: &Team) -> Vec<String> {
    let clock = |machine: &MachineView| {
        let minutes = machine.clock_ahead?;
        let code = if minutes > 0 { "team_clock_ahead" } else { "team_clock_behind" };
        let args = [("seat", machine.seat.to_string()), ("minutes", minutes.abs().to_string())];
        Some(text::sentence("headless", code, args.iter().map(|(name, value)| (*name, &**value))))
    };
    let clocks: Vec<String> = team.view().machines.iter().filter_map(clock).collect();
    std::iter::once(sentence(team)).chain(clocks).collect()
}

/// The connection in one sentence.
fn sentence(team: &Team) -> String {
    let view = team.view();
    let (code, value) = match &view.connection {
        ConnectionView::Connecting => ("team_connecting", view.servers.join(", ")),
        ConnectionView::Connected { server } => ("team_connected", server.clone()),
        ConnectionView::Lost { failure: None, .. } => ("team_lost", view.servers.join(", ")),
        ConnectionView::Lost { failure: Some(failure), .. } => {
            let kind = text::name(failure.kind);
            return text::sentence("failure", &kind, text::pairs(&failure.args));
        }
    };
    text::sentence("headless", code, [("server", &*value)])
}
