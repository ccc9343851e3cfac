//! The two installers of Windows: NSIS's for one person, and an MSI for administrators. Both are made by tools that Debian has, from
//! `packaging/windows`, and tried under Wine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{fs, thread};

use xtask::Failure;
use xtask::child::TICK;
use xtask::workspace::root;

use super::signing::Signer;
use super::tools::{Tools, debian};
use super::wine::Wine;
use crate::steps;

const NSIS: &[&str] = &["nsis", "nsis-common"];
const WIXL: &[&str] =
    &["wixl", "wixl-data", "msitools", "libmsi0", "libgcab-1.0-0", "libgsf-1-114", "libgsf-1-common"];

/// What is installed, by its name there and in cargo's folder.
const FILES: [&str; 3] = ["loopdeck-desktop.exe", "loopdeck.exe", "WebView2Loader.dll"];

/// wixl has no element for a line of `PATH`: one more table, and the actions that read it.
const PATH_OF_ALL: [&str; 4] = [
    "CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, \
     `Value` CHAR(255) LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)",
    "INSERT INTO `Environment` (`Environment`, `Name`, `Value`, `Component_`) \
     VALUES ('path', '=-*PATH', '[~];[INSTALLDIR]', 'CommandLine')",
    "INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) \
     VALUES ('RemoveEnvironmentStrings', '', 3300)",
    "INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) \
     VALUES ('WriteEnvironmentStrings', '', 5200)",
];

const OF_PERSON: &str = r"HKCU\Environment";
const OF_ALL: &str = r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment";
const LINKS: &str = r"Software\Classes\loopdeck\shell\open\command";

/// Where they are.
pub(super) struct Installers {
    pub(super) setup: PathBuf,
    pub(super) msi: PathBuf,
}

/// Makes both in `folder`, of the programs in `programs`.
pub(super) fn make(
    tools: &Tools,
    programs: &Path,
    version: &str,
    folder: &Path,
) -> Result<Installers, Failure> {
    let (nsis, wixl) = (debian(&tools.state, "nsis", NSIS)?, debian(&tools.state, "wixl", WIXL)?);
    let workshop = folder.join("workshop");
    if folder.exists() {
        fs::remove_dir_all(folder)?; // of another version
    }
    fs::create_dir_all(&workshop)?;
    let signer = Signer::of_environment(tools)?;
    let sign = |file: &Path| signer.as_ref().map_or(Ok(()), |signer| signer.sign(file));
    let mut size = 0;
    for name in FILES {
        let to = workshop.join(name);
        fs::copy(programs.join(name), &to)?;
        let mut strip = Command::new("x86_64-w64-mingw32-strip");
        steps::run("strip", strip.env("PATH", &tools.path).arg(&to))?;
        sign(&to)?;
        size += to.metadata()?.len() / 1024;
    }
    fs::copy(root().join("icons/icon.ico"), workshop.join("icon.ico"))?;
    let licences = ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| fs::read_to_string(root().join(name)));
    let [mit, apache] = licences;
    fs::write(workshop.join("Licences.txt"), format!("{}\n\n{}", mit?, apache?))?;
    let filled = |name: &str| -> Result<PathBuf, Failure> {
        let text = fs::read_to_string(root().join("packaging/windows").join(name))?;
        let text = text.replace("@VERSION@", version).replace("@SIZE@", &size.to_string());
        fs::write(workshop.join(name), text)?;
        Ok(workshop.join(name))
    };
    let [setup, msi] = ["-setup.exe", ".msi"].map(|end| format!("loopdeck-{version}{end}"));
    let mut nsis_makes = Command::new(nsis.join("usr/bin/makensis"));
    nsis_makes.env("NSISDIR", nsis.join("usr/share/nsis")).args(["-V2", "-WX"]).arg(filled("loopdeck.nsi")?);
    steps::run("makensis", &mut nsis_makes)?;
    let of_wixl = |name: &str| {
        let mut command = Command::new(wixl.join("usr/bin").join(name));
        command.env("LD_LIBRARY_PATH", wixl.join("usr/lib/x86_64-linux-gnu")).current_dir(&workshop);
        command
    };
    steps::run("wixl", of_wixl("wixl").args(["--arch", "x64", "-o", &msi]).arg(filled("loopdeck.wxs")?))?;
    steps::run(
        "msibuild",
        of_wixl("msibuild").arg(&msi).args(PATH_OF_ALL.iter().flat_map(|sql| ["-q", sql])),
    )?;
    let [setup, msi] = [setup, msi].map(|name| (workshop.join(&name), folder.join(name)));
    for (from, to) in [&setup, &msi] {
        fs::rename(from, to)?;
        sign(to)?;
    }
    Ok(Installers { setup: setup.1, msi: msi.1 })
}

