//! `docs/team.md`, command by command, on a real server.

use loopdeck_tests::driving::PASSING;
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::ports::free_port;
use loopdeck_tests::programs::write_program;
use loopdeck_tests::repository::{commit_all, git};
use loopdeck_tests::team::nats_server;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xtask::child::{Owned, TICK, bound_command};

const PATIENCE: Duration = Duration::from_secs(60);

/// The lines of all blocks with this mark: `sh` for the main way, `shell` for a cluster, `bash` for a server that asks for a token.
fn commands(mark: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/team.md")).unwrap();
    let begin = format!("```{mark}\n");
    let blocks = text.split(&*begin).skip(1).filter_map(|rest| rest.split("```").next().map(str::to_owned));
    blocks.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

struct Reader {
    folder: TempDir,
    port: u16,
    /// Each person has a folder of their own; otherwise one machine is everybody.
    apart: bool,
    running: Vec<Owned>,
}

impl Reader {
    /// One machine, for what only the operator does.
    fn new() -> Self {
        let folder = TempDir::with_prefix("loopdeck-team-").unwrap();
        Self { folder, port: free_port(), apart: false, running: Vec::new() }
    }

    /// Everybody with a clone of one repository, in which ada has a loop; the node has an agent.
    fn with_machines() -> Self {
        let reader = Self { apart: true, ..Self::new() };
        let shop = reader.place("ada").join("shop");
        fs::create_dir_all(shop.join(ROOT)).unwrap();
        fs::write(shop.join(".gitignore"), ".workflow/\n").unwrap();
        write_program(&shop.join("test.sh"), &format!("#!/bin/sh\n{PASSING}\n"));
        commit_all(&shop);
        fs::write(shop.join(ROOT).join(format!("{}.json", crate::ID)), loop_v2(crate::ID, "running"))
            .unwrap();
        for other in ["bob", "eve", "tower"] {
            fs::create_dir(reader.place(other)).unwrap();
            git(&reader.place(other), &["clone", "-q", &shop.to_string_lossy(), "shop"]);
        }
        for folder in ["operator", "bin"] {
            fs::create_dir(reader.place(folder)).unwrap();
        }
        write_program(&reader.place("bin").join("codex"), CODEX);
        reader
    }

    /// Where a person types.
    fn place(&self, who: &str) -> PathBuf {
        if self.apart { self.folder.path().join(who) } else { self.folder.path().to_owned() }
    }

    /// The command of a line, as this person types it.
    fn command(&self, line: &str, who: &str) -> Command {
        let line = line.replace("4222", &self.port.to_string());
        let mut words = line.split_whitespace();
        let mut command = match words.next().unwrap() {
            "loopdeck" => bound_command(env!("CARGO_BIN_EXE_loopdeck")),
            "nats-server" => bound_command(nats_server()),
            other => panic!("{other} is not known here"),
        };
        command.args(words).current_dir(self.place(who));
        command.env("LOOPDECK_DATA_DIR", self.folder.path().join(format!("data-{who}"))).stdin(Stdio::null());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        if who == "tower" {
            let path = std::env::var("PATH").unwrap();
            command.env("PATH", format!("{}:{path}", self.place("bin").display()));
            command.env("CODEX_API_KEY", "any");
        }
        command
    }

    fn run(&self, line: &str, who: &str) -> Output {
        let output = self.command(line, who).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        output
    }

    /// What a command prints.
    fn prints(&self, line: &str, who: &str) -> String {
        String::from_utf8(self.run(line, who).stdout).unwrap()
    }

    /// What a refused command says, which begins with its code.
    fn refused(&self, line: &str, who: &str, code: &str) -> String {
        let refused = self.command(line, who).output().unwrap();
        let says = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{line}: {says}");
        assert!(says.starts_with(&format!("loopdeck: {code}: ")), "{line}: {says}");
        assert!(!says.contains("\\n") && !says.contains('?'), "{says}");
        says
    }

    /// Runs beside the following commands.
    fn start(&mut self, line: &str, who: &str) {
        let mut command = self.command(line, who);
        let log = fs::File::create(self.folder.path().join(format!("{who}.log"))).unwrap();
        command.stdout(Stdio::null()).stderr(log);
        self.running.push(Owned::spawn(&mut command).unwrap());
    }

    /// What it said there.
    fn log(&self, who: &str) -> String {
        fs::read_to_string(self.folder.path().join(format!("{who}.log"))).unwrap_or_default()
    }

    fn wait_for_server(&self) {
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < deadline, "no server");
            std::thread::sleep(TICK); // a process that has no way to say that it listens
        }
    }

    /// The operator gives an invitation to its machine.
    fn hand_over(&self, invitation: &str, who: &str) {
        fs::copy(self.place("operator").join(invitation), self.place(who).join(invitation)).unwrap();
    }

    /// Bob sends, once the node has said what it offers.
    fn until_sent(&self, line: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let output = self.command(line, "bob").output().unwrap();
            if output.status.success() {
                return;
            }
            assert!(Instant::now() < deadline, "{output:?} {}", self.log("tower"));
        }
    }

    /// The server reads a new configuration in its own time.
    fn until_refused(&self, line: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.command(line, "ada").output().unwrap().status.code() != Some(2) {
            assert!(Instant::now() < deadline, "{line}");
        }
    }

    /// What a command of somebody prints, once it has `wanted`.
    fn until_prints(&self, line: &str, who: &str, wanted: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let out = self.prints(line, who);
            if out.contains(wanted) {
                return out;
            }
            assert!(Instant::now() < deadline, "{wanted} is not in {out} {}", self.log("tower"));
        }
    }
}

