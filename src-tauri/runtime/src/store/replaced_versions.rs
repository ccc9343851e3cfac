//! Writers that had a state file open when we replaced it write into the old version, which no longer has a name, so their text would be
//! lost. Therefore the old version is kept open for a moment, and what is written into it becomes the file again, with our intents applied
//! on top.

use crate::observe::catalog::LoopId;
use loopdeck_core::control::Intent;
use loopdeck_system::files;
use std::fs::File;
use std::io::Seek as _;
use std::time::{Duration, Instant};

/// The word of a late write in the journal.
pub(crate) const LATE: &str = "late";
/// The first look comes so soon, each later one after twice the time.
const FIRST_LOOK: Duration = Duration::from_millis(10);
/// The look after so long a wait is the last one: a writer that holds a file open longer is too rare to keep versions for.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// Most versions kept open, so that a burst of our own writes cannot use up memory.
const MOST: usize = 32;
/// Most bytes of such versions kept in memory.
const MOST_BYTES: usize = 64 << 20;

/// A version that we replaced, still open.
#[derive(Debug)]
struct ReplacedVersion {
    key: LoopId,
    /// The old version.
    former: File,
    /// What was in it at the last look, and whether that is what we replaced.
    seen: Vec<u8>,
    changed: bool,
    /// What we put in its place, and what for; later writes of ours on top included.
    ours: Vec<u8>,
    /// Its content when it lost its name; for companions only.
    base: Vec<u8>,
    intents: Vec<Intent>,
    wait: Duration,
    due: Instant,
}

/// A late write, found and complete.
#[derive(Debug)]
pub(crate) struct LateWrite {
    /// Its loop.
    pub(crate) key: LoopId,
    /// What the writer wrote.
    pub(crate) bytes: Vec<u8>,
    /// What the file must still say for it to be the newest.
    pub(crate) ours: Vec<u8>,
    /// The version's content when it lost its name; for companions only.
    pub(crate) base: Vec<u8>,
    /// What we meant, oldest first.
    pub(crate) intents: Vec<Intent>,
}

/// All versions that are kept open.
#[derive(Debug, Default)]
pub(crate) struct ReplacedVersions {
    kept: Vec<ReplacedVersion>,
    /// Found when there was no room left for them.
    let_go: Vec<LateWrite>,
    /// Nobody looks at them any more. The system frees the space of each when it is closed: nobody who asked for a write waits
    /// for that.
    released: Vec<File>,
}

/// One exchange of versions.
#[derive(Debug)]
pub(crate) struct Exchanged {
    /// The version that has lost its name.
    pub(crate) former: File,
    /// Its content.
    pub(crate) old: Vec<u8>,
    /// What the file says now.
    pub(crate) new: Vec<u8>,
}

