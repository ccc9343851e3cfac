//! For whoever runs the team: keys, invitations, streams.

use std::path::Path;

use loopdeck_core::times::Timestamp;
use loopdeck_runtime::clock;
use loopdeck_team::authority::Authority;
use loopdeck_team::seat::{Role, Seat};
use loopdeck_team::set_up;

use super::{bad_option, said};
use crate::complaint::Complaint;
use crate::output::Answer;
use crate::report::moment;

/// Makes a team.
pub(super) fn init(folder: &Path, servers: &[String]) -> Result<Answer, Complaint> {
    let known = ["nats://", "tls://"];
    if servers.iter().any(|server| !known.iter().any(|scheme| server.starts_with(scheme))) {
        return Err(bad_option("--server"));
    }
    let team = Authority::init(folder, servers, clock::now())?;
    let configuration = team.server_configuration();
    said("team_made", &[("folder", &shown(folder)), ("configuration", &shown(&configuration))])
}

/// Makes the streams.
pub(super) fn setup(folder: &Path, replicas: usize) -> Result<Answer, Complaint> {
    if !(1..=5).contains(&replicas) {
        return Err(bad_option("--replicas"));
    }
    set_up(&Authority::open(folder)?.operator()?, replicas)?;
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
    let end: Option<Timestamp> = until.map(moment).transpose()?;
    let mut team = Authority::open(folder)?;
    let invitation = team.invite(&seat, role, clock::now(), end)?;
    invitation.write(output).map_err(|error| {
        Complaint::own("cannot_write", &[("path", &shown(output)), ("reason", &error.to_string())])
    })?;
    said("team_invited", &[("seat", &seat.to_string()), ("path", &shown(output))])
}

/// Shuts a machine out.
pub(super) fn revoke(folder: &Path, seat: &str) -> Result<Answer, Complaint> {
    let seat = Seat::parse(seat).ok_or_else(|| Complaint::own("bad_seat", &[("seat", seat)]))?;
    let mut team = Authority::open(folder)?;
    team.revoke(&seat, clock::now())?;
    said("team_revoked", &[("seat", &seat.to_string())])
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
