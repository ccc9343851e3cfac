//! What the person chose and Loopdeck remembers: trusted folders, the unfinished form, templates, agents of their own, where programs are.
//! One small JSON file of our own; none of it is ever read from a workspace.

use super::plan::{RunPlan, StartForm, Template};
use crate::git::{self, Pin, Repository};
use crate::rows::CustomAgentForm;
use loopdeck_agents::Level;
use loopdeck_system::dirs::shown;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::files::Canonical as _;
use loopdeck_system::kept::{self, Kept};
use loopdeck_system::logged::Logged as _;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The kept choices, saved as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// Canonical folders whose programs may be run.
    pub trusted: Vec<PathBuf>,
    /// Folders in worktrees that Loopdeck made, with the folder each was made from.
    pub worktrees: BTreeMap<PathBuf, PathBuf>,
    /// Their git repositories, as they were when they were trusted.
    pub repositories: BTreeMap<PathBuf, Pin>,
    /// The form that was left unfinished.
    pub draft: Option<StartForm>,
    /// Forms saved under a name, oldest first.
    pub templates: Vec<Template>,
    /// Agents of the person's own.
    pub agents: Vec<CustomAgentForm>,
    /// Programs that the person chose, by agent.
    pub programs: BTreeMap<String, PathBuf>,
    /// How the last loop was started, without *Full access*: the form begins with it.
    pub last: Option<RunPlan>,
}

impl Kept for Choices {
    const FORM: u32 = 1;
}

impl Choices {
    /// Whether programs in `folder` may be run: exactly this folder is trusted. What is cloned below it later is not.
    #[must_use]
    pub fn trusts(&self, folder: &Path) -> bool {
        self.trusted.contains(&canonical(folder))
    }

    /// Trusts a folder, or no longer does; then nothing below it is trusted either, nor what Loopdeck made of it.
    pub fn trust(&mut self, folder: &Path, trusted: bool) {
        let folder = canonical(folder);
        if !trusted {
            return self.distrust(&folder);
        }
        // What is there now is what is trusted. A repository that comes later is trusted when it is first asked.
        let pin = Repository::open(&folder, None).ok().map(|repository| repository.pin().clone());
        self.add(folder, pin);
    }

    fn add(&mut self, folder: PathBuf, pin: Option<Pin>) {
        self.trusted.retain(|known| *known != folder);
        self.repositories.remove(&folder);
        if let Some(pin) = pin {
            self.repositories.insert(folder.clone(), pin);
        }
        self.trusted.push(folder);
    }

    fn trust_of(&self) -> Trust {
        Trust { folders: self.trusted.clone(), repositories: self.repositories.clone() }
    }

    fn distrust(&mut self, folder: &Path) {
        let mut open = vec![folder.to_owned()];
        let mut made = self.worktrees.clone();
        while let Some(folder) = open.pop() {
            self.trusted.retain(|known| !known.starts_with(&folder));
            self.repositories.retain(|known, _| !known.starts_with(&folder));
            // A worktree may have been made in another one; each is visited once.
            made.retain(|worktree, of| {
                let is_of = of.starts_with(&folder);
                if is_of {
                    open.push(worktree.clone());
                }
                !is_of
            });
        }
    }

    /// Trusts a folder in a worktree that was made of the trusted folder `of`, for as long as that one is trusted.
    pub fn trust_worktree(&mut self, folder: &Path, of: &Path) {
        self.worktrees.retain(|known, _| known.is_dir());
        self.worktrees.insert(canonical(folder), canonical(of));
        self.trust(folder, true);
    }

    /// Remembers how a loop was started. *Full access* is never remembered as a choice.
    pub fn remember_start(&mut self, plan: &RunPlan) {
        let level = plan.level.filter(|level| *level != Level::FullAccess);
        // Its tasks, which agents they may use and whether it has a menu are choices for one loop.
        let (tasks, further, mode) = Default::default();
        self.last = Some(RunPlan { level, tasks, further, mode, ..plan.clone() });
    }

