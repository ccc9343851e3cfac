//! The number of the last message under each key, so that nothing older is taken after it, also after a restart.

use crate::seat::Seat;
use loopdeck_system::files;
use loopdeck_system::logged::Logged as _;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// So many keys of one machine are remembered. It has no more files.
const MOST_KEYS: usize = 200_000;
/// So many bytes they take at most: a key has a path in it.
const LARGEST: u64 = 256 << 20;

/// By key, without the seat.
type OfMachine = HashMap<String, u64>;

/// The numbers of all machines; one file for each in a folder of our own.
#[derive(Debug)]
pub(crate) struct Numbers {
    folder: PathBuf,
    machines: HashMap<Seat, OfMachine>,
    changed: HashSet<Seat>,
}

impl Numbers {
    /// Those that are kept in `folder`.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, machines: HashMap::new(), changed: HashSet::new() }
    }

    /// Whether a newer message than `number` was taken under this key of a machine.
    pub(crate) fn is_old(&mut self, seat: &Seat, key: &str, number: u64) -> bool {
        let known = self.of_machine(seat);
        known.get(key).map_or(known.len() >= MOST_KEYS, |known| *known > number)
    }

    /// Whether this is the message under a key that was taken last.
    pub(crate) fn is_last(&mut self, seat: &Seat, key: &str, number: u64) -> bool {
        self.of_machine(seat).get(key) == Some(&number)
    }

    /// A message was taken.
    pub(crate) fn note_taken(&mut self, seat: &Seat, key: &str, number: u64) {
        if self.of_machine(seat).insert(key.to_owned(), number) != Some(number) {
            self.changed.insert(seat.clone());
        }
    }

    /// Keeps what was noted.
    pub(crate) fn save(&mut self) {
        for seat in self.changed.drain() {
            let known = self.machines.get(&seat).and_then(|known| serde_json::to_vec(known).ok());
            let path = self.folder.join(format!("{seat}.json"));
            if let Some(bytes) = known {
                std::fs::create_dir_all(&self.folder)
                    .and_then(|()| files::write_own(&path, &bytes))
                    .logged("which messages of a machine were taken is not kept");
            }
        }
    }

    /// Without what is kept, as after the loss of it, whatever the server has is taken: its owner signed that.
    fn of_machine(&mut self, seat: &Seat) -> &mut OfMachine {
        let path = self.folder.join(format!("{seat}.json"));
        self.machines.entry(seat.clone()).or_insert_with(|| {
            let read = files::read_named(&path, LARGEST).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
            read.unwrap_or_else(|error| {
                if error.kind() != std::io::ErrorKind::NotFound {
                    tracing::warn!(path = %path.display(), %error, "which messages of a machine were taken is not known");
                }
                OfMachine::default()
            })
        })
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        self.save();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_older_is_taken_after_a_restart_either() {
        let dir = tempfile::tempdir().unwrap();
        let (ada, bob) = (Seat::new("ada", "laptop").unwrap(), Seat::new("bob", "tower").unwrap());
        let mut numbers = Numbers::new(dir.path().join("numbers"));
        assert!(!numbers.is_old(&ada, "0a.about", 5));
        numbers.note_taken(&ada, "0a.about", 5);
        drop(numbers);
        let mut again = Numbers::new(dir.path().join("numbers"));
        assert!(again.is_old(&ada, "0a.about", 4));
        assert!(!again.is_old(&ada, "0a.about", 5) && !again.is_old(&ada, "0a.about", 6));
        assert!(!again.is_old(&ada, "0a.other", 1) && !again.is_old(&bob, "0a.about", 1));
        std::fs::write(dir.path().join("numbers/ada.laptop.json"), "damaged").unwrap();
        assert!(!Numbers::new(dir.path().join("numbers")).is_old(&ada, "0a.about", 4));
    }
}
