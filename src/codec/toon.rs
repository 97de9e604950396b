//! TOON: the only module that names the crate `toon-format`.

use serde_json::Value;

/// Why a text is no TOON document.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ToonError {
    /// 1-based; 0 when it is no single line.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// Reads a document, strictly.
pub fn decode(_text: &str) -> Result<Value, ToonError> {
    todo!()
}

/// Writes a document without a final line feed.
pub fn encode(_value: &Value) -> Result<String, ToonError> {
    todo!()
}
