//! The task list next to a loop: JSON objects, one on each line or what became of that, in either location
//! (the CCW contract §12).

use crate::formats::ccw::read::clock::Clock;
use crate::formats::ccw::read::facts::{optional, text};
use crate::problem::{Problem, ProblemCode};
use crate::times;
use crate::view::{Companion, CompanionKind, ErrorPolicy, ListedTask, TaskMode};
use loopdeck_text::almost_json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::{BTreeMap, VecDeque};

const MOST_BAD_LINES: usize = 20;

/// The union of all task lists, by `order`, then file position. Adds problems to `problems`.
pub(crate) fn read(companions: &[Companion], problems: &mut Vec<Problem>) -> Vec<ListedTask> {
    let files: Vec<_> = companions.iter().filter(|file| file.kind == CompanionKind::TaskList).collect();
    if files.len() > 1 {
        problems.push(Problem::new(ProblemCode::W10_two_task_files, shorten(&files[1].file, 200)));
    }
    let mut tasks: Vec<ListedTask> = Vec::new();
    for file in files {
        let mut beside = places(&tasks, &file.file);
        for task in lines(file, problems) {
            let known = beside.get_mut(&task.id);
            match known.and_then(|places| Some((*places.front()?, places))) {
                Some((index, places)) if is_newer(&task, &tasks[index]) => {
                    places.pop_front();
                    tasks[index] = task;
                }
                Some(_) => {}
                None => tasks.push(task),
            }
        }
    }
    tasks.sort_by(|left, right| {
        let order = |task: &ListedTask| task.order.unwrap_or(f64::MAX);
        order(left).total_cmp(&order(right))
    });
    tasks
}

/// Indices of the tasks of files other than `file`, by id; those without an id are never the same.
fn places(tasks: &[ListedTask], file: &str) -> BTreeMap<String, VecDeque<usize>> {
    let mut places: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate().filter(|(_, task)| !task.id.is_empty() && task.file != file)
    {
        places.entry(task.id.clone()).or_default().push_back(index);
    }
    places
}

fn is_newer(left: &ListedTask, right: &ListedTask) -> bool {
    let time = |task: &ListedTask| task.updated.as_ref().and_then(|time| times::parse(&time.text));
    time(left) > time(right)
}

fn lines(file: &Companion, problems: &mut Vec<Problem>) -> Vec<ListedTask> {
    let mut tasks = Vec::new();
    let text = almost_json::same_places(&file.bytes);
    // The faults of each line: a bad one says more than several on one line.
    let mut found: BTreeMap<u32, (Option<String>, u32)> = BTreeMap::new();
    for record in almost_json::records(&text) {
        let bad = match &record.object {
            Some(object) => {
                tasks.push(task(&object.node(), &file.file));
                found.entry(record.line).or_default().1 += 1;
                let lost = object.lost.first().map(|lost| (lost.line, lost.kind));
                let fault = object.corrections.first().map(|fault| (fault.line, fault.kind));
                lost.or(fault).map(|(line, kind)| (line, kind.reason().to_owned()))
            }
            None => Some((record.line, text[record.span.clone()].replace('\0', "\u{fffd}"))),
        };
        if let Some((line, reason)) = bad {
            found.entry(line).or_default().0.get_or_insert(reason);
        }
    }
    let faults = found.into_iter().filter_map(|(line, (bad, values))| match bad {
        Some(found) => Some((line, ProblemCode::W10_bad_line, found)),
        None => (values > 1).then(|| (line, ProblemCode::W10_glued_lines, values.to_string())),
    });
    problems.extend(faults.take(MOST_BAD_LINES).map(|(line, code, found)| {
        Problem::new(code, shorten(&file.file, 200)).at_line(line).with("found", shorten(&found, 80))
    }));
    tasks
}

/// The server writes the list, so its times are correct (§15).
fn task(node: &Node<'_>, file: &str) -> ListedTask {
    let (mode, on_error) = (text(node, "mode"), optional(node, "on_error"));
    ListedTask {
        id: text(node, "task_id"),
        description: text(node, "description"),
        tool: text(node, "tool"),
        known_mode: TaskMode::from_word(&mode),
        mode,
        prompt_template: text(node, "prompt_template"),
        order: node.get("order").lenient_number(),
        command: optional(node, "command"),
        known_on_error: on_error.as_deref().and_then(ErrorPolicy::from_word),
        on_error,
        created: node.get("created_at").text().map(Clock::server),
        updated: node.get("updated_at").text().map(Clock::server),
        file: file.to_owned(),
        taken: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> Companion {
        Companion {
            kind: CompanionKind::TaskList,
            file: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
            cut: false,
        }
    }

    fn check(files: &[Companion], ids: &[&str], codes: &[ProblemCode]) -> Vec<ListedTask> {
        let mut problems = Vec::new();
        let tasks = read(files, &mut problems);
        assert_eq!(tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ids);
        assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), codes);
        tasks
    }

    #[test]
    fn glued_lines_give_all_tasks_and_a_bad_rest_is_reported() {
        let text = "{\"task_id\":\"b\",\"order\":1}{\"task_id\":\"a\",\"order\":0}\r\n\n{\"task_id\":\"c\"} tail\nnot json\n{\"task_id\":\"d\",\"order\":2}";
        check(
            &[file("l.tasks.jsonl", text)],
            &["a", "b", "d", "c"],
            &[ProblemCode::W10_glued_lines, ProblemCode::W10_bad_line, ProblemCode::W10_bad_line],
        );
    }

    #[test]
    fn of_two_files_the_later_change_of_a_task_counts() {
        let old = "{\"task_id\":\"a\",\"description\":\"old\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n{\"task_id\":\"x\"}\n";
        let new = "{\"task_id\":\"a\",\"description\":\"new\",\"updated_at\":\"2026-01-02T00:00:00Z\"}\n";
        for files in [[file("1", old), file("2", new)], [file("1", new), file("2", old)]] {
            let mut tasks = read(&files, &mut Vec::new());
            tasks.sort_by(|left, right| left.id.cmp(&right.id));
            assert_eq!(tasks[0].description, "new");
            assert_eq!(tasks.len(), 2);
        }
        check(&[file("1", old), file("2", "")], &["a", "x"], &[ProblemCode::W10_two_task_files]);
    }

    #[test]
    fn words_that_the_format_defines_are_known_beside_what_is_written() {
        let text = "{\"task_id\":\"a\",\"mode\":\"Write\",\"on_error\":\"fail_fast\"}\n{\"task_id\":\"b\",\"mode\":\"moon\",\"on_error\":\"retry\"}\n";
        let tasks = check(&[file("1", text)], &["a", "b"], &[]);
        let said = |task: &ListedTask| (task.known_mode, task.known_on_error);
        assert_eq!(said(&tasks[0]), (Some(TaskMode::Write), Some(ErrorPolicy::FailFast)));
        assert_eq!((said(&tasks[1]), tasks[1].mode.as_str()), ((None, None), "moon"));
    }

    #[test]
    fn bytes_that_are_no_text_are_one_bad_line() {
        let mut bad = file("1", "{\"task_id\":\"a\"}\n");
        bad.bytes.extend(b"\xff\xfe\n[]\n");
        check(&[bad], &["a"], &[ProblemCode::W10_bad_line, ProblemCode::W10_bad_line]);
    }
}
