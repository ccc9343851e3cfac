//! Writers that had a state file open when we replaced it: what they write goes into the old version, which has no name
//! any more, and nobody would ever read it. So the old version is kept open for a moment, and what is written into it
//! becomes the file again, with our intents applied on top.

use crate::catalog::Key;
use loopdeck_core::control::Intent;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::time::{Duration, Instant};

/// The first look comes so soon, each later one after twice the time.
const FIRST_LOOK: Duration = Duration::from_millis(10);
/// No look after that: a writer that holds a file open longer is too rare to keep versions for.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// Most versions kept open, so that a burst of our own writes cannot use up memory.
const MOST: usize = 32;

/// Most bytes of such versions kept in memory.
const MOST_BYTES: usize = 64 << 20;

/// A version that we replaced, still open.
#[derive(Debug)]
struct Overtaken {
    key: Key,
    /// The old version.
    former: File,
    /// What was in it at the last look, and whether that is what we replaced.
    seen: Vec<u8>,
    changed: bool,
    /// What we put in its place, and what for; later writes of ours on top included.
    ours: Vec<u8>,
    /// What it said when it lost its name; of files beside loops only.
    base: Vec<u8>,
    intents: Vec<Intent>,
    wait: Duration,
    due: Instant,
}

/// A late write, found and complete.
#[derive(Debug)]
pub(crate) struct LateWrite {
    /// Of which loop.
    pub(crate) key: Key,
    /// What the writer wrote.
    pub(crate) bytes: Vec<u8>,
    /// What the file must still say for it to be the newest.
    pub(crate) ours: Vec<u8>,
    /// What the version said when it lost its name; of files beside loops only.
    pub(crate) base: Vec<u8>,
    /// What we meant, oldest first.
    pub(crate) intents: Vec<Intent>,
}

/// All versions that are kept open.
#[derive(Debug, Default)]
pub(crate) struct OvertakenVersions(Vec<Overtaken>);

/// One exchange of versions.
#[derive(Debug)]
pub(crate) struct Exchanged {
    /// The version that has no name any more.
    pub(crate) former: File,
    /// What it said.
    pub(crate) old: Vec<u8>,
    /// What the file says now.
    pub(crate) new: Vec<u8>,
}

impl OvertakenVersions {
    /// Keeps what `exchanged` replaced for `intents`. Versions kept earlier now lie below this write, unless a foreign one
    /// came between: then whatever is written into them was overtaken by that, not by us.
    pub(crate) fn keep(&mut self, key: &Key, intents: &[Intent], exchanged: Exchanged) {
        self.0.retain_mut(|kept| {
            if kept.key == *key && kept.ours == exchanged.old {
                kept.ours.clone_from(&exchanged.new);
                kept.intents.extend_from_slice(intents);
                return true;
            }
            kept.key != *key
        });
        self.push(key, intents, Vec::new(), exchanged);
    }

    /// The same for a file that several writers add to: what is written into any earlier version is new as well.
    pub(crate) fn keep_beside(&mut self, key: &Key, exchanged: Exchanged) {
        for kept in self.0.iter_mut().filter(|kept| kept.key == *key && kept.ours == exchanged.old) {
            kept.ours.clone_from(&exchanged.new);
        }
        let base = exchanged.old.clone();
        self.push(key, &[], base, exchanged);
    }

    fn push(&mut self, key: &Key, intents: &[Intent], base: Vec<u8>, exchanged: Exchanged) {
        while self.0.len() >= MOST || self.bytes() > MOST_BYTES {
            self.let_one_go();
        }
        self.0.push(Overtaken {
            base,
            key: key.clone(),
            former: exchanged.former,
            seen: exchanged.old,
            changed: false,
            ours: exchanged.new,
            intents: intents.to_vec(),
            wait: FIRST_LOOK,
            due: Instant::now() + FIRST_LOOK,
        });
    }

    /// The one that was looked at most often without a late write.
    fn let_one_go(&mut self) {
        let quiet = |kept: &Overtaken| if kept.changed { Duration::ZERO } else { kept.wait };
        let longest = (0..self.0.len()).max_by_key(|at| (quiet(&self.0[*at]), std::cmp::Reverse(*at)));
        if let Some(at) = longest {
            self.0.remove(at);
        }
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|kept| kept.seen.len() + kept.ours.len() + kept.base.len()).sum()
    }

    /// When to look next.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        self.0.iter().map(|kept| kept.due).min()
    }

    /// Looks at what is due: late writes that are complete by `is_whole`. Old versions are let go of after a while.
    pub(crate) fn look(&mut self, is_whole: impl Fn(&Key, &[u8]) -> bool) -> Vec<LateWrite> {
        let now = Instant::now();
        let (due, waiting) = std::mem::take(&mut self.0).into_iter().partition(|kept| kept.due <= now);
        self.0 = waiting;
        let mut found = Vec::new();
        for mut kept in Vec::<Overtaken>::into_iter(due) {
            if kept.has_settled() && is_whole(&kept.key, &kept.seen) {
                let Overtaken { key, seen, ours, base, intents, .. } = kept;
                found.push(LateWrite { key, bytes: seen, ours, base, intents });
            } else if kept.wait < LAST_LOOK {
                // Being written: looked at again soon.
                kept.wait = if kept.changed { FIRST_LOOK } else { kept.wait * 2 };
                kept.due = now + kept.wait;
                self.0.push(kept);
            }
        }
        found
    }
}

impl Overtaken {
    /// Whether something else than we replaced stands in it, the same at two looks.
    fn has_settled(&mut self) -> bool {
        let mut bytes = Vec::with_capacity(self.seen.len());
        let read = self.former.rewind().and_then(|()| self.former.read_to_end(&mut bytes));
        if read.is_err() {
            return false;
        }
        let same = bytes == self.seen;
        self.changed |= !same;
        self.seen = bytes;
        same && self.changed
    }
}
