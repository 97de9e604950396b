//! What changes answer with, and the few reads that have no rows: the keys of their answers, and what each holds.

use serde_json::{Value, json};

/// What stands under a key of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Text,
    Count,
    Flag,
    /// A text, or nothing.
    Perhaps,
    List,
    Object,
}

use Held::{Count, Flag, List, Object, Perhaps, Text};

impl Held {
    fn schema(self) -> Value {
        match self {
            Text => json!({"type": "string"}),
            Count => json!({"type": "integer", "minimum": 0}),
            Flag => json!({"type": "boolean"}),
            Perhaps => json!({"type": ["string", "null"]}),
            List => json!({"type": "array"}),
            Object => json!({"type": "object"}),
        }
    }
}

/// Keys that stand together.
type Keys = &'static [(&'static str, Held)];

/// What every change may say.
const ANY: Keys = &[("dry_run", Flag), ("changed", Flag), ("unchanged", Flag), ("warnings", List)];

/// The receipt of a change of an item, as short and as long as the call asks for, and what a dry run says of it.
const RECEIPT: Keys = &[
    ("id", Text),
    ("status", Text),
    ("changed_field_count", Count),
    ("close_reason", Text),
    ("item", Object),
    ("changed_fields", List),
    ("next_transition", Object),
    ("changes", List),
];

/// An entry that was added to a list of texts.
const ADDED: Keys = &[
    ("count", Count),
    ("total_count", Count),
    ("returned_count", Count),
    ("has_more", Flag),
    ("mutation_receipt", Object),
];

/// A plan after a change of it.
const PLAN: Keys =
    &[("action", Text), ("plan", Object), ("step", Object), ("entry", Object), ("next_actions", List)];

/// A call about many items.
const BULK: Keys = &[
    ("outcome", Text),
    ("exit_code", Count),
    ("mode", Text),
    ("matched_count", Count),
    ("skipped_count", Count),
    ("failed_count", Count),
    ("item_plans", List),
    ("checkpoint", Object),
    ("rows", List),
    ("ids", List),
];

/// A rewriting of one history, or of all.
const REWRITTEN: Keys =
    &[("id", Text), ("entries", Count), ("checked", Count), ("failed", Count), ("rows", List)];

/// An import.
const IMPORTED: Keys = &[
    ("read", Count),
    ("written", Count),
    ("created", Count),
    ("updated", Count),
    ("unchanged", Count),
    ("skipped", Count),
    ("losses", List),
];

/// A declaration of the schema that was put or taken out, by what it declares.
const DECLARED: Keys = &[("action", Text), ("registered", Flag), ("replaced", Flag), ("removed", Flag)];

/// A name of the schema that became another.
const RENAMED: Keys = &[("action", Text), ("from", Text), ("to", Text), ("item_count", Count)];

/// Two changes of one item in one call.
const TASK: Keys = &[
    ("id", Text),
    ("action", Text),
    ("claim", Object),
    ("update", Object),
    ("close", Object),
    ("release", Object),
];

