//! The five actions, one table: what each takes, what holds where a call is silent, which tiers it may show.
//!
//! Command line, input schemas, help, contracts and the check of a call are all made of [`ACTIONS`], so a default
//! cannot differ between them (seed 000: the declared schema is the single source of truth).

/// A tier that a caller may add to URI and title.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// The quote under the title.
    Blockquote,
    /// All fields of the front matter.
    Metadata,
    /// The section Summary.
    Summary,
    /// The whole text.
    Body,
}

impl Flag {
    /// All four, in the order of the contract.
    pub const ALL: [Flag; 4] = [Flag::Blockquote, Flag::Metadata, Flag::Summary, Flag::Body];

    /// The name on the wire, and the key of a row.
    pub fn as_str(self) -> &'static str {
        match self {
            Flag::Blockquote => "blockquote",
            Flag::Metadata => "metadata",
            Flag::Summary => "summary",
            Flag::Body => "body",
        }
    }

    /// The tier of exactly this name.
    pub fn named(name: &str) -> Option<Flag> {
        Flag::ALL.into_iter().find(|flag| flag.as_str() == name)
    }

    /// The most rows that an answer with this tier has.
    pub fn cap(self) -> usize {
        match self {
            Flag::Blockquote => 200,
            Flag::Metadata => 100,
            Flag::Summary => 25,
            Flag::Body => 1,
        }
    }

    /// Its bit in the identities of a session.
    pub fn bit(self) -> u8 {
        match self {
            Flag::Blockquote => 1,
            Flag::Metadata => 2,
            Flag::Summary => 4,
            Flag::Body => 8,
        }
    }
}

/// The most rows of an answer without any tier.
pub const BASE_CAP: usize = 500;

/// The rows of an answer where the call names no count.
pub const DEFAULT_LIMIT: usize = 25;

/// The most tokens of an answer of many rows, whatever is asked for.
pub const RESPONSE_CEILING: u64 = 30_000;

/// A set of tiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disclosure(u8);

impl Disclosure {
    /// Of these tiers.
    pub fn of(flags: &[Flag]) -> Disclosure {
        Disclosure(flags.iter().fold(0, |bits, flag| bits | flag.bit()))
    }

    /// Whether a tier is in it.
    pub fn has(self, flag: Flag) -> bool {
        self.0 & flag.bit() != 0
    }

    /// The same without a tier.
    pub fn without(self, flag: Flag) -> Disclosure {
        Disclosure(self.0 & !flag.bit())
    }

    /// Its tiers, in the order of the contract.
    pub fn flags(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().filter(move |flag| self.has(*flag))
    }

    /// Their names.
    pub fn names(self) -> Vec<&'static str> {
        self.flags().map(Flag::as_str).collect()
    }

    /// The bits of its tiers.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The most rows, and the tier that says so; none for the base shape.
    pub fn cap(self) -> (usize, Option<Flag>) {
        let limiting = self.flags().min_by_key(|flag| flag.cap());
        (limiting.map_or(BASE_CAP, Flag::cap), limiting)
    }
}

/// One of the five.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Documents that answer a query.
    Search,
    /// All documents of a slice.
    Catalog,
    /// Documents to know before a task.
    Preflight,
    /// One document.
    Get,
    /// One document, behind aliases, renames and supersession.
    Resolve,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A text, not blank, at most so many characters.
    Text(usize),
    /// One text or several.
    Texts,
    /// One kind or several.
    Kinds,
    /// One integer or several.
    Integers,
    /// A count, at least so much.
    Count(u64),
    /// `true` or `false`.
    Boolean,
    /// Nothing: it is said or not.
    Switch,
    /// One of these.
    Word(&'static [&'static str]),
    /// A set of tiers.
    Tiers,
}

/// A parameter of an action.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in structured calls.
    pub name: &'static str,
    /// The flag on the command line, without dashes.
    pub flag: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Whether it says which documents, by their structure.
    pub filter: bool,
    /// What it means, in one line.
    pub about: &'static str,
}

/// An action.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// Which.
    pub verb: Verb,
    /// Its name on the wire and the last word of its command.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// The name of its subject: what stands on the command line without a flag; none when it has none.
    pub subject: Option<Parameter>,
    /// Everything else, in the order of help.
    pub parameters: &'static [Parameter],
    /// The tiers it may show.
    pub permitted: &'static [Flag],
    /// The tiers it shows to a call that names none.
    pub default_disclosure: &'static [Flag],
    /// The fields of a row that do not depend on tiers, beside `uri` and `title`.
    pub native: &'static [&'static str],
    /// Whether it answers with rows.
    pub many: bool,
}

