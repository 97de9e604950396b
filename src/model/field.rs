//! The fields of an item that a command can set: one table that makes flags, help and contracts.
//!
//! Source: storage.md §2.4 and §6.2; the flags are those of the reference.

/// How the value of a field is written on the command line, and what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A text that must not be blank.
    Text,
    /// A text that may be empty.
    Prose,
    /// The name of an item type.
    Type,
    /// A status or an alias of one.
    Status,
    /// `0`..`4`, or `critical` .. `minimal`.
    Priority,
    /// `low`, `medium` (or `med`), `high`, `critical`.
    Level,
    /// `0`..`100`, or `low`, `medium` (or `med`), `high`.
    Confidence,
    /// A whole number of minutes, 0 or more.
    Minutes,
    /// A whole number.
    Integer,
    /// A date, a time or a distance from now.
    Instant,
    /// `true` or `false`; the bare flag means true.
    Boolean,
    /// Comma-separated words.
    Tags,
    /// Repeatable; the values are joined with `; `.
    Criteria,
    /// The id of an item.
    Item,
    /// The id of an item, or the reason in words.
    Blocker,
}

/// Which command takes the flag of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// `create` only.
    Create,
    /// `update` only.
    Update,
    /// Both.
    Both,
}

impl Use {
    /// Whether the flag exists on a command.
    pub fn on(self, command: Use) -> bool {
        self == Use::Both || command == Use::Both || self == command
    }
}

/// One field that holds a single value.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key in the item; `body` for the body.
    pub key: &'static str,
    /// The flag, without its dashes.
    pub flag: &'static str,
    /// The one-letter flag.
    pub short: Option<char>,
    /// Other flags for it, without dashes.
    pub aliases: &'static [&'static str],
    /// How its value is written.
    pub form: Form,
    /// Which command takes it.
    pub on: Use,
    /// Whether `--unset` may clear it.
    pub unset: bool,
    /// Whether `create` asks for it in strict mode.
    pub strict: bool,
    /// Help, one line, no full stop.
    pub about: &'static str,
}

/// A field that holds a list of entries, seeded by a repeatable flag.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// Its key in the item.
    pub key: &'static str,
    /// The flag of one entry, without its dashes.
    pub flag: &'static str,
    /// Other flags for it, without dashes.
    pub aliases: &'static [&'static str],
    /// The flag that empties it.
    pub clear: &'static str,
    /// The flag of `update` that replaces the list by the entries given.
    pub replace: Option<&'static str>,
    /// Whether `create` asks for it in strict mode.
    pub strict: bool,
    /// Help, one line, no full stop.
    pub about: &'static str,
}

const fn field(key: &'static str, flag: &'static str, form: Form, about: &'static str) -> Field {
    Field { key, flag, short: None, aliases: &[], form, on: Use::Both, unset: true, strict: false, about }
}

impl Field {
    const fn short(mut self, letter: char) -> Field {
        self.short = Some(letter);
        self
    }

    const fn or(mut self, aliases: &'static [&'static str]) -> Field {
        self.aliases = aliases;
        self
    }

    const fn fixed(mut self) -> Field {
        self.unset = false;
        self
    }

    const fn strict(mut self) -> Field {
        self.strict = true;
        self
    }
}

/// Every field that a flag of `create` or `update` sets, in the order of the help.
pub const FIELDS: &[Field] = &[
    field("title", "title", Form::Text, "Title").short('t').fixed().strict(),
    field("description", "description", Form::Prose, "One paragraph on what it is about; may be empty")
        .short('d')
        .fixed()
        .strict(),
    field("type", "type", Form::Type, "Type: Task, Epic, Issue, ... or one that the tracker declares")
        .fixed(),
    field("status", "status", Form::Status, "Status").short('s').fixed().strict(),
    field("priority", "priority", Form::Priority, "Priority: 0..4 or critical, high, medium, low, minimal")
        .short('p')
        .fixed()
        .strict(),
    field("tags", "tags", Form::Tags, "Tags, separated by commas").or(&["tag"]).strict(),
    field("body", "body", Form::Prose, "Markdown body; may be empty").short('b').fixed().strict(),
    field("deadline", "deadline", Form::Instant, "Deadline: a date, a time, or a distance such as +2w")
        .strict(),
    field("estimated_minutes", "estimate", Form::Minutes, "Estimate in minutes")
        .or(&["estimated-minutes"])
        .strict(),
    field(
        "acceptance_criteria",
        "acceptance-criteria",
        Form::Criteria,
        "Acceptance criterion; repeat it for more, they are joined with `; `",
    )
    .or(&["ac"])
    .strict(),
    field("definition_of_ready", "definition-of-ready", Form::Prose, "What must hold before work starts"),
    field("order", "order", Form::Integer, "Rank in planning order").or(&["rank"]),
    field("goal", "goal", Form::Text, "Goal it serves"),
    field("objective", "objective", Form::Text, "Objective it serves"),
    field("value", "value", Form::Text, "Value for the business"),
    field("impact", "impact", Form::Text, "Impact on the business"),
    field("outcome", "outcome", Form::Text, "Outcome that is expected"),
    field("why_now", "why-now", Form::Text, "Why it should be done now"),
    field("assignee", "assignee", Form::Text, "Who it is assigned to").strict(),
    field("parent", "parent", Form::Item, "Id of the parent item"),
    field("reviewer", "reviewer", Form::Text, "Who reviews it"),
    field("risk", "risk", Form::Level, "Risk: low, medium, high, critical"),
    field("confidence", "confidence", Form::Confidence, "Confidence: 0..100 or low, medium, high"),
    field("sprint", "sprint", Form::Text, "Sprint"),
    field("release", "release", Form::Text, "Release"),
    field(
        "blocked_by",
        "blocked-by",
        Form::Blocker,
        "Ids of the items that block it, with commas between them, or what does in words",
    ),
    field("blocked_reason", "blocked-reason", Form::Text, "Why it is blocked"),
    field("unblock_note", "unblock-note", Form::Text, "How it was or will be unblocked"),
    field("reporter", "reporter", Form::Text, "Who reported it"),
    field("severity", "severity", Form::Level, "Severity: low, medium, high, critical"),
    field("environment", "environment", Form::Text, "Where it happens"),
    field("repro_steps", "repro-steps", Form::Text, "Steps that reproduce it"),
    field("resolution", "resolution", Form::Text, "How it was resolved"),
    field("expected_result", "expected-result", Form::Text, "What should happen").or(&["expected"]),
    field("actual_result", "actual-result", Form::Text, "What happens instead").or(&["actual"]),
    field("affected_version", "affected-version", Form::Text, "Version in which it happens"),
    field("fixed_version", "fixed-version", Form::Text, "Version in which it is fixed"),
    field("component", "component", Form::Text, "Component that owns it"),
    field("regression", "regression", Form::Boolean, "It worked before; the bare flag means true"),
    field("customer_impact", "customer-impact", Form::Text, "Impact on customers"),
    field("close_reason", "close-reason", Form::Text, "Why it is closed; needed with a status that ends it"),
    field("completed_at", "completed-at", Form::Instant, "When the work of a closed item was really done"),
];

