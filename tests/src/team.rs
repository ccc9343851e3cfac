//! Real servers and machines of a team: each machine with a runtime, a workspace and data of its own.

mod machine;

pub use self::machine::Machine;
use crate::driving::{PASSING, add_agent};
use crate::ports::free_port;
use crate::raw_member::RawMember;
use crate::repository::git;
use async_nats::jetstream::stream;
use loopdeck_agents::Level;
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::runs::GuardianProgram;
use loopdeck_runtime::views::FailureKind;
use loopdeck_runtime::{clock, trust_repository};
use loopdeck_team::authority::Authority;
use loopdeck_team::invitation::Invitation;
use loopdeck_team::seat::{Role, Seat};
use loopdeck_team::server_token::ServerToken;
use loopdeck_team::{AllowedFolder, NodeRules, enlist, set_up, try_out};
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xtask::child::{Owned, TICK, bound_command};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// One nats-server of its own, or a cluster, and the operator's folder.
pub struct Server {
    /// Keys and invitations.
    pub authority: Authority,
    folder: TempDir,
    processes: Vec<Option<Owned>>,
}

/// The program that `cargo xtask test` installs.
pub fn nats_server() -> PathBuf {
    if let Some(path) = std::env::var_os("LOOPDECK_NATS_SERVER") {
        return path.into();
    }
    let installed = xtask::workspace::target_dir().expect("a target folder").join("xtask/nats/nats-server");
    assert!(
        installed.exists(),
        "no nats-server: run `cargo xtask test --only rust` once, or set LOOPDECK_NATS_SERVER"
    );
    installed
}

impl Server {
    /// A server with the streams of a new team.
    pub fn start() -> Self {
        let server = Self::start_bare();
        set_up(&server.authority.operator().expect("an operator"), 1).expect("streams");
        server
    }

    /// A server without streams.
    pub fn start_bare() -> Self {
        Self::at(&[format!("nats://127.0.0.1:{}", free_port())])
    }

    /// A server whose certificate is of an authority of our own.
    pub fn encrypted() -> Self {
        let server = Self::prepared(&[format!("tls://localhost:{}", free_port())], None, certify);
        let address = server.authority.operator().expect("an operator").servers[0].replace("tls://", "");
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(&address).is_err() {
            assert!(Instant::now() < deadline, "{}", server.log(0));
            std::thread::sleep(TICK); // a process that has no way to say that it listens
        }
        server
    }

    /// The certificate of that authority.
    pub fn trusted(&self) -> PathBuf {
        self.folder.path().join("0/ca.pem")
    }

    /// Three servers, each message on all of them.
    pub fn cluster() -> Self {
        Self::cluster_in(|_| {})
    }

    /// The same with folders that `prepare` fills before a server starts in each.
    pub fn cluster_in(prepare: impl Fn(&Path)) -> Self {
        let servers = [(); 3].map(|()| format!("nats://127.0.0.1:{}", free_port()));
        let server = Self::prepared(&servers, None, prepare);
        let operator = server.authority.operator().expect("an operator");
        let deadline = Instant::now() + PATIENCE;
        while let Err(failure) = set_up(&operator, 3) {
            assert!(Instant::now() < deadline, "{failure:?} {}", server.log(0));
            std::thread::sleep(TICK); // until the three have elected one of them
        }
        server
    }

    /// A server that asks every machine for `token`, with the streams of a new team.
    pub fn with_token(token: &str) -> Self {
        let address = format!("nats://127.0.0.1:{}", free_port());
        let token = Some(ServerToken::parse(token).expect("a token"));
        let server = Self::prepared(&[address], token, |_| {});
        set_up(&server.authority.operator().expect("an operator"), 1).expect("streams");
        server
    }

    fn at(addresses: &[String]) -> Self {
        Self::prepared(addresses, None, |_| {})
    }

    /// Whether all servers are there and each has what the others have.
    pub fn in_step(&self) -> bool {
        let operator = self.authority.operator().expect("an operator");
        RawMember::new(&operator, &RawMember::tokio()).in_step()
    }

