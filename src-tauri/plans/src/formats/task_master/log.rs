//! What `task-master loop` notes beside the tasks: a head for each run, notes of the agents, and an end.

use crate::format::{Source, Wanted};
use crate::json::count;
use crate::plan::{Fact, FactValue, Plan};
use loopdeck_text::json_span::tree::{Node, Value};

/// The tool's default, the one that its manual names, and that of its newer relatives.
pub(super) const END: [Wanted; 3] =
    [Wanted::End("../progress.txt"), Wanted::End("../loop-progress.txt"), Wanted::End("../progress.md")];

/// Adds what the last run of this tag says.
pub(super) fn read(source: &Source<'_>, tag: &str, plan: &mut Plan) {
    let names =
        END.iter().filter_map(|wanted| if let Wanted::End(name) = wanted { Some(*name) } else { None });
    let Some(run) = names.filter_map(|name| last(source.beside(name)?)).next_back() else { return };
    let field = |key: &str| run.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value);
    if field("tag").is_some_and(|of| of != tag) {
        return;
    }
    let number = |key| count(&Node { at: 0, value: Value::Text(field(key)?.into()) });
    plan.limit = number("max iterations");
    plan.iteration = number("total iterations");
    let facts = [
        ("loop_started", field("started").map(|time| FactValue::Time(time.to_owned()))),
        ("loop_ended", field("loop complete").map(|time| FactValue::Time(time.to_owned()))),
        ("loop_preset", field("preset").and_then(FactValue::code)),
        ("loop_status", field("final status").and_then(FactValue::code)),
    ];
    plan.facts.extend(facts.into_iter().filter_map(|(name, value)| Some(Fact { name, value: value? })));
}

/// The fields of the head and the end of the last run, as written; `None` in a text without one. Notes between head and end aren't fields.
fn last(text: &str) -> Option<Vec<(String, &str)>> {
    let mut run: Option<Vec<(String, &str)>> = None;
    let mut is_field = false;
    for line in text.lines() {
        let line = line.trim();
        let content = line.trim_start_matches(['#', '-', '*', ' ']);
        if line.starts_with('#') && content == "Taskmaster Loop Progress" {
            run = Some(Vec::new());
            is_field = true;
        } else if line.starts_with('#') && content.starts_with("Loop Complete") {
            run.get_or_insert_with(Vec::new);
            is_field = true;
        } else if line == "---" {
            is_field = false;
        }
        let field = content.split_once(':').filter(|_| is_field);
        if let (Some((key, value)), Some(run)) = (field, &mut run) {
            let key = key.trim_matches(['*', ' ']).to_ascii_lowercase();
            run.push((key, value.trim_matches(['*', ' '])));
        }
    }
    run
}
