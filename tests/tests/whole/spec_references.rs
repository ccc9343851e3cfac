//! Every citation leads to something in the repository: sections of the contracts in `docs/spec`, ids of
//! rules, seeds, documents. `docs/spec/README.md` describes how they are cited.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use loopdeck_core::problem::ProblemCode;
use xtask::workspace::root;

/// Where citations are.
const CITING: [&str; 6] = ["src-tauri", "tests", "ui/src", "xtask", "fuzz", "docs/spec"];
/// Folders with third-party text, and build products.
const SKIPPED: [&str; 5] = ["target", "node_modules", "fixtures", "dist", "gen"];
/// The generated bindings repeat comments that are checked where they are written; this file has citations as examples.
const NOT_CHECKED: [&str; 2] = ["ui/src/host/bindings.ts", "tests/tests/whole/spec_references.rs"];
/// Where the contracts are.
const SPEC: &str = "docs/spec";

/// How a citation names a document, and the file with its sections. With `§` in the name it counts only as a
/// citation.
const DOCUMENTS: [(&str, &str); 9] = [
    ("CCW contract", "ccw.md"),
    ("AoT contract", "aot.md"),
    ("Ralph contract", "ralph.md"),
    ("contract of plans", "plans.md"),
    ("proof contract", "proof.md"),
    ("status contract", "status.md"),
    ("agents' contract", "agents.md"),
    ("seed 002 §", "seeds.md"),
    ("reference §", "aot.md"),
];

/// Markdown files of loops. All others that a comment names are documents of this repository.
const FILES_OF_LOOPS: [&str; 10] = [
    "PROMPT.md",
    "TODO.md",
    "aot-loop-state.md",
    "debug.md",
    "develop.md",
    "progress.md",
    "summary.md",
    "understanding.md",
    "validate.md",
    "validation.md",
];

/// Markdown files of other tools' plans.
const FILES_OF_PLANS: [&str; 12] = [
    "02.1-03-PLAN.md",
    "02.1-03-words-SUMMARY.md",
    "02.1-PLAN-03-words.md",
    "<slug>.md",
    "CLAUDE.md",
    "PLAN-03.md",
    "ROADMAP.md",
    "STATE.md",
    "a.md",
    "fix_plan.md",
    "scratchpad.md",
    "tasks.md",
];

#[test]
fn every_citation_leads_to_something_in_the_repository() {
    let spec = Spec::read();
    let mut files = Vec::new();
    for folder in CITING {
        walk(&root().join(folder), folder, &mut files);
    }
    let mut found = Vec::new();
    let mut sections = 0;
    for path in files.iter().filter(|path| is_checked(path)) {
        let text = read(path);
        sections += text.matches('§').count();
        found.extend(spec.problems(path, &text));
    }
    assert!(found.is_empty(), "{} citations lead nowhere:\n{}", found.len(), found.join("\n"));
    assert!(sections > 300, "only {sections} sections are cited: the check does not see the sources");
}

#[test]
fn every_problem_has_its_rule() {
    let spec = Spec::read();
    for code in ProblemCode::ALL {
        let id = code.name().split('_').next().unwrap_or_default();
        assert!(spec.rules.contains(id), "{} has no row in {SPEC}", code.name());
    }
}

#[test]
fn a_citation_of_nothing_is_found() {
    let spec = Spec::read();
    for (text, expected) in [
        ("// the CCW contract §5.1, §8 and the AoT contract §9.6", 0),
        ("// the CCW contract §5.99, §8", 1),
        ("// AoT contract §99", 1),
        ("// AoT contract\n// §6, §77", 1),
        ("// §5", 1),
        ("// rules L4, V9 and W10", 0),
        ("// rules L4, V99 and L4.2", 2),
        ("let path = \"L99 12\";", 0),
        ("// seed 003, \"Worker Output Structure\" and \"Parallel Results Schema\"", 0),
        ("// seed 003, \"Worker Output Structure\" and \"Nothing of it\"", 1),
        ("// seeds 000 and 009", 1),
        ("// develop.md, ARCHITECTURE.md and docs/spec/ccw.md", 0),
        ("// nowhere.md", 1),
    ] {
        let found = spec.problems("src-tauri/core/src/x.rs", text);
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }
    let row = "Row(\"§4.8\", \"type (reference §1.2)\"),";
    assert_eq!(spec.problems("tests/seed_002/fields.rs", row), Vec::<String>::new());
    assert_eq!(spec.problems("tests/seed_002/fields.rs", &row.replace("4.8", "4.9")).len(), 1);
}

