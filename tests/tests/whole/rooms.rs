//! The inner walls: no cycle between the modules or files of a package, no type name twice in one, no file or function that is too long,
//! and no reference to a section of a document that is not in the repository. Dependencies are read from the code itself.

mod imports;
mod lengths;

use imports::{Crate, Module, type_names, types_of};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The packages with walls, by folder.
const PACKAGES: &[&str] = &[
    "src-tauri/text",
    "src-tauri/graph",
    "src-tauri/plans",
    "src-tauri/results",
    "src-tauri/reports",
    "src-tauri/agents",
    "src-tauri/core",
    "src-tauri/system",
    "src-tauri/execution",
    "src-tauri/runtime",
    "src-tauri/cli",
    "src-tauri/search",
    "src-tauri/windows",
    "src-tauri/team",
    "src-tauri",
    "xtask",
];

/// Packages that are part of what a person installs: all but the one of the repository's own commands.
fn products() -> impl Iterator<Item = &'static str> {
    PACKAGES.iter().copied().filter(|package| *package != "xtask")
}

/// Remaining cycles, by package and number of files. The list may only become shorter and its numbers
/// smaller: a cycle that grows fails, and so does one that shrank or is gone, until the number here is
/// updated.
const OPEN: &[(&str, usize)] = &[];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The circles of the crates of a package.
fn circles_in(folder: &Path) -> Vec<BTreeMap<Module, BTreeSet<Module>>> {
    Crate::all_in(folder).iter().flat_map(Crate::circles).collect()
}

#[test]
fn no_files_import_each_other() {
    for folder in PACKAGES {
        let circles = circles_in(&root().join(folder));
        let open = OPEN.iter().filter(|(package, _)| package == folder).map(|(_, files)| *files);
        if let Err(why) = compared(circles.iter().map(BTreeMap::len).collect(), open.collect()) {
            panic!("{folder}: {why}\n{}", told(folder, &circles).join("\n"));
        }
    }
}

/// Whether these are the known remaining cycles, each of its known size.
fn compared(mut found: Vec<usize>, mut open: Vec<usize>) -> Result<(), String> {
    found.sort_unstable();
    open.sort_unstable();
    match (found.len().cmp(&open.len()), found.iter().sum::<usize>().cmp(&open.iter().sum())) {
        _ if found == open => Ok(()),
        (Ordering::Greater, _) => Err("a new circle".to_owned()),
        (Ordering::Less, _) => Err(format!("a circle is gone: OPEN still lists {open:?}")),
        (Ordering::Equal, Ordering::Less) => Err(format!("a circle is smaller: OPEN still lists {open:?}")),
        (Ordering::Equal, _) => Err(format!("a circle grew: OPEN lists {open:?}")),
    }
}

#[test]
fn the_list_of_open_circles_only_shrinks() {
    assert_eq!(compared(vec![14, 2], vec![2, 14]), Ok(()));
    for (found, why) in [
        (vec![14, 2, 3], "a new circle"),
        (vec![15, 2], "a circle grew"),
        (vec![14], "a circle is gone"),
        (vec![13, 2], "a circle is smaller"),
    ] {
        let said = compared(found, vec![14, 2]).unwrap_err();
        assert!(said.starts_with(why), "{said}");
    }
}

#[test]
fn a_new_format_touches_core_only() {
    let named: Vec<String> =
        ["src-tauri/execution/src", "src-tauri/runtime/src", "src-tauri/cli/src", "src-tauri/src"]
            .iter()
            .flat_map(|folder| sources(&root().join(folder)))
            .filter(|file| names_a_format(&std::fs::read_to_string(file).unwrap()))
            .map(|file| file.strip_prefix(root()).unwrap().to_string_lossy().into_owned())
            .collect();
    assert!(named.is_empty(), "{named:?}: decide in core: `Format::traits`, `loops`, `loops::drive`");
}

#[test]
fn a_decision_on_a_format_is_found() {
    assert!(names_a_format("if entry.format == Format::Aot {}"));
    assert!(names_a_format("if form.format() == NewFormat::Aot {}"));
    assert!(names_a_format("use x;\nmatch format { core::Format::LoopB => 1, _ => 2 }"));
    for text in ["format.traits()", "Format::Unknown", "#[cfg(test)]\nmod t { Format::Aot }"] {
        assert!(!names_a_format(text), "{text}");
    }
}

/// Whether code that is not a test names a format that can be told.
fn names_a_format(text: &str) -> bool {
    let code = text.split("#[cfg(test)]").next().unwrap();
    ["LoopV2", "LoopB", "Aot", "Ralph", "V1", "Legacy"]
        .iter()
        .any(|name| code.contains(&format!("Format::{name}")))
}