    /// Saves a form under a name; one of the same name is replaced.
    pub fn save_template(&mut self, template: Template) {
        self.templates.retain(|known| known.name != template.name);
        self.templates.push(template);
    }
}

fn canonical(folder: &Path) -> PathBuf {
    folder.canonical().unwrap_or_else(|_| folder.to_owned())
}

/// The choices with their file.
#[derive(Debug)]
pub struct KeptChoices {
    path: PathBuf,
    /// Nothing is ever written.
    look: bool,
    known: Mutex<Known>,
}

/// The choices here, and what the file had when it was read or written last.
#[derive(Debug)]
struct Known {
    choices: Choices,
    written: Trust,
}

/// Which folders are trusted, and their repositories as they were then.
#[derive(Debug)]
struct Trust {
    folders: Vec<PathBuf>,
    repositories: BTreeMap<PathBuf, Pin>,
}

impl Known {
    /// Trusts what another program of the person has trusted in the file since, each repository as it was then; with `look` also no
    /// longer what is no longer there.
    /// Whoever writes the file goes by its own: a file that cannot be read for a moment takes nothing away.
    fn take_up(&mut self, path: &Path, look: bool) {
        let (there, damaged) = kept::peek::<Choices>(path);
        if damaged.is_some() {
            return;
        }
        let Choices { trusted, repositories, .. } = there;
        let before = std::mem::replace(
            &mut self.written,
            Trust { folders: trusted.clone(), repositories: repositories.clone() },
        );
        for folder in before.folders.iter().filter(|folder| look && !trusted.contains(folder)) {
            self.choices.trust(folder, false);
        }
        for folder in trusted {
            let pin = repositories.get(&folder);
            // Trusted anew, also where it was trusted before: the person saw that its repository changed.
            if !before.folders.contains(&folder) || pin != before.repositories.get(&folder) {
                self.choices.add(folder, pin.cloned());
            }
        }
    }
}

impl KeptChoices {
    /// Reads them from `path`; a damaged file is set aside, never overwritten, and the failure tells of it. With `look` nothing is
    /// ever written.
    #[must_use]
    pub fn load(path: PathBuf, look: bool) -> (Self, Option<Failure>) {
        let (choices, damaged): (Choices, _) = if look { kept::peek(&path) } else { kept::load(&path) };
        let known = Known { written: choices.trust_of(), choices };
        (Self { path, look, known: Mutex::new(known) }, damaged)
    }

    /// Reads something of them.
    pub fn read<T>(&self, read: impl FnOnce(&Choices) -> T) -> T {
        read(&self.known.lock().choices)
    }

    /// Trusts what the person has trusted elsewhere since they were read.
    pub fn take_up_trust(&self) {
        self.known.lock().take_up(&self.path, self.look);
    }

    /// The git repository of a folder that the person trusts, as it was then. Nothing of git runs in any other folder.
    ///
    /// # Errors
    /// `Untrusted`; `RepositoryChanged` when `.git` or its settings are others than then; `GitRefused` without a repository.
    pub fn repository(&self, folder: &Path) -> Result<Repository, Failure> {
        let folder = canonical(folder);
        let known =
            self.read(|choices| choices.trusts(&folder).then(|| choices.repositories.get(&folder).cloned()));
        let pin = known.ok_or_else(|| Failure::new(FailureKind::Untrusted).with("path", shown(&folder)))?;
        let opened = Repository::open(&folder, pin.as_ref());
        let repository = opened.map_err(|error| git::failure(&folder, &error))?;
        if pin.is_none() {
            let pinned = repository.pin().clone();
            let kept = self.change(|choices| drop(choices.repositories.insert(folder, pinned)));
            kept.logged("a repository is compared with what it was at the next start only");
        }
        Ok(repository)
    }

