//! A person's approval of steps: a signed statement, weighed for one record and one agent.

use serde_json::Value;

use super::policy::TrustRoot;
use super::signature::{Keyring, Signed};
use super::statement::{self, Statement};
use super::words::{PrincipalKind, StatementKind, Verdict};
use crate::error::Code;

/// An approval as it came: its name for messages, its bytes, its signature.
#[derive(Clone, Debug)]
pub struct Approval {
    /// What a message calls it: the path of its file.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// The file of the signature, where there is one.
    pub signature: Option<String>,
}

/// Why an approval does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The code of the refusal.
    pub code: Code,
    /// What is wrong, in words.
    pub problem: String,
    /// Who approved, as far as that can be read.
    pub approver: Option<String>,
}

/// An approval that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approved {
    /// The person.
    pub approver: String,
    /// The steps.
    pub steps: Vec<String>,
}

/// What an approval has to be about.
#[derive(Clone, Copy, Debug)]
pub struct Case<'c> {
    /// The record.
    pub id: &'c str,
    /// Its content.
    pub content_hash: &'c str,
    /// Who will run it; nobody approves of himself.
    pub agent: Option<&'c str>,
    /// The instant of the call, in milliseconds: an approval of the future is none yet.
    pub now: i64,
}

impl Approval {
    /// Weighs it.
    ///
    /// Errors: the objection, the signature before all else: what is not signed says nothing about anybody.
    pub fn weigh(&self, case: Case<'_>, root: &TrustRoot, keyring: &Keyring) -> Result<Approved, Objection> {
        let value: Value = serde_json::from_slice(&self.bytes)
            .map_err(|_| objection(Code::ApprovalInvalid, "is no JSON", None))?;
        let read: Statement = serde_json::from_value(value.clone())
            .map_err(|error| objection(Code::ApprovalInvalid, &format!("is no statement: {error}"), None))?;
        let by = Some(read.principal.as_str());
        let refused = |code, problem: &str| Err(objection(code, problem, by));
        let (StatementKind::Approval, Some(at), Some(steps)) = (read.kind, read.instant(), &read.steps)
        else {
            return refused(Code::ApprovalInvalid, "is no approval of steps with an instant");
        };
        let message = statement::canonical_bytes(&value);
        let signed = Signed {
            message: &message,
            signature: self.signature.as_deref(),
            namespace: StatementKind::Approval.namespace(),
            principal: &read.principal,
            at,
        };
        match keyring.verdict(&signed) {
            Verdict::Valid => {}
            verdict => {
                return refused(Code::ApprovalInvalid, &format!("has a signature that is {verdict}"));
            }
        }
        if at > case.now {
            return refused(Code::ApprovalInvalid, "is dated in the future");
        }
        if read.subject.id != case.id {
            return refused(Code::ApprovalInvalid, &format!("is about another record, {}", read.subject.id));
        }
        if case.agent.is_some_and(|agent| is_same(agent, &read.principal)) {
            return refused(Code::ApprovalBySelf, "is by the agent that is to run the record");
        }
        match root.policy.kind(&read.principal) {
            Some(PrincipalKind::Human) => {}
            kind => {
                let what = kind.map_or("nobody that the policy names", PrincipalKind::as_str);
                return refused(Code::ApprovalNotHuman, &format!("is by {what}, and a person must approve"));
            }
        }
        if read.subject.content_hash != case.content_hash {
            return refused(Code::ApprovalStale, "is of other content than the record has now");
        }
        Ok(Approved { approver: read.principal.clone(), steps: steps.clone() })
    }
}

/// Whether two names are of one principal. Names are told apart by their letters only: whoever writes its own name with
/// other capitals does not become another one.
fn is_same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

fn objection(code: Code, problem: &str, approver: Option<&str>) -> Objection {
    Objection { code, problem: problem.to_owned(), approver: approver.map(str::to_owned) }
}
