//! The ladder: what follows from the statements about a record on a day, and what a reader makes of it later.

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::policy::{Attribution, Policy};
use super::statement::Statement;
use super::words::{Environment, Level, Outcome, PrincipalKind, ReviewVerdict, Role, StatementKind, Verdict};

/// For how many days a run counts.
pub const DAYS: i64 = 180;

/// A statement with what was found out about it, whatever the day.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// What it says.
    pub statement: Statement,
    /// When, in milliseconds since the epoch.
    pub instant: i64,
    /// The UTC day.
    pub on: Date,
    /// Whether it is about the present content.
    pub current: bool,
    /// What the signature is worth.
    pub verdict: Verdict,
}

impl Weighed {
    /// Whether it may count at all: the signature is good and the content the present one.
    fn counts(&self) -> bool {
        self.current && self.verdict == Verdict::Valid
    }

    /// Whether it would count if its day had come.
    pub fn is_future(&self, as_of: Date) -> bool {
        self.counts() && self.is_positive() && self.on > as_of
    }

    /// Whether it speaks for the record; what speaks against it counts at once, whatever its date.
    fn is_positive(&self) -> bool {
        match self.statement.kind {
            StatementKind::Publish => true,
            StatementKind::Review => self.statement.verdict == Some(ReviewVerdict::Approve),
            StatementKind::Run => self.statement.outcome == Some(Outcome::Success),
            StatementKind::Revoke | StatementKind::Approval => false,
        }
    }

    /// The day from which on a run does not count.
    fn expires_on(&self) -> Option<Date> {
        expires_on(self.on)
    }

    /// As a record shows it: what it says when its signature is good, else what is wrong with the signature.
    pub fn shown(&self, as_of: Date) -> Value {
        let said = match self.statement.kind {
            _ if self.verdict != Verdict::Valid => self.verdict.as_str(),
            StatementKind::Review => self.statement.verdict.map_or("invalid", ReviewVerdict::as_str),
            StatementKind::Run => self.statement.outcome.map_or("invalid", Outcome::as_str),
            _ => self.verdict.as_str(),
        };
        let mut entry = Map::new();
        entry.insert("kind".to_owned(), json!(self.statement.kind));
        entry.insert("verdict".to_owned(), json!(said));
        if let Some(environment) = self.statement.environment {
            entry.insert("environment".to_owned(), json!(environment));
        }
        for (key, text) in [("plan", &self.statement.plan), ("reason", &self.statement.reason)] {
            entry.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
        }
        entry.insert("principal".to_owned(), json!(self.statement.principal));
        entry.insert("on".to_owned(), json!(self.on.to_string()));
        for (key, holds) in [("stale", !self.current), ("future", self.is_future(as_of))] {
            if holds {
                entry.insert(key.to_owned(), json!(true));
            }
        }
        Value::Object(entry)
    }
}

/// What a record's signature is worth, and whose it is when it is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The verdict.
    pub verdict: Verdict,
    /// The principal of a valid one.
    pub principal: Option<String>,
}

/// What follows for a record on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The level.
    pub level: Level,
    /// The day on which the level is T2 again; exactly with those that decay.
    pub expires_on: Option<Date>,
    /// The publisher's signature.
    pub signature: Signature,
    /// Whether a run was good enough once, and its time is over.
    pub expired: bool,
}

