//! Rows about documents.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// A document that answers a query.
    DocumentHitRow: "kb search", "data" {
        /// Its URI.
        uri: String,
        /// Its title.
        title: String,
        ;
        /// How well it answers.
        score: f64,
        /// Where the words stand.
        snippet: String,
        /// Its teaser, where it was asked for.
        blockquote: String,
        /// Its fields, where they were asked for.
        metadata: Map<String, Value>,
        /// Its summary, where it was asked for.
        summary: String,
    }
    /// A document of a catalog.
    DocumentRow: "kb catalog", "data" {
        /// Its URI.
        uri: String,
        /// Its title.
        title: String,
        ;
        /// Its place in the order, from 1.
        position: u64,
        /// Its teaser, where it was asked for.
        blockquote: String,
        /// Its fields, where they were asked for.
        metadata: Map<String, Value>,
        /// Its summary, where it was asked for.
        summary: String,
    }
    /// A document to know before a task.
    PreflightRow: "kb preflight", "data" {
        /// Its URI.
        uri: String,
        /// Its title.
        title: String,
        ;
        /// Its place in the order, from 1.
        position: u64,
        /// Why it is there.
        role: String,
        /// How well it fits.
        score: f64,
        /// Its teaser, where it was asked for.
        blockquote: String,
        /// Its fields, where they were asked for.
        metadata: Map<String, Value>,
        /// Its summary, where it was asked for.
        summary: String,
    }
}
