//! Changes reach the program that runs the loop, wherever they are asked for.

use super::Runtime;
use crate::store::handing::{Handed, HandedProgress, Handling, Wanted, seen_beside};
use crate::views::{Failure, FailureKind};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::Program;
use std::thread;
use std::time::{Duration, Instant};

/// How long a program that runs a loop may take to begin with what it is asked.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it may take to end what it has begun.
const LONGEST: Duration = Duration::from_secs(120);
/// How often its answer is looked for.
const LOOK: Duration = Duration::from_millis(10);
/// Who runs the loop may change so often while it is asked.
const RUNNERS: u32 = 3;

impl Runtime {
    /// Changes a loop: here, or by the program that runs it, whose answer is waited for.
    ///
    /// # Errors
    /// Those of the change; `RunnerDoesNotAnswer`.
    pub(crate) fn change_loop(&self, key: &str, wanted: Wanted) -> Result<(), Failure> {
        self.refuse_elsewhere(key)?;
        self.change_loop_for(key, &Handed { wanted, behalf: None })
    }

    /// The same, for somebody on another machine or not.
    pub(super) fn change_loop_for(&self, key: &str, handed: &Handed) -> Result<(), Failure> {
        for _ in 0..RUNNERS {
            let asked = handed.clone();
            let handling =
                self.ask(key, move |owner, key| owner.store.carry_out_or_hand_over(key, &asked))?;
            let Handling::Handed { id, holder } = handling else { return Ok(()) };
            match self.wait_for_answer(key, id, &holder)? {
                HandedProgress::Answered(answer) => {
                    return answer.map_err(|failure| match self.runs_beside(key) {
                        Some(program) => seen_beside(failure, program),
                        None => failure,
                    });
                }
                HandedProgress::NotBegun if self.runs_beside(key).is_none() => {}
                // To end it twice is to end it.
                HandedProgress::CutOff if handed.wanted.ends() => {}
                _ => break,
            }
        }
        Err(self.no_answer(key))
    }

    fn wait_for_answer(&self, key: &str, id: i64, holder: &str) -> Result<HandedProgress, Failure> {
        let begun = Instant::now();
        loop {
            let (of, is_last) = (holder.to_owned(), begun.elapsed() > PATIENCE);
            let progress =
                self.ask(key, move |owner, key| owner.store.progress_of_handed(key, (id, &of), is_last))?;
            if progress != HandedProgress::Waits || begun.elapsed() > LONGEST {
                return Ok(progress);
            }
            thread::sleep(LOOK);
        }
    }

    fn no_answer(&self, key: &str) -> Failure {
        let path = self.find(key).map(|found| found.candidate().file.clone()).unwrap_or_default();
        Failure::new(FailureKind::RunnerDoesNotAnswer).with("path", path)
    }

    /// The program besides this one that runs a loop, as it is known.
    #[must_use]
    pub fn runs_beside(&self, key: &str) -> Option<Program> {
        self.read(|catalog| catalog.get(key)?.runner.as_ref().map(|runner| runner.program))
    }
}

/// Whether something was refused because another program runs the loop.
pub(super) fn is_run_beside(failure: &Failure) -> bool {
    use RefusalCode as R;
    let code = failure.refusal.as_ref().map(|refusal| refusal.code);
    matches!(code, Some(R::RunsInWindow | R::RunsInTerminal | R::RunsOnNode))
}
