//! Listening to a run: its raw log on disk is read as it grows, turned into events and rows, and the owner is told.
//!
//! The log is the one source: a run that is found again after a restart is read from the same bytes in the same way.

use super::mask::{Hide as _, Mask, Variable};
use super::output::{OutputLog, Source, StoredRow};
use super::rows::{OutputKind as RowKind, OutputRow, Resumed};
use super::said;
use super::test_run;
use crate::catalog::Key;
use crate::git;
use crate::owner::Event;
use crate::runs::log::{LogReader, Stream as LogStream};
use crate::runs::{
    Attached, Exit, Found, GuardianProgram, Leftovers, RunNotice, RunRecord, RunSpec, StopReason, StopReport,
    attach, spawn,
};
use loopdeck_core::agent::decode::Decoder;
use loopdeck_core::agent::event::{AgentEvent, PermissionRequest};
use loopdeck_core::agent::facts::Facts;
use loopdeck_core::agent::lines::LineSplitter;
use loopdeck_core::agent::{OutputKind, Stream};
use loopdeck_core::results::Reading;
use loopdeck_core::times::Millis;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Rows of a run, shared with the windows that read them.
pub(crate) type SharedOutput = Arc<Mutex<OutputLog>>;

/// Bytes of the log that are read at once: memory costs what so many bytes of the shortest lines become.
const STRETCH: usize = 256 << 10;
/// Bytes of the log in which a text that was cut is looked for.
const WHOLE: usize = 1 << 20;
/// What a text agent said last is its answer.
const TAIL: usize = 256 << 10;
/// The owner is told of rows at most so often: what the list shows of them is read in seconds (field-lessons.md L4.2).
const BETWEEN: Duration = Duration::from_millis(500);
/// It is told at once when nothing more came for so long.
const QUIET: Duration = Duration::from_millis(100);
/// The log is read at most so often: a run that flushes every line must not cost a look at the disk for each.
const READS_APART: Duration = Duration::from_millis(20);
/// So many stretches are read before somebody else is listened to; what is left is read after.
const STRETCHES: usize = 8;

/// A guardian that was found is tried so long to be reached, and so often.
const ATTACH_WITHIN: Duration = Duration::from_secs(12);
const ATTACH_APART: Duration = Duration::from_millis(200);

/// A run to be started, or found again.
pub(crate) struct Job {
    pub(crate) key: Key,
    pub(crate) run: String,
    pub(crate) run_dir: PathBuf,
    /// Where it works.
    pub(crate) folder: PathBuf,
    /// `None`: it runs already, or ran.
    pub(crate) spec: Option<RunSpec>,
    pub(crate) kind: OutputKind,
    /// Of a test command: where its results will be, relative to the folder.
    pub(crate) tests: Option<Vec<String>>,
    /// Of one that is found again: when it began.
    pub(crate) since: Option<SystemTime>,
    /// Of one that is found again nobody knows its environment any more: what the person's own agents get.
    pub(crate) own: Vec<Variable>,
    /// The slash command that it is started by, without its sign.
    pub(crate) command: Option<String>,
    /// The conversation that it goes on with, or was to.
    pub(crate) resumed: Option<Resumed>,
    /// The end is wanted before it was started.
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) guardian: GuardianProgram,
    pub(crate) output: SharedOutput,
    pub(crate) inbox: Sender<Event>,
}

/// What the owner is told of a run.
#[derive(Debug)]
pub enum Said {
    /// Its guardian can be talked to.
    Began(Attached),
    /// There are more rows.
    Rows(Heard),
    /// The agent wants to use a tool.
    Asks(Box<PermissionRequest>),
    /// It does not want to any more.
    Withdrawn(String),
    /// It has not the slash command that it was started by; plugins of it that failed.
    Lacks(Vec<String>),
    /// It is over.
    Ended(Box<RunEnd>),
}

