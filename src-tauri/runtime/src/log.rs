//! The log: one line for each failure that is not shown, in `logs` of our data folder, a file a day, the newest seven. A process
//! that fails all the time fills no disk: what it writes in a day is limited.
//!
//! Lines name loops, folders and causes. They never hold what a file, a variable or an agent says.

use loopdeck_system::clock;
use loopdeck_system::dirs::Dirs;
use loopdeck_system::failure::Failure;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tracing_appender::rolling::{RollingFileAppender, Rotation};

/// So many days are kept.
const FILES: usize = 7;
const PREFIX: &str = "loopdeck";
const ENDING: &str = "log";
/// More of the newest file is never read to show its end.
const LAST_BYTES: u64 = 64 * 1024;
/// A process writes no more than this in a day; about 30,000 lines.
const DAYS_BYTES: usize = 4 << 20;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Writes what is logged in this process to a file from now on; panics too. Only a program's `main` calls it, once.
///
/// # Errors
/// When the folder cannot be made. The program works without a log, and says so.
pub fn start(dirs: &Dirs) -> Result<(), Failure> {
    let folder = dirs.logs();
    fs::create_dir_all(&folder).map_err(Failure::own_data)?;
    let files = Limited::new(daily_files(&folder)?);
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .with_writer(Mutex::new(files))
        .finish();
    tracing::subscriber::set_global_default(subscriber).map_err(Failure::own_data)?;
    log_panics();
    Ok(())
}

fn daily_files(folder: &Path) -> Result<RollingFileAppender, Failure> {
    let files = RollingFileAppender::builder().rotation(Rotation::DAILY).max_log_files(FILES);
    files.filename_prefix(PREFIX).filename_suffix(ENDING).build(folder).map_err(Failure::own_data)
}

/// Writes whole lines until the day's limit is reached; then one that says so, and nothing until the next day.
struct Limited<W> {
    to: W,
    day: i64,
    left: usize,
}

impl<W: Write> Limited<W> {
    fn new(to: W) -> Self {
        Self { to, day: 0, left: DAYS_BYTES }
    }

    fn write_on(&mut self, day: i64, line: &[u8]) -> io::Result<()> {
        if self.day != day {
            (self.day, self.left) = (day, DAYS_BYTES);
        }
        if line.len() <= self.left {
            self.left -= line.len();
            return self.to.write_all(line);
        }
        match std::mem::take(&mut self.left) {
            0 => Ok(()),
            _ => self.to.write_all(b"too much was logged today; the rest of the day is left out\n"),
        }
    }
}

impl<W: Write> Write for Limited<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.write_on(clock::now().millis() / DAY, line)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
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
    let Some(newest) = newest_log(&dirs.logs())? else { return Ok(Vec::new()) };
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
fn newest_log(folder: &Path) -> io::Result<Option<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let dated = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(ENDING));
        dated.is_some_and(|day| day.starts_with('.') && day.ends_with('.'))
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
    fn old_days_are_removed_at_a_start() {
        let days: Vec<String> = (1..=12).map(|day| format!("loopdeck.2026-01-{day:02}.log")).collect();
        let old: Vec<(&str, &str)> = days.iter().map(|name| (name.as_str(), "old\n")).collect();
        let (_data, dirs) = dirs(&old);
        fs::write(dirs.logs().join("notes.txt"), "not ours\n").unwrap();
        let mut files = daily_files(&dirs.logs()).unwrap();
        files.write_all(b"new\n").unwrap();
        let left = fs::read_dir(dirs.logs()).unwrap().flatten();
        let names: Vec<String> = left.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        assert_eq!(names.len(), FILES + 1, "{names:?}");
        assert!(names.contains(&"notes.txt".to_owned()), "{names:?}");
        assert!(!names.contains(&days[0]) && names.contains(&days[11]), "the oldest go first: {names:?}");
        assert_eq!(last_lines(&dirs, 1).unwrap(), ["new"]);
    }

    #[test]
    fn what_is_logged_in_a_day_is_limited() {
        let mut log = Limited::new(Vec::new());
        let line = vec![b'x'; 1 << 20];
        for _ in 0..9 {
            log.write_on(1, &line).unwrap();
        }
        let told = String::from_utf8(std::mem::take(&mut log.to)).unwrap();
        assert_eq!((told.matches('x').count(), told.lines().count()), (4 << 20, 1));
        log.write_on(1, b"late\n").unwrap();
        assert!(log.to.is_empty());
        log.write_on(2, b"next day\n").unwrap();
        assert_eq!(log.to, b"next day\n");
    }

    #[test]
    fn no_log_has_no_lines() {
        let (_data, dirs) = dirs(&[]);
        assert!(last_lines(&dirs, 5).unwrap().is_empty());
    }
}
