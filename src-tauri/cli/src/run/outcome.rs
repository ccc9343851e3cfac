//! How a run ended, and the exit code for it.

use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{Need, NeedKind, StopView};
use loopdeck_runtime::views::LoopRow;
use serde::Serialize;

/// How a run ended. Words: catalogue `headless.run_<outcome>`; codes: `words/help/run.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ended {
    /// The loop is completed.
    Completed,
    /// The plan's own tool ended without a failure, and the plan is not completed.
    #[serde(rename = "tool_ended")]
    OwnTool,
    /// The work failed, or the loop was marked as failed.
    Failed,
    /// An answer is needed, and no `--answer` gave it.
    NeedsPerson,
    /// A limit is used up.
    Limit,
    /// It was paused.
    Paused,
    /// It was left by its menu.
    Left,
    /// The agent's service refuses: usage limit, sign-in.
    Unavailable,
    /// Processes are left after a stop, or it is unknown whether any are.
    NotAllGone,
    /// Ctrl-C, or it was stopped elsewhere; every process ended.
    Stopped,
}

impl Ended {
    /// All of them.
    #[cfg(test)]
    pub(super) const ALL: [Self; 10] = [
        Ended::Completed,
        Ended::OwnTool,
        Ended::Failed,
        Ended::NeedsPerson,
        Ended::Limit,
        Ended::Paused,
        Ended::Left,
        Ended::Unavailable,
        Ended::NotAllGone,
        Ended::Stopped,
    ];

    /// The exit code of the program.
    pub(super) fn code(self) -> u8 {
        match self {
            Ended::Completed | Ended::OwnTool => 0,
            Ended::Failed => 1,
            Ended::NeedsPerson => 3,
            Ended::Limit => 4,
            Ended::Paused | Ended::Left => 5,
            Ended::Unavailable => 6,
            Ended::NotAllGone => 7,
            Ended::Stopped => 130,
        }
    }

    /// How it ended, from the row once none of our processes works on the loop, and from the open needs.
    /// `is_gone`: its file is, and the row is the last one; `left_open`: an unanswered need ended it; `stopping`: Ctrl-C did.
    pub(super) fn from_row(
        row: &LoopRow,
        needs: &[Need],
        (is_gone, left_open, stopping): (bool, bool, bool),
    ) -> Self {
        let waits = |kind| needs.iter().any(|need| need.kind == kind);
        let stop = row.run.as_ref().and_then(|run| run.stop.as_ref());
        let left = matches!(stop, Some(StopView::Left { .. } | StopView::Unknown { .. }));
        match row.word {
            _ if left || waits(NeedKind::LeftOver) => Ended::NotAllGone,
            StatusWord::Completed | StatusWord::CompletedWithWarnings => Ended::Completed,
            _ if is_gone => Ended::Failed,
            _ if left_open => Ended::NeedsPerson,
            StatusWord::Stopped => Ended::Stopped,
            _ if stopping => Ended::Stopped,
            _ if waits(NeedKind::LimitReached) => Ended::Limit,
            StatusWord::LimitReached => Ended::Limit,
            _ if waits(NeedKind::UsageLimit) || waits(NeedKind::SignIn) => Ended::Unavailable,
            StatusWord::LeftByUser => Ended::Left,
            StatusWord::Paused | StatusWord::Pausing => Ended::Paused,
            _ => Ended::Failed,
        }
    }
}
