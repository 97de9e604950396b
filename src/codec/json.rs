//! JSON as the reference writes it: numbers as JavaScript prints them, keys in UTF-16 order where hashed.

use serde_json::{Map, Number, Value};

use crate::model::collation::compare_utf16;
pub(crate) use crate::model::spelling::{write_compact, write_float, write_number, write_string};

/// Compact JSON with the keys of every object in UTF-16 code unit order: the input of hashes.
///
/// Integers beyond 2^53 are printed as JavaScript sees them, so that both programs hash alike.
pub fn stable(value: &Value) -> String {
    let mut out = String::new();
    write_stable(value, &mut out);
    out
}

/// Compact JSON in the value's own key order, as `JSON.stringify` prints it; big integers keep their digits.
pub fn compact(value: &Value) -> String {
    crate::model::spelling::compact(value)
}

/// The SHA-256 of a value's stable form, in lower hex: equal for values that differ in the order of keys only.
pub fn digest(value: &Value) -> String {
    use sha2::{Digest as _, Sha256};
    super::hex::encode(Sha256::digest(stable(value)))
}

/// JSON indented by two spaces, without a final line feed, as `JSON.stringify(value, null, 2)` prints it.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write_pretty(value, 0, &mut out);
    out
}

/// Appends what [`stable`] returns.
pub(crate) fn write_stable(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => write_stable_list(items.iter(), out),
        Value::Object(members) => {
            out.push('{');
            in_utf16_order(members, |i, key, member| {
                if i > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_stable(member, out);
            });
            out.push('}');
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if !is_exact(number) => write_float(float, out),
            _ => write_number(number, out),
        },
        scalar => write_compact(scalar, out),
    }
}

/// Appends a list of values, each as [`stable`] returns it.
pub(crate) fn write_stable_list<'v>(items: impl Iterator<Item = &'v Value>, out: &mut String) {
    out.push('[');
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_stable(item, out);
    }
    out.push(']');
}

/// Up to this many members are sorted without an allocation: nearly every object is small.
const SMALL: usize = 16;

fn in_utf16_order(members: &Map<String, Value>, mut each: impl FnMut(usize, &str, &Value)) {
    let mut visit = |sorted: &mut [(&str, &Value)]| {
        sorted.sort_unstable_by(|a, b| compare_utf16(a.0, b.0));
        sorted.iter().enumerate().for_each(|(i, (key, member))| each(i, key, member));
    };
    let members = members.iter().map(|(key, member)| (key.as_str(), member));
    if members.len() <= SMALL {
        let mut small = [("", &Value::Null); SMALL];
        let length = members.len();
        small.iter_mut().zip(members).for_each(|(place, member)| *place = member);
        visit(&mut small[..length]);
    } else {
        visit(&mut members.collect::<Vec<_>>());
    }
}

/// Equality as JSON has it: objects without regard to order, numbers by value.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

fn write_pretty(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                next_line(i, depth + 1, out);
                write_pretty(item, depth + 1, out);
            }
            next_line(0, depth, out);
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            out.push('{');
            for (i, (key, member)) in members.iter().enumerate() {
                next_line(i, depth + 1, out);
                write_string(key, out);
                out.push_str(": ");
                write_pretty(member, depth + 1, out);
            }
            next_line(0, depth, out);
            out.push('}');
        }
        flat => write_compact(flat, out),
    }
}

fn next_line(before: usize, depth: usize, out: &mut String) {
    out.push_str(if before > 0 { ",\n" } else { "\n" });
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Whether JavaScript holds this integer exactly; false for floats.
fn is_exact(number: &Number) -> bool {
    const LIMIT: u64 = 1 << 53;
    number.as_i64().is_some_and(|n| n.unsigned_abs() <= LIMIT) || number.as_u64().is_some_and(|n| n <= LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_spelled_as_javascript_does() {
        for (value, text) in [
            (json!(1.0), "1"),
            (json!(-0.0), "0"),
            (json!(0.1), "0.1"),
            (json!(1e21), "1e+21"),
            (json!(1.5e300), "1.5e+300"),
            (json!(1e20), "100000000000000000000"),
            (json!(123456789012345680000.0), "123456789012345680000"),
            (json!(0.000001), "0.000001"),
            (json!(0.00000123), "0.00000123"),
            (json!(1e-7), "1e-7"),
            (json!(-1.25e-9), "-1.25e-9"),
            (json!(5e-324), "5e-324"),
            (json!(1234.5), "1234.5"),
            (json!(-7), "-7"),
            (json!(18446744073709551615u64), "18446744073709551615"),
        ] {
            assert_eq!(compact(&value), text);
        }
        assert_eq!(stable(&json!(18446744073709551615u64)), "18446744073709552000");
        assert_eq!(stable(&json!(9007199254740992u64)), "9007199254740992");
    }

    #[test]
    fn strings_are_escaped_as_javascript_does() {
        let text = json!("\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}\"\\/\u{2028}é😀");
        assert_eq!(compact(&text), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}\\\"\\\\/\u{2028}é😀\"");
    }

    #[test]
    fn stable_sorts_by_code_unit_and_the_others_keep_the_order() {
        let value = json!({"\u{ffff}": 1, "😀": [], "b": {"z": 1, "a": {}}, "B": null});
        assert_eq!(stable(&value), "{\"B\":null,\"b\":{\"a\":{},\"z\":1},\"😀\":[],\"\u{ffff}\":1}");
        assert_eq!(compact(&value), "{\"\u{ffff}\":1,\"😀\":[],\"b\":{\"z\":1,\"a\":{}},\"B\":null}");
        assert_eq!(
            pretty(&json!({"a": [1, {"b": []}], "c": {}})),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}"
        );
    }
}
