use proptest::prelude::*;

use super::super::statement::{self, Subject};
use super::super::words::SchemaVersion;
use super::*;
use crate::model::timestamp;

fn policy() -> Policy {
    Policy::read(
        "principals:\n  ops:\n    kind: human\n    roles[1]: attester\n  dana:\n    kind: human\n    roles[1]: reviewer\n  rui:\n    kind: human\n    roles[2]: reviewer,maintainer\n  ci:\n    kind: service\n    roles[1]: attester\n  bot:\n    kind: agent\n    roles[1]: reviewer\n",
    )
    .unwrap()
}

fn statement(kind: StatementKind, who: &str, at: &str) -> Weighed {
    let instant = timestamp::parse(at).unwrap();
    let subject = Subject { id: "rb_6cqhnwwnvxe79x6f".into(), content_hash: "sha256:0".into() };
    let statement = Statement {
        schema_version: SchemaVersion::V1,
        kind,
        subject,
        principal: who.to_owned(),
        at: at.to_owned(),
        verdict: None,
        outcome: None,
        environment: None,
        plan: None,
        reason: None,
        steps: None,
    };
    Weighed {
        statement,
        instant,
        on: statement::day(instant).unwrap(),
        current: true,
        verdict: Verdict::Valid,
    }
}

fn review(who: &str, at: &str, verdict: ReviewVerdict) -> Weighed {
    let mut one = statement(StatementKind::Review, who, at);
    one.statement.verdict = Some(verdict);
    one
}

fn run(who: &str, at: &str, environment: Environment, outcome: Outcome) -> Weighed {
    let mut one = statement(StatementKind::Run, who, at);
    (one.statement.environment, one.statement.outcome) = (Some(environment), Some(outcome));
    one
}

fn approved() -> Weighed {
    review("dana", "2026-01-01T00:00:00Z", ReviewVerdict::Approve)
}

fn on(day: &str, evidence: &[Weighed]) -> (Level, Option<String>) {
    let all = conclude("ops", true, evidence, &policy(), day.parse().unwrap());
    (all.level, all.expires_on.map(|day| day.to_string()))
}

fn t(level: Level, day: &str) -> (Level, Option<String>) {
    (level, Some(day.to_owned()))
}

#[test]
fn days_of_the_contract() {
    use Environment::Staging;
    for (at, day, expires) in [
        ("2026-06-01T23:59:59Z", "2026-06-10", "2026-11-28"),
        ("2026-06-01T23:30:00-05:00", "2026-06-10", "2026-11-29"),
        ("2026-01-01T00:00:00Z", "2026-06-10", "2026-06-30"),
        ("2027-09-04T12:00:00Z", "2028-03-01", "2028-03-02"),
        ("2028-02-29T00:00:00Z", "2028-03-01", "2028-08-27"),
    ] {
        let evidence = [approved(), run("ci", at, Staging, Outcome::Success)];
        assert_eq!(on(day, &evidence), t(Level::T3, expires), "{at}");
        assert_eq!(on(expires, &evidence), (Level::T2, None), "{at}");
    }
}

#[test]
fn the_worked_example() {
    use Environment::{Production, Staging};
    let evidence = [
        approved(),
        run("ci", "2026-03-01T00:00:00Z", Production, Outcome::Success),
        run("ci", "2026-06-01T00:00:00Z", Staging, Outcome::Success),
    ];
    assert_eq!(on("2026-08-27", &evidence), t(Level::T4, "2026-08-28"));
    assert_eq!(on("2026-08-28", &evidence), t(Level::T3, "2026-11-28"));
    assert_eq!(on("2026-11-28", &evidence), (Level::T2, None));
    let day = |text: &str| text.parse::<Date>().unwrap();
    assert_eq!(effective_trust(Level::T4, Some(day("2026-08-28")), day("2026-08-28")), Level::T2);
    assert_eq!(effective_trust(Level::T4, Some(day("2026-08-28")), day("2026-08-27")), Level::T4);
    assert_eq!(effective_trust(Level::T3, None, day("2026-08-27")), Level::T2);
    assert_eq!(effective_trust(Level::T1, None, day("2026-08-27")), Level::T1);
}

#[test]
fn who_may_lift_a_record() {
    use Environment::{Production, Staging};
    let level = |evidence: &[Weighed]| on("2026-06-10", evidence).0;
    assert_eq!(level(&[]), Level::T1);
    let approve = |who| review(who, "2026-02-01T00:00:00Z", ReviewVerdict::Approve);
    for (who, want) in [("ops", Level::T1), ("bot", Level::T1), ("ci", Level::T1), ("dana", Level::T2)] {
        assert_eq!(level(&[approve(who)]), want, "{who}");
    }
    // Unreviewed runs lift nothing, whoever tells of them.
    let good = run("ci", "2026-05-01T00:00:00Z", Production, Outcome::Success);
    assert_eq!(level(std::slice::from_ref(&good)), Level::T1);
    assert_eq!(level(&[approved(), good.clone()]), Level::T4);
    // The publisher proves nothing, but may tell of an exercise when it has the role.
    let own = run("ops", "2026-05-01T00:00:00Z", Production, Outcome::Success);
    assert_eq!(level(&[approved(), own]), Level::T3);
    assert_eq!(
        level(&[approved(), run("dana", "2026-05-01T00:00:00Z", Staging, Outcome::Success)]),
        Level::T2
    );
    // Nothing counts that is stale, or not validly signed.
    let (mut stale, mut unsigned) = (approved(), approved());
    (stale.current, unsigned.verdict) = (false, Verdict::UnknownKey);
    assert_eq!(level(&[stale, unsigned]), Level::T1);
}

