//! `pm kb`: a thin skin over [`crate::kb`]; the five actions differ by their declaration only.

pub(super) mod actions;
pub(super) mod arguments;
pub(super) mod cost;
pub(super) mod kinds;
pub(super) mod lint;

use crate::error::Result;
use crate::kb::library::Place;
use crate::surface::Context;

/// The repository that a call is about.
fn place(context: &Context) -> Result<Place> {
    let tracker = context.tracker().ok().map(|tracker| tracker.root().to_owned());
    Place::around(&context.env.cwd, tracker.as_deref())
}