/// Rust files below a folder, in the order of their names; those of tests are left out.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter(|path| !path.to_string_lossy().ends_with("tests.rs"))
        .collect();
    found.sort();
    found
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join("src").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    file("lib.rs", "pub mod one;\npub mod two;\nmod three;\n");
    file("one.rs", "use crate::two::Two;\npub struct One(Two);\n");
    file("two.rs", "mod inner;\npub struct Two;\nfn f() -> crate::three::Three { super::three::f() }\n");
    // Parent and child may import each other; test-only imports do not count.
    file("two/inner.rs", "use super::Two;\n#[cfg(test)]\nmod tests { use crate::one::One; }\n");
    file("three.rs", "pub struct Three;\npub fn f() -> Three { Three }\n");
    assert_eq!(circles_in(folder.path()), Vec::<BTreeMap<_, _>>::new());
    file("three.rs", "pub type Three = crate::one::One;\npub fn f() {}\n");
    let circles = circles_in(folder.path());
    let files: Vec<Vec<&str>> =
        circles.iter().map(|circle| circle.keys().map(Module::as_str).collect()).collect();
    assert_eq!(files, [["one", "three", "two"]]);
    // The program of a package is looked at too.
    file("main.rs", "mod a;\nmod b;\n");
    file("a.rs", "use crate::b::B;\npub struct A(B);\n");
    file("b.rs", "pub type B = Box<crate::a::A>;\n");
    assert_eq!(circles_in(folder.path()).len(), 2);
}

/// One line for each file of each cycle: its imports from the others.
fn told(folder: &str, circles: &[BTreeMap<Module, BTreeSet<Module>>]) -> Vec<String> {
    let line = |(from, to): (&Module, &BTreeSet<Module>)| {
        let to: Vec<&str> = to.iter().map(Module::as_str).collect();
        format!("    {} -> {}", from.as_str(), to.join(", "))
    };
    let told = |circle: &BTreeMap<Module, BTreeSet<Module>>| {
        let lines: Vec<String> = circle.iter().map(line).collect();
        format!("  {folder}, {} files:\n{}", circle.len(), lines.join("\n"))
    };
    circles.iter().map(told).collect()
}

/// Files outside of `platform` with a `cfg` of an operating system, each with its reason.
const DOORS: &[&str] = &[
    // Chooses between two modules that are children of `attention`.
    "src-tauri/src/attention/notify.rs",
];

#[test]
fn only_platform_modules_differ_between_operating_systems() {
    let mut found = BTreeSet::new();
    for folder in products() {
        for file in rust_files(&root().join(folder).join("src")) {
            let name = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            if !name.contains("/platform") && differs(&std::fs::read_to_string(&file).unwrap()) {
                found.insert(name);
            }
        }
    }
    let doors: BTreeSet<String> = DOORS.iter().map(|door| (*door).to_owned()).collect();
    assert_eq!(found, doors, "move what differs into `platform`; a door that is not needed goes");
}

/// Whether anything except tests has a `cfg` of an operating system.
fn differs(text: &str) -> bool {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_system = |line: &str| {
        line.trim_start().starts_with("#[cfg(")
            && ["unix", "windows", "target_os"].iter().any(|name| line.contains(name))
    };
    product.lines().any(is_system)
}

