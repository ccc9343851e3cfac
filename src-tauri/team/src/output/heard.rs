//! The output of other machines' loops, kept on this disk while somebody looks at it.

use crate::message::{SharedOutput, SharedRun};
use crate::place::FilePlace;
use loopdeck_execution::output::OutputLog;
use loopdeck_execution::rows::OutputRow;
use loopdeck_execution::run_monitor::SharedOutput as Rows;
use loopdeck_runtime::elsewhere::RemoteRun;
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A loop that nobody asked about for so long is no longer followed.
const UNUSED: Duration = Duration::from_secs(30);
/// How long the first question waits for what is there.
const PATIENCE: Duration = Duration::from_secs(4);
/// So many runs of one loop are kept, the newest.
const RUNS: usize = 64;
/// With more bytes of a loop, all of them are dropped and it starts over: a hostile machine must not fill the disk. It is twice
/// what the server keeps.
const MOST_BYTES: usize = 64 << 20;
/// A longer line is no row: its text alone has at most 4 kB.
const LONGEST_ROW: usize = 64 << 10;
/// A run with more rows is none.
const MOST_ROWS: u32 = 1 << 30;
/// A longer name is none of Loopdeck's.
const LONGEST_ID: usize = 200;

/// All loops that are followed.
#[derive(Default)]
pub(crate) struct HeardLoops(Mutex<HashMap<FilePlace, Arc<HeardLoop>>>);

impl HeardLoops {
    /// The loop at this place, asked about now. True when it is new.
    pub(crate) fn ask(&self, place: &FilePlace, folder: &Path) -> (Arc<HeardLoop>, bool) {
        let mut loops = self.0.lock();
        let mut is_new = false;
        let found = loops.entry(place.clone()).or_insert_with(|| {
            is_new = true;
            Arc::new(HeardLoop::new(folder.join(crate::jwt::random_id())))
        });
        found.state.lock().asked = Instant::now();
        (Arc::clone(found), is_new)
    }

    /// Loops to follow. Those that nobody has asked about lately are forgotten.
    pub(crate) fn wanted_loops(&self) -> Vec<(FilePlace, Arc<HeardLoop>)> {
        let mut loops = self.0.lock();
        loops.retain(|_, of| of.is_wanted());
        loops.iter().map(|(place, of)| (place.clone(), Arc::clone(of))).collect()
    }
}

/// What was heard of one loop. Its rows go from the disk with it.
pub(crate) struct HeardLoop {
    folder: PathBuf,
    state: Mutex<HeardState>,
    caught_up: Condvar,
}

struct HeardState {
    asked: Instant,
    /// Everything that was there has come, or why it does not.
    answer: Option<Result<(), Failure>>,
    /// Oldest first.
    runs: VecDeque<HeardRun>,
    /// Counts folders of runs.
    folders: u32,
    /// Bytes that were taken.
    bytes: usize,
}

struct HeardRun {
    run: SharedRun,
    rows: Rows,
    folder: PathBuf,
}

impl HeardRun {
    /// Removes its rows from the disk.
    fn remove(self) {
        let Self { rows, folder, .. } = self;
        drop(rows); // Windows removes no open file: one that somebody reads goes at the next start
        std::fs::remove_dir_all(folder).logged("the output of an old run is still on the disk");
    }
}

impl Drop for HeardLoop {
    fn drop(&mut self) {
        self.state.get_mut().runs.clear(); // open files
        drop(std::fs::remove_dir_all(&self.folder)); // what stays goes at the next start
    }
}

impl HeardLoop {
    fn new(folder: PathBuf) -> Self {
        let (answer, runs, folders, bytes) = Default::default();
        let state = HeardState { asked: Instant::now(), answer, runs, folders, bytes };
        Self { folder, state: Mutex::new(state), caught_up: Condvar::new() }
    }

    /// Whether somebody asked about it lately.
    pub(crate) fn is_wanted(&self) -> bool {
        self.state.lock().asked.elapsed() < UNUSED
    }

    /// Everything that was there has come, or why it does not.
    pub(crate) fn set_answer(&self, answer: Result<(), Failure>) {
        self.state.lock().answer = Some(answer);
        self.caught_up.notify_all();
    }

