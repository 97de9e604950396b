//! How JSON is spelled: strings and numbers exactly as `JSON.stringify` prints them.

use serde_json::{Number, Value};

/// Compact JSON in the value's own key order; big integers keep their digits.
pub(crate) fn compact(value: &Value) -> String {
    let mut out = String::new();
    write_compact(value, &mut out);
    out
}

/// Appends what [`compact`] returns.
pub(crate) fn write_compact(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_compact(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (i, (key, member)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_compact(member, out);
            }
            out.push('}');
        }
    }
}

/// Appends a quoted string: the escapes of `JSON.stringify`, nothing else escaped.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = position_to_escape(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// The first byte that a JSON string cannot hold as it is.
fn position_to_escape(bytes: &[u8]) -> Option<usize> {
    let escapes = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    // Whole chunks without a branch per byte, which the compiler turns into vector instructions.
    let clean = |chunk: &&[u8]| !chunk.iter().fold(false, |seen, byte| seen | escapes(byte));
    let skipped = 32 * bytes.chunks_exact(32).take_while(clean).count();
    bytes[skipped..].iter().position(escapes).map(|at| skipped + at)
}

/// Appends a number: integers with all their digits, floats as JavaScript prints them.
pub(crate) fn write_number(number: &Number, out: &mut String) {
    use std::fmt::Write;
    if let Some(n) = number.as_u64() {
        write!(out, "{n}").expect("a string takes every write");
    } else if let Some(n) = number.as_i64() {
        write!(out, "{n}").expect("a string takes every write");
    } else if let Some(n) = number.as_f64() {
        write_float(n, out);
    }
}

/// `Number::toString` of ECMAScript: shortest digits, an exponent from 1e21 and below 1e-6.
pub(crate) fn write_float(float: f64, out: &mut String) {
    if float == 0.0 || !float.is_finite() {
        out.push_str(if float == 0.0 { "0" } else { "null" });
        return;
    }
    let shortest = format!("{:e}", float.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = digits.len() as i32;
    if float < 0.0 {
        out.push('-');
    }
    match point {
        22.. | ..-5 => {
            out.push_str(&digits[..1]);
            if count > 1 {
                out.push('.');
                out.push_str(&digits[1..]);
            }
            out.push_str(if point > 0 { "e+" } else { "e-" });
            out.push_str(&(point - 1).unsigned_abs().to_string());
        }
        ..=0 => {
            out.push_str("0.");
            (point..0).for_each(|_| out.push('0'));
            out.push_str(&digits);
        }
        _ if count <= point => {
            out.push_str(&digits);
            (count..point).for_each(|_| out.push('0'));
        }
        _ => {
            let (whole, fraction) = digits.split_at(point.unsigned_abs() as usize);
            out.push_str(whole);
            out.push('.');
            out.push_str(fraction);
        }
    }
}
