//! Settings: the tracker's own words where it has any, the defaults elsewhere (storage.md §7.5).

use std::sync::OnceLock;

use serde_json::{Map, Value};

/// What `settings.json` says, with the defaults beneath.
///
/// Paths are dotted: `locks.wait_ms`. The document on disk is kept as it is, so that a change touches one path
/// and unknown keys survive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    document: Option<Map<String, Value>>,
    fault: Option<SettingsFault>,
}

/// Why settings cannot be trusted. Reads go on with defaults; writes are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsFault {
    /// The file is no JSON object, or cannot be read.
    InvalidJson(String),
    /// Values of a wrong shape, each with its path.
    InvalidSchema(Vec<String>),
}

impl SettingsFault {
    /// The warning's code on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            SettingsFault::InvalidJson(_) => "settings_read_invalid_json",
            SettingsFault::InvalidSchema(_) => "settings_read_invalid_schema",
        }
    }

    /// What is wrong, in one sentence.
    pub fn problem(&self) -> String {
        match self {
            SettingsFault::InvalidJson(problem) => problem.clone(),
            SettingsFault::InvalidSchema(paths) => format!("wrong shape: {}", paths.join(", ")),
        }
    }
}

/// What the ownership check does about a foreign claim (storage.md §5.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// Nothing.
    None,
    /// A warning.
    Warn,
    /// A refusal.
    Strict,
}

/// The legal values of settings that are words, by path.
const WORDS: &[(&str, &[&str])] = &[
    ("mutation_guard.secret_guard", &["off", "advise", "block"]),
    ("item_format", &["toon", "json_markdown"]),
    ("output.default_format", &["toon", "json"]),
    ("output.envelope", &["lean", "full"]),
    ("history.missing_stream", &["auto_create", "strict_error"]),
    ("history.compact_policy.trigger", &["health_warn", "auto"]),
    ("validation.sprint_release_format", &["warn", "strict_error"]),
    ("validation.parent_reference", &["warn", "strict_error"]),
    ("validation.metadata_profile", &["core", "strict", "custom"]),
    ("governance.ownership_enforcement", &["none", "warn", "strict"]),
    ("governance.create_mode_default", &["progressive", "strict"]),
    ("governance.close_validation_default", &["off", "warn", "strict"]),
    ("governance.parent_reference", &["warn", "strict_error"]),
    ("governance.metadata_profile", &["core", "strict", "custom"]),
    ("governance.duplicate_detection_mode", &["off", "advisory", "strict"]),
    ("governance.workflow_enforcement", &["off", "warn", "strict"]),
    ("schema.unknown_field_policy", &["allow", "warn", "reject"]),
    ("context.default_depth", &["brief", "standard", "deep", "full"]),
];

/// Whether likely duplicates hold a new item up, under each preset.
const DUPLICATE_MODES: [&str; 3] = ["off", "strict", "strict"];

/// The presets and what each knob is under them, in the order minimal, default, strict (storage.md §7.3).
const PRESETS: [&str; 3] = ["minimal", "default", "strict"];
const KNOBS: [(&str, [Knob; 3]); 7] = [
    ("ownership_enforcement", [Knob::Word("none"), Knob::Word("warn"), Knob::Word("strict")]),
    ("create_mode_default", [Knob::Word("progressive"), Knob::Word("progressive"), Knob::Word("strict")]),
    ("close_validation_default", [Knob::Word("off"), Knob::Word("warn"), Knob::Word("strict")]),
    ("require_close_reason", [Knob::Flag(true), Knob::Flag(true), Knob::Flag(true)]),
    (
        "parent_reference",
        [Knob::Word("strict_error"), Knob::Word("strict_error"), Knob::Word("strict_error")],
    ),
    ("metadata_profile", [Knob::Word("core"), Knob::Word("core"), Knob::Word("strict")]),
    ("force_required_for_stale_lock", [Knob::Flag(false), Knob::Flag(true), Knob::Flag(true)]),
];

