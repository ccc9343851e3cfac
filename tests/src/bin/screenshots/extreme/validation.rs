//! A hundred thousand tests in the last of many runs.

use super::texts::{WORD, path, text, time};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

const TESTS: usize = 100_000;
const RUNS: usize = 12;
/// Tests of each run before the last.
const FEWER: usize = 400;

pub(crate) fn write(root: &Path, id: &str) -> io::Result<()> {
    let progress = root.join(format!("{id}.progress"));
    fs::create_dir_all(&progress)?;
    fs::write(root.join(format!("{id}.json")), master(id))?;
    let file = |n: usize| json!({ "path": path(n), "statements": n % 101, "branches": (n * 7) % 101, "functions": 100, "lines": 12.345 });
    let files: Vec<Value> = (0..1_200).map(file).collect();
    let overall = json!({ "statements": 50.0, "branches": 50.0, "functions": 100, "lines": 12.345 });
    fs::write(progress.join("coverage.json"), json!({ "files": files, "overall": overall }).to_string())
}

fn master(id: &str) -> String {
    let mut runs = String::new();
    for run in 1..=RUNS {
        let tests = if run == RUNS { TESTS } else { FEWER };
        let comma = if run == 1 { "" } else { "," };
        let _ = write!(
            runs,
            "{comma}{{\"iteration\":{run},\"timestamp\":\"{}\",\"summary\":{{\"total\":{tests},\"passed\":{},\"failed\":{},\"skipped\":3,\
             \"pass_rate\":\"{}\",\"duration_ms\":4812345}},\"tests\":[{}]}}",
            time(run * 120),
            tests - tests / 50 - 3,
            tests / 50,
            98 - run % 4,
            rows(run, tests)
        );
    }
    format!(
        "{{\"loop_id\":\"{id}\",\"title\":\"A hundred thousand tests\",\"description\":\"\",\"max_iterations\":20,\"status\":\"paused\",\
         \"current_iteration\":{RUNS},\"created_at\":\"{}\",\"updated_at\":\"{}\",\
         \"skill_state\":{{\"current_action\":\"validate\",\"last_action\":null,\"completed_actions\":[],\"mode\":\"auto\",\
         \"develop\":{{\"total\":0,\"completed\":0,\"tasks\":[]}},\"debug\":{{\"hypotheses\":[]}},\
         \"validate\":{{\"pass_rate\":91,\"coverage\":80,\"passed\":false,\"failed_tests\":[\"not there\"],\"test_results\":[{runs}]}},\
         \"errors\":[]}}}}",
        time(0),
        time(2_000)
    )
}

fn rows(run: usize, count: usize) -> String {
    let mut rows = String::new();
    for n in 0..count {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(rows, "{comma}{}", if n % 50 == 7 { failed(run, n) } else { plain(run, n) });
    }
    rows
}

fn plain(run: usize, n: usize) -> String {
    let status = if (n + run).is_multiple_of(97) {
        "failed"
    } else if n % 900 == 1 {
        "skipped"
    } else {
        "passed"
    };
    format!(
        "{{\"test_name\":\"does thing {n}\",\"suite\":\"suite {:03}\",\"status\":\"{status}\",\"duration_ms\":{},\"error_message\":null,\
         \"stack_trace\":null}}",
        n / 1_000,
        n % 977
    )
}

fn failed(run: usize, n: usize) -> String {
    let stack: String = (0..40).fold(String::new(), |mut stack, line| {
        let _ = writeln!(stack, "    at {WORD} ({}:{line}:17)", path(line));
        stack
    });
    let name = if n % 400 == 7 { format!("{WORD} {n}") } else { format!("{} {n}", text(n)) };
    let whole = n < 3_000;
    json!({
        "test_name": name, "suite": format!("suite {:03}", n / 1_000), "status": "failed", "duration_ms": n * 31 + run,
        "error_message": if whole { format!("{}\n{}", text(n + 1), text(n + 2)) } else { "expected 1, got 2".into() },
        "stack_trace": if whole { Value::from(stack) } else { Value::Null },
    })
    .to_string()
}
