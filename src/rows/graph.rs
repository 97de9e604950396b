//! Rows about links.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// An item in a graph of dependencies.
    NodeRow: "deps", "graph.nodes" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Whether it is named and not there.
        missing: bool,
    }
    /// A link in a graph of dependencies.
    EdgeRow: "deps", "graph.edges" {
        ;
        /// The item that holds the link.
        from: String,
        /// The item that it names.
        to: String,
        /// What it says.
        kind: String,
    }
    /// An item that a change would touch.
    AffectedRow: "graph impact", "affected" {
        /// Its id.
        id: String,
        ;
        /// How many links away it is.
        distance: u64,
        /// The way to it.
        path: Vec<String>,
    }
    /// Items that hang together.
    CommunityRow: "graph communities", "communities" {
        ;
        /// The item that stands for them.
        representative: String,
        /// How many they are.
        size: u64,
        /// Their ids, or the first of them.
        members: Vec<String>,
    }
    /// A link that others imply.
    RedundantRow: "graph redundancy", "redundant" {
        ;
        /// The item that holds the link.
        source: String,
        /// The item that it names.
        target: String,
        /// What it says.
        kind: String,
        /// The way that implies it.
        witness: Vec<String>,
    }
    /// An item and how much it may slip.
    SlackRow: "graph slack", "rows" {
        /// Its id.
        id: String,
        ;
        /// The first step in which it can begin.
        earliest_start: i64,
        /// The last step in which it can begin.
        latest_start: i64,
        /// The difference.
        slack: i64,
        /// Whether there is none.
        critical: bool,
    }
    /// An item and how central it is.
    CentralityRow: "graph centrality", "rows" {
        /// Its id.
        id: String,
        ;
        /// Its links.
        degree: u64,
        /// Those that come in.
        in_degree: u64,
        /// Those that go out.
        out_degree: u64,
        /// How many shortest ways pass through it.
        betweenness: f64,
        /// How near the others are.
        closeness: f64,
    }
    /// A step that would put links in order.
    GraphStepRow: "graph plan", "steps" {
        ;
        /// What to do.
        op: String,
        /// What is wrong.
        code: String,
        /// With which item.
        subject: String,
        /// Why.
        rationale: String,
        /// What shows it.
        evidence: Vec<Value>,
        /// How sure it is.
        confidence: String,
    }
    /// An item around another one.
    AroundRow: "deps", "tree" {
        /// Its id.
        id: String,
        ;
        /// How many links away it is.
        depth: u64,
        /// How it stands to the item that was asked for.
        role: String,
        /// What the link says.
        kind: String,
        /// The item that it is linked to.
        via: String,
        /// Its status.
        status: String,
        /// Its type.
        r#type: String,
        /// Its title.
        title: String,
        /// Whether it is named and not there.
        missing: bool,
    }
    /// An item in the surroundings of another one.
    ContextNodeRow: "deps", "context.nodes" {
        /// Its id.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its type.
        r#type: String,
        /// Its status.
        status: String,
        /// Whether it is named and not there.
        missing: bool,
    }
    /// A link in the surroundings of an item.
    ContextEdgeRow: "deps", "context.edges" {
        ;
        /// The item that holds the link.
        from: String,
        /// The item that it names.
        to: String,
        /// What it says.
        kind: String,
    }
    /// A way from one item to another.
    WayRow: "graph paths", "paths" {
        ;
        /// The items on it.
        nodes: Vec<String>,
        /// What the links between them say.
        kinds: Vec<String>,
        /// How many links it has.
        length: u64,
    }
    /// An item that all ways to others pass.
    BottleneckRow: "graph dominators", "bottlenecks" {
        /// Its id.
        id: String,
        ;
        /// The item before it that all ways pass.
        idom: String,
        /// How many items lie behind it.
        dominated_count: u64,
    }
    /// What is wrong with links.
    GraphFindingRow: "graph audit", "findings" {
        /// What is wrong.
        code: String,
        ;
        /// How bad it is.
        severity: String,
        /// What should hold.
        policy: String,
        /// The same in words.
        message: String,
        /// How many items it is about.
        count: u64,
        /// The first of them.
        sample: Vec<String>,
        /// Whether there are more.
        sample_truncated: bool,
        /// What to do.
        remediation: String,
        /// What shows it.
        evidence: Vec<String>,
    }
    /// A link whose loss would split the graph.
    BridgeRow: "graph articulation", "bridges" {
        ;
        /// One end.
        source: String,
        /// The other end.
        target: String,
    }
}
