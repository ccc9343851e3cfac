//! Our own data from version to version: an older one opens with everything in it, a newer one is refused and stays as it is.

use loopdeck_core::control::{Intent, Verb};
use loopdeck_core::facts::RuleKind;
use loopdeck_core::past::{Asker, WriteCause};
use loopdeck_runtime::clock;
use loopdeck_runtime::store::journal::{CommandProgress, Journal, LoopRef, Retention};
use loopdeck_runtime::views::{Failure, FailureKind, VerbOptions};
use loopdeck_runtime::{Options, Runtime, Traces};
use loopdeck_team::Home;
use loopdeck_team::share::{Scope, Share, Shares, Steering};
use loopdeck_tests::live::{Live, loop_v2};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A data folder of 0.1.0, from before settings, choices and shares said in which form they are written. See its README.
const OLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/data/before-forms");
/// The folder whose loops it knows; it is not on this computer.
const SHOP: &str = "/home/ana/code/shop";
const FILE: &str = ".workflow/.loop/loop-v2-20261120T042421-fixture2.json";

/// A copy of the older data folder.
fn older() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    copy(Path::new(OLDER), &data);
    (folder, data)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file below `folder` with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn settings_and_choices_of_an_older_version_are_read_and_kept() {
    let (_folder, data) = older();
    let runtime = Runtime::start(&Options::new(data.clone())).unwrap();
    assert_eq!(runtime.newer_data(), None);
    let settings = runtime.settings();
    assert_eq!(
        (settings.theme.as_str(), settings.language.as_str(), settings.fresh_minutes),
        ("dark", "ja", 42)
    );
    assert_eq!(settings.filters, ["status:failed"]);
    assert_eq!(settings.shortcuts["start"], "Control+j");
    assert_eq!(
        runtime.attention_rules().iter().map(|rule| rule.kind).collect::<Vec<_>>(),
        [RuleKind::Stalled]
    );
    assert_eq!(runtime.trusted().iter().map(|folder| folder.path.as_str()).collect::<Vec<_>>(), [SHOP]);
    assert_eq!(runtime.draft().unwrap().folder, SHOP);
    assert_eq!(runtime.templates()[0].name, "Weekly");
    assert!(runtime.agents(false).unwrap().iter().any(|agent| agent.name == "House agent"));

    // Written by this version, everything is still there.
    runtime.save_settings(loopdeck_runtime::views::Settings { theme: "light".into(), ..settings }).unwrap();
    runtime.trust("/", true).unwrap();
    drop(runtime);
    for (file, form) in [("settings.json", 2), ("choices.json", 1)] {
        let text = fs::read_to_string(data.join(file)).unwrap();
        assert!(text.starts_with(&format!("{{\n  \"form\": {form},")), "{text}");
    }
    let runtime = Runtime::start(&Options::new(data)).unwrap();
    assert_eq!((runtime.settings().theme.as_str(), runtime.settings().fresh_minutes), ("light", 42));
    assert_eq!((runtime.trusted().len(), runtime.attention_rules().len()), (2, 1));
}

#[test]
fn the_journal_of_an_older_version_has_its_requests_versions_and_notes() {
    let (_folder, data) = older();
    let mut journal = Journal::open(&data.join("journal.sqlite"), Retention::default());
    let of = LoopRef { workspace: SHOP, file: FILE };
    let open = journal.open_requests(SHOP).unwrap();
    assert_eq!(open.iter().map(|request| &request.intent).collect::<Vec<_>>(), [&Intent::Pause]);
    let versions = journal.versions(of, 100).unwrap();
    assert_eq!(versions.len(), 3);
    // Nobody asked from another machine then; somebody can now.
    assert!(open[0].asker.is_none() && versions.iter().all(|version| version.asker.is_none()));
    let bob = Asker::parse("bob.tower").unwrap();
    journal.note_asked(of, WriteCause::Pause, (&bob, Some("C1")), clock::now()).unwrap();
    assert_eq!(journal.progress_of("C1").unwrap(), CommandProgress::Begun);
    let (_, newest) = journal.version(of, versions[0].id).unwrap().unwrap();
    assert!(String::from_utf8(newest).unwrap().contains("Coupons at the checkout"));
    let notes = journal.all_notes().unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(
        (notes[0].note.as_str(), &*notes[0].labels),
        ("Ask Ana about the discount", ["release 2".to_owned()].as_slice())
    );
}

