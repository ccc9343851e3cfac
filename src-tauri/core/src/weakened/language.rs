//! What a path says of a file: its language, whether tests are in it, whether it runs or configures them.

/// The languages whose tests are counted; families that write tests alike are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    /// JavaScript and TypeScript.
    Script,
    Python,
    Go,
    /// Java, Kotlin, C#, Scala, Groovy.
    Java,
    Ruby,
    Php,
    Swift,
    /// Shell and bats.
    Shell,
}

impl Language {
    /// That of the file at `path`; `None` for one whose code is not read.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let name = file_name(path);
        let (_, end) = name.rsplit_once('.')?;
        Some(match end {
            "rs" => Self::Rust,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "svelte" | "vue" => Self::Script,
            "py" | "pyi" => Self::Python,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "cs" | "scala" | "groovy" => Self::Java,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "swift" => Self::Swift,
            "sh" | "bash" | "bats" | "zsh" => Self::Shell,
            _ => return None,
        })
    }
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether tests are usually in a file of this path.
pub(super) fn is_test_path(path: &str) -> bool {
    const FOLDERS: [&str; 8] = ["test", "tests", "__tests__", "spec", "specs", "e2e", "Tests", "androidTest"];
    let name = file_name(path);
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let folders = path.strip_suffix(name).unwrap_or_default();
    let in_folder = folders.split('/').any(|folder| FOLDERS.contains(&folder));
    let words = ["_test", "_tests", "_spec", ".test", ".spec", ".e2e", ".cy"];
    let by_name = stem.starts_with("test_") || words.iter().any(|word| stem.ends_with(word));
    let camel = matches!(end, "java" | "kt" | "cs" | "php" | "swift" | "scala" | "groovy")
        && ["Test", "Tests", "Spec", "IT"].iter().any(|word| stem.ends_with(word));
    in_folder || by_name || camel || end == "bats" || name == "conftest.py"
}

/// Whether a tool wrote what the file expects.
pub(super) fn is_snapshot(path: &str) -> bool {
    let name = file_name(path);
    let ends = [".snap", ".golden", ".snapshot", ".approved.txt", ".ambr"];
    ends.iter().any(|end| name.ends_with(end))
        || path
            .split('/')
            .any(|folder| matches!(folder, "__snapshots__" | "snapshots" | "__image_snapshots__"))
}

/// Whether a server reads the file to know what it checks.
pub(super) fn is_ci(path: &str) -> bool {
    const FOLDERS: [&str; 6] = [
        ".github/workflows/",
        ".gitea/workflows/",
        ".forgejo/workflows/",
        ".circleci/",
        ".woodpecker/",
        ".buildkite/",
    ];
    const NAMES: [&str; 10] = [
        ".gitlab-ci.yml",
        ".travis.yml",
        "azure-pipelines.yml",
        "bitbucket-pipelines.yml",
        "Jenkinsfile",
        ".drone.yml",
        ".woodpecker.yml",
        "appveyor.yml",
        ".pre-commit-config.yaml",
        "lefthook.yml",
    ];
    let here = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    FOLDERS.iter().any(|folder| here(folder)) || NAMES.contains(&file_name(path))
}

/// Whether the file names targets whose lines are commands.
pub(super) fn is_makefile(path: &str) -> bool {
    matches!(file_name(path), "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile")
        || path.ends_with(".mk")
}

/// Whether the file is a script that a shell or git runs.
pub(super) fn is_script(path: &str) -> bool {
    Language::from_path(path) == Some(Language::Shell)
        || path.contains(".husky/")
        || path.contains(".githooks/")
}

/// Whether the file says how tests, coverage or checks are run.
pub(super) fn is_config(path: &str) -> bool {
    const WORDS: [&str; 12] = [
        "jest",
        "vitest",
        "mocha",
        "karma",
        "playwright",
        "cypress",
        "nyc",
        "c8",
        "phpunit",
        "codecov",
        "stryker",
        "wtr",
    ];
    const NAMES: [&str; 15] = [
        "package.json",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        ".coveragerc",
        "noxfile.py",
        "conftest.py",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        ".simplecov",
        ".rspec",
        "vite.config.ts",
    ];
    let name = file_name(path);
    let is_named = NAMES.contains(&name)
        || name.ends_with(".csproj")
        || (!is_test_path(path) && WORDS.iter().any(|word| name.trim_start_matches('.').starts_with(word)));
    is_named || is_ci(path) || is_makefile(path) || is_script(path)
}
