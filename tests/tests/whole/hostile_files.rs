//! Files from a workspace are untrusted: each gives a clear problem, and none hangs, escapes or hides
//! another.

use loopdeck_core::control::Verb;
use loopdeck_core::formats::aot;
use loopdeck_core::problem::ProblemCode as P;
use loopdeck_core::status::StatusWord;
use loopdeck_core::step::RepairCode;
use loopdeck_runtime::views::{FailureKind, VerbOptions};
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use loopdeck_tests::{live, steps};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const AOT: &str = ".claude/aot-loop-state.md";

fn root(workspace: &Path) -> std::path::PathBuf {
    workspace.join(ROOT)
}

fn problem(live: &Live, name: &str) -> P {
    let row = live.row(name).unwrap_or_else(|| panic!("{name} is not listed"));
    assert_eq!(row.word, StatusWord::CannotRead, "{name}");
    let code = row.problem.as_ref().unwrap_or_else(|| panic!("{name} says nothing")).code;
    // Its page opens too, with the same problem.
    let page = live.runtime.open_loop(&row.key).unwrap();
    assert!(page.detail.problems.iter().any(|problem| problem.code == code), "{name}");
    code
}

#[test]
fn things_that_are_no_plain_files() {
    let live = Live::with(|workspace| {
        let root = root(workspace);
        let fifo = root.join("loop-v2-fifo.json");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        fs::create_dir(root.join("loop-v2-folder.json")).unwrap();
        std::os::unix::net::UnixListener::bind(root.join("loop-v2-socket.json")).map(drop).unwrap();
        symlink("/dev/zero", root.join("loop-v2-device.json")).unwrap();
        symlink("/nowhere/at/all", root.join("loop-v2-dangling.json")).unwrap();
        symlink("loop-v2-circle.json", root.join("loop-v2-circle.json")).unwrap();
    });
    assert_eq!(problem(&live, "loop-v2-fifo.json"), P::F2_not_a_file);
    assert_eq!(problem(&live, "loop-v2-folder.json"), P::F2_not_a_file);
    assert_eq!(problem(&live, "loop-v2-socket.json"), P::F2_not_a_file);
    assert_eq!(problem(&live, "loop-v2-device.json"), P::F3_outside_workspace);
    assert_eq!(problem(&live, "loop-v2-dangling.json"), P::F4_not_readable);
    assert_eq!(problem(&live, "loop-v2-circle.json"), P::F4_not_readable);
}

#[test]
fn links_are_followed_only_inside_the_workspace() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.json"), loop_v2("loop-v2-out", "running")).unwrap();
    fs::create_dir(outside.path().join("loops")).unwrap();
    fs::write(outside.path().join("loops/loop-v2-far.json"), loop_v2("loop-v2-far", "running")).unwrap();
    let live = Live::with(|workspace| {
        symlink(outside.path().join("secret.json"), root(workspace).join("loop-v2-out.json")).unwrap();
        fs::write(workspace.join("inside.json"), loop_v2("loop-v2-in", "paused")).unwrap();
        symlink(workspace.join("inside.json"), root(workspace).join("loop-v2-in.json")).unwrap();
        symlink(outside.path().join("loops"), workspace.join(".loop")).unwrap();
    });
    assert_eq!(problem(&live, "loop-v2-out.json"), P::F3_outside_workspace);
    assert_eq!(live.row("loop-v2-in.json").unwrap().word, StatusWord::Paused);
    let far = &live.rows[".loop/loop-v2-far.json"];
    assert_eq!(far.problem.as_ref().map(|problem| problem.code), Some(P::F3_outside_workspace));
    assert!(!far.title.contains("Title of"), "nothing of it was read");
}

/// Everything that changes a loop reads it first, and stops there.
#[test]
fn nothing_is_written_through_a_folder_that_is_a_link_out_of_the_workspace() {
    let outside = tempfile::tempdir().unwrap();
    let far = outside.path().join("aot-loop-state.md");
    fs::write(&far, live::aot("running", 1)).unwrap();
    let live = Live::with(|workspace| symlink(outside.path(), workspace.join(".claude")).unwrap());
    let key = live.rows[AOT].key.clone();
    let page = live.runtime.open_loop(&key).unwrap();
    let codes: Vec<P> = page.detail.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [P::F3_outside_workspace], "its page says so too");
    let add =
        aot::Correction::AddAtom(aot::NewAtom { description: "more".into(), ..aot::NewAtom::default() });
    let redirect = aot::AotOperation::Redirect { change: add, description: "why".into() };
    let changes = [steps::aot(redirect), steps::aot(aot::AotOperation::HoldForRedirect)];
    for change in changes.into_iter().chain([steps::repair(RepairCode::Layout)]) {
        let failure = live.runtime.change(&key, change.clone()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unreadable, "{change:?}");
    }
    assert!(live.runtime.act(&key, Verb::Stop, VerbOptions::default()).is_err());
    assert_eq!(fs::read_to_string(&far).unwrap(), live::aot("running", 1));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_link_inside_the_workspace_stays_a_link_when_it_is_written() {
    let mut live = Live::with(|workspace| {
        fs::write(workspace.join("inside.json"), loop_v2("loop-v2-in", "running")).unwrap();
        symlink(workspace.join("inside.json"), root(workspace).join("loop-v2-in.json")).unwrap();
    });
    live.act("loop-v2-in.json", Verb::Pause).unwrap();
    live.wait_for_word("loop-v2-in.json", StatusWord::Paused);
    assert!(live.path("loop-v2-in.json").is_symlink());
    assert!(fs::read_to_string(live.workspace.join("inside.json")).unwrap().contains("\"paused\""));
}

