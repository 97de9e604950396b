//! `/v1/status.json`: how old the catalog's judgements are. The only artifact whose subject is the passage of time.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compile::Compiled;
use super::served::{DAY, Size};
use super::words::{Level, Profile, Risk, SchemaVersion, StatementKind, Verdict};

/// Levels that end within so many days are told of.
pub(super) const SOON: i64 = 30;

/// This program, as a catalog names it. Bytes change with its minor version at most, so the patch is left out.
pub(super) const TOOL: &str =
    concat!("pm ", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

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
    /// `current`, `supported`, `ended` or `planned`.
    pub status: String,
    /// The day of its release, where one is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = DAY))]
    pub released_on: Option<String>,
    /// The day on which it is no longer served.
    pub supported_until: Option<String>,
}

/// The state of a compiled source.
pub(super) fn of(compiled: &Compiled, size: Size, gzip_bytes: u64) -> Status {
    let mut warnings = compiled.warnings.clone();
    if !size.within_budget {
        warnings.push(format!(
            "the search index has {} bytes, more than its budget of {}",
            size.entries_bytes, size.budget_bytes
        ));
    }
    let (evidence, ages) = evidence(compiled);
    let expired = compiled.items.iter().filter(|item| item.conclusion.expired);
    Status {
        schema_version: SchemaVersion::V1,
        as_of: compiled.as_of.to_string(),
        commit: compiled.commit.clone(),
        dirty: compiled.dirty,
        tool: TOOL.to_owned(),
        trust_root: compiled.trust_root.clone(),
        records: counts(compiled),
        ages,
        expiring: expiring(compiled, SOON),
        expired_to_t2: expired.map(|item| item.facts.id.clone()).collect(),
        evidence,
        search: SearchFacts {
            entries_bytes: size.entries_bytes,
            gzip_bytes,
            budget_bytes: size.budget_bytes,
            within_budget: size.within_budget,
            endpoint: None,
        },
        refused_sources: refused(compiled),
        warnings,
        majors: compiled.settings.major_facts(compiled.as_of),
    }
}

fn counts(compiled: &Compiled) -> Counts {
    fn zero(words: &[&str]) -> BTreeMap<String, u64> {
        words.iter().map(|word| ((*word).to_owned(), 0)).collect()
    }
    let mut counts = Counts {
        total: compiled.items.len() as u64,
        by_trust: zero(Level::WORDS),
        by_risk: zero(Risk::WORDS),
        by_profile: zero(Profile::WORDS),
    };
    for item in &compiled.items {
        *counts.by_trust.entry(item.conclusion.level.to_string()).or_default() += 1;
        *counts.by_risk.entry(item.facts.risk.to_string()).or_default() += 1;
        *counts.by_profile.entry(item.facts.profile.to_string()).or_default() += 1;
    }
    counts
}

/// The records whose level ends within so many days, soonest first.
pub fn expiring(compiled: &Compiled, days: i64) -> Vec<Expiring> {
    let until = |day: Date| (day - compiled.as_of).get_days();
    let mut all: Vec<(Date, Expiring)> = compiled
        .items
        .iter()
        .filter_map(|item| {
            let day = item.conclusion.expires_on.filter(|day| i64::from(until(*day)) <= days)?;
            let (id, level) = (item.facts.id.clone(), item.conclusion.level);
            Some((day, Expiring { id, level, expires_on: day.to_string() }))
        })
        .collect();
    all.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
    all.into_iter().map(|(_, one)| one).collect()
}

fn evidence(compiled: &Compiled) -> (EvidenceCounts, Ages) {
    let mut counts = EvidenceCounts::default();
    let mut days = Vec::new();
    for one in compiled.items.iter().flat_map(|item| &item.evidence) {
        let place = match one.verdict {
            _ if !one.current => &mut counts.stale,
            _ if one.is_future(compiled.as_of) => &mut counts.future,
            Verdict::Valid => &mut counts.valid,
            Verdict::UnknownKey => &mut counts.unknown_key,
            _ => &mut counts.invalid,
        };
        *place += 1;
        let counts_now = one.current && one.verdict == Verdict::Valid && one.on <= compiled.as_of;
        if counts_now && one.statement.kind != StatementKind::Revoke {
            days.push(i64::from((compiled.as_of - one.on).get_days()));
        }
    }
    days.sort_unstable();
    let ages = Ages {
        oldest_attestation_days: days.last().copied(),
        newest_attestation_days: days.first().copied(),
        median: days.get(days.len().saturating_sub(1) / 2).copied(),
    };
    (counts, ages)
}

/// The files that were left out, each with all that is wrong.
fn refused(compiled: &Compiled) -> Vec<RefusedSource> {
    let mut by_path: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for finding in compiled.errors.iter().filter(|finding| finding.is_error()) {
        by_path.entry(&finding.path).or_default().push(finding.message.clone());
    }
    by_path.into_iter().map(|(path, problems)| RefusedSource { path: path.to_owned(), problems }).collect()
}
