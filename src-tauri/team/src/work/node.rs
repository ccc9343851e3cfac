//! A node: what its owner allows, what it offers, and which jobs are at work on it.

use crate::layout::{LEASES, REPORTS};
use crate::stored::{Bucket, Servers};
use crate::work::offer::Offer;
use crate::work::rules::NodeRules;
use crate::work::slots::Slots;
use async_nats::Client;
use async_nats::jetstream::{self, AckKind};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

/// How long the end waits for tasks in the middle of something that cannot be stopped, such as a question to git.
const ENDING: Duration = Duration::from_secs(2);

/// The servers, as tasks that outlive a connection find them.
#[derive(Clone)]
pub(crate) struct NodeServers {
    client: Client,
    pub(crate) jetstream: jetstream::Context,
    pub(crate) leases: Bucket,
    pub(crate) reports: Bucket,
}

/// Where the queue wants to hear of a job that is at work: another place after each time it is handed out.
pub(crate) type Reply = Arc<Mutex<Option<async_nats::Subject>>>;

impl NodeServers {
    pub(crate) fn new(servers: &Servers) -> Self {
        Self {
            client: servers.client.clone(),
            jetstream: servers.jetstream.clone(),
            leases: Bucket::new(servers, LEASES),
            reports: Bucket::new(servers, REPORTS),
        }
    }

    /// Tells the queue of a job.
    pub(crate) async fn tell_queue(&self, reply: &Reply, what: AckKind) {
        let Some(to) = reply.lock().clone() else { return };
        if let Err(error) = self.client.publish(to, what.into()).await {
            tracing::warn!(%error, "the queue does not hear of a job"); // it is handed out again, and the lease decides
        }
    }

    /// Takes a job from the queue, and waits until the server says so.
    pub(crate) async fn acknowledge(&self, reply: &Reply) {
        let Some(to) = reply.lock().clone() else { return };
        if let Err(error) = self.client.request(to, AckKind::Ack.into()).await {
            tracing::warn!(%error, "an ended job stays in the queue"); // handed out again, it is found to be over
        }
    }
}

/// This machine as a node.
pub(crate) struct Node {
    pub(crate) rules: Mutex<NodeRules>,
    pub(crate) offer: Mutex<Offer>,
    pub(crate) servers: watch::Sender<Option<NodeServers>>,
    /// The offer is another one: others are told at once.
    pub(crate) offered: Notify,
    pub(super) slots: Arc<Slots>,
    pub(super) carried: Mutex<HashMap<String, Reply>>,
    pub(super) tasks: Mutex<JoinSet<()>>,
}

impl Node {
    pub(crate) fn new(rules: NodeRules) -> Self {
        let slots = rules.slots as usize;
        Self {
            rules: Mutex::new(rules),
            offer: Mutex::default(),
            servers: watch::Sender::new(None),
            offered: Notify::new(),
            slots: Arc::new(Slots::new(slots)),
            carried: Mutex::default(),
            tasks: Mutex::default(),
        }
    }

    /// Reads the owner's rules again.
    pub(super) fn take_up_rules(&self, path: &Path) -> NodeRules {
        let rules = NodeRules::read(path).unwrap_or_else(|failure| {
            tracing::error!(kind = ?failure.kind, path = %path.display(), "the node takes nothing: its rules cannot be read");
            NodeRules::default()
        });
        let before = std::mem::replace(&mut *self.rules.lock(), rules.clone());
        self.slots.resize(before.slots as usize, rules.slots as usize);
        rules
    }

    /// What it offers right now.
    pub(crate) fn current_offer(&self) -> Offer {
        let busy = u32::try_from(self.carried.lock().len()).unwrap_or(u32::MAX);
        Offer { busy, ..self.offer.lock().clone() }
    }

    /// The servers, once there is a connection.
    pub(super) async fn connected_servers(&self) -> NodeServers {
        let mut there = self.servers.subscribe();
        loop {
            if let Some(servers) = there.borrow_and_update().clone() {
                return servers;
            }
            if there.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Ends the tasks that carry jobs, before what they need is gone. Their loops run on, and the next start takes them up.
    pub(crate) async fn end_tasks(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        tasks.abort_all();
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(ENDING, all).await.is_err() {
            tracing::warn!("a task that carries a job is still at work");
        }
    }
}
