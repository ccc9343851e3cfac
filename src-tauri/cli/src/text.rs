//! Words for people who read the output: English, from a catalogue, with nothing that a terminal would
//! execute.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use loopdeck_core::control::Notice;
use loopdeck_core::problem::Problem;
use loopdeck_core::times::{Timestamp, to_iso_millis};
use loopdeck_core::view::ClaimCounts;
use loopdeck_runtime::views::{LoopRow, RequestState};
use serde::Serialize;

/// All sections except `headless`, which is ours, come from the page's English catalogue; a test keeps them
/// equal.
type Catalogue = BTreeMap<String, BTreeMap<String, String>>;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../words/en.json")).unwrap_or_default() // tested below
});

/// The sentence of `section.code` with its values filled in; of two values with one name, the first counts.
pub(super) fn sentence<'a>(
    section: &str,
    code: &str,
    args: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let known = CATALOGUE.get(section).and_then(|words| words.get(code));
    let mut args: Vec<(&str, &str)> = args.into_iter().collect();
    args.reverse();
    fill(known.map_or(code, String::as_str), &args.into_iter().collect())
}

/// Values are filled in once: braces inside a value stay unchanged.
fn fill(pattern: &str, values: &BTreeMap<&str, &str>) -> String {
    let mut filled = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, left) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(before);
        filled.push_str(values.get(name).copied().unwrap_or("?"));
        rest = left;
    }
    filled + rest
}

/// Like [`sentence`], in the form for one where `count` is 1 and the words have it.
pub(super) fn counted<'a>(
    section: &str,
    code: &str,
    args: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let args: Vec<_> = args.into_iter().collect();
    let one = format!("{code}_one");
    let has_one = args.contains(&("count", "1")) && has(section, &one);
    sentence(section, if has_one { &one } else { code }, args)
}

/// Whether the words have this sentence.
pub(super) fn has(section: &str, code: &str) -> bool {
    CATALOGUE.get(section).is_some_and(|words| words.contains_key(code))
}

/// Whether there is such a sentence that needs no other values than these.
pub(super) fn needs_only(section: &str, code: &str, values: &[&str]) -> bool {
    let sentence = CATALOGUE.get(section).and_then(|words| words.get(code));
    let of = |words: &String| {
        let mut slots = words.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        slots.all(|slot| values.contains(&slot))
    };
    sentence.is_some_and(of)
}

/// Named values as pairs.
pub(super) fn pairs(args: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    args.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}

