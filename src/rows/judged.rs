//! Rows about verdicts: of assertions, of searches, of documents.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// A measurement of the registry.
    MeasurementRow: "assurance list", "measurements" {
        /// Its id.
        id: String,
        ;
        /// What is measured.
        source: String,
        /// What it is for.
        description: String,
    }
    /// An assertion of the registry.
    AssertionRow: "assurance list", "assertions" {
        /// Its id.
        id: String,
        ;
        /// What it judges.
        measurement_id: String,
        /// What must hold.
        bound: String,
        /// What happens when it does not hold.
        enforcement: String,
        /// How long it is kept.
        lifetime: String,
        /// The item that answers for it.
        owner_item_id: String,
    }
    /// A gate of the registry.
    GateRow: "assurance list", "gates" {
        /// Its id.
        id: String,
        ;
        /// How many assertions it judges.
        assertion_count: u64,
        /// The occasions that it knows.
        triggers: String,
        /// What it is for.
        description: String,
    }
    /// An assertion as a gate judged it.
    JudgedRow: "assurance run", "assertions" {
        /// Its id.
        id: String,
        ;
        /// What came out: pass, warn, block, observe or retired.
        verdict: String,
        /// What happens when it does not hold.
        enforcement: String,
        /// What was measured.
        observed: Value,
        /// What must hold.
        bound: String,
        /// Why there is no verdict.
        reason: String,
        /// What it judges.
        measurement_id: String,
        /// The item that answers for it.
        owner_item_id: String,
    }
    /// A question that judges the search.
    QueryRow: "eval", "queries" {
        /// The question.
        query: String,
        ;
        /// How many items answer it.
        relevant: u64,
        /// How many of them were found.
        retrieved: u64,
        /// Those that were not.
        missed: String,
        /// How well the order is, 0 to 1.
        ndcg: f64,
        /// One over the place of the first that answers.
        mrr: f64,
        /// The share of what was found that answers.
        precision: f64,
        /// The share of what answers that was found.
        recall: f64,
    }
    /// A kind of documents.
    KindRow: "kb kinds", "kinds" {
        /// Its name.
        kind: String,
        ;
        /// The folders whose documents are of it.
        prefixes: Vec<String>,
        /// How many documents are of it.
        documents: u64,
    }
    /// What is wrong with a document.
    DocumentFindingRow: "kb lint", "findings" {
        /// The file.
        path: String,
        ;
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        code: String,
        /// The same in words.
        message: String,
    }
    /// What a retrieval costs.
    CostRow: "kb cost", "rows" {
        /// The name of the case.
        case: String,
        ;
        /// The call.
        call: String,
        /// What its answer costs.
        estimated_tokens: u64,
    }
}
