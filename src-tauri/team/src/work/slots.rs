//! How many jobs a node carries at a time.

use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The slots of a node.
#[derive(Debug)]
pub(super) struct Slots {
    free: Arc<Semaphore>,
    /// Slots in use that no longer exist once they are free.
    surplus: Mutex<usize>,
}

/// A slot in use, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    permit: Option<OwnedSemaphorePermit>,
    slots: Arc<Slots>,
}

impl Slots {
    /// `count` free slots.
    pub(super) fn new(count: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(count)), surplus: Mutex::default() }
    }

    /// There are `now` slots instead of `before`. Of fewer, those that are free go at once, and those in use once they are free.
    pub(super) fn resize(&self, before: usize, now: usize) {
        let mut surplus = self.surplus.lock();
        if now < before {
            let fewer = before - now;
            *surplus += fewer - self.free.forget_permits(fewer);
        } else {
            let kept = (now - before).min(*surplus);
            *surplus -= kept;
            self.free.add_permits(now - before - kept);
        }
    }

    /// A slot, as soon as one is free.
    pub(super) async fn take_free(self: Arc<Self>) -> Result<Slot, AcquireError> {
        let permit = Arc::clone(&self.free).acquire_owned().await?;
        Ok(Slot { permit: Some(permit), slots: self })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut surplus = self.slots.surplus.lock();
        if let Some(permit) = self.permit.take_if(|_| *surplus > 0) {
            *surplus -= 1;
            permit.forget();
        }
        drop(self.permit.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(slots: &Arc<Slots>) -> Vec<Slot> {
        let permits = std::iter::from_fn(|| Arc::clone(&slots.free).try_acquire_owned().ok());
        permits.map(|permit| Slot { permit: Some(permit), slots: Arc::clone(slots) }).collect()
    }

    #[test]
    fn there_are_as_many_slots_as_the_owner_wants_whatever_was_in_use() {
        for changes in [&[3_usize, 1][..], &[3, 1, 3], &[3, 1, 5, 2], &[1, 4, 0, 2], &[2, 0, 0, 1]] {
            for in_use in 0..=3 {
                let slots = Arc::new(Slots::new(changes[0]));
                let mut used = taken(&slots);
                used.truncate(in_use);
                for step in changes.windows(2) {
                    slots.resize(step[0], step[1]);
                }
                let wanted = changes[changes.len() - 1];
                let more = taken(&slots);
                assert!(used.len() + more.len() <= wanted.max(used.len()), "{changes:?} {in_use}");
                drop((used, more));
                assert_eq!(taken(&slots).len(), wanted, "{changes:?} {in_use}");
                assert_eq!(taken(&slots).len(), wanted, "again");
            }
        }
    }
}
