//! The real window, driven from outside: the app under a virtual display, through WebDriver.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! let stage = loopdeck_tests::window::Stage::new("example");
//! let app = stage.open(&["/some/workspace".as_ref()]);
//! app.page.wait_until("return document.querySelectorAll('[role=row]').length > 3", Duration::from_secs(5));
//! app.page.click("button.pause");
//! app.screenshot("paused");
//! ```
//!
//! A few window tests run at once, and those of one test program only: each stage takes a place. Everything a stage starts ends
//! with it, even when the test panics or its program is killed.

pub mod desk;
mod driver;
#[cfg(target_os = "linux")]
pub mod fresh_system;
pub mod keys;
#[cfg(target_os = "linux")]
pub mod loops;
mod page;
mod place;
#[cfg(target_os = "linux")]
pub mod shop;
mod stage;

pub use page::Page;
pub use stage::{App, Stage};
