//! Recording a run as a fixture, without this machine's paths and without ids that change from run to run.

use super::{Ended, Stage};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// If `LOOPDECK_RECORD` is set, writes `tests/fixtures/agents/<agent>/recorded/<name>.jsonl` (the raw stream)
/// and `<name>.meta.json` (the rest).
///
/// # Panics
/// When it cannot be written.
pub fn keep(stage: &Stage, name: &str, ended: &Ended) {
    if std::env::var_os("LOOPDECK_RECORD").is_none() {
        return;
    }
    let folder = folder(stage);
    fs::create_dir_all(&folder).expect("made");
    let mut scrub = Scrub::new(stage);
    let stream: String = ended.stdout.iter().map(|line| scrub.line(line) + "\n").collect();
    fs::write(folder.join(format!("{name}.jsonl")), stream).expect("written");
    let mut all = |lines: &[String]| lines.iter().map(|line| scrub.line(line)).collect::<Vec<_>>();
    let meta = json!({
        "argv": all(&ended.argv), "stdin": all(&ended.stdin), "stderr": all(&ended.stderr),
        "exit": ended.exit, "signal": ended.signal, "left": ended.left, "done_to_it": ended.done_to_it,
    });
    let text = serde_json::to_string_pretty(&meta).expect("JSON") + "\n";
    fs::write(folder.join(format!("{name}.meta.json")), text).expect("written");
}

fn folder(stage: &Stage) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agents");
    fixtures.join(stage.agent.name()).join("recorded")
}

/// Replaces paths and ids; the same id always gets the same replacement.
struct Scrub {
    paths: Vec<(String, &'static str)>,
    ids: BTreeMap<String, String>,
}

impl Scrub {
    fn new(stage: &Stage) -> Self {
        let text = |path: &Path| path.display().to_string();
        let port = stage.server.url();
        let dashed = text(stage.folder()).replace(['/', '.', '_'], "-"); // how Claude names a project's folder
        let paths = vec![
            (text(stage.folder()), "/stage"),
            (dashed, "-stage"),
            (text(stage.installed.folder()), "/agents"),
            (port, "http://127.0.0.1:4000"),
        ];
        Self { paths, ids: BTreeMap::new() }
    }

    fn line(&mut self, line: &str) -> String {
        let mut text = line.to_owned();
        for (path, name) in &self.paths {
            text = text.replace(path, name);
        }
        for id in uuids(&text) {
            let number = self.ids.len() + 1;
            let stable =
                self.ids.entry(id.clone()).or_insert_with(|| format!("00000000-0000-4000-8000-{number:012}"));
            text = text.replace(&id, stable);
        }
        text
    }
}

/// All ids in the form 8-4-4-4-12 of hexadecimal digits.
fn uuids(text: &str) -> Vec<String> {
    let is_uuid = |word: &str| {
        let lengths: Vec<usize> = word.split('-').map(str::len).collect();
        lengths == [8, 4, 4, 4, 12] && word.chars().all(|char| char == '-' || char.is_ascii_hexdigit())
    };
    let windows = (0..text.len()).filter_map(|at| text.get(at..at + 36));
    windows
        .filter(|word| is_uuid(word) && !word.starts_with("00000000-0000-4000"))
        .map(str::to_owned)
        .collect()
}
