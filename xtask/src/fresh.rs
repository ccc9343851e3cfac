//! Programs in a system of their own: a folder with a whole Linux, entered as root.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::child::bound_command;

/// Enters the folder `$1` and becomes the program `$2`. The mounts are seen by it alone and end with it. `/tmp` is ours: the
/// sockets of the virtual display and of its bus are there.
const ENTER: &str = r#"
root=$1
shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /tmp "$root/tmp"
exec chroot "$root" "$@""#;

/// A command for `program` in the system at `root`. Linux only, for root.
pub fn inside(root: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = bound_command("unshare");
    command.args(["--mount", "--", "sh", "-euc", ENTER, "sh"]).arg(root).arg(program);
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C.UTF-8");
    command
}

/// A shell script that does the same with its own arguments, for a program that starts another by its path.
#[must_use]
pub fn script(root: &Path, program: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let root = quoted(&root.to_string_lossy());
    format!("#!/bin/sh\nexec unshare --mount -- sh -euc {} sh {root} {program} \"$@\"\n", quoted(ENTER))
}
