//! What stands before a change: the state that the caller expects, the format of the file, who holds the item.

use super::{Actor, Stored, Write};
use crate::domain::hash::{Epoch, item_hash};
use crate::domain::lifecycle::standing;
use crate::domain::secrets;
use crate::error::{Code, Error, Result};
use crate::model::item::Item;
use crate::model::settings::{Enforcement, Settings};
use crate::model::timestamp;

/// The newest format of item files that this program writes.
const FORMAT_VERSION: u64 = 1;

/// The newest kind of hashes of history entries that this program writes (storage.md §4.2).
const HASH_VERSION: u64 = 2;

/// Operations that are meant for items of others (storage.md §5.6).
const FOR_OTHERS: [&str; 4] = ["claim", "update_audit", "update_ownership_bypass", "import"];

/// Lets a change pass, with warnings, or refuses it.
///
/// Errors: `item_format_newer`, `if_hash_mismatch`, `if_updated_at_mismatch`, `ownership_conflict`.
pub(super) fn admit(settings: &Settings, stored: &Stored, write: &Write<'_>) -> Result<Vec<String>> {
    let mut warnings = stored.warnings.clone();
    format(stored)?;
    expected(&stored.item, write)?;
    warnings.extend(owner(settings, &stored.item, write)?);
    Ok(warnings)
}

impl Write<'_> {
    /// Refuses what the caller expects of an item where there is none to compare with.
    ///
    /// Errors: `invalid_argument_value`.
    pub fn without_expectation(&self, problem: &str) -> Result<()> {
        let flags = [("--if-hash", self.if_hash), ("--if-updated-at", self.if_updated_at)];
        match flags.into_iter().find_map(|(flag, value)| Some((flag, value?))) {
            None => Ok(()),
            Some((flag, value)) => {
                let message = format!("{flag} has no meaning here: {problem}");
                Err(Error::new(Code::InvalidArgumentValue, message).at(flag).rejecting(value))
            }
        }
    }
}

/// Looks for secrets in what a change adds; `off`, `advise` (a warning) or `block`.
///
/// Errors: `mutation_secret_guard_blocked`.
pub(super) fn secrets(settings: &Settings, before: Option<&Item>, after: &Item) -> Result<Option<String>> {
    let mode = settings.text("mutation_guard.secret_guard");
    if mode == "off" {
        return Ok(None);
    }
    let rules = secrets::found(before, after);
    match rules.as_slice() {
        [] => Ok(None),
        rules if mode == "block" => {
            let rules = rules.join(",");
            let problem = format!("the change holds what looks like a secret ({rules}); nothing was written");
            Err(Error::new(Code::SecretGuardBlocked, problem)
                .fact("rules", rules)
                .hint("pm config project set mutation-guard-secret-guard --policy advise"))
        }
        rules => Ok(Some(format!("secret_guard_detected:{}:rules={}", rules.len(), rules.join(",")))),
    }
}

/// Refuses to write an item of a newer program.
pub(super) fn format(stored: &Stored) -> Result<()> {
    let version =
        stored.item.metadata.get("pm_format_version").and_then(serde_json::Value::as_u64).unwrap_or(1);
    if version <= FORMAT_VERSION {
        return Ok(());
    }
    Err(Error::new(
        Code::ItemFormatNewer,
        format!("`{}` has format {version}, and this program writes up to {FORMAT_VERSION}", stored.path),
    )
    .at(stored.path.as_str())
    .fact("found_format_version", version)
    .fact("supported_format_version", FORMAT_VERSION))
}

/// Refuses to write after an entry of a newer program: its hashes are of a kind that this one cannot continue.
pub(super) fn entry_format(id: &str, last: &serde_json::Value) -> Result<()> {
    let version = last.get("item_hash_version").and_then(serde_json::Value::as_u64).unwrap_or(1);
    if version <= HASH_VERSION {
        return Ok(());
    }
    let path = crate::store::history::path(id);
    let problem =
        format!("`{path}` has hashes of version {version}, and this program writes up to {HASH_VERSION}");
    Err(Error::new(Code::ItemFormatNewer, problem)
        .at(path)
        .fact("found_item_hash_version", version)
        .fact("supported_item_hash_version", HASH_VERSION))
}

/// Refuses an item that is not as the caller expects it.
pub(super) fn expected(item: &Item, write: &Write<'_>) -> Result<()> {
    if let Some(wanted) = write.if_hash {
        let current = item_hash(item, Epoch::Second);
        let matches = wanted.eq_ignore_ascii_case(&current)
            || wanted.eq_ignore_ascii_case(&item_hash(item, Epoch::First));
        if !matches {
            return Err(
                moved_on(Code::IfHashMismatch, "--if-hash", wanted, item).fact("current_hash", current)
            );
        }
    }
    if let Some(wanted) = write.if_updated_at {
        let current = item.text("updated_at").unwrap_or_default();
        let instant = timestamp::parse(wanted);
        let same_instant = instant.is_some() && instant == timestamp::parse(current);
        if instant.is_none() && wanted != current {
            let problem = format!("`{wanted}` is no time: give `updated_at` as the item has it");
            return Err(Error::new(Code::InvalidArgumentValue, problem)
                .at("--if-updated-at")
                .rejecting(wanted)
                .fact("current_updated_at", current));
        }
        if wanted != current && !same_instant {
            return Err(moved_on(Code::IfUpdatedAtMismatch, "--if-updated-at", wanted, item)
                .fact("current_updated_at", current));
        }
    }
    Ok(())
}

fn moved_on(code: Code, flag: &str, wanted: &str, item: &Item) -> Error {
    let id = item.id();
    Error::new(code, format!("`{id}` is no longer as `{flag}` expects it"))
        .at(flag)
        .rejecting(wanted)
        .hint(format!("pm get {id} --full"))
}

/// Who holds an item: the principal of the claim, else the assignee.
pub(super) fn holder(item: &Item) -> Option<&str> {
    let named = |key: &str| item.text(key).map(str::trim).filter(|name| !name.is_empty());
    let assignee = named("assignee")?;
    Some(standing(assignee, named("claim_principal")).unwrap_or(assignee))
}

/// Whether an item is free or this caller's. A session's claim is that session's; without a session it is the
/// author's, whatever session they are in now.
fn may_change(item: &Item, actor: &Actor) -> bool {
    holder(item).is_none_or(|holder| holder == actor.principal || holder == actor.author)
}

fn owner(settings: &Settings, item: &Item, write: &Write<'_>) -> Result<Option<String>> {
    if write.force || FOR_OTHERS.contains(&write.op) || may_change(item, write.actor) {
        return Ok(None);
    }
    let (id, assignee) = (item.id(), item.text("assignee").unwrap_or_default());
    match settings.ownership() {
        Enforcement::None => Ok(None),
        Enforcement::Warn => Ok(Some(format!("ownership_warning:assignee_conflict:{id}:{assignee}"))),
        Enforcement::Strict => {
            Err(Error::new(Code::OwnershipConflict, format!("`{id}` is held by `{assignee}`"))
                .fact("assignee", assignee)
                .hint(format!("pm get {id}")))
        }
    }
}
