//! The doctor: every agent with its program, version and sign-in, what is wrong, and the command that mends it.

use super::environment::{environment, value};
use super::places::{self, Search};
use crate::brief::{Question, ask};
use crate::preferences::choices::Choices;
use crate::preferences::custom::{form_of, record_of};
use crate::rows::{AgentKind, AgentReadiness, AgentRow, AgentState, NodeFacts};
use loopdeck_agents::custom::CustomAgent;
use loopdeck_agents::table::{self, Agent};
use loopdeck_agents::versions::{self, VersionVerdict};
use loopdeck_agents::{AgentId, Level, OutputKind};
use loopdeck_core::format::Format;
use loopdeck_system::dirs::shown;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::platform::SHELL;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(10);

/// What was found of programs, by version of the file: asked once.
#[derive(Debug, Default)]
pub struct Doctor {
    answers: Mutex<HashMap<PathBuf, (Fingerprint, String)>>,
}

impl Doctor {
    /// All agents, those that Loopdeck brings along first. `again`: programs are asked again.
    #[must_use]
    pub fn agents(&self, choices: &Choices, again: bool) -> Vec<AgentRow> {
        if again {
            self.answers.lock().clear();
        }
        let built_in =
            AgentId::BUILT_IN.iter().filter_map(table::agent).map(|agent| self.built_in(agent, choices));
        let own = choices.agents.iter().map(|form| self.custom(&record_of(form), choices));
        built_in.chain([shell()]).chain(own).map(AgentRow::with_readiness).collect()
    }

    fn built_in(&self, agent: &Agent, choices: &Choices) -> AgentRow {
        let id = agent.id.to_string();
        let search = find(&id, agent.program, choices);
        let mut row = row(&id, AgentKind::BuiltIn, agent.name, &search);
        row.chosen = choices.programs.contains_key(&id);
        row.levels = Level::ALL.to_vec();
        row.asks = agent.asking.is_some();
        row.reports_cost = agent.max_money.is_some();
        row.reports_tokens = true;
        row.limits_turns = agent.max_turns.is_some();
        row.runs_commands = Level::ALL.into_iter().filter(|level| runs_commands(agent, *level)).collect();
        row.skill = Format::ALL.into_iter().any(|format| has_skill(agent, format, None));
        let Some(program) = search.found.first() else {
            self.offer_install(&mut row, agent, agent.install.npm);
            return row;
        };
        row.node = node_of(program).and_then(|node| self.lacking(agent, node.as_deref()));
        if let Some(node) = &row.node {
            row.state = if node.found.is_some() { AgentState::NodeTooOld } else { AgentState::NodeMissing };
            row.fix = node_fix(agent);
            return row;
        }
        match self.version(program, &versions::VERSION_ARGS) {
            Ok(said) => {
                row.state = match versions::judge(&agent.id, &said) {
                    Some(VersionVerdict::Known) | None => AgentState::Ready,
                    Some(VersionVerdict::Newer { .. }) => AgentState::Newer,
                    Some(VersionVerdict::TooOld { .. }) => AgentState::TooOld,
                    Some(VersionVerdict::Unreadable { .. }) => AgentState::Broken,
                };
                row.version = versions::parse(&said).map(|version| version.to_string()).or(first_line(&said));
            }
            Err(why) => (row.state, row.version) = (AgentState::Broken, Some(why)),
        }
        if matches!(row.state, AgentState::TooOld | AgentState::Broken) {
            self.offer_install(&mut row, agent, &format!("{}@latest", agent.install.npm));
        }
        row.signed_in = signed_in(agent);
        if row.signed_in == Some(false) && row.fix.is_none() {
            row.fix = Some(agent.sign_in.command.join(" "));
        }
        row
    }

    /// The command that installs `package` of an agent, or first a Node.js: an old one would install an old version without
    /// a word.
    fn offer_install(&self, row: &mut AgentRow, agent: &Agent, package: &str) {
        row.node = self.lacking(agent, on_path("node").as_deref());
        row.fix = match row.node {
            Some(_) => node_fix(agent),
            None => Some(format!("npm install -g {package}")),
        };
    }

