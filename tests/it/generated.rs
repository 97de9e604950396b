//! The generated files in the checkout are those that the declarations give.

use std::path::Path;

use pm::commands::CATALOG;
use pm::generate::artifacts;

/// `UPDATE=1 cargo test generated` rewrites what is stale.
#[test]
fn generated_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let update = std::env::var_os("UPDATE").is_some();
    let mut stale = Vec::new();
    for (name, wanted) in artifacts::all(CATALOG) {
        let path = root.join(&name);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == wanted) {
            continue;
        }
        if update {
            std::fs::create_dir_all(path.parent().expect("a file has a parent"))
                .expect("the folder can be made");
            std::fs::write(&path, wanted).expect("the file can be written");
        } else {
            stale.push(name);
        }
    }
    assert!(stale.is_empty(), "stale, run `UPDATE=1 cargo test generated`: {stale:?}");
}
