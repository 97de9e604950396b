//! The level of a record against the statements that it shows. A reader has no policy, so it cannot say who is a
//! reviewer; what the statements cannot bear whoever made them, it can.

use jiff::civil::Date;
use serde_json::Value;

use super::{Look, day, list, text};
use crate::catalog::trust;
use crate::catalog::words::Level;

/// Holds the level, the expiry and the signature of a record to its statements.
pub(super) fn check(look: &mut Look<'_>, path: &str, record: &Value) {
    let evidence = list(record, "trust_evidence");
    days(look, path, evidence);
    signature(look, path, record);
    let Some(level) = Level::named(text(record, "trust")) else { return };
    let publisher = text(record, "publisher");
    let reviewed = evidence.iter().filter(|one| counts(one)).any(|one| {
        text(one, "kind") == "review"
            && text(one, "verdict") == "approve"
            && text(one, "principal") != publisher
    });
    if level >= Level::FLOOR && !reviewed {
        look.fault(
            path,
            "evidence",
            format!("it is {level}, and nobody but its publisher approved of this content"),
        );
    }
    if level.decays() {
        expiry(look, path, record, level);
    }
}

/// Whether a statement may count: it is about this content, and its day has come.
fn counts(one: &Value) -> bool {
    one["stale"] != true && one["future"] != true
}

fn is_positive(one: &Value) -> bool {
    matches!(
        (text(one, "kind"), text(one, "verdict")),
        ("publish", "valid") | ("review", "approve") | ("run", "success")
    )
}

/// Statements stand in the order of their days; what speaks for a record on a day to come is marked.
fn days(look: &mut Look<'_>, path: &str, evidence: &[Value]) {
    let days: Vec<Option<Date>> = evidence.iter().map(|one| day(&one["on"])).collect();
    if days.iter().any(Option::is_none) {
        return look.fault(path, "evidence", "a statement has no day");
    }
    if !days.is_sorted() {
        look.fault(path, "evidence", "its statements are not in the order of their days");
    }
    let Some(as_of) = look.as_of else { return };
    for (one, on) in evidence.iter().zip(days) {
        let waits = one["stale"] != true && is_positive(one) && on.is_some_and(|on| on > as_of);
        if waits != (one["future"] == true) {
            let (kind, on) = (text(one, "kind"), text(one, "on"));
            let mark = if waits { "is not marked as of the future" } else { "is marked as of the future" };
            look.fault(path, "evidence", format!("the {kind} of {on} {mark}, and the catalog is of {as_of}"));
        }
    }
}

/// The verdict about the publisher's signature is that of a publish statement, and no level stands on a bad one.
fn signature(look: &mut Look<'_>, path: &str, record: &Value) {
    let (verdict, publisher) = (text(&record["signature"], "verdict"), text(record, "publisher"));
    let published: Vec<&Value> = list(record, "trust_evidence")
        .iter()
        .filter(|one| text(one, "kind") == "publish" && counts(one))
        .collect();
    let good = |one: &&&Value| text(one, "verdict") == "valid" && text(one, "principal") == publisher;
    let is_good = published.iter().any(|one| good(&one));
    if is_good != (verdict == "valid") || published.is_empty() != (verdict == "absent") {
        look.fault(
            path,
            "evidence",
            format!("`signature` is {verdict}, and its publish statements say otherwise"),
        );
    }
    if verdict == "valid" && text(&record["signature"], "principal") != publisher {
        look.fault(path, "evidence", "`signature` is valid, and of another principal than the publisher");
    }
    if !matches!(verdict, "valid" | "absent") && text(record, "trust") != Level::T0.as_str() {
        let level = text(record, "trust");
        look.fault(
            path,
            "evidence",
            format!("it is {level}, and its signature is {verdict}: it can only be T0"),
        );
    }
}

/// The expiry is the 180th day after a run that bears the level, and has not come on the day of the build.
fn expiry(look: &mut Look<'_>, path: &str, record: &Value, level: Level) {
    let (stated, publisher) = (text(record, "trust_expires_on"), text(record, "publisher"));
    let Some(expires_on) = day(&record["trust_expires_on"]) else { return };
    let evidence = list(record, "trust_evidence");
    let runs = |verdict: &'static str| {
        evidence
            .iter()
            .filter(move |one| text(one, "kind") == "run" && text(one, "verdict") == verdict && counts(one))
    };
    let cancelled = |run: &Value| {
        runs("failure").any(|failure| {
            let place = text(failure, "environment");
            text(failure, "on") > text(run, "on")
                && (place == "production" || place == text(run, "environment"))
        })
    };
    let bears = |run: &&Value| {
        let proves = text(run, "environment") == "production" && text(run, "principal") != publisher;
        (level != Level::T4 || proves) && !cancelled(run)
    };
    let ends: Vec<Date> =
        runs("success").filter(bears).filter_map(|run| trust::expires_on(day(&run["on"])?)).collect();
    if !ends.contains(&expires_on) {
        let message = format!(
            "`trust_expires_on` is {stated}, and no run that bears {level} ends there: a run counts for {} days",
            trust::DAYS
        );
        look.fault(path, "expiry", message);
    }
    if look.as_of.is_some_and(|as_of| expires_on <= as_of) {
        look.fault(
            path,
            "expiry",
            format!("it is {level} until {stated}, which had come on the day of the build"),
        );
    }
}