    /// Changes them and saves them when that made a difference.
    ///
    /// # Errors
    /// `NewerData`, `DamagedData`, `OwnData` when they cannot be saved; they hold until the app ends.
    pub fn change(&self, change: impl FnOnce(&mut Choices)) -> Result<(), Failure> {
        let mut known = self.known.lock();
        // What a command has trusted meanwhile is not written over.
        known.take_up(&self.path, self.look);
        let before = known.choices.clone();
        change(&mut known.choices);
        if self.look || known.choices == before {
            return Ok(());
        }
        kept::save(&self.path, &known.choices)?;
        known.written = known.choices.trust_of();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::driver::InitMode;

    #[test]
    fn trust_is_of_one_folder_and_ends_with_that_of_one_above() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let mut choices = Choices::default();
        choices.trust(&dir.path().join("a"), true);
        assert!(choices.trusts(&dir.path().join("a")) && choices.trusts(&inner.join("..")));
        assert!(!choices.trusts(&inner) && !choices.trusts(dir.path()));
        choices.trust(&inner, true);
        assert!(choices.trusts(&inner));
        choices.trust(dir.path(), false);
        assert!(!choices.trusts(&inner));
    }

    #[test]
    fn trust_of_a_folder_ends_with_that_of_the_worktrees_that_were_made_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let folder = dir.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            folder
        };
        let (shop, other) = (made("shop"), made("shop-other"));
        let (one, two, theirs) = (made("trees/one"), made("trees/two"), made("trees/theirs"));
        let mut choices = Choices::default();
        for folder in [&shop, &other, &theirs] {
            choices.trust(folder, true);
        }
        choices.trust_worktree(&one, &shop);
        choices.trust_worktree(&two, &one);
        assert!(choices.trusts(&one) && choices.trusts(&two));
        choices.trust(&other, false);
        assert!(choices.trusts(&one), "another folder, whose name begins alike");
        choices.trust(&other, true);
        choices.trust(&shop, false);
        assert_eq!([&shop, &one, &two].map(|folder| choices.trusts(folder)), [false; 3]);
        assert!(choices.trusts(&theirs) && choices.trusts(&other), "made of nothing of ours");
        choices.trust(&shop, true);
        assert!(!choices.trusts(&one), "trust of the folder gives nothing back");
        choices.trust(&one, true);
        choices.trust(&shop, false);
        assert!(!choices.trusts(&one), "it is still made of it");
        std::fs::remove_dir(&two).unwrap();
        choices.trust_worktree(&one, &shop);
        assert_eq!(choices.worktrees.len(), 1, "those that are gone are forgotten");
    }

    #[test]
    fn full_access_is_never_remembered() {
        let mut choices = Choices::default();
        choices.remember_start(&RunPlan {
            level: Some(Level::FullAccess),
            agent: "claude".into(),
            ..RunPlan::default()
        });
        assert_eq!(
            choices.last.as_ref().map(|plan| (plan.level, plan.agent.as_str())),
            Some((None, "claude"))
        );
        choices.remember_start(&RunPlan { level: Some(Level::EditFiles), ..RunPlan::default() });
        assert_eq!(choices.last.and_then(|plan| plan.level), Some(Level::EditFiles));
    }

    #[test]
    fn one_loop_is_not_interactive_because_another_was() {
        let mut choices = Choices::default();
        choices.remember_start(&RunPlan {
            mode: InitMode::Interactive,
            agent: "claude".into(),
            ..RunPlan::default()
        });
        let expected = RunPlan { agent: "claude".into(), ..RunPlan::default() };
        assert_eq!(choices.last, Some(expected));
    }

    #[test]
    fn they_are_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("choices.json");
        let (kept, _) = KeptChoices::load(path.clone(), false);
        kept.change(|choices| choices.trust(dir.path(), true)).unwrap();
        assert!(KeptChoices::load(path, true).0.read(|choices| choices.trusts(dir.path())));
    }

    #[cfg(unix)] // git is asked through a link, which Windows keeps for administrators
    #[test]
    fn git_is_asked_in_a_trusted_folder_only_and_as_it_was_then() {
        let (data, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = data.path().join("choices.json");
        let (kept, _) = KeptChoices::load(path.clone(), false);
        let kind = |kept: &KeptChoices| kept.repository(dir.path()).map(drop).map_err(|failure| failure.kind);
        let git_dir = dir.path().join(".git");
        let init = || {
            for folder in ["objects", "refs"] {
                std::fs::create_dir_all(git_dir.join(folder)).unwrap();
            }
            std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        };
        let set = |text: &str| std::fs::write(git_dir.join("config"), text).unwrap();
        init();
        set("no configuration");
        assert_eq!(kind(&kept), Err(FailureKind::Untrusted), "it is not even read");
        set("[core]\n\teol = lf\n");
        kept.change(|choices| choices.trust(dir.path(), true)).unwrap();
        assert_eq!(kind(&kept), Ok(()));
        set("[core]\n\teol = lf\n\tsshCommand = x\n");
        for kept in [&kept, &KeptChoices::load(path, true).0] {
            assert_eq!(kind(kept), Err(FailureKind::RepositoryChanged), "in another session, too");
        }
        kept.change(|choices| choices.trust(dir.path(), true)).unwrap();
        assert_eq!(kind(&kept), Ok(()), "trusted as it is now");
        kept.change(|choices| choices.trust(dir.path(), false)).unwrap();
        assert_eq!(kind(&kept), Err(FailureKind::Untrusted));
        assert!(kept.read(|choices| choices.repositories.is_empty()));
    }

    #[cfg(unix)] // git is asked through a link, which Windows keeps for administrators
    #[test]
    fn a_repository_is_taken_up_as_it_was_when_a_command_trusted_it() {
        let (data, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (path, folder) = (data.path().join("choices.json"), dir.path());
        let git_dir = folder.join(".git");
        for part in ["objects", "refs"] {
            std::fs::create_dir_all(git_dir.join(part)).unwrap();
        }
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let set = |text: &str| std::fs::write(git_dir.join("config"), text).unwrap();
        set("[core]\n\teol = lf\n");
        let kind = |kept: &KeptChoices| kept.repository(folder).map(drop).map_err(|failure| failure.kind);
        let (node, _) = KeptChoices::load(path.clone(), true);
        let (window, _) = KeptChoices::load(path.clone(), false);
        let trust = || KeptChoices::load(path.clone(), false).0.change(|it| it.trust(folder, true)).unwrap();
        trust();
        set("[core]\n\tsshCommand = x\n");
        for kept in [&node, &window] {
            kept.take_up_trust();
            assert_eq!(kind(kept), Err(FailureKind::RepositoryChanged), "before it was taken up");
        }
        trust();
        for kept in [&node, &window] {
            kept.take_up_trust();
            assert_eq!(kind(kept), Ok(()), "trusted anew elsewhere");
        }
        set("[core]\n\tsshCommand = y\n");
        window.change(|it| it.programs.clear()).unwrap();
        assert_eq!(kind(&window), Err(FailureKind::RepositoryChanged));
    }

    #[test]
    fn what_a_command_trusts_meanwhile_is_taken_up_and_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let load = |path: PathBuf, look: bool| KeptChoices::load(path, look).0;
        let path = dir.path().join("choices.json");
        let folders = ["one", "two", "three"].map(|name| dir.path().join(name));
        for folder in &folders {
            std::fs::create_dir(folder).unwrap();
        }
        let [one, two, three] = &folders;
        let trust = |kept: &KeptChoices, folder: &Path| kept.change(|it| it.trust(folder, true)).unwrap();
        let (window, node) = (load(path.clone(), false), load(path.clone(), true));
        trust(&load(path.clone(), false), one);
        trust(&window, two);
        trust(&node, three);
        node.take_up_trust();
        for folder in [one, two] {
            assert!(node.read(|it| it.trusts(folder)), "{}", folder.display());
            assert!(load(path.clone(), true).read(|it| it.trusts(folder)));
        }
        assert!(node.read(|it| it.trusts(three)), "what it trusted for itself stays");
        assert!(!load(path.clone(), true).read(|it| it.trusts(three)));
        window.change(|it| it.trust(one, false)).unwrap();
        window.change(|it| it.programs.clear()).unwrap();
        assert!(!load(path, true).read(|it| it.trusts(one)), "taken back for good");
        node.take_up_trust();
        assert_eq!([one, two, three].map(|folder| node.read(|it| it.trusts(folder))), [false, true, true]);
    }
}
