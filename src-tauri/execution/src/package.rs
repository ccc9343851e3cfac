//! What the package that Loopdeck came in (an AppImage), and our own web view, put into our environment: it is for us alone.
//! Programs that we start would load our libraries with it, or find a Python that is not there.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of the variables that Loopdeck set for itself at its start, with `:` between them.
pub const SET_BY_US: &str = "LOOPDECK_SET_BY_US";

/// Turns WebKit's DMABUF renderer off: with it, many drivers and every virtual display show a blank window. WebKitGTK reads the variable
/// when it is loaded, long before we have a window.
pub const NO_DMABUF: (&str, &str) = ("WEBKIT_DISABLE_DMABUF_RENDERER", "1");

/// Gives a start of the desktop a variable that is not meant for the agents and editors it starts. Does nothing and returns false when
/// the person has set it.
pub fn set_for_desktop(desktop: &mut Command, (name, value): (&str, &str)) -> bool {
    if env::var_os(name).is_some() {
        return false;
    }
    let mut ours = env::var_os(SET_BY_US).unwrap_or_default();
    if !ours.is_empty() {
        ours.push(":");
    }
    ours.push(name);
    desktop.env(SET_BY_US, ours).env(name, value);
    true
}

/// What a package sets apart from paths into itself.
const OF_PACKAGES: [&str; 6] = ["APPDIR", "APPIMAGE", "ARGV0", "OWD", "GDK_BACKEND", "GTK_THEME"];

/// An environment as it was before the package and we changed it, as far as that can be told.
#[must_use]
pub fn without_package(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let variables: Vec<(OsString, OsString)> = variables.into_iter().collect();
    let of = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    let ours = of(SET_BY_US).unwrap_or_default();
    let ours: Vec<&str> = ours.to_str().into_iter().flat_map(|names| names.split(':')).collect();
    let package = of("APPDIR").map(PathBuf::from).filter(|package| package.is_absolute());
    let is_ours = |name: &OsStr| name == SET_BY_US || ours.iter().any(|own| name == *own);
    let is_package = |name: &OsStr| package.is_some() && OF_PACKAGES.iter().any(|own| name == *own);
    let kept = variables.iter().filter(|(name, _)| !is_ours(name) && !is_package(name));
    kept.filter_map(|(name, value)| Some((name.clone(), without_paths_in(value, package.as_deref())?)))
        .collect()
}

/// A value without the paths that are in the package; `None` when no others were left.
fn without_paths_in(value: &OsStr, package: Option<&Path>) -> Option<OsString> {
    let Some(package) = package else { return Some(value.to_owned()) };
    let parts: Vec<PathBuf> = env::split_paths(value).collect();
    let kept: Vec<&PathBuf> = parts.iter().filter(|part| !part.starts_with(package)).collect();
    if kept.len() == parts.len() {
        return Some(value.to_owned());
    }
    // An empty part, left by a path that was removed, means the current folder.
    let kept: Vec<&PathBuf> = kept.into_iter().filter(|part| !part.as_os_str().is_empty()).collect();
    if kept.is_empty() { None } else { env::join_paths(kept).ok() }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn what_points_into_our_package_is_left_out() {
        let all = pairs(&[
            ("APPDIR", "/tmp/pkg"),
            ("APPIMAGE", "/home/ana/Loopdeck.AppImage"),
            ("GDK_BACKEND", "x11"),
            ("GTK_PATH", "/tmp/pkg/gtk"),
            ("HOME", "/home/ana"),
            ("LD_LIBRARY_PATH", "/tmp/pkg/usr/lib:/opt/lib:"),
            ("PATH", "/tmp/pkg/usr/bin:/usr/bin"),
            ("PYTHONHOME", "/tmp/pkg/usr/"),
            ("QUOTE", "a::b"),
            ("XDG_DATA_DIRS", "/tmp/pkg2:/usr/share"),
        ]);
        let wanted = [
            ("HOME", "/home/ana"),
            ("LD_LIBRARY_PATH", "/opt/lib"),
            ("PATH", "/usr/bin"),
            ("QUOTE", "a::b"),
            ("XDG_DATA_DIRS", "/tmp/pkg2:/usr/share"),
        ];
        assert_eq!(without_package(all), pairs(&wanted));
    }

    #[test]
    fn without_a_package_only_what_we_set_goes() {
        let all = pairs(&[
            ("GDK_BACKEND", "wayland"),
            ("LOOPDECK_SET_BY_US", "WEBKIT_A:WEBKIT_B"),
            ("WEBKIT_A", "1"),
            ("WEBKIT_B", "1"),
            ("WEBKIT_C", "theirs"),
        ]);
        assert_eq!(without_package(all), pairs(&[("GDK_BACKEND", "wayland"), ("WEBKIT_C", "theirs")]));
    }
}