#[test]
fn a_cfg_of_an_operating_system_is_found() {
    assert!(differs("#[cfg(unix)]\nfn a() {}"));
    assert!(differs("fn a() {\n    #[cfg(not(target_os = \"linux\"))]\n    b();\n}"));
    assert!(!differs("#[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n    fn a() {}\n}"));
    assert!(!differs("fn a() -> bool {\n    cfg!(windows)\n}"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    nested.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// Who opens files to read them, how often, and which files: never those of a workspace. Those are read through
/// `loopdeck_system::files`, which waits for no pipe, follows no link out of the folder and reads no more than there is room for.
const READERS: &[(&str, usize, &str)] = &[
    ("src-tauri/cli/src/contract.rs", 1, "a file that the person named; bounded"),
    ("src-tauri/cli/src/team/running.rs", 1, "a token that the person named, perhaps from a pipe; bounded"),
    ("src-tauri/execution/src/agents/doctor.rs", 2, "programs and settings of the person's own agents"),
    ("src-tauri/execution/src/changes.rs", 2, "the folder of a run, in our data"),
    ("src-tauri/execution/src/output.rs", 1, "output rows, in our data; writes"),
    ("src-tauri/execution/src/output/segment.rs", 2, "output rows, in our data"),
    (
        "src-tauri/execution/src/platform/unix/channel.rs",
        1,
        "the folder of a run, in our data; opens no file",
    ),
    ("src-tauri/execution/src/runs/launch.rs", 1, "the folder of a run, in our data"),
    ("src-tauri/execution/src/runs/leftovers.rs", 1, "the folder of a run, in our data"),
    ("src-tauri/execution/src/runs/log/reader.rs", 1, "what a run printed, in our data"),
    ("src-tauri/execution/src/runs/record.rs", 1, "the folder of a run, in our data"),
    ("src-tauri/runtime/src/log.rs", 1, "our log"),
    ("src-tauri/runtime/src/runtime/diagnostics.rs", 1, "the system's name"),
    ("src-tauri/runtime/src/sample.rs", 1, "the sample workspace, which was made just now; sets times"),
    ("src-tauri/src/bindings.rs", 1, "generated code, in the development of Loopdeck only"),
    ("src-tauri/src/last_list.rs", 1, "the picture of the list, in our data; bounded"),
    ("src-tauri/src/platform/linux/autostart.rs", 1, "our entry among the person's programs"),
    ("src-tauri/system/src/fence.rs", 1, "fences, in our data"),
    ("src-tauri/system/src/platform/linux.rs", 3, "what the system says"),
    ("src-tauri/system/src/platform/linux_processes.rs", 3, "what the system says"),
    ("src-tauri/system/src/platform/not_unix.rs", 5, "the door itself; writes files of our own"),
    ("src-tauri/system/src/platform/unix.rs", 4, "the door itself; writes files of our own"),
    ("src-tauri/team/src/mirror.rs", 1, "copies, in our data; writes"),
    (
        "src-tauri/team/src/our_files.rs",
        1,
        "requests, answers and jobs in our data, and the folder of whoever runs the team",
    ),
    ("src-tauri/team/src/outbox.rs", 1, "commands that were begun, in our data"),
    ("src-tauri/team/src/work/parcel.rs", 1, "bundles, in our data"),
    ("src-tauri/windows/src/pipe.rs", 1, "the pipe of a guardian"),
];

#[test]
fn files_of_workspaces_are_read_through_one_door() {
    let mut found = BTreeMap::new();
    for folder in products() {
        for file in rust_files(&root().join(folder).join("src")) {
            let name = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            match reads(&std::fs::read_to_string(&file).unwrap()) {
                0 => {}
                many => drop(found.insert(name, many)),
            }
        }
    }
    found.retain(|name, _| !name.ends_with("tests.rs"));
    let known: BTreeMap<String, usize> =
        READERS.iter().map(|(file, many, _)| ((*file).to_owned(), *many)).collect();
    let unknown: Vec<_> = found.iter().filter(|(file, many)| known.get(*file) != Some(many)).collect();
    let gone: Vec<_> = known.keys().filter(|file| !found.contains_key(*file)).collect();
    assert!(
        unknown.is_empty() && gone.is_empty(),
        "read files of workspaces with `loopdeck_system::files`; other files and their number are in READERS: {unknown:?}; gone: {gone:?}"
    );
}

/// How often code that is not a test opens a file by itself.
fn reads(text: &str) -> usize {
    const CALLS: [&str; 8] = [
        "fs::read(",
        "fs::read)",
        "fs::read_to_string",
        "fs::copy",
        "fs::open(",
        "File::open",
        "File::options",
        "OpenOptions::new",
    ];
    let product: Vec<&str> = match text.lines().position(|line| line == "mod tests {") {
        Some(end) => text.lines().take(end).collect(),
        None => text.lines().collect(),
    };
    let code = product.iter().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| CALLS.iter().map(|call| line.matches(call).count()).sum::<usize>()).sum()
}

#[test]
fn a_read_of_its_own_is_found() {
    assert_eq!(reads("let a = std::fs::read(path);\nlet b = path.map(File::open);"), 2);
    assert_eq!(reads("let file = File::options().write(true).open(std::fs::read_to_string(path)?)?;"), 2);
    assert_eq!(reads("// fs::read(path)\nfiles::read(root, path);\nfs::read_dir(path);"), 0);
    assert_eq!(reads("fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs::File::open;\n}"), 0);
}

/// Windows has two ways to write such a path, which are not equal.
#[test]
fn paths_become_canonical_in_one_place() {
    let files = products().flat_map(|folder| rust_files(&root().join(folder).join("src")));
    let by_themselves: Vec<PathBuf> = files
        .filter(|file| !file.to_str().unwrap().replace('\\', "/").contains("/system/src/platform/"))
        .filter(|file| std::fs::read_to_string(file).unwrap().contains("canonicalize("))
        .collect();
    assert!(by_themselves.is_empty(), "use `loopdeck_system::files::Canonical`: {by_themselves:?}");
}

/// Pairs that stand for one type: one file of each is compiled.
const ONE_OF_EACH: &[&str] = &["Begun", "Channel", "Family", "Leader", "Listener", "Proof", "Reading"];

#[test]
fn no_type_name_is_used_twice_in_a_package() {
    for package in PACKAGES {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for (module, name) in types_of(&root().join(package)) {
            let other = known.insert(name.clone(), module.clone());
            let is_free = other.is_none() || ONE_OF_EACH.contains(&&*name);
            assert!(is_free, "{package}: {name} is in {} and in {module}", other.unwrap_or_default());
        }
    }
}

#[test]
fn names_of_types_are_found() {
    let code = "struct A; mod b { pub enum B {} } #[cfg(test)] mod tests { struct C; } #[cfg(test)] struct C; type D = u8; trait E { type F; }";
    assert_eq!(type_names(&syn::parse_file(code).unwrap().items), ["A", "B", "D", "E"]);
}
