//! What the list looked like when the window was last used. The next window shows it until the folders are read.
//!
//! The page takes and draws the picture (`ui/src/last-list`). This program only stores its text.

use crate::commands::{Shared, off_main};
use loopdeck_runtime::data_dir::DataDir;
use loopdeck_runtime::files;
use loopdeck_runtime::views::Failure;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use tauri::State;

const FILE: &str = "last-list.json";
/// A list fills one window: thirty rows are a tenth of this.
const MAX_BYTES: u64 = 1 << 20;
/// The name under which `ui/src/open.ts` looks for it.
const NAME: &str = "loopdeckLastList";

/// Keeps what the list looks like for the next start; without a picture, the last one is forgotten.
///
/// Errors with `OwnData` when it cannot be written; the next start shows no list until it is read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn keep_last_list(
    runtime: Shared<'_>,
    data_dir: State<'_, DataDir>,
    picture: Option<String>,
) -> Result<(), Failure> {
    let file = file(&data_dir);
    off_main(runtime, move |_| keep(&file, picture.as_deref()).map_err(Failure::own_data)).await
}

/// The script that hands the picture to the page, before the page's own; `None` when there is none.
pub(crate) fn script(data_dir: &DataDir) -> Option<String> {
    let picture = read(&file(data_dir))
        .inspect_err(|error| tracing::warn!(%error, "the last list is not shown"))
        .ok()??;
    Some(format!("window.{NAME} = JSON.parse({})", serde_json::Value::from(picture)))
}

fn file(data_dir: &DataDir) -> PathBuf {
    data_dir.path().join(FILE)
}

fn keep(file: &Path, picture: Option<&str>) -> io::Result<()> {
    match picture {
        Some(picture) if picture.len() as u64 <= MAX_BYTES => files::write_own(file, picture.as_bytes()),
        _ => fs::remove_file(file).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        }),
    }
}

/// Reads the text and checks that it is JSON: a damaged file must not stop the page from starting. It is no loss: the picture is made again
/// from the loops themselves.
fn read(file: &Path) -> io::Result<Option<String>> {
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    opened.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    serde_json::from_str::<serde::de::IgnoredAny>(&text)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_as_a_script_that_holds_only_data() {
        let folder = tempfile::tempdir().expect("a folder");
        let data_dir = DataDir::resolve(Some(folder.path().to_owned())).expect("a data folder");
        assert_eq!(script(&data_dir), None);
        keep(&file(&data_dir), Some(r#"{"note":"\"); alert(1); //</script>"}"#)).expect("kept");
        assert_eq!(
            script(&data_dir).as_deref(),
            Some(r#"window.loopdeckLastList = JSON.parse("{\"note\":\"\\\"); alert(1); //</script>\"}")"#)
        );
        keep(&file(&data_dir), None).expect("forgotten");
        keep(&file(&data_dir), None).expect("forgotten before");
        assert_eq!(script(&data_dir), None);
    }

    #[test]
    fn what_is_damaged_or_too_large_is_not_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let data_dir = DataDir::resolve(Some(folder.path().to_owned())).expect("a data folder");
        for damaged in [&b"{\"note\":"[..], b"\xff", b"", b"alert(1)"] {
            fs::write(file(&data_dir), damaged).expect("written");
            assert_eq!(script(&data_dir), None, "{damaged:?}");
        }
        keep(&file(&data_dir), Some(&format!("\"{}\"", "x".repeat(1 << 20)))).expect("forgotten");
        assert!(!file(&data_dir).exists());
    }
}
