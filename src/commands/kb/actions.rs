//! `pm kb search`, `catalog`, `preflight`, `get`, `resolve`.

use super::arguments::{Act, Given};
use super::place;
use crate::answer::Answer;
use crate::contract::{Contract, Example, Refusals, surfaces};
use crate::error::{Code, Result};
use crate::kb::actions::ACTIONS;
use crate::kb::{Library, Verb, schema};
use crate::surface::{Command, Context};

/// Declares the command of an action.
macro_rules! action {
    ($(#[doc = $doc:expr])* $name:ident, $act:ident, $verb:expr, $surface:expr, $path:expr, $about:expr, $examples:expr) => {
        $(#[doc = $doc])*
        pub(in crate::commands) struct $name;

        pub(in crate::commands) struct $act;

        impl Act for $act {
            const VERB: Verb = $verb;
        }

        impl Command for $name {
            const CONTRACT: Contract = Contract {
                path: $path,
                about: $about,
                read_output: Some($surface),
                errors: errors($verb),
                examples: $examples,
                refusals: Refusals::Retrieval,
                parameters: Some(|| schema::input_schema($verb.action())),
                ..Contract::BASE
            };
            type Args = Given<$act>;

            fn run<'a>(args: Given<$act>, context: &'a Context) -> Result<Answer<'a>> {
                Library::call(&place(context)?, $verb, &args.0, &context.want, &context.clock, context.bodies.as_ref())
            }
        }
    };
}

const OF_MANY: &[Code] = &[
    Code::UnknownParameter,
    Code::InvalidParameter,
    Code::DisclosureFlagNotPermitted,
    Code::LimitExceedsFlagCap,
    Code::FilterValueNotPermitted,
    Code::TagsNeedStructuralFilter,
    Code::KbConfigInvalidKind,
    Code::RevisionNotFound,
    Code::CursorRefused,
    Code::RepositoryMissing,
];

const OF_GET: &[Code] = &[
    Code::UnknownParameter,
    Code::InvalidParameter,
    Code::MultipleUrisNotPermitted,
    Code::DisclosureFlagNotPermitted,
    Code::FilterNotAccepted,
    Code::KbConfigInvalidKind,
    Code::RevisionNotFound,
    Code::UriNotFound,
    Code::UriAmbiguous,
    Code::SectionNotFound,
    Code::BodyRateLimited,
    Code::RepositoryMissing,
];

const OF_RESOLVE: &[Code] = &[
    Code::UnknownParameter,
    Code::InvalidParameter,
    Code::MultipleUrisNotPermitted,
    Code::DisclosureFlagNotPermitted,
    Code::FilterNotAccepted,
    Code::KbConfigInvalidKind,
    Code::RevisionNotFound,
    Code::UriNotFound,
    Code::UriAmbiguous,
    Code::CircularSupersession,
    Code::SupersessionTooDeep,
    Code::SectionNotFound,
    Code::BodyRateLimited,
    Code::RepositoryMissing,
];

const fn errors(verb: Verb) -> &'static [Code] {
    match verb {
        Verb::Get => OF_GET,
        Verb::Resolve => OF_RESOLVE,
        Verb::Search | Verb::Catalog | Verb::Preflight => OF_MANY,
    }
}

action! {
    /// Finds documents.
    Search, OfSearch, Verb::Search, surfaces::KB_SEARCH, &["kb", "search"], ACTIONS[0].about, &[
        Example { about: "What does this repository say about it?", argv: &["kb", "search", "release process"] },
        Example {
            about: "With the teaser of each document",
            argv: &["kb", "search", "release process", "--disclosure", "blockquote"],
        },
    ]
}

action! {
    /// Lists documents.
    Catalog, OfCatalog, Verb::Catalog, surfaces::KB_CATALOG, &["kb", "catalog"], ACTIONS[1].about, &[
        Example { about: "The first 25 documents, URI and title", argv: &["kb", "catalog"] },
        Example {
            about: "The record of how it came to be",
            argv: &["kb", "catalog", "--include", "journals", "--sort", "date", "--order", "desc"],
        },
    ]
}

action! {
    /// Ranks what to know before a task.
    Preflight, OfPreflight, Verb::Preflight, surfaces::KB_PREFLIGHT, &["kb", "preflight"], ACTIONS[2].about, &[
        Example { about: "Before work begins", argv: &["kb", "preflight", "add a retrieval action"] },
    ]
}

action! {
    /// Shows one document.
    Get, OfGet, Verb::Get, surfaces::KB_GET, &["kb", "get"], ACTIONS[3].about, &[
        Example { about: "The whole document", argv: &["kb", "get", "README.md"] },
        Example {
            about: "Its teaser and its fields only",
            argv: &["kb", "get", "README.md", "--disclosure", "blockquote,metadata"],
        },
    ]
}

action! {
    /// Shows the document that a URI leads to now.
    Resolve, OfResolve, Verb::Resolve, surfaces::KB_RESOLVE, &["kb", "resolve"], ACTIONS[4].about, &[
        Example { about: "Where did it go?", argv: &["kb", "resolve", "docs/old-name.md"] },
    ]
}
