//! Reading a command's arguments.

use std::ffi::OsStr;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt as _};
use loopdeck_core::recovery::Supplied;
use loopdeck_runtime::rows::{LoopChange, VerbOptions};

use super::code::known;
use super::edit::EditOptions;
use super::help;
use super::kind::{COMMANDS, Kind};
use super::new::NewOptions;
use super::recover;
use super::redirect::{Redirect, Wanted};
use super::run::RunOptions;
use super::{Asked, Command, Task};
use crate::args::Request;

/// What stands behind the command and DIR.
#[derive(Debug, Default)]
struct Given {
    words: Vec<String>,
    verb: VerbOptions,
    redirect: Redirect,
    write: bool,
    way: Option<String>,
    supplied: Supplied,
    change: Option<String>,
    new: NewOptions,
    run: RunOptions,
    edit: EditOptions,
}

impl Given {
    /// Reads the value of an option that `kind` takes.
    fn take(&mut self, kind: Kind, option: &str, parser: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
        if matches!(kind, Kind::New | Kind::Run) && self.run.plan.take(option, parser)? {
            return Ok(());
        }
        match (kind, option) {
            (Kind::Redirect, _) => self.redirect.take(option, parser)?,
            (Kind::New, _) => self.new.take(option, parser)?,
            (Kind::Edit, _) => self.edit.take(option, parser)?,
            (Kind::Run, _) => self.run.take(option, parser)?,
            (_, "raise-limit") => self.verb.raise_limit_to = Some(parser.value()?.parse()?),
            (_, "reason") => self.verb.reason = Some(parser.value()?.string()?),
            (_, "write") => self.write = true,
            (_, "way") => self.way = Some(parser.value()?.string()?),
            (Kind::Recover, _) if recover::SUPPLY.contains(&option) => {
                recover::take(&mut self.supplied, option, parser)?;
            }
            (Kind::Recover, _) => self.edit.take(option, parser)?,
            _ => self.change = Some(parser.value()?.string()?),
        }
        Ok(())
    }

    fn task(self, name: &str, kind: Kind) -> Result<Task, lexopt::Error> {
        let Self { words, verb: options, redirect, write, way, supplied, change, new, run, edit } = self;
        let mut words = words.into_iter();
        let first = words.next();
        let id = match kind {
            Kind::List => return Ok(Task::List),
            Kind::New => {
                return match new.mistake() {
                    Some(mistake) => Err(custom(name, &format!("{name} {mistake}"))),
                    None => Ok(Task::New { new: Box::new(new), plan: Box::new(run.plan) }),
                };
            }
            Kind::Check => return Ok(Task::Check { id: first }),
            _ => first.ok_or_else(|| missing(name, "ID"))?,
        };
        let asked = match kind {
            Kind::List | Kind::New | Kind::Check | Kind::Show => return Ok(Task::Show { id }),
            Kind::Run => return Ok(Task::Run { id, options: run }),
            Kind::Delete => return Ok(Task::Delete { id }),
            Kind::Edit => {
                let patch = edit.patch().ok_or_else(|| missing(name, "something to change"))?;
                return Ok(Task::Edit { id, patch });
            }
            Kind::History => return Ok(Task::History { id }),
            Kind::Act(verb) => return Ok(Task::Act { id, verb, options }),
            Kind::Recover => {
                let way = way.map(|way| known(&way)).transpose()?;
                let supplied = Supplied { metadata: edit.patch().unwrap_or_default(), ..supplied };
                return match write {
                    true => Ok(Task::Recover { id, way, supplied }),
                    false if supplied == Supplied::default() => Ok(Task::Proposals { id, way }),
                    false => Err(custom(name, "values are typed in together with --write")),
                };
            }
            Kind::Redirect => match redirect.wanted().map_err(|sentence| custom(name, sentence))? {
                Wanted::Preview(change) => return Ok(Task::Effects { id, change }),
                Wanted::Write(operation) => Asked::This(Box::new(LoopChange::Operate { operation })),
            },
            Kind::Repair => match words.next() {
                Some(code) => Asked::This(Box::new(LoopChange::Repair { repair: known(&code)? })),
                None => return Ok(Task::Repairs { id }),
            },
            Kind::Change => Asked::Json(change.ok_or_else(|| missing(name, "--json-change JSON"))?),
            Kind::Undo => Asked::Undo,
            Kind::Restore => {
                let version = words.next().ok_or_else(|| missing(name, "VERSION"))?;
                let number = version.parse().map_err(|_| custom(name, "VERSION is a number"))?;
                Asked::Restore(number)
            }
        };
        Ok(Task::Change { id, asked })
    }
}

/// Whether `word` is a command rather than a folder to open.
pub(crate) fn is_command(word: &OsStr) -> bool {
    COMMANDS.iter().any(|(name, _)| word == *name)
}

