//! The desktop around the window, as far as a test needs it: it closes windows like a person, shows
//! notifications and has a tray, all over the real protocols.

mod services;

use crate::runs::eventually;
use services::{Daemon, Watcher};
use std::sync::{Arc, Mutex, PoisonError};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, MapState, Window,
};
use x11rb::rust_connection::RustConnection;
use zbus::blocking::{Connection, Proxy, connection};
use zbus::zvariant::{OwnedValue, Structure, Value};

const NOTIFICATIONS: &str = "/org/freedesktop/Notifications";
const WATCHER: &str = "/StatusNotifierWatcher";
const MENU: &str = "com.canonical.dbusmenu";

/// The features of this desktop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Has {
    /// Something that shows notifications.
    pub notifications: bool,
    /// Something that shows tray icons.
    pub tray: bool,
}

/// A desktop. Everything it owns on the bus is released with it.
pub struct Desk {
    x: RustConnection,
    root: Window,
    bus: Connection,
    shown: Arc<Mutex<Vec<Shown>>>,
    icons: Arc<Mutex<Vec<String>>>,
}

/// A notification on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its number.
    pub id: u32,
    /// First line.
    pub title: String,
    /// Text.
    pub body: String,
    /// Pairs of an action and its name.
    pub actions: Vec<String>,
    /// The app removed it.
    pub taken_back: bool,
}

impl Desk {
    pub(super) fn new(display: &str, bus: &str, has: Has) -> Self {
        let (x, screen) = x11rb::connect(Some(display)).expect("the display");
        let root = x.setup().roots[screen].root;
        let (shown, icons) = (Arc::default(), Arc::default());
        let mut builder = connection::Builder::address(bus).expect("an address");
        if has.notifications {
            let daemon = Daemon { shown: Arc::clone(&shown) };
            builder = builder.name("org.freedesktop.Notifications").expect("a name");
            builder = builder.serve_at(NOTIFICATIONS, daemon).expect("a daemon");
        }
        if has.tray {
            let watcher = Watcher { icons: Arc::clone(&icons) };
            builder = builder.name("org.kde.StatusNotifierWatcher").expect("a name");
            builder = builder.serve_at(WATCHER, watcher).expect("a watcher");
        }
        Self { x, root, bus: builder.build().expect("the bus"), shown, icons }
    }

    // --- windows --------------------------------------------------------------------------------------------------

    /// Title of the app's window.
    pub fn title(&self) -> String {
        self.name_of(self.window()).unwrap_or_default()
    }

    /// Whether the window is on screen.
    pub fn is_visible(&self) -> bool {
        let attributes = self.x.get_window_attributes(self.window()).expect("sent").reply();
        attributes.expect("attributes").map_state == MapState::VIEWABLE
    }

