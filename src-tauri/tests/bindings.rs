//! The page's TypeScript matches this program's commands and types.

use std::path::Path;
use std::{env, fs};

#[test]
fn bindings_are_fresh() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/host/bindings.ts");
    let fresh = loopdeck::bindings().expect("every type has a TypeScript form");
    if env::var_os("UPDATE_BINDINGS").is_some() {
        fs::create_dir_all(file.parent().expect("parent")).expect("folder");
        fs::write(&file, &fresh).expect("written");
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == fresh, "stale; run: UPDATE_BINDINGS=1 cargo test -p loopdeck --test bindings");
}
