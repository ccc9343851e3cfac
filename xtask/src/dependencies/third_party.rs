//! The list of what others wrote and Loopdeck contains, with the licences: `ui/public/third-party.json`, which the window shows.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use xtask::Failure;
use xtask::workspace::{cargo, root};

use super::expression::Licence;
use super::{allowed_licences, licence_texts, npm_tree};

/// The programs that people install.
const PROGRAMS: [&str; 2] = ["loopdeck", "loopdeck-cli"];
/// The systems that they are built for.
const PLATFORMS: [&str; 3] = ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];

/// A package that Loopdeck contains.
#[derive(Debug, Default)]
struct ContainedPackage {
    name: String,
    version: String,
    licence: String,
    /// Where its source is.
    home: String,
    authors: String,
    folder: PathBuf,
}

/// Writes the list.
pub(crate) fn write() -> Result<(), Failure> {
    Ok(fs::write(file(), list()?)?)
}

/// Fails when the list is not what it would be now.
pub(super) fn check() -> Result<(), Failure> {
    let there = fs::read_to_string(file()).unwrap_or_default();
    if there == list()? { Ok(()) } else { Err("not current; run: cargo xtask third-party".into()) }
}

fn file() -> PathBuf {
    root().join("ui/public/third-party.json")
}

fn list() -> Result<String, Failure> {
    let mut parts = crates()?;
    parts.extend(npm_parts()?);
    parts.sort_by_cached_key(|part| (part.name.to_lowercase(), part.name.clone(), part.version.clone()));
    let mut preferred = vec!["Apache-2.0".to_owned()]; // one text for all who offer it
    preferred.extend(allowed_licences()?);
    let files = parts.iter().map(|part| licence_texts::of_package(&part.folder));
    let files: Vec<Vec<String>> = files.collect::<Result<_, _>>()?;
    let all: Vec<String> = files.iter().flatten().cloned().collect();
    let (mut rows, mut texts) = (Vec::new(), Numbered::default());
    for (part, files) in parts.iter().zip(&files) {
        let licence = Licence::parse(&part.licence).ok_or_else(|| part.without_text())?;
        let chosen = texts_of(part, &licence, files, &preferred, &all)?;
        let numbers: BTreeSet<usize> = chosen.into_iter().map(|text| texts.number(text)).collect();
        rows.push(part.row(&licence, &numbers));
    }
    let texts: Vec<String> = texts.texts.iter().map(|text| quoted(text)).collect();
    // One in each line, so that a change of one is a change of one line.
    Ok(format!("{{\"packages\":[\n{}\n],\"texts\":[\n{}\n]}}\n", rows.join(",\n"), texts.join(",\n")))
}

impl ContainedPackage {
    fn row(&self, licence: &Licence, numbers: &BTreeSet<usize>) -> String {
        let [name, version, licence, home] =
            [&self.name, &self.version, &licence.to_string(), &self.home].map(|text| quoted(text));
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let numbers = numbers.join(",");
        format!(
            "{{\"name\":{name},\"version\":{version},\"licence\":{licence},\"home\":{home},\"texts\":[{numbers}]}}"
        )
    }

    /// Who holds the rights.
    fn holder(&self) -> String {
        if self.authors.is_empty() { format!("the authors of {}", self.name) } else { self.authors.clone() }
    }

    fn without_text(&self) -> String {
        format!("{} {}: no text for {:?}", self.name, self.version, self.licence)
    }
}

/// As a string of JSON.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The texts under which `part` is used.
fn texts_of(
    part: &ContainedPackage,
    licence: &Licence,
    files: &[String],
    preferred: &[String],
    of_others: &[String],
) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for name in licence.chosen(preferred).ok_or_else(|| part.without_text())? {
        let own = if name == "Apache-2.0" { Vec::new() } else { licence_texts::for_licence(&name, files) };
        if own.is_empty() {
            let usual = licence_texts::usual(&name, &part.holder(), of_others);
            texts.push(usual.ok_or_else(|| part.without_text())?);
        }
        texts.extend(own);
    }
    Ok(texts)
}

