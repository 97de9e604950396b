//! Whether items have the fields that the tracker's profile asks for.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Evidence, Verdict};
use crate::domain::filter::values;
use crate::error::{Error, Result};
use crate::model::records::{Presence, Record};
use crate::model::settings::Settings;

/// The profiles.
pub(crate) const PROFILES: [&str; 3] = ["core", "strict", "custom"];

/// What a profile can ask for: the field, the key of its count, the end of its warning's code.
const FIELDS: [(&str, &str, &str); 9] = [
    ("author", "missing_author", "author"),
    ("acceptance_criteria", "missing_acceptance_criteria", "acceptance_criteria"),
    ("estimated_minutes", "missing_estimated_minutes", "estimate"),
    ("close_reason", "closed_missing_close_reason", "close_reason"),
    ("reviewer", "missing_reviewer", "reviewer"),
    ("risk", "missing_risk", "risk"),
    ("confidence", "missing_confidence", "confidence"),
    ("sprint", "missing_sprint", "sprint"),
    ("release", "missing_release", "release"),
];

/// How many of [`FIELDS`] the core profile asks for.
const CORE: usize = 4;

struct Profile {
    name: String,
    source: &'static str,
    fell_back: bool,
    fields: Vec<&'static str>,
}

/// Refuses a profile that nobody knows.
///
/// Errors: `invalid_argument_value` with the legal names.
pub fn known_profile(name: &str) -> Result<String> {
    let lower = name.trim().to_lowercase();
    if PROFILES.contains(&lower.as_str()) { Ok(lower) } else { Err(refused(name)) }
}

fn refused(name: &str) -> Error {
    values::illegal("--metadata-profile", name, &PROFILES)
}

fn profile(asked: Option<&str>, settings: &Settings) -> Profile {
    let name = asked.map_or_else(|| settings.governance_word("metadata_profile"), str::to_owned);
    let names = |count: usize| FIELDS[..count].iter().map(|(field, ..)| *field).collect::<Vec<_>>();
    let custom: Vec<&str> = settings.texts("validation.metadata_required_fields");
    let chosen: Vec<&'static str> =
        FIELDS.iter().map(|(field, ..)| *field).filter(|field| custom.contains(field)).collect();
    let fell_back = name == "custom" && chosen.is_empty();
    let fields = match name.as_str() {
        "strict" => names(FIELDS.len()),
        "custom" if !fell_back => chosen,
        _ => names(CORE),
    };
    Profile { source: if asked.is_some() { "option" } else { "settings" }, name, fell_back, fields }
}

fn misses(field: &str, record: Record<'_>, evidence: &Evidence<'_>, strict: bool) -> bool {
    let lacks = |part| !record.has(part);
    match field {
        "author" => record.author().is_none_or(|author| author.trim().is_empty()),
        "acceptance_criteria" => {
            (strict || !evidence.is_over(record)) && lacks(Presence::ACCEPTANCE_CRITERIA)
        }
        "estimated_minutes" => (strict || !evidence.is_over(record)) && lacks(Presence::ESTIMATE),
        "close_reason" => {
            record.status() == evidence.schema.statuses.close() && lacks(Presence::CLOSE_REASON)
        }
        "reviewer" => lacks(Presence::REVIEWER),
        "risk" => lacks(Presence::RISK),
        "confidence" => lacks(Presence::CONFIDENCE),
        "sprint" => lacks(Presence::SPRINT),
        _ => lacks(Presence::RELEASE),
    }
}

