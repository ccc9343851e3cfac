//! Whether an icon in the tray is possible, and whether anything shows it.

use std::path::{Path, PathBuf};
use std::{env, fs};
use zbus::blocking::{Connection, Proxy};

const LIBRARIES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];
const FOLDERS: [&str; 5] = ["/usr/lib64", "/usr/lib", "/lib64", "/lib", "/usr/local/lib"];

/// Whether the library behind the tray is installed. Trying to load a missing one would panic.
fn has_library() -> bool {
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    folders.extend(FOLDERS.iter().map(PathBuf::from));
    folders.extend(by_architecture(Path::new("/usr/lib")));
    folders.iter().any(|folder| LIBRARIES.iter().any(|library| folder.join(library).exists()))
}

/// Folders like `/usr/lib/x86_64-linux-gnu`.
fn by_architecture(lib: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(lib).into_iter().flatten().flatten();
    let named = |name: &str| name.contains("-linux-");
    entries.filter(|entry| entry.file_name().to_str().is_some_and(named)).map(|entry| entry.path()).collect()
}

/// Whether something on this desktop shows tray icons now. Stock GNOME has nothing that does.
fn has_host() -> zbus::Result<bool> {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let bus = Connection::session()?;
    let watcher = Proxy::new(&bus, WATCHER, "/StatusNotifierWatcher", WATCHER)?;
    watcher.get_property("IsStatusNotifierHostRegistered")
}

/// Whether an icon can be made.
pub(crate) fn can_be_made() -> bool {
    has_library()
}

/// Whether the desktop shows it. If the bus does not answer, it does not.
pub(crate) fn desktop_shows_trays() -> bool {
    has_host().unwrap_or_default()
}
