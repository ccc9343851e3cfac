//! From an issue to a merged pull request in the real window, with real git and a `gh` that answers as recorded.
#![allow(clippy::disallowed_methods, reason = "the server of git is a program that the test starts and ends")]

use loopdeck_tests::driving::{develops, planned};
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::runs::eventually;
use loopdeck_tests::scripted::{Output, Rule, Scripted, Step};
use loopdeck_tests::window::loops::{
    Form, SOON, WHOLE, add_agent, choose, next, press, row, wait_for_text, wait_for_word, wait_until_gone,
};
use loopdeck_tests::window::shop::{Shop, write};
use loopdeck_tests::window::{App, Stage, keys};
use serde_json::{Value, json};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

const AGENT: &str = env!("CARGO_BIN_EXE_scripted_agent");
const DIALOG: &str = "[data-testid=finish-dialog]";

const GH: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$*" >>"$here/asked"
case "$1 $2" in
"pr create") for one; do case $one in --body-file=*) cat "${one#--body-file=}" >"$here/body";; esac; done
  echo https://github.com/o/r/pull/7;;
"pr view") cat "$here/pull.json";;
"issue view") echo '{"number":12,"title":"Sign the badge","body":"It has no name.","url":"https://github.com/o/r/issues/12"}';;
"api --hostname=github.com") echo '[]';;
*) echo "not signed in" >&2; exit 4;;
esac
"#;

/// A pull request as `gh pr view` tells it.
fn pull_request(state: &str, check: &str) -> String {
    let check = json!({ "__typename": "CheckRun", "conclusion": check, "name": "build", "status": "COMPLETED",
        "detailsUrl": "https://github.com/o/r/actions/runs/1", "workflowName": "CI" });
    json!({ "number": 7, "url": "https://github.com/o/r/pull/7", "title": "Sign the badge", "state": state, "isDraft": false,
        "reviewDecision": "", "latestReviews": [], "statusCheckRollup": [check] })
    .to_string()
}

/// The folder of the person's own programs.
fn own_programs(stage: &Stage) -> PathBuf {
    let bin = stage.folder().join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("gh"), GH).unwrap();
    fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(bin.join("pull.json"), pull_request("OPEN", "FAILURE")).unwrap();
    fs::write(stage.folder().join(".gitconfig"), "[user]\nname = Ana\nemail = ana@example.org\n").unwrap();
    bin
}

/// Ticks every box of the list.
fn tick() -> Step {
    Step::Shell("sed -i 's/^- \\[ \\]/- [x]/' .ralph/*/TODO.md".into())
}

/// Claims everything at once, then does it; later it works off whatever there is.
fn agent() -> Scripted {
    let add = |word: &str| Step::Shell(format!("echo {word} >>badge.txt"));
    let rules = vec![
        Rule::on("iterate").times(1).then(tick()),
        Rule::on("iterate").times(1).then(write("made")).then(add("signed")),
        Rule::on("iterate").then(add("more")).then(tick()),
    ];
    Scripted { output: Output::Text, rules }
}

/// The repository, with git's own server in the place of the forge. It ends with the second.
fn shared(stage: &Stage, folder: &Path) -> (PathBuf, Server) {
    fs::write(folder.join(".gitignore"), ".scripted-agent.json.runs\n.ralph\n.workflow\n").unwrap();
    fs::write(folder.join("badge.txt"), "badge\n").unwrap();
    commit_all(folder);
    let shared = stage.folder().join("shared.git");
    git(stage.folder(), &["init", "-q", "--bare", "shared.git"]);
    git(folder, &["remote", "add", "origin", "https://github.com/o/r.git"]);
    let server = Server::start(stage.folder());
    git(folder, &["config", "remote.origin.pushurl", &format!("git://127.0.0.1:{}/shared.git", server.port)]);
    (shared, server)
}

