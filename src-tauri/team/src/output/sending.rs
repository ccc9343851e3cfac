//! Sending: new rows of runs in shared folders, a page at a time. What was sent goes from the server once it is no longer shared.

use crate::context::{Context, run_blocking};
use crate::full::Full;
use crate::layout;
use crate::message::{SharedOutput, SharedRun};
use crate::nats::{Endless, NatsResult};
use crate::place::FilePlace;
use crate::share::{Scope, Share};
use crate::stored::Servers;
use async_nats::jetstream;
use loopdeck_core::times::Timestamp;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::rows::{OutputPage, RunView};
use loopdeck_runtime::WorkedOn;
use loopdeck_system::clock;
use loopdeck_system::failure::Failure;
use loopdeck_system::files;
use loopdeck_system::kept::{self, Kept};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// How often new rows are looked for while something runs.
const EVERY: Duration = Duration::from_millis(300);
/// Changes that come together are looked at together.
const TOGETHER: Duration = Duration::from_millis(20);
/// How often what is shared no longer is looked for.
const SWEEP: Duration = Duration::from_secs(5);
/// So many rows go into one message; their texts make it smaller.
const ROWS: u32 = 500;
/// So many pages of one run are sent in one look: others have their turn too.
const PAGES: usize = 8;
/// When so many rows of a run wait, the oldest are skipped: a person looks at the newest.
const FAR_BEHIND: u32 = 10_000;
/// So many rows are left then.
const KEPT: u32 = 2_000;
/// So many places are kept as used at once.
const STEP: u32 = 64;
/// So many runs of a loop are looked at: those of a round of workers.
const RUNS: u32 = 64;

/// What this machine has sent of its runs. It outlives a connection.
#[derive(Debug)]
pub(crate) struct SentOutput {
    /// Runs that ended before are not sent.
    begun: Timestamp,
    /// By share and state file.
    loops: HashMap<(String, String), SentLoop>,
    /// Where it is kept what the server may have.
    path: PathBuf,
}

/// The ring of a loop, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct KeptRing {
    share: String,
    file: String,
    #[serde(flatten)]
    ring: Ring,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct KeptRings(Vec<KeptRing>);

impl Kept for KeptRings {
    /// None is written, which is the same.
    const FORM: u32 = 0;
}

#[derive(Debug, Default)]
struct SentLoop {
    /// Up to when all work on it was looked at.
    over_at: Option<Timestamp>,
    was_alive: bool,
    runs: HashMap<String, SentRun>,
    /// Where in the ring it is.
    ring: Ring,
}

/// Places of a loop's output on the server.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Ring {
    /// The place of the next message.
    next: u32,
    /// Only places below may have something. Kept on the disk, so it rises in steps.
    reserved: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct SentRun {
    rows: u32,
    /// At least one message was sent.
    begun: bool,
    /// The end too.
    ended: bool,
}

impl Ring {
    /// Makes sure that the next `pages` places are kept on the disk as used; whether that is to be done now.
    fn reserve(&mut self, pages: u32) -> bool {
        let needed = self.next.saturating_add(pages).min(layout::OUTPUT_PLACES);
        if needed <= self.reserved {
            return false;
        }
        self.reserved = needed.next_multiple_of(STEP).min(layout::OUTPUT_PLACES);
        true
    }
}

/// Where messages go, and what is hidden in them.
struct Post<'a> {
    context: &'a Context,
    jetstream: &'a jetstream::Context,
    share: &'a Share,
    mask: Mask,
    /// Why the server has no room.
    full: &'a Mutex<Option<String>>,
}

/// Sends new rows of runs in folders whose output is shared.
pub(crate) async fn send_output(context: &Context, servers: &Servers, sent: &mut SentOutput) -> Endless {
    let jetstream = &servers.jetstream;
    let mut sweep = Instant::now();
    loop {
        let changed = context.output_changed.notified();
        let is_known = run_blocking(|| context.shares.are_known());
        let mut shares = context.shares.list();
        shares.retain(|share| share.scope == Scope::Output);
        let (mut is_busy, full) = (false, Mutex::default());
        for share in &shares {
            let post = Post { context, jetstream, share, mask: context.runtime.mask(), full: &full };
            for work in run_blocking(|| context.runtime.worked_on(&share.path)) {
                is_busy |= sent.send_new(&post, &work).await?;
            }
        }
        context.note_if_new(|state| &mut state.full.output, full.into_inner());
        if Instant::now() >= sweep {
            if is_known {
                sent.remove_unshared((context, jetstream), &shares).await?;
            }
            sweep = Instant::now() + SWEEP;
        }
        if is_busy {
            tokio::time::sleep(EVERY).await;
        } else {
            tokio::select! {
                () = changed => tokio::time::sleep(TOGETHER).await,
                () = tokio::time::sleep_until(sweep) => {}
            }
        }
    }
}

impl SentOutput {
    /// What this machine sent before, as far as it is kept at `path`. A damaged file is set aside by whoever sends: what it named is
    /// on the server until that forgets it, and is written over by what is sent next.
    pub(crate) fn restore(path: PathBuf, sends: bool) -> (Self, Option<Failure>) {
        let (KeptRings(kept), damaged) = if sends { kept::load(&path) } else { kept::peek(&path) };
        let ring = |ring: Ring| Ring { next: ring.reserved % layout::OUTPUT_PLACES, ..ring };
        let of = |kept: KeptRing| {
            ((kept.share, kept.file), SentLoop { ring: ring(kept.ring), ..SentLoop::default() })
        };
        (Self { begun: clock::now(), loops: kept.into_iter().map(of).collect(), path }, damaged)
    }

