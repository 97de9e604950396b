//! `/v1/status.json`: how old the catalog's judgements are. The only artifact whose subject is the passage of time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::served::DAY;
use super::words::{Level, SchemaVersion};

/// The document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// The day of the build's clock.
    #[schemars(regex(pattern = DAY))]
    pub as_of: String,
    /// The commit that was built.
    pub commit: String,
    /// Whether what is not committed was built.
    pub dirty: bool,
    /// The program that built it.
    pub tool: String,
    /// Whom it trusts.
    pub trust_root: TrustRootFacts,
    /// The records, counted.
    pub records: Counts,
    /// How old the attestations are that count.
    pub ages: Ages,
    /// The records whose level ends within 30 days, soonest first.
    pub expiring: Vec<Expiring>,
    /// The records that were T3 or T4 once.
    pub expired_to_t2: Vec<String>,
    /// The statements, counted.
    pub evidence: EvidenceCounts,
    /// The search index against its budget.
    pub search: SearchFacts,
    /// Records that were left out.
    pub refused_sources: Vec<RefusedSource>,
    /// What should be looked at.
    pub warnings: Vec<String>,
    /// The majors that are served.
    pub majors: Vec<MajorFacts>,
}

/// Which trust root it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustRootFacts {
    /// `repository`, or `folder` for one outside.
    pub source: String,
    /// The hash of its files.
    pub digest: String,
}

/// The records by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// All.
    pub total: u64,
    /// By level.
    pub by_trust: BTreeMap<String, u64>,
    /// By risk.
    pub by_risk: BTreeMap<String, u64>,
    /// By profile.
    pub by_profile: BTreeMap<String, u64>,
}

/// Ages in days; null when there is no attestation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ages {
    /// Of the oldest.
    pub oldest_attestation_days: Option<i64>,
    /// Of the newest.
    pub newest_attestation_days: Option<i64>,
    /// In the middle; the younger one of two.
    pub median: Option<i64>,
}

/// A level that ends soon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expiring {
    /// The record.
    pub id: String,
    /// Its level.
    pub level: Level,
    /// The day on which it is T2.
    #[schemars(regex(pattern = DAY))]
    pub expires_on: String,
}

/// Each statement counts once: as stale, else as future, else by its signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceCounts {
    /// About the present content, well signed, its day come.
    pub valid: u64,
    /// Not well signed, or not at all.
    pub invalid: u64,
    /// About other content.
    pub stale: u64,
    /// Dated after the build's day.
    pub future: u64,
    /// Signed by a key that nobody listed.
    pub unknown_key: u64,
}

/// The size of the search index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchFacts {
    /// The bytes of `entries` as canonical JSON.
    pub entries_bytes: u64,
    /// The bytes of the whole file, compressed.
    pub gzip_bytes: u64,
    /// The most that a browser should fetch.
    pub budget_bytes: u64,
    /// Whether it fits.
    pub within_budget: bool,
    /// The path of a search endpoint, when one is served.
    pub endpoint: Option<String>,
}

/// A record that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedSource {
    /// The folder or file.
    pub path: String,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// A major of the contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MajorFacts {
    /// Its number.
    pub major: u32,
    /// `current`, `supported` or `planned`.
    pub status: String,
    /// The day on which it is no longer served.
    pub supported_until: Option<String>,
}
