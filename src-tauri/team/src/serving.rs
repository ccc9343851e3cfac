//! The connection at work: made, lost and made again, with every task that needs it.

use crate::connection::{self, Happened};
use crate::context::{Context, Participation};
use crate::envelope::Signer;
use crate::home::Home;
use crate::messenger::TeamMessenger;
use crate::nats::Endless;
use crate::outbox::Outbox;
use crate::output::heard::HeardLoops;
use crate::output::sending::SentOutput;
use crate::output::{hearing, sending};
use crate::own_shares::OwnShares;
use crate::published::{Buckets, Published, ToldServer};
use crate::seat::Role;
use crate::state::State;
use crate::stored::{Bucket, Servers};
use crate::team::Team;
use crate::work::asked::AskedJobs;
use crate::work::lent::set_aside_damaged;
use crate::work::node::Node;
use crate::work::rules::NodeRules;
use crate::work::{asking, sweeping, taking};
use crate::{answers, commands, layout, machines, publishing, receiving};
use async_nats::Client;
use loopdeck_runtime::Runtime;
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

/// After a failure the connection is tried again, at first after this.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// And at last after this.
const LAST_WAIT: Duration = Duration::from_secs(5);

impl Team {
    /// Shows what is known of the team, and connects. `on_change` is called whenever [`Team::view`] differs.
    ///
    /// # Errors
    /// `NotInTeam`; `BadInvitation`; `OwnData` when the system gives no thread.
    pub fn start(
        runtime: &Arc<Runtime>,
        home: Home,
        participation: Participation,
        on_change: Box<dyn Fn() + Send + Sync>,
    ) -> Result<Self, Failure> {
        let is_full = participation == Participation::Full;
        let (sent_output, damaged_output) = SentOutput::restore(home.sent_output(), is_full);
        let (context, mut damaged) = new_context(runtime, home, participation, on_change)?;
        damaged.extend(damaged_output);
        if is_full {
            drop(std::fs::remove_dir_all(context.home.heard_output())); // of a Loopdeck that was killed
        }
        context.show_kept_copies();
        join_runtime(&context);
        // A look changes nothing, and begins no job.
        if is_full {
            damaged.extend(set_aside_damaged(&context.home.lent_jobs()));
        }
        damaged.extend(context.outbox.damaged_requests());
        damaged.extend(context.jobs.damaged_jobs());
        for failure in &damaged {
            let path = failure.args.get("path").map(String::as_str);
            tracing::error!(kind = ?failure.kind, path, "a file of ours cannot be read");
        }
        let end = CancellationToken::new();
        let thread = start_thread(Arc::clone(&context), sent_output, end.clone())?;
        Ok(Self { context, damaged, end, thread: Some(thread) })
    }
}

/// With which of its files cannot be read.
fn new_context(
    runtime: &Arc<Runtime>,
    home: Home,
    participation: Participation,
    on_change: Box<dyn Fn() + Send + Sync>,
) -> Result<(Arc<Context>, Vec<Failure>), Failure> {
    let invitation = home.read_invitation()?;
    let none = || Failure::new(FailureKind::NotInTeam);
    let (shares, damaged_shares) = OwnShares::read(home.shares());
    let (rules, damaged_rules) = match NodeRules::read(&home.node()) {
        Ok(rules) => (rules, None),
        Err(failure) => (NodeRules::default(), Some(failure)),
    };
    let context = Context {
        runtime: Arc::clone(runtime),
        signer: Signer::new(invitation.keys().ok_or_else(none)?),
        token: invitation.token().ok_or_else(none)?,
        shares,
        outbox: Outbox::new(home.outbox()),
        jobs: AskedJobs::new(home.asked_jobs()),
        output_changed: Notify::new(),
        output_asked: Notify::new(),
        heard: HeardLoops::default(),
        asked_work: Notify::new(),
        node: Node::new(rules),
        invitation,
        participation,
        home,
        state: Mutex::new(State::default()),
        changed: Notify::new(),
        asked: Notify::new(),
        measured: Notify::new(),
        on_change,
    };
    Ok((Arc::new(context), [damaged_shares, damaged_rules].into_iter().flatten().collect()))
}

/// From now on the runtime hands over what it has for others, and says when something changes.
fn join_runtime(context: &Arc<Context>) {
    context.runtime.deliver_by(Some(Arc::new(TeamMessenger(Arc::downgrade(context)))));
    let watched = Arc::downgrade(context);
    context.runtime.subscribe(Box::new(move |_| match watched.upgrade() {
        Some(context) => {
            context.changed.notify_one();
            context.output_changed.notify_one();
            true
        }
        None => false,
    }));
}

