//! What a tracker promises about itself: measurements, assertions over them, gates of assertions
//! (`assurance.json`; seed 001, verdict priority).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What can be declared, with the key of its list in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A number that can be observed.
    Measurement,
    /// A bound that a measurement must keep.
    Assertion,
    /// Assertions that are judged together.
    Gate,
}

impl Sort {
    /// All of them, in the order of the registry.
    pub const ALL: [Sort; 3] = [Sort::Measurement, Sort::Assertion, Sort::Gate];
    /// Their names.
    pub const NAMES: [&'static str; 3] = ["measurement", "assertion", "gate"];

    /// The one of this name, singular or plural.
    pub fn named(name: &str) -> Option<Sort> {
        let name = name.trim().to_lowercase();
        let name = name.strip_suffix('s').unwrap_or(&name);
        Sort::NAMES.iter().position(|known| *known == name).map(|at| Sort::ALL[at])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Sort::NAMES[self as usize]
    }

    /// The key of its list.
    pub fn key(self) -> &'static str {
        ["measurements", "assertions", "gates"][self as usize]
    }
}

/// Where the number of a measurement comes from: the `kind` of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Items of a status, a type, a tag.
    Items,
    /// Links of one kind.
    DependencyKind,
    /// Items that the text of others mentions, without a link.
    ProseEdgeGap,
    /// What an operation of `pm graph` answers.
    Graph,
    /// What a check of `pm validate` answers.
    Validate,
    /// What a check of `pm health` answers.
    Health,
    /// Entries of histories.
    History,
    /// Linked files, docs and tests.
    Links,
    /// A package of the reference: known, never observed.
    Provider,
    /// An expression over other measurements.
    Derived,
}

impl SourceKind {
    /// All of them.
    pub const ALL: [SourceKind; 10] = [
        SourceKind::Items,
        SourceKind::DependencyKind,
        SourceKind::ProseEdgeGap,
        SourceKind::Graph,
        SourceKind::Validate,
        SourceKind::Health,
        SourceKind::History,
        SourceKind::Links,
        SourceKind::Provider,
        SourceKind::Derived,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Items => "items",
            SourceKind::DependencyKind => "dependency_kind",
            SourceKind::ProseEdgeGap => "prose_edge_gap",
            SourceKind::Graph => "graph",
            SourceKind::Validate => "validate",
            SourceKind::Health => "health",
            SourceKind::History => "history",
            SourceKind::Links => "links",
            SourceKind::Provider => "provider",
            SourceKind::Derived => "derived",
        }
    }

    /// The kind of a source.
    ///
    /// Errors: a sentence that names what is no kind.
    pub fn of(source: &Map<String, Value>) -> Result<SourceKind, String> {
        let name = text_of(source, "kind").unwrap_or_default();
        let found = SourceKind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| format!("no source is called `{name}`"))
    }
}

/// The declarations of a tracker, as written.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    lists: [Vec<Map<String, Value>>; 3],
}

impl Registry {
    /// Reads a registry.
    ///
    /// Errors: a sentence that names the declaration that is none.
    pub fn read(text: &str) -> Result<Registry, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let file = file.as_object().ok_or("it is no JSON object")?;
        let mut registry = Registry::default();
        for sort in Sort::ALL {
            let Some(list) = file.get(sort.key()) else { continue };
            let list = list.as_array().ok_or_else(|| format!("`{}` is no list", sort.key()))?;
            for (n, value) in list.iter().enumerate() {
                let known = value.as_object().filter(|map| text_of(map, "id").is_some());
                let map = known.ok_or_else(|| format!("{} {} has no `id`", sort.name(), n + 1))?;
                registry.lists[sort as usize].push(map.clone());
            }
        }
        Ok(registry)
    }

    /// All declarations of a sort, in order.
    pub fn all(&self, sort: Sort) -> &[Map<String, Value>] {
        &self.lists[sort as usize]
    }

    /// What gates may be run for, each once, in the order declared.
    pub fn triggers(&self) -> Vec<&str> {
        let mut known = Vec::new();
        for gate in self.all(Sort::Gate) {
            for trigger in triggers_of(gate) {
                if !known.contains(&trigger) {
                    known.push(trigger);
                }
            }
        }
        known
    }

    /// The declaration of this id.
    pub fn find(&self, sort: Sort, id: &str) -> Option<&Map<String, Value>> {
        self.all(sort).iter().find(|map| text_of(map, "id") == Some(id))
    }
}

/// A text of a declaration.
pub fn text_of<'m>(map: &'m Map<String, Value>, key: &str) -> Option<&'m str> {
    map.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// What a gate may be run for.
