//! The files of an installation, laid out in a folder as they are on the person's disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::Failure;
use xtask::workspace::root;

use super::{Release, compressed, filled, packaging};
use crate::app::Programs;
use crate::steps;

/// Whose folders for completions and licences apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Debian, Ubuntu.
    Debian,
    /// Fedora, openSUSE.
    Rpm,
}

const METAINFO: &str = "dev.loopdeck.desktop.metainfo.xml";

/// Lays out everything that is installed below `root`.
pub(super) fn lay_out(
    root: &Path,
    layout: Layout,
    programs: &Programs,
    release: &Release,
) -> Result<(), Failure> {
    let tree = Tree { root };
    for program in [&programs.cli, &programs.desktop] {
        let name = program.file_name().ok_or("a program without a name")?;
        tree.copy(program, &Path::new("usr/bin").join(name), 0o755)?;
    }
    tree.desktop_entry(release)?;
    tree.icons()?;
    tree.units()?;
    tree.manual(&programs.cli)?;
    tree.completions(&programs.cli, layout)?;
    tree.documents(layout)
}

struct Tree<'a> {
    root: &'a Path,
}

impl Tree<'_> {
    /// The menu entry and what software centres show; both are checked by the tools of their standards.
    fn desktop_entry(&self, release: &Release) -> Result<(), Failure> {
        let entry = Path::new("usr/share/applications/loopdeck.desktop");
        self.copy(&packaging().join("loopdeck.desktop"), entry, 0o644)?;
        let metainfo = Path::new("usr/share/metainfo").join(METAINFO);
        let values = [("VERSION", &*release.version), ("DATE", &*release.date)];
        self.write(&metainfo, &filled(METAINFO, &values)?)?;
        steps::run(
            "desktop-file-validate",
            Command::new("desktop-file-validate").arg(self.root.join(entry)),
        )?;
        let mut validate = Command::new("appstreamcli");
        validate.args(["validate", "--no-net"]).arg(self.root.join(metainfo));
        steps::run("appstreamcli", &mut validate)
    }

    /// Every `64x64.png` and `128x128@2x.png`, and the drawing.
    fn icons(&self) -> Result<(), Failure> {
        let theme = Path::new("usr/share/icons/hicolor");
        for entry in fs::read_dir(root().join("icons"))? {
            let file = entry?.path();
            let Some(folder) = file.file_name().and_then(|name| icon_folder(&name.to_string_lossy())) else {
                continue;
            };
            self.copy(&file, &theme.join(folder).join("apps/loopdeck.png"), 0o644)?;
        }
        self.copy(&root().join("icons/loopdeck.svg"), &theme.join("scalable/apps/loopdeck.svg"), 0o644)
    }

    /// Units of the person's systemd. None is on after the installation.
    fn units(&self) -> Result<(), Failure> {
        for entry in fs::read_dir(packaging().join("systemd"))? {
            let entry = entry?;
            self.copy(&entry.path(), &Path::new("usr/lib/systemd/user").join(entry.file_name()), 0o644)?;
        }
        Ok(())
    }

    fn manual(&self, cli: &Path) -> Result<(), Failure> {
        let folder = self.root.join("usr/share/man/man1");
        fs::create_dir_all(&folder)?;
        steps::output(Command::new(cli).args(["man", "--to"]).arg(&folder))?;
        let page = Path::new("usr/share/man/man1/loopdeck-desktop.1");
        self.copy(&packaging().join("loopdeck-desktop.1"), page, 0o644)?;
        for entry in fs::read_dir(&folder)? {
            compress(&entry?.path())?;
        }
        Ok(())
    }

    fn completions(&self, cli: &Path, layout: Layout) -> Result<(), Failure> {
        let zsh = match layout {
            Layout::Debian => "usr/share/zsh/vendor-completions/_loopdeck",
            Layout::Rpm => "usr/share/zsh/site-functions/_loopdeck",
        };
        for (shell, file) in [
            ("bash", "usr/share/bash-completion/completions/loopdeck"),
            ("zsh", zsh),
            ("fish", "usr/share/fish/vendor_completions.d/loopdeck.fish"),
        ] {
            let text = steps::output(Command::new(cli).args(["completions", shell]))?;
            self.write(Path::new(file), &format!("{text}\n"))?;
        }
        Ok(())
    }

    /// Changes and licences.
    fn documents(&self, layout: Layout) -> Result<(), Failure> {
        let documents = Path::new("usr/share/doc/loopdeck");
        let changes = documents.join("CHANGELOG.md");
        self.copy(&root().join("CHANGELOG.md"), &changes, 0o644)?;
        if layout == Layout::Rpm {
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                let to = Path::new("usr/share/licenses/loopdeck").join(licence);
                self.copy(&root().join(licence), &to, 0o644)?;
            }
            return Ok(());
        }
        compress(&self.root.join(changes))?;
        let mit = indented(&fs::read_to_string(root().join("LICENSE-MIT"))?);
        self.write(&documents.join("copyright"), &filled("deb/copyright", &[("MIT", &mit)])?)
    }

    fn copy(&self, from: &Path, to: &Path, mode: u32) -> Result<(), Failure> {
        let to = self.placed(to)?;
        fs::copy(from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
        set_mode(&to, mode)
    }

    fn write(&self, to: &Path, text: &str) -> Result<(), Failure> {
        let to = self.placed(to)?;
        fs::write(&to, text)?;
        set_mode(&to, 0o644)
    }

    /// The path of `file` below the root, whose folder exists.
    fn placed(&self, file: &Path) -> Result<PathBuf, Failure> {
        let file = self.root.join(file);
        fs::create_dir_all(file.parent().ok_or("a file without a folder")?)?;
        Ok(file)
    }
}

/// The folder of the icon theme for `64x64.png` (`64x64`) or `128x128@2x.png` (`128x128@2`).
fn icon_folder(name: &str) -> Option<String> {
    let name = name.strip_suffix(".png")?;
    let (size, scale) = name.split_once('@').unwrap_or((name, ""));
    let (width, height) = size.split_once('x')?;
    let is_square = width == height && width.parse::<u32>().is_ok();
    let scale = if scale.is_empty() { String::new() } else { format!("@{}", scale.trim_end_matches('x')) };
    is_square.then(|| format!("{size}{scale}"))
}

/// A paragraph of a Debian control file: each line begins with a space, an empty one is a dot.
fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { " .".to_owned() } else { format!(" {line}") };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Replaces `file` with `file.gz`, without a time in it.
fn compress(file: &Path) -> Result<(), Failure> {
    let to = PathBuf::from(format!("{}.gz", file.display()));
    fs::write(&to, compressed(&fs::read(file)?)?)?;
    fs::remove_file(file)?;
    set_mode(&to, 0o644)
}

/// Modes of a package don't depend on the umask of the one who makes it.
pub(super) fn set_mode(file: &Path, mode: u32) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(file, fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = (file, mode);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_go_where_their_size_belongs() {
        for (name, folder) in [
            ("64x64.png", Some("64x64")),
            ("128x128@2x.png", Some("128x128@2")),
            ("Square30x30Logo.png", None),
            ("tray-needs.png", None),
            ("icon.ico", None),
        ] {
            assert_eq!(icon_folder(name).as_deref(), folder, "{name}");
        }
    }

    #[test]
    fn a_licence_is_one_paragraph() {
        assert_eq!(indented("MIT\n\nPermission\n"), " MIT\n .\n Permission");
    }
}
