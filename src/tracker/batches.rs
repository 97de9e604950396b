//! Batches of changes that bear a name: what was landed under it is not landed again (storage.md §5.5).

use serde_json::{Map, Value};

use super::{Tracker, Transaction, Write};
use crate::codec::json;
use crate::error::Result;
use crate::ids::Tokens;
use crate::model::item::Item;
use crate::store::Source;
use crate::store::journal::{FileChange, Group};
use crate::store::settings::{MAX_SETTINGS_BYTES, read_object};

/// The lock of whoever lands a batch.
const LOCK: &str = "sdk-workspace-transaction";

fn path(name: &str) -> String {
    format!("transactions/sdk/{name}.json")
}

impl Transaction<'_> {
    /// What is recorded of the batch of this name, under the lock of batches; `Err` inside when that cannot be read.
    ///
    /// Errors: `lock_conflict`, `lock_stale`.
    pub fn batch(&mut self, name: &str) -> Result<std::result::Result<Option<Map<String, Value>>, String>> {
        self.lock(LOCK)?;
        Ok(read_object(&self.tracker.tree, &path(name)))
    }

    /// Records a batch; the record lands with the changes.
    pub fn record_batch(&mut self, name: &str, record: Map<String, Value>) {
        let path = path(name);
        let before = self.tracker.tree.read(&path, MAX_SETTINGS_BYTES).ok();
        let keep = before.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let text = format!("{}\n", json::pretty(&Value::Object(record)));
        let existed = before.is_some();
        let files = vec![FileChange { path: path.clone(), before, after: Some(text) }];
        self.document(Group { stream: path, existed, keep, text: String::new(), files });
    }
}

impl Tracker {
    /// Lets an id that an unfinished transaction is about to create be named by what else it does.
    pub fn promise(&self, id: &str) {
        self.promised.borrow_mut().push(id.to_owned());
    }

    /// Tokens that a text stands for: the same ones for the same text.
    pub fn fixed_tokens(&self, seed: &str) -> Tokens {
        Tokens::new(Some(seed))
    }

    /// Whether an item is as a write expects it to be.
    ///
    /// Errors: `if_hash_mismatch`, `if_updated_at_mismatch`.
    pub fn expect(&self, item: &Item, write: &Write<'_>) -> Result<()> {
        super::guard::expected(item, write)
    }
}