pub fn triggers_of(gate: &Map<String, Value>) -> impl Iterator<Item = &str> {
    gate.get("triggers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// What an assertion came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// `pass`, `fail`, `retired`, or `unknown` where nothing could be observed.
    pub verdict: &'static str,
    /// The number.
    pub observed: Option<f64>,
    /// Why it is not `pass`.
    pub reason: Option<String>,
}

/// Observes what a source describes; the error says why there is no number.
pub type Source<'s> = dyn Fn(&Map<String, Value>) -> Result<f64, String> + 's;

/// Observes measurements, each at most once.
pub struct Observer<'o> {
    registry: &'o Registry,
    source: &'o Source<'o>,
    known: BTreeMap<String, Result<f64, String>>,
}

impl<'o> Observer<'o> {
    /// An observer; `source` observes everything that is not derived from other measurements.
    pub fn new(registry: &'o Registry, source: &'o Source<'o>) -> Observer<'o> {
        Observer { registry, source, known: BTreeMap::new() }
    }

    /// The number of a measurement.
    ///
    /// Errors: a sentence that says why there is none.
    pub fn observe(&mut self, id: &str) -> Result<f64, String> {
        if let Some(known) = self.known.get(id) {
            return known.clone();
        }
        let circle = format!("the measurement `{id}` is derived from itself");
        self.known.insert(id.to_owned(), Err(circle));
        let registry = self.registry;
        let found =
            match registry.find(Sort::Measurement, id).map(|m| m.get("source").and_then(Value::as_object)) {
                None => Err(format!("no measurement `{id}` is declared")),
                Some(None) => Err(format!("the measurement `{id}` has no source")),
                Some(Some(source)) if SourceKind::of(source) == Ok(SourceKind::Derived) => {
                    self.derive(source.get("expression").unwrap_or(&Value::Null))
                }
                Some(Some(source)) => (self.source)(source),
            };
        let finite = found
            .and_then(|n| if n.is_finite() { Ok(n) } else { Err(format!("`{id}` is no finite number")) });
        self.known.insert(id.to_owned(), finite.clone());
        finite
    }

    fn derive(&mut self, expression: &Value) -> Result<f64, String> {
        if let Some(id) = expression.get("measurement").and_then(Value::as_str) {
            return self.observe(id);
        }
        if let Some(literal) = expression.get("literal").and_then(Value::as_f64) {
            return Ok(literal);
        }
        let operator = expression.get("operator").and_then(Value::as_str).unwrap_or_default();
        let operands = expression.get("operands").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let numbers = operands.iter().map(|operand| self.derive(operand)).collect::<Result<Vec<f64>, _>>()?;
        let Some((first, rest)) = numbers.split_first() else {
            return Err("an expression has neither operands, `measurement` nor `literal`".to_owned());
        };
        let rest = rest.iter();
        match operator {
            "add" => Ok(rest.fold(*first, |a, b| a + b)),
            "subtract" => Ok(rest.fold(*first, |a, b| a - b)),
            "multiply" => Ok(rest.fold(*first, |a, b| a * b)),
            "divide" if rest.clone().any(|n| *n == 0.0) => Err("an expression divides by zero".to_owned()),
            "divide" => Ok(rest.fold(*first, |a, b| a / b)),
            "min" => Ok(rest.fold(*first, |a, b| a.min(*b))),
            "max" => Ok(rest.fold(*first, |a, b| a.max(*b))),
            other => Err(format!("no operator is called `{other}`")),
        }
    }

    /// Judges an assertion.
    pub fn judge(&mut self, assertion: &Map<String, Value>) -> Outcome {
        if text_of(assertion, "lifetime").is_some_and(|lifetime| lifetime.starts_with("retire")) {
            return Outcome { verdict: "retired", observed: None, reason: None };
        }
        let unknown = |observed, reason| Outcome { verdict: "unknown", observed, reason: Some(reason) };
        let scope = assertion.get("scope").and_then(|scope| scope.get("kind")).and_then(Value::as_str);
        if let Some(scope) = scope.filter(|scope| *scope != "all") {
            return unknown(None, format!("the scope `{scope}` is not known here"));
        }
        if let Err(reason) = controls_hold(assertion) {
            return unknown(None, reason);
        }
        let Some(id) = text_of(assertion, "measurement_id") else {
            return unknown(None, "the assertion names no measurement".to_owned());
        };
        match self.observe(id) {
            Err(reason) => unknown(None, reason),
            Ok(observed) => match broken(assertion, observed) {
                Err(reason) => unknown(Some(observed), reason),
                Ok(None) => Outcome { verdict: "pass", observed: Some(observed), reason: None },
                Ok(reason) => Outcome { verdict: "fail", observed: Some(observed), reason },
            },
        }
    }
}

/// The bounds that an assertion may state: key, whether a number keeps it, what a breach is called.
type Bound = (&'static str, fn(f64, f64) -> bool, &'static str);

const BOUNDS: &[Bound] = &[
    ("floor", |observed, bound| observed >= bound, "below the floor"),
    ("ceiling", |observed, bound| observed <= bound, "above the ceiling"),
    ("equals", |observed, bound| observed == bound, "not equal to"),
    ("monotone_nondecreasing", |observed, bound| observed >= bound, "less than before:"),
];

/// The bounds that an assertion may state.
pub fn bound_names() -> impl Iterator<Item = &'static str> {
    BOUNDS.iter().map(|(name, ..)| *name)
}