    /// Gives a stream room for so many bytes; for no message more without them. Answers how many it was, when the servers do it.
    pub fn room(&self, stream: &str, bytes: Option<i64>) -> Option<i64> {
        let operator = self.authority.operator().expect("an operator");
        RawMember::new(&operator, &RawMember::tokio()).room(stream, bytes)
    }

    /// With folders that `prepare` fills before a server starts in each.
    fn prepared(addresses: &[String], token: Option<ServerToken>, prepare: impl Fn(&Path)) -> Self {
        let folder = TempDir::with_prefix("loopdeck-nats-").expect("a folder");
        let authority =
            Authority::init(&folder.path().join("team"), addresses, token, clock::now()).expect("a team");
        let processes = addresses.iter().map(|_| None).collect();
        let mut server = Self { authority, folder, processes };
        for at in 0..addresses.len() {
            let folder = server.folder.path().join(at.to_string());
            fs::create_dir_all(&folder).expect("a folder");
            prepare(&folder);
            server.run(at);
        }
        server
    }

    /// Starts a process again after [`Server::kill`], with what it had on disk.
    pub fn run(&mut self, at: usize) {
        let folder = self.folder.path().join(at.to_string());
        fs::create_dir_all(&folder).expect("a folder");
        let log = fs::File::options().create(true).append(true).open(folder.join("log")).expect("a log");
        let mut configuration = self.authority.server_configurations()[at].clone();
        if self.processes.len() > 1 {
            // A machine behind a proxy would hear of the way around it.
            let text = fs::read_to_string(configuration).expect("a configuration");
            configuration = folder.join("server.conf");
            let hidden = text.replace("cluster {", "cluster {\n    no_advertise: true");
            fs::write(&configuration, hidden).expect("written");
        }
        let mut command: Command = bound_command(nats_server());
        command.current_dir(folder).arg("-c").arg(configuration);
        // A pipe would keep this test waiting for the server.
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        self.processes[at] = Some(Owned::spawn(&mut command).expect("a server"));
        let deadline = Instant::now() + PATIENCE;
        let mut operator = self.authority.operator().expect("an operator");
        operator.servers = vec![operator.servers[at].clone()];
        if operator.servers[0].starts_with("tls://") {
            return; // this process does not trust it
        }
        while matches!(try_out(&operator), Err(failure) if failure.kind == FailureKind::TeamUnreachable) {
            assert!(Instant::now() < deadline, "{}", self.log(at));
            std::thread::sleep(TICK); // a process that has no way to say that it listens
        }
    }

    /// Ends a process at once, as power loss of its machine would.
    pub fn kill(&mut self, at: usize) {
        if let Some(mut process) = self.processes[at].take() {
            process.child().kill().expect("killed");
            process.child().wait().expect("ended");
        }
    }

    /// Which server leads the commands.
    pub fn leader(&self) -> usize {
        let operator = self.authority.operator().expect("an operator");
        let name = RawMember::new(&operator, &RawMember::tokio()).leader("COMMANDS").expect("a leader");
        operator.servers.iter().position(|server| server.ends_with(&name)).expect("one of ours")
    }

    /// Has the server read its configuration again.
    pub fn reload(&mut self) {
        let pid = self.processes[0].as_mut().expect("a server").child().id().to_string();
        let done = Command::new(nats_server()).args(["--signal", &format!("reload={pid}")]).status();
        assert!(done.is_ok_and(|status| status.success()), "not reloaded");
    }

    /// Changes the limits of a stream.
    pub fn limit(&self, stream: &str, change: impl FnOnce(&mut stream::Config)) {
        let operator = self.authority.operator().expect("an operator");
        RawMember::new(&operator, &RawMember::tokio()).limit(stream, change);
    }

    /// How many messages and bytes a stream has.
    pub fn size(&self, stream: &str) -> (u64, u64) {
        let operator = self.authority.operator().expect("an operator");
        RawMember::new(&operator, &RawMember::tokio()).size(stream)
    }

