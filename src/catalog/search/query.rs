//! The parameters of a search, checked: what cannot be answered is refused, nothing is ignored.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use serde_json::{Map, Value, json};

use super::refusal::{no_such_word, parameter_refused};
use super::words::words;
use crate::catalog::authored::CAPABILITY;
use crate::catalog::words::{Execution, Level, Profile, Risk};
use crate::error::{Error, Result};

/// The parameters, by their names on the wire; the command spells them with dashes.
pub const PARAMETERS: [&str; 9] =
    ["symptom", "target", "risk_max", "execution", "trust_min", "profile", "available", "limit", "cursor"];

/// The hits of a page when nobody says, and at most.
const LIMIT: usize = 25;
const MOST: usize = 100;

/// The longest symptom, the most targets and capabilities.
const LONGEST_SYMPTOM: usize = 2_000;
const MOST_VALUES: usize = 1_000;

static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(CAPABILITY).ok());

/// The parameters as they came: by name, in the order given, repeated where they were.
pub type Given = Vec<(String, String)>;

/// A query that can be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The words of the symptom; none when no symptom was given.
    pub symptom: Option<Vec<String>>,
    /// The symptom as it was given.
    pub(super) symptom_text: Option<String>,
    /// A record must be about one of these; none: about anything.
    pub targets: Vec<String>,
    /// The highest risk.
    pub risk_max: Option<Risk>,
    /// Who does the steps.
    pub execution: Option<Execution>,
    /// The lowest effective level.
    pub trust_min: Level,
    /// Which profile.
    pub profile: Option<Profile>,
    /// Every capability of a record must be among these.
    pub available: Option<Vec<String>>,
    /// The most hits of a page.
    pub limit: usize,
    /// Where the last page ended.
    pub(super) cursor: Option<String>,
}

impl Query {
    /// Everything that the filters let through: what a page shows before anybody asks for something.
    pub fn browse() -> Query {
        Query {
            symptom: None,
            symptom_text: None,
            targets: Vec::new(),
            risk_max: None,
            execution: None,
            trust_min: Level::FLOOR,
            profile: None,
            available: None,
            limit: LIMIT,
            cursor: None,
        }
    }

