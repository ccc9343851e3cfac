//! A run's input and output: arguments, environment, stdin, output, and notifications.

use loopdeck_runtime::runs::log::{LogReader, Stream};
use loopdeck_runtime::runs::{Exit, RUN_ID_VARIABLE, RunNotice, StdinKind, StopReason, StopReport};
use loopdeck_tests::runs::{Stage, eventually, found_alive, output};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn stage() -> Stage {
    Stage::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_unruly"))
}

const GONE: StopReport = StopReport::AllGone { ended: 0 };

#[test]
fn a_child_has_exactly_its_arguments_folder_and_environment() {
    let stage = stage();
    let mut spec = stage.quick("folder environment");
    let folder = stage.runs.join("a folder é");
    fs::create_dir_all(&folder).unwrap();
    spec.plan.cwd.clone_from(&folder);
    spec.plan.argv.splice(2..2, ["say".to_owned(), " a \"b\" $c & % é\n".to_owned()]);
    spec.environment = vec![("SECRET".into(), "value = with\nlines".into()), ("EMPTY".into(), "".into())];
    spec.plan.env_added = vec!["SECRET".to_owned()];
    let id = spec.plan.id.clone();
    let mut run = stage.start(&spec);
    assert_eq!(run.wait_for_end(), GONE);
    let mut said: Vec<String> = run.said().split_inclusive('\n').map(str::to_owned).collect();
    assert_eq!(said.drain(..3).collect::<String>(), format!(" a \"b\" $c & % é\n\n{}\n", folder.display()));
    assert_eq!(said.concat(), format!("EMPTY=\n{RUN_ID_VARIABLE}={id}\nSECRET=value = with\nlines\n"));
}

#[test]
fn values_of_the_environment_lie_nowhere_and_the_folder_is_private() {
    let stage = stage();
    let mut spec = stage.quick("say ready forever").with_stdin("the prompt");
    spec.environment = vec![("TOKEN".into(), "s3cr3t-value".into())];
    spec.plan.env_added = vec!["TOKEN".to_owned()];
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    let folder = run.attached.run_dir().to_owned();
    let mut files = 0;
    let mut folders = vec![folder.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            // The record is replaced meanwhile, so its temporary file may already be gone.
            let (Ok(kind), Ok(of)) = (entry.file_type(), entry.metadata()) else { continue };
            let mode = of.permissions().mode();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                assert_eq!(mode & 0o077, 0, "{}", entry.path().display());
                let Ok(text) = fs::read(entry.path()) else { continue };
                files += 1;
                assert!(!text.windows(12).any(|part| part == b"s3cr3t-value"), "{}", entry.path().display());
            }
        }
    }
    assert!(files >= 4, "record, lock, prompt, log: {files}");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o077, 0);
    assert!(fs::read_to_string(folder.join("run.json")).unwrap().contains("TOKEN"));
}

#[test]
fn l7_3_stdin_that_is_not_used_is_at_its_end() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("repeat-stdin say end"));
    assert_eq!(run.wait_for_end(), GONE);
    assert_eq!(run.said(), "end\n");
}

#[test]
fn l7_3_a_text_on_stdin_arrives_whole_and_is_followed_by_the_end() {
    let stage = stage();
    let text = "ein Prompt, länger als jede Pipe\n".repeat(20_000);
    let mut run = stage.start(&stage.quick("repeat-stdin say end").with_stdin(text.clone()));
    assert_eq!(run.wait_for_end(), GONE);
    assert!(run.said() == text + "end\n");
}

#[test]
fn a_text_that_nobody_reads_holds_nothing_up() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("exit 4").with_stdin("x".repeat(1_000_000)));
    assert_eq!(run.wait_for_exit(), Exit::Code { code: 4 });
    assert_eq!(run.wait_for_end(), GONE);
}

#[test]
fn a_stream_on_stdin_is_open_until_it_is_closed() {
    let stage = stage();
    let mut spec = stage.quick("repeat-stdin say end").with_stdin("first\n");
    spec.plan.stdin = StdinKind::Stream;
    let mut run = stage.start(&spec);
    run.wait_for_text("first\n");
    run.attached.send_stdin("second\n").unwrap();
    run.wait_for_text("second\n");
    run.attached.send_stdin("third\n").unwrap();
    run.attached.close_stdin().unwrap();
    run.attached.send_stdin("too late\n").unwrap();
    assert_eq!(run.wait_for_end(), GONE);
    assert_eq!(run.said(), "first\nsecond\nthird\nend\n");
}

#[test]
fn l7_3_a_stream_is_closed_when_no_app_is_left_to_answer() {
    let stage = stage();
    let mut spec = stage.quick("say ready repeat-stdin say end forever");
    spec.plan.stdin = StdinKind::Stream;
    let mut run = stage.start(&spec);
    run.wait_for_text("ready");
    let run_dir = run.attached.run_dir().to_owned();
    drop(run);
    let log = LogReader::of_run(&run_dir);
    eventually("closed", || (output(&log, Stream::Out) == b"ready\nend\n").then_some(()));
    found_alive(&run_dir).attached.stop(StopReason::System, false).unwrap();
}

#[test]
fn both_streams_are_kept_apart_and_the_exit_code_arrives() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("say one complain two say three exit 7"));
    assert_eq!(run.wait_for_exit(), Exit::Code { code: 7 });
    run.wait_for_end();
    assert_eq!(run.said(), "one\nthree\n");
    assert_eq!(output(&run.attached.log(), Stream::Err), b"two\n");
    let record = run.record();
    assert_eq!(record.exit, Some(Exit::Code { code: 7 }));
    assert!(record.created_at <= record.started_at.unwrap());
    assert!(record.started_at <= record.exited_at);
    assert!(record.exited_at.unwrap() <= record.ended.unwrap().at);
}

