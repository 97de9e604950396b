//! What names a record and its content: canonical bytes, the id, the content hash, entity tags.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::codec::hex;
use crate::codec::json;

/// What an id is made of, in front of the oldest slug.
const ID_DOMAIN: &[u8] = b"pm-catalog/rb/v1\0";

/// The digits of ids: Crockford's, lower case.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The key of editor positions: never served, never hashed.
pub(crate) const LAYOUT: &str = "x-layout";

/// The canonical text of a value (RFC 8785), without a line feed.
pub fn canonical(value: &Value) -> String {
    json::stable(value)
}

/// The bytes of an artifact: canonical JSON and one line feed.
pub fn artifact(value: &Value) -> Vec<u8> {
    let mut text = canonical(value);
    text.push('\n');
    text.into_bytes()
}

/// The SHA-256 of bytes, in lower hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The id of the record that first bore this slug: `rb_` and 16 digits of 80 bits.
pub fn id(oldest_slug: &str) -> String {
    let digest = Sha256::new().chain_update(ID_DOMAIN).chain_update(oldest_slug).finalize();
    let number = digest[..10].iter().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    let digit = |n: u32| char::from(DIGITS[(number >> (5 * n) & 31) as usize]);
    "rb_".chars().chain((0..16).rev().map(digit)).collect()
}

/// Whether a text has the form of an id.
pub fn is_id(text: &str) -> bool {
    text.strip_prefix("rb_")
        .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|byte| DIGITS.contains(&byte)))
}

/// The same document without editor positions, at any depth.
pub fn without_layout(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| *key != LAYOUT);
            Value::Object(kept.map(|(key, value)| (key.clone(), without_layout(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_layout).collect(),
        other => other.clone(),
    }
}

/// `sha256:` and the hash of an authored document's canonical bytes, editor positions left out.
pub fn content_hash(document: &Value) -> String {
    format!("sha256:{}", sha256(canonical(&without_layout(document)).as_bytes()))
}

/// The entity tag of a served record: of its content and of what was concluded about it.
pub fn record_etag(record: &Value) -> String {
    let conclusion = ["trust", "trust_expires_on", "trust_evidence", "signature"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), record.get(key)?.clone())))
        .collect();
    let hash = record["content_hash"].as_str().unwrap_or_default();
    tag(format!("{hash}\n{}", canonical(&Value::Object(conclusion))).as_bytes())
}

/// The entity tag of any other file: of its bytes without the final line feed.
pub fn file_etag(bytes: &[u8]) -> String {
    tag(bytes.strip_suffix(b"\n").unwrap_or(bytes))
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", &sha256(bytes)[..32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_those_of_the_contract() {
        assert_eq!(id("restart-postgres-replica"), "rb_6cqhnwwnvxe79x6f");
        assert_eq!(id("rotate-api-token"), "rb_2pa1q8dcb088fbra");
        assert!(is_id("rb_6cqhnwwnvxe79x6f"));
        for other in ["rb_6cqhnwwnvxe79x6", "rb_6cqhnwwnvxe79x6i", "6cqhnwwnvxe79x6f", "rb_", ""] {
            assert!(!is_id(other), "{other}");
        }
    }

    /// The second example of the contract, and the hash it states.
    #[test]
    fn the_hash_is_of_the_canonical_document_without_positions() {
        let step = |id: &str, title: &str, risk: &str, text: &str| json!({"risk": risk, "id": id, "title": title, "body": {"text": text}});
        let mut document = json!({
            "title": "Rotate an API token", "schema_version": "1.0", "profile": "p0", "slug": "rotate-api-token",
            "publisher": "ops@example.org", "symptoms": ["token leaked"], "targets": ["vault"], "execution": "manual",
            "capabilities": [], "min_runtime_profile": "R0",
            "steps": [
                step("revoke", "Revoke the old token", "irreversible", "Open the admin page and revoke the token."),
                step("issue", "Issue a new token", "reversible", "Create a token with the same scopes."),
            ],
        });
        let want = "sha256:ce759cb60daa5148c74d995810eb6c0431d3cf7c5b91a6dd581c788c59fa9605";
        assert_eq!(content_hash(&document), want);
        document["x-layout"] = json!({"steps": {"revoke": {"x": 1.5}}});
        assert_eq!(content_hash(&document), want);
        document["steps"][0]["body"]["text"] = json!("Another text.");
        assert_ne!(content_hash(&document), want);
    }

    #[test]
    fn tags_are_of_content_and_conclusion() {
        let mut record = json!({"content_hash": "sha256:1", "trust": "T3", "trust_expires_on": "2026-11-28",
            "trust_evidence": [], "signature": {"verdict": "absent"}, "steps": []});
        let tag = record_etag(&record);
        assert_eq!((tag.len(), &tag[..1]), (34, "\""));
        record["steps"] = json!([1]);
        assert_eq!(record_etag(&record), tag);
        record["trust"] = json!("T2");
        assert_ne!(record_etag(&record), tag);
        assert_eq!(file_etag(b"{}\n"), file_etag(b"{}"));
    }
}
