//! `loopdeck team send`, `runs`, `take-in`: loops that run on another machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use loopdeck_runtime::drivers::rows::Need;
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_team::seat::Seat;
use loopdeck_team::{IfGone, JobStage, JobView, Participation, Target, Team};

use super::serving::{current, start};
use super::{bad_option, home, said};
use crate::complaint::Complaint;
use crate::new::{self, NewOptions};
use crate::output::Answer;
use crate::plan_options::PlanOptions;
use crate::run::says;
use crate::text;
use crate::workspace;

/// How long the server may take with a job and its commits.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often the clock is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Where to, as options say it.
#[derive(clap::Args, Debug, PartialEq)]
pub(crate) struct Destination {
    /// The machine, such as ada.tower, or any: whichever has the agent and the repository
    #[arg(long, value_name = "MACHINE")]
    on: String,
    /// With any: a machine with at least so much memory
    #[arg(long, value_name = "N", default_value_t = 0)]
    memory_gb: u32,
    /// When the machine is gone in the middle: continue (on another one, from the last state) or interrupt
    #[arg(long, value_name = "WHAT", default_value = "continue")]
    if_gone: String,
    /// Trust the folder for this command, so that git may be asked about it
    #[arg(long = "yes-trust")]
    trust: bool,
}

/// Sends the work of the options, and waits until the server has it.
pub(super) fn send(
    dir: &Path,
    destination: &Destination,
    (new, plan): (NewOptions, PlanOptions),
    data_dir: Option<PathBuf>,
) -> Result<Answer, Complaint> {
    let target = match &*destination.on {
        "any" => Target::Any { memory_gb: destination.memory_gb },
        on => Target::Machine {
            seat: Seat::parse(on).ok_or_else(|| Complaint::own("bad_seat", &[("seat", on)]))?,
        },
    };
    let if_gone = match &*destination.if_gone {
        "continue" => IfGone::Continue,
        "interrupt" => IfGone::Interrupt,
        _ => return Err(bad_option("--if-gone")),
    };
    if new.issue_wanted(false).is_some() {
        return Err(bad_option("--from-issue"));
    }
    let form = new::form(dir, new, plan)?;
    with_team(data_dir, |team, told, runtime| {
        if destination.trust {
            runtime.trust(&form.folder, true)?;
        }
        let id = team.send_run(&form, target, if_gone).map_err(|failure| asked(&failure))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let jobs = team.jobs();
            let job = jobs.iter().find(|job| job.id == id).ok_or_else(|| bad_option("--on"))?;
            if job.stage != JobStage::Waiting || Instant::now() > deadline {
                let code = if job.stage == JobStage::Waiting { "run_kept" } else { "run_sent" };
                return Answer::new(
                    job,
                    vec![text::plain(&text::sentence("headless", code, [("id", &*id)]))],
                );
            }
            let _ = told.recv_timeout(LOOK); // told, or time to look at the clock
        }
    })
}

/// Git is asked in trusted folders only.
fn asked(failure: &Failure) -> Complaint {
    match failure.kind {
        FailureKind::Untrusted => Complaint::untrusted(failure),
        FailureKind::RepositoryChanged => Complaint::changed(failure),
        _ => Complaint::from_failure(failure, None),
    }
}

/// Lists what was sent, and how far it is.
pub(super) fn runs(data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    with_team(data_dir, |team, told, runtime| {
        // What was told meanwhile arrives at once; a result takes as long as its bytes.
        wait_for_result(team, told, |_| true);
        let jobs = team.jobs();
        let needs = runtime.needs().needs;
        let lines = jobs.iter().flat_map(|job| lines(job, &needs));
        Answer::new(&jobs, lines.map(|line| text::plain(&line)).collect())
    })
}

/// Waits until the results of these jobs are here.
fn wait_for_result(team: &Team, told: &Receiver<()>, of: impl Fn(&JobView) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    let awaited = |job: &JobView| job.stage == JobStage::Ended && job.result_awaited && of(job);
    while team.jobs().iter().any(&awaited) && Instant::now() < deadline {
        let _ = told.recv_timeout(LOOK); // told, or time to look at the clock
    }
}

