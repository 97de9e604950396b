//! Which facts of an item a record holds: one list per storage shape.

/// Declares an enum whose variants are slots of a record, with the item's key for each.
macro_rules! slots {
    ($(#[doc = $doc:expr])* $name:ident { $($variant:ident = $key:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!("`", $key, "`")] $variant,)* }

        impl $name {
            /// Every slot, in storage order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The key in the item's metadata.
            pub fn key(self) -> &'static str {
                match self { $($name::$variant => $key,)* }
            }
        }
    };
}

slots! {
    /// Texts of a record, as stored in the item.
    Text {
        Id = "id",
        Title = "title",
        Status = "status",
        Kind = "type",
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        Deadline = "deadline",
        ClosedAt = "closed_at",
        CompletedAt = "completed_at",
        Parent = "parent",
        Assignee = "assignee",
        ClaimPrincipal = "claim_principal",
        Author = "author",
        SourceOwner = "source_owner",
        Sprint = "sprint",
        Release = "release",
        Reviewer = "reviewer",
        Risk = "risk",
        Severity = "severity",
        Confidence = "confidence",
        BlockedBy = "blocked_by",
        BlockedReason = "blocked_reason",
        UnblockNote = "unblock_note",
        DuplicateOf = "duplicate_of",
        Component = "component",
        Reporter = "reporter",
        ExternalRef = "external_ref",
        PlanMode = "plan_mode",
    }
}

slots! {
    /// Lengths of an item's collections.
    Count {
        Comments = "comments",
        Notes = "notes",
        Learnings = "learnings",
        Files = "files",
        Docs = "docs",
        Tests = "tests",
        TestRuns = "test_runs",
        Dependencies = "dependencies",
        Reminders = "reminders",
        Events = "events",
        PlanSteps = "plan_steps",
    }
}

slots! {
    /// Numbers of a record.
    Number {
        Created = "created_at",
        Updated = "updated_at",
        Deadline = "deadline",
        Closed = "closed_at",
        EstimatedMinutes = "estimated_minutes",
        Order = "order",
        FormatVersion = "pm_format_version",
    }
}

/// Which optional parts an item has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence(pub(super) u32);

macro_rules! presence {
    ($($(#[doc = $doc:expr])* $name:ident = $bit:literal $(, $key:literal)?;)*) => {
        impl Presence {
            $($(#[doc = $doc])* pub const $name: Presence = Presence(1 << $bit);)*

            /// The parts that are present when the text under a key is not blank.
            pub(super) const NON_BLANK: &'static [(&'static str, Presence)] =
                &[$($(($key, Presence::$name),)?)*];
        }
    };
}

presence! {
    /// The body is not blank.
    BODY = 0;
    /// `estimated_minutes` is a finite number.
    ESTIMATE = 1;
    /// Some linked test has a command.
    LINKED_COMMAND = 2;
    /// `acceptance_criteria` is not blank.
    ACCEPTANCE_CRITERIA = 3, "acceptance_criteria";
    /// `resolution` is not blank.
    RESOLUTION = 4, "resolution";
    /// `expected_result` is not blank.
    EXPECTED_RESULT = 5, "expected_result";
    /// `actual_result` is not blank.
    ACTUAL_RESULT = 6, "actual_result";
    /// `close_reason` is not blank.
    CLOSE_REASON = 7, "close_reason";
    /// `description` is not blank.
    DESCRIPTION = 8, "description";
    /// `reviewer` is not blank.
    REVIEWER = 9, "reviewer";
    /// `risk` is not blank.
    RISK = 10, "risk";
    /// `confidence` is there.
    CONFIDENCE = 11, "confidence";
    /// `sprint` is not blank.
    SPRINT = 12, "sprint";
    /// `release` is not blank.
    RELEASE = 13, "release";
    /// `blocked_reason` is not blank.
    BLOCKED_REASON = 14, "blocked_reason";
    /// `definition_of_ready` is not blank.
    DEFINITION_OF_READY = 15, "definition_of_ready";
}

impl Presence {
    /// Whether all of `parts` are present.
    pub fn has(self, parts: Presence) -> bool {
        self.0 & parts.0 == parts.0
    }

    pub(super) fn add(&mut self, parts: Presence) {
        self.0 |= parts.0;
    }
}
