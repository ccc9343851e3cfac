//! Where loops live and who works on them: files, watcher, catalog, journal. Knows no window.

pub mod rows;