/// The stable name of a code, verb or status.
pub(super) fn name(code: impl Serialize) -> String {
    let value = serde_json::to_value(code).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The shown status in words.
pub(super) fn status(row: &LoopRow) -> String {
    let word = sentence("status", &name(row.word), [("word", row.file_word.as_str())]);
    match row.runner {
        Some(runner) => format!("{word} · {}", sentence("runner", runner.program.name(), [])),
        None => word,
    }
}

/// How much is called done, and how much of it is proven.
pub(super) fn claims(counts: ClaimCounts) -> String {
    let [claimed, proven] = [counts.claimed, counts.proven].map(|count| count.to_string());
    sentence("headless", "show_claims", [("claimed", &*claimed), ("proven", &*proven)])
}

/// That another tool overrode the last request, when, and what applies now.
#[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
pub(super) fn overruled(row: &LoopRow) -> Option<String> {
    let request = row.request.as_ref().filter(|request| request.state == RequestState::Overruled)?;
    let time = to_iso_millis(Timestamp::from_millis(request.overruled_at.unwrap_or(request.at) as i64));
    let (verb, shown) = (name(request.verb), status(row));
    let args = [("verb", &*verb), ("time", &time), ("shown", &shown)];
    Some(plain(&sentence("headless", "overruled", args)))
}

/// The sentence of a problem.
pub(super) fn problem(problem: &Problem) -> String {
    sentence("problem", problem.code.name(), pairs(&problem.args))
}

/// What a verb changed because of the file's layout.
pub(super) fn notice(notice: &Notice) -> String {
    plain(&sentence("notice", &name(notice.code), pairs(&notice.args)))
}

/// One line for a problem, as compilers write it: `file:line: severity code: sentence`.
pub(super) fn problem_line(file: &str, found: &Problem) -> String {
    let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
    let path = if found.path.is_empty() { String::new() } else { format!(" [{}]", found.path) };
    let severity = name(found.severity);
    plain(&format!("{file}{line}: {severity} {}: {}{path}", found.code.name(), problem(found)))
}

/// `loopdeck WORD DIR ID`, as it can be typed into a shell.
pub(super) fn command(word: &str, dir: &Path, id: &str) -> String {
    let words = ["loopdeck", word, &dir.to_string_lossy(), id].map(str::to_owned);
    loopdeck_results::detect::quoted_line(&words)
}

/// A problem with its line and what a person can do about it: `file:line: sentence what to do`.
pub(super) fn to_do(file: &str, found: &Problem) -> String {
    let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
    let hint = sentence("hint", found.code.name(), pairs(&found.args));
    plain(&format!("{file}{line}: {} {hint}", problem(found)))
}

/// Text from a file with its control characters made visible: a title must not move the cursor or set colours.
pub(super) fn plain(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::problem::{ProblemCode, Severity};
    use serde_json::{Value, json};
    use std::{env, fs};

    #[test]
    fn values_are_put_in_once_and_controls_are_made_visible() {
        let values = BTreeMap::from([("a", "{b}"), ("b", "2")]);
        assert_eq!(fill("{a} and {b}, {c}.", &values), "{b} and 2, ?.");
        assert_eq!(plain("a\u{1b}[31m\nb\u{202e}é"), "a\\u{1b}[31m\\nb\\u{202e}é");
    }

    #[test]
    fn every_problem_has_a_sentence() {
        for code in ProblemCode::ALL {
            assert_ne!(sentence("problem", code.name(), []), code.name());
        }
    }

    /// The messages of a section in a catalogue of the page, without notes; for a problem its sentence,
    /// without the hint; of one that counts both forms.
    fn section(file: &Value, name: &str) -> Value {
        let messages = file[name].as_object().expect("a section").iter();
        let sentence = |message: &Value| message.get(0).or(message.get("other")).unwrap_or(message).clone();
        let messages = messages.filter(|(key, _)| !key.starts_with("_note"));
        let forms = messages.flat_map(|(key, message)| {
            let one = message.get("one").map(|one| (format!("{key}_one"), one.clone()));
            one.into_iter().chain([(key.clone(), sentence(message))])
        });
        Value::Object(forms.collect())
    }

    /// What to do about each error.
    fn hints(problems: &Value) -> Value {
        let errors = ProblemCode::ALL.iter().filter(|code| code.severity() == Severity::Error);
        let hint = |code: &ProblemCode| (code.name().to_owned(), problems["problem"][code.name()][1].clone());
        Value::Object(errors.map(hint).collect())
    }

    #[test]
    fn sentences_are_those_of_the_window() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let read = |file: &str| -> Value {
            let text = fs::read(here.join("../../ui/src/words/en").join(file)).expect(file);
            serde_json::from_slice(&text).expect(file)
        };
        let (problems, controls) = (read("problems.json"), read("controls.json"));
        let (team, tasks) = (read("team.json"), read("tasks.json"));
        let (status, effects, needs) = (read("status.json"), read("effects.json"), read("needs.json"));
        let own = here.join("words/en.json");
        let committed: Value = serde_json::from_slice(&fs::read(&own).expect("catalogue")).expect("JSON");
        let fresh = json!({
            "problem": section(&problems, "problem"),
            "hint": hints(&problems),
            "refusal": section(&controls, "refusal"),
            "notice": section(&controls, "notice"),
            "failure": section(&controls, "failure"),
            "need_failed": section(&needs, "needFailed"),
            "need_limit": section(&needs, "needLimit"),
            "need_question": section(&needs, "needQuestion"),
            "need_says": section(&needs, "needSays"),
            "run_refused": section(&team, "run_refused"),
            "status": section(&status, "status"),
            "runner": section(&status, "runner"),
            "weakening": section(&tasks, "weakening"),
            "redirect_effect": section(&effects, "redirectEffect"),
            "redirect_row": section(&effects, "redirectRow"),
            "headless": committed["headless"],
        });
        if env::var_os("UPDATE_WORDS").is_some() {
            fs::write(&own, format!("{fresh:#}\n")).expect("written");
        }
        assert!(committed == fresh, "stale; run: UPDATE_WORDS=1 cargo test -p loopdeck-cli sentences_are");
    }
}