/// What is known of a run so far.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Rows so far.
    pub rows: u32,
    /// Last output.
    pub last_output: Millis,
    /// Whether the agent said that it is up.
    pub started: bool,
    /// Conversation.
    pub session: Option<String>,
    /// Model.
    pub model: Option<String>,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// Typed facts of its output.
    pub facts: Facts,
    /// How the process ended; `None` when nobody saw it.
    pub exit: Option<Exit>,
    /// What became of its processes.
    pub report: StopReport,
    /// Who ended it.
    pub stopped_by: Option<StopReason>,
    /// Files that changed meanwhile; `None` when nobody could tell.
    pub changed: Option<Vec<String>>,
    /// Of a test command: what it said.
    pub tests: Option<Reading>,
    /// The last of what it said on standard output.
    pub tail: String,
    /// When it ended.
    pub at: Millis,
    /// It could not even be started.
    pub not_started: Option<String>,
}

impl Job {
    /// Starts the thread that carries it out.
    pub(crate) fn start(self) {
        let (inbox, key, run) = (self.inbox.clone(), Arc::clone(&self.key), self.run.clone());
        let started = std::thread::Builder::new().name("run".into()).spawn(move || self.carry_out());
        if let Err(error) = started {
            let end = RunEnd::not_started(error.to_string());
            let _ = inbox.send(Event::Run(key, run, Said::Ended(Box::new(end))));
        }
    }

    fn carry_out(mut self) {
        // A run that is found again may have to wait for the environment here; its owner never does.
        let mask = match &self.spec {
            Some(spec) => Mask::of(&spec.environment),
            None => Mask::of_any(std::mem::take(&mut self.own)),
        };
        let before = self.spec.is_some().then(|| git::look(&self.folder));
        let begun = match (&self.tests, self.since) {
            (Some(results), None) => Some(test_run::Before::prepare(&self.folder, results)),
            (Some(_), Some(since)) => Some(test_run::Before::at(since)),
            (None, _) => None,
        };
        // One that is found again lives: it is told to end as soon as it can be talked to.
        if self.spec.is_some() && self.cancel.load(Ordering::SeqCst) {
            self.tell(Said::Ended(Box::new(RunEnd::cancelled())));
            return;
        }
        let found = match self.spec.take() {
            Some(spec) => spawn(&self.guardian, &self.run_dir, &spec)
                .map(Found::Alive)
                .or_else(|error| self.began_all_the_same().ok_or(error)),
            None => self.attach_patiently(),
        };
        let mut listening = Listening::new(&self, mask);
        if let Some((name, text)) = self.resumed.as_ref().map(Resumed::note) {
            listening.rows.note(name, text, crate::clock::now());
        }
        let end = match found {
            Ok(Found::Alive(attached)) => {
                self.tell(Said::Began(attached.clone()));
                listening.begin(&self);
                match listening.until_ended(&self, &attached) {
                    Some(over) => over,
                    None => return, // the app ends
                }
            }
            Ok(Found::Ended(record)) => Over::of(&record),
            Ok(Found::Lost(record, left)) => Over::lost(&record, left),
            Err(error) => {
                let mut end = RunEnd::not_started(error.to_string());
                if self.since.is_some() {
                    end.report = StopReport::Unknown { why: error.to_string() };
                }
                self.tell(Said::Ended(Box::new(end)));
                return;
            }
        };
        listening.read_all(&self);
        listening.finish(&self);
        let changed = before.and_then(|before| git::changed_since(&self.folder, &before));
        let code = match &end.exit {
            Some(Exit::Code { code }) => Some(*code),
            _ => None,
        };
        let tests = self.tests.as_ref().zip(begun).map(|(results, begun)| {
            test_run::read(&self.folder, results, &begun, &LogReader::of_run(&self.run_dir), code)
        });
        let not_started = match &end.exit {
            Some(Exit::NotStarted { program, why, .. }) => Some(format!("{program}: {why}")),
            _ => None,
        };
        let facts = listening.decoder.facts().clone();
        let tail = String::from_utf8_lossy(&listening.tail).into_owned();
        let Over { exit, report, stopped_by, at } = end;
        let mut end = RunEnd { facts, exit, report, stopped_by, changed, tests, tail, at, not_started };
        // From here on it may get into the files of the loop.
        end.facts.hide(&listening.mask);
        end.tests.hide(&listening.mask);
        end.tail.hide(&listening.mask);
        self.tell(Said::Ended(Box::new(end)));
    }

