//! The apps that are connected. Two may be; none is waited for.

use super::Message;
use crate::platform::Channel;
use crate::runs::wire::{Event, send};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

/// An app that reads nothing for this long is dropped; it reads the log from disk when it comes back.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest request.
const LONGEST: u64 = 64 << 20;
/// More would be a mistake, or an attempt to fill our memory.
const MOST: usize = 16;

pub(crate) struct Apps {
    connected: BTreeMap<u32, App>,
    last: u32,
    inbox: Sender<Message>,
    /// Since when no app is connected.
    pub(crate) alone_since: Option<Instant>,
}

struct App {
    stream: Channel,
    /// `More` was sent and not taken yet.
    told: bool,
    /// There is more since.
    owed: bool,
}

impl Apps {
    pub(crate) fn new(inbox: Sender<Message>) -> Self {
        Self { connected: BTreeMap::new(), last: 0, inbox, alone_since: Some(Instant::now()) }
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.connected.len()).unwrap_or(u32::MAX)
    }

    /// A new app; its number.
    pub(crate) fn add(&mut self, mut stream: Channel) -> Option<u32> {
        if self.connected.len() >= MOST || stream.set_write_timeout(PATIENCE).is_err() {
            return None;
        }
        let reading = stream.try_clone().ok()?;
        self.last += 1;
        let (number, inbox) = (self.last, self.inbox.clone());
        thread::spawn(move || read(number, reading, &inbox));
        self.connected.insert(number, App { stream, told: false, owed: false });
        self.alone_since = None;
        Some(number)
    }

    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(app) = self.connected.remove(&number) {
            app.stream.shut_down(); // ends its reader
        }
        if self.connected.is_empty() && self.alone_since.is_none() {
            self.alone_since = Some(Instant::now());
        }
    }

    pub(crate) fn send(&mut self, number: u32, event: &Event) {
        let failed = self.connected.get_mut(&number).is_some_and(|app| send(&mut app.stream, event).is_err());
        if failed {
            self.remove(number);
        }
    }

    pub(crate) fn tell_all(&mut self, event: &Event) {
        for number in self.numbers() {
            self.send(number, event);
        }
    }

    /// The log has grown.
    pub(crate) fn tell_grown(&mut self) {
        for number in self.numbers() {
            self.more_for(number);
        }
    }

    /// An app has taken its last `More`.
    pub(crate) fn note_seen(&mut self, number: u32) {
        let Some(app) = self.connected.get_mut(&number) else { return };
        app.told = false;
        if app.owed {
            self.more_for(number);
        }
    }

    fn more_for(&mut self, number: u32) {
        let Some(app) = self.connected.get_mut(&number) else { return };
        app.owed = app.told;
        if !app.told {
            app.told = true;
            self.send(number, &Event::More);
        }
    }

    fn numbers(&self) -> Vec<u32> {
        self.connected.keys().copied().collect()
    }
}

fn read(number: u32, stream: Channel, inbox: &Sender<Message>) {
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        match lines.by_ref().take(LONGEST).read_line(&mut line) {
            Ok(1..) if line.ends_with('\n') => {}
            _ => break,
        }
        // What a newer Loopdeck asks and this one does not know is left alone.
        if let Ok(request) = serde_json::from_str(&line)
            && inbox.send(Message::Asked(number, request)).is_err()
        {
            return;
        }
    }
    let _ = inbox.send(Message::Disconnected(number));
}
