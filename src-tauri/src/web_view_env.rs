//! Variables that WebKitGTK reads when it loads, long before we have a window.

/// Turns WebKit's DMABUF renderer off unless the person decided otherwise.
///
/// With it, many drivers and every virtual display show a blank window. The variable must be set before GTK
/// starts, and setting it in a running process is unsafe, so the process re-executes itself once (same pid,
/// under 1 ms). If that fails, the app continues, and [`crate::first_paint`] explains a blank window.
pub(crate) fn prepare() {
    #[cfg(target_os = "linux")]
    linux::replace_with("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
}

const NO_COMPOSITING: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Whether compositing is already off.
pub(crate) fn compositing_is_off() -> bool {
    std::env::var_os(NO_COMPOSITING).is_some()
}

/// Re-executes this process without compositing; the second remedy for a blank window.
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
            return; // the person's value wins, and it ends the second pass
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
        // The variables we set are not meant for the agents and editors we start.
        let mut ours = env::var_os(SET_BY_US).unwrap_or_default();
        if !ours.is_empty() {
            ours.push(":");
        }
        ours.push(variable);
        command.args(args).env(SET_BY_US, ours).env(variable, value);
        explain(&command.exec()); // exec returns only on failure
    }

    fn explain(error: &io::Error) {
        eprintln!("loopdeck: cannot set WebKit's variables: {error}");
    }

    #[expect(clippy::disallowed_methods, reason = "replaces this process, starts no other")]
    fn command(program: &Path) -> Command {
        Command::new(program)
    }
}
