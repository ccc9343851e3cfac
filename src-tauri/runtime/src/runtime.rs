//! The runtime as the shell sees it: start it, ask it, be told of changes.

use crate::agents::doctor::Doctor;
use crate::agents::environment;
use crate::catalog::Catalog;
use crate::delete;
use crate::dirs::{self, Dirs};
use crate::drivers::choices::Kept;
use crate::drivers::plan::RunPlan;
use crate::drivers::rows::{NeedAnswer, Needs, RunRow};
use crate::drivers::{NeedsWatcher, Outputs, Tries, Workshop};
use crate::editor::{self, EditorChoice, Editors, Spot};
use crate::journal::{self, Journal, Retention};
use crate::owner::{Event, Owner, Reply, SWEEP_EVERY, Subscriber};
use crate::page::{self, Found};
use crate::rows::{
    Changes, Deletion, Failure, FailureKind, JournalEvent, LoopChange, LoopPage, PastChange, RecentFolder,
    RecoveryPage, Settings, SourcePage, VerbOptions, VersionPage, VersionView,
};
use crate::runs::GuardianProgram;
use crate::sample;
use crate::sight::{Around, Sight};
use crate::store::Remembered;
use crate::tables::LastTable;
use crate::watch::Watch;
use crate::{clock, files, scan};
use loopdeck_core::control::{Control, Intent, MetadataPatch, Verb};
use loopdeck_core::graph_layout::{Direction, Drawing, Style};
use loopdeck_core::test_table::{TestQuery, TestTablePage};
use loopdeck_core::times::Millis;
use loopdeck_core::view::{TestRow, TestView};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a runtime leaves behind besides the changes of loops that it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traces {
    /// Settings, open workspaces, the journal; old temporary files of ours are cleaned up: the window.
    #[default]
    All,
    /// The journal and nothing else: one request of a script. What is open there is guarded by the window.
    Requests,
    /// Nothing, neither in our data folder nor in a workspace: a look of a script. The journal is only read.
    Nothing,
}

/// How the runtime is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Our own data.
    pub dirs: Dirs,
    /// Look by itself instead of being told by the operating system.
    pub polling: bool,
    /// How often everything is looked at although the operating system tells of changes: the floor below it.
    pub floor: Duration,
    /// How much of the past of all loops is kept.
    pub retention: Retention,
    /// What may be left behind.
    pub traces: Traces,
    /// Who becomes the guardian of a run: this program once more, unless a test says otherwise.
    pub guardian: Option<GuardianProgram>,
    /// How long a minute of a limit lasts; shorter in tests only.
    pub minute: Duration,
}

impl Options {
    /// The usual way: told by the operating system, with a look at everything every five seconds.
    #[must_use]
    pub fn new(data: PathBuf) -> Self {
        let retention = Retention::default();
        Self {
            dirs: Dirs { data },
            polling: false,
            floor: SWEEP_EVERY,
            retention,
            traces: Traces::All,
            guardian: None,
            minute: Duration::from_secs(60),
        }
    }

    /// For one command without a window: nothing is watched, because it ends before anything could change.
    #[must_use]
    pub fn once(data: PathBuf, traces: Traces) -> Self {
        Self { polling: true, traces, ..Self::new(data) }
    }
}

/// A running runtime. Ends with its last reference.
#[derive(Debug)]
pub struct Runtime {
    inbox: Sender<Event>,
    catalog: Arc<RwLock<Catalog>>,
    remembered: Mutex<Remembered>,
    dirs: Dirs,
    traces: Traces,
    last_table: LastTable,
    pub(crate) choices: Arc<Kept>,
    pub(crate) doctor: Doctor,
    needs: Arc<Mutex<Needs>>,
    outputs: Arc<Outputs>,
    pub(crate) tries: Tries,
    owner: Option<JoinHandle<()>>,
}

