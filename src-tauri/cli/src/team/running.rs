//! For whoever runs the team: keys, invitations, streams.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use loopdeck_core::times::Timestamp;
use loopdeck_runtime::clock;
use loopdeck_runtime::views::{Failure, FailureKind};
use loopdeck_team::authority::Authority;
use loopdeck_team::seat::{Role, Seat};
use loopdeck_team::server_token::ServerToken;
use loopdeck_team::{enlist, set_up};

use super::{bad_option, said};
use crate::complaint::Complaint;
use crate::output::Answer;
use crate::report::moment;
use crate::text::{plain, sentence};

/// So much of a file with a token is read.
const LONGEST_FILE: u64 = 4_096;

/// Makes a team.
pub(super) fn init(
    folder: &Path,
    servers: &[String],
    token_file: Option<&Path>,
) -> Result<Answer, Complaint> {
    let known = ["nats://", "tls://"];
    if servers.iter().any(|server| !known.iter().any(|scheme| server.starts_with(scheme))) {
        return Err(bad_option("--server"));
    }
    let token = token_file.map(token_of).transpose()?;
    let code = if token.is_some() { "team_made_with_token" } else { "team_made" };
    let team = Authority::init(folder, servers, token, clock::now())?;
    let configuration = team.server_configuration();
    said(code, &[("folder", &shown(folder)), ("configuration", &shown(&configuration))])
}

/// Records the new token of the servers.
pub(super) fn change_token(folder: &Path, file: &Path) -> Result<Answer, Complaint> {
    let mut team = Authority::open(folder)?;
    if !team.is_token_only() {
        return Err(bad_option("--token-file"));
    }
    team.change_token(token_of(file)?, clock::now())?;
    said("team_token_changed", &[("folder", &shown(folder))])
}

/// The token in a file: on a command line, other people of the computer would see it.
fn token_of(file: &Path) -> Result<ServerToken, Complaint> {
    let mut text = String::new();
    let read = File::open(file).and_then(|open| open.take(LONGEST_FILE).read_to_string(&mut text));
    read.map_err(|error| {
        Failure::new(FailureKind::Unreadable).with("path", file.display()).with("reason", error)
    })?;
    ServerToken::parse(&text).ok_or_else(|| Complaint::own("bad_token", &[("path", &shown(file))]))
}

/// Makes the streams.
pub(super) fn setup(folder: &Path, replicas: usize) -> Result<Answer, Complaint> {
    if !(1..=5).contains(&replicas) {
        return Err(bad_option("--replicas"));
    }
    let team = Authority::open(folder)?;
    let operator = team.operator()?;
    set_up(&operator, replicas)?;
    let machines = team.members().iter().filter(|one| one.revoked.is_none());
    let machines: Vec<(Seat, Role)> = machines.map(|one| (one.seat.clone(), one.role)).collect();
    enlist(&operator, &machines)?;
    said("team_set_up", &[])
}

/// Invites a machine.
pub(super) fn invite(
    folder: &Path,
    (seat, role): (&str, &str),
    until: Option<&str>,
    output: &Path,
) -> Result<Answer, Complaint> {
    let seat = Seat::parse(seat).ok_or_else(|| Complaint::own("bad_seat", &[("seat", seat)]))?;
    let role = Role::from_word(role).filter(|role| *role != Role::Operator);
    let role = role.ok_or_else(|| bad_option("--role"))?;
    let end: Option<Timestamp> = until.map(|date| end_of(date, clock::now())).transpose()?;
    let mut team = Authority::open(folder)?;
    let again = team.members().iter().any(|known| known.seat == seat && known.revoked.is_none());
    let code = match (again, team.is_token_only()) {
        (false, _) => "team_invited",
        (true, false) => "team_invited_again",
        (true, true) => "team_invited_again_with_token",
    };
    let invitation = team.invite(&seat, role, clock::now(), end)?;
    invitation.write(output).map_err(|error| {
        Complaint::own("cannot_write", &[("path", &shown(output)), ("reason", &error.to_string())])
    })?;
    let answer = said(code, &[("seat", &seat.to_string()), ("path", &shown(output))])?;
    let Err(failure) = enlist(&team.operator()?, &[(seat, role)]) else { return Ok(answer) };
    let (why, folder) = (Complaint::from_failure(&failure, None), shown(folder));
    let args = [("reason", why.sentence()), ("folder", &*folder)];
    Ok(answer.and(plain(&sentence("headless", "team_not_enlisted", args))))
}

/// A day counts to its end where the person is; what is over is no end of an invitation.
fn end_of(date: &str, now: Timestamp) -> Result<Timestamp, Complaint> {
    let end = match clock::end_of_day(date) {
        Some(end) => end,
        None => moment(date)?,
    };
    if end <= now { Err(Complaint::own("until_past", &[("date", date)])) } else { Ok(end) }
}

/// Shuts a machine out.
pub(super) fn revoke(folder: &Path, seat: &str) -> Result<Answer, Complaint> {
    let seat = Seat::parse(seat).ok_or_else(|| Complaint::own("bad_seat", &[("seat", seat)]))?;
    let mut team = Authority::open(folder)?;
    team.revoke(&seat, clock::now())?;
    let code = if team.is_token_only() { "team_revoked_with_token" } else { "team_revoked" };
    said(code, &[("seat", &seat.to_string())])
}

/// Everybody who was invited.
pub(super) fn members(folder: &Path) -> Result<Answer, Complaint> {
    let team = Authority::open(folder)?;
    let line = |one: &loopdeck_team::authority::Invited| {
        let revoked = if one.revoked.is_some() { "  revoked" } else { "" };
        format!("{}  {}{revoked}", one.seat, one.role.word())
    };
    Answer::new(&team.members(), team.members().iter().map(line).collect())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
