//! Takes pictures of every view in the real window: `cargo xtask screenshots`.
//!
//! Each view is shown with small, typical and extreme data, in light and dark. Typical data is also shown in
//! all languages, in a usual and in the minimum window, and in high contrast. The rest is in English and
//! Chinese, extreme data also in the minimum window. Running loops are run with `scripted_agent`. The
//! pictures are `target/screenshots/<amount>/<look>/<view>.png`; those of the README are copied to
//! `docs/screenshots`.
//!
//! `--to FOLDER` writes them elsewhere, `--only WORD` takes those whose `<amount>/<look>/` contains the word,
//! `--view WORD` of these only the ones whose part (a loop, the list, the dialogs) contains it. At the end,
//! `--runs` takes only those of starting and running loops, and `--readme` only those of the README.
#![allow(clippy::print_stdout, reason = "a command line tool")]
#![allow(clippy::disallowed_methods, reason = "it lays out what a person has: repositories, made by git")]

mod camera;
mod extreme;
mod look;
mod parts;
mod runs;
mod small;
mod walk;

use camera::Camera;
use look::{Amount, Look};
use loopdeck_runtime::dirs::Dirs;
use loopdeck_tests::window::{App, Stage};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// The options of the command line.
struct Wish {
    to: PathBuf,
    only: String,
    view: String,
    readme: bool,
    runs: bool,
}

fn main() {
    let wish = wish();
    let mut taken = 0;
    for amount in Amount::ALL {
        let wanted = |look: &Look| format!("{}/{}/", amount.name(), look.name()).contains(&wish.only);
        let mut looks: Vec<Look> = Look::of(amount).into_iter().filter(wanted).collect();
        if wish.readme {
            looks.retain(|look| amount == Amount::Typical && look.in_readme().is_some());
        }
        if !looks.is_empty() {
            taken += take(amount, &looks, &wish);
        }
    }
    println!("{taken} pictures in {}", wish.to.display());
}

impl Wish {
    fn wants_runs(&self) -> bool {
        self.readme || runs::PARTS.iter().any(|part| part.contains(&self.view))
    }

    /// A single part of runs needs no other window.
    fn wants_views(&self) -> bool {
        !self.runs && (self.view.is_empty() || !self.wants_runs())
    }
}

fn wish() -> Wish {
    let target = xtask::workspace::target_dir().expect("a target folder");
    let (only, view) = (String::new(), String::new());
    let mut wish = Wish { to: target.join("screenshots"), only, view, readme: false, runs: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.next()) {
            ("--to", Some(folder)) => wish.to = folder.into(),
            ("--only", Some(word)) => wish.only = word,
            ("--view", Some(word)) => wish.view = word,
            ("--readme", None) => wish.readme = true,
            ("--runs", None) => wish.runs = true,
            (other, _) => {
                eprintln!("{other}: say --to FOLDER, --only WORD, --view WORD, or --readme or --runs last");
                std::process::exit(2);
            }
        }
    }
    wish
}

/// All pictures of one amount of data: the data stays, and the window is reopened for each look.
fn take(amount: Amount, looks: &[Look], wish: &Wish) -> usize {
    let stage = Stage::new("pictures");
    let workspace = stage.folder().join("workspace");
    match amount {
        Amount::Small => small::fill(&workspace).expect("small data"),
        Amount::Typical => {}
        Amount::Extreme => extreme::fill(&workspace).expect("extreme data"),
    }
    let mut taken = 0;
    for look in looks.iter().filter(|_| wish.wants_views()) {
        let folder = wish.to.join(amount.name()).join(look.name());
        fs::create_dir_all(&folder).expect("a folder for the pictures");
        if amount == Amount::Small {
            taken += show_nothing(&stage, look, &folder, &wish.view);
        }
        let app = open(&stage, look, (amount != Amount::Typical).then_some(&workspace));
        let mut camera = Camera::new(&app, look, folder, wish.view.clone());
        if wish.readme {
            walk::readme(&mut camera);
        } else {
            walk::every_view(&mut camera, amount);
        }
        taken += camera.taken;
        println!("{}/{}: {} pictures", amount.name(), look.name(), camera.taken);
        if amount == Amount::Typical && wish.view.is_empty() {
            keep_for_readme(look, camera.folder(), &README);
        }
    }
    drop(stage); // only one can be open at a time
    if wish.wants_runs() {
        for look in looks {
            taken += take_runs(amount, look, wish);
        }
    }
    taken
}

/// The views of starting and running loops.
fn take_runs(amount: Amount, look: &Look, wish: &Wish) -> usize {
    let folder = wish.to.join(amount.name()).join(look.name());
    fs::create_dir_all(&folder).expect("a folder for the pictures");
    let taken = runs::take(amount, look, &folder, &wish.view);
    if amount == Amount::Typical && wish.view.is_empty() {
        keep_for_readme(look, &folder, &README_RUNS);
    }
    println!("{}/{}: {taken} pictures of runs", amount.name(), look.name());
    taken
}

/// The empty window: first start, and a folder without loops. Both leave no trace.
fn show_nothing(stage: &Stage, look: &Look, folder: &Path, view: &str) -> usize {
    let empty = stage.folder().join("empty");
    fs::create_dir_all(&empty).expect("an empty folder");
    let mut taken = 0;
    for (name, workspace) in [("first-start", None), ("list-empty", Some(&empty))] {
        let app = open(stage, look, workspace);
        let mut camera = Camera::new(&app, look, folder.to_owned(), view.to_owned());
        camera.begin("list");
        camera.keep(name);
        taken += camera.taken;
        drop(app);
        fs::remove_dir_all(stage.data_dir()).expect("forgotten");
    }
    taken
}

fn open<'a>(stage: &'a Stage, look: &Look, workspace: Option<&PathBuf>) -> App<'a> {
    let settings = json!({ "settings": { "theme": look.theme, "language": look.language } });
    let file = stage.data_dir().join("settings.json");
    fs::create_dir_all(stage.data_dir()).expect("a data folder");
    let _ = fs::remove_dir_all(Dirs { data: stage.data_dir() }.sample()); // ages are as of the picture
    fs::write(file, settings.to_string()).expect("settings");
    let args: Vec<_> = workspace.iter().map(|path| path.as_os_str()).collect();
    let app = stage.open(&args);
    app.page.resize(look.size.0, look.size.1);
    app
}

/// Pictures of the README: the view, and the name of its picture there.
const README: [(&str, &str); 7] = [
    ("list", "list"),
    ("overview", "overview"),
    ("loop-v2-debug", "loop-debug"),
    ("loop-v2-tests", "loop-tests"),
    ("loop-v2-activity", "loop-activity"),
    ("loop-b-work", "loop-b-work"),
    ("aot-work-graph", "aot-work"),
];

/// The same for loops run by Loopdeck, and for the form that starts them.
const README_RUNS: [(&str, &str); 4] = [
    ("start-run-filled", "start"),
    ("live-overview", "run"),
    ("output-live", "run-output"),
    ("need-permission", "permission"),
];

fn keep_for_readme(look: &Look, from: &Path, pictures: &[(&str, &str)]) {
    let Some(ending) = look.in_readme() else { return };
    let to = xtask::workspace::root().join("docs/screenshots");
    fs::create_dir_all(&to).expect("a folder for the pictures");
    for (view, name) in pictures {
        let copied = fs::copy(from.join(format!("{view}.png")), to.join(format!("{name}-{ending}.png")));
        assert!(copied.is_ok(), "{view}: {copied:?}");
    }
}
