//! One guarded write of a state file against what durability alone costs.

use crate::corpus;
use crate::report::{Report, ms, percentile};
use loopdeck_runtime::files;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 301;

/// Measures writes of a file of usual size.
pub(crate) fn measure(report: &mut Report, folder: &Path) {
    let versions =
        ["Loop number 1.", "Loop number 2."].map(|title| corpus::state(&corpus::id(1), title, 20, 80));
    let (bare_path, guarded_path) = (folder.join("bare.json"), folder.join("guarded.json"));
    for path in [&bare_path, &guarded_path] {
        fs::write(path, &versions[0]).expect("written");
    }
    // Interleaved, so that a slow moment of the disk meets both sides.
    let (mut bare, mut guarded) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (old, new) = (versions[round % 2].as_bytes(), versions[(round + 1) % 2].as_bytes());
        let start = Instant::now();
        write_bare(&bare_path, new);
        bare.push(ms(start.elapsed()));
        let start = Instant::now();
        files::replace(&guarded_path, old, new).expect("nobody else writes");
        guarded.push(ms(start.elapsed()));
    }
    let (bare, guarded) = (percentile(&mut bare, 0.5), percentile(&mut guarded, 0.5));
    let size = versions[0].len() >> 10;
    Report::note(&format!("{size} KB: temporary file, fsync, rename, fsync of the folder"), bare, "ms");
    Report::note(&format!("{size} KB: guarded write"), guarded, "ms");
    report.limit("guarded write / bare durable write", guarded / bare, 1.3, "x");
}

/// What every careful writer does, and nothing more.
fn write_bare(path: &Path, bytes: &[u8]) {
    let temp = path.with_extension("tmp");
    let mut file = File::create(&temp).expect("created");
    file.write_all(bytes).expect("written");
    file.sync_all().expect("synced");
    fs::rename(temp, path).expect("renamed");
    let folder = path.parent().expect("a folder");
    File::open(folder).and_then(|folder| folder.sync_all()).expect("synced");
}