    /// Its runs, newest first. Waits a moment for a first answer; `None` when none comes.
    pub(crate) fn runs(&self) -> Option<Result<Vec<RemoteRun>, Failure>> {
        let mut state = self.state.lock();
        if state.answer.is_none() {
            let _ = self.caught_up.wait_while_for(&mut state, |state| state.answer.is_none(), PATIENCE);
        }
        let heard = |run: &HeardRun| {
            let total = run.rows.lock().total();
            RemoteRun { view: run.run.view(total), rows: Arc::clone(&run.rows) }
        };
        let runs: Vec<RemoteRun> = state.runs.iter().rev().map(heard).collect();
        match &state.answer {
            Some(Err(failure)) if runs.is_empty() => Some(Err(failure.clone())),
            None if runs.is_empty() => None,
            _ => Some(Ok(runs)),
        }
    }

    /// Takes a page of rows. Answers whether a run began or ended.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn take_page(&self, head: SharedOutput, body: &[u8]) -> io::Result<bool> {
        let SharedOutput { run, first, .. } = head;
        if run.id.len() > LONGEST_ID || first > MOST_ROWS {
            return Ok(false);
        }
        let mut state = self.state.lock();
        state.bytes += body.len();
        if state.bytes > MOST_BYTES {
            state.bytes = body.len();
            state.runs.drain(..).for_each(HeardRun::remove);
        }
        let (at, is_new) = match state.runs.iter().position(|known| known.run.id == run.id) {
            Some(at) => (at, false),
            None => (self.begin_run(&mut state, run.clone())?, true),
        };
        let Some(known) = state.runs.get_mut(at) else { return Ok(false) };
        let has_ended = known.run.ended.is_none() && run.ended.is_some();
        known.run = run;
        let rows = Arc::clone(&known.rows);
        drop(state);
        append_rows(&rows, first, body)?;
        Ok(is_new || has_ended)
    }

    fn begin_run(&self, state: &mut HeardState, run: SharedRun) -> io::Result<usize> {
        state.folders += 1;
        let folder = self.folder.join(state.folders.to_string());
        let rows = Arc::new(Mutex::new(OutputLog::begin_again(&folder)?));
        state.runs.push_back(HeardRun { run, rows, folder });
        if state.runs.len() > RUNS
            && let Some(oldest) = state.runs.pop_front()
        {
            oldest.remove();
        }
        Ok(state.runs.len() - 1)
    }
}

/// Adds the rows of a page that begins with row `first`. Rows that are here already are left out.
fn append_rows(rows: &Rows, first: u32, body: &[u8]) -> io::Result<()> {
    let mut rows = rows.lock();
    if first > rows.total() {
        rows.continue_at(first)?;
    }
    let known = (rows.total() - first) as usize;
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    for line in lines.skip(known) {
        let row = if line.len() > LONGEST_ROW { None } else { serde_json::from_slice(line).ok() };
        rows.append(&row.unwrap_or_else(unreadable_row).into())?;
    }
    rows.flush()
}

