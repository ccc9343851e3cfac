//! The sample workspaces, copied into our data folder for newcomers: loops of every format and status, one AoT loop to run, and plans of
//! other tools. An AoT loop has a folder of its own: its format allows one for each folder (AoT contract §1).

use include_dir::{Dir, DirEntry, include_dir};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

static SAMPLE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample");
static RECEIPT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample-receipt");
static PLANS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample-plans");

/// How long ago each part was last changed, so that the statuses tell their stories: path prefix, minutes.
const AGES: &[(&str, u64)] = &[
    (".workflow/.loop/loop-v2-20261120T091500-7c41e0aa", 0),
    (".workflow/.loop/loop-b-", 1),
    (".claude/", 2),
    (".workflow/.loop/loop-v2-20261120T084500-5a3c9e17", 5),
    (".workflow/.loop/loop-v2-20261119T160000-b2d94f10", 95),
    (".workflow/.loop/loop-v2-20261118T100000-19ab77c3", 60 * 22),
];
const OTHERWISE: u64 = 60 * 26;

/// Copies the loops of every format to `target` unless they are there already; whether it did.
///
/// # Errors
/// What the disk says.
pub fn lay_out(target: &Path) -> io::Result<bool> {
    copy(&SAMPLE, target, ".workflow")
}

/// Copies the AoT loop to run to `target` unless it is there already; whether it did.
///
/// # Errors
/// What the disk says.
pub fn lay_out_receipt(target: &Path) -> io::Result<bool> {
    copy(&RECEIPT, target, ".claude")
}

/// Copies small plans of other tools to `target` unless they are there already; whether it did.
///
/// # Errors
/// What the disk says.
pub fn lay_out_plans(target: &Path) -> io::Result<bool> {
    copy(&PLANS, target, "specs")
}

fn copy(sample: &Dir<'_>, target: &Path, marker: &str) -> io::Result<bool> {
    if target.join(marker).is_dir() {
        return Ok(false);
    }
    write(sample, target)?;
    Ok(true)
}

fn write(dir: &Dir<'_>, target: &Path) -> io::Result<()> {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => write(dir, target)?,
            DirEntry::File(file) => {
                // Dot folders are stored as `dot-…`: packaging tools and ignore rules skip hidden names.
                let below = file.path().to_string_lossy().replace("dot-", ".").replace('\\', "/");
                let path = target.join(&below);
                std::fs::create_dir_all(path.parent().unwrap_or(target))?;
                std::fs::write(&path, file.contents())?;
                set_age(&path, &below)?;
            }
        }
    }
    Ok(())
}

fn set_age(path: &Path, below: &str) -> io::Result<()> {
    let minutes =
        AGES.iter().find(|(prefix, _)| below.starts_with(prefix)).map_or(OTHERWISE, |(_, age)| *age);
    let moment = SystemTime::now() - Duration::from_secs(minutes * 60);
    std::fs::File::options().write(true).open(path)?.set_modified(moment)
}
