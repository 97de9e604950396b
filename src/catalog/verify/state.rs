//! The status: its counts are those of the records, and its majors those that are served.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Look, Records, day, list, text};
use crate::catalog::artifacts::STATUS;
use crate::catalog::settings;
use crate::catalog::status::SOON;
use crate::catalog::words::{Level, Profile, Risk};

/// Holds the status to the records and to the folder.
pub(super) fn check(look: &mut Look<'_>, records: &Records) {
    let Some(status) = look.document(STATUS, "status") else { return };
    let Some(as_of) = look.as_of else {
        return look.fault(STATUS, "status", format!("`as_of` is {}, which is no day", status["as_of"]));
    };
    let index = look.edition.json("/v1/search-index.json").unwrap_or(Value::Null);
    let said = [
        ("records.total", json!(records.len())),
        ("records.by_trust", counts(records, "trust", Level::WORDS)),
        ("records.by_risk", counts(records, "risk", Risk::WORDS)),
        ("records.by_profile", counts(records, "profile", Profile::WORDS)),
        ("evidence", statements(records)),
        ("ages", ages(records, as_of)),
        ("expiring", expiring(records, as_of)),
        ("search", index["size"].clone()),
    ];
    for (place, wanted) in said {
        let stated = status.pointer(&format!("/{}", place.replace('.', "/"))).unwrap_or(&Value::Null);
        if !says(stated, &wanted) {
            look.fault(STATUS, "status", format!("`{place}` is {stated}, and by the files it is {wanted}"));
        }
    }
    for id in list(&status, "expired_to_t2").iter().filter_map(Value::as_str) {
        if records.get(id).is_none_or(|record| text(record, "trust") != Level::FLOOR.as_str()) {
            look.fault(STATUS, "status", format!("`expired_to_t2` names {id}, which is no record at T2"));
        }
    }
    if status["dirty"] == true && records.values().any(|record| text(record, "trust") != Level::T0.as_str()) {
        look.fault(STATUS, "status", "it is of changes that no commit has, so every record can only be T0");
    }
    majors(look, &status, as_of);
}

/// Whether a status says what follows from the files; what a later version adds is passed over.
fn says(stated: &Value, wanted: &Value) -> bool {
    match (stated, wanted) {
        (Value::Object(stated), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| stated.get(key).is_some_and(|stated| says(stated, value)))
        }
        (Value::Array(stated), Value::Array(wanted)) => {
            stated.len() == wanted.len()
                && stated.iter().zip(wanted).all(|(stated, wanted)| says(stated, wanted))
        }
        _ => stated == wanted,
    }
}

fn counts(records: &Records, key: &str, words: &[&str]) -> Value {
    let of = |word: &str| records.values().filter(|record| text(record, key) == word).count();
    words.iter().map(|word| ((*word).to_owned(), json!(of(word)))).collect::<serde_json::Map<_, _>>().into()
}

fn shown(records: &Records) -> impl Iterator<Item = &Value> {
    records.values().flat_map(|record| list(record, "trust_evidence"))
}

/// Whether the signature of a statement is good: then it says something else than what is wrong with it.
fn is_signed(one: &Value) -> bool {
    !matches!(text(one, "verdict"), "invalid" | "unknown_key" | "revoked_key" | "wrong_principal" | "absent")
}

fn statements(records: &Records) -> Value {
    let mut counts: BTreeMap<&str, u64> =
        ["valid", "invalid", "stale", "future", "unknown_key"].into_iter().map(|key| (key, 0)).collect();
    for one in shown(records) {
        let key = match () {
            () if one["stale"] == true => "stale",
            () if one["future"] == true => "future",
            () if is_signed(one) => "valid",
            () if text(one, "verdict") == "unknown_key" => "unknown_key",
            () => "invalid",
        };
        counts.entry(key).and_modify(|count| *count += 1);
    }
    json!(counts)
}

fn ages(records: &Records, as_of: Date) -> Value {
    let mut days: Vec<i32> = shown(records)
        .filter(|one| one["stale"] != true && is_signed(one) && text(one, "kind") != "revoke")
        .filter_map(|one| day(&one["on"]))
        .filter(|on| *on <= as_of)
        .map(|on| (as_of - on).get_days())
        .collect();
    days.sort_unstable();
    json!({
        "oldest_attestation_days": days.last(),
        "newest_attestation_days": days.first(),
        "median": days.get(days.len().saturating_sub(1) / 2),
    })
}

/// The records whose level ends soon, soonest first.
fn expiring(records: &Records, as_of: Date) -> Value {
    let mut all: Vec<(Date, &str, &str)> = records
        .iter()
        .filter_map(|(id, record)| {
            Some((day(&record["trust_expires_on"])?, id.as_str(), text(record, "trust")))
        })
        .filter(|(end, ..)| i64::from((*end - as_of).get_days()) <= SOON)
        .collect();
    all.sort_unstable();
    all.iter()
        .map(|(end, id, level)| json!({"id": id, "level": level, "expires_on": end.to_string()}))
        .collect()
}

/// The majors that the status tells of: the served ones are there and no others, and each is served long enough.
fn majors(look: &mut Look<'_>, status: &Value, as_of: Date) {
    let all = list(status, "majors");
    let number = |one: &Value| one["major"].as_u64().and_then(|major| u32::try_from(major).ok());
    let is_served = |one: &&Value| matches!(text(one, "status"), "current" | "supported");
    let served: Vec<u32> = all.iter().filter(is_served).filter_map(number).collect();
    let there: Vec<u32> = look.edition.folder().editions().map(|edition| edition.major()).collect();
    if served != there {
        look.fault(
            STATUS,
            "majors",
            format!("it says that the majors {served:?} are served, and the folder has {there:?}"),
        );
    }
    let newest = all.iter().rfind(is_served);
    if newest.is_some_and(|one| text(one, "status") != "current") {
        look.fault(STATUS, "majors", "the newest major that is served is not called the current one");
    }
    for pair in all.windows(2) {
        let end = day(&pair[0]["supported_until"]);
        let least = day(&pair[1]["released_on"]).map(settings::least_end);
        if let (Some(end), Some(least)) = (end, least)
            && end < least
        {
            let (major, next) = (&pair[0]["major"], &pair[1]["major"]);
            look.fault(
                STATUS,
                "majors",
                format!("major {major} is served until {end}, less than 12 months after major {next} came"),
            );
        }
    }
    for one in all {
        let end = day(&one["supported_until"]);
        if is_served(&one) && end.is_some_and(|end| end <= as_of) {
            look.fault(
                STATUS,
                "majors",
                format!("major {} is served, and its last day has gone", one["major"]),
            );
        }
        if text(one, "status") == "ended" && end.is_none_or(|end| end > as_of) {
            look.fault(STATUS, "majors", format!("major {} has ended before its last day", one["major"]));
        }
    }
}