/// The bounds of an assertion, as one text: `floor 79`.
pub fn bounds(assertion: &Map<String, Value>) -> String {
    let stated = BOUNDS.iter().filter_map(|(key, ..)| Some(format!("{key} {}", assertion.get(*key)?)));
    stated.collect::<Vec<_>>().join(", ")
}

/// Which bound a number breaks, if any; an assertion without bounds is none.
fn broken(assertion: &Map<String, Value>, observed: f64) -> Result<Option<String>, String> {
    let mut any = false;
    for (key, keeps, breach) in BOUNDS {
        let Some(bound) = assertion.get(*key) else { continue };
        let bound = bound.as_f64().ok_or_else(|| format!("`{key}` is no number"))?;
        any = true;
        if !keeps(observed, bound) {
            return Ok(Some(format!("{observed} is {breach} {bound}")));
        }
    }
    if any { Ok(None) } else { Err("the assertion states no bound".to_owned()) }
}

/// Whether the assertion judges its own examples as it says: one that cannot fail proves nothing.
fn controls_hold(assertion: &Map<String, Value>) -> Result<(), String> {
    let cases =
        assertion.get("negative_control").and_then(|control| control.get("cases")).and_then(Value::as_array);
    for case in cases.into_iter().flatten() {
        let Some(observed) = case.get("observed").and_then(Value::as_f64) else { continue };
        let expected = case.get("expected").and_then(Value::as_str).unwrap_or("pass");
        let verdict = if broken(assertion, observed)?.is_none() { "pass" } else { "fail" };
        if verdict != expected {
            return Err(format!("its own example {observed} should be a {expected} and is a {verdict}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn registry() -> Registry {
        Registry::read(&json!({"version": 1, "measurements": [
            {"id": "one", "source": {"kind": "literal", "n": 1}},
            {"id": "two", "source": {"kind": "derived", "expression": {"operator": "add", "operands": [{"measurement": "one"}, {"literal": 1}]}}},
            {"id": "zero", "source": {"kind": "derived", "expression": {"operator": "divide", "operands": [{"literal": 1}, {"literal": 0}]}}},
            {"id": "loop", "source": {"kind": "derived", "expression": {"measurement": "loop"}}},
            {"id": "gone", "source": {"kind": "provider"}},
        ]}).to_string()).unwrap()
    }

    fn judge(assertion: Value) -> Outcome {
        let registry = registry();
        let source = |source: &Map<String, Value>| {
            source.get("n").and_then(Value::as_f64).ok_or("no provider".to_owned())
        };
        Observer::new(&registry, &source).judge(assertion.as_object().unwrap())
    }

    #[test]
    fn assertions_are_judged_by_their_bounds() {
        for (assertion, verdict, reason) in [
            (json!({"measurement_id": "two", "floor": 2, "ceiling": 2}), "pass", ""),
            (json!({"measurement_id": "two", "floor": 3}), "fail", "2 is below the floor 3"),
            (json!({"measurement_id": "two", "equals": 1}), "fail", "not equal to 1"),
            (json!({"measurement_id": "one", "monotone_nondecreasing": 2}), "fail", "less than before: 2"),
            (json!({"measurement_id": "one"}), "unknown", "states no bound"),
            (json!({"measurement_id": "none", "floor": 0}), "unknown", "no measurement `none`"),
            (json!({"measurement_id": "gone", "floor": 0}), "unknown", "no provider"),
            (json!({"measurement_id": "loop", "floor": 0}), "unknown", "derived from itself"),
            (json!({"measurement_id": "zero", "floor": 0}), "unknown", "divides by zero"),
            (json!({"measurement_id": "one", "floor": 0, "lifetime": "retired"}), "retired", ""),
            (
                json!({"measurement_id": "one", "floor": 0, "scope": {"kind": "moon"}}),
                "unknown",
                "scope `moon`",
            ),
            (
                json!({"measurement_id": "one", "floor": 0, "negative_control": {"cases": [{"observed": 1, "expected": "fail"}]}}),
                "unknown",
                "its own example 1",
            ),
        ] {
            let outcome = judge(assertion.clone());
            assert_eq!(outcome.verdict, verdict, "{assertion}");
            assert!(outcome.reason.unwrap_or_default().contains(reason), "{assertion}");
        }
    }

    #[test]
    fn a_registry_names_what_is_wrong_with_it() {
        for (text, problem) in [
            ("[]", "no JSON object"),
            ("{\"gates\": 1}", "`gates` is no list"),
            ("{\"gates\": [{}]}", "gate 1 has no"),
        ] {
            assert!(Registry::read(text).unwrap_err().contains(problem));
        }
        assert_eq!((Sort::named("Gates"), Sort::named("x")), (Some(Sort::Gate), None));
    }
}
