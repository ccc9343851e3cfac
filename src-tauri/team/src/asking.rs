//! What waits for a person: told to the others of the team, and shown where somebody may answer it.

use crate::message::Asked;
use crate::seat::Seat;
use crate::state::SharedNeedsByLoop;
use crate::team::{Context, outside};
use loopdeck_core::times::Timestamp;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::rows::Need;
use loopdeck_runtime::elsewhere::RemoteChange;
use loopdeck_system::dirs;

/// So many needs of one loop are told.
const MOST: usize = 20;
/// The longest list of them that is read.
const LARGEST: usize = 512 << 10;

/// What leaves a machine of the needs of a loop: without secrets, and without what means nothing elsewhere.
pub(crate) fn published(needs: &[Need], mask: &Mask) -> serde_json::Result<Vec<u8>> {
    let bare = |need: &Need| Need { key: String::new(), folder: String::new(), ..need.clone() };
    let bare: Vec<Need> = needs.iter().take(MOST).map(bare).collect();
    Ok(mask.hide(serde_json::to_string(&bare)?).into_bytes())
}

/// The needs that another machine tells of; none when they are too many, or in no form that is known.
pub(crate) fn read(body: &[u8]) -> Vec<Need> {
    let needs: Option<Vec<Need>> =
        (body.len() <= LARGEST).then(|| serde_json::from_slice(body).ok()).flatten();
    needs.unwrap_or_default().into_iter().take(MOST).filter(|need| is_name(&need.id)).collect()
}

/// Whether something that waits can have this name.
fn is_name(id: &str) -> bool {
    id.len() <= 60 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl Context {
    /// Shows what waits in a share: with answers where this machine may steer, and without where one is under way.
    pub(crate) fn show_needs(&self, seat: &Seat, share: &str) {
        let steerable = {
            let state = self.state.lock();
            let folder = state.folders.get(&(seat.clone(), share.to_owned()));
            folder.is_some_and(|folder| folder.steering.allows(self.invitation.role))
        };
        let under_way: Vec<Asked> = self.outbox.unanswered();
        let answered = |file: &str, need: &Need| {
            under_way.iter().find_map(|Asked { command, change }| match change {
                RemoteChange::Answer { need: id, since, .. }
                    if (&command.to, command.share.as_str(), command.file.as_str())
                        == (seat, share, file)
                        && *id == need.id
                        && since.total_cmp(&need.since).is_eq() =>
                {
                    Some(Timestamp::from_millis(command.at).number())
                }
                _ => None,
            })
        };
        let mut shown: Vec<(String, Need)> = Vec::new();
        let waiting = of_share(&self.state.lock().needs, seat, share);
        for (file, need) in waiting {
            let mut need = Need { requested: answered(&file, &need), ..need };
            if !steerable || need.requested.is_some() {
                need.answers.clear();
            }
            shown.push((file, need));
        }
        let folder = self.home.mirrors().join(seat.to_string()).join(share);
        outside(|| self.runtime.show_remote_needs(&dirs::id_of(&folder), shown));
    }
}

fn of_share(needs: &SharedNeedsByLoop, seat: &Seat, share: &str) -> Vec<(String, Need)> {
    let mine = needs.iter().filter(|((of, of_share, _), _)| (of, of_share.as_str()) == (seat, share));
    mine.flat_map(|((.., file), needs)| needs.iter().map(|need| (file.clone(), need.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_of_needs_is_none() {
        for body in [&b""[..], b"{}", b"[{}]", b"null", b"[[[[", &vec![b'['; LARGEST + 1]] {
            assert_eq!(read(body), Vec::new());
        }
        assert!(is_name("need-17") && !is_name("need-1@x") && !is_name("../x") && !is_name(&"a".repeat(61)));
    }
}
