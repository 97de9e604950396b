//! What each section of an answer costs: the receipt of `--token-accounting` (read-output.md §5.6).
//!
//! It is measured on the finished text and added to it, so it is no part of any other estimate.

use serde_json::{Map, Value, json};

use super::render::Format;
use super::{Controls, Delivered};
use crate::codec::{json as plain, toon};

/// Keys that speak about the answer instead of answering.
const DIAGNOSTICS: &[&str] = &[
    "warnings",
    "completeness",
    "read_output",
    "read_session",
    "output_budget_truncation",
    "output_budget_exceeded",
    "omission_receipt",
];

/// Keys that say how to go on.
const HINTS: &[&str] = &["next_cursor", "continuation_kind", "continuation_contract", "row_contract"];

const SECTIONS: [&str; 4] = ["result_rows", "envelope", "diagnostics", "hints"];

/// Adds the receipt to a delivered answer; one that is neither TOON nor JSON has no place for it.
pub fn account(delivered: Delivered, controls: &Controls) -> Delivered {
    let Ok(text) = std::str::from_utf8(&delivered.bytes) else { return delivered };
    let Some(document) = read(text, controls.format) else { return delivered };
    let rows = controls.surface.as_ref().map_or(&[][..], |surface| surface.row_keys);
    let shares = shares(text.len(), weights(&document, rows));
    let mut bytes = 0;
    // The receipt states its own size: it settles as soon as the number of digits does.
    for _ in 0..4 {
        let added = with(text, controls.format, &receipt(text.len(), shares, bytes));
        if added.len() - text.len() == bytes {
            return Delivered { bytes: added.into_bytes(), ..delivered };
        }
        bytes = added.len() - text.len();
    }
    let added = with(text, controls.format, &receipt(text.len(), shares, bytes));
    Delivered { bytes: added.into_bytes(), ..delivered }
}

fn read(text: &str, format: Format) -> Option<Map<String, Value>> {
    let document = match format {
        Format::Toon => toon::decode(text.trim_end()).ok()?,
        Format::Json | Format::Compact => serde_json::from_str(text).ok()?,
        _ => return None,
    };
    match document {
        Value::Object(document) => Some(document),
        _ => None,
    }
}

/// The sizes of the sections as compact JSON.
fn weights(document: &Map<String, Value>, rows: &[&str]) -> [usize; 4] {
    let size = |value: &Value| plain::compact(value).len();
    let whole: usize = document.values().map(size).sum();
    let of = |keys: &[&str]| -> usize { keys.iter().filter_map(|key| document.get(*key)).map(size).sum() };
    let at = |path: &&str| {
        let mut value: Option<&Value> = None;
        for step in path.split('.') {
            value = match value {
                None => document.get(step),
                Some(inner) => inner.get(step),
            };
            value?;
        }
        value
    };
    let result = rows.iter().filter_map(at).map(size).sum::<usize>();
    let (diagnostics, hints) = (of(DIAGNOSTICS), of(HINTS));
    [result, whole.saturating_sub(result + diagnostics + hints), diagnostics, hints]
}

/// Shares of a total by weight that add up to it exactly: the largest remainders get what is left.
fn shares(total: usize, weights: [usize; 4]) -> [usize; 4] {
    let sum: usize = weights.iter().sum();
    if sum == 0 {
        return [0, total, 0, 0];
    }
    let mut shares = weights.map(|weight| total * weight / sum);
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|&n| std::cmp::Reverse(total * weights[n] % sum));
    let left = total - shares.iter().sum::<usize>();
    for &n in order.iter().take(left) {
        shares[n] += 1;
    }
    shares
}

fn receipt(total: usize, shares: [usize; 4], own: usize) -> Value {
    let cost = |bytes: usize| json!({"bytes": bytes, "estimated_tokens": bytes.div_ceil(4)});
    let sections: Map<String, Value> =
        SECTIONS.iter().zip(shares).map(|(name, bytes)| ((*name).to_owned(), cost(bytes))).collect();
    json!({
        "version": 1,
        "measurement_scope": "output_before_token_accounting",
        "estimator": "ceil(utf8_bytes / 4)",
        "total_bytes": total,
        "total_estimated_tokens": total.div_ceil(4),
        "sections": sections,
        "accounting_receipt_bytes": own,
        "accounting_receipt_estimated_tokens": own.div_ceil(4),
        "excluded_fields": ["token_accounting"],
        "section_allocation": "proportional_canonical_json",
    })
}

/// The text with the receipt as its last key.
fn with(text: &str, format: Format, receipt: &Value) -> String {
    let body = text.trim_end();
    if format == Format::Toon {
        let own = toon::encode(&json!({"token_accounting": receipt})).unwrap_or_default();
        return format!("{body}\n{own}\n");
    }
    let end = if text.ends_with('\n') { "\n" } else { "" };
    let inner = body.strip_suffix('}').unwrap_or(body).trim_end();
    let comma = if inner.ends_with('{') { "" } else { "," };
    if text.starts_with("{\n") {
        let receipt = plain::pretty(receipt).replace('\n', "\n  ");
        format!("{inner}{comma}\n  \"token_accounting\": {receipt}\n}}{end}")
    } else {
        format!("{inner}{comma}\"token_accounting\":{}}}{end}", plain::compact(receipt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_exactly() {
        for total in [0, 1, 7, 100, 12345] {
            for weights in [[0, 0, 0, 0], [1, 1, 1, 0], [5, 3, 0, 9], [1, 0, 0, 0]] {
                assert_eq!(shares(total, weights).iter().sum::<usize>(), total, "{total} {weights:?}");
            }
        }
    }

    #[test]
    fn the_receipt_is_the_last_key_and_knows_its_size() {
        for (text, format) in [
            ("{\n  \"items\": [],\n  \"count\": 0\n}\n", Format::Json),
            ("{\"items\":[],\"count\":0}\n", Format::Json),
            ("items: []\ncount: 0\n", Format::Toon),
        ] {
            let document = read(text, format).expect("it is a document");
            let receipt = receipt(text.len(), shares(text.len(), weights(&document, &["items"])), 600);
            let added = with(text, format, &receipt);
            let read = read(&added, format).expect("it still is one");
            assert_eq!(read.keys().next_back().map(String::as_str), Some("token_accounting"));
            assert_eq!(read["token_accounting"]["total_bytes"], text.len());
            assert_eq!(read.len(), document.len() + 1);
            assert!(added.len() - text.len() < 1024, "{}", added.len() - text.len());
        }
    }
}
