//! Single steps that several commands are made of.

use super::receipt::Receipt;
use crate::domain::lifecycle;
use crate::error::Result;
use crate::tracker::{Tracker, Transaction, Write};

/// Sets the status of an item.
///
/// Errors: `workflow_transition_not_allowed` where the tracker enforces its workflow.
pub(crate) fn set_status(
    tracker: &Tracker,
    transaction: &mut Transaction<'_>,
    id: &str,
    status: &str,
    write: &Write<'_>,
) -> Result<Receipt> {
    let schema = tracker.schema();
    let mut warning = None;
    let written = transaction.change(id, write, &mut |item, _| {
        let enforcement = tracker.settings().governance_word("workflow_enforcement");
        warning = lifecycle::check_transition(schema, &enforcement, item, status)?;
        let mut after = item.clone();
        lifecycle::set_status(&mut after, status, &schema.statuses);
        Ok(after)
    })?;
    let mut receipt = Receipt::of(written);
    receipt.warnings.extend(warning);
    Ok(receipt)
}
