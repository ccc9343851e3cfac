//! Variables that WebKitGTK reads when it loads, long before we have a window.

/// Turns WebKit's DMABUF renderer off unless the person decided otherwise.
///
/// With it many drivers and every virtual display show a blank window. The variable must be set before GTK
/// starts; setting it in a running process is unsafe, so the process replaces itself once (same pid, under 1 ms).
/// When that fails the app goes on: a blank window is then explained by [`crate::first_paint`].
pub(crate) fn prepare() {
    #[cfg(target_os = "linux")]
    linux::replace_with("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
}

const NO_COMPOSITING: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Whether this start already does without compositing.
pub(crate) fn compositing_is_off() -> bool {
    std::env::var_os(NO_COMPOSITING).is_some()
}

/// Replaces this process by itself without compositing; the second thing that helps against a blank window.
pub(crate) fn restart_without_compositing() {
    #[cfg(target_os = "linux")]
    linux::replace_with(NO_COMPOSITING, "1");
}

#[cfg(target_os = "linux")]
mod linux {
    use loopdeck_runtime::package::SET_BY_US;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::{env, io, path::Path};

    pub(super) fn replace_with(variable: &str, value: &str) {
        if env::var_os(variable).is_some() {
            return; // the person's value wins, and it ends the second round
        }
        let mut args = env::args_os();
        let name = args.next();
        let mut command = match env::current_exe() {
            Ok(program) => command(&program),
            Err(error) => return explain(&error),
        };
        if let Some(name) = name {
            command.arg0(name);
        }
        // What we set is not for the agents and editors that we start.
        let mut ours = env::var_os(SET_BY_US).unwrap_or_default();
        if !ours.is_empty() {
            ours.push(":");
        }
        ours.push(variable);
        command.args(args).env(SET_BY_US, ours).env(variable, value);
        explain(&command.exec()); // exec only returns when it failed
    }

    fn explain(error: &io::Error) {
        eprintln!("loopdeck: cannot set WebKit's variables: {error}");
    }

    #[expect(clippy::disallowed_methods, reason = "replaces this process, starts no other")]
    fn command(program: &Path) -> Command {
        Command::new(program)
    }
}
