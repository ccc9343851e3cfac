//! Over the session bus, following the freedesktop specification: a click opens the place, and obsolete
//! notifications are removed. A separate thread talks to the bus, because a desktop may take half a minute to
//! report that nothing shows them.
//!
//! Our own client instead of `notify-rust`. That waits for a click in one thread per notification, as long as
//! the desktop keeps it, and it misses clicks on notifications shown over an earlier connection.

use crate::attention::go;
use crate::attention::news::{Notice, Opens};
use loopdeck_runtime::logged::Logged as _;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use tauri::AppHandle;
use zbus::blocking::{Connection, MessageIterator, Proxy};
use zbus::zvariant::Value;
use zbus::{MatchRule, message::Type};

const SERVICE: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// Name of the installed desktop entry; the desktop shows its icon and settings for it.
const DESKTOP_ENTRY: &str = "loopdeck";

/// Notifications on screen, by the number that the desktop gave them.
type Shown = Arc<Mutex<HashMap<u32, (Opens, Vec<String>)>>>;

enum Order {
    Show(Notice, String),
    StillWaiting(HashSet<String>),
}

/// Shows notifications.
pub(in crate::attention) struct Notifications(Sender<Order>);

impl Notifications {
    pub(in crate::attention) fn start(app: &AppHandle) -> Self {
        let (orders, ordered) = mpsc::channel();
        let app = app.clone();
        // Without this thread there are no notifications; everything else works.
        thread::Builder::new()
            .name("notifications".into())
            .spawn(move || work(&app, &ordered))
            .logged("a thread is not started");
        Self(orders)
    }

    /// `open` labels the click, for desktops that show it as a button.
    pub(in crate::attention) fn show(&self, notice: Notice, open: &str) {
        let _ = self.0.send(Order::Show(notice, open.to_owned())); // nothing to show it
    }

    /// Removes notifications that are about none of `needs`.
    pub(in crate::attention) fn still_waiting(&self, needs: HashSet<String>) {
        let _ = self.0.send(Order::StillWaiting(needs));
    }
}

fn work(app: &AppHandle, ordered: &Receiver<Order>) {
    let shown = Shown::default();
    let mut bus = None;
    for order in ordered {
        match order {
            Order::Show(notice, open) => {
                if bus.is_none() {
                    bus = connect(app, &shown).ok();
                }
                let sent = bus.as_ref().map(|bus| show(bus, &shown, notice, &open));
                if let Some(Err(zbus::Error::InputOutput(_))) = sent {
                    bus = None; // the connection is lost; there may be a new one next time
                }
            }
            Order::StillWaiting(needs) => {
                for id in pointless(&shown, &needs) {
                    let closed =
                        bus.as_ref().map(|bus| desktop(bus)?.call_method("CloseNotification", &(id,)));
                    drop(closed); // it may already be closed
                }
            }
        }
    }
}

fn desktop(bus: &Connection) -> zbus::Result<Proxy<'_>> {
    Proxy::new(bus, SERVICE, PATH, SERVICE)
}

/// Connects, and listens for clicks as long as the connection lasts.
fn connect(app: &AppHandle, shown: &Shown) -> zbus::Result<Connection> {
    let bus = Connection::session()?;
    let rule = MatchRule::builder().msg_type(Type::Signal).interface(SERVICE)?.path(PATH)?.build();
    let signals = MessageIterator::for_match_rule(rule, &bus, None)?;
    let (app, shown) = (app.clone(), Arc::clone(shown));
    let listen = move || {
        for signal in signals.flatten() {
            if let Some(opens) = clicked(&signal, &shown) {
                go(&app, &opens);
            }
        }
    };
    // Without it, clicks do nothing; what is shown is still right.
    thread::Builder::new().name("notification clicks".into()).spawn(listen).logged("a thread is not started");
    Ok(bus)
}

/// What a signal of the desktop opens, if it is a click on one of our notifications.
fn clicked(signal: &zbus::Message, shown: &Shown) -> Option<Opens> {
    let header = signal.header();
    let mut shown = shown.lock();
    match header.member()?.as_str() {
        "ActionInvoked" => {
            let (id, _): (u32, String) = signal.body().deserialize().ok()?;
            shown.get(&id).map(|(opens, _)| opens.clone())
        }
        "NotificationClosed" => {
            let (id, _): (u32, u32) = signal.body().deserialize().ok()?;
            shown.remove(&id);
            None
        }
        _ => None,
    }
}

fn show(bus: &Connection, shown: &Shown, notice: Notice, open: &str) -> zbus::Result<()> {
    let desktop = desktop(bus)?;
    let can: Vec<String> = desktop.call("GetCapabilities", &())?;
    let body = if can.iter().any(|can| can == "body-markup") { escaped(&notice.body) } else { notice.body };
    let actions: &[&str] = if can.iter().any(|can| can == "actions") { &["default", open] } else { &[] };
    let hints = HashMap::from([("desktop-entry", Value::from(DESKTOP_ENTRY))]);
    let id: u32 = desktop.call(
        "Notify",
        &("Loopdeck", 0_u32, "loopdeck", notice.title.as_str(), body.as_str(), actions, hints, -1_i32),
    )?;
    let mut shown = shown.lock();
    shown.insert(id, (notice.opens, notice.needs));
    Ok(())
}

/// A loop's title must not become markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Removes notifications that are about none of `waiting` from `shown`.
fn pointless(shown: &Shown, waiting: &HashSet<String>) -> Vec<u32> {
    let mut shown = shown.lock();
    let is_pointless =
        |needs: &Vec<String>| !needs.is_empty() && needs.iter().all(|need| !waiting.contains(need));
    let ids: Vec<u32> =
        shown.iter().filter(|(_, (_, needs))| is_pointless(needs)).map(|(id, _)| *id).collect();
    for id in &ids {
        shown.remove(id);
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_waits_no_more_is_taken_back() {
        let shown = Shown::default();
        let put = |id, needs: &[&str]| {
            let needs = needs.iter().map(|need| (*need).to_owned()).collect();
            shown.lock().insert(id, (Opens::Waiting, needs));
        };
        put(1, &["a"]);
        put(2, &["a", "b"]);
        put(3, &[]);
        let waiting = HashSet::from(["b".to_owned()]);
        assert_eq!(pointless(&shown, &waiting), [1]);
        assert_eq!(pointless(&shown, &HashSet::new()), [2]);
        assert_eq!(pointless(&shown, &HashSet::new()), [0; 0], "an end of a loop stays");
    }

    #[test]
    fn a_title_is_no_markup() {
        assert_eq!(escaped("<a href='x'>&"), "&lt;a href='x'&gt;&amp;");
    }
}