    /// A guardian that died before it could say so may have begun its child: then there is an agent, and no second one may
    /// be set beside it.
    fn began_all_the_same(&self) -> Option<Found> {
        attach(&self.run_dir).ok()
    }

    /// A guardian that is only just beginning, or cannot be reached in this moment, is tried again.
    fn attach_patiently(&self) -> io::Result<Found> {
        let until = Instant::now() + ATTACH_WITHIN;
        loop {
            match attach(&self.run_dir) {
                Err(_) if Instant::now() < until && !self.cancel.load(Ordering::SeqCst) => {
                    std::thread::sleep(ATTACH_APART);
                }
                other => return other,
            }
        }
    }

    fn tell(&self, said: Said) {
        let _ = self.inbox.send(Event::Run(Arc::clone(&self.key), self.run.clone(), said));
    }
}

impl RunEnd {
    /// The end was wanted before it began.
    fn cancelled() -> Self {
        let by = StopReason::Person { name: super::control::person() };
        Self { stopped_by: Some(by), ..Self::not_started("not started any more".into()) }
    }

    fn not_started(why: String) -> Self {
        Self {
            facts: Facts::default(),
            exit: None,
            report: StopReport::AllGone { ended: 0 },
            stopped_by: None,
            changed: None,
            tests: None,
            tail: String::new(),
            at: crate::clock::now(),
            not_started: Some(why),
        }
    }
}

/// The end as the guardian or its record tells it.
struct Over {
    exit: Option<Exit>,
    report: StopReport,
    stopped_by: Option<StopReason>,
    at: Millis,
}

impl Over {
    fn of(record: &RunRecord) -> Self {
        let report = record.ended.as_ref().map(|ended| ended.report.clone());
        let unknown = || StopReport::Unknown { why: "the record does not say".into() };
        Self {
            exit: record.exit.clone(),
            report: report.unwrap_or_else(unknown),
            stopped_by: record.stop_request.as_ref().map(|request| request.by.clone()),
            at: record
                .exited_at
                .or(record.ended.as_ref().map(|ended| ended.at))
                .unwrap_or_else(crate::clock::now),
        }
    }

    /// As the guardian said it. A record that could not be written any more, as on a full disk, is older than its words.
    fn told(
        record: Option<&RunRecord>,
        exit: Option<Exit>,
        ended_by: Option<StopReason>,
        report: StopReport,
    ) -> Self {
        let known = record.map(Self::of);
        Self {
            exit: known.as_ref().and_then(|known| known.exit.clone()).or(exit),
            report,
            stopped_by: known.as_ref().and_then(|known| known.stopped_by.clone()).or(ended_by),
            at: known.map_or_else(crate::clock::now, |known| known.at),
        }
    }

    fn lost(record: &RunRecord, left: Leftovers) -> Self {
        Self { report: StopReport::of_leftovers(left), ..Self::of(record) }
    }
}

/// Where a line of one pipe began.
struct Pipe {
    splitter: LineSplitter,
    /// Where the line that is not finished yet began.
    begun: Option<Source>,
}

struct Listening {
    reader: LogReader,
    position: u64,
    decoder: Decoder,
    mask: Mask,
    stdout: Pipe,
    stderr: Pipe,
    rows: said::Rows,
    tail: Vec<u8>,
    last_output: Millis,
    /// When the owner was told of rows last.
    told: Option<Instant>,
    /// When the log was read last; `None` before.
    looked: Option<Instant>,
    /// There is more in it.
    behind: bool,
    told_final: bool,
    told_lack: bool,
    /// Of a run that is found again, while what it said before is read: what it asked last and nobody answered.
    asked_before: Option<Vec<Said>>,
}

