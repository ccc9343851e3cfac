//! A window with nothing in it: `cargo xtask bench` compares the start of ours with it. Same program, same
//! window, an empty page.

use std::borrow::Cow;
use std::error::Error;
use std::iter;

use tauri::utils::assets::{AssetKey, AssetsIter, CspHash};
use tauri::{Assets, Runtime, WebviewWindowBuilder};

use crate::window;

const PAGE: &[u8] = b"<!doctype html><title>Empty</title>";
/// Marks the first frame, as our page marks the frame that shows its list.
const MARK: &str = "requestAnimationFrame(() => performance.mark('painted'))";

/// Opens it, and returns when it is closed.
pub(crate) fn open() -> Result<(), Box<dyn Error>> {
    let mut context = super::context();
    context.set_assets(Box::new(Empty));
    let app = tauri::Builder::default().setup(|app| {
        let window = WebviewWindowBuilder::from_config(app, &window::config(app)?)?;
        window.title("Empty").initialization_script(MARK).build()?;
        Ok(())
    });
    Ok(app.run(context)?)
}

/// A site of one empty page.
struct Empty;

impl<R: Runtime> Assets<R> for Empty {
    fn get(&self, _key: &AssetKey) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Borrowed(PAGE))
    }

    fn iter(&self) -> Box<AssetsIter<'_>> {
        Box::new(iter::empty())
    }

    fn csp_hashes(&self, _html_path: &AssetKey) -> Box<dyn Iterator<Item = CspHash<'_>> + '_> {
        Box::new(iter::empty())
    }
}
