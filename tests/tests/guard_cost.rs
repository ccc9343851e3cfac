//! What guarding costs: one write of ours beside a bare one (temporary file, fsync, rename, fsync of the folder).
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement is printed")]

use loopdeck_core::control::MetadataPatch;
use loopdeck_tests::live::{Live, loop_v2};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const NAME: &str = "loop-v2-20261120T042421-d8ff7e62.json";

fn bare(path: &Path, bytes: &[u8]) {
    let folder = path.parent().unwrap();
    let mut temp = tempfile::NamedTempFile::new_in(folder).unwrap();
    temp.write_all(bytes).unwrap();
    temp.as_file().sync_all().unwrap();
    temp.persist(path).unwrap();
    fs::File::open(folder).unwrap().sync_all().unwrap();
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Figures are printed; only a guard that has become another order of magnitude fails (the bench holds the limit).
#[test]
fn a_guarded_write_costs_little_more_than_a_bare_one() {
    for size in [1_000, 100_000, 2_000_000] {
        let long = format!("\"description\": \"{}\"", "x".repeat(size));
        let text = loop_v2(ID, "paused").replace("\"description\": \"\"", &long);
        let mut live = Live::new();
        live.write(NAME, &text);
        live.wait_for("the loop", |live| live.row(NAME).is_some());
        let key = live.key(NAME);
        let (mut bares, mut replaced, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let beside = live.path("beside.txt");
        fs::write(&beside, &text).unwrap();
        for n in 0..21 {
            let start = Instant::now();
            bare(&beside, text.as_bytes());
            bares.push(start.elapsed());
            let start = Instant::now();
            loopdeck_runtime::files::replace(&beside, text.as_bytes(), text.as_bytes()).unwrap();
            replaced.push(start.elapsed());
            let start = Instant::now();
            let patch = MetadataPatch { title: Some(format!("{n}")), ..Default::default() };
            live.runtime.edit_metadata(&key, patch).unwrap();
            whole.push(start.elapsed());
        }
        let (bare, replaced, whole) = (median(bares), median(replaced), median(whole));
        println!("{size:>9} bytes: bare {bare:?}, guarded replace {replaced:?}, whole request {whole:?}");
        assert!(replaced < bare * 10 + Duration::from_millis(20));
    }
}
