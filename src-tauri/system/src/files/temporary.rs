//! Our temporary files. Each name contains the process that created it, so that those of a killed process can
//! be told from those in use.

use crate::platform::IN_PLACE_OF;
use crate::processes as tree;
use crate::processes::ProcessId;
use std::io;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

/// Prefix of our temporary files; scans ignore it.
pub const TEMP_PREFIX: &str = ".loopdeck-";
const SUFFIX: &str = ".tmp";
/// A file whose process cannot be looked up (from another machine or an older version) counts as left over
/// after this time.
const LEFT_OVER: Duration = Duration::from_secs(60);

/// Prefix of this process's names.
static OURS: LazyLock<String> = LazyLock::new(|| {
    let process = tree::find_process(std::process::id()).ok().flatten();
    process.map_or_else(|| TEMP_PREFIX.to_owned(), |process| prefix(process.id))
});

/// Prefix of names whose pid is valid here: this boot, this pid namespace (a container has its own).
static HERE: LazyLock<String> = LazyLock::new(|| {
    let boot = tree::boot_id().unwrap_or_default();
    let processes = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let place = crate::hash::hash(format!("{boot} {}", processes.display()).as_bytes());
    format!("{:08x}", place & 0xffff_ffff)
});

/// A new temporary file in `folder`, removed on drop.
pub(super) fn file_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(OURS.as_str()).suffix(SUFFIX).tempfile_in(folder)
}

/// Gives the temporary file its name with `place`, and removes it when that fails. It is closed: Windows gives no name to what is open.
///
/// # Errors
/// What `place` says.
pub(super) fn placed<T>(
    temp: tempfile::TempPath,
    place: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let temp = temp.keep().map_err(|error| error.error)?;
    place(&temp).inspect_err(|_| {
        let _ = std::fs::remove_file(&temp); // every scan ignores one that stays
    })
}

fn prefix(ProcessId { pid, start }: ProcessId) -> String {
    format!("{TEMP_PREFIX}{pid}-{start}-{}-", *HERE)
}

/// Removes our temporary files in `folder` whose process is gone. What it had taken the name from gets that back.
pub fn remove_left_overs(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(own_part) else { continue };
        let left = match maker(rest) {
            Some(process) => tree::is_alive(process).is_ok_and(|alive| !alive),
            None => is_old(&entry),
        };
        if left {
            match rest.split_once(IN_PLACE_OF) {
                Some((_, name)) => give_back(&entry.path(), &folder.join(name)),
                None => drop(std::fs::remove_file(entry.path())), // every scan ignores one that stays
            }
        }
    }
}

/// Gives a file its name back that a program took from it in the middle of an exchange, and removes it when the name is taken: the exchange
/// was complete.
fn give_back(aside: &Path, path: &Path) {
    let Ok(aside) = tempfile::TempPath::try_from_path(aside) else { return };
    if let Err(refused) = aside.persist_noclobber(path)
        && refused.error.kind() != io::ErrorKind::AlreadyExists
    {
        let _ = refused.path.keep(); // until the next clean-up
    }
}

/// The part between the common start and end of our names.
fn own_part(name: &str) -> Option<&str> {
    name.strip_prefix(TEMP_PREFIX)?.strip_suffix(SUFFIX)
}

/// The process that created it, if its pid is valid here.
fn maker(rest: &str) -> Option<ProcessId> {
    let mut parts = rest.splitn(4, '-');
    let (pid, start) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let here = parts.next()? == HERE.as_str();
    (here && parts.next().is_some()).then_some(ProcessId { pid, start })
}

fn is_old(entry: &std::fs::DirEntry) -> bool {
    let modified = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
    modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_OVER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn left(files: &[(&str, bool)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - Duration::from_secs(120);
        for (name, aged) in files {
            let file = File::create(dir.path().join(name)).unwrap();
            if *aged {
                file.set_modified(old).unwrap();
            }
        }
        remove_left_overs(dir.path());
        let names = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut left: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        left.sort();
        left
    }

    #[test]
    fn of_unknown_makers_only_old_files_of_ours_are_left_overs() {
        let files = [
            (".loopdeck-a.tmp", true),
            (".loopdeck-b.tmp", false),
            ("x.json.tmp", true),
            (".loopdeck-c.json", true),
            // From another machine, or another boot of this one.
            (".loopdeck-1-2-deadbeef-x.tmp", false),
            (".loopdeck-1-3-deadbeef-x.tmp", true),
            // In the middle of an exchange, and after it.
            (".loopdeck-1-3-deadbeef-y=a.json.tmp", true),
            (".loopdeck-1-3-deadbeef-y=x.json.tmp.tmp", true),
            (".loopdeck-1-2-deadbeef-y=b.json.tmp", false),
        ];
        let stay = [
            ".loopdeck-1-2-deadbeef-x.tmp",
            ".loopdeck-1-2-deadbeef-y=b.json.tmp",
            ".loopdeck-b.tmp",
            ".loopdeck-c.json",
            "a.json",
            "x.json.tmp",
        ];
        assert_eq!(left(&files), stay);
    }

    #[cfg(target_os = "linux")]
    #[test]
    #[allow(clippy::disallowed_methods, reason = "a process that ends")]
    fn what_a_process_left_goes_when_it_is_gone_and_not_before() {
        let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = tree::find_process(other.id()).unwrap().unwrap().id;
        let theirs = format!("{}x.tmp", prefix(process));
        let ours = format!("{}x.tmp", *OURS);
        assert_ne!(*OURS, TEMP_PREFIX);
        let mut both = vec![ours.clone(), theirs.clone()];
        both.sort();
        assert_eq!(left(&[(&theirs, true), (&ours, true)]), both, "however old: they are at work");
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(left(&[(&theirs, false), (&ours, true)]), [ours], "however new: it is gone");
    }
}
