//! After a stop of a loop that another program runs: waits until that program has ended it, and says what it left.

use std::thread;
use std::time::{Duration, Instant};

use loopdeck_core::times::Timestamp;
use loopdeck_runtime::drivers::rows::StopView;
use loopdeck_runtime::views::LoopRow;

use super::complaint::Complaint;
use super::workspace::Workspace;

/// How long an end is waited for: longer than agents get to finish and guardians need to end what doesn't.
const PATIENCE: Duration = Duration::from_secs(40);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What the runs of the loop left that ended by this stop; `None` when no other program ran it, or it runs still: an AoT loop
/// stops after its round. `since`: when the stop was asked for.
pub(super) fn wait(
    workspace: &mut Workspace,
    before: &LoopRow,
    since: Timestamp,
) -> Result<Option<StopView>, Complaint> {
    if before.runner.is_none() || before.format.works_in_rounds() {
        return Ok(None);
    }
    let begun = Instant::now();
    loop {
        workspace.look_again()?;
        let row = workspace.find(&before.file)?;
        if row.runner.is_none() {
            break;
        }
        if begun.elapsed() > PATIENCE {
            return Ok(None);
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    let runs = workspace.runtime.runs(&before.key)?;
    let stopped = runs.into_iter().filter(|run| run.ended.is_some_and(|at| at >= since.number()));
    Ok(stopped.filter_map(|run| run.stop).reduce(together))
}

fn together(one: StopView, other: StopView) -> StopView {
    use StopView as S;
    match (one, other) {
        (S::Unknown { why }, _) | (_, S::Unknown { why }) => S::Unknown { why },
        (S::AllGone { ended }, S::AllGone { ended: more }) => S::AllGone { ended: ended + more },
        (S::Left { ended, processes }, S::AllGone { ended: more })
        | (S::AllGone { ended: more }, S::Left { ended, processes }) => {
            S::Left { ended: ended + more, processes }
        }
        (S::Left { ended, mut processes }, S::Left { ended: more, processes: others }) => {
            processes.extend(others);
            S::Left { ended: ended + more, processes }
        }
    }
}

/// Whether something is left, or that is unknown.
pub(super) fn is_left(stop: &StopView) -> bool {
    !matches!(stop, StopView::AllGone { .. })
}