/// Codex, as far as Loopdeck can tell.
const CODEX: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "codex-cli 0.169.0"; exit; fi
prompt=$(cat)
case "$prompt" in
*'"task_id"'*)
    echo tidy >note.txt
    answer='{\"task_id\": \"task-001\", \"status\": \"completed\", \"summary\": \"Tidied\", \"files_changed\": [\"note.txt\"], \"needs\": null}'
    ;;
*)
    answer='{\"tasks\": [{\"id\": \"task-001\", \"description\": \"Tidy\", \"priority\": 1, \"files\": []}], \"needs\": null}'
    ;;
esac
echo '{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}'
echo '{"type":"turn.started"}'
printf '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"%s"}}\n' "$answer"
echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'
"#;

/// Who types a command of the page.
fn typist(line: &str) -> &'static str {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| line.starts_with(beginning));
    match () {
        () if begins(&["nats-server"]) => "operator",
        () if ["init", "setup", "invite", "members", "revoke"]
            .iter()
            .any(|word| line.starts_with(&format!("loopdeck team {word} "))) =>
        {
            "operator"
        }
        () if begins(&["loopdeck node"]) || line.ends_with("tower.json") => "tower",
        () if begins(&[
            "loopdeck team send",
            "loopdeck team runs",
            "loopdeck team take-in",
            "loopdeck list",
        ]) =>
        {
            "bob"
        }
        () => "ada",
    }
}

#[test]
fn every_command_of_the_page_about_teams_works() {
    let mut reader = Reader::with_machines();
    let (mut seen, mut id) = (0, String::new());
    for line in commands("sh") {
        let who = typist(&line);
        match line.as_str() {
            "nats-server -c team/server.conf" => {
                reader.start(&line, who);
                reader.wait_for_server();
            }
            "loopdeck team serve" => others_see_what_is_served(&mut reader, &line, who),
            "loopdeck team join tower.json" => {
                reader.hand_over("tower.json", who);
                reader.run(&line, who);
            }
            "loopdeck node" => {
                let more =
                    "--agent codex --level edit_files --command ./test.sh --command ./gone.sh --from bob";
                reader.run(&format!("loopdeck node allow shop {more}"), who);
                reader.start(&line, who);
            }
            _ if line.starts_with("loopdeck team send") => reader.until_sent(&line),
            "loopdeck team runs" => {
                let out = reader.until_prints(&line, who, "take-in");
                assert!(out.contains("  ended  ada.tower  Tidy"), "{out}");
                id = out.split_whitespace().next().unwrap().to_owned();
            }
            "loopdeck team take-in ID --yes-trust" => {
                a_result_is_taken_in(&reader, &line.replace("ID", &id), who);
                refusals_are_told(&reader);
            }
            "nats-server --signal reload" => {
                let server = reader.running[0].child().id();
                reader.run(&format!("{line}={server}"), who);
                let refused = reader.command("loopdeck team try eve.json", "eve").output().unwrap();
                assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            }
            "loopdeck team share shop --scope progress --steering leads" => {
                let out = reader.prints(&line, who);
                assert!(out.contains(crate::ID), "it says what would leave: {out}");
                assert!(
                    !reader.folder.path().join("data-ada/team/shares.json").exists(),
                    "and shares nothing"
                );
            }
            "loopdeck team share shop --rows-only" => {
                let out = reader.prints(&line, who);
                assert!(out.contains(crate::ID) && out.contains("Nothing is shared"), "{out}");
            }
            "loopdeck team try ada.json" => {
                reader.hand_over("ada.json", who);
                let out = reader.prints(&line, who);
                assert!(out.contains("not encrypted") && out.contains("May share loops"), "{out}");
            }
            _ => drop(reader.run(&line, who)),
        }
        seen += 1;
    }
    assert_eq!(seen, 27, "every command of the page");
}

