//! JSON as the reference writes it: numbers as JavaScript prints them, keys in UTF-16 order where hashed.

use serde_json::Value;

/// Compact JSON with the keys of every object in UTF-16 code unit order: the input of hashes.
pub fn stable(_value: &Value) -> String {
    todo!()
}

/// Compact JSON in the value's own key order, as `JSON.stringify` prints it.
pub fn compact(_value: &Value) -> String {
    todo!()
}

/// JSON indented by two spaces, without a final line feed, as `JSON.stringify(value, null, 2)` prints it.
pub fn pretty(_value: &Value) -> String {
    todo!()
}
