//! Receipts of merges that the reference wrote: one JSON file each, in the tracker and in the clone (storage.md §8.2).

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{git, userfile};

/// The largest receipt that is read, in bytes.
const MAX_RECEIPT_BYTES: u64 = 4 * 1024 * 1024;

/// Every receipt that can be read, with its path.
pub(crate) fn read(root: &Path) -> Vec<(PathBuf, Value)> {
    let folders = [
        Some(root.join("merge-receipts")),
        git::common_folder(root).map(|git| git.join("pm-merge-receipts")),
    ];
    let mut receipts = Vec::new();
    for folder in folders.into_iter().flatten() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let bytes = userfile::read_bytes(&folder, &path.to_string_lossy(), MAX_RECEIPT_BYTES);
            if let Ok(Value::Object(document)) =
                bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default())
            {
                receipts.push((path, Value::Object(document)));
            }
        }
    }
    receipts
}
