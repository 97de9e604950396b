//! What the catalog serves: entries of lists, the search index, topics, the manifest. All of it is open: a later
//! minor version may add fields, and a reader passes over those it does not know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::statement::{CONTENT_HASH, ID};
use super::words::{Execution, Level, Profile, Risk, RuntimeProfile, SchemaVersion, Verdict};

/// The form of a day.
pub const DAY: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/// Declares a list entry: the fields that every one has, then its own.
macro_rules! entry {
    ($(#[$about:meta])* $name:ident { $($(#[$field:meta])* $own:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[schemars(transform = super::schema::expiry)]
        pub struct $name {
            /// The record.
            #[schemars(regex(pattern = ID))]
            pub id: String,
            /// Its slug.
            pub slug: String,
            /// Its title.
            pub title: String,
            /// What it is.
            pub profile: Profile,
            /// The highest risk of its steps.
            pub risk: Risk,
            /// Who does the steps.
            pub execution: Execution,
            /// All that a runtime must be allowed to do.
            pub capabilities: Vec<String>,
            /// What a runtime must enforce.
            pub min_runtime_profile: RuntimeProfile,
            /// The level.
            pub trust: Level,
            /// The day on which the level is T2; exactly with T3 and T4.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String", regex(pattern = DAY))]
            pub trust_expires_on: Option<String>,
            /// What it is a variant of.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(with = "String")]
            pub topic: Option<String>,
            /// The hash of the authored content.
            #[schemars(regex(pattern = CONTENT_HASH))]
            pub content_hash: String,
            /// Where the record is served.
            pub href: String,
            $($(#[$field])* pub $own: $type,)*
        }
    };
}

entry! {
    /// An entry of an index.
    IndexEntry {}
}

entry! {
    /// An entry of a search index: what an index has, and what search reads.
    SearchEntry {
        /// The paragraph about the record.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        summary: String,
        /// The title of its topic, where that has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        topic_title: Option<String>,
        /// What the record is about, as its author wrote it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        targets: Vec<String>,
        /// The words of each field, normalised as those of a query are.
        terms: Terms,
    }
}

/// The normalised words of a record by field, each word once, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    /// Of its symptoms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symptoms: Vec<String>,
    /// Of its title.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub title: Vec<String>,
    /// Of its targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Of the title of its topic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topic: Vec<String>,
    /// Of its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Of its summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// Of the titles of its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
}

/// A page of an index: `/v1/index.json`, `/v1/index.untrusted.json` and those after them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexPage {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// The lowest level of the list; null in the untrusted one.
    pub floor: Option<Level>,
    /// The highest level of the untrusted list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Level")]
    pub ceiling: Option<Level>,
    /// The number of the page, from 1.
    pub page: u32,
    /// The entries of all pages.
    pub total: u32,
    /// The entries, by slug.
    pub entries: Vec<IndexEntry>,
    /// The path of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub next_cursor: Option<String>,
}

/// `/v1/search-index.json` and its untrusted twin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchIndex {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// The lowest level of the list; null in the untrusted one.
    pub floor: Option<Level>,
    /// The highest level of the untrusted list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Level")]
    pub ceiling: Option<Level>,
    /// How large it is, against what it may be.
    pub size: Size,
    /// The entries, by slug.
    pub entries: Vec<SearchEntry>,
}

/// The size of a search index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// The bytes of `entries` as canonical JSON.
    pub entries_bytes: u64,
    /// The most that a browser should fetch.
    pub budget_bytes: u64,
    /// Whether it fits.
    pub within_budget: bool,
}

/// A topic with its variants: `/v1/topics/<topic>.json`, and the entries of the lists of topics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Topic {
    /// The version of the form; only in a document of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SchemaVersion")]
    pub schema_version: Option<SchemaVersion>,
    /// Its name.
    pub topic: String,
    /// Its title; the name where nobody gave one.
    pub title: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Its place among the topics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub order: Option<i64>,
    /// Where it is served, when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub href: Option<String>,
    /// Its records, by slug.
    pub variants: Vec<IndexEntry>,
}

/// `/v1/manifest.json`: every file but itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// The files by path.
    pub files: BTreeMap<String, FileFacts>,
    /// Files whose content depends on the day alone.
    pub volatile: Vec<String>,
}

/// What names the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileFacts {
    /// The entity tag, with its quotes.
    #[schemars(regex(pattern = r#"^"[0-9a-f]{32}"$"#))]
    pub etag: String,
    /// The SHA-256 of the bytes, in hex.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// How many there are.
    pub bytes: u64,
}

/// What the catalog adds to a record; an author may say none of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = super::schema::expiry)]
pub struct Assigned {
    /// The record.
    #[schemars(regex(pattern = ID))]
    pub id: String,
    /// The hash of the authored content.
    #[schemars(regex(pattern = CONTENT_HASH))]
    pub content_hash: String,
    /// The highest risk of its steps.
    pub risk: Risk,
    /// The level, computed from statements and a clock.
    pub trust: Level,
    /// The day on which the level is T2; exactly with T3 and T4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = DAY))]
    pub trust_expires_on: Option<String>,
    /// The statements about it, oldest first.
    pub trust_evidence: Vec<Evidence>,
    /// The publisher's signature.
    pub signature: SignatureFacts,
}

/// A statement as a record shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What sort of statement it is.
    pub kind: String,
    /// What it says when its signature is good, else what is wrong with the signature.
    pub verdict: String,
    /// Where a run happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub environment: Option<String>,
    /// The plan that a run followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub plan: Option<String>,
    /// Why the record was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub principal: Option<String>,
    /// The UTC day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = DAY))]
    pub on: Option<String>,
    /// It is about other content, and counts for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub stale: Option<bool>,
    /// Its day has not come, and it counts for nothing yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub future: Option<bool>,
}

/// What a signature is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignatureFacts {
    /// The verdict.
    pub verdict: Verdict,
    /// Whose it is, when it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub principal: Option<String>,
}

/// `/v1/aliases.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Aliases {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// The id by slug, former slugs included.
    pub aliases: BTreeMap<String, String>,
}
