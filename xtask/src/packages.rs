//! The table of system packages: names per distribution, and why.

/// What the packages are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Compile the app.
    Build,
    /// Show it on a machine without a display.
    Headless,
    /// Drive the window from tests.
    WindowTests,
    /// Get programs from the Python package index.
    Pip,
    /// Pack the programs.
    Packaging,
    /// Install a package in a fresh system.
    FreshSystem,
}

/// Whose package names apply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// Debian, Ubuntu and derivatives.
    Debian,
    /// Fedora, RHEL.
    Fedora,
    /// Arch Linux.
    Arch,
    /// openSUSE, SLE.
    Suse,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
    /// Anything else; the Debian names at least hint at what to look for.
    Unknown,
}

/// One thing that must be installed.
#[derive(Debug)]
pub(crate) struct Need {
    purpose: Purpose,
    pub(crate) why: &'static str,
    pub(crate) debian: &'static str,
    fedora: &'static str,
    arch: &'static str,
    suse: &'static str,
}

use Purpose::{Build, FreshSystem, Headless, Packaging, Pip, WindowTests};

#[rustfmt::skip] // a table
const NEEDS: &[Need] = &[
    Need { purpose: Build, why: "finds the libraries below for the compiler",
           debian: "pkg-config", fedora: "pkgconf-pkg-config", arch: "pkgconf", suse: "pkgconf-pkg-config" },
    Need { purpose: Build, why: "the web view that draws the window (brings GTK 3)",
           debian: "libwebkit2gtk-4.1-dev", fedora: "webkit2gtk4.1-devel", arch: "webkit2gtk-4.1", suse: "webkit2gtk3-devel" },
    Need { purpose: Build, why: "compiles the bundled SQLite",
           debian: "gcc", fedora: "gcc", arch: "gcc", suse: "gcc" },
    Need { purpose: Build, why: "the icon in the tray (Loopdeck runs without it)",
           debian: "libayatana-appindicator3-1", fedora: "libayatana-appindicator-gtk3", arch: "libayatana-appindicator", suse: "libayatana-appindicator3-1" },
    Need { purpose: Headless, why: "a display in memory",
           debian: "xvfb", fedora: "xorg-x11-server-Xvfb", arch: "xorg-server-xvfb", suse: "xorg-x11-server-Xvfb" },
    Need { purpose: Headless, why: "a session bus: one running Loopdeck finds the other",
           debian: "dbus", fedora: "dbus-daemon", arch: "dbus", suse: "dbus-1-daemon" },
    Need { purpose: Headless, why: "takes the screenshot",
           debian: "imagemagick", fedora: "ImageMagick", arch: "imagemagick", suse: "ImageMagick" },
    Need { purpose: Headless, why: "letters to draw on a system without any font",
           debian: "fonts-noto-core", fedora: "google-noto-sans-fonts", arch: "noto-fonts", suse: "google-noto-sans-fonts" },
    Need { purpose: Headless, why: "letters of equal width",
           debian: "fonts-dejavu-core", fedora: "dejavu-sans-mono-fonts", arch: "ttf-dejavu", suse: "dejavu-fonts" },
    Need { purpose: Headless, why: "Chinese and Japanese letters",
           debian: "fonts-noto-cjk", fedora: "google-noto-sans-cjk-fonts", arch: "noto-fonts-cjk", suse: "google-noto-sans-cjk-fonts" },
    Need { purpose: WindowTests, why: "a folder on a disk that stops answering",
           debian: "bindfs", fedora: "bindfs", arch: "bindfs", suse: "bindfs" },
    Need { purpose: WindowTests, why: "a clock that is wrong for one program",
           debian: "faketime", fedora: "libfaketime", arch: "libfaketime", suse: "libfaketime" },
    Need { purpose: Pip, why: "downloads programs that tests use",
           debian: "python3-pip", fedora: "python3-pip", arch: "python-pip", suse: "python3-pip" },
    Need { purpose: WindowTests, why: "presses the buttons of the window in tests",
           debian: "webkit2gtk-driver", fedora: "webkit2gtk4.1", arch: "webkit2gtk-4.1", suse: "webkit2gtk-4_1-webdriver" },
    Need { purpose: Packaging, why: "packs a .deb and finds what it depends on",
           debian: "dpkg-dev", fedora: "dpkg-dev", arch: "dpkg", suse: "dpkg" },
    Need { purpose: Packaging, why: "packs an .rpm",
           debian: "rpm", fedora: "rpm-build", arch: "rpm-tools", suse: "rpm-build" },
    Need { purpose: Packaging, why: "checks the menu entry",
           debian: "desktop-file-utils", fedora: "desktop-file-utils", arch: "desktop-file-utils", suse: "desktop-file-utils" },
    Need { purpose: Packaging, why: "checks what software centres show",
           debian: "appstream", fedora: "appstream", arch: "appstream", suse: "AppStream" },
    Need { purpose: FreshSystem, why: "lays out a fresh Debian",
           debian: "debootstrap", fedora: "debootstrap", arch: "debootstrap", suse: "debootstrap" },
];

