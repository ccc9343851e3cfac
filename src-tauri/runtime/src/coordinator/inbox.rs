//! The inbox of a worker: what comes is taken out in the order in which it came in, and nobody waits to put something in.
//!
//! The thread of the watcher must never wait for the worker, which waits for that thread whenever it watches another folder. Of what the
//! watcher sees only so much is kept; beyond, one event says that everything is to be looked at again.

use crate::coordinator::owner::Event;
use crate::observe::watch::WatchEvent;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How many events of the watcher may wait.
const MOST_WATCHED: usize = 4_096;

/// Where a worker is told something.
#[derive(Clone)]
pub(crate) struct Inbox {
    events: UnboundedSender<Event>,
    watched: Arc<WatcherShare>,
}

/// What waits of the watcher.
#[derive(Debug, Default)]
struct WatcherShare {
    waiting: AtomicUsize,
    /// More came than is kept; what says so waits too.
    is_lost: AtomicBool,
}

/// Where a worker hears of it.
pub(crate) struct Hearing {
    events: UnboundedReceiver<Event>,
    watched: Arc<WatcherShare>,
}

/// An inbox, and its other end.
pub(crate) fn inbox() -> (Inbox, Hearing) {
    let (sender, events) = unbounded_channel();
    let watched = Arc::<WatcherShare>::default();
    (Inbox { events: sender, watched: Arc::clone(&watched) }, Hearing { events, watched })
}

impl Inbox {
    /// Tells the worker. When it has ended, the event is dropped: who waits for its answer learns of it.
    pub(crate) fn tell(&self, event: Event) {
        drop(self.events.send(event));
    }

    /// Tells what the watcher saw.
    pub(crate) fn tell_watched(&self, event: WatchEvent) {
        let watched = &self.watched;
        if watched.waiting.load(Ordering::Acquire) < MOST_WATCHED {
            watched.waiting.fetch_add(1, Ordering::AcqRel);
            self.tell(Event::Watched(event));
        } else if !watched.is_lost.swap(true, Ordering::AcqRel) {
            self.tell(Event::Overflowed);
        }
    }
}

impl Hearing {
    /// The next event; `None` when nobody can tell anything.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = self.events.recv().await;
        event.map(|event| self.note_taken(event))
    }

    /// The next event that is there already.
    pub(crate) fn next_there(&mut self) -> Option<Event> {
        let event = self.events.try_recv().ok();
        event.map(|event| self.note_taken(event))
    }

    fn note_taken(&self, event: Event) -> Event {
        match event {
            Event::Watched(_) => drop(self.watched.waiting.fetch_sub(1, Ordering::AcqRel)),
            // From now on what is seen is told again; what was seen before is covered by this event.
            Event::Overflowed => self.watched.is_lost.store(false, Ordering::Release),
            _ => {}
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::glimpses::Glimpses;
    use crate::observe::watch::Watch;
    use std::collections::HashSet;
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::Duration;

    fn paths(hearing: &mut Hearing) -> (usize, usize) {
        let (mut seen, mut overflowed) = (0, 0);
        while let Some(event) = hearing.next_there() {
            match event {
                Event::Watched(_) => seen += 1,
                Event::Overflowed => overflowed += 1,
                _ => {}
            }
        }
        (seen, overflowed)
    }

    #[test]
    fn more_than_is_kept_becomes_one_look_at_everything() {
        let (inbox, mut hearing) = inbox();
        let see = |count| (0..count).for_each(|_| inbox.tell_watched(WatchEvent::Paths(Vec::new())));
        see(3 * MOST_WATCHED);
        assert_eq!(paths(&mut hearing), (MOST_WATCHED, 1));
        see(2);
        assert_eq!(paths(&mut hearing), (2, 0), "it is told again");
    }

    #[test]
    fn jobs_keep_their_order_however_many_wait() {
        let (inbox, mut hearing) = inbox();
        let (said, order) = mpsc::channel();
        for number in 0..3 * MOST_WATCHED {
            let said = said.clone();
            inbox.tell_watched(WatchEvent::Rescan);
            inbox.tell(Event::Job(Box::new(move |_| said.send(number).unwrap())));
        }
        let nobody = || Err(crate::views::Failure::own_data("nobody"));
        while let Some(event) = hearing.next_there() {
            if let Event::Job(job) = event {
                job(nobody());
            }
        }
        assert!(order.try_iter().eq(0..3 * MOST_WATCHED));
    }

    #[test]
    fn the_watcher_does_not_wait_for_a_worker_that_waits_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let (told, hearing) = inbox();
        let mut watch = Watch::start(false, Glimpses::default(), move |event| told.tell_watched(event));
        let set = |watch: &mut Watch, folder: &Path| watch.set(&HashSet::from([folder.to_owned()]));
        assert_eq!(set(&mut watch, dir.path()).len(), 1, "{:?}", watch.degraded());
        for number in 0..2 * MOST_WATCHED {
            std::fs::write(dir.path().join((number % 100).to_string()), "").unwrap();
        }
        let (done, is_done) = mpsc::channel();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().to_owned();
        std::thread::spawn(move || {
            set(&mut watch, &path);
            done.send(()).unwrap();
        });
        is_done.recv_timeout(Duration::from_secs(60)).expect("another folder is watched");
        drop(hearing);
    }
}
