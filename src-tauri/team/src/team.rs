//! The connection at work, and what the programs ask of it.

use crate::connection::{self, Happened};
use crate::envelope::Signer;
use crate::home::Home;
use crate::invitation::Invitation;
use crate::mirror::Mirrors;
use crate::outbox::Outbox;
use crate::output::heard::{HeardLoops, Place};
use crate::output::sending::SentOutput;
use crate::output::{hearing, sending};
use crate::publishing::{Buckets, Published, ToldServer};
use crate::seat::{Role, Seat};
use crate::sender::Sender;
use crate::share::{Scope, Share, Shares};
use crate::state::{NoRoom, SharedFolder, SharedState, TeamView};
use crate::stored::{Bucket, Servers};
use crate::work::asked::AskedJobs;
use crate::work::lent::set_aside_damaged;
use crate::work::node::Node;
use crate::work::rules::NodeRules;
use crate::work::{asking, carrying, node};
use crate::{answers, commands, layout, machines, publishing, receiving};
use async_nats::Client;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::elsewhere::{Elsewhere, RemoteRun};
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// After a failure the connection is tried again, at first after this.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// And at last after this.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What a machine does in its team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything that its role allows.
    Full,
    /// It only looks: one command of a script.
    Looking,
    /// It looks, and has work sent elsewhere: one command of a script.
    Asking,
}

/// What all tasks share.
pub(crate) struct Context {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) invitation: Invitation,
    pub(crate) signer: Signer,
    pub(crate) token: String,
    part: Part,
    pub(crate) home: Home,
    pub(crate) state: SharedState,
    pub(crate) shares: Mutex<Shares>,
    /// Their file cannot be read.
    shares_unknown: AtomicBool,
    pub(crate) outbox: Outbox,
    /// Something here may have changed.
    pub(crate) changed: Notify,
    /// It is known how far the clock here is from the server's.
    pub(crate) measured: Notify,
    /// A request waits to be sent.
    pub(crate) asked: Notify,
    /// A job waits to be sent, or its result to be fetched.
    pub(crate) asked_work: Notify,
    /// Runs here may have new output, or one began or ended.
    pub(crate) output_changed: Notify,
    pub(crate) sent_output: tokio::sync::Mutex<SentOutput>,
    pub(crate) told_server: Mutex<ToldServer>,
    /// Somebody asks for the output of another machine.
    pub(crate) output_asked: Notify,
    pub(crate) heard: HeardLoops,
    pub(crate) jobs: AskedJobs,
    pub(crate) changing_jobs: Mutex<()>,
    pub(crate) node: Node,
    told: Box<dyn Fn() + Send + Sync>,
}

/// A machine's place in its team. Ends with its last reference.
pub struct Team {
    context: Arc<Context>,
    damaged: Vec<Failure>,
    end: CancellationToken,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Team").field(self.context.seat()).finish()
    }
}