/// What `purposes` need; nothing outside Linux, where the system comes with its web view.
pub(crate) fn needs(purposes: &[Purpose]) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| purposes.contains(&need.purpose)).collect()
}

/// Recognises the system from Rust's name for it and the text of `/etc/os-release`.
pub(crate) fn distribution(os: &str, os_release: &str) -> Distribution {
    match os {
        "macos" => return Distribution::MacOs,
        "windows" => return Distribution::Windows,
        _ => {}
    }
    let ids =
        os_release.lines().filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")));
    ids.flat_map(|ids| ids.trim_matches('"').split_whitespace())
        .find_map(known)
        .unwrap_or(Distribution::Unknown)
}

fn known(id: &str) -> Option<Distribution> {
    match id {
        "debian" | "ubuntu" => Some(Distribution::Debian),
        "fedora" | "rhel" | "centos" => Some(Distribution::Fedora),
        "arch" => Some(Distribution::Arch),
        "suse" | "opensuse" | "sles" => Some(Distribution::Suse),
        _ => None,
    }
}

/// Prints how to install `needs` on a system where we do not install them ourselves.
pub(crate) fn print_names(distribution: &Distribution, needs: &[&Need]) {
    println!("\n== System packages\n{}", instructions(distribution, needs));
}

fn instructions(distribution: &Distribution, needs: &[&Need]) -> String {
    let names =
        |name: fn(&Need) -> &'static str| needs.iter().map(|need| name(need)).collect::<Vec<_>>().join(" ");
    let command = match distribution {
        Distribution::Fedora => format!("sudo dnf install {}", names(|need| need.fedora)),
        Distribution::Arch => format!("sudo pacman -S --needed {}", names(|need| need.arch)),
        Distribution::Suse => format!("sudo zypper install {}", names(|need| need.suse)),
        Distribution::MacOs => return "Needed once: xcode-select --install".into(),
        Distribution::Windows => {
            return "Needed once: \"Desktop development with C++\" of Visual Studio Build Tools, and on Windows 10 \
                    the WebView2 runtime (winget install Microsoft.EdgeWebView2Runtime)"
                .into();
        }
        Distribution::Debian | Distribution::Unknown => {
            format!("the packages that Debian calls: {}", names(|need| need.debian))
        }
    };
    format!("Needed once, if not there yet: {command}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_are_recognised() {
        let cases = [
            ("linux", "ID=debian\n", Distribution::Debian),
            ("linux", "NAME=Mint\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Distribution::Debian),
            ("linux", "ID=rocky\nID_LIKE=\"rhel centos fedora\"\n", Distribution::Fedora),
            ("linux", "ID=arch\n", Distribution::Arch),
            ("linux", "ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", Distribution::Suse),
            ("linux", "ID=void\n", Distribution::Unknown),
            ("macos", "", Distribution::MacOs),
            ("windows", "", Distribution::Windows),
        ];
        for (os, text, expected) in cases {
            assert_eq!(distribution(os, text), expected, "{os} {text}");
        }
    }

    #[test]
    fn every_other_system_is_told_its_own_names() {
        let text = instructions(&Distribution::Fedora, &needs(&[Build]));
        assert!(text.contains("dnf install") && text.contains("webkit2gtk4.1-devel"), "{text}");
    }
}
