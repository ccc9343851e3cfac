//! Files as anyone may have written them: layouts, spellings, unknown members.

use crate::ccw_edits::{B, TIME, V2};
use loopdeck_text::json_span::tree::quote;
use proptest::prelude::*;

/// How a file is laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    indent: &'static str,
    newline: &'static str,
    colon: &'static str,
    bom: bool,
    ends: bool,
}

pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
    let indents = prop::sample::select(vec!["", "  ", "    ", "\t"]);
    let colons = prop::sample::select(vec![":", ": ", " :  "]);
    let breaks = prop::sample::select(vec!["\n", "\r\n"]);
    (indents, colons, breaks, any::<bool>(), any::<bool>()).prop_map(|(indent, colon, newline, bom, ends)| {
        Layout { indent, newline: if indent.is_empty() { "" } else { newline }, colon, bom, ends }
    })
}

/// JSON with the spelling of its scalars.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Raw(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub(crate) fn text(text: &str) -> Self {
        Self::Raw(quote(text))
    }

    /// An object of members in the given spelling.
    pub(crate) fn object(members: Vec<(&str, Tree)>) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The same with foreign members in between.
    fn with(mut self, foreign: &[(String, String)]) -> Self {
        if let Self::Object(members) = &mut self {
            for (index, (key, raw)) in foreign.iter().enumerate() {
                let place = (index * 2 + raw.len()) % (members.len() + 1);
                members.insert(place, (format!("{key}{index}x"), Self::Raw(raw.clone())));
            }
        }
        self
    }

    /// A whole file.
    pub(crate) fn file(&self, layout: &Layout) -> Vec<u8> {
        let mut text = String::from(if layout.bom { "\u{feff}" } else { "" });
        self.write(layout, 0, &mut text);
        if layout.ends {
            text.push('\n');
        }
        text.into_bytes()
    }

    fn write(&self, layout: &Layout, depth: usize, text: &mut String) {
        let (open, close, count) = match self {
            Self::Raw(raw) => return text.push_str(raw),
            Self::List(items) => ('[', ']', items.len()),
            Self::Object(members) => ('{', '}', members.len()),
        };
        let line = |depth: usize| format!("{}{}", layout.newline, layout.indent.repeat(depth));
        text.push(open);
        for index in 0..count {
            text.push_str(if index > 0 { "," } else { "" });
            text.push_str(&line(depth + 1));
            match self {
                Self::List(items) => items[index].write(layout, depth + 1, text),
                Self::Object(members) => {
                    text.push_str(&quote(&members[index].0));
                    text.push_str(layout.colon);
                    members[index].1.write(layout, depth + 1, text);
                }
                Self::Raw(_) => {}
            }
        }
        if count > 0 {
            text.push_str(&line(depth));
        }
        text.push(close);
    }
}

/// Foreign members: names, and values in spellings that a rewrite would lose.
pub(crate) fn foreign() -> impl Strategy<Value = Vec<(String, String)>> {
    let spellings = [
        "50.0",
        "1E+3",
        "-0",
        "123456789012345678901234567890",
        "\"\\u00e9\\/\"",
        "\"\\ud83d\\ude00\"",
        "null",
        "[]",
        "[1, 2 ,3]",
        "{ \"id\": \"x\", \"status\":\"in_progress\" }",
        "\"}{,:\"",
    ];
    let value = prop_oneof![
        prop::sample::select(spellings.map(str::to_owned).to_vec()),
        any::<String>().prop_map(|text| quote(&text)),
    ];
    prop::collection::vec(("[a-z]{1,3}", value), 0..4)
}

/// A loop file being built.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) layout: Layout,
    /// Unknown members, for every object of the file.
    pub(crate) foreign: Vec<(String, String)>,
    /// Status of each task; their ids are `t0`, `t1`, …
    pub(crate) tasks: Vec<&'static str>,
}

