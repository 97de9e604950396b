//! Rows about what happened, and about what stands beside items.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// A change, in short.
    CompactHistoryRow: "history", "compact_history" {
        ;
        /// Its number, from 1.
        index: u64,
        /// When it happened.
        ts: String,
        /// What was done.
        op: String,
        /// Who did it.
        author: String,
        /// How many values changed.
        patch_ops: u64,
        /// The fields that changed.
        changed_fields: Vec<String>,
        /// What the author said about it.
        message: String,
    }
    /// A change, with who stands behind it.
    ProvenanceHistoryRow: "history", "provenance_history" {
        ;
        /// Its number, from 1.
        index: u64,
        /// When it happened.
        ts: String,
        /// What was done.
        op: String,
        /// Who did it.
        author: String,
        /// How that is known.
        author_source: String,
        /// The program that did it for the author.
        agent_harness: String,
        /// The model that the program used.
        agent_model: String,
        /// How that is known.
        agent_model_source: String,
        /// The session, told apart and nothing else.
        agent_instance: String,
        /// What else is known.
        agent_provenance: Map<String, Value>,
    }
    /// A change as it is recorded.
    HistoryRow: "history", "history" {
        ;
        /// When it happened.
        ts: String,
        /// Who did it.
        author: String,
        /// How that is known.
        author_source: String,
        /// What was done.
        op: String,
        /// The values that changed, as a JSON patch.
        patch: Vec<Value>,
        /// The hash of the item before it.
        before_hash: String,
        /// The hash of the item after it.
        after_hash: String,
        /// The version of the rule of hashing.
        item_hash_version: u64,
        /// What the author said about it.
        message: String,
    }
    /// An item with what happened to it lately.
    DigestRow: "activity", "activity_digest" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// How much happened.
        event_count: u64,
        /// When the first of it happened.
        first_ts: String,
        /// When the last of it happened.
        last_ts: String,
        /// What was done, and how often.
        operations: String,
    }
    /// Something that happened, in short.
    CompactActivityRow: "activity", "compact_activity" {
        /// The id of the item.
        id: String,
        ;
        /// What was done.
        op: String,
        /// When it happened.
        ts: String,
        /// Who did it.
        author: String,
        /// What the author said about it.
        msg: String,
    }
    /// Something that happened, as it is recorded.
    ActivityRow: "activity", "activity" {
        /// The id of the item.
        id: String,
        ;
        /// When it happened.
        ts: String,
        /// Who did it.
        author: String,
        /// How that is known.
        author_source: String,
        /// What was done.
        op: String,
        /// The values that changed, as a JSON patch.
        patch: Vec<Value>,
        /// The hash of the item before it.
        before_hash: String,
        /// The hash of the item after it.
        after_hash: String,
        /// The version of the rule of hashing.
        item_hash_version: u64,
        /// What the author said about it.
        message: String,
    }
    /// Something that happened, as a stream tells it.
    EventRow: "events", "events" {
        ;
        /// The id of the item.
        item_id: String,
        /// The version of the item that it made.
        version: u64,
        /// When it happened.
        ts: String,
        /// Who did it.
        author: String,
        /// What was done.
        r#type: String,
        /// What the author said about it.
        message: String,
        /// How many values changed.
        patch_count: u64,
    }
    /// A comment.
    CommentRow: "comments", "comments" {
        ;
        /// When it was written.
        created_at: String,
        /// Who wrote it.
        author: String,
        /// The text.
        text: String,
        /// When it was changed last.
        edited_at: String,
    }
    /// A note.
    NoteRow: "notes", "notes" {
        ;
        /// When it was written.
        created_at: String,
        /// Who wrote it.
        author: String,
        /// The text.
        text: String,
        /// When it was changed last.
        edited_at: String,
    }
    /// Something that was learned.
    LearningRow: "learnings", "learnings" {
        ;
        /// When it was written.
        created_at: String,
        /// Who wrote it.
        author: String,
        /// The text.
        text: String,
        /// When it was changed last.
        edited_at: String,
    }
    /// A linked file.
    FileRow: "files", "files" {
        /// Its path from the workspace.
        path: String,
        ;
        /// Where the path begins.
        scope: String,
        /// What it has to do with the item.
        note: String,
    }
    /// A linked document.
    DocRow: "docs", "docs" {
        /// Its path from the workspace.
        path: String,
        ;
        /// Where the path begins.
        scope: String,
        /// What it has to do with the item.
        note: String,
    }
    /// An item that is linked to files.
    LookupRow: "files lookup", "matches" {
        ;
        /// The item.
        item: Map<String, Value>,
        /// The files.
        files: Vec<Value>,
        /// Why, where that was asked for.
        evidence: Value,
    }
    /// A comment among those of many items.
    CommentsAuditRow: "comments-audit", "comments" {
        /// The id of the item.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its status.
        status: String,
        /// How many comments it has.
        comment_count: u64,
        /// When it was written.
        created_at: String,
        /// Who wrote it.
        author: String,
        /// The text.
        text: String,
    }
    /// Something that happened, with who stands behind it.
    ProvenanceActivityRow: "activity", "provenance_activity" {
        /// The id of the item.
        id: String,
        ;
        /// When it happened.
        ts: String,
        /// What was done.
        op: String,
        /// Who did it.
        author: String,
        /// How that is known.
        author_source: String,
        /// The program that did it for the author.
        agent_harness: String,
        /// The model that the program used.
        agent_model: String,
        /// How that is known.
        agent_model_source: String,
        /// The session, told apart and nothing else.
        agent_instance: String,
        /// What else is known.
        agent_provenance: Map<String, Value>,
        /// What the author said about it.
        message: String,
    }
    /// A change with the values that it changed.
    DiffRow: "history", "diff" {
        ;
        /// Its number, from 1.
        index: u64,
        /// When it happened.
        ts: String,
        /// What was done.
        op: String,
        /// Who did it.
        author: String,
        /// What the author said about it.
        message: String,
        /// How many values changed.
        patch_ops: u64,
        /// The fields that changed.
        changed_fields: Vec<String>,
        /// Each with the value before and after.
        changes: Vec<Value>,
    }
    /// A file that an item names.
    CandidateRow: "files discover", "candidates" {
        /// Its path from the workspace.
        path: String,
        ;
        /// Where the path begins.
        scope: String,
        /// Whether it can be linked.
        status: String,
        /// How often the item names it.
        source_count: u64,
        /// Where it does.
        source: String,
    }
    /// An item that commits of a file name and nobody linked.
    UnlinkedRow: "files lookup", "unlinked" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its status.
        status: String,
        /// How many commits name it.
        commit_count: u64,
    }
}
