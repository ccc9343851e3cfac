//! Turns the raw log of a run into events and rows, and reports them to the owner.

use super::Job;
use super::end::RunExit;
use crate::mask::Mask;
use crate::output::Source;
use crate::run_event::{Heard, RunEvent};
use crate::run_monitor::said;
use crate::runs::log::LogReader;
use crate::runs::log::Stream as LogStream;
use crate::runs::{Attached, Exit, FoundRun, RunNotice, StopReport, attach};
use crate::tasks;
use loopdeck_agents::decode::Decoder;
use loopdeck_agents::event::AgentEvent;
use loopdeck_agents::lines::LineSplitter;
use loopdeck_agents::{OutputKind, Stream};
use loopdeck_core::times::Timestamp;
use loopdeck_system::logged::Logged as _;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Bytes of the log that are read at once: memory costs what so many bytes of the shortest lines become.
const STRETCH: usize = 256 << 10;
/// What a text agent said last is its answer.
const TAIL: usize = 256 << 10;
/// The owner hears of rows at most this often: the list shows them in seconds.
const BETWEEN: Duration = Duration::from_millis(500);
/// It hears of them at once when nothing more came for this long.
const QUIET: Duration = Duration::from_millis(100);
/// How often the log is read at most: a run that flushes every line must not cost a disk read for each.
const READS_APART: Duration = Duration::from_millis(20);
/// How many stretches are read before other messages are handled; the rest is read after.
const STRETCHES: usize = 8;

/// Where a line of one pipe began.
struct Pipe {
    splitter: LineSplitter,
    /// Where the line that is not finished yet began.
    begun: Option<Source>,
}

pub(crate) struct Listening {
    reader: LogReader,
    position: u64,
    pub(crate) decoder: Decoder,
    pub(crate) mask: Mask,
    stdout: Pipe,
    stderr: Pipe,
    pub(crate) rows: said::Rows,
    pub(crate) tail: Vec<u8>,
    last_output: Timestamp,
    /// When the owner was told of rows last.
    told: Option<Instant>,
    /// When the log was read last; `None` before.
    looked: Option<Instant>,
    /// There is more in it.
    behind: bool,
    told_final: bool,
    told_lack: bool,
    /// For a run that is found again, while its earlier output is read: its last question that has no answer.
    asked_before: Option<Vec<RunEvent>>,
}

impl Listening {
    pub(crate) fn new(job: &Job, mask: Mask) -> Self {
        Self {
            reader: LogReader::of_run(&job.run_dir),
            position: 0,
            decoder: Decoder::new(job.kind),
            mask,
            stdout: Pipe { splitter: LineSplitter::for_output(job.kind, Stream::Stdout), begun: None },
            stderr: Pipe { splitter: LineSplitter::for_output(job.kind, Stream::Stderr), begun: None },
            rows: said::Rows::default(),
            tail: Vec::new(),
            last_output: Timestamp::from_millis(0),
            told: None,
            looked: None,
            behind: false,
            told_final: false,
            told_lack: false,
            asked_before: None,
        }
    }

    /// Reads what was said before it was found again. Of what it asked then, only that is open which nothing followed.
    pub(crate) fn begin(&mut self, job: &Job) {
        if job.since.is_none() {
            return;
        }
        self.asked_before = Some(Vec::new());
        self.read_all(job);
        for ask in self.asked_before.take().unwrap_or_default() {
            job.report(ask);
        }
    }