impl Team {
    /// Shows what is known of the team, and connects. `told` is called whenever [`Team::view`] differs.
    ///
    /// # Errors
    /// `NotInTeam`; `BadInvitation`; `OwnData` when the system gives no thread.
    pub fn start(
        runtime: &Arc<Runtime>,
        home: Home,
        part: Part,
        told: Box<dyn Fn() + Send + Sync>,
    ) -> Result<Self, Failure> {
        let invitation = home.invited()?;
        let none = || Failure::new(FailureKind::NotInTeam);
        let (shares, damaged_shares) = known_or(Shares::read(&home.shares()));
        let (rules, damaged_rules) = known_or(NodeRules::read(&home.node()));
        let (sent_output, damaged_output) = SentOutput::known(home.sent_output(), part == Part::Full);
        let context = Arc::new(Context {
            runtime: Arc::clone(runtime),
            signer: Signer::new(invitation.keys().ok_or_else(none)?),
            token: invitation.token().ok_or_else(none)?,
            shares: Mutex::new(shares),
            shares_unknown: AtomicBool::new(damaged_shares.is_some()),
            outbox: Outbox::new(home.outbox()),
            jobs: AskedJobs::new(home.jobs()),
            changing_jobs: Mutex::default(),
            output_changed: Notify::new(),
            sent_output: tokio::sync::Mutex::new(sent_output),
            told_server: Mutex::default(),
            output_asked: Notify::new(),
            heard: HeardLoops::default(),
            asked_work: Notify::new(),
            node: Node::new(rules),
            invitation,
            part,
            home,
            state: SharedState::default(),
            changed: Notify::new(),
            asked: Notify::new(),
            measured: Notify::new(),
            told,
        });
        if part == Part::Full {
            drop(std::fs::remove_dir_all(context.home.heard())); // of a Loopdeck that was killed
        }
        context.show_kept();
        runtime.deliver_by(Some(Arc::new(Sender(Arc::downgrade(&context)))));
        let watched = Arc::downgrade(&context);
        runtime.subscribe(Box::new(move |_| match watched.upgrade() {
            Some(context) => {
                context.changed.notify_one();
                context.output_changed.notify_one();
                true
            }
            None => false,
        }));
        // A look changes nothing, and begins no job.
        let lent = if part == Part::Full { set_aside_damaged(&context.home.lent()) } else { Vec::new() };
        let damaged = [damaged_shares, damaged_rules, damaged_output].into_iter().flatten();
        let waiting = context.outbox.damaged().into_iter().chain(context.jobs.damaged());
        let damaged: Vec<Failure> = damaged.chain(lent).chain(waiting).collect();
        for failure in &damaged {
            let path = failure.args.get("path").map(String::as_str);
            tracing::error!(kind = ?failure.kind, path, "a file of ours cannot be read");
        }
        let end = CancellationToken::new();
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("team")
            .enable_all()
            .build()
            .map_err(Failure::own_data)?;
        let (served, ended) = (Arc::clone(&context), end.clone());
        let work = move || {
            tokio.block_on(async {
                tokio::select! {
                    () = ended.cancelled() => {}
                    () = serve(&served) => {}
                }
                served.node.end().await;
            });
            tokio.shutdown_background();
        };
        let thread =
            std::thread::Builder::new().name("team".into()).spawn(work).map_err(Failure::own_data)?;
        Ok(Self { context, damaged, end, thread: Some(thread) })
    }

    /// Files of the team's that could not be read when it was started: to be told to the person.
    #[must_use]
    pub fn damaged_data(&self) -> Vec<Failure> {
        self.damaged.clone()
    }

    /// The team on the screen.
    #[must_use]
    pub fn view(&self) -> TeamView {
        let Invitation { seat, role, servers, .. } = &self.context.invitation;
        self.context.state.lock().view(seat, *role, servers)
    }

    /// Whether everything that others share has arrived since the connection was made; of whoever asks for work also what
    /// became of it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        let hears = self.context.part == Part::Asking && self.context.invitation.role != Role::Viewer;
        let state = self.context.state.lock();
        state.current && (state.jobs_current || !hears)
    }

    /// What this machine shares.
    #[must_use]
    pub fn shares(&self) -> Vec<Share> {
        self.context.shares.lock().shares.clone()
    }

    /// Shares a folder, or shares it otherwise.
    ///
    /// # Errors
    /// `TeamRefused` for a role that shares nothing; `OwnData` when it cannot be kept: then nothing changes.
    pub fn share(&self, share: Share) -> Result<(), Failure> {
        let role = self.context.invitation.role;
        if !role.contributes() {
            return Err(Failure::new(FailureKind::TeamRefused).with("reason", role.word()));
        }
        self.change_shares(|shares| shares.put(share))
    }

    /// Shares a folder no longer: its files go from the server and from the other machines.
    ///
    /// # Errors
    /// As [`Team::share`].
    pub fn unshare(&self, path: &Path) -> Result<(), Failure> {
        self.change_shares(|shares| {
            shares.remove(path);
        })
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn change_shares(&self, change: impl FnOnce(&mut Shares)) -> Result<(), Failure> {
        self.context.change_shares(change)
    }
}

/// What a file says, or nothing and why.
fn known_or<T: Default>(read: Result<T, Failure>) -> (T, Option<Failure>) {
    match read {
        Ok(value) => (value, None),
        Err(failure) => (T::default(), Some(failure)),
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.context.runtime.deliver_by(None);
        self.end.cancel();
        if let Some(thread) = self.thread.take() {
            drop(thread.join()); // a panic of it was logged
        }
        for (seat, share) in self.context.shown() {
            self.context.hide(&seat, &share);
        }
    }
}

