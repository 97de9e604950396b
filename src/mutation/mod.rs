//! What the commands that change items share: flags from the table of fields, resolving, receipts.

pub(crate) mod annotation;
pub(crate) mod batch;
pub(crate) mod bulk;
pub(crate) mod claiming;
pub(crate) mod closing;
pub(crate) mod creating;
pub(crate) mod declaring;
pub(crate) mod draft;
pub mod flags;
pub(crate) mod importing;
pub(crate) mod linked;
pub(crate) mod planning;
pub(crate) mod profiling;
pub mod receipt;
pub(crate) mod restoring;
pub(crate) mod rewriting;
mod rollback;
pub(crate) mod scheduling;
pub(crate) mod seeds;
pub(crate) mod steps;
pub(crate) mod templates;
pub(crate) mod testing;
pub(crate) mod updating;
mod waiting;

use crate::error::Result;
use crate::surface::Context;
use crate::tracker::Write;

/// The lock of whoever adds links between items: two that each see no cycle must not make one together. It is taken
/// before the lock of any item (storage.md §5.1).
pub(crate) const HIERARCHY_LOCK: &str = "hierarchy-integrity";

/// A write with the options of the call.
pub(crate) fn write<'a>(context: &'a Context, op: &'a str, message: Option<&'a str>) -> Result<Write<'a>> {
    let globals = &context.globals;
    Ok(Write {
        op,
        actor: context.actor()?,
        message,
        context: None,
        if_hash: globals.if_hash.as_deref(),
        if_updated_at: globals.if_updated_at.as_deref(),
        dry_run: globals.dry_run,
        force: globals.force,
    })
}

/// A write that follows another one in the same transaction: what the caller expects was asked there.
pub(crate) fn then<'a>(context: &'a Context, op: &'a str, message: Option<&'a str>) -> Result<Write<'a>> {
    Ok(Write { if_hash: None, if_updated_at: None, ..write(context, op, message)? })
}

/// The text of an argument; `-` is standard input.
pub(crate) fn text_or_stdin<'a>(context: &'a Context, text: &'a str) -> Result<&'a str> {
    if text == "-" { context.stdin() } else { Ok(text) }
}
