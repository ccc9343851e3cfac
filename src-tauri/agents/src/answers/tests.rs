//! What agents write, and what we take from it.

use super::*;
use loopdeck_text::json_span::tree::Node;
use proptest::prelude::*;

fn develop(text: &str) -> Result<DevelopAnswer, Vec<(AnswerErrorCode, String)>> {
    match read(AnswerKind::Develop, text) {
        Ok(CheckedAnswer { answer: Answer::Develop(answer), .. }) => Ok(answer),
        Ok(other) => panic!("{other:?}"),
        Err(errors) => Err(errors.into_iter().map(|error| (error.code, error.place)).collect()),
    }
}

fn init(text: &str) -> Result<InitAnswer, Vec<(AnswerErrorCode, String)>> {
    match read(AnswerKind::Init, text) {
        Ok(CheckedAnswer { answer: Answer::Init(answer), .. }) => Ok(answer),
        Ok(other) => panic!("{other:?}"),
        Err(errors) => Err(errors.into_iter().map(|error| (error.code, error.place)).collect()),
    }
}

fn debug(text: &str) -> Result<DebugAnswer, Vec<(AnswerErrorCode, String)>> {
    match read(AnswerKind::Debug, text) {
        Ok(CheckedAnswer { answer: Answer::Debug(answer), .. }) => Ok(answer),
        Ok(other) => panic!("{other:?}"),
        Err(errors) => Err(errors.into_iter().map(|error| (error.code, error.place)).collect()),
    }
}

fn worker(text: &str) -> WorkerAnswer {
    match read(AnswerKind::Worker, text).expect("an answer").answer {
        Answer::Worker(answer) => answer,
        other => panic!("{other:?}"),
    }
}

const DONE: &str = r#"{"status":"completed","summary":"s","files_changed":["a.rs"],"needs":null}"#;

#[test]
fn the_object_is_found_wherever_it_stands() {
    let other = r#"{"status":"failed","summary":"an example"}"#;
    for text in [
        DONE.to_owned(),
        format!("  {DONE}\n"),
        format!("Done.\n```json\n{DONE}\n```\nBye."),
        format!("First:\n```json\n{other}\n```\nthen\n```JSON\n{DONE}\n```"),
        format!("```json\n{other}\n```\n```rust\nfn x() {{}}\n```\n```\n{DONE}\n```"),
        format!("````text\n```json\n{other}\n```\n````\n```json\n{DONE}\n```\n"),
        format!("I changed {{it}}: {{\"a\": 1}} and so.\n{DONE}"),
        format!("Cut off fence\n```json\n{DONE}"),
        format!("\u{feff}all \u{1F600} of it {DONE}\n```"),
    ] {
        let answer = develop(&text).unwrap_or_else(|errors| panic!("{errors:?} in {text}"));
        assert_eq!((answer.summary.as_str(), answer.status), ("s", WorkStatus::Completed), "{text}");
    }
    let far = format!("{}{DONE}", "{\"a\":".repeat(60_000));
    assert_eq!(develop(&far).map(|answer| answer.summary), Ok("s".into()));
}