/// What can be cited.
struct Spec {
    /// Numbers of sections, by file.
    sections: BTreeMap<&'static str, BTreeSet<String>>,
    /// Ids of rules.
    rules: BTreeSet<String>,
    /// The text about a seed, in lower case, by its number.
    seeds: BTreeMap<String, String>,
    /// Names of documents.
    documents: BTreeSet<String>,
}

impl Spec {
    fn read() -> Self {
        let mut spec = Self {
            sections: BTreeMap::new(),
            rules: BTreeSet::new(),
            seeds: BTreeMap::new(),
            documents: BTreeSet::new(),
        };
        for (_, file) in DOCUMENTS {
            let text = read(&format!("{SPEC}/{file}"));
            spec.sections.insert(file, text.lines().filter_map(section).collect());
        }
        for folder in ["", "docs", SPEC] {
            let names = names(&root().join(folder));
            spec.documents.extend(names.into_iter().filter(|name| name.ends_with(".md")));
        }
        for name in names(&root().join(SPEC)) {
            spec.rules.extend(read(&format!("{SPEC}/{name}")).lines().filter_map(rule_of_row));
        }
        let mut seed = String::new();
        for line in read(&format!("{SPEC}/seeds.md")).lines() {
            if let Some(number) = line.strip_prefix("## Seed ") {
                seed = number.trim().to_owned();
            }
            let known = spec.seeds.entry(seed.clone()).or_default();
            known.push_str(&line.to_lowercase());
            known.push('\n');
        }
        spec
    }

    /// All citations of `text` that lead nowhere.
    fn problems(&self, path: &str, text: &str) -> Vec<String> {
        let own = own_document(path);
        let is_contract = path.starts_with(SPEC);
        let mut found = Vec::new();
        // The last named document. In a file about one document, each line starts with that one.
        let mut named = own;
        for (line, number) in text.lines().zip(1..) {
            if own.is_some() {
                named = own;
            }
            let mut wrong = self.sections_of(line, &mut named);
            wrong.extend(self.seeds_of(line));
            if let Some(comment) = comment(line).filter(|_| !is_contract) {
                wrong.extend(self.rules_of(comment));
                wrong.extend(self.documents_of(comment));
            }
            found.extend(wrong.into_iter().map(|what| format!("{path}:{number}: {what}")));
        }
        found
    }

    fn sections_of(&self, line: &str, named: &mut Option<&'static str>) -> Vec<String> {
        let mut wrong = Vec::new();
        for (at, _) in line.char_indices() {
            let rest = &line[at..];
            if let Some((_, file)) = DOCUMENTS.iter().find(|(name, _)| rest.starts_with(name)) {
                *named = Some(*file);
            }
            let Some(number) = rest.strip_prefix('§').map(leading_number).filter(|number| !number.is_empty())
            else {
                continue;
            };
            match *named {
                None => wrong.push(format!("§{number} of no document that is named before it")),
                Some(file) if !self.sections[file].contains(number) => {
                    wrong.push(format!("{file} has no §{number}"));
                }
                Some(_) => {}
            }
        }
        wrong
    }

    fn rules_of(&self, comment: &str) -> Vec<String> {
        let words = comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.');
        let ids = words.map(|word| word.trim_matches('.')).filter(|word| is_rule(word));
        ids.filter(|id| !self.rules.contains(*id)).map(|id| format!("no rule {id}")).collect()
    }

    fn documents_of(&self, comment: &str) -> Vec<String> {
        let words = comment.split(|c: char| !c.is_ascii_alphanumeric() && !"_.-/<>{}*".contains(c));
        let names = words.map(|word| word.trim_matches('.')).filter_map(|word| word.rsplit('/').next());
        let unknown = names.filter(|name| {
            name.ends_with(".md")
                && !FILES_OF_LOOPS.contains(name)
                && !FILES_OF_PLANS.contains(name)
                && !self.documents.contains(*name)
        });
        unknown.map(|name| format!("no document {name}")).collect()
    }

