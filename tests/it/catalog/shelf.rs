//! A repository with a catalog: records, signed statements, a trust root; keys come from the names of principals.

use std::path::PathBuf;

use pm::catalog::signature::sign;
use pm::catalog::statement::{canonical_bytes, file_name};
use pm::catalog::words::StatementKind;
use pm::catalog::{identity, statement};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};

use crate::cases::repository::{commit, git_ok};
use crate::sandbox::{Output, Sandbox};

/// Where records lie.
pub(crate) const SOURCE: &str = ".agents/pm/runbooks";

/// The day on which the catalog is looked at.
pub(crate) const DAY: &str = "2026-11-27";

/// The example of the contract that a runtime can walk, and its id.
pub(crate) const REPLICA: &str = "rb_6cqhnwwnvxe79x6f";

/// The principals: name, kind, roles.
const PRINCIPALS: [(&str, &str, &[&str]); 5] = [
    ("ops@example.org", "human", &[]),
    ("dana@example.org", "human", &["reviewer"]),
    ("rui@example.org", "human", &["reviewer", "maintainer"]),
    ("ci@example.org", "service", &["attester"]),
    ("bot@example.org", "agent", &["reviewer"]),
];

/// A repository with a catalog in it.
pub(crate) struct Shelf {
    pub(crate) sandbox: Sandbox,
}

/// The key of a name; the same for the same name.
fn key(name: &str) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&Sha256::digest(name).into()))
}

/// The private key of a name, as OpenSSH writes it.
pub(crate) fn private(name: &str) -> String {
    key(name).to_openssh(LineEnding::LF).unwrap().to_string()
}

/// A record to read with one step.
pub(crate) fn simple(slug: &str, more: Value) -> Value {
    let mut record = json!({
        "schema_version": "1.0", "profile": "p0", "slug": slug, "title": format!("Handle {}", slug.replace('-', " ")),
        "publisher": "ops@example.org", "execution": "assisted", "capabilities": [], "min_runtime_profile": "R1",
        "steps": [{"id": "one", "title": "First step", "risk": "reversible", "body": {"text": "Do it."}}],
    });
    let own = record.as_object_mut().unwrap();
    own.extend(more.as_object().cloned().unwrap_or_default());
    record
}

/// The example of the contract that a runtime can walk.
pub(crate) fn replica() -> Value {
    let step = |id: &str, title: &str, kind: &str, risk: &str, text: &str, more: Value| {
        let mut step = json!({"id": id, "title": title, "kind": kind, "risk": risk, "body": {"text": text}});
        step.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        step
    };
    let query = |more: Value| {
        let mut all = json!({"capability": "mcp:pg.query"});
        all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        all
    };
    simple(
        "restart-postgres-replica",
        json!({
            "profile": "p1", "title": "Restart a stuck Postgres replica", "topic": "restart-postgres",
            "symptoms": ["replica lag keeps growing", "replication stopped after failover"],
            "targets": ["postgres", "kubernetes"], "tags": ["database"],
            "capabilities": ["mcp:pg.query", "shell:kubectl"],
            "steps": [
                step("check-lag", "Measure replay lag", "check", "read_only", "Run the lag query.", query(json!({"next": ["restart"]}))),
                step("restart", "Restart the pod", "action", "destructive", "kubectl delete pod ${pod}",
                    json!({"capability": "shell:kubectl", "requires_approval": false, "next": ["verify"], "on_fail": "escalate"})),
                step("verify", "Confirm the lag falls", "check", "read_only", "Run it again.", query(json!({}))),
                step("escalate", "Page the database owner", "manual", "reversible", "Page the owner.", json!({})),
            ],
        }),
    )
}

impl Shelf {
    /// A repository with principals and no record.
    pub(crate) fn empty() -> Shelf {
        let mut sandbox = Sandbox::empty();
        sandbox.set("PM_CLOCK", &format!("{DAY}T12:00:00.000Z"));
        git_ok(&sandbox, &["init", "-q", "-b", "main"]);
        sandbox.ok(&["init"]);
        let signers: String = PRINCIPALS
            .iter()
            .map(|(name, ..)| format!("{name} {}\n", key(name).public_key().to_openssh().unwrap()))
            .collect();
        let mut policy = "principals:\n".to_owned();
        for (name, kind, roles) in PRINCIPALS {
            let roles = match roles {
                [] => "roles: []".to_owned(),
                roles => format!("roles[{}]: {}", roles.len(), roles.join(",")),
            };
            policy.push_str(&format!("  \"{name}\":\n    kind: {kind}\n    {roles}\n"));
        }
        sandbox.write(&format!("{SOURCE}/_trust/allowed_signers"), signers);
        sandbox.write(&format!("{SOURCE}/_trust/policy.toon"), policy);
        sandbox.write(".git/info/exclude", "dist/\n");
        Shelf { sandbox }
    }