impl Listening {
    fn new(job: &Job, mask: Mask) -> Self {
        Self {
            reader: LogReader::of_run(&job.run_dir),
            position: 0,
            decoder: Decoder::new(job.kind),
            mask,
            stdout: Pipe { splitter: LineSplitter::of(job.kind, Stream::Stdout), begun: None },
            stderr: Pipe { splitter: LineSplitter::of(job.kind, Stream::Stderr), begun: None },
            rows: said::Rows::default(),
            tail: Vec::new(),
            last_output: 0,
            told: None,
            looked: None,
            behind: false,
            told_final: false,
            told_lack: false,
            asked_before: None,
        }
    }

    /// Reads what was said before it was found again. Of what it asked then, only that is open which nothing followed.
    fn begin(&mut self, job: &Job) {
        if job.since.is_none() {
            return;
        }
        self.asked_before = Some(Vec::new());
        self.read_all(job);
        for ask in self.asked_before.take().unwrap_or_default() {
            job.tell(ask);
        }
    }

    /// Until it has ended; `None` when the app ends before.
    fn until_ended(&mut self, job: &Job, attached: &Attached) -> Option<Over> {
        let events = attached.events();
        let (mut exit, mut ended_by) = (None, None);
        loop {
            match events.recv_timeout(self.patience()) {
                Ok(RunNotice::More) => self.behind = true,
                Ok(RunNotice::Exited(how)) => exit = Some(how),
                Ok(RunNotice::EndedBy(by)) => ended_by = Some(by),
                Ok(RunNotice::Status(_) | RunNotice::Step(_)) => {}
                Ok(RunNotice::Ended(report)) => {
                    let record = attached.record().ok();
                    return Some(Over::told(record.as_ref(), exit, ended_by, report));
                }
                Err(RecvTimeoutError::Disconnected) if attached.is_left() => return None,
                Ok(RunNotice::Lost) | Err(RecvTimeoutError::Disconnected) => {
                    return Some(Self::lost(job, exit));
                }
                Err(RecvTimeoutError::Timeout) if self.behind => self.behind = !self.read_on(job),
                Err(RecvTimeoutError::Timeout) => self.tell_rows(job),
            }
            if self.decoder.facts().last.is_some() && !self.told_final {
                self.told_final = true;
                let _ = attached.final_seen();
            }
            self.tell_lack(job);
        }
    }

    /// An agent that lists its commands when it begins, and not the one that it is to do, would work at something else.
    fn tell_lack(&mut self, job: &Job) {
        let facts = self.decoder.facts();
        if !self.told_lack && job.command.as_deref().is_some_and(|command| facts.lacks_command(command)) {
            self.told_lack = true;
            job.tell(Said::Lacks(facts.plugin_errors.clone()));
        }
    }

    /// The guardian is gone: what it wrote down last, and what is left.
    fn lost(job: &Job, exit: Option<Exit>) -> Over {
        match attach(&job.run_dir) {
            Ok(Found::Ended(record)) => Over::of(&record),
            Ok(Found::Lost(record, left)) => Over::lost(&record, left),
            Ok(Found::Alive(_)) | Err(_) => Over {
                exit,
                report: StopReport::Unknown { why: "its guardian is gone".into() },
                stopped_by: None,
                at: crate::clock::now(),
            },
        }
    }

    /// How long nothing more need come before something is done: notices are collected, not obeyed one by one.
    fn patience(&self) -> Duration {
        if self.behind {
            self.looked.map_or(Duration::ZERO, |at| READS_APART.saturating_sub(at.elapsed()))
        } else if self.rows.is_untold() {
            QUIET // what was read but not told yet is told soon, even when nothing more comes
        } else {
            Duration::from_secs(3600)
        }
    }

    /// Everything that is in the log now.
    fn read_all(&mut self, job: &Job) {
        while !self.read_on(job) {}
    }

