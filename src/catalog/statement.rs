//! Signed statements about a record: what they say, when, about which content, and what they are called.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::identity;
use super::words::{Environment, Outcome, ReviewVerdict, SchemaVersion, StatementKind};
use crate::model::timestamp;

/// The form of an instant: RFC 3339 with its zone.
pub const INSTANT: &str =
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$";

/// The form of an id.
pub const ID: &str = "^rb_[0-9a-hjkmnp-tv-z]{16}$";

/// The form of a content hash.
pub const CONTENT_HASH: &str = "^sha256:[0-9a-f]{64}$";

/// A statement. Later versions may add fields, so unknown ones are read over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// What it says.
    pub kind: StatementKind,
    /// What it is about.
    pub subject: Subject,
    /// Who says it.
    #[schemars(length(min = 1))]
    pub principal: String,
    /// When.
    #[schemars(regex(pattern = INSTANT))]
    pub at: String,
    /// The word of a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ReviewVerdict")]
    pub verdict: Option<ReviewVerdict>,
    /// How a run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Outcome")]
    pub outcome: Option<Outcome>,
    /// Where a run happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Environment")]
    pub environment: Option<Environment>,
    /// The plan that a run followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub plan: Option<String>,
    /// Why a record is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// The steps that are approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub steps: Option<Vec<String>>,
}

/// What a statement is about: a record and its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The record.
    #[schemars(regex(pattern = ID))]
    pub id: String,
    /// The content that was looked at.
    #[schemars(regex(pattern = CONTENT_HASH))]
    pub content_hash: String,
}

impl Statement {
    /// The instant, in milliseconds since the epoch; none when `at` names none.
    pub fn instant(&self) -> Option<i64> {
        timestamp::parse(&self.at)
    }

    /// The UTC day of the instant.
    pub fn on(&self) -> Option<Date> {
        self.instant().and_then(day)
    }

    /// What is signed, and what its file holds.
    pub fn bytes(&self) -> Vec<u8> {
        canonical_bytes(&serde_json::to_value(self).unwrap_or(Value::Null))
    }
}

/// The bytes of a statement as it was read, unknown fields included: what is signed.
pub fn canonical_bytes(statement: &Value) -> Vec<u8> {
    identity::canonical(statement).into_bytes()
}

/// The name of the file of a statement: `review-20260520-1a2b3c4d.json`; its signature has `.sig` behind it.
pub fn file_name(kind: StatementKind, on: Date, bytes: &[u8]) -> String {
    format!("{kind}-{}-{}.json", on.strftime("%Y%m%d"), &identity::sha256(bytes)[..8])
}

/// The UTC day of an instant.
pub fn day(instant: i64) -> Option<Date> {
    let instant = jiff::Timestamp::from_millisecond(instant).ok()?;
    Some(jiff::tz::Offset::UTC.to_datetime(instant).date())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn days_are_of_utc_and_names_of_bytes() {
        let statement: Statement = serde_json::from_value(json!({
            "schema_version": "1.0", "kind": "run", "principal": "ci@example.org", "at": "2026-06-01T23:30:00-05:00",
            "subject": {"id": "rb_6cqhnwwnvxe79x6f", "content_hash": "sha256:0"}, "outcome": "success",
            "environment": "staging", "later": 1,
        }))
        .unwrap();
        let on = statement.on().unwrap();
        assert_eq!(on.to_string(), "2026-06-02");
        let bytes = statement.bytes();
        assert!(bytes.starts_with(br#"{"at":"2026-06-01T23:30:00-05:00","environment":"#));
        let name = file_name(statement.kind, on, &bytes);
        assert!(name.starts_with("run-20260602-") && name.len() == "run-20260602-12345678.json".len());
    }
}