impl Context {
    /// This machine.
    pub(crate) fn seat(&self) -> &Seat {
        &self.invitation.seat
    }

    fn change_shares(&self, change: impl FnOnce(&mut Shares)) -> Result<(), Failure> {
        let mut shares = self.shares.lock();
        self.find_shares(&mut shares)?;
        let mut wanted = shares.clone();
        change(&mut wanted);
        wanted.save(&self.home.shares())?;
        *shares = wanted;
        drop(shares);
        self.changed.notify_one();
        self.tell();
        Ok(())
    }

    /// Whether it is known what is shared. While it is not, nothing is withdrawn.
    pub(crate) fn knows_shares(&self) -> bool {
        self.find_shares(&mut self.shares.lock()).is_ok()
    }

    /// Reads the file again that could not be read, in case the person has corrected it.
    fn find_shares(&self, shares: &mut Shares) -> Result<(), Failure> {
        if self.shares_unknown.load(Ordering::Relaxed) {
            *shares = Shares::read(&self.home.shares())?;
            self.shares_unknown.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Shares a folder of a job.
    pub(crate) fn put_share(&self, share: Share) -> Result<(), Failure> {
        self.change_shares(|shares| shares.put(share))
    }

    /// Shares it no longer.
    pub(crate) fn drop_share(&self, path: &Path) -> Result<(), Failure> {
        self.change_shares(|shares| {
            shares.remove(path);
        })
    }

    /// Tells the screen that there is something newer.
    pub(crate) fn tell(&self) {
        (self.told)();
    }

    /// Shares that are known.
    pub(crate) fn shown(&self) -> Vec<(Seat, String)> {
        self.state.lock().folders.keys().cloned().collect()
    }

    /// Opens the copy of a share, or updates what is shown of its machine.
    pub(crate) fn show(&self, seat: &Seat, share: &str) {
        let now = clock::now();
        let known = {
            let state = self.state.lock();
            let folder = state.folders.get(&(seat.clone(), share.to_owned())).cloned();
            let silent = match state.machines.get(seat) {
                Some(machine) if state.missing.contains(&(seat.clone(), share.to_owned())) => {
                    Some(machine.seen)
                }
                Some(machine) => machine.unreachable_since(now),
                None => Some(now),
            };
            folder.map(|folder| (folder, silent))
        };
        let Some((SharedFolder { name, steering, scope }, unreachable_since)) = known else { return };
        let folder = self.home.mirrors().join(seat.to_string()).join(share);
        let elsewhere = Elsewhere {
            member: seat.member().to_owned(),
            machine: seat.machine().to_owned(),
            name,
            unreachable_since,
            steerable: steering.allows(self.invitation.role),
            rows_only: !scope.has_texts(),
            output: scope == Scope::Output,
        };
        let at = (seat.clone(), share.to_owned());
        if self.state.lock().copies.get(&at) == Some(&elsewhere) {
            return;
        }
        match outside(|| self.runtime.open_copy(&folder, elsewhere.clone())) {
            Ok(_) => drop(self.state.lock().copies.insert(at, elsewhere)),
            Err(failure) => tracing::warn!(?failure, "a folder of another machine is not shown"),
        }
        self.tell();
    }

    /// Reads a changed file of an open copy again.
    pub(crate) fn note_copied(&self, seat: &Seat, share: &str, file: &str) {
        if let Some(folder) = self.open_copy_of(seat, share) {
            self.runtime.note_copied(&dirs::id_of(&folder), folder.join(file));
        }
    }

    /// Reads again what changed in an open copy.
    pub(crate) fn check_copy(&self, seat: &Seat, share: &str) {
        if let Some(folder) = self.open_copy_of(seat, share) {
            self.runtime.check_copy(&dirs::id_of(&folder));
        }
    }

    fn open_copy_of(&self, seat: &Seat, share: &str) -> Option<PathBuf> {
        let is_open = self.state.lock().copies.contains_key(&(seat.clone(), share.to_owned()));
        is_open.then(|| self.home.mirrors().join(seat.to_string()).join(share))
    }

    /// Whose copy a folder is, and of which share.
    pub(crate) fn share_of(&self, copy: &Path) -> Option<(Seat, String)> {
        let mut names = copy.strip_prefix(self.home.mirrors()).ok()?.iter();
        let seat = Seat::parse(names.next()?.to_str()?)?;
        Some((seat, names.next()?.to_str()?.to_owned()))
    }

    /// Runs of a loop of another machine, newest first. None unless its owner shares their output.
    ///
    /// # Errors
    /// `TeamUnreachable`, `TeamNotSetUp`.
    pub(crate) fn remote_runs(&self, place: &Place) -> Result<Vec<RemoteRun>, Failure> {
        let share = (place.0.clone(), place.1.clone());
        let is_shared = |folder: &SharedFolder| folder.scope == Scope::Output;
        if !self.state.lock().folders.get(&share).is_some_and(is_shared) {
            return Ok(Vec::new());
        }
        let (heard, is_new) = self.heard.ask(place, &self.home.heard());
        if is_new {
            self.output_asked.notify_one();
        }
        heard.runs().unwrap_or_else(|| Err(self.state.lock().unreachable(&self.invitation.servers)))
    }

    /// Tells windows that runs of a loop of another machine changed.
    pub(crate) fn note_remote_runs(&self, seat: &Seat, share: &str, file: &str) {
        if let Some(folder) = self.open_copy_of(seat, share) {
            outside(|| self.runtime.note_remote_runs(&dirs::id_of(&folder), file));
        }
    }

    /// Closes the copy of a share.
    pub(crate) fn hide(&self, seat: &Seat, share: &str) {
        let folder = self.home.mirrors().join(seat.to_string()).join(share);
        self.state.lock().copies.remove(&(seat.clone(), share.to_owned()));
        let close = || self.runtime.close_copy(&dirs::id_of(&folder));
        outside(close).logged("a folder of another machine is not closed");
        self.tell();
    }

    /// Machines that fell silent, or are there again.
    pub(crate) fn show_reachability(&self) {
        for (seat, share) in self.shown() {
            self.show(&seat, &share);
        }
        let now = clock::now();
        let mut state = self.state.lock();
        let machines = state.machines.iter().filter(|(_, machine)| machine.unreachable_since(now).is_some());
        let silent = machines.map(|(seat, _)| seat.clone()).collect();
        if state.silent != silent {
            state.silent = silent;
            drop(state);
            self.tell();
        }
    }

    /// What is known from the last time, before any server answers.
    fn show_kept(&self) {
        let kept = Mirrors::new(self.home.mirrors()).kept();
        for (seat, share, folder) in kept {
            self.state.lock().folders.insert((seat.clone(), share.clone()), folder);
            self.show(&seat, &share);
        }
    }

    /// Notes in one `place` why the server has no room, or that it has.
    pub(crate) fn note_no_room(
        &self,
        place: impl FnOnce(&mut NoRoom) -> &mut Option<String>,
        why: Option<String>,
    ) {
        let mut state = self.state.lock();
        let known = place(&mut state.full);
        if *known != why {
            *known = why;
            drop(state);
            self.tell();
        }
    }

    /// Files that cannot be sent.
    pub(crate) fn note_too_large(&self, files: Vec<String>) {
        let mut state = self.state.lock();
        if state.too_large != files {
            state.too_large = files;
            drop(state);
            self.tell();
        }
    }
}

/// Asks the runtime, which may block, from wherever this is.
pub(crate) fn outside<T>(ask: impl FnOnce() -> T) -> T {
    if tokio::runtime::Handle::try_current().is_ok() { tokio::task::block_in_place(ask) } else { ask() }
}

/// Connects, works until something fails, and connects again. Never ends.
async fn serve(context: &Arc<Context>) {
    let mut wait = FIRST_WAIT;
    loop {
        let begun = clock::now();
        let failure = match Box::pin(once(context)).await {
            Ok(never) => match never {},
            Err(failure) => failure,
        };
        tracing::warn!(?failure, "no connection to the team");
        context.state.lock().lost(Some(failure));
        context.tell();
        let lasted = clock::now().millis() - begun.millis();
        wait = if lasted > 30_000 { FIRST_WAIT } else { (wait * 2).min(LAST_WAIT) };
        tokio::time::sleep(wait).await;
    }
}

async fn once(context: &Arc<Context>) -> Result<std::convert::Infallible, Failure> {
    let told = Arc::clone(context);
    let (connections, mut connected) = watch::channel(());
    let tell = move |happened: Happened| {
        told.state.lock().note(&happened);
        told.tell();
        if happened == Happened::Connected {
            connections.send_replace(());
        }
    };
    let client = connection::connect(&context.invitation, Arc::new(tell)).await?;
    context.state.lock().connected(client.server_info().version);
    context.tell();
    loop {
        let ended = tokio::select! {
            ended = Box::pin(work(context, &client)) => ended,
            // Messages and answers were missed while it was down, so everything starts over.
            again = connected_again(&client, &mut connected) => match again {
                Ok(()) => continue,
                Err(error) => Err(error.into()),
            },
        };
        return ended.map_err(|error| ended_by(&error, &context.invitation.servers));
    }
}

/// Until the connection was made once more. That it was made the first time may be told late.
async fn connected_again(
    client: &Client,
    connected: &mut watch::Receiver<()>,
) -> Result<(), watch::error::RecvError> {
    let made = || client.statistics().connects.load(Ordering::Relaxed);
    let before = made();
    while made() == before {
        connected.changed().await?;
    }
    Ok(())
}

/// Why the connection ended. What the disk here says, such as that it is full, is no word of a server: of a server's errors,
/// none is bare.
fn ended_by(error: &async_nats::Error, servers: &[String]) -> Failure {
    if error.is::<std::io::Error>() {
        return Failure::own_data(error);
    }
    Failure::new(FailureKind::TeamUnreachable).with("address", servers.join(", ")).with("reason", error)
}

/// Everything at once; the first failure ends all of it.
async fn work(
    context: &Arc<Context>,
    client: &Client,
) -> Result<std::convert::Infallible, async_nats::Error> {
    let servers = Servers { client: client.clone(), jetstream: connection::jetstream(client) };
    let bucket = |name| Bucket::new(&servers, name);
    let (machines, loops, parts) = (bucket(layout::MACHINES), bucket(layout::LOOPS), bucket(layout::PARTS));
    *context.told_server.lock() = ToldServer::default();
    context.state.lock().jobs_current = false;
    let buckets = Buckets { loops: &loops, parts: &parts };
    let (own, there) = watch::channel::<Option<Published>>(None);
    let active = async {
        if context.part == Part::Looking || context.invitation.role == Role::Viewer {
            return std::future::pending().await;
        }
        let asks =
            async { tokio::try_join!(asking::send(context, &servers), asking::hear(context, &servers)) };
        if context.part == Part::Asking {
            let (never, _) = Box::pin(asks).await?;
            return Ok(never);
        }
        let (never, ..) = tokio::try_join!(
            publishing::publish(context, buckets, there),
            sending::send(context, &servers),
            commands::carry_out(context, &servers),
            answers::send(context, &servers.jetstream),
            answers::hear(context, &servers),
            asks,
        )?;
        Ok(never)
    };
    let takes = async {
        if context.part != Part::Full || context.invitation.role != Role::Node {
            return std::future::pending().await;
        }
        tokio::task::block_in_place(|| carrying::sweep(context));
        node::take(context, &servers).await
    };
    let present = async {
        if context.part != Part::Full {
            return std::future::pending().await;
        }
        machines::say(context, &machines).await
    };
    let (never, ..) = tokio::try_join!(
        present,
        machines::hear(context, &machines),
        receiving::receive(context, buckets, &machines, own),
        hearing::hear(context, &servers, &machines),
        active,
        takes,
    )?;
    Ok(never)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_not_a_server_that_does_not_answer() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert_eq!(ended_by(&full.into(), &[]).kind, FailureKind::OwnData);
        assert_eq!(ended_by(&"the commands ended".into(), &[]).kind, FailureKind::TeamUnreachable);
    }
}