fn start_thread(
    context: Arc<Context>,
    mut sent_output: SentOutput,
    end: CancellationToken,
) -> Result<std::thread::JoinHandle<()>, Failure> {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("team")
        .enable_all()
        .build()
        .map_err(Failure::own_data)?;
    let work = move || {
        tokio.block_on(async {
            tokio::select! {
                () = end.cancelled() => {}
                () = stay_connected(&context, &mut sent_output) => {}
            }
            context.node.end_tasks().await;
        });
        tokio.shutdown_background();
    };
    std::thread::Builder::new().name("team".into()).spawn(work).map_err(Failure::own_data)
}

/// Connects, works until something fails, and connects again. Never ends.
async fn stay_connected(context: &Arc<Context>, sent_output: &mut SentOutput) {
    let mut wait = FIRST_WAIT;
    loop {
        let begun = clock::now();
        let failure = match Box::pin(connect_and_work(context, sent_output)).await {
            Ok(never) => match never {},
            Err(failure) => failure,
        };
        tracing::warn!(?failure, "no connection to the team");
        context.state.lock().note_lost(Some(failure));
        context.tell_screen();
        let lasted = clock::now().millis() - begun.millis();
        wait = if lasted > 30_000 { FIRST_WAIT } else { (wait * 2).min(LAST_WAIT) };
        tokio::time::sleep(wait).await;
    }
}

async fn connect_and_work(
    context: &Arc<Context>,
    sent_output: &mut SentOutput,
) -> Result<Infallible, Failure> {
    let noting = Arc::clone(context);
    let (connections, mut connected) = watch::channel(());
    let tell = move |happened: Happened| {
        noting.state.lock().note_happened(&happened);
        noting.tell_screen();
        if happened == Happened::Connected {
            connections.send_replace(());
        }
    };
    let client = connection::connect(&context.invitation, Arc::new(tell)).await?;
    context.state.lock().note_connected(client.server_info().version);
    context.tell_screen();
    loop {
        let ended = tokio::select! {
            ended = Box::pin(work_while_connected(context, &client, sent_output)) => ended,
            // Messages and answers were missed while it was down, so everything starts over.
            again = connected_again(&client, &mut connected) => match again {
                Ok(()) => continue,
                Err(error) => Err(error.into()),
            },
        };
        return ended.map_err(|error| why_ended(&error, &context.invitation.servers));
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
fn why_ended(error: &async_nats::Error, servers: &[String]) -> Failure {
    if error.is::<std::io::Error>() {
        return Failure::own_data(error);
    }
    Failure::new(FailureKind::TeamUnreachable).with("address", servers.join(", ")).with("reason", error)
}

/// Everything at once; the first failure ends all of it.
async fn work_while_connected(
    context: &Arc<Context>,
    client: &Client,
    sent_output: &mut SentOutput,
) -> Endless {
    let servers = Servers { client: client.clone(), jetstream: connection::jetstream(client) };
    let bucket = |name| Bucket::new(&servers, name);
    let (machines, loops, parts) = (bucket(layout::MACHINES), bucket(layout::LOOPS), bucket(layout::PARTS));
    context.state.lock().jobs_current = false;
    let (told, buckets) = (Mutex::new(ToldServer::default()), Buckets { loops: &loops, parts: &parts });
    let (own, there) = watch::channel::<Option<Published>>(None);
    let (participation, role) = (context.participation, context.invitation.role);
    let is_full = participation == Participation::Full;
    let present = only_if(is_full, machines::announce(context, &machines));
    let asks = only_if(participation != Participation::Looking && role != Role::Viewer, async {
        let (never, _) =
            tokio::try_join!(asking::send_jobs(context, &servers), asking::hear_reports(context, &servers))?;
        Ok(never)
    });
    let steers = only_if(is_full && role != Role::Viewer, async {
        let (never, ..) = tokio::try_join!(
            publishing::publish_shares(context, (buckets, &told), there),
            sending::send_output(context, &servers, sent_output),
            commands::carry_out_commands(context, &servers),
            answers::send_requests(context, &servers.jetstream),
            answers::hear_answers(context, &servers),
        )?;
        Ok(never)
    });
    let takes = only_if(is_full && role == Role::Node, async {
        tokio::task::block_in_place(|| sweeping::remove_old_worktrees(context));
        taking::take_jobs(context, &servers).await
    });
    let (never, ..) = tokio::try_join!(
        present,
        machines::hear_machines(context, &machines),
        receiving::keep_copies(context, (buckets, &told), &machines, own),
        hearing::hear_output(context, &servers, &machines),
        asks,
        steers,
        takes,
    )?;
    Ok(never)
}

/// A task of those who do this.
async fn only_if(is_so: bool, task: impl Future<Output = Endless>) -> Endless {
    if is_so { task.await } else { std::future::pending().await }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_not_a_server_that_does_not_answer() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert_eq!(why_ended(&full.into(), &[]).kind, FailureKind::OwnData);
        assert_eq!(why_ended(&"the commands ended".into(), &[]).kind, FailureKind::TeamUnreachable);
    }
}