/// Reads what follows the command `word`; `data_dir` is what stood before it.
pub(crate) fn parse(
    word: &OsStr,
    parser: &mut lexopt::Parser,
    mut data_dir: Option<PathBuf>,
) -> Result<Request, lexopt::Error> {
    let Some((name, kind)) = COMMANDS.into_iter().find(|(name, _)| word == *name) else {
        return Err(lexopt::Error::UnexpectedArgument(word.to_owned()));
    };
    let (mut dir, mut json) = (None, false);
    let mut given = Given::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => return Ok(Request::Print(help::text(name, kind))),
            Long("json") => json = true,
            Long("data-dir") => data_dir = Some(parser.value()?.into()),
            Long(option) if kind.options().contains(&option) => {
                let option = option.to_owned();
                given.take(kind, &option, parser)?;
            }
            Value(value) if dir.is_none() => dir = Some(PathBuf::from(value)),
            Value(value) if given.words.len() < kind.words() => given.words.push(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let dir = dir.ok_or_else(|| missing(name, "DIR"))?;
    let task = given.task(name, kind)?;
    Ok(Request::Headless(Box::new(Command { task, dir, json, data_dir })))
}

fn missing(name: &str, what: &str) -> lexopt::Error {
    lexopt::Error::Custom(format!("{name} needs {what}; see 'loopdeck {name} --help'").into())
}

fn custom(name: &str, sentence: &str) -> lexopt::Error {
    lexopt::Error::Custom(format!("{sentence}; see 'loopdeck {name} --help'").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::control::Verb;
    use loopdeck_core::formats::aot::Change;
    use loopdeck_core::recovery::Way;
    use serde_json::{Value as Json, json};
    use std::ffi::OsString;

    fn parse_words(words: &[&str]) -> Result<Request, String> {
        crate::args::parse(words.iter().map(OsString::from))
    }

    fn task(words: &[&str]) -> Task {
        match parse_words(words) {
            Ok(Request::Headless(command)) => command.task,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// The change that `loopdeck redirect d x <words>` asks for.
    fn step(words: &[&str]) -> Json {
        let Task::Change { asked, .. } = task(&[&["redirect", "d", "x"], words].concat()) else {
            panic!("{words:?}")
        };
        let Asked::This(change) = asked else { panic!("{words:?}") };
        serde_json::to_value(change).expect("JSON")["operation"]["step"].clone()
    }

    #[test]
    fn options_belong_to_their_commands() {
        let options = VerbOptions { raise_limit_to: Some(12), reason: None };
        let expected = Task::Act { id: "x".into(), verb: Verb::Resume, options };
        assert_eq!(task(&["resume", "d", "x", "--raise-limit=12", "--json"]), expected);
        for words in [
            &["pause", "d", "x", "--raise-limit", "12"][..],
            &["resume", "d", "x", "--raise-limit", "many"],
            &["resume", "d", "x", "--reason", "r"],
            &["show", "d"],
            &["list"],
            &["list", "d", "x"],
            &["check", "d", "x", "y"],
            &["check", "d", "--goal", "g"],
            &["recover", "d", "x", "--way", "magic"],
            &["repair", "d", "x", "everything"],
            &["change", "d", "x"],
            &["undo", "d", "x", "3"],
            &["restore", "d", "x"],
            &["restore", "d", "x", "newest"],
            &["history", "d"],
        ] {
            assert!(parse_words(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn recovering_writes_only_when_asked_to() {
        let (id, way) = ("x".to_owned(), Some(Way::LastGood));
        assert_eq!(task(&["recover", "d", "x"]), Task::Proposals { id: id.clone(), way: None });
        assert_eq!(
            task(&["recover", "d", "x", "--way", "last_good", "--write"]),
            Task::Recover { id: id.clone(), way, supplied: Supplied::default() }
        );
        assert_eq!(task(&["repair", "d", "x"]), Task::Repairs { id: id.clone() });
        let words = [
            "--write",
            "--title",
            "T",
            "--status",
            "user_exit",
            "--current-iteration=4",
            "--tag",
            "a",
            "--tag=b",
        ];
        let Task::Recover { supplied, .. } = task(&[&["recover", "d", "x"], &words[..]].concat()) else {
            panic!("a recovery")
        };
        assert_eq!((supplied.metadata.title.as_deref(), supplied.current_iteration), (Some("T"), Some(4)));
        assert_eq!(supplied.metadata.tags, Some(vec!["a".to_owned(), "b".to_owned()]));
        for wrong in
            [&["--status", "done", "--write"][..], &["--max-iterations", "x", "--write"], &["--title", "T"]]
        {
            assert!(parse_words(&[&["recover", "d", "x"], wrong].concat()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_redirect_is_one_kind_of_change_and_a_reason() {
        let redirect = |change: Json| json!({ "op": "redirect", "change": change, "description": "W" });
        let atom = json!({
            "what": "add_atom", "id": "A9", "description": "Do", "depends_on": ["A1", "A2"], "or_group": "g",
        });
        let add = ["--add-atom", "Do", "--atom-id", "A9", "--after", "A1, A2", "--group=g", "--why", "W"];
        assert_eq!(step(&add), redirect(atom));
        let selection = json!({ "what": "force_selection", "group": "g", "id": "A4", "reason": "W" });
        assert_eq!(step(&["--choose", "g=A4", "--why", "W"]), redirect(selection));
        assert_eq!(
            step(&["--redo", "A1,A2", "--why", "W"]),
            redirect(json!({ "what": "redo", "ids": ["A1", "A2"] }))
        );
        assert_eq!(
            step(&["--delete-atom", "A3", "--why", "W"]),
            redirect(json!({ "what": "delete_atom", "id": "A3" }))
        );
        assert_eq!(
            step(&["--edit-atom", "A3", "--text", "Do less", "--why", "W"]),
            redirect(
                json!({ "what": "edit_atom", "id": "A3", "description": "Do less", "depends_on": null })
            )
        );
        assert_eq!(
            step(&["--edit-atom", "A3", "--after", "", "--why", "W"]),
            redirect(json!({ "what": "edit_atom", "id": "A3", "description": null, "depends_on": [] }))
        );
        let child = |text| json!({ "id": null, "description": text, "depends_on": [], "or_group": null });
        assert_eq!(
            step(&["--decompose", "A3", "--child", "One", "--child=Two", "--why", "W"]),
            redirect(json!({
                "what": "decompose", "parent": "A3", "children": [child("One"), child("Two")], "reason": "W",
            }))
        );
        let Task::Effects { id, change } = task(&["redirect", "d", "x", "--redo", "A1", "--dry-run"]) else {
            panic!("a preview")
        };
        assert_eq!((&*id, change), ("x", Change::Redo { ids: vec!["A1".into()] }));
        let goal = step(&["--goal", "G", "--done", "D", "--why", "W"]);
        let said = (&goal["change"]["what"], &goal["change"]["goal"], &goal["change"]["definition_of_done"]);
        assert_eq!(said, (&json!("objective"), &json!("G"), &json!("D")));
        let limits = step(&["--max-stalls", "5", "--max-parallel=2", "--why", "W"]);
        let said = (&limits["change"]["max_stall_count"], &limits["change"]["max_parallel_agents"]);
        assert_eq!(said, (&json!(5), &json!(2)));
        assert_eq!(step(&["--hold"]), json!({ "op": "hold_for_redirect" }));
        assert_eq!(step(&["--release"]), json!({ "op": "release_hold" }));
        for words in [
            &["--why", "W"][..],
            &["--goal", "G"],
            &["--goal", "G", "--max-stalls", "5", "--why", "W"],
            &["--hold", "--goal", "G", "--why", "W"],
            &["--hold", "--why", "W"],
            &["--hold", "--release"],
            &["--release", "--why", "W"],
            &["--release", "--redo", "A1"],
            &["--after", "A1", "--why", "W"],
            &["--redo", "A1", "--group", "g", "--why", "W"],
            &["--choose", "g", "--why", "W"],
            &["--max-stalls", "-1", "--why", "W"],
            &["--edit-atom", "A1", "--why", "W"],
            &["--text", "T", "--why", "W"],
            &["--redo", "A1", "--after", "A2", "--why", "W"],
            &["--decompose", "A1", "--why", "W"],
            &["--child", "c", "--why", "W"],
            &["--delete-atom", "A1", "--decompose", "A1", "--child", "c", "--why", "W"],
            &["--hold", "--dry-run"],
            &["--dry-run"],
        ] {
            assert!(parse_words(&[&["redirect", "d", "x"], words].concat()).is_err(), "{words:?}");
        }
    }

    #[test]
    fn help_names_every_code() {
        for (words, help) in
            [(&["repair", "d", "x", "?"][..], "repair"), (&["recover", "d", "x", "--way=?"], "recover")]
        {
            let unknown = parse_words(words).expect_err("no such code");
            let Ok(Request::Print(help)) = parse_words(&[help, "--help"]) else { panic!("no help") };
            let codes: Vec<&str> = unknown.split('`').skip(3).step_by(2).collect();
            assert!(codes.len() > 3, "{unknown}");
            assert!(codes.iter().all(|code| help.contains(code)), "{codes:?} in {help}");
        }
    }

    #[test]
    fn every_command_has_help() {
        for (name, kind) in COMMANDS {
            let Ok(Request::Print(text)) = parse_words(&[name, "--help"]) else { panic!("{name}: no help") };
            let options: Vec<String> = kind.options().iter().map(|option| format!("--{option} ")).collect();
            for part in [&*format!("loopdeck {name} "), "DIR", "--json", "--data-dir", "Exit codes", "Keys"]
                .into_iter()
                .chain(options.iter().map(|option| option.trim_end()))
            {
                assert!(text.contains(part), "{name} lacks {part}:\n{text}");
            }
            assert!(!text.contains("{verb}") && !text.contains("{what}"), "{text}");
        }
    }
}
