//! Start at sign-in: an entry in the folder `autostart` of the person's configuration, as the desktops' common rules have it.
//! The entry is the setting: what another program does to it counts.

use std::path::{Path, PathBuf};
use std::{fs, io};

use loopdeck_runtime::files;

/// What the entry starts.
pub(crate) struct Start {
    /// The program, absolute.
    pub(crate) program: PathBuf,
    /// Folder for our own data, unless it is the usual one.
    pub(crate) data_dir: Option<PathBuf>,
}

/// This program, as it can be started later. An AppImage runs from a mount that is gone after it.
pub(crate) fn program(env: &tauri::Env) -> io::Result<PathBuf> {
    env.appimage.as_ref().map(PathBuf::from).map_or_else(std::env::current_exe, Ok)
}

/// Whether Loopdeck starts at sign-in; `config` is the folder for the person's configuration.
pub(crate) fn is_on(config: &Path) -> io::Result<bool> {
    match fs::read_to_string(file(config)) {
        Ok(entry) => Ok(!is_switched_off(&entry)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// From now on Loopdeck starts at sign-in, as `start` says.
pub(crate) fn turn_on(config: &Path, start: &Start) -> io::Result<()> {
    fs::create_dir_all(config.join("autostart"))?;
    files::write_own(&file(config), entry(start)?.as_bytes())
}

/// From now on it doesn't.
pub(crate) fn turn_off(config: &Path) -> io::Result<()> {
    match fs::remove_file(file(config)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn file(config: &Path) -> PathBuf {
    config.join("autostart/loopdeck.desktop")
}

fn is_switched_off(entry: &str) -> bool {
    let said =
        |line: &str| line.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim() == "true"));
    entry.lines().filter_map(said).any(|(key, value)| match key.as_str() {
        "Hidden" => value,
        "X-GNOME-Autostart-enabled" => !value,
        _ => false,
    })
}

fn entry(start: &Start) -> io::Result<String> {
    let program = text(&start.program)?;
    let mut command = quoted(program);
    if let Some(folder) = &start.data_dir {
        command = format!("{command} --data-dir {}", quoted(text(folder)?));
    }
    // Without the program, for instance after it was uninstalled, the desktop ignores the entry.
    let tried = program.replace('\\', r"\\");
    Ok(format!(
        "[Desktop Entry]\nType=Application\nName=Loopdeck\nIcon=loopdeck\nExec={command}\nTryExec={tried}\n\
         Terminal=false\nX-GNOME-Autostart-enabled=true\n"
    ))
}

fn text(path: &Path) -> io::Result<&str> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control));
    text.ok_or_else(|| io::Error::other(format!("{} cannot be written in an entry", path.display())))
}

/// One argument of `Exec`: quoted, `%` doubled, and backslashes escaped once more, because the value is a string.
fn quoted(argument: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in argument.chars() {
        match letter {
            '"' | '`' | '$' => quoted.extend([r"\\", &*letter.to_string()]),
            '\\' => quoted.push_str(r"\\\\"),
            '%' => quoted.push_str("%%"),
            _ => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Start {
        Start { program: "/usr/bin/loopdeck-desktop".into(), data_dir: None }
    }

    #[test]
    fn the_entry_is_the_setting() {
        let config = tempfile::tempdir().unwrap();
        let config = config.path();
        assert!(!is_on(config).unwrap());
        turn_off(config).unwrap();
        turn_on(config, &start()).unwrap();
        assert!(is_on(config).unwrap());
        let entry = fs::read_to_string(file(config)).unwrap();
        for line in ["Exec=\"/usr/bin/loopdeck-desktop\"", "TryExec=/usr/bin/loopdeck-desktop"] {
            assert!(entry.lines().any(|one| one == line), "{entry}");
        }
        // Desktops switch an entry off without removing it.
        for switched_off in [entry.replace("enabled=true", "enabled=false"), format!("{entry}Hidden=true\n")]
        {
            fs::write(file(config), switched_off).unwrap();
            assert!(!is_on(config).unwrap());
        }
        turn_on(config, &start()).unwrap();
        assert!(is_on(config).unwrap());
        turn_off(config).unwrap();
        assert!(!is_on(config).unwrap() && !file(config).exists());
    }

    #[test]
    fn a_path_cannot_become_a_command() {
        let program = "/opt/a b/100%/$(x)`y`\"z\\w";
        let made = entry(&Start { program: program.into(), data_dir: Some("/d d".into()) }).unwrap();
        let command = r#"Exec="/opt/a b/100%%/\\$(x)\\`y\\`\\"z\\\\w" --data-dir "/d d""#;
        assert!(made.lines().any(|line| line == command), "{made}");
        assert!(entry(&Start { program: "/a\nExec=x".into(), data_dir: None }).is_err());
    }
}
