//! Status and action words of the CCW family (the CCW contract §4, §18).

use crate::phase::CcwPhase;
use crate::status::FileStatus;

/// The reason that makes `failed` a stop by the user.
pub(crate) const LAUNCH_FAILED: &str = "Skill execution failed";
pub(crate) const STOPPED_BY_USER: &str = "Manually stopped by user";

/// The meaning of a status word; compared case-insensitively.
pub(crate) fn status(word: &str, failure_reason: Option<&str>) -> FileStatus {
    match word.to_ascii_lowercase().as_str() {
        "created" | "pending" => FileStatus::NotStarted,
        "running" => FileStatus::Running,
        "paused" => FileStatus::Paused,
        "failed" if failure_reason == Some(STOPPED_BY_USER) => FileStatus::StoppedByUser,
        "failed" => FileStatus::Failed,
        "completed" => FileStatus::Completed,
        "user_exit" => FileStatus::UserExit,
        _ => FileStatus::Unknown,
    }
}

/// `DEVELOP`, `develop`, `action-develop-with-file` all mean develop; `menu`, `paused` and others mean none.
pub(crate) fn action(word: &str) -> Option<CcwPhase> {
    let word = word.trim().to_ascii_lowercase();
    let word = word.strip_prefix("action-").unwrap_or(&word);
    CcwPhase::from_word(word.strip_suffix("-with-file").unwrap_or(word))
}

/// Where a loop stands: Codex leaves `current_action` at `init` for ever and Claude clears it, so a current action
/// counts only when it says more than `last_action`.
pub(crate) fn stands_at(current: Option<&str>, last: Option<&str>) -> CcwPhase {
    let current = current.and_then(action).filter(|action| *action != CcwPhase::Init);
    current.or(last.and_then(action)).unwrap_or(CcwPhase::Init)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_action_is_one_word() {
        for word in ["DEVELOP", "develop", "action-develop-with-file", " Develop "] {
            assert_eq!(action(word), Some(CcwPhase::Develop), "{word}");
        }
        assert_eq!(action("action-init"), Some(CcwPhase::Init));
        assert_eq!((action("paused"), action("action-menu"), action("")), (None, None, None));
    }

    #[test]
    fn the_last_action_counts_when_the_current_one_says_nothing() {
        assert_eq!(stands_at(Some("init"), Some("DEBUG")), CcwPhase::Debug);
        assert_eq!(stands_at(None, Some("action-validate-with-file")), CcwPhase::Validate);
        assert_eq!(stands_at(Some("validate"), Some("DEVELOP")), CcwPhase::Validate);
        assert_eq!(stands_at(Some("paused"), None), CcwPhase::Init);
    }
}
