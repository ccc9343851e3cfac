//! What a person copies into a report of a problem: versions, counts and the end of the log. No secret, no content of a file,
//! no name of a loop; the home folder is written as `~`, and a workspace by its number.

use super::Runtime;
use crate::log;
use crate::observe::catalog::Catalog;
use crate::views;
use loopdeck_core::format::Format;
use loopdeck_execution::mask::Mask;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::{env, fs};

/// So many lines of the log are copied.
const LINES: usize = 200;

impl Runtime {
    /// The text to copy. `program` says what only the program knows: its name and version, the web view.
    #[must_use]
    pub fn diagnostics(&self, program: &str) -> String {
        let mut text = format!("{program}\n{}\n", system());
        self.read(|catalog| count(catalog, &mut text));
        for agent in self.doctor.agents(&self.choices.read(Clone::clone), false) {
            let version = agent.version.unwrap_or_default();
            let _ = writeln!(text, "Agent {}: {:?} {version}", agent.id, agent.state); // a String takes all
        }
        let journal = fs::metadata(self.dirs.journal()).map(|file| file.len() / 1024);
        let _ = match journal {
            Ok(size) => writeln!(text, "Journal: {size} KiB"),
            Err(error) => writeln!(text, "Journal: {error}"),
        };
        text.push_str("\nLog\n");
        match log::last_lines(&self.dirs, LINES) {
            Ok(lines) => lines.iter().for_each(|line| {
                let _ = writeln!(text, "{line}");
            }),
            Err(error) => {
                let _ = writeln!(text, "cannot be read: {error}");
            }
        }
        let text = Mask::of_all(&self.choices.read(Clone::clone)).hide(text);
        without_home(self.read(|catalog| without_workspaces(catalog, text)))
    }
}

/// Names of folders are names of customers and products.
fn without_workspaces(catalog: &Catalog, text: String) -> String {
    let numbered = catalog.workspaces.iter().enumerate();
    let mut paths: Vec<(String, usize)> =
        numbered.map(|(at, workspace)| (workspace.path.to_string_lossy().into_owned(), at + 1)).collect();
    paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len())); // one may be in another
    paths.iter().fold(text, |text, (path, number)| text.replace(path, &format!("<workspace {number}>")))
}

fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let session =
        ["XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "LANG"].map(|name| env::var(name).unwrap_or_default());
    format!(
        "System: {} {}, {}\nSession: {}",
        env::consts::OS,
        env::consts::ARCH,
        name.map_or("unknown release", |name| name.trim_matches('"')),
        session.join(", ")
    )
}

fn count(catalog: &Catalog, text: &mut String) {
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    for (_, entry) in catalog.entries() {
        let format: Format = entry.summary.format;
        *formats.entry(format!("{format:?}")).or_default() += 1;
    }
    let reachable = catalog.workspaces.iter().filter(|workspace| workspace.reachable).count();
    let loops: Vec<String> = formats.iter().map(|(format, count)| format!("{count} {format}")).collect();
    let views::Watching { folders, polling, reason, .. } = &catalog.watching;
    let _ = writeln!(text, "Workspaces: {} ({reachable} reachable)", catalog.workspaces.len());
    let _ = writeln!(text, "Loops: {}", if loops.is_empty() { "none".to_owned() } else { loops.join(", ") });
    let _ = match polling {
        Some(seconds) => {
            writeln!(text, "Polling every {seconds} s ({})", reason.as_deref().unwrap_or_default())
        }
        None => writeln!(text, "Watching {folders} folders"),
    };
}

fn without_home(text: String) -> String {
    match env::home_dir().as_deref().and_then(|home| home.to_str()).filter(|home| home.len() > 1) {
        Some(home) => text.replace(home, "~"),
        None => text,
    }
}
