//! One record with its evidence, judged: what is wrong with it, what it is, what its statements are worth. Nothing of
//! it depends on the day, so it is kept by the ids of its files.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::authored::Authored;
use super::document;
use super::finding::Finding;
use super::identity;
use super::lint;
use super::policy::Policy;
use super::settings::Settings;
use super::signature::{Keyring, Signed};
use super::source::{EVIDENCE, Folder};
use super::statement::{self, Statement};
use super::trust::Weighed;
use super::validator;
use super::words::{Profile, Risk, Verdict};

/// The fields that the catalog assigns.
const ASSIGNED: [&str; 8] =
    ["id", "content_hash", "risk", "trust", "trust_expires_on", "trust_evidence", "signature", "untrusted"];

/// What is known of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Its id.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// Its earlier slugs.
    pub former_slugs: Vec<String>,
    /// What it is.
    pub profile: Profile,
    /// The highest risk of its steps.
    pub risk: Risk,
    /// What it is a variant of.
    pub topic: Option<String>,
    /// Who stands by it.
    pub publisher: String,
    /// The hash of its content.
    pub content_hash: String,
    /// Its statements, oldest first.
    pub evidence: Vec<Held>,
    /// What stops nothing.
    pub notes: Vec<Finding>,
}

/// A statement with what was found out about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// What it says.
    pub statement: Statement,
    /// Whether it is about the present content.
    pub current: bool,
    /// What its signature is worth.
    pub verdict: Verdict,
}

impl Facts {
    /// The statements as the ladder weighs them.
    pub fn weighed(&self) -> Vec<Weighed> {
        let weigh = |held: &Held| {
            let instant = held.statement.instant()?;
            let (statement, current, verdict) = (held.statement.clone(), held.current, held.verdict);
            Some(Weighed { statement, instant, on: statement::day(instant)?, current, verdict })
        };
        self.evidence.iter().filter_map(weigh).collect()
    }
}

/// What a folder came to.
#[derive(Clone, Debug)]
pub enum Judged {
    /// A record, and its document without editor positions.
    Record(Box<Facts>, Value),
    /// What is wrong, errors and warnings.
    Refused(Vec<Finding>),
}

/// What everything is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'b> {
    /// The settings.
    pub settings: &'b Settings,
    /// Who may say what.
    pub policy: &'b Policy,
    /// Whose keys count.
    pub keyring: &'b Keyring,
}

/// Judges a folder; `bytes` has its files by path, without those that cannot be read.
pub fn judge(folder: &Folder<'_>, bytes: &HashMap<&str, &[u8]>, bench: Bench<'_>) -> Judged {
    let path = |below: &str| format!("{}/{below}", bench.settings.source);
    let file = match folder.records.as_slice() {
        [one] => *one,
        [] => {
            let message = format!("there is no record: none of {}", document::RECORD_FILES.join(", "));
            return Judged::Refused(vec![Finding::error(&path(folder.name), "record", message)]);
        }
        several => {
            let names: Vec<&str> = several.iter().filter_map(|file| file.path.rsplit('/').next()).collect();
            let message =
                format!("there are {} records, and one must stand: {}", several.len(), names.join(", "));
            return Judged::Refused(vec![Finding::error(&path(folder.name), "record", message)]);
        }
    };
    let place = path(&file.path);
    let read = match bytes.get(file.path.as_str()) {
        Some(bytes) => document::read(&file.path, bytes),
        None if file.link => Err("it is a link".to_owned()),
        None => Err(format!("it has {} bytes, more than {}", file.size, document::MAX_BYTES)),
    };
    let document = match read {
        Ok(document) => document,
        Err(problem) => return Judged::Refused(vec![Finding::error(&place, "unreadable", problem)]),
    };
    let mut findings: Vec<Finding> =
        validator::authored(&document).iter().map(|fault| told(&place, fault)).collect();
    if !findings.is_empty() {
        return Judged::Refused(findings);
    }
    let record: Authored = match serde_json::from_value(document.clone()) {
        Ok(record) => record,
        Err(error) => return Judged::Refused(vec![Finding::error(&place, "schema", error.to_string())]),
    };
    if record.slug != folder.name {
        let message = format!("`slug` is `{}`, and the folder is called `{}`", record.slug, folder.name);
        findings.push(Finding::error(&place, "slug", message));
    }
    findings.extend(lint::record(&record, &place, bench.settings));
    if bench.policy.kind(&record.publisher).is_none() {
        let message =
            format!("the policy does not know the publisher `{}`: the record stays at T0", record.publisher);
        findings.push(Finding::warning(&place, "publisher", message));
    }
    let document = identity::without_layout(&document);
    let id = identity::id(record.oldest_slug());
    let content_hash = identity::content_hash(&document);
    let subject = statement::Subject { id, content_hash };
    let evidence = self::evidence(folder, bytes, bench, &subject, &mut findings);
    if findings.iter().any(Finding::is_error) {
        return Judged::Refused(findings);
    }
    let risk = record.risk();
    let facts = Facts {
        id: subject.id,
        slug: record.slug,
        former_slugs: record.former_slugs,
        profile: record.profile,
        risk,
        topic: record.topic,
        publisher: record.publisher,
        content_hash: subject.content_hash,
        evidence,
        notes: findings,
    };
    Judged::Record(Box::new(facts), document)
}

