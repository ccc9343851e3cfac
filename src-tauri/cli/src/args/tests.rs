use super::*;
use crate::list::ListPart;
use crate::{Asked, Task};
use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot::Correction;
use loopdeck_core::recovery::{ProposalSource, Supplied};
use loopdeck_runtime::views::VerbOptions;
use serde_json::{Value as Json, json};

fn parse_words(words: &[&str]) -> Result<Request, String> {
    parse(words.iter().map(OsString::from)).map_err(|error| error.to_string())
}

fn task(words: &[&str]) -> Task {
    match parse_words(words) {
        Ok(Request::Carry(command)) => command.task,
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
fn the_version_is_printed_before_the_commands_are_built_as_clap_prints_it() {
    for word in ["--version", "-V"] {
        assert!(asks_for_version(&[word.into()]));
        assert_eq!(parse_words(&[word]), Err(crate::output::VERSION.to_owned()));
    }
    for words in [&[][..], &["list", "--version"], &["--version", "x"], &["version"]] {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        assert!(!asks_for_version(&words), "{words:?}");
    }
}

#[test]
fn recovering_writes_only_when_asked_to() {
    let (id, way) = ("x".to_owned(), Some(ProposalSource::LastGood));
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
        redirect(json!({ "what": "edit_atom", "id": "A3", "description": "Do less", "depends_on": null }))
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
    assert_eq!((&*id, change), ("x", Correction::Redo { ids: vec!["A1".into()] }));
    let goal = step(&["--goal", "G", "--done", "D", "--why", "W"]);
    let said = (&goal["change"]["what"], &goal["change"]["goal"], &goal["change"]["definition_of_done"]);
    assert_eq!(said, (&json!("objective"), &json!("G"), &json!("D")));
    let limits = step(&["--max-stalls", "5", "--max-parallel=2", "--why", "W"]);
    let said = (&limits["change"]["max_stall_count"], &limits["change"]["max_parallel_agents"]);
    assert_eq!(said, (&json!(5), &json!(2)));
    assert_eq!(step(&["--hold"]), json!({ "op": "hold_for_redirect" }));
    assert_eq!(step(&["--release"]), json!({ "op": "release_hold" }));
}

#[test]
fn a_redirect_of_two_kinds_or_without_a_reason_is_refused() {
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

/// The help text for `words`.
fn help(words: &[&str]) -> String {
    let asked = parse(words.iter().map(OsString::from)).expect_err("help");
    assert_eq!(asked.kind(), ErrorKind::DisplayHelp, "{words:?}");
    asked.to_string()
}

/// Commands that work on a loop or a workspace.
fn commands() -> Vec<String> {
    let names = program().get_subcommands().map(|word| word.get_name().to_owned()).collect::<Vec<_>>();
    names.into_iter().filter(|name| !["completions", "man"].contains(&name.as_str())).collect()
}

#[test]
fn clap_finds_no_mistake_in_the_commands() {
    program().debug_assert();
}

#[test]
fn a_command_comes_before_paths_only() {
    for words in [&["list", "d"][..], &["--data-dir", "x", "list", "d"], &["list", "--data-dir=x", "d"]] {
        let Ok(Request::Carry(command)) = parse_words(words) else { panic!("{words:?}") };
        assert_eq!(command.task, Task::List { part: ListPart::Listed });
    }
    for words in [
        &[][..],
        &["d", "list"],
        &["./list"],
        &["--", "list"],
        &["--", "--help"],
        &["a b", "--data-dir", "d", "--poll", "/c"],
    ] {
        assert_eq!(parse_words(words), Ok(Request::Desktop), "{words:?}");
    }
    assert!(parse_words(&["--poll", "list", "d"]).is_err());
}

#[test]
fn the_data_folder_counts_before_and_after_the_command() {
    for words in [&["--data-dir", "x", "list", "d"][..], &["list", "d", "--data-dir", "x"]] {
        let Ok(Request::Carry(command)) = parse_words(words) else { panic!("{words:?}") };
        assert_eq!(command.data_dir, Some("x".into()));
    }
}

#[test]
fn values_may_begin_with_a_dash_and_the_last_of_two_counts() {
    let Task::New { new, .. } = task(&["new", "d", "--goal", "a", "--goal", "- one\n- two"]) else {
        panic!("a new loop")
    };
    let expected = task(&["new", "d", "--goal=- one\n- two"]);
    assert_eq!(Task::New { new, plan: Box::default(), trust: false }, expected);
}

#[test]
fn checks_and_atoms_keep_their_order() {
    let base = ["new", "d", "--goal", "g", "--format", "aot"];
    let ordered = |words: &[&str]| parse_words(&[&base, words].concat());
    let fits = ["--check", "a", "--name", "n", "--check-quality", "q", "--threshold", "4", "--atom", "x"];
    assert!(ordered(&fits).is_ok());
    let other = ["--check-quality", "q", "--threshold", "4", "--check", "a", "--name", "n", "--atom", "x"];
    assert_ne!(ordered(&fits), ordered(&other));
    for wrong in [&["--name", "n", "--check", "a"][..], &["--check", "a", "--threshold", "4"]] {
        assert!(ordered(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn version_is_printed() {
    let version = parse(["-V".into()].into_iter()).expect_err("the version");
    assert_eq!(version.kind(), ErrorKind::DisplayVersion);
    assert_eq!(version.to_string(), format!("loopdeck {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn unknown_options_are_refused_with_a_hint() {
    let message = parse_words(&["--nonsense"]).expect_err("refused");
    assert!(message.contains("--nonsense") && message.contains("--help"), "{message}");
}

#[test]
fn help_names_every_code() {
    for (words, name) in
        [(&["repair", "d", "x", "?"][..], "repair"), (&["recover", "d", "x", "--way=?"], "recover")]
    {
        let unknown = parse_words(words).expect_err("no such code");
        let (_, codes) = unknown.split_once("possible values: ").expect("the codes");
        let codes: Vec<&str> = codes.split(']').next().expect("an end").split(", ").collect();
        assert!(codes.len() > 3, "{unknown}");
        let help = help(&[name, "--help"]);
        assert!(codes.iter().all(|code| help.contains(code)), "{codes:?} in {help}");
    }
}

#[test]
fn every_command_has_help() {
    assert_eq!(commands().len(), 35);
    // Two have commands of their own, each with what it needs.
    for name in commands().into_iter().filter(|name| name != "team" && name != "node") {
        let text = help(&[&name, "--help"]);
        for part in [&*format!("loopdeck {name} "), "DIR", "--json", "--data-dir", "Exit codes", "Keys"] {
            assert!(text.contains(part), "{name} lacks {part}:\n{text}");
        }
        let command = program();
        let command = command.find_subcommand(&name).expect("a command");
        let plain: Vec<&str> = command
            .get_arguments()
            .filter(|arg| arg.get_help().is_none())
            .map(|arg| arg.get_id().as_str())
            .collect();
        assert!(plain.is_empty(), "{name} does not explain {plain:?}");
    }
}

#[test]
fn the_help_of_the_program_has_every_command_in_one_group() {
    let text = help(&["--help"]);
    assert_eq!(text, help(&["-h"]));
    for name in commands().iter().map(String::as_str).chain(["completions", "man"]) {
        let lines = text.lines().filter(|line| line.split_whitespace().next() == Some(name));
        assert_eq!(lines.count(), 1, "{name} in {text}");
    }
}

/// Lines of the shell blocks in a page, without what a shell makes of them.
fn shell_lines(page: &str) -> Vec<Vec<String>> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).map(str::trim).filter(|line| line.starts_with("loopdeck "));
    lines.map(words_of).collect()
}

/// Words of a line, with double and single quotes.
fn words_of(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, ' ') if !word.is_empty() => words.push(std::mem::take(&mut word)),
            (None, ' ') => {}
            _ => word.push(letter),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[test]
fn the_guide_has_only_commands_that_there_are() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let pages = ["en", "zh-CN", "ja"].map(|language| docs.join("guide").join(language)).into_iter();
    let pages = pages.flat_map(|folder| std::fs::read_dir(folder).expect("a guide").flatten());
    let mut seen = 0;
    for path in pages.map(|entry| entry.path()).chain([docs.join("team.md")]) {
        let text = std::fs::read_to_string(&path).expect("a page");
        for words in shell_lines(&text) {
            seen += 1;
            let line = words.join(" ");
            if let Err(error) = parse(words.into_iter().skip(1).map(Into::into)) {
                assert!(!error.use_stderr(), "{}: {line}: {error}", path.display());
            }
        }
    }
    assert!(seen > 60, "{seen} commands in all languages");
}
