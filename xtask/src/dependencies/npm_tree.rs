//! The packages of npm that are built into the page: those of the lock file that are not only for development.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use xtask::Failure;
use xtask::workspace::root;

use super::expression::Licence;
use super::{allowed_licences, unreachable_database};
use crate::ui;

/// Advisories that stand, each with the reason why they do no harm here.
const EXPLAINED: [(&str, &str); 0] = [];

/// A package of the lock file.
#[derive(Debug)]
pub(crate) struct NpmPackage {
    /// Where it is, below the UI's folder.
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// What it says about its licence.
    pub(crate) licence: String,
}

/// Every package that a production install has.
pub(crate) fn packages() -> Result<Vec<NpmPackage>, Failure> {
    let lock: Value = serde_json::from_slice(&fs::read(root().join("ui/package-lock.json"))?)?;
    let packages = lock["packages"].as_object().ok_or("package-lock.json has no packages")?;
    Ok(packages.iter().filter(|(_, package)| package["dev"] != true).filter_map(package).collect())
}

fn package((folder, package): (&String, &Value)) -> Option<NpmPackage> {
    let (_, name) = folder.rsplit_once("node_modules/")?; // the first one is the UI itself
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let (version, licence) = (text("version"), text("license"));
    Some(NpmPackage { folder: folder.clone(), name: name.to_owned(), version, licence })
}

/// Fails when a package has a licence that `deny.toml` doesn't allow.
pub(super) fn check_licences() -> Result<(), Failure> {
    let (packages, allowed) = (packages()?, allowed_licences()?);
    let not_allowed = not_allowed(&packages, &allowed);
    if not_allowed.is_empty() {
        println!("{} packages", packages.len());
        return Ok(());
    }
    Err(format!("deny.toml does not allow the licence of {}", not_allowed.join(", ")).into())
}

fn not_allowed(packages: &[NpmPackage], allowed: &[String]) -> Vec<String> {
    let is_refused = |package: &&NpmPackage| {
        Licence::parse(&package.licence).and_then(|licence| licence.chosen(allowed)).is_none()
    };
    let told = |package: &NpmPackage| format!("{} {} ({:?})", package.name, package.version, package.licence);
    packages.iter().filter(is_refused).map(told).collect()
}

/// An advisory without an explanation fails the check. A registry that doesn't answer does not: a line says so.
pub(super) fn check_advisories() -> Result<(), Failure> {
    let mut audit = ui::npm();
    audit.args(["audit", "--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=30000"]);
    let output = audit.output()?;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    if !report["vulnerabilities"].is_object() {
        unreachable_database(report["message"].as_str().unwrap_or("no report"));
        return Ok(());
    }
    let found = unexplained(&report, &EXPLAINED);
    if found.is_empty() {
        return Ok(());
    }
    Err(format!("advisories that nobody has explained: {}", Vec::from_iter(found).join(", ")).into())
}

/// The advisories of npm's report: title and address.
fn unexplained(report: &Value, explained: &[(&str, &str)]) -> BTreeSet<String> {
    let packages = report["vulnerabilities"].as_object().into_iter().flat_map(|packages| packages.values());
    // A package that only depends on another names it by a string.
    let advisories = packages.filter_map(|package| package["via"].as_array()).flatten();
    let told = advisories.filter_map(|advisory| {
        let address = advisory["url"].as_str()?;
        let is_explained = explained.iter().any(|(id, _)| address.ends_with(id));
        (!is_explained).then(|| format!("{} ({address})", advisory["title"].as_str().unwrap_or_default()))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn development_packages_are_left_out() {
        let names: Vec<String> =
            packages().expect("a lock file").into_iter().map(|package| package.name).collect();
        assert!(names.contains(&"svelte".to_owned()) && names.contains(&"@tauri-apps/api".to_owned()));
        assert!(!names.contains(&"vitest".to_owned()), "{names:?}");
    }

    #[test]
    fn other_licences_and_none_are_not_allowed() {
        let package = |name: &str, licence: &str| NpmPackage {
            folder: format!("node_modules/{name}"),
            name: name.into(),
            version: "1.0.0".into(),
            licence: licence.into(),
        };
        let packages = [package("a", "MIT"), package("b", "GPL-3.0"), package("c", "")];
        let told = not_allowed(&packages, &["MIT".to_owned()]);
        assert_eq!(told, ["b 1.0.0 (\"GPL-3.0\")", "c 1.0.0 (\"\")"]);
    }

    #[test]
    fn an_advisory_needs_an_explanation() {
        let address = "https://github.com/advisories/GHSA-aaaa-bbbb-cccc";
        let report = json!({ "vulnerabilities": {
            "diff": { "via": [{ "title": "Slow", "url": address }] },
            "other": { "via": ["diff"] },
        }});
        assert_eq!(Vec::from_iter(unexplained(&report, &[])), [format!("Slow ({address})")]);
        assert!(unexplained(&report, &[("GHSA-aaaa-bbbb-cccc", "its input is ours")]).is_empty());
    }
}
