//! One fault anywhere in any recorded stream: nothing panics, no failure becomes a success, no cost that was told is
//! lost.

use super::{FIELD, FOLDERS, folder, read};
use loopdeck_agents::OutputKind;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::outcome::{ExitHow, Outcome, judge};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[derive(Clone, Debug)]
struct Stream {
    name: String,
    kind: OutputKind,
    lines: Vec<String>,
    stderr: String,
    exit: ExitHow,
}

impl Stream {
    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn facts(&self, stdout: &str) -> Facts {
        read(self.kind, stdout.as_bytes(), self.stderr.as_bytes()).1
    }

    fn outcome(&self, stdout: &str) -> Outcome {
        judge(self.kind, &self.facts(stdout), self.exit, None).outcome
    }
}

/// Everything that is recorded, and the streams of bug reports.
static STREAMS: LazyLock<Vec<Stream>> = LazyLock::new(|| {
    let agents = FOLDERS.into_iter().filter(|(kind, _)| *kind != OutputKind::Text);
    let recorded = agents.clone().flat_map(|(kind, _)| {
        files(&folder(kind).join("recorded")).into_iter().filter_map(move |path| of_recording(kind, &path))
    });
    let field = files(Path::new(FIELD)).into_iter().filter_map(|path| {
        let agent = fs::read_to_string(path.join("agent")).ok()?;
        let (kind, _) = agents.clone().find(|(_, name)| *name == agent.trim())?;
        let exit = fs::read_to_string(path.join("exit")).ok()?.trim().parse().ok()?;
        let stderr = fs::read_to_string(path.join("stderr.txt")).unwrap_or_default();
        stream(kind, &path.join("stream.ndjson"), stderr, ExitHow::Code(exit))
    });
    let streams: Vec<Stream> = recorded.chain(field).collect();
    assert!(streams.len() > 80, "{}", streams.len());
    streams
});

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn of_recording(kind: OutputKind, path: &Path) -> Option<Stream> {
    path.extension().filter(|end| *end == "jsonl")?;
    let meta: Value = serde_json::from_slice(&fs::read(path.with_extension("meta.json")).ok()?).ok()?;
    let number = |key: &str| meta[key].as_i64().and_then(|number| i32::try_from(number).ok());
    let exit = number("exit").map(ExitHow::Code).or(number("signal").map(ExitHow::Signal))?;
    let stderr = meta["stderr"].as_array()?.iter().filter_map(Value::as_str);
    stream(kind, path, stderr.map(|line| format!("{line}\n")).collect(), exit)
}

fn stream(kind: OutputKind, path: &Path, stderr: String, exit: ExitHow) -> Option<Stream> {
    let text = fs::read_to_string(path).ok()?;
    let lines = text.lines().map(str::to_owned).collect();
    Some(Stream { name: path.display().to_string(), kind, lines, stderr, exit })
}

/// The highest cost that a whole event of `text` tells.
fn told_cost(text: &str) -> Option<f64> {
    let costs =
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?["total_cost_usd"].as_f64());
    costs.fold(None, |most, cost| Some(most.map_or(cost, |most: f64| most.max(cost))))
}

/// What may be printed between two events.
const LOGS: [&str; 6] = [
    "[log_abc] response start {\"status\":200}",
    "(node:12) [DEP0040] DeprecationWarning: old",
    "npm notice New version",
    "{",
    "  \"url\": \"https://example.org\"",
    "{\"type\":\"hologram\",\"data\":[1,2]}",
];

fn any_stream() -> impl Strategy<Value = Stream> {
    prop::sample::select(STREAMS.clone())
}