    /// `seed 003, "Status Transitions"`: the number, and each heading in quotes right behind it.
    fn seeds_of(&self, line: &str) -> Vec<String> {
        let line = line.to_lowercase();
        let mut wrong = Vec::new();
        for (at, _) in line.match_indices("seed") {
            let rest = &line[at + "seed".len()..];
            let Some(mut rest) = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(' ') else { continue };
            let mut seeds = Vec::new();
            while let Some(number) = seed_number(rest) {
                seeds.push(number);
                rest = &rest[number.len()..];
                let Some(next) = [", and ", ", ", " and "].iter().find_map(|joint| rest.strip_prefix(joint))
                else {
                    break;
                };
                if seed_number(next).is_none() {
                    break;
                }
                rest = next;
            }
            if seeds.is_empty() {
                continue;
            }
            let headings = quoted(rest);
            for seed in seeds {
                match self.seeds.get(seed) {
                    None => wrong.push(format!("no seed {seed}")),
                    Some(known) => {
                        let missing = headings.iter().filter(|heading| !known.contains(*heading));
                        wrong.extend(missing.map(|heading| format!("seed {seed} has no {heading}")));
                    }
                }
            }
        }
        wrong
    }
}

/// Files about one document: a contract itself, and the rows of the seed with numbered sections.
fn own_document(path: &str) -> Option<&'static str> {
    if path.contains("/seed_002/") {
        return Some("seeds.md");
    }
    let name = path.strip_prefix(SPEC)?.strip_prefix('/')?;
    DOCUMENTS.iter().map(|(_, file)| *file).find(|file| *file == name)
}

fn is_checked(path: &str) -> bool {
    let is_source = [".rs", ".ts", ".svelte"].iter().any(|end| path.ends_with(end));
    let is_contract = path.starts_with(SPEC) && path.ends_with(".md");
    (is_source || is_contract) && !NOT_CHECKED.contains(&path)
}

/// The number of a heading: `### 5.1 What each verb writes`, `#### §4.1 objective`.
fn section(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim_start();
    let number = leading_number(heading.strip_prefix('§').unwrap_or(heading));
    (!number.is_empty()).then(|| number.to_owned())
}

/// `5.1` of `5.1, and more`.
fn leading_number(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// The id of a row in a table of rules: `| L4 | …`.
fn rule_of_row(line: &str) -> Option<String> {
    let id = line.strip_prefix("| ")?.split(' ').next()?;
    is_rule(id).then(|| id.to_owned())
}

/// `L4`, `V21`, and ids of other places such as `L4.2`.
fn is_rule(word: &str) -> bool {
    let Some(number) = word.strip_prefix(['E', 'F', 'L', 'P', 'R', 'T', 'V', 'W']) else { return false };
    let is_short = |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    number.split('.').all(is_short)
}

/// The comment of a line: all of it, or the part after code.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim();
    if ["//", "/*", "*", "<!--"].iter().any(|start| line.starts_with(start)) {
        return Some(line);
    }
    line.find(" // ").map(|at| &line[at..])
}

/// Exactly three digits.
fn seed_number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end == 3).then(|| &text[..end])
}

/// Quoted texts joined directly after a number; with their quotes.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches([',', ':']);
    loop {
        let start = rest.strip_prefix(" and").unwrap_or(rest);
        let Some(inner) = start.strip_prefix(" \"") else { return found };
        let Some(end) = inner.find('"') else { return found };
        found.push(&start[1..end + 3]);
        rest = &inner[end + 1..];
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("a text in the repository")
}

/// Names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// All files below `folder`, by their paths in the repository.
fn walk(folder: &Path, path: &str, files: &mut Vec<String>) {
    for name in names(folder) {
        let (below, path) = (folder.join(&name), format!("{path}/{name}"));
        if !below.is_dir() {
            files.push(path);
        } else if !SKIPPED.contains(&name.as_str()) && !below.is_symlink() {
            walk(&below, &path, files);
        }
    }
}