    /// Until it has ended; `None` when the app ends before.
    pub(crate) async fn until_ended(
        mut self,
        job: &Arc<Job>,
        attached: &Attached,
    ) -> Option<(Self, RunExit)> {
        let mut notices = attached.notices();
        let (mut exit, mut ended_by) = (None, None);
        loop {
            match timeout(self.longest_wait(), notices.recv()).await {
                Ok(Some(RunNotice::More)) => self.behind = true,
                Ok(Some(RunNotice::Exited(how))) => exit = Some(how),
                Ok(Some(RunNotice::EndedBy(by))) => ended_by = Some(by),
                Ok(Some(RunNotice::Status(_) | RunNotice::Step(_))) => {}
                Ok(Some(RunNotice::Ended(report))) => {
                    let record = attached.record().ok();
                    return Some((self, RunExit::from_guardian(record.as_ref(), exit, ended_by, report)));
                }
                Ok(None) if attached.is_left() => return None,
                Ok(Some(RunNotice::Lost) | None) => {
                    let job = Arc::clone(job);
                    return Some((self, tasks::blocking(move || Self::lost(&job, exit)).await?));
                }
                Err(_) => self = self.catch_up(job, attached).await?,
            }
        }
    }

    /// Reads some of what is in the log, or tells of what was read before.
    async fn catch_up(mut self, job: &Arc<Job>, attached: &Attached) -> Option<Self> {
        let (job, attached) = (Arc::clone(job), attached.clone());
        let work = move || {
            if self.behind {
                self.behind = !self.read_on(&job);
            } else {
                self.tell_rows(&job);
            }
            if self.decoder.facts().is_over() && !self.told_final {
                self.told_final = true;
                let _ = attached.final_seen();
            }
            self.tell_lack(&job);
            self
        };
        tasks::blocking(work).await
    }

    /// An agent that lists its commands when it begins, and not the one that it is to do, would work at something else.
    fn tell_lack(&mut self, job: &Job) {
        let facts = self.decoder.facts();
        if !self.told_lack && job.command.as_deref().is_some_and(|command| facts.lacks_command(command)) {
            self.told_lack = true;
            job.report(RunEvent::Lacks(facts.plugin_errors.clone()));
        }
    }

    /// The guardian is gone: what it wrote down last, and what is left.
    fn lost(job: &Job, exit: Option<Exit>) -> RunExit {
        match attach(&job.run_dir) {
            Ok(FoundRun::Ended(record)) => RunExit::from_record(&record),
            Ok(FoundRun::Lost(record, left)) => RunExit::lost(&record, left),
            Ok(FoundRun::Alive(_)) | Err(_) => RunExit {
                exit,
                report: StopReport::of_no_guardian(),
                stopped_by: None,
                at: loopdeck_system::clock::now(),
            },
        }
    }

    /// How long nothing more need come before something is done: notices are collected, not obeyed one by one.
    fn longest_wait(&self) -> Duration {
        if self.behind {
            self.looked.map_or(Duration::ZERO, |at| READS_APART.saturating_sub(at.elapsed()))
        } else if self.rows.is_untold() {
            QUIET // what was read but not reported is reported soon, even when nothing more comes
        } else {
            Duration::from_secs(3600)
        }
    }

    /// Everything that is in the log now.
    pub(crate) fn read_all(&mut self, job: &Job) {
        while !self.read_on(job) {}
    }

    /// Some of what is in the log now; whether that was all.
    fn read_on(&mut self, job: &Job) -> bool {
        self.looked = Some(Instant::now());
        for _ in 0..STRETCHES {
            let Ok(window) = self.reader.read(self.position, STRETCH) else { return true };
            if window.dropped > 0 {
                self.rows.add_note("dropped", &window.dropped.to_string(), self.last_output);
            }
            for piece in &window.pieces {
                self.last_output = piece.at;
                let stream = match piece.stream {
                    LogStream::Out => Stream::Stdout,
                    LogStream::Err => Stream::Stderr,
                };
                if stream == Stream::Stdout {
                    keep_tail(&mut self.tail, &piece.bytes);
                }
                self.take_bytes(job, stream, piece.position, &piece.bytes, piece.at);
            }
            self.position = window.next;
            self.rows.pause();
            self.store(job);
            if window.at_end || window.pieces.is_empty() {
                return true;
            }
        }
        false
    }