/// The level of a record on a day, by its statements.
///
/// `committed` is false for what was built from an uncommitted work tree.
pub fn conclude(
    publisher: &str,
    committed: bool,
    evidence: &[Weighed],
    policy: &Policy,
    as_of: Date,
) -> Conclusion {
    let signature = signature(publisher, evidence, as_of);
    let at =
        |level, expires_on, expired| Conclusion { level, expires_on, signature: signature.clone(), expired };
    let counting: Vec<&Weighed> = evidence.iter().filter(|one| one.counts()).collect();
    let revoked = counting.iter().any(|one| {
        one.statement.kind == StatementKind::Revoke && policy.has(&one.statement.principal, Role::Maintainer)
    });
    let attributed = match (policy.attribution, signature.verdict) {
        (_, Verdict::Valid) => true,
        (attribution, Verdict::Absent) => attribution == Attribution::Named,
        _ => false,
    };
    if !committed || revoked || !attributed || policy.kind(publisher).is_none() {
        return at(Level::T0, None, false);
    }
    if !is_reviewed(publisher, &counting, policy, as_of) {
        return at(Level::T1, None, false);
    }
    let (runs, expired) = runs(&counting, as_of);
    let attested = |one: &&&Weighed| policy.has(&one.statement.principal, Role::Attester);
    let proven = runs.iter().filter(attested).filter(|one| {
        one.statement.environment == Some(Environment::Production) && one.statement.principal != publisher
    });
    if let Some(day) = proven.filter_map(|one| one.expires_on()).max() {
        return at(Level::T4, Some(day), false);
    }
    match runs.iter().filter(attested).filter_map(|one| one.expires_on()).max() {
        Some(day) => at(Level::T3, Some(day), false),
        None => at(Level::T2, None, expired.iter().any(|one| attested(&one))),
    }
}

/// The publisher's signature: a valid one if there is any, else the newest. One whose day has not come is none yet.
fn signature(publisher: &str, evidence: &[Weighed], as_of: Date) -> Signature {
    let published = evidence
        .iter()
        .filter(|one| one.statement.kind == StatementKind::Publish && one.current && !one.is_future(as_of));
    let verdict = |one: &Weighed| match one.verdict {
        Verdict::Valid if one.statement.principal != publisher => Verdict::WrongPrincipal,
        other => other,
    };
    let best = published.max_by_key(|one| (verdict(one) == Verdict::Valid, one.instant));
    let verdict = best.map_or(Verdict::Absent, verdict);
    let principal = (verdict == Verdict::Valid).then(|| publisher.to_owned());
    Signature { verdict, principal }
}

/// Whether a person other than the publisher approved, and nobody rejected later.
fn is_reviewed(publisher: &str, counting: &[&Weighed], policy: &Policy, as_of: Date) -> bool {
    let reviews = |wanted: ReviewVerdict| {
        counting.iter().filter(move |one| {
            let who = &one.statement.principal;
            one.statement.kind == StatementKind::Review
                && one.statement.verdict == Some(wanted)
                && policy.kind(who) == Some(PrincipalKind::Human)
                && policy.has(who, Role::Reviewer)
                && who != publisher
        })
    };
    let approved = reviews(ReviewVerdict::Approve).filter(|one| one.on <= as_of).map(|one| one.instant).max();
    let rejected = reviews(ReviewVerdict::Reject).map(|one| one.instant).max();
    approved.is_some_and(|approved| rejected.is_none_or(|rejected| rejected <= approved))
}

/// The runs that succeeded and stand: those that count on the day, and those whose time is over.
///
/// A failure cancels the earlier successes of its own environment, a failure in production all of them.
fn runs<'w>(counting: &[&'w Weighed], as_of: Date) -> (Vec<&'w Weighed>, Vec<&'w Weighed>) {
    let of = |wanted: Outcome| {
        counting.iter().copied().filter(move |one| {
            one.statement.kind == StatementKind::Run && one.statement.outcome == Some(wanted)
        })
    };
    let failures: Vec<&Weighed> = of(Outcome::Failure).collect();
    let stands = |run: &&Weighed| {
        !failures.iter().any(|failure| {
            let environment = failure.statement.environment;
            failure.instant > run.instant
                && (environment == Some(Environment::Production) || environment == run.statement.environment)
        })
    };
    let begun = of(Outcome::Success).filter(stands).filter(|run| run.on <= as_of);
    begun.partition(|run| run.expires_on().is_some_and(|end| as_of < end))
}

/// The day from which on a run of this day does not count.
pub fn expires_on(on: Date) -> Option<Date> {
    on.checked_add(DAYS.days()).ok()
}

/// The level that a reader must go by: one that decays is T2 from its day on, and when it states no day.
pub fn effective_trust(level: Level, expires_on: Option<Date>, today: Date) -> Level {
    if level.decays() && expires_on.is_none_or(|day| today >= day) { Level::FLOOR } else { level }
}

#[cfg(test)]
mod tests;