/// Ada serves, and the others join and see her loop.
fn others_see_what_is_served(reader: &mut Reader, line: &str, who: &str) {
    for other in ["bob", "eve"] {
        reader.hand_over(&format!("{other}.json"), other);
        reader.run(&format!("loopdeck team join {other}.json"), other);
    }
    reader.start(line, who);
    for other in ["bob", "eve"] {
        reader.until_prints("loopdeck list --team --json", other, crate::ID);
    }
}

/// Bob takes in what the node did, once he says that he trusts the folder: it becomes a branch.
fn a_result_is_taken_in(reader: &Reader, line: &str, who: &str) {
    let says = reader.refused(line.trim_end_matches(" --yes-trust"), who, "run_untrusted");
    assert!(says.contains("add --yes-trust"), "{says}");
    reader.run(line, who);
    let shop = reader.place("bob").join("shop");
    let branch = git(&shop, &["for-each-ref", "--format=%(refname:short)", "refs/heads/loopdeck"]);
    assert_eq!(git(&shop, &["show", &format!("{branch}:note.txt")]), "tidy");
    let year = git(&shop, &["show", "-s", "--format=%ad %cd", "--date=format:%Y", &branch]);
    assert!(!year.contains("1970"), "the time of the work: {year}");
    assert!(!shop.join("note.txt").exists(), "nothing is checked out");
}

/// What no node takes is refused at once, or says why.
fn refusals_are_told(reader: &Reader) {
    let send = |on: &str, agent: &str, test: &str| {
        format!(
            "loopdeck team send shop --on {on} --goal Again --agent {agent} --level edit_files --test {test} --yes-trust"
        )
    };
    let says = reader.refused(&send("any", "gemini", "./test.sh"), "bob", "no_machine_has_agent");
    assert!(says.contains("gemini"), "{says}");
    let why = "ada.tower doesn’t run it: a command isn’t allowed there.";
    reader.run(&send("ada.tower", "codex", "./other.sh"), "bob");
    let out = reader.until_prints("loopdeck team runs", "bob", why);
    let id = out.split_whitespace().next().unwrap();
    assert!(out.starts_with(&format!("{id}  refused  ada.tower  Again")), "{out}");
    reader.refused(&format!("loopdeck team take-in {id} --yes-trust"), "bob", "no_result");
    let says = reader.refused(&format!("loopdeck team withdraw {id}"), "bob", "job_is_over");
    assert!(says.contains("over"), "{says}");

    reader.run(&send("any", "codex", "./third.sh"), "bob");
    let out = reader.until_prints("loopdeck team runs", "bob", "queued  -  Again\n");
    let id = out.split_whitespace().next().unwrap();
    let out = reader.until_prints("loopdeck team runs", "bob", &format!("{id}  queued  -  Again\n  {why}"));
    assert!(!out.contains("\\n"), "{out}");
    reader.run(&format!("loopdeck team withdraw {id}"), "bob");

    reader.run(&send("ada.tower", "codex", "./gone.sh"), "bob");
    reader.until_prints("loopdeck team runs", "bob", "  Asks: Couldn’t run the test command.\n");
    let out = reader.prints("loopdeck node rules", "tower");
    assert!(out.contains("\n    ./test.sh\n") && !out.contains("\\n"), "{out}");
}

