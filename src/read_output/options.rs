//! The seven controls of the read output, for callers of the library.

use serde_json::{Map, Value, json};

use super::Format;

/// What to include, how much, at what cost, in which encoding, and where to go on: the same controls as
/// `--output-include` and its sisters, under the names of structured calls.
///
/// ```
/// use pm::read_output::{Format, ReadOutputOptions, resolve_read_output_dimensions};
/// use serde_json::json;
///
/// let options = ReadOutputOptions::new().include(["id", "title"]).limit(10).budget(800).row_contract();
/// assert_eq!(
///     serde_json::Value::Object(options.to_map()),
///     json!({"outputInclude": ["id", "title"], "outputLimit": 10, "outputBudget": 800, "outputRowContract": true}),
/// );
/// let controls = resolve_read_output_dimensions("list", &options.to_map())?;
/// assert_eq!(controls.want.selectors, ["id", "title"]);
/// # Ok::<(), pm::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReadOutputOptions {
    /// Modes (`brief`, `full`) and fields; everything that the surface shows when it is empty.
    pub include: Vec<String>,
    /// The most rows of each primary collection, or all of them.
    pub limit: Option<Bound>,
    /// The most tokens, or as many as it takes; the default of the surface where there is none.
    pub budget: Option<Bound>,
    /// The encoding that is measured.
    pub format: Option<Format>,
    /// The state that the last answer of a session gave.
    pub session: Option<Value>,
    /// Where the last answer ended.
    pub cursor: Option<String>,
    /// Whether the answer says what its rows are.
    pub row_contract: bool,
}

/// A number, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most so many.
    AtMost(u64),
    /// As many as there are.
    Unbounded,
}

impl Bound {
    fn value(self) -> Value {
        match self {
            Bound::AtMost(number) => json!(number),
            Bound::Unbounded => json!("unbounded"),
        }
    }
}

impl From<u64> for Bound {
    fn from(number: u64) -> Bound {
        Bound::AtMost(number)
    }
}

impl ReadOutputOptions {
    /// No wish: the defaults of the surface.
    pub fn new() -> ReadOutputOptions {
        ReadOutputOptions::default()
    }

    /// Only these fields; a mode of the surface is a word among them.
    pub fn include<S: Into<String>>(mut self, selectors: impl IntoIterator<Item = S>) -> ReadOutputOptions {
        self.include.extend(selectors.into_iter().map(Into::into));
        self
    }

    /// At most so many rows; [`Bound::Unbounded`] for all.
    pub fn limit(mut self, rows: impl Into<Bound>) -> ReadOutputOptions {
        self.limit = Some(rows.into());
        self
    }

    /// At most so many tokens; [`Bound::Unbounded`] for as many as it takes.
    pub fn budget(mut self, tokens: impl Into<Bound>) -> ReadOutputOptions {
        self.budget = Some(tokens.into());
        self
    }

    /// The encoding whose length is measured; the answer is a value all the same.
    pub fn format(mut self, format: Format) -> ReadOutputOptions {
        self.format = Some(format);
        self
    }

    /// Goes on with a session: what was shown before is not shown again.
    pub fn session(mut self, state: Value) -> ReadOutputOptions {
        self.session = Some(state);
        self
    }

    /// Goes on where an answer ended.
    pub fn cursor(mut self, cursor: impl Into<String>) -> ReadOutputOptions {
        self.cursor = Some(cursor.into());
        self
    }

    /// Asks what the rows are.
    pub fn row_contract(mut self) -> ReadOutputOptions {
        self.row_contract = true;
        self
    }

    /// The options as keys of a structured call; those without a wish are left out.
    pub fn to_map(&self) -> Map<String, Value> {
        let include = (!self.include.is_empty()).then(|| json!(self.include));
        [
            ("outputInclude", include),
            ("outputLimit", self.limit.map(Bound::value)),
            ("outputBudget", self.budget.map(Bound::value)),
            ("outputFormat", self.format.map(|format| json!(format.name()))),
            ("outputSession", self.session.clone()),
            ("outputCursor", self.cursor.as_ref().map(|cursor| json!(cursor))),
            ("outputRowContract", self.row_contract.then_some(Value::Bool(true))),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect()
    }
}