pub(super) fn check(evidence: &Evidence<'_>) -> Verdict {
    let profile = profile(evidence.options.profile.as_deref(), evidence.settings);
    let strict = profile.name == "strict";
    let mut missing: Vec<(usize, Vec<Record<'_>>)> = Vec::new();
    for (n, (field, ..)) in
        FIELDS.iter().enumerate().filter(|(_, (field, ..))| profile.fields.contains(field))
    {
        missing.push((n, evidence.records.iter().filter(|r| misses(field, *r, evidence, strict)).collect()));
    }
    let mut verdict = Verdict::new("metadata");
    verdict.set("checked_items", evidence.records.len());
    verdict.set("metadata_profile", profile.name);
    verdict.set("metadata_profile_source", profile.source);
    verdict.set("metadata_profile_fallback_to_core", profile.fell_back);
    verdict.set("required_fields", profile.fields);
    verdict.set("supported_required_fields", FIELDS.map(|(field, ..)| field).to_vec());
    let counts: Map<String, Value> =
        missing.iter().map(|(n, records)| (FIELDS[*n].1.to_owned(), records.len().into())).collect();
    verdict.set("counts", counts);
    verdict.set("missing_by_type", by_kind(&missing));
    let codes = duplicate_codes(evidence);
    verdict.set("duplicate_issue_codes_count", codes.len());
    verdict.warn("metadata_duplicate_issue_codes", codes.len());
    verdict.list("duplicate_issue_codes", codes);
    for (n, records) in missing.iter().filter(|(_, records)| !records.is_empty()) {
        let (_, key, code) = FIELDS[*n];
        verdict.set(&format!("{key}_item_ids"), records.iter().map(|r| r.id()).collect::<Vec<_>>());
        verdict.set(&format!("{key}_truncated"), false);
        verdict.warn(&format!("metadata_missing_{code}"), records.len());
        let flag = FIELDS[*n].0.replace('_', "-");
        verdict.hints.extend(records.iter().map(|r| format!("pm update {} --{flag} \"...\"", r.id())));
    }
    if profile.fell_back {
        verdict.warnings.push(("validate_metadata_custom_profile_missing_required_fields".to_owned(), 0));
        verdict.status = verdict.status.max(super::Status::Warn);
    }
    verdict
}

/// How often each kind of item misses each field.
fn by_kind(missing: &[(usize, Vec<Record<'_>>)]) -> Value {
    let mut kinds: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for (n, records) in missing {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for record in records {
            *counts.entry(record.kind()).or_default() += 1;
        }
        for (kind, count) in counts {
            kinds.entry(kind).or_default().insert(FIELDS[*n].0.to_owned(), count.into());
        }
    }
    json!(kinds)
}

/// The code that a title begins with: `GH-209` of `GH-209: something`.
fn leading_code(title: &str) -> Option<&str> {
    let letters = title.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
    let digits = title.get(letters..)?.strip_prefix('-')?.bytes().take_while(u8::is_ascii_digit).count();
    let end = letters + 1 + digits;
    let starts = title.starts_with(|c: char| c.is_ascii_uppercase());
    let ends = !title[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (starts && digits > 0 && ends).then(|| &title[..end])
}

/// Codes that several items begin with, duplicates and children of an item of the same code left aside.
fn duplicate_codes(evidence: &Evidence<'_>) -> Vec<Value> {
    let code = |record: Record<'_>| leading_code(record.title()).map(str::to_owned);
    let mut codes: BTreeMap<String, Vec<Record<'_>>> = BTreeMap::new();
    for record in evidence.records.iter() {
        let Some(own) = code(record) else { continue };
        let is_duplicate = record.text(crate::model::records::Text::DuplicateOf).is_some();
        let parent = record.parent().and_then(|id| evidence.rows.find(id));
        let parent = parent.and_then(|row| evidence.records.get(row as usize));
        if !is_duplicate && parent.and_then(code).as_ref() != Some(&own) {
            codes.entry(own).or_default().push(record);
        }
    }
    let row = |(code, records): (String, Vec<Record<'_>>)| {
        let ids: Vec<&str> = records.iter().map(|record| record.id()).collect();
        let titles: Vec<&str> = records.iter().map(|record| record.title()).collect();
        json!({"code": code, "count": ids.len(), "ids": ids, "titles": titles,
            "remediation_hint": format!("{} begin with {code}: rename or merge, so that one code means one item", ids.join(", "))})
    };
    codes.into_iter().filter(|(_, records)| records.len() > 1).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_at_the_beginning() {
        assert_eq!(leading_code("GH-209: x"), Some("GH-209"));
        assert_eq!(leading_code("GH-209 follow-up"), Some("GH-209"));
        assert_eq!(leading_code("A1-7/GH-3"), Some("A1-7"));
        for title in ["gh-209", "GH-", "GH-2x", "209-1", "", "Übung-1", "-1"] {
            assert_eq!(leading_code(title), None, "{title}");
        }
    }
}
