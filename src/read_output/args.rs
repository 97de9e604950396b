//! The controls as they were typed, before anything is made of them.

/// An option of the command line, or a key of a library call, that is no canonical control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// With its dashes, in the spelling of the contract: `--limit`; `<text>` for a further positional argument.
    pub flag: String,
    /// Its value, when it has one.
    pub value: Option<String>,
}

/// Who sets what the caller did not type, weakest first (product.md §3.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// A structured call of the library: what is not encoded is measured as compact JSON.
    pub library: bool,
    /// A tool call: its answer is written as JSON, which nobody asked for, so the smaller ceiling of its class holds.
    pub tool: bool,
    /// Standard output is a terminal.
    pub terminal: bool,
    /// `PM_OUTPUT_FORMAT`.
    pub environment_format: Option<String>,
    /// The setting `output.default_format`.
    pub setting_format: Option<String>,
    /// The setting `output.envelope` is `full`.
    pub full_envelope: bool,
}

/// The read-output controls as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputArgs {
    /// `--output-include`.
    pub include: Option<String>,
    /// `--output-limit`.
    pub limit: Option<String>,
    /// `--output-budget`.
    pub budget: Option<String>,
    /// `--output-format`.
    pub format: Option<String>,
    /// `--output-session`: JSON text.
    pub session: Option<String>,
    /// `--output-cursor`.
    pub cursor: Option<String>,
    /// `--output-row-contract`.
    pub row_contract: bool,
    /// `--json`.
    pub json: bool,
    /// `--lean`.
    pub lean: bool,
    /// `--full-envelope`.
    pub full_envelope: bool,
    /// Every other option that was typed, in order; those synthesised by anybody but the caller are not here.
    pub typed: Vec<Typed>,
    /// What holds where nothing was typed.
    pub defaults: Defaults,
}

impl OutputArgs {
    /// Whether an option was typed.
    pub fn has(&self, flag: &str) -> bool {
        self.typed.iter().any(|typed| typed.flag == flag)
    }

    /// The last value typed for an option.
    pub fn value(&self, flag: &str) -> Option<&str> {
        self.typed.iter().rev().find(|typed| typed.flag == flag).and_then(|typed| typed.value.as_deref())
    }

    /// The canonical controls that are present, by flag, the encoding left out.
    pub(crate) fn controls(&self) -> Vec<&'static str> {
        [
            ("--output-include", self.include.is_some()),
            ("--output-limit", self.limit.is_some()),
            ("--output-budget", self.budget.is_some()),
            ("--output-session", self.session.is_some()),
            ("--output-cursor", self.cursor.is_some()),
            ("--output-row-contract", self.row_contract),
        ]
        .into_iter()
        .filter_map(|(flag, present)| present.then_some(flag))
        .collect()
    }
}

/// `output-limit`, `output_limit` and `outputLimit` as `outputLimit`.
pub fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.trim_start_matches('-').chars() {
        match letter {
            '-' | '_' => upper = !out.is_empty(),
            letter if upper => {
                out.extend(letter.to_uppercase());
                upper = false;
            }
            letter => out.push(letter),
        }
    }
    out
}