impl Runtime {
    /// Starts the owner. Workspaces are opened afterwards, see [`Runtime::reopen`].
    ///
    /// # Errors
    /// With [`Traces::Requests`] when the journal cannot be kept. The window starts all the same: loops can be looked at,
    /// and each write is refused until it can be recorded.
    pub fn start(options: &Options) -> Result<Self, Failure> {
        let own_data =
            |error: &dyn std::fmt::Display| Failure::new(FailureKind::OwnData).with("reason", error);
        let remembered = match options.traces {
            Traces::All => Remembered::load(&options.dirs.settings()),
            Traces::Requests | Traces::Nothing => Remembered::peek(&options.dirs.settings()),
        };
        let journal = journal(options).map_err(|error| own_data(&error))?;
        let (inbox, events) = mpsc::channel();
        let notices = inbox.clone();
        let watch = Watch::start(options.polling, move |notice| drop(notices.send(Event::Noticed(notice))));
        let catalog = Arc::new(RwLock::new(Catalog::default()));
        let fresh_within = fresh_within(&remembered.settings);
        let housekeeping = options.traces == Traces::All;
        let dirs = options.dirs.clone();
        let traces = options.traces;
        let choices = Arc::new(Kept::load(dirs.choices(), traces != Traces::All));
        let (needs, outputs) = (Arc::<Mutex<Needs>>::default(), Arc::<Outputs>::default());
        let guardian = match options.guardian.clone() {
            Some(guardian) => guardian,
            None => GuardianProgram::this_program().map_err(|error| own_data(&error))?,
        };
        let tries = Tries::new(guardian.clone());
        let workshop = Workshop {
            dirs: dirs.clone(),
            choices: Arc::clone(&choices),
            guardian,
            inbox: inbox.clone(),
            needs: Arc::clone(&needs),
            outputs: Arc::clone(&outputs),
            watchers: Vec::new(),
            minute: Millis::try_from(options.minute.as_millis()).unwrap_or(60_000),
        };
        let owner = Owner::new(
            Arc::clone(&catalog),
            journal,
            watch,
            fresh_within,
            options.floor,
            housekeeping,
            workshop,
        );
        let thread = std::thread::Builder::new().name("owner".into());
        let owner = thread.spawn(move || owner.run(&events)).map_err(|error| own_data(&error))?;
        let (remembered, owner) = (Mutex::new(remembered), Some(owner));
        let last_table = LastTable::default();
        Ok(Self {
            inbox,
            catalog,
            remembered,
            dirs,
            traces,
            last_table,
            choices,
            doctor: Doctor::default(),
            needs,
            outputs,
            tries,
            owner,
        })
    }

    /// Opens the workspaces that were open when the app ended.
    pub fn reopen(&self) {
        for path in self.remembered(|remembered| remembered.open.clone()) {
            let sample = path == self.sample_path();
            let _ = self.ask(|reply| Event::Open(path, sample, reply)); // a folder that is gone is simply not opened
        }
    }

    /// Makes what the first start of an agent would have to wait for. Called once the window is painted.
    pub fn warm_up(&self) {
        environment::prepare();
    }

    // --- workspaces -----------------------------------------------------------------------------------------------

    /// Opens the workspace at `path` (or the one it lies in, when it is a folder of loops) and answers its id.
    ///
    /// # Errors
    /// `NotAFolder` when there is no such folder.
    pub fn open_workspace(&self, path: &Path) -> Result<String, Failure> {
        let path = workspace_above(path);
        let sample = path == self.sample_path();
        let id = self.ask(|reply| Event::Open(path.clone(), sample, reply))?;
        if let Ok(path) = path.canonicalize() {
            self.remember(|remembered| remembered.opened(&path))?;
        }
        Ok(id)
    }