const fn parameter(name: &'static str, flag: &'static str, takes: Takes, about: &'static str) -> Parameter {
    Parameter { name, flag, takes, filter: false, about }
}

const fn filter(name: &'static str, flag: &'static str, takes: Takes, about: &'static str) -> Parameter {
    Parameter { name, flag, takes, filter: true, about }
}

const TIERS: Parameter = parameter(
    "disclosure",
    "disclosure",
    Takes::Tiers,
    "Tiers to add to uri and title: blockquote (at most 200 rows), metadata (100), summary (25); none for none, \
     which is the default",
);
const TIERS_OF_ONE: Parameter = parameter(
    "disclosure",
    "disclosure",
    Takes::Tiers,
    "Tiers to add to uri and title: blockquote, metadata, summary, body; none for none; body by default",
);
const LIMIT: Parameter = parameter(
    "limit",
    "limit",
    Takes::Count(1),
    "Rows to show, 25 by default; at most 500, with blockquote 200, with metadata 100, with summary 25",
);
const OFFSET: Parameter = parameter("offset", "offset", Takes::Count(0), "Rows to pass over, 0 by default");
const INCLUDE: Parameter = filter(
    "include",
    "include",
    Takes::Kinds,
    "Kinds of documents to look at: canon, docs, journals, essays, apocrypha; canon,docs,essays by default. Fields \
     are chosen with --output-include",
);
const EXCLUDE: Parameter = filter("exclude", "exclude", Takes::Kinds, "Kinds to leave out of those included");
const AUDIENCE: Parameter =
    filter("audience", "audience", Takes::Texts, "For whom the document is: any of these");
const EXPOSURE: Parameter =
    filter("exposure", "exposure", Takes::Texts, "How far it may be shown: any of these");
const TIER: Parameter = filter("tier", "tier", Takes::Integers, "How binding it is: any of these, 1 to 4");
const PUBLIC: Parameter =
    filter("public", "public", Takes::Boolean, "Whether it declares to be public: true or false");
const START_HERE: Parameter = filter(
    "start_here",
    "start-here",
    Takes::Boolean,
    "Whether it declares to be a beginning: true or false",
);
const PATH_PREFIX: Parameter = filter(
    "path_prefix",
    "path-prefix",
    Takes::Texts,
    "Where its file lies: any of these beginnings of paths",
);
const TAGS: Parameter = parameter(
    "tags",
    "tags",
    Takes::Texts,
    "All of these tags, within a slice: beside a filter, --include or --exclude",
);
const SORT: Parameter = parameter(
    "sort_by",
    "sort",
    Takes::Word(&["path", "title", "date", "uri"]),
    "Order of the rows, path by default",
);
const ORDER: Parameter = parameter(
    "order",
    "order",
    Takes::Word(&["asc", "desc"]),
    "Its direction, asc by default; undated rows stay last",
);
const SECTION: Parameter =
    parameter("section", "section", Takes::Text(1_000), "Only the part of the body under this heading");
const REV: Parameter =
    parameter("rev", "rev", Takes::Text(1_000), "A Git revision, instead of the work tree");
const LEGACY: Parameter = parameter(
    "include_legacy_envelope",
    "include-legacy-envelope",
    Takes::Switch,
    "Add the envelope of the older server, while it lasts",
);

/// The structural filters that `tags` needs one of.
pub const STRUCTURAL: [&str; 6] = ["audience", "exposure", "tier", "public", "start_here", "path_prefix"];

const OF_MANY: &[Parameter] = &[
    TIERS,
    LIMIT,
    OFFSET,
    INCLUDE,
    EXCLUDE,
    AUDIENCE,
    EXPOSURE,
    TIER,
    PUBLIC,
    START_HERE,
    PATH_PREFIX,
    TAGS,
    REV,
    LEGACY,
];
const OF_CATALOG: &[Parameter] = &[
    TIERS,
    LIMIT,
    OFFSET,
    INCLUDE,
    EXCLUDE,
    AUDIENCE,
    EXPOSURE,
    TIER,
    PUBLIC,
    START_HERE,
    PATH_PREFIX,
    TAGS,
    SORT,
    ORDER,
    REV,
    LEGACY,
];
const OF_ONE: &[Parameter] = &[TIERS_OF_ONE, SECTION, REV, LEGACY];

