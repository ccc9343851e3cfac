//! What a task waits for, in the words of its own lines.

use super::ids;
use std::collections::{HashMap, HashSet};

/// What says that the ids behind it come before, wherever they stand.
const CERTAIN: [&str; 14] = [
    "depends on",
    "depend on",
    "depends upon",
    "dependent on",
    "depends:",
    "dependencies:",
    "dependencies**:",
    "dependency:",
    "deps:",
    "blocked by",
    "依賴",
    "依赖",
    "依存",
    "前置",
];
/// What says it of a task that stands before: a test that fails until after a later task is done doesn't wait for that.
const LIKELY: [&str; 4] = ["after ", "requires ", "after task ", "after tasks "];
/// How far behind its words the first id may be.
const NEAR: usize = 60;
/// How much of a sentence is read, how many ranges of a task, and how long one may be: a longer one is a slip.
const MOST: (usize, usize, usize) = (2000, 20, 200);

/// Ids and first places of the tasks of a file, by [`ids::unspelled`].
pub(super) type Known = HashMap<String, (String, usize)>;

/// Ids that the task at this place waits for, as the file spells them.
pub(super) fn read(text: &str, at: usize, known: &Known) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let places = |words: &[&str]| {
        let found = words.iter().flat_map(|word| lower.match_indices(*word));
        let found = found
            .filter(|(start, _)| !lower[..*start].ends_with(|letter: char| letter.is_ascii_alphanumeric()));
        found.map(|(start, word)| (start + word.len(), words.len() > LIKELY.len())).collect::<Vec<_>>()
    };
    let mut clauses = [places(&CERTAIN), places(&LIKELY)].concat();
    clauses.sort_unstable();
    let (mut told, mut found, mut ranges) = (HashSet::new(), Vec::new(), MOST.1);
    for (start, is_certain) in clauses {
        let clause = text[start..].trim_start_matches([' ', '*', '`', ':', '：']);
        for id in ids_in(clause, if is_certain { NEAR } else { 0 }, known, &mut ranges) {
            let (id, place) = known.get(&ids::unspelled(&id)).cloned().unwrap_or((id, usize::MAX));
            if (is_certain || place < at) && told.insert(id.clone()) {
                found.push(id);
            }
        }
    }
    found
}

/// The places of a text up to the end of its sentence, line or brackets.
fn sentence(text: &str) -> impl Iterator<Item = usize> {
    let (mut depth, mut before) = (0_usize, ' ');
    let inside = text.char_indices().take(MOST.0).take_while(move |(_, letter)| {
        let closes = matches!(letter, ')' | ']');
        let ends =
            before == '.' && letter.is_whitespace() || "\n;|。；".contains(*letter) || closes && depth == 0;
        depth =
            if closes { depth.saturating_sub(1) } else { depth + usize::from(matches!(letter, '(' | '[')) };
        before = *letter;
        !ends
    });
    inside.map(|(at, _)| at)
}

/// The ids at the start of a sentence, ranges taken apart; the numbers between count where a task has them.
fn ids_in(text: &str, near: usize, known: &Known, ranges: &mut usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut behind = 0;
    for at in sentence(text) {
        if at < behind || text[..at].ends_with(char::is_alphanumeric) {
            continue;
        }
        if found.is_empty() && at > near {
            break;
        }
        let between = text[behind..at].trim_matches([' ', '*', '`']);
        let first = found.last().filter(|_| is_range(between)).cloned();
        let whole = ids::plain(&text[at..]).map(|(_, length)| (text[at..at + length].to_owned(), length));
        let Some((id, length)) = whole.or_else(|| shortened(first.as_deref()?, &text[at..])) else {
            continue;
        };
        if !found.is_empty() && !joins(between) {
            break;
        }
        if let Some(first) = first.filter(|_| *ranges > 0) {
            *ranges -= 1;
            found.extend(between_ids(&first, &id).filter(|id| known.contains_key(&ids::unspelled(id))));
        }
        found.push(id);
        behind = at + length;
    }
    found
}