#[test]
fn the_journal_of_an_older_version_is_looked_at_without_a_trace() {
    let (_folder, data) = older();
    let before = files(&data);
    let mut journal = Journal::open_for_reading(&data.join("journal.sqlite"), Retention::default()).unwrap();
    let of = LoopRef { workspace: SHOP, file: FILE };
    let counts = (journal.open_requests(SHOP).unwrap().len(), journal.versions(of, 100).unwrap().len());
    assert_eq!(counts, (1, 3));
    drop(journal);
    assert_eq!(files(&data), before);
}

#[test]
fn the_team_and_the_search_index_of_an_older_version_open() {
    let (folder, data) = older();
    let home = Home::new(&data);
    assert_eq!(home.read_invitation().unwrap().seat.to_string(), "ana.laptop");
    let mut shares = Shares::read(&home.shares()).unwrap();
    let known = Share { path: SHOP.into(), scope: Scope::Progress, steering: Steering::Leads };
    assert_eq!(shares.shares, std::slice::from_ref(&known));
    let other = Share { path: "/home/ana/code/other".into(), ..known.clone() };
    shares.put(other.clone());
    shares.save(&home.shares()).unwrap();
    assert_eq!(Shares::read(&home.shares()).unwrap().shares, [known, other]);

    let workspace = folder.path().join("workspace");
    fs::create_dir_all(workspace.join(".workflow/.loop")).unwrap();
    fs::write(workspace.join(FILE), loop_v2("loop-v2-20261120T042421-fixture2", "paused")).unwrap();
    let runtime = Runtime::start(&Options::new(data)).unwrap();
    runtime.open_workspace(&workspace).unwrap();
    assert_eq!(runtime.search("fixture2", 0).unwrap().loops.len(), 1);
}

/// What a newer Loopdeck may write: a later form with things that this one does not know, and a journal with later tables.
fn make_newer(data: &Path) {
    fs::write(
        data.join("settings.json"),
        r#"{"form": 99, "settings": {"theme": "dark", "glow": true}, "open": [], "galaxies": ["one"]}"#,
    )
    .unwrap();
    fs::write(data.join("choices.json"), r#"{"form": 99, "trusted": {"everywhere": true}}"#).unwrap();
    fs::write(data.join("team/shares.json"), r#"{"form": 99, "shares": [], "circles": 3}"#).unwrap();
    for (file, version) in [("journal.sqlite", 99_u32), ("search.sqlite", 99)] {
        let path = data.join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[60..64].copy_from_slice(&version.to_be_bytes()); // where SQLite keeps `user_version`
        fs::write(path, bytes).unwrap();
    }
}

fn refused<T: std::fmt::Debug>(result: Result<T, Failure>) {
    assert_eq!(result.unwrap_err().kind, FailureKind::NewerData);
}

#[test]
fn data_of_a_newer_version_is_refused_and_stays_as_it_is() {
    let (_folder, data) = older();
    make_newer(&data);
    let before = files(&data);
    let runtime = Runtime::start(&Options::new(data.clone())).unwrap();
    assert_eq!(runtime.newer_data().unwrap().kind, FailureKind::NewerData);
    assert_eq!(runtime.settings().theme, "dark", "what is understood is used");
    assert!(runtime.trusted().is_empty(), "and nothing is guessed");
    refused(runtime.save_settings(runtime.settings()));
    refused(runtime.trust("/", true));
    refused(runtime.save_attention_rules(Vec::new()));
    drop(runtime);
    refused(Runtime::start(&Options::once(data.clone(), Traces::Requests)));
    let home = Home::new(&data);
    refused(Shares::read(&home.shares()));
    refused(Shares::default().save(&home.shares()));
    assert_eq!(files(&data), before);
}

#[test]
fn nothing_is_written_to_a_loop_that_a_newer_journal_knows() {
    let name = "loop-v2-20261120T042421-d8ff7e62.json";
    let live = Live::with(|workspace| {
        let file = workspace.join(".workflow/.loop").join(name);
        fs::write(file, loop_v2("loop-v2-20261120T042421-d8ff7e62", "running")).unwrap();
    });
    let mut live = live.restarted_after(|data, _| {
        let (_folder, older) = older();
        make_newer(&older);
        for file in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
            let _ = fs::remove_file(data.join(file)); // the last two may be missing
        }
        fs::copy(older.join("journal.sqlite"), data.join("journal.sqlite")).unwrap();
    });
    live.wait_for("the loop", |live| live.row(name).is_some());
    let (file, journal) = (live.read(name), fs::read(live.data().journal()).unwrap());
    refused(live.runtime.act(&live.key(name), Verb::Pause, VerbOptions::default()));
    assert_eq!((live.read(name), fs::read(live.data().journal()).unwrap()), (file, journal));
}