/// Takes a result in.
pub(super) fn take_in(id: &str, trust: bool, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    with_team(data_dir, |team, told, runtime| {
        let folder = team.jobs().into_iter().find(|job| job.id == id).map(|job| job.folder);
        if let Some(folder) = folder.filter(|_| trust) {
            runtime.trust(&folder, true)?;
        }
        wait_for_result(team, told, |job| job.id == id);
        let branch = team.take_in(id).map_err(|failure| asked(&failure))?;
        said("run_taken_in", &[("branch", &branch)])
    })
}

/// Takes a run back, or forgets one that is over.
pub(super) fn withdraw(id: &str, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    with_team(data_dir, |team, told, _| {
        team.withdraw(id)?;
        let deadline = Instant::now() + PATIENCE;
        let open = |stage| matches!(stage, JobStage::Waiting | JobStage::Queued | JobStage::Running);
        while team.jobs().iter().any(|job| job.id == id && open(job.stage)) && Instant::now() < deadline {
            let _ = told.recv_timeout(LOOK); // told, or time to look at the clock
        }
        said("run_withdrawn", &[])
    })
}

fn with_team(
    data_dir: Option<PathBuf>,
    act: impl FnOnce(&Team, &Receiver<()>, &Runtime) -> Result<Answer, Complaint>,
) -> Result<Answer, Complaint> {
    let (home, data) = home(data_dir)?;
    let copies = data.join("team").join(format!("look-{}", std::process::id()));
    let done = (|| {
        let runtime = Arc::new(workspace::start(&Options::once(data, Traces::Nothing))?);
        let (team, told) = start(&runtime, home.with_copies(copies.clone()), Participation::Asking)?;
        current(&team, &told)?;
        act(&team, &told, &runtime)
    })();
    let _ = std::fs::remove_dir_all(copies); // what cannot be removed is removed with the team
    done
}

/// A job, why no machine takes it, and what its loop asks.
fn lines(job: &JobView, needs: &[Need]) -> Vec<String> {
    let say = |code: &str, args: &[(&str, &str)]| {
        format!("  {}", text::sentence("headless", code, args.iter().copied()))
    };
    let seat = job.seat.as_ref().map_or("-".to_owned(), Seat::to_string);
    let branch = job.branch.as_deref().unwrap_or("");
    let first = format!("{}  {}  {seat}  {}  {branch}", job.id, text::name(job.stage), job.title);
    let mut lines = vec![first.trim_end().to_owned()];
    if let Some(why) = &job.why {
        let reason = why_text(why, job.reason.as_deref());
        // In the end nobody took one that waited for too long.
        let code = if job.seat.is_some() { "run_refused_there" } else { "run_refused" };
        lines.push(say(code, &[("where", &seat), ("reason", &reason)]));
    }
    for passed in &job.passed {
        let (seat, reason) = (passed.seat.to_string(), why_text(&passed.why, None));
        lines.push(say("run_refused_there", &[("where", &seat), ("reason", &reason)]));
    }
    if job.has_result {
        lines.push(say("run_has_result", &[("id", &job.id)]));
    }
    for need in needs.iter().filter(|need| job.key.as_ref() == Some(&need.key)) {
        lines.push(say("run_asks", &[("says", &says(need))]));
        let words = need.text.lines().filter(|line| !line.trim().is_empty());
        lines.extend(words.map(|line| format!("    {line}")));
    }
    lines
}

/// Why another machine does not run a job: words that are known here, never those of a code alone where there are any.
fn why_text(why: &str, reason: Option<&str>) -> String {
    let reason = reason.map(|reason| ("reason", reason));
    if text::has("run_refused", why) {
        text::sentence("run_refused", why, [])
    } else if text::needs_only("failure", why, reason.map(|(name, _)| name).as_slice()) {
        text::sentence("failure", why, reason)
    } else {
        [Some(why), reason.map(|(_, said)| said)].into_iter().flatten().collect::<Vec<_>>().join(": ")
    }
}
