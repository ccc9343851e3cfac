//! The log: one line for each failure that is not shown, in `logs` of our data folder, a file a day, the newest seven.
//!
//! Lines name loops, folders and causes. They never hold what a file, a variable or an agent says.

use loopdeck_system::dirs::Dirs;
use loopdeck_system::failure::Failure;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::panic;
use std::path::{Path, PathBuf};
use tracing_appender::rolling::{RollingFileAppender, Rotation};

/// So many days are kept.
const FILES: usize = 7;
const PREFIX: &str = "loopdeck";
const ENDING: &str = "log";
/// More of the newest file is never read to show its end.
const LAST_BYTES: u64 = 64 * 1024;

/// Writes what is logged in this process to a file from now on; panics too. Only a program's `main` calls it, once.
///
/// # Errors
/// When the folder cannot be made. The program works without a log, and says so.
pub fn start(dirs: &Dirs) -> Result<(), Failure> {
    let folder = dirs.logs();
    fs::create_dir_all(&folder).map_err(Failure::own_data)?;
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix(PREFIX)
        .filename_suffix(ENDING)
        .max_log_files(FILES)
        .build(folder)
        .map_err(Failure::own_data)?;
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .with_writer(files)
        .finish();
    tracing::subscriber::set_global_default(subscriber).map_err(Failure::own_data)?;
    log_panics();
    Ok(())
}

/// A panic goes to stderr as before, where a desktop program has no reader, and to the log.
fn log_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "Loopdeck made a mistake and a part of it ended");
        before(panic);
    }));
}

/// The last lines of the newest file, oldest first; nothing when there is none.
///
/// # Errors
/// When it cannot be read.
pub fn last_lines(dirs: &Dirs, count: usize) -> io::Result<Vec<String>> {
    let Some(newest) = newest(&dirs.logs())? else { return Ok(Vec::new()) };
    let mut file = fs::File::open(newest)?;
    let length = file.metadata()?.len();
    let begin = length.saturating_sub(LAST_BYTES);
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    file.take(LAST_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.lines().skip(usize::from(begin > 0)); // the first one may be cut
    let lines: Vec<String> = whole.map(str::to_owned).collect();
    Ok(lines[lines.len().saturating_sub(count)..].to_vec())
}

/// Names of the files sort by their day.
fn newest(folder: &Path) -> io::Result<Option<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(PREFIX) && name.ends_with(ENDING)
    };
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).filter(ours).max())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(lines: &[(&str, &str)]) -> (tempfile::TempDir, Dirs) {
        let data = tempfile::tempdir().unwrap();
        let dirs = Dirs { data: data.path().to_owned() };
        for (name, text) in lines {
            fs::create_dir_all(dirs.logs()).unwrap();
            fs::write(dirs.logs().join(name), text).unwrap();
        }
        (data, dirs)
    }

    #[test]
    fn the_last_lines_are_those_of_the_newest_day() {
        let (_data, dirs) = dirs(&[
            ("loopdeck.2026-01-09.log", "old\n"),
            ("loopdeck.2026-01-10.log", "one\ntwo\nthree\n"),
            ("other.txt", "not ours\n"),
        ]);
        assert_eq!(last_lines(&dirs, 2).unwrap(), ["two", "three"]);
    }

    #[test]
    fn a_long_file_is_read_from_its_end_without_half_a_line() {
        let text: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
        let (_data, dirs) = dirs(&[("loopdeck.2026-01-10.log", &text)]);
        let lines = last_lines(&dirs, usize::MAX).unwrap();
        assert!(lines.len() < 20_000, "only the end is read");
        assert!(lines.first().unwrap().starts_with("line "), "{:?}", lines.first());
        assert_eq!(lines.last().unwrap(), "line 19999");
    }

    #[test]
    fn no_log_has_no_lines() {
        let (_data, dirs) = dirs(&[]);
        assert!(last_lines(&dirs, 5).unwrap().is_empty());
    }
}