    fn custom(&self, agent: &CustomAgent, choices: &Choices) -> AgentRow {
        let id = AgentId::Custom { id: agent.id.clone() }.to_string();
        let search = find(&id, &agent.program, choices);
        let mut row = row(&id, AgentKind::Custom, &agent.name, &search);
        let levels = [&agent.look_only, &agent.edit_files, &agent.full_access];
        row.levels = Level::ALL
            .into_iter()
            .zip(levels)
            .filter(|(_, args)| args.is_some())
            .map(|(level, _)| level)
            .collect();
        row.runs_commands.clone_from(&row.levels); // unknown: the person wrote its arguments
        row.reports_cost = agent.output == OutputKind::ClaudeJsonl;
        row.reports_tokens = agent.output != OutputKind::Text;
        row.custom = Some(form_of(agent));
        if let Some(program) = search.found.first() {
            row.state = AgentState::Ready;
            let args: Vec<&str> = agent.version_args.iter().map(String::as_str).collect();
            if !args.is_empty() {
                match self.version(program, &args) {
                    Ok(said) => row.version = first_line(&said),
                    Err(why) => (row.state, row.version) = (AgentState::Broken, Some(why)),
                }
            }
        }
        row
    }

    /// What is wrong with the Node.js at `node`, for an agent; nothing when unknown.
    fn lacking(&self, agent: &Agent, node: Option<&Path>) -> Option<NodeFacts> {
        let needed = agent.install.node;
        let Some(node) = node else { return Some(NodeFacts { needed, found: None }) };
        let said = self.version(node, &versions::VERSION_ARGS).ok()?;
        let version = versions::parse(&said).filter(|version| version.0 < needed)?;
        Some(NodeFacts { needed, found: Some(version.to_string()) })
    }

    /// What the program answers when asked for its version, or why it does not.
    fn version(&self, program: &Path, args: &[&str]) -> Result<String, String> {
        let stamp = Fingerprint::at(program).map_err(|error| error.to_string())?;
        let known = self.answers.lock().get(program).cloned();
        if let Some((_, said)) = known.filter(|(then, _)| *then == stamp) {
            return Ok(said);
        }
        // Not where Loopdeck was started: version managers read which program to run from files in the folder.
        let home = std::env::home_dir().filter(|home| home.is_dir()).unwrap_or_else(std::env::temp_dir);
        let question = Question {
            program,
            args: args.iter().map(OsStr::new).collect(),
            folder: Some(&home),
            environment: Some(environment()),
            also: &[],
            limit: LIMIT,
        };
        let answer = ask(&question).map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        if answer.code != Some(0) {
            let why = String::from_utf8_lossy(&answer.stderr);
            return Err(first_line(&why).or(first_line(&said)).unwrap_or_else(|| "?".to_owned()));
        }
        self.answers.lock().insert(program.to_owned(), (stamp, said.clone()));
        Ok(said)
    }
}

/// The program of an agent: the person's choice, or the first one found.
#[must_use]
pub fn find(id: &str, program: &str, choices: &Choices) -> Search {
    match choices.programs.get(id) {
        Some(chosen) => places::search(&chosen.to_string_lossy(), environment()),
        None => places::search(program, environment()),
    }
}

/// A program as a script finds it: on PATH, not in other places.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = value(environment(), "PATH")?;
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders
        .into_iter()
        .find_map(|folder| places::search(&folder.join(name).to_string_lossy(), &[]).found.pop())
}

/// The Node.js that runs a script, as its first line says; `None` when it is no script for it.
fn node_of(program: &Path) -> Option<Option<PathBuf>> {
    let mut begin = [0; 256];
    let count = std::fs::File::open(program).and_then(|mut file| file.read(&mut begin)).ok()?;
    let text = String::from_utf8_lossy(&begin[..count]);
    let line = text.lines().next()?.strip_prefix("#!")?.trim();
    let (interpreter, rest) = line.split_once(' ').unwrap_or((line, ""));
    if interpreter.ends_with("/node") {
        return Some(Some(PathBuf::from(interpreter)).filter(|node| node.is_file()));
    }
    let words = rest.split_whitespace().find(|word| !word.starts_with('-'));
    (interpreter.ends_with("/env") && words == Some("node")).then(|| on_path("node"))
}

/// What brings a Node.js that is new enough, by the tool that the person has for it.
fn node_fix(agent: &Agent) -> Option<String> {
    let major = agent.install.node;
    let nvm = value(environment(), "NVM_DIR").map(PathBuf::from);
    let nvm = nvm.or_else(|| std::env::home_dir().map(|home| home.join(".nvm")));
    if nvm.is_some_and(|folder| folder.join("nvm.sh").is_file()) {
        return Some(format!("nvm install {major} && nvm alias default {major}"));
    }
    let tools = [
        ("fnm", format!("fnm install {major} && fnm default {major}")),
        ("volta", format!("volta install node@{major}")),
        ("mise", format!("mise use -g node@{major}")),
        ("brew", "brew install node".to_owned()),
    ];
    tools
        .into_iter()
        .find(|(tool, _)| !places::search(tool, environment()).found.is_empty())
        .map(|(_, fix)| fix)
}

