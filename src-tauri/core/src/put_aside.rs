//! Loops that a person put aside in the list: archived, or snoozed until a time. Each comes back by itself when it has something new to say.

use crate::status::{Group, StatusWord};
use crate::times::Timestamp;
use serde::{Deserialize, Serialize};

/// What was known of a loop at one moment, as far as its coming back depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopSight {
    /// Its shown word.
    pub word: StatusWord,
    /// Whether it was worked on.
    pub active: bool,
    /// Whether it was where a person should look.
    pub attention: bool,
    /// When its state file last changed.
    pub changed: Timestamp,
    /// Its open questions.
    pub needs: u32,
    /// Whether it fired an attention rule of the person.
    pub fires: bool,
}

impl LoopSight {
    /// A loop under `word` in `group`, without questions and rules.
    #[must_use]
    pub fn new(word: StatusWord, group: Group, changed: Timestamp) -> Self {
        let (active, attention) = (group == Group::Active, group == Group::Attention);
        Self { word, active, attention, changed, needs: 0, fires: false }
    }
}

/// A loop that is not in the list for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutAside {
    /// Until when; `None` means for good: it is archived.
    pub until: Option<Timestamp>,
    /// What was known of it then.
    pub seen: LoopSight,
}

impl PutAside {
    /// Whether the loop, as it is `now`, belongs in the list again: it asks something new, needs a person in another way than then, or,
    /// where it was archived, was started.
    #[must_use]
    pub fn is_over(&self, now: &LoopSight) -> bool {
        let then = &self.seen;
        let asks = now.needs > then.needs || (now.fires && !then.fires);
        let needs_person = now.attention && (now.word != then.word || now.changed > then.changed);
        let starts = self.until.is_none() && now.active && !then.active;
        asks || needs_person || starts
    }

    /// Takes in what ended meanwhile: what begins after that is new.
    pub fn forget_ended(&mut self, now: &LoopSight) {
        let then = &mut self.seen;
        then.needs = then.needs.min(now.needs);
        then.fires &= now.fires;
        then.active &= now.active;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(word: StatusWord, group: Group, changed: i64) -> LoopSight {
        LoopSight::new(word, group, Timestamp::from_millis(changed))
    }

    #[test]
    fn a_loop_comes_back_for_what_is_new() {
        use Group::{Active, Attention, Finished, Idle};
        use StatusWord as W;
        let failed = at(W::Failed, Attention, 5);
        let running = at(W::Running, Active, 5);
        let asking = |sight: LoopSight, needs| LoopSight { needs, ..sight };
        let firing = |sight: LoopSight, fires| LoopSight { fires, ..sight };
        // Then, now, whether one that was archived is back, and one that was snoozed.
        for (then, now, archived, snoozed) in [
            (failed, failed, false, false),
            (failed, at(W::Failed, Attention, 6), true, true),
            (failed, at(W::LimitReached, Attention, 5), true, true),
            (failed, at(W::Stopped, Idle, 6), false, false),
            (failed, running, true, false),
            (running, at(W::Running, Active, 9), false, false),
            (running, at(W::Completed, Finished, 9), false, false),
            (running, at(W::Interrupted, Attention, 5), true, true),
            (asking(running, 1), asking(running, 1), false, false),
            (asking(running, 1), asking(running, 2), true, true),
            (firing(failed, true), firing(failed, true), false, false),
            (failed, firing(failed, true), true, true),
        ] {
            for (until, over) in [(None, archived), (Some(Timestamp::MAX), snoozed)] {
                let aside = PutAside { until, seen: then };
                assert_eq!(aside.is_over(&now), over, "{then:?} {now:?} {until:?}");
            }
        }
    }

    #[test]
    fn what_ended_meanwhile_is_new_when_it_begins_again() {
        let running = LoopSight { needs: 1, ..at(StatusWord::Running, Group::Active, 5) };
        let mut aside = PutAside { until: None, seen: running };
        aside.forget_ended(&at(StatusWord::Paused, Group::Idle, 6));
        assert!(aside.is_over(&at(StatusWord::Running, Group::Active, 7)), "it was started");
        assert!(aside.is_over(&LoopSight { needs: 1, ..at(StatusWord::Paused, Group::Idle, 6) }), "it asks");
    }
}