    /// Closes the window with the button in its frame.
    pub fn close_window(&self) {
        let window = self.window();
        let data = [self.atom("WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0];
        let message = ClientMessageEvent::new(32, window, self.atom("WM_PROTOCOLS"), data);
        self.x.send_event(false, window, EventMask::NO_EVENT, message).expect("sent");
        self.x.flush().expect("sent");
    }

    /// Takes the window off the screen, as a window manager does when a person minimises it.
    pub fn unmap_window(&self) {
        self.x.unmap_window(self.window()).expect("sent");
        self.x.flush().expect("sent");
    }

    /// There is no window manager, so the app's window is directly on the screen, and only a real one can be
    /// closed.
    fn window(&self) -> Window {
        eventually("a window of the app", || {
            let tree = self.x.query_tree(self.root).ok()?.reply().ok()?;
            tree.children.into_iter().find(|window| {
                let name = self.name_of(*window).unwrap_or_default();
                name.ends_with("Loopdeck") && self.can_be_closed(*window)
            })
        })
    }

    fn name_of(&self, window: Window) -> Option<String> {
        let (name, text) = (self.atom("_NET_WM_NAME"), self.atom("UTF8_STRING"));
        let name = self.x.get_property(false, window, name, text, 0, 1_000).ok()?.reply().ok()?;
        String::from_utf8(name.value).ok()
    }

    fn can_be_closed(&self, window: Window) -> bool {
        let protocols = self.atom("WM_PROTOCOLS");
        let known = self.x.get_property(false, window, protocols, AtomEnum::ATOM, 0, 100);
        let known = known.ok().and_then(|known| known.reply().ok());
        let close = self.atom("WM_DELETE_WINDOW");
        known.is_some_and(|known| known.value32().is_some_and(|mut atoms| atoms.any(|atom| atom == close)))
    }

    fn atom(&self, name: &str) -> u32 {
        self.x.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
    }

    // --- notifications --------------------------------------------------------------------------------------------

    /// Everything shown so far.
    pub fn notifications(&self) -> Vec<Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for a notification.
    pub fn wait_for_notification(&self, fits: impl Fn(&Shown) -> bool) -> Shown {
        eventually("such a notification", || self.notifications().into_iter().find(|shown| fits(shown)))
    }

    /// Clicks on a notification.
    pub fn click_notification(&self, id: u32) {
        let interface = self.bus.object_server().interface::<_, Daemon>(NOTIFICATIONS).expect("a daemon");
        zbus::block_on(Daemon::action_invoked(interface.signal_emitter(), id, "default")).expect("told");
    }

    // --- the tray -------------------------------------------------------------------------------------------------

    /// Texts of the tray menu, without separators and disabled items.
    pub fn tray_menu(&self) -> Vec<String> {
        self.menu_items().into_iter().map(|(_, label)| label).collect()
    }

    /// Chooses an item of the tray menu, once it exists.
    pub fn choose_in_tray(&self, label: &str) {
        let id = eventually(label, || {
            self.menu_items().into_iter().find(|(_, known)| known == label).map(|(id, _)| id)
        });
        let menu = self.menu().expect("a menu");
        menu.call_method("Event", &(id, "clicked", Value::from(0_i32), 0_u32)).expect("told");
    }

    /// The app's name on the bus, and the path of its icon there.
    fn icon(&self) -> Option<(String, String)> {
        let icons = self.icons.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, path) = icons.last()?.split_once('/')?;
        Some((name.to_owned(), format!("/{path}")))
    }

    fn menu(&self) -> Option<Proxy<'static>> {
        let (name, path) = self.icon()?;
        let icon = Proxy::new(&self.bus, name.clone(), path, "org.kde.StatusNotifierItem").ok()?;
        let menu: zbus::zvariant::OwnedObjectPath = icon.get_property("Menu").ok()?;
        Proxy::new(&self.bus, name, menu, MENU).ok()
    }

    fn menu_items(&self) -> Vec<(i32, String)> {
        let mut items = Vec::new();
        let names: &[&str] = &["label", "enabled"];
        let layout = self.menu().and_then(|menu| menu.call("GetLayout", &(0_i32, -1_i32, names)).ok());
        if let Some((_, layout)) = layout as Option<(u32, OwnedLayout)> {
            for child in &layout.2 {
                collect(child, &mut items);
            }
        }
        items
    }
}

/// Id, properties, children.
type OwnedLayout = (i32, std::collections::HashMap<String, OwnedValue>, Vec<OwnedValue>);

fn collect(item: &Value<'_>, items: &mut Vec<(i32, String)>) {
    let Ok(structure) = item.downcast_ref::<Structure<'_>>() else { return };
    let [id, properties, children] = structure.fields() else { return };
    let (Value::I32(id), Value::Dict(properties), Value::Array(children)) = (id, properties, children) else {
        return;
    };
    let enabled = properties.get::<_, bool>(&"enabled").ok().flatten().unwrap_or(true);
    if let Ok(Some(label)) = properties.get::<_, String>(&"label")
        && enabled
    {
        items.push((*id, label.replace('_', "")));
    }
    for child in children.iter() {
        collect(child, items);
    }
}