#[test]
fn what_a_node_cannot_do_is_refused_with_what_would_work() {
    let reader = Reader::with_machines();
    let allow = |agent: &str| format!("loopdeck node allow shop --agent {agent} --level edit_files");
    let says = reader.refused(&allow("codex"), "tower", "node_no_team");
    assert!(says.contains("loopdeck team join"), "{says}");
    reader.run("loopdeck team init team --server nats://127.0.0.1:4222", "operator");
    let invite = |rest: &str| format!("loopdeck team invite team ada.tower {rest} -o tower.json");
    reader.refused(&invite("--until 2020-01-31"), "operator", "until_past");
    assert!(!reader.place("operator").join("tower.json").exists(), "nobody is invited");
    let out = reader.prints(&invite("--role member"), "operator");
    assert!(!out.contains("earlier"), "{out}");
    reader.hand_over("tower.json", "tower");
    reader.run("loopdeck team join tower.json", "tower");
    for (agent, code) in [("shell", "node_no_shell"), ("odd", "node_no_agent")] {
        let says = reader.refused(&allow(agent), "tower", code);
        assert!(says.contains("codex") && says.contains(agent), "{says}");
    }
    assert!(!reader.folder.path().join("data-tower/choices.json").exists(), "nothing is trusted");
    let out = reader.prints(&allow("codex"), "tower");
    assert!(out.contains("joined as member"), "{out}");
    let first_words = |node: &mut Command| {
        let mut node = Owned::spawn(node.stderr(Stdio::piped()).stdout(Stdio::null())).unwrap();
        let mut said = String::new();
        BufReader::new(node.child().stderr.take().unwrap()).read_line(&mut said).unwrap();
        said
    };
    let said = first_words(&mut reader.command("loopdeck node", "tower"));
    assert!(said.contains("joined as member") && said.contains("loopdeck team serve"), "{said}");
    let out = reader.prints(&invite("--role node"), "operator");
    assert!(out.contains("earlier invitation") && out.contains("--signal reload"), "{out}");
    reader.hand_over("tower.json", "tower");
    reader.run("loopdeck team join tower.json", "tower");
    reader.run("loopdeck node forbid shop", "tower");
    let said = first_words(&mut reader.command("loopdeck node", "tower"));
    assert!(said.contains("loopdeck node allow"), "{said}");
}

#[test]
fn every_command_about_a_cluster_works() {
    let mut reader = Reader::new();
    let ports = [reader.port, free_port(), free_port()];
    let mut seen = 0;
    for line in commands("shell") {
        let mut line = line.replace("4223", &ports[1].to_string()).replace("4224", &ports[2].to_string());
        if let Some(configuration) = line.strip_prefix("nats-server -c ") {
            // Each is started on a machine of its own.
            line = format!("nats-server -c {}", reader.folder.path().join(configuration).display());
            let mut command = reader.command(&line, "operator");
            let machine = reader.folder.path().join(format!("machine-{seen}"));
            fs::create_dir(&machine).unwrap();
            command.current_dir(machine).stdout(Stdio::null()).stderr(Stdio::null());
            reader.running.push(Owned::spawn(&mut command).unwrap());
        } else if line.contains("setup") {
            let deadline = Instant::now() + PATIENCE;
            while !reader.command(&line, "operator").output().unwrap().status.success() {
                assert!(Instant::now() < deadline, "the three elected nobody");
            }
        } else {
            reader.run(&line, "operator");
        }
        seen += 1;
    }
    assert_eq!(seen, 5, "every command of the section");
}

#[test]
fn every_command_for_a_server_that_asks_for_a_token_works() {
    let mut reader = Reader::new();
    let (old, new) = ("token-of-the-company\n", "new-token-of-the-company\n");
    fs::write(reader.folder.path().join("token.txt"), old).unwrap();
    fs::write(reader.folder.path().join("new-token.txt"), new).unwrap();
    let mut seen = 0;
    for line in commands("bash") {
        let out = String::from_utf8(reader.run(&line, "ada").stdout).unwrap();
        match line.split(' ').nth(2).unwrap() {
            "init" => {
                reader.start("nats-server -c company/server.conf", "operator");
                reader.wait_for_server();
            }
            "try" => assert!(out.contains("The server asks only for a token"), "{out}"),
            "revoke" => assert!(out.contains("can still log in") && out.contains("team token"), "{out}"),
            "token" => {
                let server = reader.running[0].child().id();
                reader.run(&format!("nats-server --signal reload={server}"), "operator");
                reader.until_refused("loopdeck team try ada-company.json");
                reader.run("loopdeck team setup company", "operator");
            }
            _ => {}
        }
        seen += 1;
    }
    assert_eq!(seen, 6, "every command of the section");
    let members = String::from_utf8(reader.run("loopdeck team members company", "ada").stdout).unwrap();
    assert!(members.contains("ada.laptop  member  revoked"), "{members}");
}

#[test]
fn a_file_without_a_usable_token_makes_no_team() {
    let reader = Reader::new();
    fs::write(reader.folder.path().join("short.txt"), "short\n").unwrap();
    for (file, code) in [("short.txt", "bad_token"), ("missing.txt", "unreadable")] {
        let line = format!("loopdeck team init company --server nats://127.0.0.1:4222 --token-file {file}");
        let refused = reader.command(&line, "ada").output().unwrap();
        let says = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{says}");
        assert!(says.contains(code) && says.contains(file), "{says}");
        assert!(!reader.folder.path().join("company").exists(), "nothing is made");
    }
    reader.run("loopdeck team init team --server nats://127.0.0.1:4222", "ada");
    let line = "loopdeck team token team --token-file short.txt";
    let refused = reader.command(line, "ada").output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "its server asks for credentials: {refused:?}");
}