/// A fault of the schema, in words that say why where the contract has a reason.
fn told(path: &str, fault: &validator::Fault) -> Finding {
    let field = fault.at.rsplit('.').next().unwrap_or_default();
    let assigned = fault.problem == "is not allowed here" && ASSIGNED.contains(&field);
    if assigned {
        let message = format!("`{}` is assigned by the catalog, never written by an author", fault.at);
        return Finding::error(path, "assigned", message);
    }
    Finding::error(path, "schema", fault.to_string())
}

/// The statements about a record, oldest first.
fn evidence(
    folder: &Folder<'_>,
    bytes: &HashMap<&str, &[u8]>,
    bench: Bench<'_>,
    subject: &statement::Subject,
    findings: &mut Vec<Finding>,
) -> Vec<Held> {
    let mut found: Vec<(i64, &str, Held)> = Vec::new();
    let is_there = |path: &str| folder.evidence.iter().any(|file| file.path == path);
    for file in &folder.evidence {
        let place = format!("{}/{}", bench.settings.source, file.path);
        if let Some(signed) = file.path.strip_suffix(".sig") {
            if !is_there(signed) {
                findings.push(Finding::warning(&place, "evidence", "it signs a statement that is not there"));
            }
            continue;
        }
        match held(folder.name, &file.path, bytes, bench, subject) {
            Ok((instant, held, warnings)) => {
                findings.extend(warnings.iter().map(|warning| Finding::warning(&place, "evidence", warning)));
                found.extend(held.map(|held| (instant, file.path.as_str(), held)));
            }
            Err(problem) => findings.push(Finding::error(&place, "evidence", problem)),
        }
    }
    found.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    found.into_iter().map(|(.., held)| held).collect()
}

type Weighing = (i64, Option<Held>, Vec<String>);

/// A statement, when it was made, and what to look at.
fn held(
    folder: &str,
    path: &str,
    bytes: &HashMap<&str, &[u8]>,
    bench: Bench<'_>,
    subject: &statement::Subject,
) -> Result<Weighing, String> {
    let raw = bytes.get(path).ok_or("it cannot be read: a link, or too large")?;
    let value = document::read(path, raw)?;
    if let Some(fault) = validator::statement(&value).first() {
        return Err(fault.to_string());
    }
    let statement: Statement = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let instant = statement.instant().ok_or("`at` names no instant")?;
    let on = statement::day(instant).ok_or("`at` names no day")?;
    if !statement.kind.is_evidence() {
        return Ok((instant, None, vec!["an approval is for a run, and no evidence".to_owned()]));
    }
    if statement.subject.id != subject.id {
        return Err(format!(
            "it is about the record {}, and this one is {}; a record that was renamed keeps its id by `former_slugs`",
            statement.subject.id, subject.id
        ));
    }
    let canonical = statement::canonical_bytes(&value);
    let mut warnings = Vec::new();
    if canonical != *raw {
        warnings.push("it is not written as canonical JSON without a line feed".to_owned());
    }
    let name = statement::file_name(statement.kind, on, raw);
    if path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'))
        != Some(&format!("{EVIDENCE}/{name}"))
    {
        warnings.push(format!("by its content it is called {name}"));
    }
    let signature = format!("{path}.sig");
    let signature = bytes.get(signature.as_str()).map(|bytes| String::from_utf8_lossy(bytes));
    let verdict = bench.keyring.verdict(&Signed {
        message: &canonical,
        signature: signature.as_deref(),
        namespace: statement.kind.namespace(),
        principal: &statement.principal,
        at: instant,
    });
    let current = statement.subject.content_hash == subject.content_hash;
    if verdict != Verdict::Valid {
        warnings.push(format!("its signature is {verdict}: it counts for nothing"));
    }
    if !current {
        warnings.push("it is stale: the content has changed since".to_owned());
    }
    if bench.policy.kind(&statement.principal).is_none() {
        warnings.push(format!("the policy does not know `{}`", statement.principal));
    }
    Ok((instant, Some(Held { statement, current, verdict }), warnings))
}