/// Installs, runs and removes both.
pub(super) fn try_out(wine: &Wine, made: &Installers, version: &str) -> Result<(), Failure> {
    let windows = Windows(wine);
    let data = windows.folder("APPDATA")?.join("loopdeck");
    fs::create_dir_all(&data)?;
    fs::write(data.join("kept"), "")?;

    // For one person; a second time changes nothing, and what was in PATH stays.
    let own = r"%USERPROFILE%\tools;C:\b";
    windows.run(&["reg", "add", OF_PERSON, "/v", "Path", "/t", "REG_EXPAND_SZ", "/d", own, "/f"])?;
    let at = windows.folder("LOCALAPPDATA")?.join("Programs/Loopdeck");
    let shown = format!(r"{}\Programs\Loopdeck", windows.run(&["cmd", "/c", "echo %LOCALAPPDATA%"])?);
    let setup = made.setup.display().to_string();
    for _ in 0..2 {
        windows.run(&[&setup, "/S"])?;
        windows.is_there(&at, version)?;
        same(&windows.value(OF_PERSON, "Path"), &format!("{own};{shown}"))?;
    }
    same(
        &windows.value(&format!(r"HKCU\{LINKS}"), ""),
        &format!("\"{shown}\\loopdeck-desktop.exe\" \"%1\""),
    )?;
    windows.run(&[&format!(r"{shown}\uninstall.exe"), "/S"])?;
    is_gone(&at)?;
    same(&windows.value(OF_PERSON, "Path"), own)?;
    same(&windows.value(&format!(r"HKCU\{LINKS}"), ""), "")?;

    // A PATH that NSIS can't hold is left alone.
    let long = vec![r"C:\a\folder"; 100].join(";");
    windows.run(&["reg", "add", OF_PERSON, "/v", "Path", "/t", "REG_EXPAND_SZ", "/d", &long, "/f"])?;
    windows.run(&[&setup, "/S"])?;
    windows.run(&[&format!(r"{shown}\uninstall.exe"), "/S"])?;
    is_gone(&at)?;
    same(&windows.value(OF_PERSON, "Path"), &long)?;

    // For everybody.
    let before = windows.value(OF_ALL, "PATH");
    let msi = made.msi.display().to_string();
    windows.run(&["msiexec", "/i", &msi, "/qn"])?;
    let at = wine.drive().join("Program Files/Loopdeck");
    windows.is_there(&at, version)?;
    same(&windows.value(OF_ALL, "PATH"), &format!(r"{before};C:\Program Files\Loopdeck\"))?;
    windows.run(&["msiexec", "/x", &msi, "/qn"])?;
    is_gone(&at)?;
    // Wine leaves the sign between this line and the one before.
    same(windows.value(OF_ALL, "PATH").trim_end_matches(';'), &before)?;
    same(&windows.value(&format!(r"HKLM\{LINKS}"), ""), "")?;
    if data.join("kept").exists() { Ok(()) } else { Err("the data of the person are gone".into()) }
}

/// What is asked of a Windows.
struct Windows<'a>(&'a Wine);

impl Windows<'_> {
    /// What a program prints; an error when it fails.
    fn run(&self, line: &[&str]) -> Result<String, Failure> {
        let said = steps::output(Command::new(&self.0.program).args(line))?;
        Ok(said.trim().to_owned())
    }

    /// A value of the registry; empty when there is none. `name` is empty for that of the key itself.
    fn value(&self, key: &str, name: &str) -> String {
        let which: &[&str] = if name.is_empty() { &["/ve"] } else { &["/v", name] };
        let said = self.run(&[&["reg", "query", key], which].concat()).unwrap_or_default();
        let line = said.lines().find_map(|line| line.split_once("REG_"));
        let value = line.and_then(|(_, rest)| rest.split_once("    "));
        value.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    }

    /// The folder that a variable names, as it is here.
    fn folder(&self, variable: &str) -> Result<PathBuf, Failure> {
        let said = self.run(&["cmd", "/c", &format!("echo %{variable}%")])?;
        let below = said.strip_prefix(r"C:\").ok_or_else(|| format!("{variable}: {said}"))?;
        Ok(self.0.drive().join(below.replace('\\', "/")))
    }

    /// Both programs run where they were installed, and the command line is found by its name.
    fn is_there(&self, at: &Path, version: &str) -> Result<(), Failure> {
        for name in FILES {
            if !at.join(name).is_file() {
                return Err(format!("{name} was not installed in {}", at.display()).into());
            }
        }
        // By its name. Wine's own `cmd` shows nothing of a program that it found by `PATH`.
        same(&self.run(&["loopdeck.exe", "--version"])?, &format!("loopdeck {version}"))?;
        self.run(&[&at.join("loopdeck-desktop.exe").display().to_string(), "--help"])?;
        Ok(())
    }
}

fn same(found: &str, expected: &str) -> Result<(), Failure> {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}").into()) }
}

/// The last of an uninstaller runs on for a moment.
fn is_gone(folder: &Path) -> Result<(), Failure> {
    let began = Instant::now();
    while folder.exists() {
        if began.elapsed().as_secs() > 30 {
            return Err(format!("{} is still there", folder.display()).into());
        }
        thread::sleep(TICK);
    }
    Ok(())
}
