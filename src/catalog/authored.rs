//! A record as its author writes it. The types are the declaration: both authored schemas, the served one and the
//! TypeScript declarations are made of them ([`super::schema`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::words::{
    BodyFormat, Execution, InputType, Profile, Risk, RuntimeProfile, SchemaVersion, StepKind,
};

/// The form of slugs and topics: they are names of folders and files too.
pub const SLUG: &str = "^[a-z0-9][a-z0-9-]{1,62}$";

/// The form of a capability: a scheme and a name, no wildcards.
pub const CAPABILITY: &str = "^[a-z][a-z0-9]*:[A-Za-z0-9][A-Za-z0-9._/-]*$";

/// The form of a step's id.
pub const STEP_ID: &str = "^[a-z][a-z0-9-]{0,39}$";

/// The form of an input's name.
pub const INPUT_NAME: &str = "^[a-z][a-z0-9_]{0,39}$";

/// A runbook as its author writes it, in either profile; [`super::schema`] says what each profile leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Authored {
    /// The version of the form.
    pub schema_version: SchemaVersion,
    /// A procedure to read, or one that a runtime can walk.
    pub profile: Profile,
    /// The name of the record and of its folder.
    #[schemars(regex(pattern = SLUG))]
    pub slug: String,
    /// Earlier slugs, oldest first: the id is made of the oldest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(regex(pattern = SLUG)), extend("uniqueItems" = true))]
    pub former_slugs: Vec<String>,
    /// What it does, in one line.
    #[schemars(length(min = 1, max = 120))]
    pub title: String,
    /// What it does, in a paragraph.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 600))]
    pub summary: String,
    /// The principal who stands by it.
    #[schemars(length(min = 1, max = 200))]
    pub publisher: String,
    /// What it is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = SLUG))]
    pub topic: Option<String>,
    /// What somebody sees who needs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), inner(length(max = 200)))]
    pub symptoms: Vec<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), inner(length(max = 80)))]
    pub targets: Vec<String>,
    /// Further words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), inner(length(max = 40)))]
    pub tags: Vec<String>,
    /// Who does the steps.
    pub execution: Execution,
    /// What a runtime must be allowed to do: a request for privileges.
    #[schemars(
        length(max = 100),
        inner(regex(pattern = CAPABILITY), length(max = 200)),
        extend("uniqueItems" = true)
    )]
    pub capabilities: Vec<String>,
    /// What a runtime must enforce.
    pub min_runtime_profile: RuntimeProfile,
    /// What the caller provides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub inputs: Vec<Input>,
    /// Positions of an editor.
    #[serde(rename = "x-layout", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    pub layout: Option<Value>,
    /// What to do, in order.
    #[schemars(length(min = 1, max = 200))]
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name within the record.
    #[schemars(regex(pattern = STEP_ID))]
    pub id: String,
    /// What it does, in one line.
    #[schemars(length(min = 1, max = 120))]
    pub title: String,
    /// What it may cost; there is no default, since silence is not "safe".
    pub risk: Risk,
    /// How to do it.
    pub body: Body,
    /// Whether a person must agree first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub requires_approval: Option<bool>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StepKind")]
    pub kind: Option<StepKind>,
    /// The capability it uses, one of the record's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", regex(pattern = CAPABILITY))]
    pub capability: Option<String>,
    /// The steps that may follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    pub next: Vec<String>,
    /// The step that follows a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub on_fail: Option<String>,
    /// The step that undoes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub undo: Option<String>,
    /// The most seconds it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 1, max = 86_400))]
    pub timeout_s: Option<Number>,
    /// What is to be seen when it worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(max = 500))]
    pub expect: Option<String>,
}

/// The text of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The text.
    #[schemars(length(max = 20_000))]
    pub text: String,
    /// How it is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BodyFormat")]
    pub format: Option<BodyFormat>,
}

/// Something that the caller provides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name, as bodies write it.
    #[schemars(regex(pattern = INPUT_NAME))]
    pub name: String,
    /// What it takes.
    #[serde(rename = "type")]
    pub kind: InputType,
    /// The legal values of an `enum`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(max = 200)))]
    pub values: Vec<String>,
    /// Whether it must be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub required: Option<bool>,
    /// Whether its value must never be written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub secret: Option<bool>,
}

impl Authored {
    /// The slug that the id is made of.
    pub fn oldest_slug(&self) -> &str {
        self.former_slugs.first().unwrap_or(&self.slug)
    }

    /// The highest risk of its steps.
    pub fn risk(&self) -> Risk {
        self.steps.iter().map(|step| step.risk).max().unwrap_or(Risk::Irreversible)
    }
}