    /// Checks the parameters of a search.
    ///
    /// Errors: `PARAMETER_REFUSED`.
    pub fn read(given: &[(String, String)]) -> Result<Query> {
        let mut query = Query::browse();
        let mut seen: Vec<&str> = Vec::new();
        for (name, value) in given {
            let Some(known) = PARAMETERS.iter().find(|known| *known == name) else {
                return Err(unknown(name, value));
            };
            if *known != "target" && seen.contains(known) {
                return Err(parameter_refused(name, &json!(value), &Value::Null, "is given more than once"));
            }
            seen.push(known);
            query.take(known, value)?;
        }
        if query.symptom.is_none() && query.targets.is_empty() && query.available.is_none() {
            let why = "is needed, or target, or available: a search without any of them asks for nothing";
            return Err(parameter_refused("symptom", &Value::Null, &Value::Null, why));
        }
        Ok(query)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "symptom" => self.take_symptom(value)?,
            "target" => self.take_targets(value)?,
            "risk_max" => self.risk_max = Some(word(name, value, Risk::named, Risk::WORDS)?),
            "execution" => self.execution = Some(word(name, value, Execution::named, Execution::WORDS)?),
            "trust_min" => self.trust_min = word(name, value, Level::named, Level::WORDS)?,
            "profile" => self.profile = Some(word(name, value, Profile::named, Profile::WORDS)?),
            "available" => self.available = Some(capabilities(value)?),
            "limit" => self.limit = limit(value)?,
            _ => self.cursor = Some(value.trim().to_owned()),
        }
        Ok(())
    }

    fn take_symptom(&mut self, value: &str) -> Result<()> {
        if value.chars().count() > LONGEST_SYMPTOM {
            let short: String = value.chars().take(80).collect();
            let why = format!("has more than {LONGEST_SYMPTOM} characters");
            return Err(parameter_refused("symptom", &json!(short), &Value::Null, &why));
        }
        if !value.chars().any(char::is_alphanumeric) {
            let why = format!("'{value}' holds no word");
            return Err(parameter_refused("symptom", &json!(value), &Value::Null, &why));
        }
        self.symptom_text = Some(value.trim().to_owned());
        // Perhaps its words are too short to count: then nothing is found.
        self.symptom = Some(words(value));
        Ok(())
    }

    fn take_targets(&mut self, value: &str) -> Result<()> {
        let found: Vec<&str> = value.split(',').map(str::trim).filter(|target| !target.is_empty()).collect();
        if found.is_empty() || self.targets.len() + found.len() > MOST_VALUES {
            let why = format!("takes 1 to {MOST_VALUES} words");
            return Err(parameter_refused("target", &json!(value), &Value::Null, &why));
        }
        for target in found {
            if !self.targets.iter().any(|known| known == target) {
                self.targets.push(target.to_owned());
            }
        }
        Ok(())
    }

    /// Whether records below T2 may be hits, so that the untrusted index is read too.
    pub fn reads_untrusted(&self) -> bool {
        self.trust_min < Level::FLOOR
    }

    /// Every resolved parameter, defaults included.
    pub fn applied(&self, as_of: Date) -> Value {
        let mut applied = self.question();
        applied.insert("limit".to_owned(), json!(self.limit));
        applied.insert("capability_semantics".to_owned(), json!("all"));
        applied.insert("as_of".to_owned(), json!(as_of.to_string()));
        Value::Object(applied)
    }

    /// The parameters that decide which hits there are and in which order.
    fn question(&self) -> Map<String, Value> {
        let fields = [
            ("symptom", self.symptom_text.as_ref().map(|text| json!(text))),
            ("target", (!self.targets.is_empty()).then(|| json!(self.targets))),
            ("risk_max", self.risk_max.map(|risk| json!(risk))),
            ("execution", self.execution.map(|execution| json!(execution))),
            ("trust_min", Some(json!(self.trust_min))),
            ("profile", self.profile.map(|profile| json!(profile))),
            ("available", self.available.as_ref().map(|available| json!(available))),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// The same in a form that is equal for queries that mean the same: what a cursor is bound to.
    pub(super) fn normal(&self) -> Value {
        let mut question = self.question();
        question.insert("symptom".to_owned(), json!(self.symptom));
        let mut targets = self.targets.clone();
        targets.sort_unstable();
        question.insert("target".to_owned(), json!(targets));
        Value::Object(question)
    }
}

fn unknown(name: &str, value: &str) -> Error {
    let why = format!("is no parameter of search; its parameters are: {}", PARAMETERS.join(", "));
    let mut error = parameter_refused(name, &json!(value), &json!(PARAMETERS), &why);
    if let Some(fields) = &mut error.contract {
        fields.insert("reason".to_owned(), json!("UNKNOWN_PARAMETER"));
    }
    error
}

fn word<T>(
    name: &str,
    value: &str,
    named: fn(&str) -> Option<T>,
    permitted: &'static [&'static str],
) -> Result<T> {
    named(value.trim()).ok_or_else(|| no_such_word(name, value, permitted))
}

fn limit(value: &str) -> Result<usize> {
    let text = value.trim();
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<usize>() {
        Ok(limit) if plain && (1..=MOST).contains(&limit) => Ok(limit),
        _ => {
            let why = format!("'{value}' is no whole number from 1 to {MOST}");
            Err(parameter_refused("limit", &json!(value), &json!({"minimum": 1, "maximum": MOST}), &why))
        }
    }
}

/// A list of capabilities with commas, or on lines, sorted, each once; an empty text is an empty set, and so is an empty
/// line. Nothing between two commas is no capability.
fn capabilities(value: &str) -> Result<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    let lines = value.lines().map(str::trim).filter(|line| !line.is_empty());
    for capability in lines.flat_map(|line| line.split(',')).map(str::trim) {
        if !FORM.as_ref().is_some_and(|form| form.is_match(capability)) || all.len() >= MOST_VALUES {
            let why =
                format!("'{capability}' is no capability: it takes scheme:name with commas, no wildcards");
            return Err(parameter_refused("available", &json!(capability), &json!(CAPABILITY), &why));
        }
        all.push(capability.to_owned());
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
