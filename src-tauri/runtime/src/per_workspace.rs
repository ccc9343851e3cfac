//! What was made last for a page, remembered for each workspace apart: a page that waits for a disk that hangs makes the pages of
//! other workspaces wait for nothing.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// More are not remembered; people read one at a time.
const MOST: usize = 4;

/// One memory for each workspace.
#[derive(Debug)]
pub(crate) struct PerWorkspace<T>(Mutex<HashMap<Arc<str>, Arc<Mutex<T>>>>);

impl<T> Default for PerWorkspace<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Default> PerWorkspace<T> {
    /// The memory of a workspace. Hold its lock for as long as the page is made.
    pub(crate) fn memory(&self, workspace: &Arc<str>) -> Arc<Mutex<T>> {
        let mut all = self.0.lock();
        if let Some(known) = all.get(workspace) {
            return Arc::clone(known);
        }
        if all.len() >= MOST {
            all.retain(|_, memory| Arc::strong_count(memory) > 1); // in use right now
        }
        let memory = Arc::<Mutex<T>>::default();
        all.insert(Arc::clone(workspace), Arc::clone(&memory));
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_held_holds_up_no_other_and_is_not_forgotten() {
        let memories = PerWorkspace::<u32>::default();
        let (here, away) = (Arc::from("here"), Arc::from("away"));
        let held = memories.memory(&away);
        let _waits = held.lock();
        *memories.memory(&here).lock() = 7;
        assert_eq!(*memories.memory(&here).lock(), 7);
        for number in 0..MOST {
            drop(memories.memory(&Arc::from(number.to_string())));
        }
        assert!(Arc::ptr_eq(&held, &memories.memory(&away)), "it is in use");
    }
}