#[test]
fn what_speaks_against_a_record_counts_at_once() {
    use Environment::{Production, Rehearsal, Staging};
    let level = |evidence: &[Weighed]| on("2026-06-10", evidence).0;
    let reject = review("rui", "2027-01-01T00:00:00Z", ReviewVerdict::Reject);
    assert_eq!(level(&[approved(), reject]), Level::T1);
    let revoke = |who| statement(StatementKind::Revoke, who, "2027-01-01T00:00:00Z");
    assert_eq!(level(&[approved(), revoke("rui")]), Level::T0);
    assert_eq!(level(&[approved(), revoke("ci")]), Level::T2);
    let good = run("ci", "2026-05-01T00:00:00Z", Staging, Outcome::Success);
    let bad = |environment, at| run("ci", at, environment, Outcome::Failure);
    assert_eq!(level(&[approved(), good.clone(), bad(Staging, "2026-12-01T00:00:00Z")]), Level::T2);
    assert_eq!(level(&[approved(), good.clone(), bad(Production, "2026-05-02T00:00:00Z")]), Level::T2);
    assert_eq!(level(&[approved(), good.clone(), bad(Rehearsal, "2026-05-02T00:00:00Z")]), Level::T3);
    assert_eq!(level(&[approved(), good.clone(), bad(Staging, "2026-04-30T00:00:00Z")]), Level::T3);
    // What speaks for it waits for its day.
    assert_eq!(level(&[approved(), run("ci", "2026-06-11T00:00:00Z", Staging, Outcome::Success)]), Level::T2);
    assert!(
        conclude("ops", false, &[approved(), good], &policy(), "2026-06-10".parse().unwrap()).level
            == Level::T0
    );
}

#[test]
fn signatures_of_publishers() {
    let mut signed = policy();
    signed.attribution = Attribution::Signed;
    let day = "2026-06-10".parse().unwrap();
    let publish = |who: &str, verdict| {
        let mut one = statement(StatementKind::Publish, who, "2026-05-01T00:00:00Z");
        one.verdict = verdict;
        one
    };
    let of = |policy: &Policy, evidence: &[Weighed]| {
        let all = conclude("ops", true, evidence, policy, day);
        (all.level, all.signature.verdict, all.signature.principal)
    };
    let (t0, t1) = (Level::T0, Level::T1);
    assert_eq!(of(&signed, &[]), (t0, Verdict::Absent, None));
    assert_eq!(of(&policy(), &[]), (t1, Verdict::Absent, None));
    let good = publish("ops", Verdict::Valid);
    assert_eq!(of(&signed, std::slice::from_ref(&good)), (t1, Verdict::Valid, Some("ops".to_owned())));
    for verdict in [Verdict::Invalid, Verdict::UnknownKey, Verdict::RevokedKey, Verdict::WrongPrincipal] {
        assert_eq!(of(&policy(), &[publish("ops", verdict)]), (t0, verdict, None));
        assert_eq!(of(&signed, &[publish("ops", verdict), good.clone()]).1, Verdict::Valid);
    }
    assert_eq!(of(&signed, &[publish("dana", Verdict::Valid)]), (t0, Verdict::WrongPrincipal, None));
}

prop_compose! {
    fn any_statement()(kind in 0..8, who in 0..5usize, day in 0i64..700, hour in 0i64..24, place in 0..3usize, odd in 0..12)
        -> Weighed {
        let who = ["ops", "dana", "rui", "ci", "bot"][who];
        let start = timestamp::parse("2026-01-01").unwrap();
        let at = timestamp::format(start + (day * 24 + hour) * 3_600_000);
        let environment = Environment::ALL[place];
        let mut one = match kind {
            0 => statement(StatementKind::Publish, "ops", &at),
            1 | 2 => review(who, &at, ReviewVerdict::Approve),
            3 => review(who, &at, ReviewVerdict::Reject),
            4 => run(who, &at, environment, Outcome::Failure),
            5 if odd == 0 => statement(StatementKind::Revoke, who, &at),
            _ => run(who, &at, environment, Outcome::Success),
        };
        one.current = odd != 1;
        if odd == 2 {
            one.verdict = Verdict::UnknownKey;
        }
        one
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// B-11: what a reader derives from an old file is never above what a build on that day says.
    #[test]
    fn readers_are_never_above_a_rebuild(
        mut evidence in prop::collection::vec(any_statement(), 0..8), reviewed in any::<bool>(), built in 0i64..900, later in 0i64..400,
    ) {
        if reviewed {
            evidence.push(approved());
        }
        let start: Date = "2025-12-01".parse().unwrap();
        let day = |n: i64| start.checked_add(n.days()).unwrap();
        let (then, today) = (day(built), day(built + later));
        let old = conclude("ops", true, &evidence, &policy(), then);
        prop_assert_eq!(old.level.decays(), old.expires_on.is_some());
        prop_assert!(old.expires_on.is_none_or(|end| then < end));
        let new = conclude("ops", true, &evidence, &policy(), today);
        prop_assert!(effective_trust(old.level, old.expires_on, today) <= new.level, "{:?} then {:?}", old, new);
    }
}
