//! Requests that come in one burst are carried out together: twenty loops that are paused at once wait for the disk once.

use super::Owner;
use crate::observe::catalog::LoopId;
use crate::store::together::MOST;
use crate::views::Failure;
use loopdeck_core::control::Intent;
use std::collections::HashSet;

/// A request that was not carried out yet.
pub(crate) struct WaitingRequest {
    /// Its loop.
    pub(crate) key: LoopId,
    /// What is asked.
    pub(crate) intent: Intent,
    /// Hears what came of it.
    pub(crate) answer: Box<dyn FnOnce(Result<(), Failure>) + Send>,
}

impl Owner {
    /// Takes a request in. It is carried out before anything else that is asked later.
    pub(crate) fn take_request(&mut self, request: WaitingRequest) {
        self.requests.push(request);
    }

    pub(super) fn carry_out_requests(&mut self) {
        let mut waiting = std::mem::take(&mut self.requests);
        while !waiting.is_empty() {
            let rest = waiting.split_off(in_one_go(&waiting));
            let (asked, answers): (Vec<_>, Vec<_>) =
                waiting.into_iter().map(|request| ((request.key, request.intent), request.answer)).unzip();
            let came = self.store.act_together(&asked);
            answers.into_iter().zip(came).for_each(|(answer, came)| answer(came));
            waiting = rest;
        }
    }
}

/// How many of them can be carried out together: a second request on a loop comes after its first.
fn in_one_go(waiting: &[WaitingRequest]) -> usize {
    let mut seen = HashSet::new();
    let first = waiting.iter().take(MOST).take_while(|request| seen.insert(&request.key));
    first.count()
}