/// Answers with faults of form, their summary, and the lines that were corrected.
const ALMOST_JSON: [(&str, &str, &[u32]); 9] = [
    (
        "Done:\n\n{\"task_id\":\"task-001\",\"status\":\"completed\",\"summary\":\"s\",\"files_changed\":[\"cart.js\"],\"needs\":null,\n}",
        "s",
        &[3],
    ),
    (
        "```jsonc\n{\n  // the task\n  \"status\": \"completed\", /* yes */\n  \"summary\": \"Rounded \u{201c}it\u{201d} \u{2014} 3 lines\\u2026\",\n  \"files_changed\": [\"cart.js\",],\n  \"needs\": null\n}\n```",
        "Rounded \u{201c}it\u{201d} \u{2014} 3 lines\u{2026}",
        &[3, 4, 6],
    ),
    ("{'status': 'completed', 'summary': 's', 'files_changed': ['cart.js'], 'needs': None}", "s", &[1; 8]),
    (
        "{\n\u{201c}status\u{201d}: \u{201c}completed\u{201d},\n\"summary\": \"one\ntwo\", \"files_changed\": [\"cart.js\"]}",
        "one\ntwo",
        &[2, 2, 3],
    ),
    (
        "{\"status\": \"completed\", \"files_changed\": [\"cart.js\"], \"summary\": \"C:\\d and \"it\" works\"}",
        "C:\\d and \"it\" works",
        &[1, 1],
    ),
    ("{status: completed, files_changed: [\"cart.js\"], summary: \"cut of", "cut of", &[1, 1, 1, 1, 1]),
    (
        "First I thought:\n```json\n{\"status\":\"failed\",\"summary\":\"no\",\"files_changed\":[\"cart.js\"]}\n```\nThen I fixed it:\n```json\n{\"status\":\"completed\",\"summary\":\"s\",\"files_changed\":[\"cart.js\"]}\n```\nHave a nice day {really}!",
        "s",
        &[],
    ),
    (
        "{\"status\":\"completed\",\"summary\":\"s\",\"files_changed\":[\"cart.js\"]}\nExample: {\"status\": \"whatever\"} {note: 1}",
        "s",
        &[],
    ),
    (
        "Like this {\"status\": \"open\", [\n\n{\"status\":\"completed\",\"summary\":\"s\",\"files_changed\":[\"cart.js\"],}",
        "s",
        &[3],
    ),
];

/// Faults of form cost nothing: an answer is not asked for again because of them.
#[test]
fn almost_json_is_an_answer() {
    let done = |text: &str| {
        let reading = read(AnswerKind::Develop, text).unwrap_or_else(|errors| panic!("{errors:?} in {text}"));
        let Answer::Develop(answer) = reading.answer else { panic!("{text}") };
        assert_eq!(
            (answer.status, &answer.files_changed[..]),
            (WorkStatus::Completed, &["cart.js".to_owned()][..]),
            "{text}"
        );
        (answer.summary, reading.corrections.iter().map(|correction| correction.line).collect::<Vec<_>>())
    };
    for (text, summary, lines) in ALMOST_JSON {
        assert_eq!(done(text), (summary.to_owned(), lines.to_vec()), "{text}");
    }
    let asks = |text: &str| read(AnswerKind::Develop, text).expect_err(text)[0].to_string();
    assert_eq!(
        asks("ok\n\n{\n \"status\": \"great\",\n \"summary\": \"s\",}"),
        "line 4: status: this word is not allowed here (found: great)"
    );
    assert_eq!(
        asks("{\n\"summary\": \"s\",\n\"status\": @@\n}"),
        "line 3: status: this is not valid JSON (found: an unreadable value)"
    );
    assert_eq!(asks("{\n\"summary\": \"s\"\n}"), "line 1: status: this member is missing or empty");
    let far = format!("{}{{\n\"status\": 1}}", "\n".repeat(MOST_BYTES + 5));
    assert!(asks(&far).starts_with(&format!("line {}: ", MOST_BYTES + 7)), "{}", asks(&far));
}

fn place<T>(code: AnswerErrorCode, place: &str) -> Result<T, Vec<(AnswerErrorCode, String)>> {
    Err(vec![(code, place.to_owned())])
}