impl ReplacedVersions {
    /// Keeps what `exchanged` replaced for `intents`. Versions kept earlier are now below this write, unless a foreign one came between:
    /// then a late write into them was replaced by that one, not by us.
    pub(crate) fn keep(&mut self, key: &LoopId, intents: &[Intent], exchanged: Exchanged) {
        self.kept.retain_mut(|kept| {
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
    pub(crate) fn keep_companion(&mut self, key: &LoopId, exchanged: Exchanged) {
        for kept in self.kept.iter_mut().filter(|kept| kept.key == *key && kept.ours == exchanged.old) {
            kept.ours.clone_from(&exchanged.new);
        }
        let base = exchanged.old.clone();
        self.push(key, &[], base, exchanged);
    }

    /// We appended to a companion: `old` became `new`.
    pub(crate) fn note_grown(&mut self, key: &LoopId, old: &[u8], new: &[u8]) {
        for kept in self.kept.iter_mut().filter(|kept| kept.key == *key && kept.ours == old) {
            kept.ours = new.to_vec();
        }
    }

    fn push(&mut self, key: &LoopId, intents: &[Intent], base: Vec<u8>, exchanged: Exchanged) {
        while self.kept.len() >= MOST || self.bytes() > MOST_BYTES {
            self.let_one_go();
        }
        self.kept.push(ReplacedVersion {
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

    /// The one that was checked most often without a late write.
    fn let_one_go(&mut self) {
        let quiet = |kept: &ReplacedVersion| if kept.changed { Duration::ZERO } else { kept.wait };
        let longest = (0..self.kept.len()).max_by_key(|at| (quiet(&self.kept[*at]), std::cmp::Reverse(*at)));
        if let Some(at) = longest {
            let mut kept = self.kept.remove(at);
            // In a file that several programs append to, every whole line counts; a state file must be read twice.
            if !kept.base.is_empty() && (kept.has_changed() || kept.changed) {
                self.let_go.push(kept.into_late());
            } else {
                self.release(kept.former);
            }
        }
    }

    /// Closes it at the next look. Most are as many as are kept.
    fn release(&mut self, former: File) {
        if self.released.len() >= MOST {
            self.released.clear();
        }
        self.released.push(former);
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.seen.len() + kept.ours.len() + kept.base.len()).sum()
    }

    /// When to look next.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        let waits = !self.let_go.is_empty() || !self.released.is_empty();
        self.kept.iter().map(|kept| kept.due).chain(waits.then(Instant::now)).min()
    }

    /// Checks what is due: late writes that are complete by `is_whole`. Old versions are released after a while.
    pub(crate) fn take_late_writes(&mut self, is_whole: impl Fn(&LoopId, &[u8]) -> bool) -> Vec<LateWrite> {
        self.released.clear();
        let now = Instant::now();
        let (due, waiting) = std::mem::take(&mut self.kept).into_iter().partition(|kept| kept.due <= now);
        self.kept = waiting;
        let mut found = std::mem::take(&mut self.let_go);
        for mut kept in Vec::<ReplacedVersion>::into_iter(due) {
            let stirs = kept.has_changed();
            if !stirs && kept.changed && is_whole(&kept.key, &kept.seen) {
                found.push(kept.into_late());
            } else if stirs || kept.wait < LAST_LOOK {
                // Being written, even at the last check: checked again soon.
                kept.wait = if stirs { FIRST_LOOK } else { kept.wait * 2 };
                kept.due = now + kept.wait;
                self.kept.push(kept);
            }
        }
        found
    }
}

impl ReplacedVersion {
    /// Whether it was written into since the last look.
    fn has_changed(&mut self) -> bool {
        let read = self.former.rewind().and_then(|()| files::contents(&self.former, files::SIZE_LIMIT));
        let Some(bytes) = read.ok().filter(|bytes| *bytes != self.seen) else { return false };
        self.changed = true;
        self.seen = bytes;
        true
    }

    fn into_late(self) -> LateWrite {
        let Self { key, seen, ours, base, intents, .. } = self;
        LateWrite { key, bytes: seen, ours, base, intents }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write as _};

    /// A version that said `one`, and who has it open.
    fn exchanged() -> (Exchanged, File) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"one\n").unwrap();
        let writer = file.reopen().map(|mut writer| writer.seek(io::SeekFrom::End(0)).map(|_| writer));
        let former = file.reopen().unwrap();
        (Exchanged { former, old: b"one\n".to_vec(), new: b"one\ntwo\n".to_vec() }, writer.unwrap().unwrap())
    }

    fn bytes(found: &[LateWrite]) -> Vec<&[u8]> {
        found.iter().map(|late| late.bytes.as_slice()).collect()
    }

    #[test]
    fn what_is_first_seen_at_the_last_look_is_not_lost() {
        let mut versions = ReplacedVersions::default();
        let (exchanged, mut writer) = exchanged();
        versions.keep_companion(&"a:b".into(), exchanged);
        let again = |versions: &mut ReplacedVersions, wait: Duration| {
            (versions.kept[0].wait, versions.kept[0].due) = (wait, Instant::now());
            versions.take_late_writes(|_, _| true)
        };
        writer.write_all(b"late\n").unwrap();
        assert!(again(&mut versions, LAST_LOOK).is_empty(), "it may go on");
        assert_eq!(bytes(&again(&mut versions, FIRST_LOOK)), [b"one\nlate\n"]);
        assert!(versions.kept.is_empty());
    }

    #[test]
    fn a_version_that_is_let_go_of_for_want_of_room_gives_what_was_written_into_it() {
        let mut versions = ReplacedVersions::default();
        let mut writers = Vec::new();
        for number in 0..=MOST {
            let (exchanged, mut writer) = exchanged();
            versions.keep_companion(&LoopId::new("a", &number.to_string()), exchanged);
            writer.write_all(b"late\n").unwrap();
            writers.push(writer);
        }
        assert!(versions.next_look().is_some_and(|at| at <= Instant::now()));
        versions.kept.iter_mut().for_each(|kept| kept.due += LAST_LOOK);
        assert_eq!(bytes(&versions.take_late_writes(|_, _| true)), [b"one\nlate\n"]);
        assert!(versions.take_late_writes(|_, _| true).is_empty(), "once");
    }

    #[test]
    fn a_version_that_is_let_go_of_is_closed_at_the_next_look_which_is_due_at_once() {
        let mut versions = ReplacedVersions::default();
        let due_at_once = |versions: &ReplacedVersions| versions.next_look().unwrap() <= Instant::now();
        for number in 0..=MOST {
            let (exchanged, _) = exchanged();
            versions.keep(&LoopId::new("a", &number.to_string()), &[], exchanged);
            versions.kept.iter_mut().for_each(|kept| kept.due += LAST_LOOK);
        }
        assert_eq!((versions.released.len(), due_at_once(&versions)), (1, true));
        assert!(versions.take_late_writes(|_, _| true).is_empty());
        assert_eq!((versions.released.len(), versions.kept.len(), due_at_once(&versions)), (0, MOST, false));
    }
}