    /// What a machine reported of a job, as JSON.
    pub fn report(&self, job: &str, seat: &str) -> Option<serde_json::Value> {
        let operator = self.authority.operator().expect("an operator");
        let value =
            RawMember::new(&operator, &RawMember::tokio()).value("REPORTS", &format!("{job}.{seat}"))?;
        serde_json::from_slice(value.split(|byte| *byte == b'\n').nth(1)?).ok()
    }

    /// What the server wrote.
    pub fn log(&self, at: usize) -> String {
        fs::read_to_string(self.folder.path().join(at.to_string()).join("log")).unwrap_or_default()
    }

    /// An invitation for `seat`, such as `ada.laptop`.
    pub fn invite(&mut self, seat: &str, role: Role, end: Option<Timestamp>) -> Invitation {
        let seat = Seat::parse(seat).expect("a seat");
        let invitation = self.authority.invite(&seat, role, clock::now(), end).expect("an invitation");
        // A server that is not there, or not set up, is what some tests are about.
        let _ = enlist(&self.authority.operator().expect("an operator"), &[(seat, role)]);
        invitation
    }

    /// A machine that has joined.
    pub fn machine(&mut self, seat: &str, role: Role) -> Machine {
        let invitation = self.invite(seat, role, None);
        Machine::new(&invitation)
    }

    /// A machine that can run loops in a workspace that `make` fills; its connection is not open yet.
    pub fn runner(
        &mut self,
        seat: &str,
        role: Role,
        programs: &Programs,
        make: impl FnOnce(&Path),
    ) -> Machine {
        let invitation = self.invite(seat, role, None);
        let guardian = GuardianProgram { program: programs.guardian.clone(), args: Vec::new() };
        let machine = Machine::closed(&invitation, |options| options.guardian = Some(guardian), make);
        add_agent(&machine.runtime, "scripted", &programs.agent.to_string_lossy(), "text");
        machine
    }

    /// A node that works for `bob` in a clone of `repository`, with the scripted agent and tests that pass.
    pub fn node(&mut self, seat: &str, programs: &Programs, repository: &Path, rules: NodeRules) -> Machine {
        let mut node = self.closed_node(seat, programs, repository, rules);
        node.open();
        node
    }

    /// The same before it works.
    pub fn closed_node(
        &mut self,
        seat: &str,
        programs: &Programs,
        repository: &Path,
        mut rules: NodeRules,
    ) -> Machine {
        let clone = |folder: &Path| drop(git(folder, &["clone", "-q", &repository.to_string_lossy(), "."]));
        let node = self.runner(seat, Role::Node, programs, clone);
        // As `loopdeck node allow` does, beside a Loopdeck that is open.
        trust_repository(&node.folder.path().join("data"), &node.workspace).expect("trusted");
        rules.allow(AllowedFolder {
            path: node.workspace.clone(),
            from: vec!["bob".to_owned()],
            agents: vec![SCRIPTED.to_owned()],
            level: Level::EditFiles,
            commands: vec![PASSING.to_owned()],
        });
        rules.save(&node.home().node()).expect("saved");
        node
    }
}

/// The scripted agent, as plans name it.
pub const SCRIPTED: &str = "custom:scripted";

/// Programs of these tests with which a machine runs loops.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The guardian.
    pub guardian: PathBuf,
    /// The scripted agent.
    pub agent: PathBuf,
}

/// Makes an authority, and a certificate of it for a server on this computer.
fn certify(folder: &Path) {
    let openssl = |words: &str| {
        let done = Command::new("openssl").current_dir(folder).args(words.split_whitespace()).output();
        assert!(done.as_ref().is_ok_and(|done| done.status.success()), "openssl {words}: {done:?}");
    };
    fs::write(folder.join("names"), "subjectAltName=DNS:localhost\n").expect("written");
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(&format!("req -x509 {key} -keyout ca-key.pem -out ca.pem -days 30 -subj /CN=authority"));
    openssl(&format!("req {key} -keyout key.pem -out server.csr -subj /CN=localhost"));
    let ca = "-CA ca.pem -CAkey ca-key.pem -CAcreateserial";
    openssl(&format!("x509 -req -in server.csr {ca} -out cert.pem -days 30 -extfile names"));
}
