//! The words of the catalog: every closed vocabulary once, with its order where it has one.

use serde::{Deserialize, Serialize};

/// Declares a vocabulary: the variants in their order, the word of each on the wire.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$one:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$one])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All of them, in their order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// Their words, in their order.
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The one of this word.
            pub fn named(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                match $name::WORDS {
                    [only] => schemars::json_schema!({"const": only}),
                    words => schemars::json_schema!({"enum": words}),
                }
            }
        }
    };
}

words! {
    /// The version of the documents of the first major.
    SchemaVersion {
        /// The first.
        V1 = "1.0",
    }
}

words! {
    /// What a record is: a procedure to read, or one that a runtime can walk.
    Profile {
        /// Ordered steps with prose.
        P0 = "p0",
        /// Typed steps with edges and capabilities.
        P1 = "p1",
    }
}

words! {
    /// Who does the steps.
    Execution {
        /// A person.
        Manual = "manual",
        /// A person with a runtime.
        Assisted = "assisted",
        /// A runtime.
        Automated = "automated",
    }
}

words! {
    /// What a step may cost, from harmless to final.
    Risk {
        /// It changes nothing.
        ReadOnly = "read_only",
        /// It can be undone.
        Reversible = "reversible",
        /// It loses something that can be made again.
        Destructive = "destructive",
        /// It cannot be undone.
        Irreversible = "irreversible",
    }
}

impl Risk {
    /// Whether a step of this risk needs the approval of a person, whatever its author says.
    pub fn forces_approval(self) -> bool {
        self >= Risk::Destructive
    }
}

words! {
    /// What a runtime enforces; each includes the one before.
    RuntimeProfile {
        /// Shows a procedure and starts nothing.
        R0 = "R0",
        /// The allowlist for the whole record, approval by a person.
        R1 = "R1",
        /// A journal, timeouts, expectations, the edges of failure and undoing.
        R2 = "R2",
        /// Isolation.
        R3 = "R3",
    }
}

words! {
    /// What a step of a profile-1 record is.
    StepKind {
        /// It does something with a capability.
        Action = "action",
        /// It looks at something.
        Check = "check",
        /// It chooses the way on.
        Decision = "decision",
        /// A person does it.
        Manual = "manual",
    }
}

words! {
    /// How the text of a body is meant.
    BodyFormat {
        /// Markdown.
        Markdown = "markdown",
        /// As it stands.
        Plain = "plain",
    }
}

words! {
    /// What an input of a procedure takes.
    InputType {
        /// A text.
        String = "string",
        /// A whole number.
        Integer = "integer",
        /// Yes or no.
        Boolean = "boolean",
        /// One of its `values`.
        Enum = "enum",
    }
}

words! {
    /// How far a record may be trusted, from nothing known to proven.
    Level {
        /// Unattributed: valid, nothing more; or revoked.
        T0 = "T0",
        /// Attributed to a principal.
        T1 = "T1",
        /// Reviewed by a person who is not its publisher.
        T2 = "T2",
        /// Exercised within the last 180 days.
        T3 = "T3",
        /// Proven in production within the last 180 days.
        T4 = "T4",
    }
}

impl Level {
    /// The lowest level of the lists that everybody reads.
    pub const FLOOR: Level = Level::T2;

    /// Whether time takes the level away.
    pub fn decays(self) -> bool {
        self >= Level::T3
    }

    /// Whether bodies of a record of this level are data that nobody vouches for.
    pub fn is_untrusted(self) -> bool {
        self < Level::FLOOR
    }
}

words! {
    /// What a statement says.
    StatementKind {
        /// The publisher stands by the content.
        Publish = "publish",
        /// A reader judged it.
        Review = "review",
        /// It was run.
        Run = "run",
        /// It must not be used any more.
        Revoke = "revoke",
        /// Steps may be done; for a run, never evidence.
        Approval = "approval",
    }
}

impl StatementKind {
    /// The namespace of the signatures of such statements.
    pub const fn namespace(self) -> &'static str {
        match self {
            StatementKind::Publish => "pm-catalog-record",
            StatementKind::Review => "pm-catalog-review",
            StatementKind::Run => "pm-catalog-run",
            StatementKind::Revoke => "pm-catalog-revoke",
            StatementKind::Approval => "pm-catalog-approval",
        }
    }

    /// Whether it says something about a record, so that it belongs beside one.
    pub fn is_evidence(self) -> bool {
        self != StatementKind::Approval
    }
}

words! {
    /// The word of a review.
    ReviewVerdict {
        /// It is good.
        Approve = "approve",
        /// It is not.
        Reject = "reject",
    }
}

words! {
    /// How a run ended.
    Outcome {
        /// As it should.
        Success = "success",
        /// Otherwise.
        Failure = "failure",
    }
}

words! {
    /// Where a run happened.
    Environment {
        /// Where nothing can break.
        Rehearsal = "rehearsal",
        /// A copy of the real thing.
        Staging = "staging",
        /// The real thing.
        Production = "production",
    }
}

words! {
    /// What a look at a signature found; only `valid` counts.
    Verdict {
        /// The key of the principal signed these bytes for this purpose.
        Valid = "valid",
        /// The signature is not of these bytes, not for this purpose, or none.
        Invalid = "invalid",
        /// Nobody listed the key.
        UnknownKey = "unknown_key",
        /// The key is listed as revoked.
        RevokedKey = "revoked_key",
        /// The key belongs to somebody else.
        WrongPrincipal = "wrong_principal",
        /// There is no signature.
        Absent = "absent",
    }
}

words! {
    /// What a principal is.
    PrincipalKind {
        /// A person.
        Human = "human",
        /// A program that decides.
        Agent = "agent",
        /// A program that does as told.
        Service = "service",
    }
}

words! {
    /// What a principal may do.
    Role {
        /// Judge records.
        Reviewer = "reviewer",
        /// Tell of runs.
        Attester = "attester",
        /// Revoke.
        Maintainer = "maintainer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_ordered() {
        assert_eq!(Risk::named("destructive"), Some(Risk::Destructive));
        assert_eq!(Risk::named("severe"), None);
        assert!(Level::T1.is_untrusted() && !Level::T2.is_untrusted() && Level::T3.decays());
        assert!(Risk::Irreversible.forces_approval() && !Risk::Reversible.forces_approval());
        assert_eq!(serde_json::to_value(RuntimeProfile::R2).unwrap(), "R2");
    }
}