/// The end of a range that is only a number, as in `T024-26`, with its length.
fn shortened(first: &str, text: &str) -> Option<(String, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, _) = ids::plain(first)?;
    (digits > 0).then(|| ([&first[..number], &text[..digits]].concat(), digits))
}

/// The ids between two of a range.
fn between_ids(first: &str, last: &str) -> impl Iterator<Item = String> {
    let number =
        |id: &str| ids::plain(id).and_then(|(number, _)| Some((number, id[number..].parse::<usize>().ok()?)));
    let (start, from) = number(first).unwrap_or_default();
    let to = number(last).map_or(0, |(_, to)| to).max(from);
    let (head, width) = (first[..start].to_owned(), first.len() - start);
    let count = if to - from > MOST.2 { 0 } else { to - from };
    (1..count).map(move |more| format!("{head}{number:0width$}", number = from + more))
}

fn is_range(between: &str) -> bool {
    matches!(between, "-" | "–" | "—" | ".." | "..." | "…" | "~" | "～" | "〜" | "to" | "through" | "thru")
}

/// Whether the words between two ids make a list of them.
fn joins(between: &str) -> bool {
    let last = between.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_word = matches!(last, "" | "and" | "or" | "plus" | "task" | "tasks" | "und" | "y" | "e");
    is_word
        || is_range(between)
        || between.ends_with([',', '/', '&', '+', '、', '，', '及', '和', '與', '与', 'と'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(ids: &[&str]) -> Known {
        let place = |(at, id): (usize, &&str)| (ids::unspelled(id), ((*id).to_owned(), at));
        ids.iter().enumerate().map(place).collect()
    }

    #[test]
    fn dependencies_are_written_in_many_ways() {
        let known = known(&[
            "T001", "T002", "T003", "T004", "T006", "T-7", "T-8", "I1-T1", "T012", "T013", "T24", "T25",
            "T26",
        ]);
        for (text, expected) in [
            ("Do it (depends on T012, T013)", vec!["T012", "T013"]),
            ("Do it (Depends on T001-T004 and T009)", vec!["T001", "T002", "T003", "T004", "T009"]),
            ("Do it (depends on T003 through T006, same file)", vec!["T003", "T004", "T006"]),
            ("Do it | deps: T-7, T-8", vec!["T-7", "T-8"]),
            ("Do it | deps: none", vec![]),
            ("(Trace: X; Depends on: I1-T1; Owner: T012)", vec!["I1-T1"]),
            ("Do it\n- **Depends on**: T-7", vec!["T-7"]),
            ("Do it\n**Dependencies**: T001 (routes), **T002**", vec!["T001", "T002"]),
            ("Do it [deps: T006] [owner: T001]", vec!["T006"]),
            ("Do it. Depends on T003 (US5's width). Delivers T004.", vec!["T003"]),
            ("Do it (depends on the models from T012/T013)", vec!["T012", "T013"]),
            ("Depends on T001 and must land before T002", vec!["T001"]),
            ("Depends on lists (T24-26) being ready", vec!["T24", "T25", "T26"]),
            ("After T002, add data", vec!["T002"]),
            ("Run it after T012–T013 exist", vec!["T012", "T013"]),
            ("Fails until after T999", vec![]),
            ("實作（依賴 T001、T002）", vec!["T001", "T002"]),
            ("Set up dependency injection as in T001", vec![]),
            ("An independent T001, depends on Tests", vec![]),
            ("Deploy T012 again", vec![]),
            ("Blocked by T004", vec!["T004"]),
            ("Depends on T001-T003, T24-T26", vec!["T001", "T002", "T003", "T24", "T25", "T26"]),
            ("Depends on T-012 and T2", vec!["T012", "T002"]),
        ] {
            assert_eq!(read(text, 50, &known), expected, "{text}");
        }
        assert_eq!(read("Green after T006", 2, &known), [""; 0]);
    }

    #[test]
    fn ranges_end() {
        let text = "depends on T1-T4000000000, T1-T99999999999999999999, T5-T2";
        let ids = ["T1", "T4000000000", "T99999999999999999999", "T5", "T2"];
        assert_eq!(read(text, 0, &known(&[])), ids);
    }
}