#[test]
fn content_made_to_hurt() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let live = Live::with(|workspace| {
        let root = root(workspace);
        let write = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).unwrap();
        let huge = fs::File::create(root.join("loop-v2-huge.json")).unwrap();
        huge.set_len(64 << 20).unwrap();
        write("loop-v2-deep.json", loop_v2("loop-v2-deep", "running").replacen("\"\"", &deep, 1).as_bytes());
        write(
            "loop-v2-latin.json",
            b"{\"loop_id\": \"loop-v2-latin\", \"title\": \"\xff\xfe\", \"status\": \"running\"}",
        );
        write("loop-v2-empty.json", b"");
        write("loop-v2-nul.json", &[0; 4_096]);
        write("loop-v2-list.json", b"[1, 2]");
        let old_tail = format!("{}\n  \"updated_at\": \"x\"\n}}", loop_v2("loop-v2-tail", "running"));
        write("loop-v2-tail.json", old_tail.as_bytes());
    });
    assert_eq!(problem(&live, "loop-v2-huge.json"), P::F1_too_large);
    assert_eq!(problem(&live, "loop-v2-deep.json"), P::F7_too_deep);
    assert_eq!(problem(&live, "loop-v2-latin.json"), P::F6_not_utf8);
    assert_eq!(problem(&live, "loop-v2-empty.json"), P::F5_empty);
    assert_eq!(problem(&live, "loop-v2-nul.json"), P::E1_not_json);
    assert_eq!(problem(&live, "loop-v2-list.json"), P::E1_not_json);
    assert_eq!(problem(&live, "loop-v2-tail.json"), P::E1_trailing_garbage);
}

#[test]
fn an_aot_file_that_is_empty_or_huge_says_so() {
    for (size, code) in [(0, P::F5_empty), (64 << 20, P::F1_too_large)] {
        let live = Live::with(|workspace| {
            fs::create_dir_all(workspace.join(".claude")).unwrap();
            fs::File::create(workspace.join(AOT)).unwrap().set_len(size).unwrap();
        });
        assert_eq!(problem(&live, AOT), code, "{size} bytes");
    }
}

#[test]
fn aot_content_made_to_hurt() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n\
                d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
    let flow = "[".repeat(200_000);
    let nested = "- ".repeat(20_000);
    for (name, text) in [("bomb", bomb), ("flow", flow.as_str()), ("nested", nested.as_str())] {
        let live = Live::with(|workspace| {
            fs::create_dir_all(workspace.join(".claude")).unwrap();
            fs::write(workspace.join(".claude/aot-loop-state.md"), format!("---\n{text}\n---\n# x\n"))
                .unwrap();
        });
        let row = &live.rows[".claude/aot-loop-state.md"];
        assert!(row.errors > 0, "{name}: {row:?}");
        assert!(live.runtime.open_loop(&row.key).is_ok(), "{name}");
    }
}

#[test]
fn an_id_that_is_a_path_leads_nowhere() {
    let live = Live::with(|workspace| {
        fs::write(root(workspace).join("loop-v2-a.json"), loop_v2("../../x", "paused")).unwrap();
    });
    let row = live.row("loop-v2-a.json").unwrap();
    assert_eq!(row.id, "loop-v2-a");
    assert!(row.problem.as_ref().is_some_and(|problem| problem.code == P::E5_id_is_path), "{row:?}");
    let named = |key: &str| live.runtime.open_loop(key).is_err();
    let workspace = row.workspace.clone();
    for path in ["../../../etc/passwd", "/etc/passwd", ".workflow/.loop/../../inside.json"] {
        assert!(named(&format!("{workspace}:{path}")), "{path}");
    }
    assert!(live.runtime.document(&row.key, "../../../etc/passwd", 1, 10).is_err());
}