/// In place of a row that this Loopdeck cannot read: numbers of rows stay right.
fn unreadable_row() -> OutputRow {
    OutputRow {
        at: 0.0,
        kind: loopdeck_execution::rows::OutputKind::Other,
        name: String::new(),
        text: String::new(),
        cut: None,
        ok: None,
        depth: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::SharePlace;
    use crate::seat::Seat;

    fn page(id: &str, first: u32, texts: &[&str], ended: Option<f64>) -> (SharedOutput, Vec<u8>) {
        let run = SharedRun { id: id.into(), ended, ..run() };
        let line = |text: &&str| {
            let row = OutputRow { text: (*text).to_owned(), ..unreadable_row() };
            serde_json::to_string(&row).unwrap() + "\n"
        };
        (SharedOutput { at: 0, run, first }, texts.iter().map(line).collect::<String>().into_bytes())
    }

    fn run() -> SharedRun {
        SharedRun {
            id: String::new(),
            action: "develop".into(),
            task: None,
            iteration: 1,
            agent: "Codex".into(),
            agent_id: "codex".into(),
            model: None,
            started: 1.0,
            ended: None,
            outcome: None,
            message: None,
            denied: None,
            tokens: None,
            cost_usd: None,
            exit_code: None,
        }
    }

    fn texts(of: &HeardLoop, id: &str) -> (u32, Vec<String>) {
        let runs = of.runs().unwrap().unwrap();
        let run = runs.iter().find(|run| run.view.id == id).unwrap();
        let page = run.rows.lock().page(id, 0, 100, true).unwrap();
        (page.first, page.rows.into_iter().map(|row| row.text).collect())
    }

    fn take(of: &HeardLoop, (head, body): (SharedOutput, Vec<u8>)) -> bool {
        of.take_page(head, &body).unwrap()
    }

    #[test]
    fn pages_that_come_twice_or_with_a_gap_leave_each_row_once_with_its_number() {
        let dir = tempfile::tempdir().unwrap();
        let (of, is_new) = HeardLoops::default().ask(&place(), dir.path());
        assert!(is_new);
        of.set_answer(Ok(()));
        assert!(take(&of, page("a", 0, &["0", "1"], None)), "a new run");
        assert!(!take(&of, page("a", 1, &["1", "2"], None)));
        assert!(!take(&of, page("a", 0, &["0"], None)));
        assert_eq!(texts(&of, "a"), (0, vec!["0".into(), "1".into(), "2".into()]));
        assert!(!take(&of, page("a", 7, &["7"], None)), "those between were pushed out");
        assert_eq!(texts(&of, "a"), (7, vec!["7".into()]));
        assert!(take(&of, page("a", 8, &[], Some(5.0))), "it ended");
        assert!(take(&of, page("b", 0, &["new"], None)));
        let runs = of.runs().unwrap().unwrap();
        let ids: Vec<&str> = runs.iter().map(|run| run.view.id.as_str()).collect();
        assert_eq!((ids, runs[1].view.ended, runs[1].view.rows), (vec!["b", "a"], Some(5.0), 8));
    }

    #[test]
    fn a_row_that_cannot_be_read_keeps_its_place_and_a_run_without_a_name_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let (of, _) = HeardLoops::default().ask(&place(), dir.path());
        of.set_answer(Ok(()));
        let (head, _) = page("../../x", 0, &[], None);
        let long = format!("\"{}\"", "x".repeat(LONGEST_ROW));
        let last = String::from_utf8(page("", 0, &["last"], None).1).unwrap();
        of.take_page(head, format!("{{}}\n{long}\n{last}").as_bytes()).unwrap();
        assert_eq!(texts(&of, "../../x"), (0, vec![String::new(), String::new(), "last".into()]));
        assert!(!dir.path().parent().unwrap().join("x").exists(), "no name from a message is a path");
        assert!(!take(&of, page(&"x".repeat(LONGEST_ID + 1), 0, &["x"], None)));
    }

    #[test]
    fn a_page_of_more_rows_than_can_be_counted_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let (of, _) = HeardLoops::default().ask(&place(), dir.path());
        of.set_answer(Ok(()));
        assert!(!take(&of, page("a", u32::MAX, &["x", "y"], None)));
        assert!(of.runs().unwrap().unwrap().is_empty());
        assert!(take(&of, page("a", MOST_ROWS, &["x"], None)));
        assert!(!take(&of, page("a", MOST_ROWS + 1, &["y"], None)));
        assert_eq!(texts(&of, "a"), (MOST_ROWS, vec!["x".into()]));
    }

    #[test]
    fn a_machine_that_sends_without_end_does_not_fill_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let (of, _) = HeardLoops::default().ask(&place(), dir.path());
        of.set_answer(Ok(()));
        let (head, _) = page("a", 0, &[], None);
        let body = vec![b'x'; 1 << 20]; // one line, which is no row
        for first in 0..=64 {
            of.take_page(SharedOutput { first, ..head.clone() }, &body).unwrap();
        }
        assert_eq!(texts(&of, "a"), (64, vec![String::new()]));
        assert_eq!(std::fs::read_dir(&of.folder).unwrap().count(), 1);
    }

    #[test]
    fn old_runs_and_loops_nobody_asks_about_go_from_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let loops = HeardLoops::default();
        let (of, _) = loops.ask(&place(), dir.path());
        of.set_answer(Ok(()));
        for number in 0..RUNS + 3 {
            take(&of, page(&format!("run {number}"), 0, &["row"], None));
        }
        let runs = of.runs().unwrap().unwrap();
        assert_eq!((runs.len(), runs[RUNS - 1].view.id.as_str()), (RUNS, "run 3"));
        assert_eq!(std::fs::read_dir(&of.folder).unwrap().count(), RUNS);
        assert_eq!(loops.wanted_loops().len(), 1);
        of.state.lock().asked = Instant::now().checked_sub(UNUSED).unwrap();
        assert!(loops.wanted_loops().is_empty());
        drop((runs, of));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    fn place() -> FilePlace {
        let share = SharePlace { seat: Seat::new("ada", "laptop").unwrap(), id: "shop".into() };
        FilePlace { share, file: ".loop/a.json".into() }
    }
}