#[derive(Clone, Copy, Debug)]
enum Knob {
    Word(&'static str),
    Flag(bool),
}

impl Knob {
    fn value(self) -> Value {
        match self {
            Knob::Word(word) => Value::from(word),
            Knob::Flag(flag) => Value::from(flag),
        }
    }
}

/// What choosing a preset writes, by path: the preset, what of it is written out, and the copies that the
/// validation section keeps. None for a name that is no preset.
pub fn preset_values(preset: &str) -> Option<Vec<(&'static str, Value)>> {
    let column = PRESETS.iter().position(|known| *known == preset)?;
    let knob = |name: &str| KNOBS.iter().find(|(known, _)| *known == name).map(|(_, by)| by[column].value());
    Some(vec![
        ("governance.preset", preset.into()),
        ("governance.duplicate_detection_mode", DUPLICATE_MODES[column].into()),
        ("validation.parent_reference", knob("parent_reference")?),
        ("validation.metadata_profile", knob("metadata_profile")?),
    ])
}

/// The names of the presets.
pub fn presets() -> &'static [&'static str] {
    &PRESETS
}

/// The names of the knobs that a preset fixes.
pub fn knobs() -> impl Iterator<Item = &'static str> {
    KNOBS.iter().map(|(name, _)| *name)
}

/// Everything that `init` writes, but for the author.
pub fn default_document() -> &'static Map<String, Value> {
    static DOCUMENT: OnceLock<Map<String, Value>> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        serde_json::from_str(include_str!("defaults/settings.json")).expect("the built-in settings are JSON")
    })
}

/// The legal values of a setting that is a word; `None` for any other.
pub fn words(path: &str) -> Option<&'static [&'static str]> {
    WORDS.iter().find(|(known, _)| *known == path).map(|(_, words)| *words)
}

fn lookup<'v>(document: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let value = document.get(first)?;
    match rest {
        None => Some(value),
        Some(rest) => lookup(value.as_object()?, rest),
    }
}

impl Settings {
    /// The settings of a tracker without a settings file.
    pub fn none() -> Settings {
        Settings::default()
    }

