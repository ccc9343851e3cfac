//! What waits for a person: told to the others of the team, and shown where somebody may answer it.

use crate::context::{Context, run_blocking};
use crate::message::AskedChange;
use crate::place::SharePlace;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::rows::Need;
use loopdeck_runtime::elsewhere::RemoteChange;

/// So many needs of one loop are told.
const MOST: usize = 20;
/// The longest list of them that is read.
const LARGEST: usize = 512 << 10;

/// What leaves a machine of the needs of a loop: without secrets, and without what means nothing elsewhere.
pub(crate) fn publishable_needs(needs: &[Need], mask: &Mask) -> serde_json::Result<Vec<u8>> {
    let bare = |need: &Need| Need { key: String::new(), folder: String::new(), ..need.clone() };
    let bare: Vec<Need> = needs.iter().take(MOST).map(bare).collect();
    Ok(mask.hide(serde_json::to_string(&bare)?).into_bytes())
}

/// The needs that another machine tells of; none when they are too many, or in no form that is known.
pub(crate) fn read_needs(body: &[u8]) -> Vec<Need> {
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
    pub(crate) fn show_needs(&self, share: &SharePlace) {
        let (steerable, waiting) = {
            let state = self.state.lock();
            let folder = state.folders.get(share);
            let steerable = folder.is_some_and(|folder| folder.steering.allows(self.invitation.role));
            let of_share = state.needs.iter().filter(|(place, _)| place.share == *share);
            let waiting =
                of_share.flat_map(|(place, needs)| needs.iter().map(|need| (place.clone(), need.clone())));
            (steerable, waiting.collect::<Vec<_>>())
        };
        let under_way = self.outbox.unanswered_requests();
        let shown = waiting.into_iter().map(|(place, need)| {
            let answered = under_way.iter().find(|AskedChange { command, change }| {
                let is_this = |id: &str, since: f64| *id == need.id && since.total_cmp(&need.since).is_eq();
                command.place() == place
                    && matches!(change, RemoteChange::Answer { need: id, since, .. } if is_this(id, *since))
            });
            let at = answered.map(|asked| Timestamp::from_millis(asked.command.at).number());
            let mut need = Need { requested: at, ..need };
            if !steerable || need.requested.is_some() {
                need.answers.clear();
            }
            (place.file, need)
        });
        let shown = shown.collect();
        run_blocking(|| self.runtime.show_remote_needs(&self.copy_id(share), shown));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_of_needs_is_none() {
        for body in [&b""[..], b"{}", b"[{}]", b"null", b"[[[[", &vec![b'['; LARGEST + 1]] {
            assert_eq!(read_needs(body), Vec::new());
        }
        assert!(is_name("need-17") && !is_name("need-1@x") && !is_name("../x") && !is_name(&"a".repeat(61)));
    }
}