/// Every list that a flag of `create` or `update` seeds, in the order of the help.
pub const LISTS: &[List] = &[
    List {
        key: "dependencies",
        flag: "dep",
        aliases: &[],
        clear: "clear-deps",
        replace: Some("replace-deps"),
        strict: true,
        about: "Link to an item: its id, or id=<id>,kind=<kind>",
    },
    List {
        key: "comments",
        flag: "comment",
        aliases: &[],
        clear: "clear-comments",
        replace: None,
        strict: true,
        about: "Comment: its text, or author=<name>,created_at=<time>,text=<text>",
    },
    List {
        key: "notes",
        flag: "note",
        aliases: &[],
        clear: "clear-notes",
        replace: None,
        strict: true,
        about: "Note: its text, or author=<name>,created_at=<time>,text=<text>",
    },
    List {
        key: "learnings",
        flag: "learning",
        aliases: &[],
        clear: "clear-learnings",
        replace: None,
        strict: true,
        about: "Learning: its text, or author=<name>,created_at=<time>,text=<text>",
    },
    List {
        key: "files",
        flag: "file",
        aliases: &["linked-file"],
        clear: "clear-files",
        replace: Some("replace-files"),
        strict: true,
        about: "File: its path, or path=<path>,scope=<project|global>,note=<text>",
    },
    List {
        key: "tests",
        flag: "test",
        aliases: &["linked-test"],
        clear: "clear-tests",
        replace: Some("replace-tests"),
        strict: true,
        about: "Test: command=<command>,timeout_seconds=<n>, or path=<path>",
    },
    List {
        key: "docs",
        flag: "doc",
        aliases: &["linked-doc"],
        clear: "clear-docs",
        replace: Some("replace-docs"),
        strict: true,
        about: "Document: its path, or path=<path>,scope=<project|global>,note=<text>",
    },
    List {
        key: "reminders",
        flag: "reminder",
        aliases: &[],
        clear: "clear-reminders",
        replace: None,
        strict: false,
        about: "Reminder: at=<time>,text=<text>",
    },
    List {
        key: "events",
        flag: "event",
        aliases: &[],
        clear: "clear-events",
        replace: None,
        strict: false,
        about: "Calendar event: start=<time>,end=<time> or duration=<1h>,title=<text>,all_day=<bool>,recur_freq=<daily>",
    },
    List {
        key: "type_options",
        flag: "type-option",
        aliases: &[],
        clear: "clear-type-options",
        replace: None,
        strict: false,
        about: "Option of the type: <key>=<value>",
    },
];

/// The field with this key, flag or alias; dashes and underscores are the same.
pub fn find(name: &str) -> Option<&'static Field> {
    let wanted = name.trim().trim_start_matches("--").to_ascii_lowercase().replace('-', "_");
    let same = |text: &str| text.replace('-', "_") == wanted;
    FIELDS.iter().find(|f| same(f.key) || same(f.flag) || f.aliases.iter().any(|a| same(a)))
}

/// The list with this key or flag.
pub fn find_list(name: &str) -> Option<&'static List> {
    let wanted = name.trim().trim_start_matches("--").to_ascii_lowercase().replace('-', "_");
    LISTS.iter().find(|l| l.key == wanted || l.flag.replace('-', "_") == wanted)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_flag_is_declared_once() {
        let mut seen = HashSet::new();
        let flags = FIELDS.iter().flat_map(|f| std::iter::once(&f.flag).chain(f.aliases));
        let lists =
            LISTS.iter().flat_map(|l| [&l.flag, &l.clear].into_iter().chain(l.aliases).chain(&l.replace));
        for flag in flags.chain(lists) {
            assert!(seen.insert(*flag), "--{flag} twice");
        }
        let mut letters = HashSet::new();
        for letter in FIELDS.iter().filter_map(|f| f.short) {
            assert!(letters.insert(letter), "-{letter} twice");
        }
    }

    #[test]
    fn names_are_found_in_every_spelling() {
        for name in ["estimated_minutes", "estimate", "--estimated-minutes", "Estimated-Minutes"] {
            assert_eq!(find(name).map(|f| f.key), Some("estimated_minutes"), "{name}");
        }
        assert!(find("wibble").is_none());
        assert_eq!(find_list("--dep").map(|l| l.key), Some("dependencies"));
    }
}
