//! Rows about items, and counts of them.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// An item of `pm list`.
    ItemRow: "list", "items" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its status.
        status: String,
        /// Its type.
        r#type: String,
        /// Its priority, 0 the most urgent.
        priority: i64,
        /// The item that contains it.
        parent: String,
        /// What it is about, in short.
        description: String,
        /// Its tags.
        tags: Vec<String>,
        /// Who works on it.
        assignee: String,
        /// Who made it.
        author: String,
        /// When it is due.
        deadline: String,
        /// When it was made.
        created_at: String,
        /// When it was changed last.
        updated_at: String,
        /// How long it takes, in minutes.
        estimated_minutes: f64,
        /// How deep it stands in a tree.
        tree_depth: u64,
    }
    /// A hit of `pm search`.
    HitRow: "search", "items" {
        /// The id of the item.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its status.
        status: String,
        /// Its type.
        r#type: String,
        /// Its priority.
        priority: i64,
        /// The item that contains it.
        parent: String,
        /// When it was changed last.
        updated_at: String,
        /// How well it answers, 0 to 1; a match of an id is far above.
        score: f64,
        /// Where the words stand.
        snippet: String,
        /// The whole item, under the mode `full`.
        item: Map<String, Value>,
        /// The fields in which the words stand.
        matched_fields: Vec<String>,
        /// The places in which the words stand, marked.
        highlights: Vec<Value>,
    }
    /// A container of `pm context`.
    HighLevelRow: "context", "high_level" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Its priority.
        priority: i64,
        /// The item that contains it.
        parent: String,
        /// Whether something open blocks it.
        blocked: bool,
    }
    /// A piece of work of `pm context`.
    LowLevelRow: "context", "low_level" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Its priority.
        priority: i64,
        /// The item that contains it.
        parent: String,
        /// Whether something open blocks it.
        blocked: bool,
    }
    /// What `pm next` recommends.
    RecommendedRow: "next", "recommended" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Its priority.
        priority: i64,
        /// The item that contains it.
        parent: String,
        /// When it is due.
        deadline: String,
        /// Who works on it.
        assignee: String,
        /// Why this one.
        reasons: Vec<String>,
        /// What waits for it.
        unblocks: Vec<String>,
        /// Its place in the order: the first.
        rank: u64,
        /// The sum that `--why` explains.
        score: f64,
    }
    /// What could be done next instead.
    ReadyRow: "next", "ready" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Its priority.
        priority: i64,
        /// Its place in the order; the recommended one has the first.
        rank: u64,
        /// How many wait for it.
        unblocks_total: u64,
    }
    /// What waits for something, of `pm next`.
    BlockedRow: "next", "blocked" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its priority.
        priority: i64,
        /// What it waits for.
        waits_for: String,
    }
    /// What waits for a decision, of `pm next`.
    DecisionRow: "next", "decision_needed" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// How many items wait for it.
        unblocks_total: u64,
    }
    /// A check of `pm validate`.
    CheckRow: "validate", "checks" {
        /// Its name.
        name: String,
        ;
        /// The verdict.
        status: String,
        /// Whether all is in order.
        ok: bool,
        /// What was counted and found.
        details: Map<String, Value>,
    }
    /// A check of `pm health`.
    HealthRow: "health", "checks" {
        /// Its name.
        name: String,
        ;
        /// The verdict.
        status: String,
        /// Whether all is in order.
        ok: bool,
        /// What was counted and found.
        details: Map<String, Value>,
    }
    /// How many items a type has.
    TypeCountRow: "stats", "by_type" {
        ;
        /// The type.
        r#type: String,
        /// All of them.
        total: u64,
        /// Those that are open.
        open: u64,
        /// Those in progress.
        in_progress: u64,
        /// Those that are blocked.
        blocked: u64,
        /// Those that are drafts.
        draft: u64,
        /// Those that are closed.
        closed: u64,
        /// Those that are canceled.
        canceled: u64,
        /// Those of any other status.
        other: u64,
    }
    /// How many items a status has.
    StatusCountRow: "stats", "by_status" {
        ;
        /// The status.
        status: String,
        /// All of them.
        total: u64,
    }
    /// A group of items.
    GroupRow: "aggregate", "groups" {
        ;
        /// The values that they share.
        group: Map<String, Value>,
        /// How many they are.
        count: u64,
        /// How many of them have no value to sum up.
        null_count: u64,
        /// The sum of the values.
        sum: f64,
        /// The mean of the values.
        avg: f64,
        /// Those that are open.
        open: u64,
        /// Those in progress.
        in_progress: u64,
        /// Those that are closed.
        closed: u64,
        /// Those of any other status.
        other: u64,
        /// The share that is closed, of a hundred.
        completion_pct: f64,
        /// The values in words.
        group_label: String,
    }
    /// Items that look like the same piece of work.
    ClusterRow: "duplicates", "clusters" {
        /// The name of the cluster.
        id: String,
        ;
        /// How much two of them are alike at most, 0 to 1.
        max_score: f64,
        /// The one to keep.
        canonical_id: String,
        /// The command that closes the others.
        close_command: String,
        /// All of them.
        items: Vec<Value>,
    }
    /// A command in a line.
    CommandRow: "contracts", "command_summaries" {
        /// Its words.
        command: String,
        ;
        /// What it is for.
        intent: String,
        /// The options that its examples use.
        flags: Vec<String>,
        /// Whether it reads or writes.
        effect: String,
        /// What its answer may cost, in tokens.
        default_max_estimated_tokens: u64,
        /// The same by encoding.
        default_max_estimated_tokens_by_format: Map<String, Value>,
    }
    /// An item below the one that was asked for, or the count of all.
    ChildRow: "get", "children" {
        ;
        /// Its id.
        id: String,
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Its priority.
        priority: i64,
    }
    /// An item that somebody else works on.
    HeldRow: "next", "held_by_others" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Who works on it.
        assignee: String,
    }
    /// What a place in the order is made of.
    WhyRow: "next", "why" {
        /// The item.
        id: String,
        ;
        /// The sum.
        score: f64,
        /// What its priority gives.
        priority: f64,
        /// What waits for it gives.
        unblocks: f64,
        /// What its place on the longest chain gives.
        critical_path: f64,
        /// What its deadline gives.
        deadline: f64,
        /// What its age gives.
        age: f64,
        /// What a claim of the caller gives.
        claim: f64,
    }
    /// Something that happened lately.
    ContextActivityRow: "context", "activity" {
        /// The item.
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
    /// An item with counts of what it contains.
    HierarchyRow: "context", "hierarchy" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// How many it contains.
        children_total: u64,
        /// Those that are closed.
        children_closed: u64,
        /// Those that are open.
        children_open: u64,
        /// Those in progress.
        children_in_progress: u64,
        /// Those that wait for something.
        children_blocked: u64,
    }
    /// How far an item is.
    ProgressRow: "context", "progress" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// How many it contains.
        total: u64,
        /// Those that are closed.
        closed: u64,
        /// Those that are open.
        open: u64,
        /// Those in progress.
        in_progress: u64,
        /// Those that wait for something.
        blocked: u64,
        /// The share that is closed, of a hundred.
        completion_pct: f64,
    }
    /// An item and what it waits for.
    ContextBlockerRow: "context", "blockers" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// What it waits for.
        blocked_by: String,
        /// The title of that.
        blocked_by_title: String,
        /// The status of that.
        blocked_by_status: String,
        /// Why, in words.
        reason: String,
    }
}