/// Files with one to five tasks, the first of them open.
pub(crate) fn drafts() -> impl Strategy<Value = Draft> {
    let words = prop::sample::select(vec!["pending", "in_progress", "completed", "failed"]);
    (
        layouts(),
        foreign(),
        prop::sample::select(vec!["pending", "in_progress"]),
        prop::collection::vec(words, 0..4),
    )
        .prop_map(|(layout, foreign, first, rest)| Draft {
            layout,
            foreign,
            tasks: [first].into_iter().chain(rest).collect(),
        })
}

/// The same file every time.
pub(crate) fn sample() -> Draft {
    let layout = Layout { indent: "  ", newline: "\n", colon: ": ", bom: false, ends: true };
    Draft { layout, foreign: vec![], tasks: vec!["pending"] }
}

impl Draft {
    /// `status`, and any other members at the top.
    pub(crate) fn v2(&self, status: &str, more: Vec<(&str, Tree)>) -> Vec<u8> {
        let tasks = self.list();
        let (total, done) =
            (self.tasks.len(), self.tasks.iter().filter(|word| **word == "completed").count());
        let develop = Tree::object(vec![
            ("total", Tree::Raw(total.to_string())),
            ("completed", Tree::Raw(done.to_string())),
            ("current_task", Tree::Raw("null".into())),
            ("tasks", tasks),
        ]);
        let known = Tree::object(vec![
            ("id", Tree::text("H1")),
            ("description", Tree::text("d")),
            ("status", Tree::text("pending")),
        ]);
        let debug = Tree::object(vec![
            ("hypotheses_count", Tree::Raw("1".into())),
            ("hypotheses", Tree::List(vec![known.with(&self.foreign)])),
        ]);
        let validate = Tree::object(vec![("test_results", Tree::List(vec![]))]);
        let skill = Tree::object(vec![
            ("completed_actions", Tree::List(vec![Tree::text("INIT")])),
            ("develop", develop.with(&self.foreign)),
            ("debug", debug.with(&self.foreign)),
            ("validate", validate.with(&self.foreign)),
        ]);
        self.master(V2, status, more, skill)
    }

    /// A Loop-B in the phase `develop`.
    pub(crate) fn b(&self, mode: &str) -> Vec<u8> {
        let done = Tree::object(vec![("id", Tree::text("old")), ("status", Tree::text("completed"))]);
        let skill = Tree::object(vec![
            ("phase", Tree::text("develop")),
            ("action_index", Tree::Raw("1".into())),
            ("workers_completed", Tree::List(vec![Tree::text("init")])),
            ("parallel_results", Tree::Raw("null".into())),
            ("pending_tasks", self.list()),
            ("completed_tasks", Tree::List(vec![done.with(&self.foreign)])),
        ]);
        self.master(B, "running", vec![("mode", Tree::text(mode))], skill)
    }

    fn master(&self, stem: &str, status: &str, more: Vec<(&str, Tree)>, skill: Tree) -> Vec<u8> {
        let mut members = vec![
            ("loop_id", Tree::text(stem)),
            ("title", Tree::text("T")),
            ("description", Tree::text("D")),
            ("max_iterations", Tree::Raw("10".into())),
            ("status", Tree::text(status)),
            ("current_iteration", Tree::Raw("1".into())),
            ("created_at", Tree::text(TIME)),
            ("updated_at", Tree::text(TIME)),
        ];
        members.extend(more);
        members.push(("skill_state", skill.with(&self.foreign)));
        Tree::object(members).with(&self.foreign).file(&self.layout)
    }

    fn list(&self) -> Tree {
        let task = |(index, word): (usize, &&str)| {
            let id = format!("t{index}");
            let members =
                vec![("id", Tree::text(&id)), ("description", Tree::text("d")), ("status", Tree::text(word))];
            Tree::object(members).with(&self.foreign)
        };
        Tree::List(self.tasks.iter().enumerate().map(task).collect())
    }
}