#[test]
fn what_is_no_answer_says_why() {
    use AnswerErrorCode as E;
    assert_eq!(develop("I am done."), place(E::NoObject, ""));
    assert_eq!(develop(""), place(E::NoObject, ""));
    assert_eq!(develop("```json\n{\"status\": \"completed\",}\n```"), place(E::Missing, "summary"));
    assert_eq!(develop("{\"status\": \"completed\", \"summary\": @@}"), place(E::NotJson, "summary"));
    assert_eq!(
        init("{\"tasks\": [{\"id\": \"a\", \"description\": \"x\"}, {\"id\": "),
        place(E::NotJson, "tasks")
    );
    assert_eq!(develop(r#"{"summary":"s"}"#), place(E::Missing, "status"));
    assert_eq!(develop(r#"{"status":"great","summary":"s"}"#), place(E::UnknownWord, "status"));
    assert_eq!(develop(r#"{"status":"completed","summary":" "}"#), place(E::Missing, "summary"));
    assert_eq!(
        develop(r#"{"status":"completed","summary":"s","files_changed":7}"#),
        place(E::WrongType, "files_changed")
    );
    assert_eq!(develop(r#"{"status":"needs_input"}"#).unwrap_err()[0], (E::Missing, "needs".into()));
    let asks = develop(r#"{"status":"needs_input","needs":"q"}"#).expect("read");
    assert_eq!((asks.summary.as_str(), asks.needs.as_deref()), ("q", Some("q")));
    assert_eq!(init(r#"{"tasks":[]}"#), place(E::Missing, "tasks"));
    assert_eq!(init(r#"{"tasks":[{"id":"a"}]}"#), place(E::Missing, "tasks[0].description"));
    assert_eq!(init(r#"{"tasks":[" "]}"#), place(E::Missing, "tasks[0]"));
    let two = r#"{"tasks":[{"id":"a","description":"x"},{"id":"a","description":"y"}]}"#;
    assert_eq!(init(two), place(E::RepeatedId, "tasks[1].id"));
    for id in ["a b", "../x", "a:b", "*a*", "x\\u0000", &"x".repeat(101)] {
        let text = format!(r#"{{"tasks":[{{"id":"{id}","description":"x"}}]}}"#);
        assert_eq!(init(&text), place(E::BadId, "tasks[0].id"), "{id}");
    }
    let many = vec![r#"{"description":"x"}"#; MOST_TASKS + 1].join(",");
    assert_eq!(init(&format!("{{\"tasks\":[{many}]}}")), place(E::TooMany, "tasks"));
    assert_eq!(debug("{}"), place(E::Missing, "hypotheses"));
    assert_eq!(
        debug(r#"{"hypotheses":[{"id":"H1","status":"maybe"}]}"#),
        place(E::UnknownWord, "hypotheses[0].status")
    );
    let contradiction = r#"{"hypotheses":[{"id":"H1","status":"rejected"}],"confirmed":"H1"}"#;
    assert_eq!(debug(contradiction), place(E::NotConfirmed, "confirmed"));
    assert_eq!(debug(r#"{"understanding":"x","fixed":"yes"}"#), place(E::WrongType, "fixed"));
}

#[test]
fn forms_that_mean_the_same_are_taken() {
    for (word, status) in [
        ("success", WorkStatus::Completed),
        ("DONE", WorkStatus::Completed),
        ("blocked", WorkStatus::Failed),
        ("Needs Input", WorkStatus::NeedsInput),
        ("needs-more-info", WorkStatus::NeedsInput),
    ] {
        let answer = develop(&format!(r#"{{"status":"{word}","summary":["a","b"]}}"#)).expect("read");
        assert_eq!((answer.status, answer.summary.as_str()), (status, "a\nb"));
    }
    let plan = init(r#"{"tasks":["first",{"description":"second","priority":"7","files":"src/a"}]}"#);
    let plan = plan.expect("read").tasks;
    assert_eq!((plan[0].id.as_str(), plan[1].id.as_str()), ("task-001", "task-002"));
    assert_eq!((plan[0].priority, plan[1].priority, &plan[1].files[..]), (1, 7, &["src/a".to_owned()][..]));
    let round = debug(
        r#"{"hypotheses":[{"id":"H1","status":"CONFIRMED","evidence":[{"hid":"H1"}],"evidence_criteria":{"confirm":"c"}}]}"#,
    );
    let round = round.expect("read");
    assert_eq!((round.confirmed.as_deref(), round.fixed), (Some("H1"), false));
    assert_eq!(round.hypotheses[0].evidence.compact(), r#"[{"hid":"H1"}]"#);
    assert_eq!(round.hypotheses[0].confirm, "c");
    assert_eq!(
        develop(r#"{"status":"done","summary":"s","needs":"more coffee?"}"#).expect("read").needs,
        None
    );
}

#[test]
fn no_path_leads_out_of_the_folder() {
    for (path, kept) in [
        ("src/a.rs", Some("src/a.rs")),
        ("./src//a.rs", Some("src/a.rs")),
        ("src\\a.rs", Some("src/a.rs")),
        ("`a b.rs`", Some("a b.rs")),
        ("..a/b..", Some("..a/b..")),
        ("../a", None),
        ("a/../../b", None),
        ("/etc/passwd", None),
        ("~/x", None),
        ("C:/x", None),
        ("c:x", None),
        ("\\\\host\\x", None),
        ("https://x/y", None),
        (".workflow/.loop/x.json", None),
        ("./.loop/x.json", None),
        ("", None),
        (".", None),
        ("a\nb", None),
    ] {
        assert_eq!(relative_path(path).ok().as_deref(), kept, "{path:?}");
    }
    let reading =
        read(AnswerKind::Develop, r#"{"status":"done","summary":"s","files_changed":["a","../b",1,"a"]}"#);
    let reading = reading.expect("read");
    let places: Vec<&str> = reading.dropped.iter().map(|error| error.place.as_str()).collect();
    assert_eq!(places, ["files_changed[1]", "files_changed[2]"]);
    assert!(matches!(reading.answer, Answer::Develop(answer) if answer.files_changed == ["a"]));
}

#[test]
fn blocks_of_the_skills_are_a_way_out() {
    let text = "Done.\n\nACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: Task done\n- state_updates: {\"a\":1}\n\nFILES_UPDATED:\n- `src/a.ts`: added\n- ../b: no\n- c.md\n\nNEXT_ACTION_NEEDED: DEVELOP\n";
    let answer = develop(text).expect("read");
    assert_eq!((answer.status, answer.summary.as_str()), (WorkStatus::Completed, "Task done"));
    assert_eq!(answer.files_changed, ["src/a.ts", "c.md"]);
    let waiting = text.replace("NEEDED: DEVELOP", "NEEDED: WAITING_INPUT");
    assert_eq!(develop(&waiting).expect("read").needs.as_deref(), Some("Task done"));
    let plan = "ACTION_RESULT:\n- action: INIT\n- status: success\n- state_updates: {\n  \"skill_state\": {\"develop\": {\"tasks\": [{\"id\": \"T1\", \"description\": \"x\"}]}}\n}\nNEXT_ACTION_NEEDED: DEVELOP";
    assert_eq!(init(plan).expect("read").tasks[0].id, "T1");
    let done = worker(
        "WORKER_RESULT:\n- action: develop\n- status: needs_fix\n- summary: One left\n- files_changed: [\"a\", \"/b\"]\n- next_suggestion: validate\n- loop_back_to: develop (if tests fail)\nDETAILED_OUTPUT:\n- status: not this\n",
    );
    assert_eq!((done.status, done.summary.as_str()), (WorkStatus::Failed, "One left"));
    assert_eq!((done.files_changed, done.loop_back_to.as_deref()), (vec!["a".to_owned()], Some("develop")));
    assert_eq!(done.detailed_output, Json::text("- status: not this"));
    let asks = worker("CLARIFICATION_NEEDED:\nQ1: Which? | Options: [a, b] | Recommended: [a]\n");
    assert!(asks.needs.expect("a question").contains("Q1: Which?"));
    assert!(read(AnswerKind::Worker, "WORKER_RESULT: none").is_err());
}

#[test]
fn nobody_can_say_that_tests_passed() {
    let text = r#"{"status":"success","summary":"s","passed":true,"test_results":[{"total":9}],"validate":{"passed":true}}"#;
    let answer = worker(text);
    assert_eq!(answer, WorkerAnswer { summary: "s".into(), ..WorkerAnswer::default() });
}

#[test]
fn output_without_an_answer_has_a_meaning() {
    assert_eq!(plain_summary(" \n"), "Ended with exit code 0 and no output.");
    assert_eq!(plain_summary("a\n\n\u{1b}b\n"), "a\nb");
    assert_eq!(plain_summary(&"x\n".repeat(99)).lines().count(), 20);
    assert_eq!(plain_summary(&"y".repeat(9_000)).chars().count(), 2_000);
    assert_eq!(plain_init(" goal ").tasks[0].description, "goal");
    let first = plain_debug("out", &[], Some("a test"), false);
    assert_eq!((first.hypotheses[0].id.as_str(), first.fixed), ("H1", false));
    let again = plain_debug("out", &first.hypotheses, Some("a test"), true);
    assert_eq!((again.hypotheses[0].id.as_str(), again.fixed), ("H1", true));
    let other = plain_debug("out", &first.hypotheses, Some("another"), false);
    assert_eq!(other.hypotheses[0].id, "H2");
}

#[test]
fn a_worker_reports_everything_that_its_seed_defines() {
    let answer = worker(
        r#"{"status":"success","summary":"s","suggestions":["x","x"," "],"issues_found":[{"file":"a.ts"},"leak"],
        "findings":"one","hypotheses":[{"id":"H1","description":"it leaks","confidence":"High","testable_condition":"t","mechanism":"m",
        "status":"CONFIRMED","evidence":"e","verdict_reason":null}],"fixed":false,"metrics":{"lines_added":3,"lines_removed":-1},
        "next_suggestion":"validate (soon)"}"#,
    );
    assert_eq!((answer.suggestions, answer.findings), (vec!["x".to_owned()], vec!["one".to_owned()]));
    assert_eq!(answer.issues_found, [r#"{"file": "a.ts"}"#, "leak"]);
    assert_eq!((answer.fixed, answer.lines_added, answer.lines_removed), (Some(false), Some(3), None));
    assert_eq!(answer.next_suggestion.as_deref(), Some("validate"));
    let hypothesis = &answer.hypotheses[0];
    assert_eq!((hypothesis.status.as_str(), answer.confirmed.as_deref()), ("confirmed", Some("H1")));
    assert_eq!((hypothesis.testable.as_str(), hypothesis.mechanism.as_str()), ("t", "m"));
    assert!(hypothesis.confidence.is_some_and(|confidence| confidence.word() == "high"));
    for (wrong, code) in [
        (r#""hypotheses":[{"id":"H1","status":"rejected"}],"confirmed":"H1""#, AnswerErrorCode::NotConfirmed),
        (r#""hypotheses":[{"id":"H1"},{"id":"H1"}]"#, AnswerErrorCode::RepeatedId),
        (r#""hypotheses":[{"id":"H1","status":"odd"}]"#, AnswerErrorCode::UnknownWord),
        (r#""hypotheses":[{"description":"x"}]"#, AnswerErrorCode::Missing),
        (r#""fixed":"perhaps""#, AnswerErrorCode::WrongType),
    ] {
        let text = format!("{{\"status\":\"success\",\"summary\":\"s\",{wrong}}}");
        let errors = read(AnswerKind::Worker, &text).expect_err("refused");
        assert_eq!(errors[0].code, code, "{wrong}");
    }
}

fn atom(text: &str) -> Result<AtomAnswer, Vec<(AnswerErrorCode, String)>> {
    match read(AnswerKind::Atom, text) {
        Ok(CheckedAnswer { answer: Answer::Atom(answer), .. }) => Ok(answer),
        Ok(other) => panic!("{other:?}"),
        Err(errors) => Err(errors.into_iter().map(|error| (error.code, error.place)).collect()),
    }
}

#[test]
fn a_worker_says_what_became_of_its_atom() {
    let done = atom(
        r#"{"status":"resolved","summary":"s","artifacts":["a.rs","a.rs",{"path":"b"}," "],"children":null,"reason":null,"needs":null}"#,
    );
    let done = done.expect("read");
    assert_eq!(
        (done.status, done.artifacts),
        (AtomStatus::Resolved, vec!["a.rs".to_owned(), "b".to_owned()])
    );
    for (word, status) in [
        ("Done", AtomStatus::Resolved),
        ("success", AtomStatus::Resolved),
        ("blocked", AtomStatus::Failed),
        ("split", AtomStatus::Decomposed),
        ("needs-input", AtomStatus::NeedsInput),
    ] {
        let text =
            format!(r#"{{"status":"{word}","summary":"s","reason":"r","needs":"n","children":["c"]}}"#);
        assert_eq!(atom(&text).expect(word).status, status, "{word}");
    }
    let split = atom(
        r#"{"status":"decomposed","children":[{"id":"x","description":"d","depends_on":["A1"," "]},"e"]}"#,
    );
    let split = split.expect("read").children;
    assert_eq!((split[0].id.as_deref(), split[0].depends_on.len()), (Some("x"), 1));
    assert_eq!((split[1].id.as_deref(), split[1].description.as_str()), (None, "e"));
    assert_eq!(atom(r#"{"status":"failed"}"#).expect("read").reason, None, "a failure needs no reason");
    let asks = atom(r#"{"status":"needs_input","summary":"Which one?"}"#).expect("read");
    assert_eq!(asks.needs.as_deref(), Some("Which one?"));
    for (text, code, place) in [
        (r#"{"summary":"s"}"#, AnswerErrorCode::Missing, "status"),
        (r#"{"status":"resolved"}"#, AnswerErrorCode::Missing, "summary"),
        (r#"{"status":"perhaps","summary":"s"}"#, AnswerErrorCode::UnknownWord, "status"),
        (r#"{"status":"needs_input"}"#, AnswerErrorCode::Missing, "needs"),
        (r#"{"status":"decomposed"}"#, AnswerErrorCode::Missing, "children"),
        (
            r#"{"status":"decomposed","children":[{"id":"x"}]}"#,
            AnswerErrorCode::Missing,
            "children[0].description",
        ),
        (
            r#"{"status":"decomposed","children":[{"id":"x","description":"a"},{"id":"x","description":"b"}]}"#,
            AnswerErrorCode::RepeatedId,
            "children[1].id",
        ),
        ("Done.", AnswerErrorCode::NoObject, ""),
    ] {
        assert_eq!(atom(text).expect_err(text)[0], (code, place.to_owned()), "{text}");
    }
    let many = vec![r#"{"description":"x"}"#; MOST_TASKS + 1].join(",");
    let many = format!("{{\"status\":\"decomposed\",\"children\":[{many}]}}");
    assert_eq!(atom(&many).expect_err("too many")[0].0, AnswerErrorCode::TooMany);
}

#[test]
fn a_judge_gives_scores_with_evidence() {
    let text =
        |score: &str| format!(r#"{{"scores":[{{"criterion":"Naming","score":{score},"evidence":"e"}}]}}"#);
    for (score, read_as) in [
        ("4", Ok(4.0)),
        ("3.5", Ok(3.5)),
        ("\"2\"", Ok(2.0)),
        ("0.5", Err(AnswerErrorCode::OutOfRange)),
        ("6", Err(AnswerErrorCode::OutOfRange)),
        ("true", Err(AnswerErrorCode::WrongType)),
        ("null", Err(AnswerErrorCode::Missing)),
    ] {
        let found = match read(AnswerKind::Judge, &text(score)) {
            Ok(CheckedAnswer { answer: Answer::Judge(answer), .. }) => Ok(answer.scores[0].score),
            Ok(other) => panic!("{other:?}"),
            Err(errors) => Err(errors[0].code),
        };
        assert_eq!(found, read_as, "{score}");
    }
    let without = read(AnswerKind::Judge, r#"{"scores":[{"criterion":"Naming","score":4,"evidence":" "}]}"#);
    assert_eq!(without.expect_err("no evidence")[0].place, "scores[0].evidence");
    assert_eq!(read(AnswerKind::Judge, r#"{"scores":[]}"#).expect_err("no score")[0].place, "scores");
}

/// Every object of a schema: all members required, no additional ones.
fn strict(node: &Node<'_>, objects: &mut usize) {
    if node.get("type").text() == Some("object") {
        *objects += 1;
        let names: Vec<&str> = node.get("properties").fields().iter().map(|(key, _)| &**key).collect();
        let required: Vec<&str> = node.get("required").items().iter().filter_map(Node::text).collect();
        assert_eq!((names, node.get("additionalProperties").flag()), (required, Some(false)));
    }
    node.fields().iter().for_each(|(_, value)| strict(value, objects));
}

#[test]
fn the_schemas_are_strict() {
    for kind in AnswerKind::ALL {
        let mut objects = 0;
        strict(&Node::parse(schema(kind).as_bytes()).expect("JSON"), &mut objects);
        assert!(objects > 0);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}|(\\{|\\}|\"|:|,|\\[|\\]|`|\n|a|status|tasks|json){0,80}") {
        for kind in AnswerKind::ALL {
            if let Err(errors) = read(kind, &text) {
                prop_assert!(!errors.is_empty());
            }
        }
    }
}
