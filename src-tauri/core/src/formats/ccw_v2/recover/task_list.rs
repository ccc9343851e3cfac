//! Repairing a task list with faulty lines (the CCW contract §12, §16). Sound lines stay byte for
//! byte; almost JSON is corrected; unreadable ones are named, and restored from the list's `.backup` if that has the task. Nothing is
//! written here; a person agrees first.

use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw_v2::edit::task_list::{List, Listed};
use loopdeck_text::shorten;
use std::collections::BTreeSet;

/// A proposed task list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanList {
    /// One task per line, in the order of the damaged file; ends with a newline unless it is empty.
    pub text: String,
    /// How many tasks of the damaged file it keeps.
    pub kept: u32,
    /// Ids of tasks restored from the backup, each at the position of its remains.
    pub restored: Vec<String>,
    /// What is not in the proposal.
    pub lost: Vec<LostLine>,
}

/// An unreadable part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLine {
    /// 1-based.
    pub line: u32,
    /// Its text, cut to 200 characters. Untrusted text.
    pub text: String,
}

/// The list with one task on each line, corrected where it is almost JSON, without unreadable parts; `None` when that is what it is. Glued lines alone are not damage,
/// because they have their own repair. `backup`: the `tasks.jsonl.backup` next to the list.
#[must_use]
pub fn clean(bytes: &[u8], backup: Option<&[u8]>) -> Option<CleanList> {
    let list = List::read(bytes);
    if list.rest.is_empty() && list.values.iter().all(|value| value.corrected.is_none()) {
        return None;
    }
    let spare = backup.map(|bytes| (bytes, List::read(bytes)));
    let mut known: BTreeSet<&str> = list.values.iter().map(|value| value.id.as_str()).collect();
    let mut clean = CleanList { kept: saturated(list.values.len()), ..CleanList::default() };
    let as_line = |value: &'_ Listed, bytes: &'_ [u8]| match &value.corrected {
        Some(line) => line.clone(),
        None => String::from_utf8_lossy(&bytes[value.span.clone()]).into_owned(),
    };
    let mut lines: Vec<(usize, String)> =
        list.values.iter().map(|value| (value.line, as_line(value, bytes))).collect();
    for (line, range) in &list.rest {
        let rest = String::from_utf8_lossy(&bytes[range.clone()]);
        if holds_no_task(&rest) {
            continue;
        }
        let found = spare
            .as_ref()
            .map(|(spare, list)| named_in_damage(spare, list, &rest, &known))
            .unwrap_or_default();
        if found.is_empty() {
            let text = shorten(rest.trim(), 200);
            clean.lost.push(LostLine { line: saturated(line + 1), text });
        }
        for (id, value) in found {
            known.insert(id);
            clean.restored.push(id.to_owned());
            lines.push((*line, String::from_utf8_lossy(value).into_owned()));
        }
    }
    // Unreadable parts come after the values of their line: a stable sort puts restored tasks there.
    lines.sort_by_key(|(line, _)| *line);
    for (_, value) in lines {
        clean.text.push_str(&value);
        clean.text.push_str(list.newline);
    }
    Some(clean)
}

/// A comma or a line of a code fence.
fn holds_no_task(rest: &str) -> bool {
    let rest = rest.trim();
    rest.starts_with("```") || rest.chars().all(|c| c == ',')
}

/// Tasks of the backup whose ids occur in unreadable parts, and that the list does not have.
fn named_in_damage<'s>(
    bytes: &'s [u8],
    list: &'s List,
    rest: &str,
    known: &BTreeSet<&str>,
) -> Vec<(&'s str, &'s [u8])> {
    let is_named = |id: &str| !id.is_empty() && !known.contains(id) && rest.contains(&format!("\"{id}\""));
    let found = list.values.iter().filter(|value| is_named(&value.id));
    found.map(|value| (value.id.as_str(), &bytes[value.span.clone()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::ccw_v2::read::task_list;
    use crate::view::{Companion, CompanionKind};

    const A: &str = "{ \"task_id\":\"a\", \"order\":0.0, \"x\":\"\\u00e9\" }";
    const B: &str = "{\"task_id\":\"b\",\"order\":1}";
    const C: &str = "{\"task_id\":\"c\",\"order\":2}";

    #[track_caller]
    fn check(text: &str, backup: Option<&str>, expected: &str, restored: &[&str], lost: &[(u32, &str)]) {
        let clean = clean(text.as_bytes(), backup.map(str::as_bytes)).expect("a proposal");
        assert_eq!(clean.text, expected);
        assert_eq!(clean.restored, restored);
        let found: Vec<_> = clean.lost.iter().map(|lost| (lost.line, lost.text.as_str())).collect();
        assert_eq!(found, lost);
        let (mut problems, kind) = (Vec::new(), CompanionKind::TaskList);
        let file =
            Companion { kind, file: "l".to_owned(), bytes: clean.text.clone().into_bytes(), cut: false };
        assert_eq!(task_list::read(&[file], &mut problems).len(), clean.text.lines().count());
        assert_eq!(problems, [], "nothing is wrong with the proposal");
        assert_eq!(super::clean(clean.text.as_bytes(), None), None);
    }

    #[test]
    fn what_can_be_read_stays_byte_for_byte() {
        let text = format!("{A}\n{B}{C} tail\n\nnot json\n[]\n");
        let lost = [(2, "tail"), (4, "not json"), (5, "[]")];
        check(&text, None, &format!("{A}\n{B}\n{C}\n"), &[], &lost);
        check(
            &format!("{A}\r\n{{\"task_id\":\"b\","),
            None,
            &format!("{A}\r\n"),
            &[],
            &[(2, "{\"task_id\":\"b\",")],
        );
        check("nothing\n", None, "", &[], &[(1, "nothing")]);
    }

    #[test]
    fn a_torn_task_comes_back_from_the_backup_in_its_place() {
        let backup = format!("{C}\n{B}\n{A}\n");
        let torn = format!("{A}\n{{\"task_id\":\"b\",\"ord\n{C}\n");
        check(&torn, Some(&backup), &format!("{A}\n{B}\n{C}\n"), &["b"], &[]);
        // A task that was deleted since does not occur in the remains, so it stays deleted.
        check(&format!("{A}\nxx\n"), Some(&backup), &format!("{A}\n"), &[], &[(2, "xx")]);
        // Nor is a task restored twice.
        check(
            &format!("{B}\n{{\"task_id\":\"b\","),
            Some(&backup),
            &format!("{B}\n"),
            &[],
            &[(2, "{\"task_id\":\"b\",")],
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_lost_and_a_sound_list_is_left_alone() {
        let bytes = [A.as_bytes(), b"\n\xff\xfe\n", B.as_bytes(), b"\n"].concat();
        let clean = clean(&bytes, None).expect("a proposal");
        assert_eq!((clean.text, clean.kept, clean.lost[0].line), (format!("{A}\n{B}\n"), 2, 2));
        for sound in [String::new(), format!("{A}\n"), format!("\u{feff}{A}{B}\n\n{C}")] {
            assert_eq!(super::clean(sound.as_bytes(), None), None);
        }
    }
}
