//! Rows about procedures of a catalog.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// A record of `pm catalog list`.
    ProcedureRow: "catalog list", "records" {
        /// Its id.
        id: String,
        ;
        /// Its name.
        slug: String,
        /// How far it is trusted.
        trust: String,
        /// The last day of that trust.
        trust_expires_on: String,
        /// The worst that a step of it may do.
        risk: String,
        /// Who carries it out.
        execution: String,
        /// How much of it is for programs.
        profile: String,
        /// The topic that it belongs to.
        topic: String,
        /// Its title.
        title: String,
        /// What a runtime must be able to do.
        capabilities: Vec<String>,
        /// The least runtime that can walk it.
        min_runtime_profile: String,
        /// The hash of the authored record.
        content_hash: String,
        /// Where it is served.
        href: String,
        /// Its tags.
        tags: Vec<String>,
        /// What it is about.
        targets: Vec<String>,
        /// Who published it.
        publisher: String,
        /// The file that it is authored in.
        source: String,
    }
    /// A hit of `pm catalog search`: a record, or a topic with the records that answer.
    ProcedureHitRow: "catalog search", "hits" {
        /// What it is: runbook or topic.
        r#type: String,
        ;
        /// The name of the topic.
        topic: String,
        /// The id of the record.
        id: String,
        /// Its name.
        slug: String,
        /// Its title.
        title: String,
        /// How well it answers.
        score: f64,
        /// How many records of the topic answer.
        variants_matched: u64,
        /// How many there are.
        variants_total: u64,
        /// Those that answer.
        variants: Vec<Value>,
        /// The worst that a step may do.
        risk: String,
        /// Who carries it out.
        execution: String,
        /// How much of it is for programs.
        profile: String,
        /// What a runtime must be able to do.
        capabilities: Vec<String>,
        /// The least runtime that can walk it.
        min_runtime_profile: String,
        /// How far it is trusted on the day of the question.
        trust: String,
        /// The last day of that trust.
        trust_expires_on: String,
        /// The level that it had before.
        expired_from: String,
        /// The last day of that level.
        expired_on: String,
        /// The hash of the authored record.
        content_hash: String,
        /// Where it is served.
        href: String,
    }
    /// Trust that ends soon.
    ExpiringRow: "catalog status", "expiring" {
        /// The id of the record.
        id: String,
        ;
        /// How far it is trusted.
        level: String,
        /// The last day of that trust.
        expires_on: String,
    }
    /// A major version of the published folder.
    MajorRow: "catalog status", "majors" {
        /// Its number.
        major: u64,
        ;
        /// Where it stands.
        status: String,
        /// The last day on which it is served.
        supported_until: String,
    }
    /// What is wrong with a record or its neighbours.
    RecordFindingRow: "catalog check", "findings" {
        /// The file.
        path: String,
        ;
        /// What is wrong.
        code: String,
        /// How bad it is.
        severity: String,
        /// The same in words.
        message: String,
    }
    /// What is wrong with a published folder.
    FolderFindingRow: "catalog verify", "findings" {
        /// The file.
        path: String,
        ;
        /// What is wrong.
        code: String,
        /// How bad it is.
        severity: String,
        /// The same in words.
        message: String,
    }
    /// A step of a procedure as a client would take it.
    WalkRow: "catalog run", "walk" {
        /// Its place in the walk, from 1.
        order: u64,
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// What it is: check, action or manual.
        kind: String,
        /// The worst that it may do.
        risk: String,
        /// What a runtime must be able to do.
        capability: String,
        /// Whether a person must approve it first.
        requires_approval: bool,
        /// Who did.
        approved_by: String,
        /// What follows.
        next: Vec<String>,
        /// What follows when it fails.
        on_fail: String,
        /// How it is taken back.
        undo: Value,
        /// How long it may take, in seconds.
        timeout_s: f64,
        /// What must be seen after it.
        expect: Value,
        /// What to do: data, never a part of a sentence.
        body: Map<String, Value>,
    }
}
