//! pytest, with its JUnit report.

use super::{Dialect, Folder, ProposedTests};

/// At most one.
pub(super) fn proposed(folder: &Folder<'_>) -> Option<ProposedTests> {
    let configured =
        folder.first(&["pytest.ini", "pytest.toml", ".pytest.ini", "conftest.py", "tests/conftest.py"]);
    let sections =
        [("pyproject.toml", "[tool.pytest"), ("setup.cfg", "[tool:pytest]"), ("tox.ini", "[pytest]")];
    let says = sections.iter().find(|(file, section)| folder.text(file).contains(section));
    let found_by = configured.or(says.map(|(file, _)| *file)).or_else(|| folder.one_that(is_test))?;
    let file = folder.result("pytest.xml");
    let report = format!("--junitxml={file}");
    let begin: &[&str] = match folder.first(&["uv.lock", "poetry.lock"]) {
        Some("uv.lock") => &["uv", "run", "pytest"],
        Some(_) => &["poetry", "run", "pytest"],
        None => &["python3", "-m", "pytest"],
    };
    let command: Vec<&str> = begin.iter().copied().chain([report.as_str()]).collect();
    Some(ProposedTests::new(found_by, &command, &[&file], Some(Dialect::Junit)))
}

/// A file that pytest would collect.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let known = name.strip_suffix(".py");
    known.is_some_and(|name| name.starts_with("test_") || name.ends_with("_test"))
}