    /// Reads the text of `settings.json`; a fault is kept, not raised.
    pub fn parse(text: &str) -> Settings {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(document)) => Settings::from_document(document),
            Ok(_) => Settings::unreadable("it is no JSON object"),
            Err(error) => Settings::unreadable(error.to_string()),
        }
    }

    /// The settings of a file that could not be read at all.
    pub fn unreadable(problem: impl Into<String>) -> Settings {
        Settings { document: None, fault: Some(SettingsFault::InvalidJson(problem.into())) }
    }

    /// The settings of a document.
    pub fn from_document(document: Map<String, Value>) -> Settings {
        let mut wrong = Vec::new();
        compare_shapes(&document, default_document(), "", &mut wrong);
        for (path, words) in WORDS {
            if let Some(Value::String(word)) = lookup(&document, path)
                && !words.contains(&word.as_str())
            {
                wrong.push((*path).to_owned());
            }
        }
        for (path, minimum) in [("ids.token_length", 1), ("locks.ttl_seconds", 0), ("locks.wait_ms", 0)] {
            if lookup(&document, path).is_some_and(|v| v.as_f64().is_none_or(|n| n < f64::from(minimum))) {
                wrong.push(path.to_owned());
            }
        }
        wrong.sort_unstable();
        wrong.dedup();
        let fault = (!wrong.is_empty()).then_some(SettingsFault::InvalidSchema(wrong));
        Settings { document: Some(document), fault }
    }

    /// What is wrong with the file, if anything.
    pub fn fault(&self) -> Option<&SettingsFault> {
        self.fault.as_ref()
    }

    /// The document as it is on disk; `None` when there is none, or none that can be read.
    pub fn document(&self) -> Option<&Map<String, Value>> {
        self.document.as_ref()
    }

    /// The value at a path: the tracker's own, or the default. A value of a wrong shape counts as absent.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let own = self.document.as_ref().and_then(|document| lookup(document, path));
        let own = own.filter(|_| match &self.fault {
            Some(SettingsFault::InvalidSchema(wrong)) => !wrong.iter().any(|w| w == path),
            _ => true,
        });
        own.or_else(|| lookup(default_document(), path))
    }

    /// The tracker's own value at a path.
    pub fn own(&self, path: &str) -> Option<&Value> {
        lookup(self.document.as_ref()?, path)
    }

    /// A text; empty when there is none.
    pub fn text(&self, path: &str) -> &str {
        self.get(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number without sign; `fallback` when there is none.
    pub fn number(&self, path: &str, fallback: u64) -> u64 {
        let value = self.get(path);
        value.and_then(|v| v.as_u64().or_else(|| whole(v.as_f64()?))).unwrap_or(fallback)
    }

    /// A number with fraction; `fallback` when there is none.
    pub fn fraction(&self, path: &str, fallback: f64) -> f64 {
        self.get(path).and_then(Value::as_f64).unwrap_or(fallback)
    }

    /// A yes or no; no when it is not said.
    pub fn flag(&self, path: &str) -> bool {
        self.get(path).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A list of texts.
    pub fn texts(&self, path: &str) -> Vec<&str> {
        let list = self.get(path).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(Value::as_str).collect()
    }

    /// The whole effective document: defaults, with the tracker's own values over them.
    pub fn effective(&self) -> Map<String, Value> {
        let mut merged = default_document().clone();
        if let Some(document) = &self.document {
            overlay(&mut merged, document);
        }
        if let (Some(Value::Object(governance)), preset) =
            (merged.get_mut("governance"), self.preset().to_owned())
        {
            let mut knobs = Map::new();
            knobs.insert("preset".to_owned(), Value::from(preset));
            for (knob, _) in KNOBS {
                knobs.insert(knob.to_owned(), self.governance(knob));
            }
            for (key, value) in std::mem::take(governance) {
                knobs.entry(key).or_insert(value);
            }
            *governance = knobs;
        }
        for (path, knob) in
            [("parent_reference", "parent_reference"), ("metadata_profile", "metadata_profile")]
        {
            if let Some(Value::Object(validation)) = merged.get_mut("validation") {
                validation.insert(path.to_owned(), self.governance(knob));
            }
        }
        merged
    }

    /// The normalised prefix of ids: `pm-`.
    pub fn id_prefix(&self) -> String {
        crate::model::id::normalise_prefix(self.text("id_prefix"))
    }

    /// How many characters a new id's token has.
    pub fn token_length(&self) -> usize {
        usize::try_from(self.number("ids.token_length", 4)).unwrap_or(4).clamp(4, 12)
    }

    /// The governance preset in force: `minimal`, `default`, `strict` or `custom`.
    pub fn preset(&self) -> &str {
        match self.own("governance.preset").and_then(Value::as_str) {
            Some(preset) if PRESETS.contains(&preset) || preset == "custom" => preset,
            _ => "minimal",
        }
    }

    /// The effective value of a governance knob: the preset's, or with `custom` the tracker's own over those of
    /// `default`. Knobs that no preset fixes are the tracker's own.
    pub fn governance(&self, knob: &str) -> Value {
        let own = || self.get(&format!("governance.{knob}"));
        let Some((_, by_preset)) = KNOBS.iter().find(|(known, _)| *known == knob) else {
            return own().cloned().unwrap_or(Value::Null);
        };
        let preset = self.preset();
        if preset == "custom" {
            return own().cloned().unwrap_or_else(|| by_preset[1].value());
        }
        // A named preset says nothing on disk but where it is weakened on purpose.
        if knob == "require_close_reason" && own() == Some(&Value::Bool(false)) {
            return Value::Bool(false);
        }
        let column = PRESETS.iter().position(|known| *known == preset).unwrap_or(0);
        by_preset[column].value()
    }

    /// A governance knob that is a word.
    pub fn governance_word(&self, knob: &str) -> String {
        self.governance(knob).as_str().unwrap_or_default().to_owned()
    }

    /// A governance knob that is a yes or no.
    pub fn governance_flag(&self, knob: &str) -> bool {
        self.governance(knob).as_bool().unwrap_or(false)
    }

    /// What the ownership check does.
    pub fn ownership(&self) -> Enforcement {
        match self.governance_word("ownership_enforcement").as_str() {
            "strict" => Enforcement::Strict,
            "warn" => Enforcement::Warn,
            _ => Enforcement::None,
        }
    }

    /// The document with the value at a path replaced, parents made where they are missing, keys of the top
    /// level in canonical order, unknown ones last. `None` removes the value.
    pub fn with(&self, path: &str, value: Option<Value>) -> Map<String, Value> {
        let mut document = self.document.clone().unwrap_or_default();
        place(&mut document, path, value);
        let mut ordered = Map::new();
        for key in default_document().keys() {
            if let Some(value) = document.shift_remove(key) {
                ordered.insert(key.clone(), value);
            }
        }
        ordered.extend(document);
        ordered
    }
}

fn whole(number: f64) -> Option<u64> {
    // Exact below 2^53; a setting beyond that is no setting.
    (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
}

fn place(document: &mut Map<String, Value>, path: &str, value: Option<Value>) {
    match path.split_once('.') {
        None => match value {
            Some(value) => {
                document.insert(path.to_owned(), value);
            }
            None => {
                document.shift_remove(path);
            }
        },
        Some((first, rest)) => {
            if value.is_none() && !document.contains_key(first) {
                return;
            }
            let child = document.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if !child.is_object() {
                *child = Value::Object(Map::new());
            }
            if let Value::Object(child) = child {
                place(child, rest, value);
            }
        }
    }
}

fn overlay(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => overlay(below, above),
            (Some(slot), value) if std::mem::discriminant(slot) == std::mem::discriminant(value) => {
                *slot = value.clone();
            }
            (Some(_), _) => {}
            (None, value) => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Collects the paths at which a document's value is of another kind than the default's.
fn compare_shapes(
    own: &Map<String, Value>,
    default: &Map<String, Value>,
    path: &str,
    wrong: &mut Vec<String>,
) {
    for (key, value) in own {
        let Some(expected) = default.get(key) else { continue };
        let here = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (value, expected) {
            (Value::Object(value), Value::Object(expected)) => compare_shapes(value, expected, &here, wrong),
            (value, expected) if std::mem::discriminant(value) == std::mem::discriminant(expected) => {}
            _ => wrong.push(here),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(value: &Value) -> Settings {
        Settings::from_document(value.as_object().unwrap().clone())
    }

    #[test]
    fn missing_keys_take_defaults() {
        let own = settings(&json!({"id_prefix": "Acme Co", "locks": {"wait_ms": 5}}));
        assert_eq!(own.id_prefix(), "acme-co-");
        assert_eq!((own.number("locks.wait_ms", 0), own.number("locks.ttl_seconds", 0)), (5, 1800));
        assert_eq!(own.fault(), None);
        assert_eq!(Settings::none().id_prefix(), "pm-");
        assert_eq!(Settings::none().token_length(), 4);
    }

    #[test]
    fn faults_are_kept_and_wrong_values_do_not_count() {
        let broken = Settings::parse("{\"id_prefix\": \"x");
        assert_eq!(broken.fault().unwrap().code(), "settings_read_invalid_json");
        let wrong = settings(&json!({"id_prefix": 5, "governance": {"ownership_enforcement": "sometimes"}}));
        let fault = wrong.fault().unwrap();
        assert_eq!(fault.code(), "settings_read_invalid_schema");
        assert_eq!(fault.problem(), "wrong shape: governance.ownership_enforcement, id_prefix");
        assert_eq!(wrong.id_prefix(), "pm-");
        assert_eq!(Settings::parse("[]").fault().unwrap().problem(), "it is no JSON object");
        assert_eq!(Settings::parse("\u{feff}{}").fault(), None);
    }

    #[test]
    fn presets_fix_their_knobs_and_custom_does_not() {
        let strict = settings(&json!({"governance": {"preset": "strict", "ownership_enforcement": "none"}}));
        assert_eq!(strict.ownership(), Enforcement::Strict);
        assert!(strict.governance_flag("force_required_for_stale_lock"));
        let custom = settings(&json!({"governance": {"preset": "custom", "parent_reference": "warn"}}));
        assert_eq!(custom.ownership(), Enforcement::Warn);
        assert_eq!(custom.governance_word("parent_reference"), "warn");
        let loose = settings(&json!({"governance": {"preset": "default", "require_close_reason": false}}));
        assert!(!loose.governance_flag("require_close_reason"));
        assert_eq!(settings(&json!({"governance": {"preset": "wild"}})).preset(), "minimal");
        assert_eq!(Settings::none().effective()["governance"]["ownership_enforcement"], json!("none"));
    }

    #[test]
    fn a_change_touches_one_path_and_keeps_unknown_keys() {
        let own = settings(&json!({"zeta": 1, "locks": {"odd": true}, "id_prefix": "x-"}));
        let changed = own.with("locks.wait_ms", Some(json!(7)));
        assert_eq!(
            serde_json::to_string(&changed).unwrap(),
            r#"{"id_prefix":"x-","locks":{"odd":true,"wait_ms":7},"zeta":1}"#
        );
        let removed = settings(&json!({"locks": {"wait_ms": 7}})).with("locks.wait_ms", None);
        assert_eq!(serde_json::to_string(&removed).unwrap(), r#"{"locks":{}}"#);
    }
}