/// No failure becomes a success, and no limit anything that is tried again at once.
fn check(stream: &Stream, faulty: &str, what: &str) -> Result<(), TestCaseError> {
    let (before, after) = (stream.outcome(&stream.text()), stream.outcome(faulty));
    prop_assert!(
        before == Outcome::Ok || after != Outcome::Ok,
        "{}: {what}: {before:?} became ok",
        stream.name
    );
    let cost = stream.facts(faulty).usage.and_then(|usage| usage.cost_usd);
    let told = told_cost(faulty);
    prop_assert!(cost >= told, "{}: {what}: {cost:?} instead of {told:?}", stream.name);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_stream_that_breaks_off_is_no_success(stream in any_stream(), at in any::<prop::sample::Index>()) {
        let text = stream.text();
        let mut end = at.index(text.len().max(1));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        check(&stream, &text[..end], "cut")?;
        // An agent that was still to say its end has not succeeded.
        let said = stream.facts(&text[..end]).last.is_some();
        prop_assert!(said || stream.outcome(&text[..end]) != Outcome::Ok, "{}", stream.name);
    }

    #[test]
    fn a_line_that_is_lost_doubled_or_glued_makes_no_success(
        stream in any_stream(),
        at in any::<prop::sample::Index>(),
        log in prop::sample::select(LOGS.to_vec()),
    ) {
        prop_assume!(!stream.lines.is_empty());
        let at = at.index(stream.lines.len());
        let edited = |edit: &dyn Fn(&mut Vec<String>)| {
            let mut other = stream.clone();
            edit(&mut other.lines);
            other.text()
        };
        check(&stream, &edited(&|lines| drop(lines.remove(at))), "lost")?;
        let doubled = edited(&|lines| lines.insert(at, lines[at].clone()));
        check(&stream, &doubled, "doubled")?;
        prop_assert_eq!(stream.outcome(&doubled), stream.outcome(&stream.text()), "{}: doubled", stream.name);
        let usage = |text: &str| stream.facts(text).usage;
        prop_assert_eq!(usage(&doubled), usage(&stream.text()), "{}: counted twice", stream.name);
        let whole = stream.outcome(&stream.text());
        if at + 1 < stream.lines.len() {
            let glued = edited(&|lines| { let next = lines.remove(at + 1); lines[at].push_str(&next); });
            check(&stream, &glued, "glued")?;
            if stream.lines[at].starts_with('{') && stream.lines[at + 1].starts_with('{') {
                prop_assert_eq!(stream.outcome(&glued), whole, "{}: glued", stream.name);
                prop_assert_eq!(usage(&glued), usage(&stream.text()), "{}: glued", stream.name);
            }
        }
        let between = edited(&|lines| lines.insert(at, log.to_owned()));
        check(&stream, &between, "log between")?;
        prop_assert_eq!(stream.outcome(&between), whole, "{}: {} between", stream.name, log);
        for fault in [format!("[log_x] parsed {}", stream.lines[at]), format!("{} [log_x] done", stream.lines[at])] {
            let beside = edited(&|lines| lines[at].clone_from(&fault));
            check(&stream, &beside, "log beside")?;
            if stream.lines[at].starts_with('{') && serde_json::from_str::<Value>(&stream.lines[at]).is_ok() {
                prop_assert_eq!(stream.outcome(&beside), whole, "{}: log beside", stream.name);
            }
        }
    }

    #[test]
    fn a_field_that_is_missing_makes_no_success_of_a_failure(
        stream in any_stream(),
        at in any::<prop::sample::Index>(),
        field in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!stream.lines.is_empty());
        let at = at.index(stream.lines.len());
        let Ok(mut event) = serde_json::from_str::<Value>(&stream.lines[at]) else { return Ok(()) };
        let paths = paths(&event, "");
        prop_assume!(!paths.is_empty());
        let path = &paths[field.index(paths.len())];
        let (parent, key) = path.rsplit_once('/').unwrap();
        event.pointer_mut(parent).and_then(Value::as_object_mut).unwrap().remove(&unescaped(key));
        let mut other = stream.clone();
        other.lines[at] = event.to_string();
        let before = stream.outcome(&stream.text());
        let after = stream.outcome(&other.text());
        // What nothing but that field says is not known without it: that is no failure.
        let is_failure = !matches!(before, Outcome::Ok | Outcome::Unknown);
        prop_assert!(!is_failure || after != Outcome::Ok, "{}: without {path}: {before:?} became ok", stream.name);
        if key != "total_cost_usd" && key != "type" {
            let told = told_cost(&other.text());
            prop_assert!(stream.facts(&other.text()).usage.and_then(|usage| usage.cost_usd) >= told, "{}: {path}", stream.name);
        }
    }
}

/// JSON pointers of all members.
fn paths(value: &Value, at: &str) -> Vec<String> {
    let Some(object) = value.as_object() else { return Vec::new() };
    object
        .iter()
        .flat_map(|(key, value)| {
            let path = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            let mut all = vec![path.clone()];
            all.extend(paths(value, &path));
            all
        })
        .collect()
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}
