//! The tools for other systems. Debian has a compiler with the sources of its standard library, mingw-w64 and Wine; their packages are
//! unpacked, not installed. apt says which versions there are now and checks their checksums against its signed lists; the stamp of a
//! folder is that list, so that what is there is what apt would bring.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use xtask::Failure;

use crate::pip::{Pinned, make_executable};
use crate::{steps, system};

/// What cargo needs.
pub(super) struct Tools {
    /// The folder with all of it.
    pub(super) state: PathBuf,
    /// Where is built.
    pub(super) build: PathBuf,
    /// What `PATH` is.
    pub(super) path: OsString,
    pub(super) compiler: Compiler,
}

/// Which compiler.
pub(super) enum Compiler {
    /// The usual one: somebody added the targets to it (`rustup target add`).
    Usual,
    /// Debian's, which has the sources of the standard library.
    Laid { rustc: PathBuf, rustdoc: PathBuf, libraries: PathBuf },
}

const MINGW: &[&str] = &[
    "gcc-mingw-w64-x86-64-win32",
    "gcc-mingw-w64-x86-64-win32-runtime",
    "gcc-mingw-w64-base",
    "binutils-mingw-w64-x86-64",
    "mingw-w64-common",
    "mingw-w64-x86-64-dev",
];

/// A compiler whose standard library has its sources beside it.
const COMPILER: &str = "rustc-web";

/// The C compiler for macOS.
const ZIG: Pinned = Pinned {
    program: "ziglang/zig",
    folder: "zig",
    why: "zig: a C compiler for macOS",
    platform: None,
    requirement: "\
ziglang==0.17.1 \
--hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54 \
--hash=sha256:b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e
",
};

impl Tools {
    /// Lays out what is missing below `state`.
    ///
    /// # Errors
    /// What the system lacks, in one line.
    pub(super) fn lay_out(state: &Path, targets: &[&str]) -> Result<Self, Failure> {
        if system::find_program("apt-get").is_none() || system::find_program("dpkg").is_none() {
            return Err("cross needs packages of Debian or Ubuntu, and there is no apt-get here".into());
        }
        let is_known = |package: &str| steps::output(download().args(["--print-uris", package])).is_ok();
        if !is_known(MINGW[0]) && system::is_root()? {
            // A system that was just installed knows no package.
            steps::run("apt-get update", Command::new("apt-get").args(["--quiet", "update"]))?;
        }
        if !has_libraries(targets) && !is_known(COMPILER) {
            let targets = targets.join(" ");
            return Err(format!("apt has no {COMPILER}; rustup target add {targets} is another way").into());
        }
        let compiler = compiler(state, targets)?;
        let mingw = debian(state, "mingw", MINGW)?;
        ZIG.install(state)?;
        let bin = state.join("bin");
        fs::create_dir_all(&bin)?;
        // Debian's name says which threads it has.
        let gcc = bin.join("x86_64-w64-mingw32-gcc");
        link(&mingw.join("usr/bin/x86_64-w64-mingw32-gcc-win32"), &gcc)?;
        script(&bin.join("zig-cc"), include_str!("zig-cc.sh"))?;
        let usual = env::var_os("PATH").unwrap_or_default();
        let first = [bin, mingw.join("usr/bin")];
        let path = env::join_paths(first.into_iter().chain(env::split_paths(&usual)))?;
        Ok(Self { state: state.to_owned(), build: state.join("build"), path, compiler })
    }
}

fn compiler(state: &Path, targets: &[&str]) -> Result<Compiler, Failure> {
    if has_libraries(targets) {
        return Ok(Compiler::Usual);
    }
    let names = with_dependencies(&[COMPILER, "rust-web-src"], &["rust", "libstd-rust", "libllvm"])?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = debian(state, "rust", &names)?.join("usr");
    let libraries = folder.join("lib").join(format!("{}-linux-gnu", env::consts::ARCH));
    Ok(Compiler::Laid { rustc: folder.join("bin/rustc"), rustdoc: folder.join("bin/rustdoc"), libraries })
}

/// Whether the usual compiler has the standard library for each.
fn has_libraries(targets: &[&str]) -> bool {
    targets.iter().all(|target| {
        let mut asked = Command::new("rustc");
        asked.args(["--print", "target-libdir", "--target", target]).stderr(Stdio::null());
        steps::output(&mut asked).is_ok_and(|folder| Path::new(&folder).is_dir())
    })
}

/// The packages and what they depend on, as far as a name starts like one of `kinds`: some have the version in it.
fn with_dependencies(packages: &[&str], kinds: &[&str]) -> Result<Vec<String>, Failure> {
    let mut asked = Command::new("apt-cache");
    asked.args(["depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks"]);
    asked.args(["--no-replaces", "--no-enhances"]).args(packages);
    let listed = steps::output(&mut asked)?;
    let names = listed.lines().filter(|line| kinds.iter().any(|kind| line.starts_with(kind)));
    Ok(names.map(str::to_owned).collect())
}

/// Unpacks Debian packages in a folder of their own, unless those versions are there. Returns the folder.
pub(super) fn debian(state: &Path, name: &str, packages: &[&str]) -> Result<PathBuf, Failure> {
    let (folder, stamp) = (state.join(name), state.join(name).join("packages"));
    let mut asked = download();
    let wanted = steps::output(asked.arg("--print-uris").args(packages))
        .map_err(|error| format!("apt has no packages for {name} (apt-get update may help): {error}"))?;
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(folder);
    }
    steps::heading(&format!("{name}: {} packages of Debian", packages.len()));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let archives = folder.join("archives");
    fs::create_dir_all(&archives)?;
    steps::run("apt-get download", download().args(packages).current_dir(&archives))?;
    for entry in fs::read_dir(&archives)? {
        let mut unpack = Command::new("dpkg");
        steps::run("dpkg", unpack.arg("--extract").arg(entry?.path()).arg(&folder))?;
    }
    fs::remove_dir_all(archives)?;
    fs::write(stamp, wanted)?;
    Ok(folder)
}

/// Root need not give up its rights for a download into our folder.
fn download() -> Command {
    let mut command = Command::new("apt-get");
    command.args(["--quiet", "-o", "APT::Sandbox::User=root", "download"]);
    command
}

/// A script in the folder of programs.
pub(super) fn script(path: &Path, text: &str) -> Result<(), Failure> {
    // One that did not change keeps its time: build scripts look at it.
    if !fs::read_to_string(path).is_ok_and(|there| there == text) {
        fs::write(path, text)?;
    }
    make_executable(path)
}

/// A link at `path`, whatever was there.
pub(super) fn link(target: &Path, path: &Path) -> Result<(), Failure> {
    if fs::read_link(path).is_ok_and(|there| there == target) {
        return Ok(());
    }
    let _ = fs::remove_file(path); // nothing, mostly
    Ok(std::os::unix::fs::symlink(target, path)?)
}
