//! What the packages and the page weigh, each next to its limit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::Failure;
use xtask::workspace::root;

use super::{compressed, files_below};
use crate::steps;

/// Bytes of a package.
const PACKAGE_LIMIT: u64 = 12_000_000;
/// Bytes of what the window loads before it shows the list of loops, each file compressed by gzip. Views come later.
const START_LIMIT: u64 = 130_000;

/// Prints the sizes of `packages` and of the page; fails when one is over its limit.
pub(super) fn check(packages: &[PathBuf]) -> Result<(), Failure> {
    steps::heading("Sizes");
    let mut over = Vec::new();
    let mut weigh = |name: String, bytes: u64, limit: u64| {
        println!("{name}: {} of at most {}", shown(bytes), shown(limit));
        if bytes > limit {
            over.push(name);
        }
    };
    for package in packages {
        weigh(package.display().to_string(), fs::metadata(package)?.len(), PACKAGE_LIMIT);
    }
    let page = root().join("ui/dist");
    let start = loaded_at_start(&page)?;
    weigh("page at the start, gzip".to_owned(), weight(&page, &start)?, START_LIMIT);
    parts(&page)?;
    if over.is_empty() { Ok(()) } else { Err(format!("too large: {}", over.join(", ")).into()) }
}

/// Prints what the whole page consists of: most of it is loaded when somebody asks for it, or never.
fn parts(page: &Path) -> Result<(), Failure> {
    let guide = stems(&root().join("docs/guide/en"))?;
    let languages = stems(&root().join("ui/src/words"))?;
    let mut sums = BTreeMap::new();
    for file in files_below(page)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let kind = kind(&name, &guide, &languages);
        *sums.entry(kind).or_insert(0) += weight(page, std::slice::from_ref(&file))?;
    }
    for (kind, bytes) in &sums {
        println!("    {kind}, gzip: {}", shown(*bytes));
    }
    println!("    the whole page, gzip: {}", shown(sums.values().sum()));
    Ok(())
}

fn kind(name: &str, guide: &[String], languages: &[String]) -> &'static str {
    // A page is in a file of its own, with a checksum after its name.
    let is_of = |stems: &[String]| stems.iter().any(|stem| name.starts_with(&format!("{stem}-")));
    match () {
        () if name == "third-party.json" => "licences",
        () if is_of(guide) => "guide, three languages",
        () if is_of(languages) => "words of other languages",
        () if name.ends_with(".css") => "styles",
        () => "program, and words in English",
    }
}

/// The names in `folder`, without their endings.
fn stems(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let stem = |entry: &fs::DirEntry| Some(entry.path().file_stem()?.to_string_lossy().into_owned());
    Ok(entries.iter().filter_map(stem).collect())
}

fn weight(folder: &Path, files: &[PathBuf]) -> Result<u64, Failure> {
    let sizes = files.iter().map(|file| Ok(compressed(&fs::read(folder.join(file))?)?.len()));
    Ok(u64::try_from(sizes.sum::<Result<usize, Failure>>()?)?)
}

/// `index.html`, the scripts and styles that it names, and what those scripts import.
fn loaded_at_start(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let index = PathBuf::from("index.html");
    let text = fs::read_to_string(folder.join(&index))?;
    let mut open: Vec<PathBuf> = ["src=\"/", "href=\"/"]
        .iter()
        .flat_map(|mark| quoted_after(&text, mark))
        .map(PathBuf::from)
        .collect();
    if open.is_empty() {
        return Err("index.html names no script".into());
    }
    let mut found = vec![index];
    while let Some(file) = open.pop() {
        if found.contains(&file) {
            continue;
        }
        if file.extension().is_some_and(|extension| extension == "js") {
            let text = fs::read_to_string(folder.join(&file))?;
            let imported = ["from\"./", "import\"./"].iter().flat_map(|mark| quoted_after(&text, mark));
            open.extend(imported.map(|name| file.with_file_name(name)));
        }
        found.push(file);
    }
    Ok(found)
}

/// What comes after each `mark` up to the next quote.
fn quoted_after<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    text.split(mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn shown(bytes: u64) -> String {
    let (whole, unit) = if bytes < 1_000_000 { (bytes, "kB") } else { (bytes / 1_000, "MB") };
    format!("{}.{} {unit}", whole / 1_000, whole % 1_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_digit_after_the_point() {
        assert_eq!([shown(350_000), shown(12_000_000), shown(9_876_543)], ["350.0 kB", "12.0 MB", "9.8 MB"]);
    }

    #[test]
    fn each_file_counts_once_as_what_it_is() {
        let (guide, languages) = (["first-loop".to_owned()], ["ja".to_owned()]);
        let found =
            ["third-party.json", "first-loop-Bb_K.js", "ja-B8eI.js", "first-CF6o.css", "first-ZX9s.js"]
                .map(|name| kind(name, &guide, &languages));
        let program = "program, and words in English";
        assert_eq!(
            found,
            ["licences", "guide, three languages", "words of other languages", "styles", program]
        );
    }

    #[test]
    fn views_that_come_later_are_not_loaded_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        write("index.html", r#"<script src="/assets/a.js"></script><link href="/assets/a.css">"#);
        write(
            "assets/a.js",
            r#"import{x}from"./b.js";import"./c.js";const d=()=>import(`./d.js`),e="from./f.js""#,
        );
        write("assets/b.js", r#"import{y}from"./a.js";"#);
        for name in ["assets/c.js", "assets/d.js", "assets/a.css"] {
            write(name, "");
        }
        let mut found = loaded_at_start(folder.path()).unwrap();
        found.sort();
        let expected = ["assets/a.css", "assets/a.js", "assets/b.js", "assets/c.js", "index.html"];
        assert_eq!(found, expected.map(PathBuf::from));
    }
}
