//! Two streams of which the one that they come from is not known: two branches each began one for the same item.

use serde_json::Value;

use super::lineage::same_entry;
use crate::codec::json::stable;
use crate::domain::chain;
use crate::domain::hash::{Epoch, item_hash};
use crate::domain::patch;
use crate::model::canonical::canonical_item;
use crate::model::collation;
use crate::model::item::Item;

/// The operation of an entry that tells of a change which no command made.
const EXTERNAL: &str = "external_edit";

/// The base, ours and theirs as if the base had a stream, where what both began with can be told: the same entries, the
/// same state, or the state that the item's file is known to have had (`before`). `None` where nothing is missing, or
/// nothing is known.
pub(super) fn rooted([base, ours, theirs]: [&[Value]; 3], before: Option<&Item>) -> Option<[Vec<Value>; 3]> {
    let (first, second) = (ours.first()?, theirs.first()?);
    if !base.is_empty() {
        return None;
    }
    let both = ours.iter().zip(theirs).take_while(|(a, b)| same_entry(a, b)).count();
    if both > 0 {
        return Some([ours[..both].to_vec(), ours.to_vec(), theirs.to_vec()]);
    }
    let ts = |entry: &Value| entry.get("ts").and_then(Value::as_str).unwrap_or_default().to_owned();
    let order = collation::compare_timestamps(&ts(first), &ts(second));
    let earlier = if order.then_with(|| stable(first).cmp(&stable(second))).is_le() { first } else { second };
    let state =
        |entries: &[Value]| chain::item_after(entries, 1).ok().and_then(|item| canonical_item(&item).ok());
    let (our_state, their_state) = (state(ours)?, state(theirs)?);
    let ground = match before.map(canonical_item) {
        Some(before) => before.ok()?,
        None if our_state == their_state => our_state.clone(),
        None => return None,
    };
    let mut root = earlier.clone();
    anew(&mut root, None, &ground);
    let grown = |side: &[Value], state: &Item| {
        let mut grown = vec![root.clone()];
        if *state != ground {
            let mut own = side[0].clone();
            own["op"] = EXTERNAL.into();
            anew(&mut own, Some(&ground), state);
            grown.push(own);
        }
        grown.extend_from_slice(&side[1..]);
        grown
    };
    Some([vec![root.clone()], grown(ours, &our_state), grown(theirs, &their_state)])
}

/// Gives an entry the patch and the hashes that lead from one version to another one.
fn anew(entry: &mut Value, before: Option<&Item>, after: &Item) {
    let nothing = Item::default();
    let hash = |item: &Item| Value::from(item_hash(item, Epoch::Second));
    entry["patch"] = patch::diff_items(before, Some(after)).into();
    entry["before_hash"] = hash(before.unwrap_or(&nothing));
    entry["after_hash"] = hash(after);
    entry["item_hash_version"] = 2.into();
}
