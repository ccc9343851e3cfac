//! `docs/team.md`, command by command, on a real server.

use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::ports::free_port;
use loopdeck_tests::team::nats_server;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xtask::child::{Owned, TICK, bound_command};

const PATIENCE: Duration = Duration::from_secs(60);

/// The lines of all blocks with this mark: `sh` for the main way, `bash` for a server that asks for a token.
fn commands(mark: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/team.md")).unwrap();
    let begin = format!("```{mark}\n");
    let blocks = text.split(&*begin).skip(1).filter_map(|rest| rest.split("```").next().map(str::to_owned));
    blocks.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

struct Reader {
    folder: TempDir,
    port: u16,
    running: Vec<Owned>,
}

impl Reader {
    fn new() -> Self {
        let folder = TempDir::with_prefix("loopdeck-team-").unwrap();
        let shop = folder.path().join("shop").join(ROOT);
        fs::create_dir_all(&shop).unwrap();
        fs::write(shop.join(format!("{}.json", crate::ID)), loop_v2(crate::ID, "running")).unwrap();
        let port = free_port();
        Self { folder, port, running: Vec::new() }
    }

    /// The command of a line, for the machine whose data is in `data`.
    fn command(&self, line: &str, data: &str) -> Command {
        let line = line.replace("4222", &self.port.to_string());
        let mut words = line.split_whitespace();
        let mut command = match words.next().unwrap() {
            "loopdeck" => bound_command(env!("CARGO_BIN_EXE_loopdeck")),
            "nats-server" => bound_command(nats_server()),
            other => panic!("{other} is not known here"),
        };
        command.args(words).current_dir(self.folder.path());
        command.env("LOOPDECK_DATA_DIR", self.folder.path().join(data)).stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str, data: &str) -> Output {
        let output = self.command(line, data).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        output
    }

    /// Runs beside the following commands.
    fn start(&mut self, line: &str, data: &str) {
        let mut command = self.command(line, data);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.running.push(Owned::spawn(&mut command).unwrap());
    }

    fn wait_for_server(&self) {
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < deadline, "no server");
            std::thread::sleep(TICK); // a process that has no way to say that it listens
        }
    }

    /// The shop as a repository, here the clone of everybody.
    fn make_repository(&self) {
        let shop = self.folder.path().join("shop");
        if !shop.join(".git").exists() {
            loopdeck_tests::repository::commit_all(&shop);
        }
    }

    /// Bob sends, once the node has said what it offers.
    fn until_sent(&self, line: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let output = self.command(line, "bob").output().unwrap();
            if output.status.success() {
                return;
            }
            assert!(Instant::now() < deadline, "{output:?}");
        }
    }

    /// The server reads a new configuration in its own time.
    fn until_refused(&self, line: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.command(line, "ada").output().unwrap().status.code() != Some(2) {
            assert!(Instant::now() < deadline, "{line}");
        }
    }

    /// What bob sees, once it has `wanted`.
    fn bob_sees(&self, wanted: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let out = String::from_utf8(self.run("loopdeck list --team --json", "bob").stdout).unwrap();
            if out.contains(wanted) {
                return;
            }
            assert!(Instant::now() < deadline, "{wanted} is not in {out}");
        }
    }
}

#[test]
fn every_command_of_the_page_about_teams_works() {
    let mut reader = Reader::new();
    let mut seen = 0;
    for line in commands("sh") {
        match line.as_str() {
            "nats-server -c team/server.conf" => {
                reader.start(&line, "operator");
                reader.wait_for_server();
            }
            "loopdeck team serve" => {
                reader.run("loopdeck team join bob.json", "bob");
                reader.start(&line, "ada");
                reader.bob_sees(crate::ID);
            }
            "loopdeck team join tower.json" => drop(reader.run(&line, "tower")),
            _ if line.starts_with("loopdeck node") => {
                reader.make_repository();
                match line.as_str() {
                    "loopdeck node" => reader.start(&line, "tower"),
                    _ => drop(reader.run(&line, "tower")),
                }
            }
            _ if line.starts_with("loopdeck team send") => {
                reader.until_sent(&line);
                let out = String::from_utf8(reader.run("loopdeck team runs --json", "bob").stdout).unwrap();
                let runs: serde_json::Value = serde_json::from_str(&out).unwrap();
                let id = runs[0]["id"].as_str().unwrap().to_owned();
                assert_eq!(runs[0]["stage"], "queued", "no agent of this name is there: {out}");
                reader.run(&format!("loopdeck team withdraw {id}"), "bob");
                let early = reader.command(&format!("loopdeck team take-in {id}"), "bob").output().unwrap();
                assert_eq!(early.status.code(), Some(2), "there is nothing to take: {early:?}");
            }
            "loopdeck team runs" => {
                let out = String::from_utf8(reader.run(&line, "bob").stdout).unwrap();
                assert!(out.contains("Tidy"), "{out}");
            }
            "nats-server --signal reload" => {
                let server = reader.running[0].child().id();
                reader.run(&format!("{line}={server}"), "operator");
                let refused = reader.command("loopdeck team try eve.json", "eve").output().unwrap();
                assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            }
            "loopdeck team share shop --scope progress --steering leads" => {
                let out = String::from_utf8(reader.run(&line, "ada").stdout).unwrap();
                assert!(out.contains(crate::ID), "it says what would leave: {out}");
                assert!(!reader.folder.path().join("ada/team/shares.json").exists(), "and shares nothing");
            }
            "loopdeck team share shop --rows-only" => {
                let out = String::from_utf8(reader.run(&line, "ada").stdout).unwrap();
                assert!(out.contains(crate::ID) && out.contains("Nothing is shared"), "{out}");
            }
            "loopdeck team try ada.json" => {
                let out = String::from_utf8(reader.run(&line, "ada").stdout).unwrap();
                assert!(out.contains("not encrypted") && out.contains("May share loops"), "{out}");
            }
            _ => drop(reader.run(&line, "ada")),
        }
        seen += 1;
    }
    assert_eq!(seen, 26, "every command of the page");
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