#[test]
fn a_crash_is_a_signal() {
    let stage = stage();
    let mut run = stage.start(&stage.quick("abort"));
    assert_eq!(run.wait_for_exit(), Exit::Signal { signal: 6 });
}

#[test]
fn a_missing_program_or_folder_ends_the_run_and_is_named() {
    let stage = stage();
    for (program, folder) in [("no-such-program-anywhere", "/"), ("/bin/true", "/no/such/folder")] {
        let mut spec = stage.quick("");
        spec.plan.argv = vec![program.to_owned()];
        spec.plan.cwd = folder.into();
        let mut run = stage.start(&spec);
        let Exit::NotStarted { program: named, missing, why } = run.wait_for_exit() else {
            panic!("not started")
        };
        assert_eq!((named.as_str(), missing), (program, true), "{why}");
        assert_eq!(run.wait_for_end(), GONE);
        assert_eq!(run.record().child, None);
    }
}

#[test]
fn a_program_that_is_none_is_not_missing() {
    let stage = stage();
    let mut spec = stage.quick("");
    spec.plan.argv = vec!["/etc/passwd".to_owned()];
    let exit = stage.start(&spec).wait_for_exit();
    assert!(matches!(exit, Exit::NotStarted { missing: false, .. }), "{exit:?}");
}

#[test]
fn a_guardian_that_cannot_begin_is_an_error_with_its_reason() {
    let stage = stage();
    let spec = stage.quick("");
    let run_dir = stage.runs.join(&spec.plan.id);
    stage.start(&spec).wait_for_end();
    let again = loopdeck_runtime::runs::spawn(&stage.guardian, &run_dir, &spec).unwrap_err();
    assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
    let mut other = stage.guardian.clone();
    other.program = "/bin/true".into();
    let failed = loopdeck_runtime::runs::spawn(&other, &stage.runs.join("other"), &spec).unwrap_err();
    assert!(failed.to_string().contains("guardian"), "{failed}");
    let record = loopdeck_runtime::runs::RunRecord::read(&stage.runs.join("other"));
    assert!(record.is_err(), "no run that could be found: {record:?}");
}

#[test]
fn two_apps_see_the_same_run() {
    let stage = stage();
    let mut spec = stage.quick("say ready repeat-stdin exit 2");
    spec.plan.stdin = StdinKind::Stream;
    let mut first = stage.start(&spec);
    first.wait_for_text("ready");
    let mut second = found_alive(first.attached.run_dir());
    second.attached.ask_status().unwrap();
    second.wait_for("both are counted", |run| {
        run.notices
            .iter()
            .any(|notice| matches!(notice, RunNotice::Status(status) if status.apps == 2))
            .then_some(())
    });
    second.attached.send_stdin("from the second\n").unwrap();
    first.wait_for_text("from the second");
    first.attached.close_stdin().unwrap();
    for run in [&mut first, &mut second] {
        assert_eq!(run.wait_for_exit(), Exit::Code { code: 2 });
        assert_eq!(run.wait_for_end(), GONE);
    }
    // A later subscriber still learns what happened.
    let late: Vec<RunNotice> = first.attached.events().iter().collect();
    assert_eq!(late, [RunNotice::More, RunNotice::Exited(Exit::Code { code: 2 }), RunNotice::Ended(GONE)]);
}

#[test]
fn a_folder_with_a_long_name_is_no_obstacle() {
    let mut stage = stage();
    stage.runs = stage.runs.join("x".repeat(150));
    let mut run = stage.start(&stage.quick("say ready forever"));
    run.wait_for_text("ready");
    let second = found_alive(run.attached.run_dir());
    second.attached.stop(StopReason::System, false).unwrap();
    assert_eq!(run.wait_for_end(), StopReport::AllGone { ended: 1 });
}

#[test]
fn two_hundred_megabytes_of_long_lines_are_drained_and_bounded() {
    let stage = stage();
    let mut spec = stage.quick("say ready spam 200000000 1000000 complain over exit 0");
    spec.plan.log_cap = 32 << 20;
    let mut run = stage.start(&spec);
    assert_eq!(run.wait_for_exit(), Exit::Code { code: 0 });
    assert_eq!(run.wait_for_end(), GONE);
    let log = run.attached.log();
    assert!(log.end().unwrap() > 200_000_000, "all of it was read");
    assert!(size_of(&run.attached.run_dir().join("log")) <= 32 << 20);
    assert!(run.said().starts_with("ready\nxxx"), "the beginning is kept");
    assert!(
        errors(&log).ends_with(b"over\n"),
        "two pipes: where among the last lines it stands nobody knows"
    );
    let gap = log.read(0, usize::MAX).unwrap();
    let rest = log.read(gap.next, 1).unwrap();
    assert!(rest.dropped > 100_000_000, "{}", rest.dropped);
    let told = run.notices.iter().filter(|notice| matches!(notice, RunNotice::More)).count();
    assert!(told < 3_000, "told far less often than something was said: {told}");
}

fn size_of(folder: &Path) -> u64 {
    fs::read_dir(folder).unwrap().flatten().map(|entry| entry.metadata().unwrap().len()).sum()
}

/// Everything on stderr.
fn errors(log: &LogReader) -> Vec<u8> {
    let (mut said, mut from) = (Vec::new(), 0);
    loop {
        let window = log.read(from, 1 << 20).unwrap();
        let errors = window.pieces.iter().filter(|piece| piece.stream == Stream::Err);
        said.extend(errors.flat_map(|piece| piece.bytes.clone()));
        from = window.next;
        if window.at_end || window.pieces.is_empty() && window.dropped == 0 {
            return said;
        }
    }
}