    /// Keeps where something may be on the server, before it is.
    fn save(&self) -> std::io::Result<()> {
        let of = |((share, file), of): (&(String, String), &SentLoop)| KeptRing {
            share: share.clone(),
            file: file.clone(),
            ring: of.ring,
        };
        let kept: Vec<KeptRing> = self.loops.iter().map(of).collect();
        files::write_own(&self.path, &serde_json::to_vec(&kept)?)
    }

    /// Sends what is new in a loop. Answers whether more is to come soon.
    async fn send_new(&mut self, post: &Post<'_>, work: &WorkedOn) -> NatsResult<bool> {
        let begun = self.begun;
        let of = self.loops.entry((post.share.id(), work.file.clone())).or_default();
        let ended = work.over_at.is_some_and(|at| at > of.over_at.unwrap_or(begun));
        if !(work.alive || of.was_alive || ended) {
            return Ok(false);
        }
        let runs = run_blocking(|| post.context.runtime.newest_runs(&work.key, RUNS));
        let runs = runs.unwrap_or_else(|failure| {
            tracing::warn!(?failure, "runs are not shared");
            Vec::new()
        });
        let pages = PAGES * runs.len();
        let reserved = of.ring.reserve(u32::try_from(pages).unwrap_or(u32::MAX));
        if reserved {
            run_blocking(|| self.save())?;
        }
        let of = self.loops.entry((post.share.id(), work.file.clone())).or_default();
        let mut is_busy = work.alive;
        for run in runs.iter().rev() {
            let is_old = run.ended.is_some_and(|at| at < begun.number());
            if !is_old || of.runs.contains_key(&run.id) {
                is_busy |= of.send_run(post, work, run).await?;
            }
        }
        of.was_alive = is_busy;
        of.over_at = work.over_at.max(of.over_at);
        Ok(is_busy)
    }

    /// Removes what is shared no longer: of folders, and of loops whose state file is gone.
    async fn remove_unshared(
        &mut self,
        (context, jetstream): (&Context, &jetstream::Context),
        shares: &[Share],
    ) -> NatsResult<()> {
        for ((id, file), of) in &mut self.loops {
            let share = shares.iter().find(|share| share.id() == *id);
            // A folder that is away for a while keeps what was sent of it.
            let stays = |share: &Share| !share.path.is_dir() || share.path.join(file).exists();
            if share.is_some_and(stays) {
                continue;
            }
            while let Some(place) = of.ring.reserved.checked_sub(1) {
                let of_file = FilePlace { share: context.own_share(id.clone()), file: file.clone() };
                let subject = layout::output_subject(&of_file, Some(place));
                jetstream.publish(subject, Vec::new().into()).await?.await?;
                of.ring.reserved = place;
            }
            of.runs.clear();
        }
        let before = self.loops.len();
        self.loops.retain(|_, of| of.ring.reserved > 0 || !of.runs.is_empty());
        if self.loops.len() != before {
            run_blocking(|| self.save())?;
        }
        Ok(())
    }
}

impl SentLoop {
    /// Sends what is new of a run. Answers whether more is to come.
    async fn send_run(&mut self, post: &Post<'_>, work: &WorkedOn, run: &RunView) -> NatsResult<bool> {
        let mut known = self.runs.get(&run.id).copied().unwrap_or_default();
        for _ in 0..PAGES {
            if known.ended {
                return Ok(false);
            }
            let runtime = &post.context.runtime;
            let page = run_blocking(|| runtime.output(&work.key, Some(&run.id), known.rows, ROWS));
            let page = match page {
                Ok(page) => page,
                Err(failure) => {
                    tracing::warn!(?failure, "the output of a run is not shared");
                    return Ok(false);
                }
            };
            if page.total.saturating_sub(known.rows) > FAR_BEHIND {
                known.rows = page.total - KEPT;
                continue;
            }
            let end = page.first + u32::try_from(page.rows.len()).unwrap_or(u32::MAX);
            let ended = end == page.total && run.ended.is_some() && !page.alive;
            if page.rows.is_empty() && known.begun && !ended {
                break;
            }
            if !self.send_page(post, work, (run, ended), &page).await? {
                break;
            }
            known = SentRun { rows: end, begun: true, ended };
            self.runs.insert(run.id.clone(), known);
            if end == page.total {
                break;
            }
        }
        Ok(!known.ended)
    }

    /// Sends a page. False when the server does not keep it now.
    async fn send_page(
        &mut self,
        Post { context, jetstream, share, mask, full }: &Post<'_>,
        work: &WorkedOn,
        (run, ended): (&RunView, bool),
        page: &OutputPage,
    ) -> NatsResult<bool> {
        let mut run = SharedRun::of(run, mask);
        if !ended {
            run.ended = None; // rows are still to come
        }
        let mut body = Vec::new();
        for row in &page.rows {
            let mut row = row.clone();
            (row.name, row.text) = (mask.hide(row.name), mask.hide(row.text));
            serde_json::to_writer(&mut body, &row)?;
            body.push(b'\n');
        }
        let place = FilePlace { share: context.own_share(share.id()), file: work.file.clone() };
        let subject = layout::output_subject(&place, Some(self.ring.next));
        let head = SharedOutput { at: clock::now().millis(), run, first: page.first };
        let message = context.signer.seal(&subject, &head, &body)?;
        let kept = match jetstream.publish(subject, message.into()).await {
            Ok(answer) => answer.await.map(drop).map_err(async_nats::Error::from),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = kept {
            let Full(reason) = Full::from_error(error)?;
            *full.lock() = Some(reason);
            return Ok(false);
        }
        self.ring.next = (self.ring.next + 1) % layout::OUTPUT_PLACES;
        Ok(true)
    }
}
