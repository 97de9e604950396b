//! What a collection is, in eight characters: a cursor carries it and so notices any change (read-output.md §6.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::cursor::FINGERPRINT;
use super::frame::Table;
use super::render::{self, Sink};
use crate::contract::ReadOutput;
use crate::error::Result;

/// Fields of one row that change while the tracker does not, so that a cursor must not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FingerprintPolicy {
    /// The surface.
    pub surface: &'static str,
    /// The row collection.
    pub path: &'static str,
    /// The `name` of the row.
    pub row: &'static str,
    /// The direct fields of the row's `details` that do not count.
    pub ignored_detail_fields: &'static [&'static str],
    /// A new version makes older cursors stale.
    pub version: u32,
}

/// The stable-snapshot exceptions; everything else is fingerprinted whole (seed 001).
///
/// ```
/// use pm::read_output::PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES as POLICIES;
///
/// let [policy] = POLICIES else { panic!("one row of one surface changes by itself") };
/// assert_eq!((policy.surface, policy.path, policy.row, policy.version), ("health", "checks", "telemetry", 1));
/// assert!(policy.ignored_detail_fields.contains(&"queue_entries"));
/// assert!(!policy.ignored_detail_fields.contains(&"capture_level"));
/// ```
pub const PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES: &[FingerprintPolicy] = &[FingerprintPolicy {
    surface: "health",
    path: "checks",
    row: "telemetry",
    ignored_detail_fields: &[
        "queue_exists",
        "queue_entries",
        "queue_draining",
        "queue_invalid_rows",
        "queue_rows_total",
        "queue_size_bytes",
        "queue_high_retry_entries",
        "queue_max_attempts",
        "last_attempted_flush_at",
        "last_successful_flush_at",
        "last_failed_flush_at",
        "pending_otel_spans",
        "last_otel_attempt_at",
        "last_otel_success_at",
        "last_otel_failure_at",
    ],
    version: 1,
}];

/// A hash that takes text.
struct Hasher {
    hash: Sha256,
    buffer: Vec<u8>,
}

impl Hasher {
    fn new() -> Hasher {
        Hasher { hash: Sha256::new(), buffer: Vec::with_capacity(8_192) }
    }

    fn finish(mut self) -> [u8; 32] {
        self.hash.update(&self.buffer);
        self.hash.finalize().into()
    }
}

impl Sink for Hasher {
    fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
        if self.buffer.len() >= 8_192 {
            self.hash.update(&self.buffer);
            self.buffer.clear();
        }
    }

    fn byte(&mut self, byte: u8) {
        self.buffer.push(byte);
    }

    fn line(&mut self, _depth: usize) {}
}

/// The first characters of the hash of a collection: `{path, [policy], value}` as stable JSON.
///
/// A collection that has a digest of its own is fingerprinted by that digest and its projection.
pub(super) fn of_table(table: &Table<'_>, surface: &ReadOutput) -> Result<String> {
    of_rows(table, surface, table.base, table.len)
}

/// The same of another span of the table's rows.
pub(super) fn of_rows(table: &Table<'_>, surface: &ReadOutput, base: usize, len: usize) -> Result<String> {
    let policies: Vec<&FingerprintPolicy> = PM_READ_OUTPUT_CONTINUATION_FINGERPRINT_POLICIES
        .iter()
        .filter(|policy| policy.surface == surface.surface && policy.path == table.path)
        .collect();
    let mut out = Hasher::new();
    out.text("{\"path\":");
    render::stable(&mut out, &json!(table.path));
    for policy in &policies {
        out.text(&format!(",\"policy\":\"{}@{}\"", policy.row, policy.version));
    }
    out.text(",\"value\":");
    if let Some(digest) = &table.rows.digest {
        let columns = table.rows.columns.as_ref().filter(|_| !table.rows.steady);
        render::stable(&mut out, &json!([digest(), table.projection, columns, base, len]));
    } else {
        out.byte(b'[');
        for n in 0..len {
            if n > 0 {
                out.byte(b',');
            }
            let place = table.place(base + n);
            if let Some(key) = &table.rows.keys {
                render::stable(&mut out, &json!(key(place)));
                out.byte(b':');
            }
            let mut row = table.projected(table.rows.get(place)?);
            policies.iter().for_each(|policy| forget(&mut row, policy));
            render::stable(&mut out, &row);
        }
        out.byte(b']');
    }
    out.byte(b'}');
    Ok(short(out.finish()))
}

/// The fingerprint of all rows of a table, whatever a page or a limit is about.
pub(super) fn of_whole(table: &Table<'_>, surface: &ReadOutput) -> Result<String> {
    of_rows(table, surface, 0, table.rows.total)
}

/// The fingerprint of several collections, by their own; of one it is its own.
pub(super) fn of_all(parts: &[String]) -> String {
    match parts {
        [only] => only.clone(),
        parts => {
            let mut out = Hasher::new();
            parts.iter().for_each(|part| out.text(part));
            short(out.finish())
        }
    }
}

/// The fingerprint of a question.
pub(super) fn of_question(surface: &str, question: &Value) -> String {
    let mut out = Hasher::new();
    out.text(surface);
    out.byte(0);
    render::stable(&mut out, question);
    short(out.finish())
}

/// What stands for a row that has no id.
pub(super) fn of_row(row: &Value) -> String {
    let mut out = Hasher::new();
    render::stable(&mut out, row);
    format!("#{}", short(out.finish()))
}

fn short(hash: [u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(&hash[..FINGERPRINT])
}

/// Takes out what a policy ignores.
fn forget(row: &mut Value, policy: &FingerprintPolicy) {
    if row.get("name").and_then(Value::as_str) != Some(policy.row) {
        return;
    }
    if let Some(Value::Object(details)) = row.get_mut("details") {
        details.retain(|key, _| !policy.ignored_detail_fields.contains(&key.as_str()));
    }
}