    /// The example at T3 until 2026-11-28, and a record that nobody reviewed.
    pub(crate) fn with_examples() -> Shelf {
        let shelf = Shelf::empty();
        let record = replica();
        shelf.record(&record);
        shelf.review(&record, "2026-05-20T10:00:00Z");
        let ran = json!({"outcome": "success", "environment": "staging"});
        shelf.attest(&record, "run", "ci@example.org", "2026-06-01T10:00:00Z", ran);
        let steps = json!([{"id": "revoke", "title": "Revoke the old token", "risk": "irreversible", "body": {"text": "Revoke it."}}]);
        shelf.record(&simple(
            "rotate-api-token",
            json!({"execution": "manual", "min_runtime_profile": "R0", "symptoms": ["token leaked"], "steps": steps}),
        ));
        shelf.commit();
        shelf
    }

    /// Writes a record.
    pub(crate) fn record(&self, record: &Value) {
        let slug = record["slug"].as_str().unwrap();
        let text = serde_json::to_string_pretty(record).unwrap();
        self.sandbox.write(&format!("{SOURCE}/{slug}/runbook.json"), text);
    }

    /// A record that a person reviewed, written.
    pub(crate) fn reviewed(&self, record: &Value) {
        self.record(record);
        self.review(record, "2026-05-01T00:00:00Z");
    }

    fn review(&self, record: &Value, at: &str) {
        self.attest(record, "review", "dana@example.org", at, json!({"verdict": "approve"}));
    }

    /// Writes a statement about a record, signed by its principal.
    pub(crate) fn attest(&self, record: &Value, kind: &str, principal: &str, at: &str, more: Value) {
        let said = said(record, kind, principal, at, more);
        let bytes = canonical_bytes(&said);
        let kind = StatementKind::named(kind).unwrap();
        let on = pm::model::timestamp::parse(at).and_then(statement::day).unwrap();
        let path =
            format!("{SOURCE}/{}/evidence/{}", record["slug"].as_str().unwrap(), file_name(kind, on, &bytes));
        self.sandbox.write(&path, &bytes);
        self.sandbox
            .write(&format!("{path}.sig"), sign(&private(principal), kind.namespace(), &bytes).unwrap());
    }

    /// Commits everything.
    pub(crate) fn commit(&self) {
        commit(&self.sandbox);
    }

    /// Builds at the day, which must succeed; where the catalog lies.
    pub(crate) fn build(&self) -> PathBuf {
        self.build_at(DAY)
    }

    /// Builds at another day.
    pub(crate) fn build_at(&self, day: &str) -> PathBuf {
        self.sandbox.ok(&["catalog", "build", "--clock", day]);
        self.dist()
    }

    /// The folder that is built into.
    pub(crate) fn dist(&self) -> PathBuf {
        self.sandbox.path().join("dist/catalog")
    }

    /// Runs `pm catalog ...` with answers as JSON.
    pub(crate) fn catalog(&self, words: &[&str]) -> Output {
        self.sandbox.pm(&[&["catalog"], words, &["--output-format", "json"]].concat())
    }

    /// A search, which must succeed.
    pub(crate) fn found(&self, words: &[&str]) -> Value {
        self.catalog(&[&["search"], words].concat()).expect(0).json()
    }

    /// A search that is refused, with this code and parameter.
    pub(crate) fn refused(&self, words: &[&str], code: &str, parameter: &str) -> Value {
        let output = self.catalog(&[&["search"], words].concat()).expect(2);
        let answer = output.json();
        assert_eq!((&answer["status"], &answer["error_code"]), (&json!("ERROR"), &json!(code)), "{output:?}");
        assert_eq!(answer["parameter"], parameter, "{output:?}");
        assert!(answer.get("hits").is_none(), "{output:?}");
        assert!(answer["error_message"].as_str().unwrap().contains(parameter), "{output:?}");
        answer
    }
}

/// A statement about a record as it is.
pub(crate) fn said(record: &Value, kind: &str, principal: &str, at: &str, more: Value) -> Value {
    let slug = record["former_slugs"][0].as_str().or(record["slug"].as_str()).unwrap();
    let mut said = json!({
        "schema_version": "1.0", "kind": kind, "principal": principal, "at": at,
        "subject": {"id": identity::id(slug), "content_hash": identity::content_hash(record)},
    });
    said.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_else(Map::new));
    said
}

/// The ids of all records of hits, in order.
pub(crate) fn ids(answer: &Value) -> Vec<String> {
    let of = |hit: &Value| match hit["variants"].as_array() {
        Some(variants) => variants.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect(),
        None => vec![hit["id"].as_str().unwrap().to_owned()],
    };
    answer["hits"].as_array().unwrap().iter().flat_map(of).collect()
}