    /// Opens the workspace that the state file at `file` lies in and answers the loop's key.
    ///
    /// # Errors
    /// `NotAFolder` when there is no such folder; `UnknownLoop` when the file is no loop.
    pub fn open_file(&self, file: &Path) -> Result<String, Failure> {
        let missing = || Failure::new(FailureKind::UnknownLoop).with("path", dirs::shown(file));
        let file = file.canonicalize().map_err(|_| missing())?;
        let folder = file.parent().ok_or_else(missing)?;
        let id = match self.workspace_around(&file) {
            Some(id) => id,
            // A session folder lies one deeper than a state file.
            None => self.open_workspace(&workspace_above(folder))?,
        };
        let root = self.workspace_path(&id)?;
        let below = file.strip_prefix(&root).map_err(|_| missing())?.to_string_lossy().replace('\\', "/");
        let key = crate::catalog::key(&id, &below);
        self.find(&key)?;
        Ok(key.to_string())
    }

    /// The open workspace that a file lies in.
    fn workspace_around(&self, file: &Path) -> Option<String> {
        self.read(|catalog| {
            let mut around = catalog.workspaces.iter().filter(|workspace| file.starts_with(&workspace.path));
            around.next().map(|workspace| workspace.id.to_string())
        })
    }

    /// Closes a workspace; its files stay.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn close_workspace(&self, id: &str) -> Result<(), Failure> {
        let path = self.read(|catalog| catalog.workspace(id).map(|workspace| workspace.path.clone()));
        self.ask(|reply| Event::Close(id.to_owned(), reply))?;
        match path {
            Some(path) => self.remember(|remembered| remembered.closed(&path)),
            None => Ok(()),
        }
    }

    /// Lays out the sample workspace (once; it is trusted then, because all that lies in it is ours) and opens it.
    ///
    /// # Errors
    /// `OwnData` when our data folder cannot be written.
    pub fn open_sample(&self) -> Result<String, Failure> {
        let path = self.dirs.sample();
        let own = |error: std::io::Error| Failure::new(FailureKind::OwnData).with("reason", error);
        let is_new = sample::lay_out(&path).map_err(own)?;
        if is_new && self.traces == Traces::All {
            // Its two scripts are ours. Who takes the trust away again is not overruled: it is laid out once.
            self.choices.change(|choices| choices.trust(&path, true)).map_err(own)?;
        }
        self.open_workspace(&path)
    }

    /// Whether a loop lies in the sample.
    pub(crate) fn is_sample(&self, key: &str) -> bool {
        let id = key.split_once(':').map_or(key, |(id, _)| id);
        self.read(|catalog| catalog.workspace(id).is_some_and(|workspace| workspace.sample))
    }

    fn sample_path(&self) -> PathBuf {
        let path = self.dirs.sample();
        path.canonicalize().unwrap_or(path)
    }

    /// Path of a workspace, for the desktop's file manager.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn workspace_path(&self, id: &str) -> Result<PathBuf, Failure> {
        let path = self.read(|catalog| catalog.workspace(id).map(|workspace| workspace.path.clone()));
        path.ok_or_else(|| Failure::new(FailureKind::UnknownWorkspace))
    }

    // --- reading --------------------------------------------------------------------------------------------------

    /// Tells `subscriber` of every change, at most ten times a second, until it answers false.
    pub fn subscribe(&self, subscriber: Subscriber) {
        let _ = self.inbox.send(Event::Subscribe(subscriber));
    }

    /// What changed since `since`, in pages.
    #[must_use]
    pub fn changes(&self, since: u32) -> Changes {
        self.read(|catalog| catalog.changes(since, clock::now()))
    }

    /// Looks at everything now, and answers when everything that changed is in the catalog.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn rescan(&self) -> Result<(), Failure> {
        self.ask(Event::Rescan)
    }

    /// The whole loop named `key`; its companions are watched from now on.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn open_loop(&self, key: &str) -> Result<LoopPage, Failure> {
        let mut found = self.find(key)?;
        if found.misses_good() {
            self.ask(|reply| Event::RecallGood(key.to_owned(), reply))?;
            found = self.find(key)?;
        }
        let _ = self.inbox.send(Event::Shown(key.to_owned()));
        Ok(found.page())
    }

    /// The same for a script: nobody keeps looking at it.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn read_loop(&self, key: &str) -> Result<LoopPage, Failure> {
        self.find(key).map(|found| found.page())
    }

    /// Lines of its state file.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn source(&self, key: &str, first: u32, count: u32) -> Result<SourcePage, Failure> {
        self.find(key)?.source(first, count)
    }

    /// Lines of a document beside it.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn document(&self, key: &str, name: &str, first: u32, count: u32) -> Result<SourcePage, Failure> {
        self.find(key)?.document(name, first, count)
    }

    /// Kept versions of a document, newest first: what we wrote and what that replaced; others keep none.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`; `OwnData` when the journal cannot be read.
    pub fn document_history(&self, key: &str, name: &str, limit: u32) -> Result<Vec<VersionView>, Failure> {
        let file = self.find(key)?.document_file(name)?;
        self.ask(|reply| Event::BesideHistory(key.to_owned(), file, limit, reply))
    }

    /// Lines of a document as version `id` of its history has it.
    ///
    /// # Errors
    /// As [`Runtime::document_history`]; `UnknownVersion`.
    pub fn document_version(
        &self,
        key: &str,
        name: &str,
        id: u32,
        first: u32,
        count: u32,
    ) -> Result<SourcePage, Failure> {
        let file = self.find(key)?.document_file(name)?;
        let bytes = self.ask(|reply| Event::BesideVersion(key.to_owned(), file.clone(), id, reply))?;
        Ok(page::lines(&file, &bytes, first, count))
    }

    /// Single tests of every run that stands in the file, oldest run first.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn test_runs(&self, key: &str) -> Result<Vec<Vec<TestRow>>, Failure> {
        self.find(key)?.test_runs()
    }

    /// Lines of the table of one test run, compared with the runs before it.
    ///
    /// # Errors
    /// `UnknownLoop`, `Unreadable`.
    pub fn tests(&self, key: &str, query: &TestQuery) -> Result<TestTablePage, Failure> {
        self.last_table.page(&self.find(key)?, query)
    }

    /// One test of a run with message and stack and the places they name, by its place in the run.
    ///
    /// # Errors
    /// As [`Runtime::tests`].
    pub fn test(&self, key: &str, run: u32, index: u32) -> Result<Option<TestView>, Failure> {
        let row = self.last_table.row(&self.find(key)?, run, index)?;
        Ok(row.as_ref().map(TestView::of))
    }

    /// Where the work of a loop is drawn; `collapsed` containers without what is in them.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn drawing(
        &self,
        key: &str,
        direction: Direction,
        collapsed: Vec<String>,
    ) -> Result<Drawing, Failure> {
        let style = Style { direction, collapsed: collapsed.into_iter().collect(), ..Style::default() };
        Ok(self.find(key)?.drawing(&style))
    }

    /// Verbs with their sentences and reasons.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn controls(&self, key: &str) -> Result<Vec<Control>, Failure> {
        self.find(key).map(|found| found.controls())
    }

    /// Path of its state file, for the desktop's editor or file manager.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn state_file(&self, key: &str) -> Result<PathBuf, Failure> {
        self.find(key).map(|found| found.path())
    }

    // --- outside of Loopdeck --------------------------------------------------------------------------------------

    /// Whether files that a loop names are there to be opened: at most 500, in the order of `names`. A name may have a
    /// line and a column behind it.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn sights(&self, key: &str, names: &[String]) -> Result<Vec<Sight>, Failure> {
        const MOST: usize = 500;
        let found = self.find(key)?;
        let around = Around { workspace: &found.root, file: &found.candidate().file };
        Ok(names.iter().take(MOST).map(|name| around.sight(name)).collect())
    }

    /// Opens a file that a loop names in the person's editor, at a line and column that begin at 1. The file is looked up
    /// inside of the workspace and handed over by its real path; nothing of it is run.
    ///
    /// # Errors
    /// `UnknownLoop`; `FileMissing`, `FileOutside`, `NotARegularFile`; `NoEditor`, `EditorCommand`, `EditorMissing`,
    /// `EditorFailed`.
    pub fn open_place(
        &self,
        key: &str,
        file: &str,
        line: Option<u32>,
        column: Option<u32>,
    ) -> Result<(), Failure> {
        let found = self.find(key)?;
        let around = Around { workspace: &found.root, file: &found.candidate().file };
        let file = around.path(file).map_err(|state| state.failure(file))?;
        editor::open(&self.settings().editor, &Spot { file, line, column })
    }

    /// Opens the state file of a loop in the person's editor.
    ///
    /// # Errors
    /// As [`Runtime::open_place`].
    pub fn open_state_file(&self, key: &str) -> Result<(), Failure> {
        let found = self.find(key)?;
        let (workspace, file) = (&found.root, found.candidate().file.as_str());
        let around = Around { workspace, file: "" };
        let file = around.path(file).map_err(|state| state.failure(file))?;
        editor::open(&self.settings().editor, &Spot { file, line: None, column: None })
    }

    /// The editors of this computer, and the one that is used when nothing was chosen.
    #[must_use]
    pub fn editors(&self) -> Editors {
        editor::editors()
    }

    /// Opens a text of ours in the editor that `choice` names, to see whether it works: at its third line.
    ///
    /// # Errors
    /// `OwnData`; those of the editor as in [`Runtime::open_place`].
    pub fn try_editor(&self, choice: &EditorChoice, text: &str) -> Result<(), Failure> {
        let file = self.dirs.data.join("editor-test.txt");
        let own_data = |error: std::io::Error| Failure::new(FailureKind::OwnData).with("reason", error);
        files::write_own(&file, text.as_bytes()).map_err(own_data)?;
        let file = file.canonicalize().map_err(own_data)?;
        editor::open(choice, &Spot { file, line: Some(3), column: Some(1) })
    }

    /// Writes what a person saves under a name they chose just now.
    ///
    /// # Errors
    /// `Disk`; what was there stays then.
    pub fn save_as(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let failed =
            |error| Failure::new(FailureKind::Disk).with("path", dirs::shown(path)).with("reason", error);
        files::write_shared(path, bytes).map_err(|error: std::io::Error| failed(error))
    }

    /// What a deletion would move to the trash.
    ///
    /// # Errors
    /// `UnknownLoop`.
    pub fn deletion(&self, key: &str) -> Result<Deletion, Failure> {
        let found = self.find(key)?;
        Ok(Deletion { files: delete::belongings(&found.root, found.candidate()) })
    }

    fn find(&self, key: &str) -> Result<Found, Failure> {
        self.read(|catalog| Found::in_catalog(catalog, key))
    }

    // --- the past ------------------------------------------------------------------------------------------------

    /// Kept versions of a loop, newest first, at most 1,000.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn history(&self, key: &str, limit: u32) -> Result<Vec<VersionView>, Failure> {
        self.ask(|reply| Event::History(key.to_owned(), limit, reply))
    }

    /// What happened to a loop and the files beside it through Loopdeck, newest first, at most 1,000: requests with their
    /// outcome, writes with their cause, how requests ended, deletions. Also of a loop that is not there any more.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn events(&self, key: &str, limit: u32) -> Result<Vec<JournalEvent>, Failure> {
        self.ask(|reply| Event::Events(key.to_owned(), limit, reply))
    }

    /// The loop as version `id` of its history has it, to look at.
    ///
    /// # Errors
    /// `UnknownLoop`, `UnknownVersion`, `OwnData`.
    pub fn version(&self, key: &str, id: u32) -> Result<VersionPage, Failure> {
        let (version, bytes) = self.ask(|reply| Event::Version(key.to_owned(), id, reply))?;
        Ok(self.find(key)?.as_then(&version, &bytes))
    }

    /// Lines of the state file as version `id` has it.
    ///
    /// # Errors
    /// As [`Runtime::version`].
    pub fn version_source(&self, key: &str, id: u32, first: u32, count: u32) -> Result<SourcePage, Failure> {
        let (_, bytes) = self.ask(|reply| Event::Version(key.to_owned(), id, reply))?;
        Ok(page::lines(&self.find(key)?.candidate().file, &bytes, first, count))
    }

    /// What the newest kept versions changed, newest first; at most `limit` versions are compared.
    ///
    /// # Errors
    /// As [`Runtime::history`].
    pub fn past_changes(&self, key: &str, limit: u32) -> Result<Vec<PastChange>, Failure> {
        let versions = self.ask(|reply| Event::Versions(key.to_owned(), limit, reply))?;
        Ok(self.find(key)?.past_changes(&versions))
    }

    /// What kept versions of the progress text changed about hypotheses, newest first, where only that text has them.
    /// Each is named by the version of that text.
    ///
    /// # Errors
    /// As [`Runtime::history`].
    pub fn hypothesis_changes(&self, key: &str, limit: u32) -> Result<Vec<PastChange>, Failure> {
        let found = self.find(key)?;
        let Some(file) = found.debug_file() else { return Ok(Vec::new()) };
        let ask = |limit| self.ask(|reply| Event::BesideHistory(key.to_owned(), file.clone(), limit, reply));
        let mut versions = Vec::new();
        for version in ask(limit)? {
            let bytes =
                self.ask(|reply| Event::BesideVersion(key.to_owned(), file.clone(), version.id, reply));
            // One that was pruned meanwhile is simply not there.
            versions.extend(bytes.ok().map(|bytes| (version, bytes)));
        }
        Ok(found.hypothesis_changes(&versions))
    }

    /// What can take the place of a state file that cannot be read; [`LoopChange::Recover`] writes it.
    ///
    /// # Errors
    /// `UnknownLoop`; `Refused` when the file can be read; `Unreadable` when there is nothing to look at.
    pub fn recovery(&self, key: &str) -> Result<RecoveryPage, Failure> {
        self.ask(|reply| Event::Recovery(key.to_owned(), reply))
    }

    /// Puts back what was in the file before our last write, and ends the request behind it. Doing it twice puts our
    /// write back.
    ///
    /// # Errors
    /// `NothingToUndo`; `ChangedSince` when somebody else wrote after us; those of [`Runtime::act`].
    pub fn undo(&self, key: &str) -> Result<(), Failure> {
        self.ask(|reply| Event::Undo(key.to_owned(), reply))
    }

    /// Writes version `id` of the history, after the person agreed; damaged files too. What stands there is kept
    /// first: [`Runtime::undo`] puts it back.
    ///
    /// # Errors
    /// `UnknownVersion`; those of [`Runtime::act`].
    pub fn restore(&self, key: &str, id: u32) -> Result<(), Failure> {
        self.ask(|reply| Event::Restore(key.to_owned(), id, reply))
    }

    // --- changing -------------------------------------------------------------------------------------------------

    /// Carries out a control verb. The new state arrives as a change.
    ///
    /// # Errors
    /// `Refused`, `Contended`, `Disk`, `Unreadable`; `OwnData` when it cannot be recorded and `NoUndo` when the old
    /// version cannot be kept: then nothing was touched. Nothing is half done.
    pub fn act(&self, key: &str, verb: Verb, options: VerbOptions) -> Result<(), Failure> {
        let VerbOptions { raise_limit_to, reason } = options;
        let intent = match verb {
            Verb::Start => Intent::Start,
            Verb::Pause => Intent::Pause,
            Verb::Resume => Intent::Resume { raise_limit_to },
            Verb::Stop => Intent::Stop { reason },
            Verb::Reopen => Intent::Reopen { raise_limit_to },
            Verb::Finalise => Intent::Finalise,
            Verb::EditMetadata => Intent::EditMetadata(MetadataPatch::default()),
            Verb::Delete => return self.delete_loop(key).map(drop),
        };
        self.ask(|reply| Event::Act(key.to_owned(), intent, reply))
    }

    /// Changes title, limits or labels.
    ///
    /// # Errors
    /// As [`Runtime::act`].
    pub fn edit_metadata(&self, key: &str, patch: MetadataPatch) -> Result<(), Failure> {
        self.ask(|reply| Event::Act(key.to_owned(), Intent::EditMetadata(patch), reply))
    }

    /// Carries out a change beyond the control verbs; all of it or nothing.
    ///
    /// # Errors
    /// As [`Runtime::act`].
    pub fn change(&self, key: &str, change: LoopChange) -> Result<(), Failure> {
        let key = key.to_owned();
        match change {
            LoopChange::Repair { repair } => self.ask(|reply| Event::Act(key, Intent::Repair(repair), reply)),
            LoopChange::Operate { operation } => {
                self.ask(|reply| Event::Act(key, Intent::Operate(Box::new(operation)), reply))
            }
            LoopChange::Recover { way, fingerprint } => {
                self.ask(|reply| Event::Recover(key, way, fingerprint, reply))
            }
            LoopChange::EditTasks { edit } => self.ask(|reply| Event::EditTasks(key, edit, reply)),
        }
    }

    /// Moves a loop with its companions to the system trash.
    ///
    /// # Errors
    /// `Refused`, `NoTrash`.
    pub fn delete_loop(&self, key: &str) -> Result<Deletion, Failure> {
        let files = self.ask(|reply| Event::Delete(key.to_owned(), reply))?;
        Ok(Deletion { files })
    }

    // --- running --------------------------------------------------------------------------------------------------

    pub(crate) fn dirs(&self) -> &Dirs {
        &self.dirs
    }

    pub(crate) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    pub(crate) fn waiting(&self) -> Needs {
        self.needs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loops of a workspace with work of ours.
    pub(crate) fn count_running(&self, workspace: &str) -> u32 {
        let on = self.read(|catalog| {
            let of = |entry: &&crate::catalog::Entry| &*entry.workspace == workspace && entry.work.alive;
            catalog.entries().map(|(_, entry)| entry).filter(of).count()
        });
        u32::try_from(on).unwrap_or(u32::MAX)
    }

    /// Tells `watcher` whenever something begins or ends to wait for the person, or to run.
    pub fn watch_needs(&self, watcher: NeedsWatcher) {
        let _ = self.inbox.send(Event::WatchNeeds(watcher));
    }

    /// Ends all runs of ours, because the app does. Answers when each was told.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn stop_all(&self) -> Result<(), Failure> {
        self.ask(Event::StopAll)
    }

    pub(crate) fn ask_launch(
        &self,
        key: &str,
        plan: Option<RunPlan>,
        raise_limit_to: Option<u32>,
    ) -> Result<(), Failure> {
        let _ = environment::environment(); // waited for here, not by the owner of all loops
        self.ask(|reply| Event::Launch(key.to_owned(), plan, raise_limit_to, reply))
    }

    pub(crate) fn ask_now(&self, key: &str, stop: bool) -> Result<(), Failure> {
        let key = key.to_owned();
        self.ask(|reply| if stop { Event::StopNow(key, reply) } else { Event::PauseNow(key, reply) })
    }

    pub(crate) fn ask_answer(&self, id: &str, answer: NeedAnswer) -> Result<(), Failure> {
        if matches!(answer, NeedAnswer::Resume | NeedAnswer::Extend { .. }) {
            let _ = environment::environment(); // as above
        }
        self.ask(|reply| Event::Answer(id.to_owned(), answer, reply))
    }

    pub(crate) fn ask_input(&self, id: &str) -> Result<String, Failure> {
        self.ask(|reply| Event::NeedInput(id.to_owned(), reply))
    }

    pub(crate) fn ask_runs(&self, key: &str, limit: u32) -> Result<Vec<RunRow>, Failure> {
        self.ask(|reply| Event::Runs(key.to_owned(), limit, reply))
    }

    pub(crate) fn ask_goes_on(&self, key: &str, plan: &RunPlan) -> Result<bool, Failure> {
        self.ask(|reply| Event::GoesOn(key.to_owned(), Box::new(plan.clone()), reply))
    }

    pub(crate) fn ask_plan(&self, key: &str) -> Result<Option<RunPlan>, Failure> {
        self.ask(|reply| Event::PlanOf(key.to_owned(), reply))
    }

    // --- remembered -----------------------------------------------------------------------------------------------

    /// Remembered settings.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.remembered(|remembered| remembered.settings.clone())
    }

    /// Remembers settings.
    ///
    /// # Errors
    /// `OwnData` when they cannot be saved; they hold until the app ends.
    pub fn save_settings(&self, settings: Settings) -> Result<(), Failure> {
        let _ = self.inbox.send(Event::FreshWithin(fresh_within(&settings)));
        self.remember(|remembered| remembered.settings = settings)
    }

    /// Folders opened before that are not open now.
    #[must_use]
    pub fn recent(&self) -> Vec<RecentFolder> {
        let closed = |remembered: &Remembered| -> Vec<PathBuf> {
            remembered.recent.iter().filter(|path| !remembered.open.contains(path)).cloned().collect()
        };
        self.remembered(closed)
            .into_iter()
            .map(|path| RecentFolder { shown: dirs::shown(&path), path: path.to_string_lossy().into_owned() })
            .collect()
    }

    fn remembered<T>(&self, read: impl FnOnce(&Remembered) -> T) -> T {
        read(&self.remembered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn remember(&self, change: impl FnOnce(&mut Remembered)) -> Result<(), Failure> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut remembered);
        if self.traces != Traces::All {
            return Ok(());
        }
        let saved = remembered.save(&self.dirs.settings());
        saved.map_err(|error| Failure::new(FailureKind::OwnData).with("reason", error))
    }

    // --- plumbing -------------------------------------------------------------------------------------------------

    fn read<T>(&self, read: impl FnOnce(&Catalog) -> T) -> T {
        read(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask<T>(&self, event: impl FnOnce(Reply<T>) -> Event) -> Result<T, Failure> {
        let gone = || Failure::new(FailureKind::OwnData).with("reason", "the runtime has ended");
        let (reply, answer) = mpsc::channel();
        self.inbox.send(event(reply)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let _ = self.inbox.send(Event::Quit);
        if let Some(owner) = self.owner.take() {
            let _ = owner.join();
        }
    }
}

fn journal(options: &Options) -> Result<Journal, journal::Error> {
    let mut journal = match options.traces {
        Traces::All | Traces::Requests => Journal::open(&options.dirs.journal(), options.retention),
        Traces::Nothing => Journal::look(&options.dirs.journal(), options.retention)?,
    };
    if options.traces == Traces::Requests {
        journal.check()?;
    }
    Ok(journal)
}

fn fresh_within(settings: &Settings) -> Millis {
    Millis::from(settings.fresh_minutes.max(1)) * 60_000
}

/// A person may pick `.workflow` or `.loop` itself: the workspace is the folder above.
fn workspace_above(path: &Path) -> PathBuf {
    let mut folder = path;
    while folder
        .file_name()
        .is_some_and(|name| [".workflow", ".loop", ".claude"].iter().any(|known| name == *known))
    {
        match folder.parent() {
            Some(parent) => folder = parent,
            None => break,
        }
    }
    folder.to_path_buf()
}

/// Reads a whole workspace once, without keeping it: for measurements and for the headless commands.
#[must_use]
pub fn read_once(workspace: &Path) -> Vec<scan::Look> {
    scan::look_at_workspace(workspace, clock::now())
}