    fn take_bytes(&mut self, job: &Job, stream: Stream, frame: u64, bytes: &[u8], at: Timestamp) {
        let pipe = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
        let (decoder, rows) = (&mut self.decoder, &mut self.rows);
        let asked_before = &mut self.asked_before;
        let mut asks = Vec::new();
        let begin = |offset: usize| Source { frame, offset: u32::try_from(offset).unwrap_or(u32::MAX) };
        let mut offset = 0;
        let mut begun = pipe.begun.unwrap_or_else(|| begin(0));
        pipe.splitter.push(bytes, |line| {
            // Line ends are where they are in the bytes: the splitter gives lines in order.
            let end = memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len(), |at| offset + at + 1);
            for event in decoder.push_line(stream, line) {
                if let Some(before) = asked_before.as_mut().filter(|_| is_work(&event)) {
                    before.clear(); // it continues: it was answered, or no longer waits
                    asks.clear();
                }
                match &event {
                    AgentEvent::PermissionRequest(request) => asks.push(RunEvent::Asks(request.clone())),
                    AgentEvent::PermissionWithdrawn { id } => asks.push(RunEvent::Withdrawn(id.clone())),
                    _ => {}
                }
                rows.add(&event, stream, at, begun);
                if let AgentEvent::PermissionRequest(request) = &event
                    && request.is_cut
                {
                    let bytes = request.input.cut_from.unwrap_or_default().to_string();
                    rows.add_note("too_long", &bytes, at);
                }
            }
            offset = end;
            begun = begin(offset);
        });
        pipe.begun = Some(begun);
        for ask in asks {
            match &mut self.asked_before {
                Some(before) => before.push(ask),
                None => job.report(ask),
            }
        }
    }

    /// The ends of both pipes: lines without a line end.
    pub(crate) fn finish(&mut self, job: &Job) {
        let at = self.last_output;
        for stream in [Stream::Stdout, Stream::Stderr] {
            let pipe = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
            let (decoder, rows) = (&mut self.decoder, &mut self.rows);
            let begun = pipe.begun.unwrap_or(Source { frame: 0, offset: 0 });
            pipe.splitter.end(|line| {
                for event in decoder.push_line(stream, line) {
                    rows.add(&event, stream, at, begun);
                }
            });
        }
        self.rows.end();
        self.store(job);
        self.tell_rows(job);
    }

    /// Rows that are whole go to disk.
    fn store(&mut self, job: &Job) {
        let mut ready = self.rows.take_finished();
        for stored in &mut ready {
            stored.row.text = self.mask.hide(std::mem::take(&mut stored.row.text));
        }
        if !ready.is_empty() {
            let mut output = job.output.lock();
            for stored in ready {
                // A full disk: the raw log and the outcome matter more than rows.
                output.append(&stored).logged("output of a run is not kept");
            }
            output.flush().logged("output of a run is not kept");
        }
        if self.told.is_none_or(|at| at.elapsed() >= BETWEEN) {
            self.tell_rows(job);
        }
    }

    fn tell_rows(&mut self, job: &Job) {
        if !self.rows.is_untold() {
            return;
        }
        self.rows.mark_reported();
        self.told = Some(Instant::now());
        let facts = self.decoder.facts();
        job.report(RunEvent::Rows(Heard {
            rows: job.output.lock().total(),
            line: self.mask.hide(self.rows.last_line().to_owned()),
            last_output: (self.last_output > Timestamp::from_millis(0)).then_some(self.last_output),
            started: facts.started || job.kind == OutputKind::Text,
            session: facts.session.clone(),
            model: facts.model.clone(),
        }));
    }
}

/// Whether an agent that says this does not wait for an answer.
fn is_work(event: &AgentEvent) -> bool {
    matches!(
        event,
        AgentEvent::Text { .. }
            | AgentEvent::ToolStart { .. }
            | AgentEvent::ToolEnd { .. }
            | AgentEvent::Finished { .. }
    )
}

fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
    if tail.len() > 2 * TAIL {
        let cut = tail.len() - TAIL;
        // From a line's beginning on.
        let line = memchr::memchr(b'\n', &tail[cut..]).map_or(cut, |at| cut + at + 1);
        tail.drain(..line);
    }
}