fn row(id: &str, kind: AgentKind, name: &str, search: &Search) -> AgentRow {
    AgentRow {
        id: id.to_owned(),
        tool: if kind == AgentKind::Shell { AgentId::Shell.tool() } else { id.to_owned() },
        kind,
        readiness: AgentReadiness::Unusable,
        untested: false,
        chosen: false,
        name: name.to_owned(),
        program: search.found.first().map(|path| shown(path)),
        found: search.found.iter().map(|path| shown(path)).collect(),
        looked: search.looked.iter().map(|path| shown(path)).collect(),
        version: None,
        state: AgentState::Missing,
        signed_in: None,
        node: None,
        fix: None,
        levels: Vec::new(),
        asks: false,
        reports_cost: false,
        reports_tokens: false,
        limits_turns: false,
        runs_commands: Vec::new(),
        skill: false,
        custom: None,
    }
}

/// The plain shell: always there, without levels.
fn shell() -> AgentRow {
    let search = places::search(SHELL, environment());
    let mut row = row("shell", AgentKind::Shell, "Shell", &search);
    row.state = if search.found.is_empty() { AgentState::Missing } else { AgentState::Ready };
    row.levels = vec![Level::FullAccess];
    row.runs_commands = vec![Level::FullAccess];
    row
}

/// Whether an agent can run commands, and so tests, at a level.
pub fn runs_commands(agent: &Agent, level: Level) -> bool {
    use loopdeck_agents::table::LaunchNote;
    level != Level::LookOnly && !agent.level(level).notes.contains(&LaunchNote::NoCommands)
}

fn signed_in(agent: &Agent) -> Option<bool> {
    let environment = environment();
    let is_set = |name: &&str| value(environment, name).is_some_and(|value| !value.is_empty());
    if agent.sign_in.env.iter().any(is_set) {
        return Some(true);
    }
    let folder = own_folder(agent)?;
    if agent.sign_in.files.iter().any(|file| folder.join(file).is_file()) {
        return Some(true);
    }
    let hidden = agent.sign_in.keychain && cfg!(target_os = "macos");
    (!hidden && !has_own_provider(agent, &folder)).then_some(false)
}

/// A provider of the person's own has a key of its own: only a request can tell whether it is set.
fn has_own_provider(agent: &Agent, folder: &Path) -> bool {
    if agent.id != AgentId::Codex {
        return false;
    }
    let config = std::fs::read_to_string(folder.join("config.toml")).unwrap_or_default();
    config.lines().any(|line| line.trim_start().starts_with("model_provider"))
}

fn own_folder(agent: &Agent) -> Option<PathBuf> {
    let environment = environment();
    let named = value(environment, agent.sign_in.folder_env).map(PathBuf::from);
    match named {
        Some(named) if agent.sign_in.folder_env_is_home => Some(named.join(agent.sign_in.folder)),
        Some(named) => Some(named),
        None => {
            let home = value(environment, "HOME").map(PathBuf::from).or_else(std::env::home_dir)?;
            Some(home.join(agent.sign_in.folder))
        }
    }
}

/// Whether the skill for loops of a format is installed for the person, or in a workspace.
pub fn has_skill(agent: &Agent, format: Format, workspace: Option<&Path>) -> bool {
    let theirs = workspace.map(|workspace| workspace.join(agent.sign_in.folder));
    let mut folders = own_folder(agent).into_iter().chain(theirs);
    format.traits().skill.is_some_and(|skill| folders.any(|folder| holds_skill(&folder, skill)))
}

fn holds_skill(folder: &Path, name: &str) -> bool {
    let files =
        [format!("skills/{name}/SKILL.md"), format!("commands/{name}.md"), format!("prompts/{name}.md")];
    files.iter().any(|file| folder.join(file).is_file())
}

fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(200).collect())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::brief::Answer;
    use loopdeck_system::files::Canonical as _;

    fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        // Another process writes it: a child that another test starts may hold what we have open for writing, and
        // such a file can't be started.
        let args = ["-c", "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""].map(OsStr::new);
        let args = args.into_iter().chain([path.as_os_str(), OsStr::new(text)]).collect();
        let (program, limit) = (Path::new("sh"), Duration::from_secs(60));
        let answer =
            ask(&Question { program, args, folder: None, environment: None, also: &[], limit }).unwrap();
        assert_eq!(answer, Answer { code: Some(0), ..Answer::default() });
        path
    }

    fn chosen(agent: &str, program: PathBuf) -> AgentRow {
        let choices = Choices { programs: [(agent.to_owned(), program)].into(), ..Choices::default() };
        let rows = Doctor::default().agents(&choices, false);
        rows.into_iter().find(|row| row.id == agent).unwrap()
    }

    #[test]
    fn an_agent_in_an_old_or_missing_node_says_both_versions() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        let node =
            |version: &str| script(&dir.path().join("bin"), "node", &format!("#!/bin/sh\necho v{version}\n"));
        let agent = format!("#!{}/bin/node\n", dir.path().display());
        let row = || chosen("gemini", script(dir.path(), "gemini", &agent));
        assert_eq!(row().state, AgentState::NodeMissing);
        assert_eq!(row().node, Some(NodeFacts { needed: 20, found: None }));
        node("18.19.1");
        let old = row();
        assert_eq!((old.state, old.version), (AgentState::NodeTooOld, None));
        assert_eq!(old.node, Some(NodeFacts { needed: 20, found: Some("18.19.1".into()) }));
        assert!(old.fix.is_none_or(|fix| !fix.contains("npm install")), "the agent is not what is old");
        node("20.0.0");
        assert_eq!((row().state, row().node), (AgentState::Newer, None), "the script is asked itself");
        // A program of its own runs without.
        let own = script(dir.path(), "gemini", "#!/bin/sh\necho 0.61.0\n");
        assert_eq!(chosen("gemini", own).state, AgentState::Ready);
    }

    #[test]
    fn what_an_agent_is_good_for_follows_from_what_was_found() {
        use AgentKind as K;
        use AgentReadiness as R;
        use AgentState as S;
        let judged = |kind, state, signed_in, version: Option<&str>| {
            let found = row("x", kind, "X", &Search::default());
            let version = version.map(str::to_owned);
            let row = AgentRow { state, signed_in, version, ..found }.with_readiness();
            (row.readiness, row.untested)
        };
        let table = [
            (K::BuiltIn, S::Ready, Some(true), Some("1"), (R::Usable, false)),
            (K::BuiltIn, S::Newer, None, Some("9"), (R::Usable, false)),
            (K::BuiltIn, S::Ready, Some(false), Some("1"), (R::SignedOut, false)),
            (K::BuiltIn, S::TooOld, Some(false), Some("0"), (R::Unusable, false)),
            (K::BuiltIn, S::Missing, None, None, (R::Unusable, false)),
            (K::Custom, S::Ready, None, Some("1"), (R::Usable, true)),
            (K::Custom, S::Broken, None, None, (R::Unusable, false)),
            (K::Shell, S::Ready, None, None, (R::Usable, true)),
        ];
        for (kind, state, signed_in, version, expected) in table {
            assert_eq!(judged(kind, state, signed_in, version), expected, "{kind:?} {state:?}");
        }
    }

    #[test]
    fn versions_are_asked_for_at_home() {
        let dir = tempfile::tempdir().unwrap();
        let program = script(dir.path(), "asked", "#!/bin/sh\npwd -P\n");
        let said = Doctor::default().version(&program, &[]).unwrap();
        let home = std::env::home_dir().unwrap().canonical().unwrap();
        assert_eq!(Path::new(said.trim()), home);
    }

    #[test]
    fn the_skill_of_a_format_is_looked_for_with_the_person_and_in_the_workspace() {
        let dir = tempfile::tempdir().unwrap();
        let claude = table::agent(&AgentId::Claude).unwrap();
        let has = |format| has_skill(claude, format, Some(dir.path()));
        let before = [has(Format::LoopV2), has(Format::LoopB)];
        std::fs::create_dir_all(dir.path().join(".claude/commands")).unwrap();
        std::fs::write(dir.path().join(".claude/commands/ccw-loop.md"), "").unwrap();
        assert_eq!([has(Format::LoopV2), has(Format::LoopB)], [true, before[1]], "each format has its own");
        std::fs::create_dir_all(dir.path().join(".claude/skills/ccw-loop-b")).unwrap();
        std::fs::write(dir.path().join(".claude/skills/ccw-loop-b/SKILL.md"), "").unwrap();
        assert!(has(Format::LoopB));
    }
}
