//! What `pm assurance` shares: the registry of the tracker and its refusals.

use serde_json::Value;

use crate::domain::assurance::{Registry, Sort, text_of};
use crate::domain::filter::values;
use crate::error::{Code, Error, Result};
use crate::nearest;
use crate::surface::Context;

/// The registry's file below the tracker root.
const PATH: &str = "assurance.json";
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The tracker's registry; without one nothing is declared.
pub(in crate::commands) fn read(context: &Context) -> Result<Registry> {
    let Some(bytes) = context.tracker()?.read_local(PATH, MAX_BYTES) else { return Ok(Registry::default()) };
    let invalid = |problem: String| {
        Error::new(Code::AssuranceRegistryInvalid, format!("`{PATH}` cannot be used: {problem}")).at(PATH)
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| invalid("it is no UTF-8 text".to_owned()))?;
    Registry::read(text).map_err(invalid)
}

/// The sort of declaration that somebody typed.
pub(super) fn sort(typed: &str) -> Result<Sort> {
    Sort::named(typed).ok_or_else(|| values::illegal("<kind>", typed, &Sort::NAMES))
}

/// A declaration that must be there.
pub(super) fn find<'r>(
    registry: &'r Registry,
    sort: Sort,
    id: &str,
) -> Result<&'r serde_json::Map<String, Value>> {
    registry.find(sort, id.trim()).ok_or_else(|| {
        let known: Vec<&str> = registry.all(sort).iter().filter_map(|map| text_of(map, "id")).collect();
        let near = nearest::order(id, &known).into_iter().take(3).collect::<Vec<_>>();
        let message = format!("no {} is called `{id}`", sort.name());
        let error = Error::new(Code::AssuranceDeclarationNotFound, message).at("<id>").rejecting(id);
        error.fact("nearest", near).hint(format!("pm assurance list {}", sort.name()))
    })
}