/// `git daemon` on a port of its own.
struct Server {
    port: u16,
    process: Child,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // The program itself, not `git` as its parent: it ends when it is told to.
        let program = Path::new(&git(folder, &["--exec-path"])).join("git-daemon");
        let mut command = Command::new(program);
        command.args(["--listen=127.0.0.1", "--export-all", "--enable=receive-pack"]);
        command.arg(format!("--port={port}")).arg(format!("--base-path={}", folder.display()));
        let process = command.spawn().unwrap();
        eventually("git's server", || TcpStream::connect(("127.0.0.1", port)).ok());
        Self { port, process }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Types into the field with this label within the dialog.
fn fill(app: &App<'_>, label: &str, text: &str) {
    let mark = format!(
        "const label = {};\
         const all = [...document.querySelectorAll('{DIALOG} input, {DIALOG} textarea')];\
         document.querySelectorAll('[data-field-meant]').forEach((one) => one.removeAttribute('data-field-meant'));\
         const meant = all.find((one) => [...one.labels].some((its) => its.textContent.trim().startsWith(label)));\
         meant?.toggleAttribute('data-field-meant', true);\
         return meant !== undefined && !meant.disabled && meant.getClientRects().length > 0;",
        Value::from(label)
    );
    assert!(app.page.holds_within(&mark, SOON), "no {label:?}");
    app.page.fill("[data-field-meant]", text);
}

fn open_finish(app: &App<'_>) {
    press(app, "[data-pane=header]", "Finish…");
    app.page.find(&format!("{DIALOG} .files"));
}

fn close_finish(app: &App<'_>) {
    press(app, DIALOG, "Close");
    wait_until_gone(app, DIALOG);
}

#[test]
fn an_issue_becomes_a_proven_reviewed_and_merged_change() {
    let stage = Stage::new("way-out");
    let bin = own_programs(&stage);
    let shop = Shop::new(&stage, "shop", &agent());
    let (shared, _server) = shared(&stage, &shop.folder);
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    app.page.resize(1280, 800);

    start_from_issue(&app, &shop);
    // It claims too early, is sent back, and is proven.
    wait_for_word(&app, "Completed", WHOLE);
    wait_for_text(&app, "main", "1 claimed, 1 proven");
    wait_for_text(&app, "main", "not passed");
    app.screenshot("2-proven");
    assert!(shop.folder.join("made").exists());

    give_two_comments(&app, &shop);
    commit_and_send(&app, &shop, (&bin, &shared));

    // Its check fails, is taken in, and becomes work.
    press(&app, DIALOG, "Take in checks and reviews");
    wait_for_text(&app, DIALOG, "1 failed checks");
    press(&app, DIALOG, "Give comments to the loop (1)");
    wait_for_text(&app, DIALOG, "Comments given to the loop: 1");
    close_finish(&app);
    go_on(&app, &shop);
    open_finish(&app);
    press(&app, DIALOG, "Commit");
    wait_for_text(&app, DIALOG, "Committed as");
    fs::write(bin.join("pull.json"), pull_request("MERGED", "SUCCESS")).unwrap();
    press(&app, DIALOG, "Check again");
    wait_for_text(&app, DIALOG, "Merged");
    app.screenshot("5-merged");
    close_finish(&app);
    wait_for_text(&app, "main [data-testid=pull-request]", "Merged");
    app.screenshot("6-page");
    app.page.click("[data-testid=nav-loops]");
    wait_for_text(&app, &row("Sign the badge"), "#7");
    app.screenshot("7-list");
    shop.is_quiet();
}

#[test]
fn kept_evidence_is_committed_with_the_files_of_its_loop() {
    let stage = Stage::new("evidence");
    own_programs(&stage);
    let rules = vec![planned(1), develops("task-001").then(write("made"))];
    let script = Scripted { output: Output::Text, rules };
    let shop = Shop::new(&stage, "shop", &script);
    fs::write(shop.folder.join(".gitignore"), ".scripted-agent.json.runs\n").unwrap();
    commit_all(&shop.folder);
    let app = stage.open(&[shop.folder.as_os_str()]);
    add_agent(&app, "scripted", AGENT, "text");
    app.page.resize(1280, 800);
    Form::new("Make it", &shop.folder).fill(&app);
    press(&app, "[data-testid=proof]", "Add a check");
    app.page.fill("[data-testid=proof-0-value]", "test -e made");
    app.page.type_into("[data-testid=keep-evidence]", " ");
    app.screenshot("1-kept");
    app.page.click("[data-testid=start-next]");
    app.page.find("[data-testid=tab-overview]");
    wait_for_word(&app, "Completed", WHOLE);

    open_finish(&app);
    wait_for_text(&app, DIALOG, ".evidence.jsonl");
    app.screenshot("2-finish");
    press(&app, DIALOG, "Commit");
    wait_for_text(&app, DIALOG, "Committed as");
    let [state] = shop.files().try_into().unwrap();
    let committed = git(&shop.folder, &["show", "--format=", "--name-only"]);
    let names = ["json", "evidence.jsonl"].map(|ending| state.with_extension(ending));
    for name in names.iter().map(|path| path.strip_prefix(&shop.folder).unwrap().to_str().unwrap()) {
        assert!(committed.lines().any(|line| line == name), "{name} in {committed}");
    }
    assert!(committed.lines().any(|line| line == "made"), "{committed}");
    assert!(!committed.contains(".progress/"), "{committed}");
    shop.is_quiet();
}

/// Two comments become work of the loop, which is reopened.
fn give_two_comments(app: &App<'_>, shop: &Shop<'_>) {
    open_finish(app);
    press(app, &format!("{DIALOG} .files"), "badge.txt");
    wait_for_text(app, &format!("{DIALOG} [data-testid=diff]"), "signed");
    comment(app, "Why so short?", Some(2));
    comment(app, "And who is it?", None);
    press(app, DIALOG, "Give comments to the loop (2)");
    wait_for_text(app, DIALOG, "Comments given to the loop: 2");
    wait_for_text(app, DIALOG, "Item of the list");
    app.screenshot("3-comments");
    close_finish(app);
    assert!(todo(shop).contains("- [ ] badge.txt:2: Why so short?"), "{}", todo(shop));
    go_on(app, shop);
}

/// The work is committed on a branch of its own, and sent as a pull request.
fn commit_and_send(app: &App<'_>, shop: &Shop<'_>, (bin, shared): (&Path, &Path)) {
    open_finish(app);
    wait_for_text(app, DIALOG, "File changed in iteration 3");
    fill(app, "New branch", "sign-the-badge");
    press(app, DIALOG, "Create branch");
    wait_for_text(app, DIALOG, "The work is on sign-the-badge.");
    press(app, DIALOG, "Commit");
    wait_for_text(app, DIALOG, "Committed as");
    app.screenshot("4-committed");
    let made = git(&shop.folder, &["log", "-1", "--format=%an: %B"]);
    assert!(made.starts_with("Ana: Sign the badge") && made.ends_with("Closes #12"), "{made}");
    press(app, DIALOG, "Send sign-the-badge to");
    press(app, DIALOG, "Send the branch");
    wait_for_text(app, DIALOG, "was sent to");
    assert!(git(shared, &["log", "-1", "--format=%s", "sign-the-badge"]).starts_with("Sign the badge"));
    press(app, DIALOG, "Create pull request");
    wait_for_text(app, DIALOG, "Failed");
    let body = fs::read_to_string(bin.join("body")).unwrap();
    assert!(body.contains("proven") && body.ends_with("Closes #12\n"), "{body}");
}

/// Starts a list for the issue, with one check.
fn start_from_issue(app: &App<'_>, shop: &Shop<'_>) {
    let form = Form { recipe: "build_feature", ..Form::new("Sign the badge", &shop.folder) };
    form.fill(app);
    app.page.click("[data-testid=expert] summary");
    choose(app, "start-format", "ralph");
    app.page.click("[data-testid=start-back]");
    app.page.find("[data-testid=start-page][data-page=work]");
    app.page.fill("[data-testid=goal]", " ");
    app.page.click("details:has([data-testid=issue-named]) summary");
    app.page.fill("[data-testid=issue-named]", "#12");
    app.page.click("[data-testid=issue-look]");
    wait_for_text(app, "[data-testid=issue]", "Sign the badge");
    app.page.click("[data-testid=add-start-task]");
    app.page.fill("[data-testid=task-1]", "Write the name on it");
    app.screenshot("1-issue");
    next(app, "run");
    press(app, "[data-testid=proof]", "Add a check");
    app.page.fill("[data-testid=proof-0-value]", "test -e made || { echo not made; exit 1; }");
    app.page.click("[data-testid=start-next]");
    app.page.find("[data-testid=tab-overview]");
}

fn comment(app: &App<'_>, text: &str, line: Option<u32>) {
    fill(app, "Comment", text);
    if let Some(line) = line {
        fill(app, "Line", &line.to_string());
    }
    press(app, DIALOG, "Add comment");
    wait_for_text(app, DIALOG, text);
}

/// Reopens the loop, which ends once everything is done and proven.
fn go_on(app: &App<'_>, shop: &Shop<'_>) {
    let before = shop.starts().len();
    app.page.click("[data-pane=header] [data-testid=verb-reopen]");
    app.page.find("[data-testid=verb-dialog]");
    app.page.press(&[keys::ENTER]);
    wait_until_gone(app, "[data-testid=verb-dialog]");
    // The word is the same before it goes on: what it leaves behind is not.
    eventually("more work", || (shop.starts().len() > before).then_some(()));
    wait_for_word(app, "Completed", WHOLE);
    assert!(!todo(shop).contains("- [ ]"), "{}", todo(shop));
}

/// The list of the only loop.
fn todo(shop: &Shop<'_>) -> String {
    let mut folders = fs::read_dir(shop.folder.join(".ralph")).unwrap().flatten();
    fs::read_to_string(folders.next().unwrap().path().join("TODO.md")).unwrap()
}
