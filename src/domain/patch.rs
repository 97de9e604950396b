//! RFC 6902 patches: made in the reference's order, applied strictly.

use serde_json::Value;

/// Why a patch does not apply.
#[derive(Debug, thiserror::Error)]
#[error("{op} {path}: {problem}")]
pub struct PatchError {
    /// The operation.
    pub op: String,
    /// Its path.
    pub path: String,
    /// What is wrong.
    pub problem: String,
}

/// The operations that turn `before` into `after`.
pub fn diff(_before: &Value, _after: &Value) -> Vec<Value> {
    todo!()
}

/// Applies a patch with every check of RFC 6902.
pub fn apply(_document: &mut Value, _patch: &[Value]) -> Result<(), PatchError> {
    todo!()
}
