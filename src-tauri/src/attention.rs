//! Tells the person outside of the page that something is waiting: title, badge, tray, notifications.
//!
//! One thread receives needs and changes and does all of it, so that nothing else waits for the desktop. This
//! is all optional: the list in the window is authoritative, and each part may be missing.

mod menu;
mod news;
mod notify;
pub(crate) mod tray;

use crate::words::{Words, words};
use crate::{closing, open, window};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::drivers::rows::Needs;
use loopdeck_runtime::logged::Logged as _;
use loopdeck_runtime::views::Push;
use news::{News, Opens, Told, notices};
use notify::Notifications;
use parking_lot::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tauri::{AppHandle, Manager as _};

/// News within this time is announced together.
const TOGETHER: Duration = Duration::from_millis(200);
/// How often attention rules are looked at: loops begin to fire them with the time.
const RULES_EVERY: Duration = Duration::from_secs(60);

/// Something that may be worth announcing.
enum Heard {
    /// What is waiting now.
    Needs(Needs),
    /// Rows of the list changed.
    Rows,
    /// The person changed a setting.
    Settings,
}

/// Where changes of settings are reported.
pub(crate) struct Attention(Mutex<Sender<Heard>>);

impl Attention {
    /// The language, the switches or the tray changed.
    pub(crate) fn settings_changed(&self) {
        let _ = self.0.lock().send(Heard::Settings); // none at shutdown
    }
}

/// Starts listening. Must be called once, on the main thread, when the runtime is managed.
pub(crate) fn start(app: &AppHandle, runtime: &Arc<Runtime>) -> std::io::Result<()> {
    let (inbox, heard) = mpsc::channel();
    let (of_needs, of_rows) = (inbox.clone(), inbox.clone());
    let told = app.clone();
    runtime.watch_needs(Box::new(move |needs| {
        closing::note_running(&told, needs.running);
        let _ = of_needs.send(Heard::Needs(needs.clone()));
    }));
    runtime.subscribe(Box::new(move |_| of_rows.send(Heard::Rows).is_ok()));
    app.manage(Attention(Mutex::new(inbox)));
    app.manage(tray::Tray::default());
    let teller = Teller {
        app: app.clone(),
        runtime: Arc::downgrade(runtime),
        notifications: Notifications::start(app),
        told: Told::default(),
        needs: runtime.needs(),
        revision: 0,
        ruled: Instant::now(),
    };
    app.state::<Attention>().settings_changed(); // the tray appears at once
    thread::Builder::new().name("attention".into()).spawn(move || teller.run(&heard)).map(drop)
}

/// Opens the target of a notification or a tray item in the window.
fn go(app: &AppHandle, opens: &Opens) {
    app.state::<open::Windows>().send(&match opens {
        Opens::Loop(key) => Push::Linked { key: key.clone(), tab: None, item: None },
        Opens::Waiting => Push::Waiting,
    });
    window::focus(app);
}

struct Teller {
    app: AppHandle,
    /// The app ends with the runtime's last strong reference, so this one is weak.
    runtime: Weak<Runtime>,
    notifications: Notifications,
    told: Told,
    needs: Needs,
    revision: u32,
    /// When attention rules were looked at last.
    ruled: Instant,
}

impl Teller {
    fn run(mut self, heard: &Receiver<Heard>) {
        loop {
            match heard.recv_timeout(RULES_EVERY) {
                Ok(first) => self.handle_all(first, heard),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let Some(runtime) = self.runtime.upgrade() else { return };
            if self.ruled.elapsed() >= RULES_EVERY {
                self.ruled = Instant::now();
                runtime.look_at_rules().logged("attention rules are not looked at");
            }
            self.tell_news(&runtime);
        }
    }

    /// Handles what was heard, and what follows within a moment.
    fn handle_all(&mut self, first: Heard, heard: &Receiver<Heard>) {
        self.handle(first);
        let end = Instant::now() + TOGETHER;
        while let Ok(next) = heard.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.handle(next);
        }
    }

    fn handle(&mut self, heard: Heard) {
        if let Heard::Needs(needs) = heard {
            self.needs = needs;
        }
    }

    fn tell_news(&mut self, runtime: &Runtime) {
        let settings = runtime.settings();
        let words = words(&settings.language);
        // The number of the list.
        let count = usize::try_from(runtime.needing()).unwrap_or(usize::MAX);
        window::show_count(&self.app, count);
        let face = tray::TrayFace::new(count, self.needs.running, &words);
        tray::show(&self.app, settings.tray, face, menu::chosen);
        // What waits on other machines is in the list; to notify of it would disturb everybody of a team.
        self.needs.needs.retain(|need| runtime.elsewhere(&need.key).is_none());
        let mut news = self.told.new_needs(&self.needs.needs, &words);
        news.extend(self.ends(runtime, &words));
        let waiting = self.needs.needs.iter().map(|need| need.id.clone()).collect();
        self.notifications.still_waiting(waiting);
        let in_front = window::is_in_front(&self.app);
        for notice in notices(news, settings.notify, in_front, &words) {
            self.notifications.show(notice, &words.notify_open);
        }
    }

    /// Loops that ended since the last check.
    fn ends(&mut self, runtime: &Runtime, words: &Words) -> Vec<News> {
        let mut ends = Vec::new();
        loop {
            let changes = runtime.changes(self.revision);
            self.revision = changes.revision;
            ends.extend(changes.rows.iter().filter_map(|row| self.told.end(row, words)));
            if !changes.more {
                return ends;
            }
        }
    }
}
