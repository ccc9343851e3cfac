//! For a machine: joining, leaving, sharing. An open window takes a changed share up when it is started again.

use loopdeck_runtime::files::Canonical as _;
use std::path::{Path, PathBuf};

use loopdeck_core::times::{Timestamp, to_iso_millis};
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_team::invitation::Invitation;
use loopdeck_team::share::{Leaving, Scope, Share, Shares, Steering};

use super::{bad_option, home, said};
use crate::complaint::Complaint;
use crate::output::Answer;
use crate::text;

/// Tries an invitation.
pub(super) fn try_out(file: Option<&Path>, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let invitation = match file {
        Some(file) => Invitation::read(file)?,
        None => home(data_dir)?.0.read_invitation()?,
    };
    let tried = loopdeck_team::try_out(&invitation)?;
    let seat = tried.seat.to_string();
    let slots = [("server", &*tried.server), ("role", tried.role.word()), ("seat", &seat)];
    let safe = if tried.encrypted { "team_encrypted" } else { "team_not_encrypted" };
    let mut lines =
        vec![text::sentence("headless", "team_tried", slots), text::sentence("headless", safe, [])];
    if tried.token_only {
        lines.push(text::sentence("headless", "team_token_only", []));
    }
    if let Some(until) = tried.until {
        let day = to_iso_millis(Timestamp::from_number(until));
        lines.push(text::sentence("headless", "team_until", [("time", &*day)]));
    }
    let can = tried
        .can
        .iter()
        .map(|ability| text::sentence("headless", &format!("team_can_{}", text::name(*ability)), []));
    let lines = lines.into_iter().chain(can.map(|line| format!("  {line}")));
    Answer::new(&tried, lines.map(|line| text::plain(&line)).collect())
}

/// Joins.
pub(super) fn join(file: &Path, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let invitation = home(data_dir)?.0.join(file)?;
    said("team_joined", &[("seat", &invitation.seat.to_string())])
}

/// Leaves.
pub(super) fn leave(data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    home(data_dir)?.0.leave()?;
    said("team_left", &[])
}

/// Says what leaves the machine, and shares it when asked to.
pub(super) fn share(
    dir: &Path,
    (scope, steering): (&str, &str),
    yes: bool,
    data_dir: Option<PathBuf>,
) -> Result<Answer, Complaint> {
    let scope = Scope::ALL.into_iter().find(|known| known.word() == scope);
    let scope = scope.ok_or_else(|| bad_option("--scope"))?;
    let steering = match steering {
        "nobody" => Steering::Nobody,
        "leads" => Steering::Leads,
        "members" => Steering::Members,
        _ => return Err(bad_option("--steering")),
    };
    let (home, _) = home(data_dir)?;
    home.read_invitation()?;
    let share = Share { path: folder(dir)?, scope, steering };
    let leaving = Leaving::of(&share);
    if yes {
        let mut shares = Shares::read(&home.shares())?;
        shares.put(share);
        shares.save(&home.shares())?;
    }
    let (files, bytes) = (leaving.files.to_string(), leaving.bytes.to_string());
    let code = if yes { "team_shares" } else { "team_would_share" };
    let sentence = text::sentence("headless", code, [("files", &*files), ("bytes", &*bytes)]);
    let output = (scope == Scope::Output).then(|| text::sentence("headless", "team_shares_output", []));
    let names = leaving.names.iter().map(|name| format!("  {}", text::plain(name)));
    let lines = std::iter::once(sentence).chain(output).map(|line| text::plain(&line)).chain(names);
    let lines = lines.collect();
    Answer::new(&leaving, lines)
}

/// Shares a folder no longer.
pub(super) fn unshare(dir: &Path, data_dir: Option<PathBuf>) -> Result<Answer, Complaint> {
    let (home, _) = home(data_dir)?;
    let path = folder(dir)?;
    let mut shares = Shares::read(&home.shares())?;
    if !shares.remove(&path) {
        return Err(Failure::new(FailureKind::UnknownWorkspace).into());
    }
    shares.save(&home.shares())?;
    said("team_unshared", &[("path", &path.display().to_string())])
}

pub(super) fn folder(dir: &Path) -> Result<PathBuf, Failure> {
    dir.canonical()
        .ok()
        .filter(|path| path.is_dir())
        .ok_or_else(|| Failure::new(FailureKind::NotAFolder).with("path", dir.display()).with("reason", ""))
}
