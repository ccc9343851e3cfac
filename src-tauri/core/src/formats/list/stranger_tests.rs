//! A format that nobody has, added as CONTRIBUTING says: a text file with five lines and three tasks. It is run as a list by what it
//! says here, and by nothing else.

use super::operation::ListOperation;
use super::{ListChange, ListFormat, ListItem, WorkList, text_of};
use crate::control::{Intent, Situation, Verb};
use crate::driver::Memory;
use crate::format::{FileFacts, Format};
use crate::formats::loop_format::{LoopFormat, LoopNext};
use crate::forms::Bounds;
use crate::phase::{IterationBar, Phase};
use crate::problem::{Problem, ProblemCode};
use crate::refusal::RefusalCode;
use crate::status::{FileStatus, StatusWord};
use crate::step::Operation;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind, TaskState};
use loopdeck_text::text_edit::{self, TextEdit};
use std::ops::Range;

struct Notes;

const WORDS: [(&str, FileStatus); 6] = [
    ("open", FileStatus::NotStarted),
    ("going", FileStatus::Running),
    ("waiting", FileStatus::Paused),
    ("left", FileStatus::StoppedByUser),
    ("broken", FileStatus::Failed),
    ("done", FileStatus::Completed),
];

/// The bytes of a line's value.
fn value(text: &str, line: usize, name: &str) -> Option<Range<usize>> {
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let value = text[start..].lines().next()?.strip_prefix(name)?;
    Some(start + name.len()..start + name.len() + value.len())
}

impl ListFormat for Notes {
    fn format(&self) -> Format {
        Format::Unknown
    }

    fn read<'b>(&self, bytes: &'b [u8]) -> Result<WorkList<'b>, Problem> {
        let text = text_of(bytes)?;
        let missing = |name: &str| Problem::new(ProblemCode::E4_unknown_status, name);
        let word_at = value(text, 0, "state: ").ok_or_else(|| missing("state"))?;
        let rounds = value(text, 1, "round: ").ok_or_else(|| missing("round"))?;
        let (at, of) = text[rounds].split_once(" of ").ok_or_else(|| missing("round"))?;
        let word = &text[word_at.clone()];
        let known = WORDS.iter().find(|(known, _)| *known == word);
        let task = |line: &'b str| {
            let (sign, text) = line.split_once(' ')?;
            matches!(sign, "+" | "-").then_some(ListItem { text, is_done: sign == "+" })
        };
        Ok(WorkList {
            link: None,
            text,
            title: None,
            word,
            status: known.map_or(FileStatus::Unknown, |(_, status)| *status),
            word_at,
            has_control: true,
            iteration: at.parse().unwrap_or(0),
            limit: of.parse().unwrap_or(0),
            items: text.lines().skip(2).filter_map(task).collect(),
            unclear: Vec::new(),
            problems: Vec::new(),
        })
    }

    fn edits(&self, list: &WorkList<'_>, change: ListChange) -> Vec<TextEdit> {
        let word = WORDS.iter().find(|(_, status)| Some(*status) == change.status);
        let word = word.map(|(word, _)| TextEdit::replace(list.word_at.clone(), *word));
        let (at, of) = (change.iteration.unwrap_or(list.iteration), change.limit.unwrap_or(list.limit));
        let rounds = value(list.text, 1, "round: ")
            .filter(|_| (at, of) != (list.iteration, list.limit))
            .map(|place| TextEdit::replace(place, format!("{at} of {of}")));
        word.into_iter().chain(rounds).collect()
    }

    fn iterations(&self) -> Bounds {
        Bounds { least: 1, most: 50 }
    }

    fn file(&self, stem: &str) -> String {
        format!("notes/{stem}.txt")
    }

    fn prompt_file(&self) -> &'static str {
        "how.txt"
    }
}

const TEXT: &str = "state: going\nround: 2 of 9\n+ Look\n- Mend it\n- Try it\n";
const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const FACTS: FileFacts<'_> = FileFacts { stem: "shop", modified: NOW, now: NOW };

fn at(shown: StatusWord) -> Situation {
    Situation { shown, now: NOW }
}

fn applied(text: &str, edits: &[TextEdit]) -> String {
    String::from_utf8(text_edit::apply(text.as_bytes(), edits).unwrap()).unwrap()
}

#[test]
fn it_has_a_row_and_a_page() {
    let summary = Notes.summary((TEXT.as_bytes(), &FACTS)).unwrap();
    assert_eq!((summary.status, summary.status_word.as_str()), (FileStatus::Running, "going"));
    assert_eq!(summary.phase, Some(Phase::Todo { done: 1, total: 3 }));
    assert_eq!(summary.iteration, Some(IterationBar { current: 2.0, limit: 9.0 }));
    let detail = Notes.detail((TEXT.as_bytes(), &FACTS), &at(StatusWord::Interrupted), &[]);
    let tasks: Vec<_> = detail.tasks.iter().map(|task| (task.description.as_str(), task.state)).collect();
    let expected =
        [("Look", TaskState::Completed), ("Mend it", TaskState::Pending), ("Try it", TaskState::Pending)];
    assert_eq!(tasks, expected);
}

#[test]
fn its_verbs_change_a_word_and_no_other_byte() {
    let edit = |text: &str, intent: &Intent, shown| {
        let edits = Notes.edit((text.as_bytes(), &FACTS), intent, &at(shown));
        edits.map(|edits| applied(text, &edits)).map_err(|refusal| refusal.code)
    };
    let paused = TEXT.replace("going", "waiting");
    assert_eq!(edit(TEXT, &Intent::Pause, StatusWord::Interrupted), Ok(paused.clone()));
    assert_eq!(edit(TEXT, &Intent::Start, StatusWord::Running), Err(RefusalCode::AlreadyRunning));
    let resume = Intent::Resume { raise_limit_to: Some(12) };
    let resumed = TEXT.replace("of 9", "of 12");
    assert_eq!(edit(&paused, &resume, StatusWord::Paused), Ok(resumed));
    let summary = Notes.summary((paused.as_bytes(), &FACTS)).unwrap();
    assert_eq!(Notes.refuse(&summary, Verb::Resume, &at(StatusWord::Paused)), None);
}

#[test]
fn it_is_run_until_its_tasks_are_done() {
    let prompt = Companion {
        kind: CompanionKind::Prompt,
        file: "how.txt".into(),
        bytes: b"Do it.".to_vec(),
        cut: false,
    };
    let next = |text: &str| {
        let driver = LoopFormat::driver(&Notes);
        driver.step((text.as_bytes(), &FACTS), &Memory::default(), Some(std::slice::from_ref(&prompt))).next
    };
    match next(TEXT) {
        LoopNext::Agent { task, .. } => assert!(task.prompt.contains("notes/shop.txt"), "{}", task.prompt),
        next => panic!("{next:?}"),
    }
    let done = TEXT.replace("- ", "+ ");
    let complete = Operation::List { step: ListOperation::Complete };
    assert_eq!(next(&done), LoopNext::Write(complete.clone()));
    let changes = Notes.operate((done.as_bytes(), &FACTS), &complete, &at(StatusWord::Running), &[]).unwrap();
    assert_eq!(applied(&done, &changes.edits), done.replace("going", "done"));
}
