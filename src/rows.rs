//! The rows of the read surfaces, one declaration each: what callers of the library read them into, and the JSON Schema
//! that contracts publish of them.
//!
//! A projection shows some of the fields, so all but the identity are optional. A tracker declares fields of its own and
//! a session replaces what was shown before by a reference: what is not declared here is in `more`.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A row of a read surface.
pub trait Row: DeserializeOwned {
    /// The command that answers with it.
    const COMMAND: &'static str;
    /// Where it stands in the answer, dot-delimited.
    const PATH: &'static str;
}

/// The schema of the rows of one collection.
#[derive(Clone, Copy, Debug)]
pub struct RowSchema {
    /// The command, by its words.
    pub command: &'static str,
    /// Where the rows stand in the answer, dot-delimited.
    pub path: &'static str,
    /// Makes the schema.
    pub make: fn() -> Value,
}

/// The schema of a row; what is declared nowhere is a field of the tracker.
fn schema<R: JsonSchema>() -> Value {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<R>();
    let mut schema = schema.to_value();
    if let Some(keys) = schema.as_object_mut() {
        keys.shift_remove("title");
    }
    schema
}

macro_rules! rows {
    ($(
        $(#[doc = $doc:expr])*
        $name:ident: $command:literal, $path:literal {
            $($(#[doc = $own_doc:expr])* $own:ident: $own_kind:ty,)*
            ;
            $($(#[doc = $doc_of:expr])* $field:ident: $kind:ty,)*
        }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[non_exhaustive]
            pub struct $name {
                $($(#[doc = $own_doc])* pub $own: $own_kind,)*
                $(
                    $(#[doc = $doc_of])*
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    pub $field: Option<$kind>,
                )*
                /// Every other field.
                #[serde(flatten)]
                pub more: Map<String, Value>,
            }

            impl Row for $name {
                const COMMAND: &'static str = $command;
                const PATH: &'static str = $path;
            }
        )*

        /// The rows of this file.
        pub(super) const ROWS: &[RowSchema] = &[$(RowSchema { command: $command, path: $path, make: schema::<$name> },)*];
    };
}

mod changes;
mod documents;
mod graph;
mod judged;
mod procedures;
mod records;
mod work;
mod workspace;

pub use changes::keys;
pub use documents::{DocumentHitRow, DocumentRow, PreflightRow};
pub use graph::{
    AffectedRow, AroundRow, BottleneckRow, BridgeRow, CentralityRow, CommunityRow, ContextEdgeRow,
    ContextNodeRow, EdgeRow, GraphFindingRow, GraphStepRow, NodeRow, RedundantRow, SlackRow, WayRow,
};
pub use records::{
    ActivityRow, CandidateRow, CommentRow, CommentsAuditRow, CompactActivityRow, CompactHistoryRow, DiffRow,
    DigestRow, DocRow, EventRow, FileRow, HistoryRow, LearningRow, LookupRow, NoteRow, ProvenanceActivityRow,
    ProvenanceHistoryRow, UnlinkedRow,
};
pub use work::{
    BlockedRow, CheckRow, ChildRow, ClusterRow, CommandRow, ContextActivityRow, ContextBlockerRow,
    DecisionRow, GroupRow, HealthRow, HeldRow, HierarchyRow, HighLevelRow, HitRow, ItemRow, LowLevelRow,
    ProgressRow, ReadyRow, RecommendedRow, StatusCountRow, TypeCountRow, WhyRow,
};

pub use judged::{
    AssertionRow, CostRow, DocumentFindingRow, GateRow, JudgedRow, KindRow, MeasurementRow, QueryRow,
};

pub use procedures::{
    ExpiringRow, FolderFindingRow, MajorRow, ProcedureHitRow, ProcedureRow, RecordFindingRow, WalkRow,
};

pub use workspace::{
    ClaimRow, ConflictRow, DecidedRow, DeclaredFieldRow, ExportRow, FieldRow, HookRow, ProfileFieldRow,
    ProfileFindingRow, ProfileRow, ProfileStatusRow, ProfileTemplateRow, ProfileTypeRow, ProfileWorkflowRow,
    ReceiptRow, SnapshotChangeRow, SnapshotRow, StatusRow, StepRow, TemplateRow, TestRow, TestRunRow,
    TypeRow, UndecidedRow, WaitingRow,
};

/// A list of texts, of which no row is made.
const fn texts(command: &'static str, path: &'static str) -> RowSchema {
    RowSchema { command, path, make: schema::<String> }
}

/// Collections whose rows are texts, or are declared by another command.
const WITHOUT_TYPE: &[RowSchema] = &[
    texts("graph ancestors", "ids"),
    texts("graph descendants", "ids"),
    texts("graph predecessors", "ids"),
    texts("graph successors", "ids"),
    texts("graph articulation", "articulation_points"),
    texts("validate", "warnings"),
    texts("contracts", "commands"),
    RowSchema { command: "get", path: "items", make: schema::<ItemRow> },
    RowSchema { command: "assurance show", path: "measurements", make: schema::<MeasurementRow> },
    RowSchema { command: "assurance show", path: "assertions", make: schema::<AssertionRow> },
    RowSchema { command: "assurance show", path: "gates", make: schema::<GateRow> },
];

/// Every declared row.
pub fn all() -> impl Iterator<Item = &'static RowSchema> {
    let tables = [
        work::ROWS,
        records::ROWS,
        graph::ROWS,
        documents::ROWS,
        judged::ROWS,
        procedures::ROWS,
        workspace::ROWS,
        WITHOUT_TYPE,
    ];
    tables.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_keeps_what_it_does_not_declare() {
        let row: ItemRow =
            serde_json::from_value(json!({"id": "pm-a1", "parent": null, "effort": 3})).unwrap();
        assert_eq!((row.id.as_str(), row.parent.as_deref(), &row.more["effort"]), ("pm-a1", None, &json!(3)));
        assert!(serde_json::from_value::<ItemRow>(json!({"title": "no id"})).is_err());
    }

    #[test]
    fn schemas_demand_the_identity_and_allow_fields_of_trackers() {
        let schema = (work::ROWS[0].make)();
        assert_eq!((&schema["required"], &schema["type"]), (&json!(["id"]), &json!("object")));
        assert_eq!(schema["properties"]["priority"]["type"], json!(["integer", "null"]));
        assert_ne!(schema["additionalProperties"], json!(false));
        assert!(schema.get("$schema").is_none() && schema.get("$defs").is_none());
    }
}