const ROWS: &[Flag] = &[Flag::Blockquote, Flag::Metadata, Flag::Summary];

const URI: Parameter =
    parameter("uri", "uri", Takes::Text(1_000), "A URI, a path in the repository, or the id of an item");

/// The five actions.
pub const ACTIONS: [Action; 5] = [
    Action {
        verb: Verb::Search,
        name: "search",
        about: "Find documents that answer a query",
        subject: Some(parameter(
            "query",
            "query",
            Takes::Text(1_000),
            "What is looked for; \"quoted words\" must stand together",
        )),
        parameters: OF_MANY,
        permitted: ROWS,
        default_disclosure: &[],
        native: &["score", "snippet"],
        many: true,
    },
    Action {
        verb: Verb::Catalog,
        name: "catalog",
        about: "List the documents of a repository, or a slice of them",
        subject: None,
        parameters: OF_CATALOG,
        permitted: ROWS,
        default_disclosure: &[],
        native: &["position"],
        many: true,
    },
    Action {
        verb: Verb::Preflight,
        name: "preflight",
        about: "Rank what to know before a task: constraints, definitions of done, what is relevant",
        subject: Some(parameter("task", "task", Takes::Text(1_000), "The task, in a sentence")),
        parameters: OF_MANY,
        permitted: ROWS,
        default_disclosure: &[],
        native: &["position", "role", "score"],
        many: true,
    },
    Action {
        verb: Verb::Get,
        name: "get",
        about: "Show one document by its URI, path or item id",
        subject: Some(URI),
        parameters: OF_ONE,
        permitted: &Flag::ALL,
        default_disclosure: &[Flag::Body],
        native: &[],
        many: false,
    },
    Action {
        verb: Verb::Resolve,
        name: "resolve",
        about: "Show the document that a URI leads to now, through aliases, renames and supersession",
        subject: Some(URI),
        parameters: OF_ONE,
        permitted: &Flag::ALL,
        default_disclosure: &[Flag::Body],
        native: &[],
        many: false,
    },
];

impl Verb {
    /// Its declaration.
    pub fn action(self) -> &'static Action {
        match self {
            Verb::Search => &ACTIONS[0],
            Verb::Catalog => &ACTIONS[1],
            Verb::Preflight => &ACTIONS[2],
            Verb::Get => &ACTIONS[3],
            Verb::Resolve => &ACTIONS[4],
        }
    }
}

impl Action {
    /// The parameter of this name, the subject included.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.subject.iter().chain(self.parameters).find(|parameter| parameter.name == name)
    }

    /// The names of all parameters.
    pub fn names(&self) -> Vec<&'static str> {
        self.subject.iter().chain(self.parameters).map(|parameter| parameter.name).collect()
    }

    /// The names of the tiers it may show.
    pub fn permitted_names(&self) -> Vec<&'static str> {
        self.permitted.iter().map(|flag| flag.as_str()).collect()
    }
}

/// A filter that only actions of many rows take, and `tags`; none for any other name.
pub fn filter_named(name: &str) -> Option<&'static Parameter> {
    OF_MANY.iter().find(|parameter| parameter.name == name && (parameter.filter || parameter.name == "tags"))
}

/// The filters, `tags` included.
pub fn filters() -> impl Iterator<Item = &'static Parameter> {
    OF_MANY.iter().filter(|parameter| parameter.filter || parameter.name == "tags")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_its_declaration() {
        for action in &ACTIONS {
            assert_eq!(action.verb.action().name, action.name);
            assert_eq!(action.many, !action.permitted.contains(&Flag::Body));
            for flag in action.default_disclosure {
                assert!(action.permitted.contains(flag));
            }
        }
    }

    #[test]
    fn the_most_restrictive_tier_caps() {
        assert_eq!(Disclosure::default().cap(), (500, None));
        assert_eq!(Disclosure::of(&[Flag::Summary, Flag::Blockquote]).cap(), (25, Some(Flag::Summary)));
        assert_eq!(Disclosure::of(&Flag::ALL).cap(), (1, Some(Flag::Body)));
        assert_eq!(Disclosure::of(&[Flag::Body, Flag::Blockquote]).names(), ["blockquote", "body"]);
    }
}
