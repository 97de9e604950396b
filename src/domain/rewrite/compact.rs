//! The beginning of a stream made one entry.

use serde_json::{Map, Value};

use super::{Anchor, RewriteError, epoch_of};
use crate::domain::chain;
use crate::domain::hash::{Epoch, GENESIS, item_hash};
use crate::domain::patch::diff_items;

/// What is left of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// The baseline and what follows it.
    pub entries: Vec<Value>,
    /// How many entries the baseline stands for.
    pub replaced: usize,
}

/// Replaces the first `count` entries by one that says what the item was after them. `author` gives the fields by
/// which an entry tells who wrote it. Fewer than two entries are left as they are.
///
/// Errors: the chain does not verify, or an entry is of a newer program.
pub fn compact(
    entries: &[Value],
    count: usize,
    author: &Map<String, Value>,
) -> Result<Compacted, RewriteError> {
    let count = count.min(entries.len());
    if count < 2 {
        return Ok(Compacted { entries: entries.to_vec(), replaced: 0 });
    }
    let fallback = epoch_of(entries)?;
    if let Some(fault) = chain::verify(entries).fault {
        return Err(RewriteError::Chain(fault));
    }
    let item = chain::item_after(entries, count)
        .map_err(|(entry, problem)| RewriteError::Patch { entry, problem })?;
    let shown = (!item.metadata.is_empty()).then_some(&item);
    let mut baseline = Map::new();
    baseline.insert("ts".into(), entries[count - 1].get("ts").cloned().unwrap_or(Value::Null));
    baseline.extend(author.clone());
    baseline.insert("op".into(), "history_compact_baseline".into());
    baseline.insert("patch".into(), diff_items(None, shown).into());
    baseline.insert("before_hash".into(), GENESIS.into());
    baseline.insert("after_hash".into(), item_hash(&item, Epoch::Second).into());
    baseline.insert("item_hash_version".into(), (Epoch::Second as u8).into());
    baseline.insert("message".into(), format!("stands for {count} entries").into());
    let mut anchor = Anchor::new(fallback);
    let mut laid = Vec::with_capacity(entries.len() - count + 1);
    for (n, entry) in
        std::iter::once(Value::Object(baseline)).chain(entries[count..].iter().cloned()).enumerate()
    {
        let problem = |problem| RewriteError::Patch { entry: count + n, problem };
        laid.push(anchor.lay(entry).map_err(problem)?);
    }
    Ok(Compacted { entries: laid, replaced: count })
}
