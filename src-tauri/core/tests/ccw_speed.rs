//! Budgets of the fast read and of edits. Timing tests: run with `cargo test --release -p loopdeck-core -- --ignored`.

use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::format::FileFacts;
use loopdeck_core::loops::{self, Place};
use loopdeck_core::status::StatusWord;
use std::fmt::Write as _;
use std::io::Read as _;
use std::time::{Duration, Instant};

const NOW: i64 = 1_795_148_661_870;

fn stem(index: usize) -> String {
    format!("loop-v2-20261120T042421-{index:08x}")
}

/// A running loop as the skills write it, of about `size` bytes.
fn master(index: usize, size: usize) -> String {
    let mut tests = String::new();
    let mut row = 0;
    while tests.len() + 1_600 < size {
        let comma = if row > 0 { "," } else { "" };
        write!(
            tests,
            "{comma}\n            {{\n              \"test_name\": \"logs in with password {row}\",\n              \"suite\": \"auth/login\",\n              \"status\": \"failed\",\n              \"duration_ms\": 31,\n              \"error_message\": \"expected 423, got 401 at the third attempt\",\n              \"stack_trace\": \"AssertionError: expected\\n    at lockout.test.ts:42:18\"\n            }}"
        )
        .expect("text");
        row += 1;
    }
    let sample = include_str!(
        "../../../tests/fixtures/ccw/codex-ccw-loop-synth/1-paused-mid-develop/loop-v2-20260122T020000-3fa91c0e.json"
    );
    let head = &sample[..sample.find("        {\n          \"id\": \"task-002\"").expect("second task") - 2];
    let head = head.replace("loop-v2-20260122T020000-3fa91c0e", &stem(index));
    format!(
        "{head}\n      ]\n    }},\n    \"validate\": {{\n      \"test_results\": [\n        {{\n          \"iteration\": 1,\n          \"summary\": {{ \"total\": 4, \"passed\": 2 }},\n          \"tests\": [{tests}\n          ]\n        }}\n      ]\n    }}\n  }}\n}}"
    )
}

fn best(mut run: impl FnMut()) -> Duration {
    (0..7)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

#[test]
#[ignore = "timing"]
fn listing_costs_little_more_than_reading() {
    let folder = std::env::temp_dir().join(format!("loopdeck-ccw-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let names: Vec<_> = (0..10_000).map(stem).collect();
    for (index, name) in names.iter().enumerate() {
        let size = if index % 2 == 0 { 2_000 } else { 26_000 };
        std::fs::write(folder.join(name), master(index, size)).expect("written");
    }
    let mut buffer = Vec::new();
    let mut read = |name: &str, then: &mut dyn FnMut(&[u8])| {
        buffer.clear();
        let mut file = std::fs::File::open(folder.join(name)).expect("there");
        file.metadata().expect("facts");
        file.read_to_end(&mut buffer).expect("readable");
        then(&buffer);
    };
    let mut bytes = 0;
    let reading = best(|| names.iter().for_each(|name| read(name, &mut |read| bytes += read.len())));
    let mut rows = 0;
    let listing = best(|| {
        for name in &names {
            read(name, &mut |bytes| {
                let facts = FileFacts { stem: name, modified: NOW, now: NOW };
                let row = loops::summary(Place::CcwFile, bytes, &facts).expect("a loop");
                rows += usize::from(row.problems.is_empty());
            });
        }
    });
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(rows, 70_000);
    let ratio = listing.as_secs_f64() / reading.as_secs_f64();
    println!("reading {reading:?}, listing {listing:?}, ratio {ratio:.2}");
    assert!(ratio <= 3.5, "{ratio}");
}

#[test]
#[ignore = "timing"]
fn editing_a_large_file_costs_less_than_two_passes() {
    let text = master(1, 20_000_000);
    let stem = stem(1);
    let facts = FileFacts { stem: &stem, modified: NOW, now: NOW };
    let situation = Situation { shown: StatusWord::Paused, now: NOW };
    let summary = loops::summary(Place::CcwFile, text.as_bytes(), &facts).expect("a loop");
    assert!(summary.problems.is_empty(), "{:?}", summary.problems);
    let pass = best(|| {
        serde_json::from_slice::<serde::de::IgnoredAny>(text.as_bytes()).expect("JSON");
    });
    let intent = Intent::Resume { raise_limit_to: None };
    let edit = best(|| {
        loopdeck_core::ccw_v2::edit(text.as_bytes(), &facts, &intent, &situation).expect("legal");
    });
    let whole = best(|| {
        loops::carry_out(&summary, text.as_bytes(), &facts, &intent, &situation).expect("legal");
    });
    let ratio = whole.as_secs_f64() / pass.as_secs_f64();
    println!("IgnoredAny {pass:?}, edit {edit:?}, carry out {whole:?}, ratio {ratio:.2}");
    assert!(ratio <= 2.0, "{ratio}");
}
