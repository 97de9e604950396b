//! Rows about the tracker itself: what merges left, what it declares, who holds what.

use super::{Row, RowSchema, schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

rows! {
    /// Something that a merge left to somebody.
    ConflictRow: "merge status", "conflicts" {
        /// The item, or the file.
        id: String,
        ;
        /// What is undecided.
        kind: String,
        /// The file.
        path: String,
        /// The fields with two values.
        fields: Vec<String>,
        /// The command that shows both.
        show_with: String,
        /// The command that decides.
        resolve_with: String,
    }
    /// A field with two values.
    UndecidedRow: "merge status", "fields" {
        /// Its name.
        field: String,
        ;
        /// The file, where it is one of a document.
        document: String,
        /// The value before both branches.
        base: Value,
        /// The value of each branch.
        values: Vec<Value>,
        /// The value that the file has now.
        stands: Value,
    }
    /// What a merge decided.
    ReceiptRow: "merge report", "receipts" {
        /// Its id.
        id: String,
        ;
        /// The item.
        item_id: String,
        /// Whether somebody looked at it.
        state: String,
        /// When it was written.
        created_at: String,
        /// The fields that came from the other branch.
        fields_from_theirs: Value,
        /// The fields that hold what both had.
        union_fields: Value,
        /// What was decided, field by field.
        decisions: Value,
        /// Which values are known yet.
        value_availability: Value,
    }
    /// A claim.
    ClaimRow: "workspace claims", "claims" {
        /// The item.
        id: String,
        ;
        /// Its title.
        title: String,
        /// Its status.
        status: String,
        /// Who works on it.
        assignee: String,
        /// Whose claim it is.
        holder: String,
        /// Whether it is the caller's.
        mine: bool,
        /// When it ends by itself.
        expires_at: String,
        /// Whether it has.
        expired: bool,
    }
    /// A copy of the whole tracker.
    SnapshotRow: "workspace snapshot list", "snapshots" {
        /// The id of its content.
        snapshot: String,
        ;
        /// Its name.
        name: String,
        /// When it was made.
        created_at: String,
        /// Who made it.
        author: String,
        /// What for.
        message: String,
    }
    /// A file that differs from a copy.
    SnapshotChangeRow: "workspace snapshot inspect", "changes" {
        /// The file.
        path: String,
        ;
        /// What happened to it since.
        change: String,
    }
    /// A program that runs after changes.
    HookRow: "hooks list", "hooks" {
        /// When it runs.
        event: String,
        ;
        /// What runs.
        command: String,
        /// After which changes.
        ops: String,
        /// How long it may take.
        timeout_ms: u64,
        /// The files that it runs.
        files: String,
        /// Why it never runs.
        problem: String,
    }
    /// A template.
    TemplateRow: "templates list", "templates" {
        /// Its name.
        name: String,
        ;
        /// The type of items that it makes.
        r#type: String,
        /// The options that it keeps.
        options: String,
    }
    /// A way of working.
    ProfileRow: "profile list", "profiles" {
        /// Its name.
        name: String,
        ;
        /// Its title.
        title: String,
        /// What it is for.
        summary: String,
        /// Where it comes from.
        source: String,
        /// How much of each sort it brings.
        composition: Map<String, Value>,
    }
    /// What a tracker has otherwise than a profile.
    ProfileFindingRow: "profile lint", "findings" {
        /// What it is about.
        name: String,
        ;
        /// Of which sort that is.
        section: String,
        /// What is wrong.
        problem: String,
    }
    /// A type that a profile brings.
    ProfileTypeRow: "profile show", "types" {
        /// Its name.
        name: String,
        ;
        /// Where its items lie.
        folder: String,
        /// Its other names.
        aliases: Vec<String>,
        /// What it is for.
        description: String,
        /// The status that items begin with.
        default_status: String,
    }
    /// A status that a profile brings.
    ProfileStatusRow: "profile show", "statuses" {
        /// Its name.
        id: String,
        ;
        /// What it means to the program.
        roles: Vec<String>,
        /// What it is for.
        description: String,
        /// Its other names.
        aliases: Vec<String>,
        /// Its place among the others.
        order: i64,
    }
    /// A field that a profile brings.
    ProfileFieldRow: "profile show", "fields" {
        /// Its name.
        key: String,
        ;
        /// The type of its values.
        r#type: String,
        /// The commands that take it.
        commands: Vec<String>,
        /// What it is for.
        description: String,
    }
    /// The changes of status that a profile allows.
    ProfileWorkflowRow: "profile show", "workflows" {
        /// The type of the items.
        r#type: String,
        ;
        /// From and to.
        allowed_transitions: Vec<Value>,
    }
    /// A template that a profile brings.
    ProfileTemplateRow: "profile show", "templates" {
        /// Its name.
        name: String,
        ;
        /// The options that it keeps.
        options: Map<String, Value>,
    }
    /// A type of items.
    TypeRow: "schema list", "types" {
        /// Its name.
        name: String,
        ;
        /// Where it comes from.
        source: String,
        /// Where its items lie.
        folder: String,
        /// Its other names.
        aliases: String,
        /// What it is for.
        description: String,
        /// The status that items begin with.
        default_status: String,
    }
    /// A status.
    StatusRow: "schema list", "statuses" {
        /// Its name.
        id: String,
        ;
        /// What it means to the program.
        roles: String,
        /// Its other names.
        aliases: String,
        /// Its place among the others.
        order: i64,
        /// What it is for.
        description: String,
    }
    /// A field that the tracker declares.
    DeclaredFieldRow: "schema list", "fields" {
        /// Its name.
        key: String,
        ;
        /// The type of its values.
        r#type: String,
        /// The option that sets it.
        flag: String,
        /// The commands that take it.
        commands: String,
        /// What it is for.
        description: String,
    }
    /// A field that the tracker declares, alone.
    FieldRow: "schema list-fields", "fields" {
        /// Its name.
        key: String,
        ;
        /// The type of its values.
        r#type: String,
        /// The option that sets it.
        flag: String,
        /// The commands that take it.
        commands: String,
        /// What it is for.
        description: String,
    }
    /// A step of a plan.
    StepRow: "plan show", "plan.steps" {
        /// Its id.
        id: String,
        ;
        /// Its place, from 1.
        order: u64,
        /// What to do.
        title: String,
        /// Where it stands.
        status: String,
        /// What shows that it is done.
        evidence: String,
        /// How to do it.
        body: String,
        /// When it was added.
        created_at: String,
        /// When it was changed last.
        updated_at: String,
    }
    /// Something that still waits for a decision.
    WaitingRow: "merge report", "undecided" {
        /// The item, or the file.
        id: String,
        ;
        /// What is undecided.
        kind: String,
        /// The file.
        path: String,
        /// The fields with two values.
        fields: Vec<String>,
        /// The command that shows both.
        show_with: String,
        /// The command that decides.
        resolve_with: String,
    }
    /// A decision that history knows of.
    DecidedRow: "merge report", "decided" {
        /// The item.
        id: String,
        ;
        /// When it was made.
        ts: String,
        /// What was done.
        op: String,
        /// Who did it.
        author: String,
        /// What was decided, field by field.
        decisions: Value,
    }
    /// An item, given out as a whole.
    ExportRow: "export jsonl", "lines" {
        /// Its fields.
        item: Map<String, Value>,
        ;
        /// Its text.
        body: String,
        /// Its changes, where they were asked for.
        history: Vec<Value>,
    }
    /// A linked test.
    TestRow: "test", "tests" {
        ;
        /// What runs.
        command: String,
        /// The file that it is in.
        path: String,
        /// Where the path begins.
        scope: String,
        /// How long it may take.
        timeout_seconds: f64,
        /// What it has to do with the item.
        note: String,
    }
    /// A test that ran.
    TestRunRow: "test", "run_results" {
        ;
        /// What ran.
        command: String,
        /// How it ended.
        status: String,
        /// Its exit code.
        exit_code: i64,
        /// What it printed.
        stdout: String,
        /// What it complained of.
        stderr: String,
        /// Why it could not run.
        error: String,
    }
}
