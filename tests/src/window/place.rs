//! How many windows the tests open at once: a window mostly waits, but many together would wait for each other.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// A place on the machine for one stage.
#[derive(Debug)]
pub(super) struct Place(());

static TAKEN: Mutex<Taken> = Mutex::new(Taken { places: 0, alone: None });
static FREED: Condvar = Condvar::new();

struct Taken {
    places: usize,
    /// Keeps the windows of other test programs closed until all of this one are.
    alone: Option<File>,
}

impl Place {
    /// Waits until there is room for one more window. `folder` is the same for all programs that open any.
    pub(super) fn take(folder: &Path) -> Self {
        let most = available_parallelism().map_or(2, |cores| cores.get() + 1);
        let mut taken = taken();
        while taken.places >= most {
            taken = FREED.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        if taken.places == 0 {
            fs::create_dir_all(folder).expect("a folder for pictures");
            let alone = File::create(folder.join("lock")).expect("a lock file");
            alone.lock().expect("the lock");
            taken.alone = Some(alone);
        }
        taken.places += 1;
        Self(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = taken();
        taken.places -= 1;
        if taken.places == 0 {
            taken.alone = None;
        }
        FREED.notify_one();
    }
}

/// A test that failed has left it as it was: each change is one step.
fn taken() -> MutexGuard<'static, Taken> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}