/// The commands of each group of keys; of two keys of one name the later is meant.
const ANSWERS: &[(&[&str], &[Keys])] = &[
    (&["create", "update", "close", "copy", "restore", "append", "meet", "event", "remind"], &[ANY, RECEIPT]),
    (&["delete"], &[ANY, RECEIPT, &[("deleted", Flag), ("previous_status", Text)]]),
    (&["item reopen"], &[ANY, RECEIPT, &[("recurrence", Object)]]),
    (&["comments", "notes", "learnings"], &[ANY, RECEIPT, ADDED]),
    (&["files", "docs"], &[ANY, RECEIPT, &[("count", Count)]]),
    (
        &["files discover"],
        &[
            ANY,
            RECEIPT,
            &[
                ("apply", Flag),
                ("candidate_count", Count),
                ("addable_count", Count),
                ("added_count", Count),
                ("skipped_existing_count", Count),
            ],
        ],
    ),
    (
        &["test"],
        &[
            ANY,
            RECEIPT,
            &[("ok", Flag), ("run_results", List), ("failure_categories", Object), ("count", Count)],
        ],
    ),
    (
        &["test-all"],
        &[
            ANY,
            &[
                ("ok", Flag),
                ("tests", List),
                ("count", Count),
                ("item_count", Count),
                ("totals", Object),
                ("failures", List),
                ("results", List),
            ],
        ],
    ),
    (
        &["claim"],
        &[
            ANY,
            &[
                ("item", Object),
                ("claimed_by", Text),
                ("previous_assignee", Perhaps),
                ("forced", Flag),
                ("already_held", Flag),
            ],
        ],
    ),
    (
        &["release"],
        &[ANY, &[("item", Object), ("released_by", Text), ("previous_assignee", Perhaps), ("forced", Flag)]],
    ),
    (&["next"], &[ANY, &[("claimed_by", Text), ("already_held", Flag)]]),
    (&["start-task", "pause-task", "close-task", "item complete"], &[ANY, TASK]),
    (
        &["update-many"],
        &[ANY, BULK, &[("reason", Text), ("planned_update_options", Object), ("updated_count", Count)]],
    ),
    (&["close-many"], &[ANY, BULK, &[("reason", Text), ("closed_count", Count)]]),
    (
        &["item mutate"],
        &[
            ANY,
            &[
                ("status", Text),
                ("transaction_id", Text),
                ("recovered", Flag),
                ("results", List),
                ("mutation_count", Count),
            ],
        ],
    ),
    (
        &[
            "plan create",
            "plan add-step",
            "plan update-step",
            "plan complete-step",
            "plan block-step",
            "plan reorder-step",
            "plan remove-step",
            "plan link",
            "plan unlink",
            "plan decision",
            "plan discovery",
            "plan validation",
            "plan approve",
            "plan resume",
        ],
        &[ANY, RECEIPT, PLAN],
    ),
    (
        &["plan materialize"],
        &[ANY, &[("action", Text), ("id", Text), ("materialized", List), ("count", Count)]],
    ),
    (&["focus"], &[ANY, &[("action", Text), ("focused_item", Perhaps), ("title", Text), ("message", Text)]]),
    (&["gc"], &[ANY, &[("ok", Flag), ("removed", List), ("count", Count)]]),
    (
        &["history-compact"],
        &[ANY, REWRITTEN, &[("entries_before", Count), ("compacted", Count), ("kept", Count)]],
    ),
    (
        &["history-redact"],
        &[
            ANY,
            REWRITTEN,
            &[
                ("matches", Count),
                ("entries_changed", Count),
                ("item_changed", Flag),
                ("redacted", Count),
                ("also_redacted", List),
                ("also_redacted_count", Count),
            ],
        ],
    ),
    (
        &["history-repair"],
        &[
            ANY,
            REWRITTEN,
            &[("rehashed", Count), ("dropped_operations", Count), ("reconciled", Flag), ("repaired", Count)],
        ],
    ),
    (
        &["history-author-acknowledge"],
        &[
            ANY,
            &[
                ("events", Count),
                ("attributed_author", Text),
                ("reviewer", Text),
                ("plan_fingerprint", Text),
                ("plan", List),
                ("truncated", Flag),
            ],
        ],
    ),
    (
        &[
            "import beads",
            "import backlog",
            "import ticket",
            "import todotxt",
            "import github",
            "import jsonl",
        ],
        &[ANY, IMPORTED],
    ),
    (
        &["init"],
        &[
            ANY,
            &[
                ("ok", Flag),
                ("path", Text),
                ("target", Object),
                ("settings", Object),
                ("created_dirs", List),
                ("governance_preset", Text),
                ("agent_guidance", Object),
                ("next_steps", List),
            ],
        ],
    ),
    (
        &["config"],
        &[
            ANY,
            &[("scope", Text), ("key", Text), ("nested_setting", Object), ("keys", List), ("count", Count)],
        ],
    ),
    (&["hooks allow", "hooks deny"], &[ANY, &[("hooks", Count), ("allowed", Flag), ("files", List)]]),
    (&["merge install"], &[ANY]),
    (
        &["merge reconcile"],
        &[
            ANY,
            &[
                ("checked", Count),
                ("reconciled", Count),
                ("unchanged", Count),
                ("failed", Count),
                ("rows", List),
                ("receipts", Count),
                ("left", List),
            ],
        ],
    ),
    (
        &["merge resolve"],
        &[ANY, &[("id", Text), ("decided", List), ("undecided", List), ("next", Text), ("entries", Count)]],
    ),
    (&["profile apply"], &[ANY, &[("action", Text), ("profile", Text), ("changes", List)]]),
    (&["schema add-type", "schema remove-type"], &[ANY, DECLARED, &[("type", Object)]]),
    (&["schema add-status", "schema remove-status"], &[ANY, DECLARED, &[("status", Object)]]),
    (&["schema add-field", "schema remove-field"], &[ANY, DECLARED, &[("field", Object)]]),
    (&["schema show"], &[&[("action", Text), ("type", Object), ("item_count", Count)]]),
    (&["schema show-status"], &[&[("action", Text), ("status", Object), ("item_count", Count)]]),
    (&["schema show-field"], &[&[("action", Text), ("field", Object), ("item_count", Count)]]),
    (&["schema apply-preset"], &[ANY, &[("action", Text), ("preset", Text), ("types", List)]]),
    (&["schema rename-type", "schema rename-field", "schema remap-status"], &[ANY, RENAMED]),
    (&["templates show"], &[&[("action", Text), ("name", Text), ("options", Object)]]),
    (
        &["templates save", "templates delete"],
        &[
            ANY,
            &[("action", Text), ("name", Text), ("replaced", Flag), ("removed", Flag), ("options", Object)],
        ],
    ),
    (&["validate"], &[ANY, &[("ok", Flag), ("has_warnings", Flag), ("coverage", Object), ("fixes", Object)]]),
    (&["version"], &[&[("name", Text), ("version", Text)]]),
    (
        &["workspace snapshot create"],
        &[ANY, &[("action", Text), ("name", Text), ("snapshot", Text), ("files", Count), ("bytes", Count)]],
    ),
    (
        &["workspace snapshot delete"],
        &[ANY, &[("action", Text), ("names", List), ("snapshot", Text), ("removed_objects", Count)]],
    ),
    (
        &["workspace snapshot restore"],
        &[
            ANY,
            &[
                ("action", Text),
                ("snapshot", Text),
                ("difference", Object),
                ("changes", List),
                ("recovery", Text),
            ],
        ],
    ),
    (
        &["catalog attest"],
        &[
            ANY,
            &[
                ("id", Text),
                ("slug", Text),
                ("kind", Text),
                ("principal", Text),
                ("content_hash", Text),
                ("path", Text),
                ("signature", Text),
                ("already_said", Flag),
            ],
        ],
    ),
    (
        &["catalog build"],
        &[
            ANY,
            &[
                ("out", Text),
                ("as_of", Text),
                ("commit", Perhaps),
                ("records", Object),
                ("files", Count),
                ("written", Count),
                ("removed", Count),
            ],
        ],
    ),
    (&["completion install"], &[ANY, &[("shell", Text), ("path", Text), ("startup_line", Text)]]),
    (&["catalog new"], &[ANY, &[("path", Text), ("slug", Text), ("next", Text)]]),
];

/// The keys of a command's answer beside its collections of rows, each with its schema; none where nothing is declared.
pub fn keys(command: &str) -> Vec<(&'static str, Value)> {
    let groups = ANSWERS.iter().filter(|(commands, _)| commands.contains(&command));
    let keys = groups.flat_map(|(_, groups)| groups.iter().copied().flatten());
    keys.map(|(key, held)| (*key, held.schema())).collect()
}