    /// Some of what is in the log now; whether that was all.
    fn read_on(&mut self, job: &Job) -> bool {
        self.looked = Some(Instant::now());
        for _ in 0..STRETCHES {
            let Ok(window) = self.reader.read(self.position, STRETCH) else { return true };
            if window.dropped > 0 {
                self.rows.note("dropped", &window.dropped.to_string(), self.last_output);
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
                self.take(job, stream, piece.position, &piece.bytes, piece.at);
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

    fn take(&mut self, job: &Job, stream: Stream, frame: u64, bytes: &[u8], at: Millis) {
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
                    before.clear(); // it goes on: it was answered, or does not wait any more
                    asks.clear();
                }
                match &event {
                    AgentEvent::PermissionRequest(request) => asks.push(Said::Asks(request.clone())),
                    AgentEvent::PermissionWithdrawn { id } => asks.push(Said::Withdrawn(id.clone())),
                    _ => {}
                }
                rows.add(&event, stream, at, begun);
                if let AgentEvent::PermissionRequest(request) = &event
                    && request.is_cut
                {
                    let bytes = request.input.cut_from.unwrap_or_default().to_string();
                    rows.note("too_long", &bytes, at);
                }
            }
            offset = end;
            begun = begin(offset);
        });
        pipe.begun = Some(begun);
        for ask in asks {
            match &mut self.asked_before {
                Some(before) => before.push(ask),
                None => job.tell(ask),
            }
        }
    }

    /// The ends of both pipes: lines without a line end.
    fn finish(&mut self, job: &Job) {
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
        let mut ready = self.rows.take();
        for stored in &mut ready {
            stored.row.text = self.mask.hide(std::mem::take(&mut stored.row.text));
        }
        if !ready.is_empty() {
            let mut output = job.output.lock().unwrap_or_else(PoisonError::into_inner);
            for stored in ready {
                // A full disk: the raw log and the outcome matter more than rows.
                let _ = output.append(&stored);
            }
            let _ = output.flush();
        }
        if self.told.is_none_or(|at| at.elapsed() >= BETWEEN) {
            self.tell_rows(job);
        }
    }

    fn tell_rows(&mut self, job: &Job) {
        if !self.rows.is_untold() {
            return;
        }
        self.rows.told();
        self.told = Some(Instant::now());
        let facts = self.decoder.facts();
        job.tell(Said::Rows(Heard {
            rows: job.output.lock().unwrap_or_else(PoisonError::into_inner).total(),
            last_output: self.last_output,
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

/// The whole source of a row that was cut, at most 1 MB, from the raw log.
///
/// # Errors
/// What the disk says; `NotFound` when that part of the log is gone.
pub(crate) fn source_text(run_dir: &std::path::Path, stored: &StoredRow) -> io::Result<String> {
    let Some(source) = stored.source else { return Ok(stored.row.text.clone()) };
    let wanted = if stored.row.kind == RowKind::Stderr { LogStream::Err } else { LogStream::Out };
    let window = LogReader::of_run(run_dir).read(source.frame, WHOLE)?;
    if window.dropped > 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut text = Vec::new();
    for (index, piece) in window.pieces.iter().filter(|piece| piece.stream == wanted).enumerate() {
        let skip = if index == 0 { (source.offset as usize).min(piece.bytes.len()) } else { 0 };
        let bytes = &piece.bytes[skip..];
        match memchr::memchr(b'\n', bytes) {
            Some(end) => {
                text.extend_from_slice(&bytes[..end]);
                break;
            }
            None => text.extend_from_slice(bytes),
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A row that Loopdeck itself adds.
pub(crate) fn note_row(name: &str, text: &str, at: Millis) -> StoredRow {
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    let at = at as f64;
    let row = OutputRow {
        at,
        kind: RowKind::Note,
        name: name.to_owned(),
        text: text.to_owned(),
        cut: None,
        ok: None,
        depth: 0,
    };
    StoredRow { row, source: None }
}