/// The crates that are in the programs; what only builds or tests them is not.
fn crates() -> Result<Vec<ContainedPackage>, Failure> {
    let metadata = metadata()?;
    let packages: HashMap<&str, &Value> =
        array(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
    let nodes: HashMap<&str, &Value> =
        array(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), &node["deps"])).collect();
    let is_program = |id: &&str| PROGRAMS.contains(&text(&packages[*id]["name"]));
    let mut open: Vec<&str> = packages.keys().copied().filter(is_program).collect();
    let mut seen = HashSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let linked = nodes.get(id).into_iter().copied().flat_map(array).filter(|edge| is_linked(edge));
            open.extend(linked.map(|edge| text(&edge["pkg"])));
        }
    }
    let of_others = seen.into_iter().map(|id| packages[id]).filter(|package| package["source"].is_string());
    Ok(of_others.map(crate_part).collect())
}

fn metadata() -> Result<Value, Failure> {
    let mut command = cargo();
    command.args(["metadata", "--format-version=1", "--all-features", "--locked"]);
    for platform in PLATFORMS {
        command.args(["--filter-platform", platform]);
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("cargo metadata failed".into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn is_linked(edge: &Value) -> bool {
    array(&edge["dep_kinds"]).any(|kind| kind["kind"].is_null())
}

fn crate_part(package: &Value) -> ContainedPackage {
    let manifest = Path::new(text(&package["manifest_path"]));
    let authors: Vec<&str> = array(&package["authors"]).map(text).collect();
    ContainedPackage {
        name: text(&package["name"]).to_owned(),
        version: text(&package["version"]).to_owned(),
        licence: text(&package["license"]).to_owned(),
        home: text(&package["repository"]).to_owned(),
        authors: authors.join(", "),
        folder: manifest.parent().unwrap_or(manifest).to_owned(),
    }
}

fn npm_parts() -> Result<Vec<ContainedPackage>, Failure> {
    let part = |package: npm_tree::NpmPackage| -> Result<ContainedPackage, Failure> {
        let folder = root().join("ui").join(package.folder);
        let manifest: Value = serde_json::from_slice(&fs::read(folder.join("package.json"))?)?;
        let repository = &manifest["repository"];
        let author = &manifest["author"];
        let home = repository.as_str().unwrap_or(text(&repository["url"]));
        Ok(ContainedPackage {
            name: package.name,
            version: package.version,
            licence: package.licence,
            home: home.trim_start_matches("git+").trim_end_matches(".git").to_owned(),
            authors: author.as_str().unwrap_or(text(&author["name"])).to_owned(),
            folder,
        })
    };
    npm_tree::packages()?.into_iter().map(part).collect()
}

/// Texts by the number under which a package names them.
#[derive(Default)]
struct Numbered {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Numbered {
    fn number(&mut self, text: String) -> usize {
        let next = self.texts.len();
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(licence: &str) -> ContainedPackage {
        ContainedPackage {
            name: "x".into(),
            version: "1.0.0".into(),
            licence: licence.into(),
            ..ContainedPackage::default()
        }
    }

    #[test]
    fn a_licence_without_a_text_is_told() {
        let preferred = ["Apache-2.0", "MIT", "ISC"].map(str::to_owned);
        let of = |licence: &str, files: &[String]| {
            let expression = Licence::parse(licence).expect("an expression");
            texts_of(&part(licence), &expression, files, &preferred, &[])
        };
        assert!(of("MIT OR Apache-2.0", &[]).expect("a text")[0].contains("Apache License"));
        assert!(of("MIT", &[]).expect("a text")[0].starts_with("Copyright (c) the authors of x"));
        assert_eq!(of("ISC", &["theirs".into()]).expect("a text"), ["theirs"]);
        for licence in ["ISC", "GPL-3.0"] {
            assert!(of(licence, &[]).is_err(), "{licence}");
        }
    }

    #[test]
    fn the_list_has_what_is_built_in_and_nothing_else() {
        let names: HashSet<String> = crates().expect("crates").into_iter().map(|part| part.name).collect();
        for built_in in ["tauri", "rusqlite", "clap", "async-nats"] {
            assert!(names.contains(built_in), "{built_in}");
        }
        for other in ["proptest", "tauri-build", "loopdeck-core", "ureq"] {
            assert!(!names.contains(other), "{other}");
        }
    }
}
