//! The settings that can be named on the command line: where each lies, and what it may be.

use serde_json::Value;

use super::settings::{Settings, knobs, preset_values, presets};

/// What a setting's value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Text.
    Text,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// `true` or `false`, said as `enabled` or `disabled`.
    Switch,
    /// A whole number between two bounds.
    Integer(u64, u64),
    /// A number, at least this.
    Number(f64),
    /// A number from 0 to 1.
    Ratio,
    /// A list of texts.
    Texts,
    /// An object that is set by flags of its own.
    Object,
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingKey {
    /// Its name, words joined by `_`.
    pub name: &'static str,
    /// Where it lies in the settings.
    pub path: &'static str,
    /// What it may be.
    pub shape: Shape,
    /// What it does.
    pub about: &'static str,
}

const fn key(name: &'static str, path: &'static str, shape: Shape, about: &'static str) -> SettingKey {
    SettingKey { name, path, shape, about }
}

const PRESETS: &[&str] = &["minimal", "default", "strict", "custom"];
const REFERENCE: &[&str] = &["warn", "strict_error"];
const PROFILE: &[&str] = &["core", "strict", "custom"];
const MODE: &[&str] = &["off", "warn", "strict"];
const COUNT: Shape = Shape::Integer(1, u32::MAX as u64);

/// Every setting, those with a policy of their own first.
pub const KEYS: &[SettingKey] = &[
    key(
        "definition_of_done",
        "workflow.definition_of_done",
        Shape::Texts,
        "What must hold before work is done",
    ),
    key("item_format", "item_format", Shape::Word(&["toon"]), "The format of new item files"),
    key(
        "history_missing_stream_policy",
        "history.missing_stream",
        Shape::Word(&["auto_create", "strict_error"]),
        "What a change does with an item that has no history",
    ),
    key(
        "sprint_release_format_policy",
        "validation.sprint_release_format",
        Shape::Word(REFERENCE),
        "What an odd sprint or release name leads to",
    ),
    key(
        "parent_reference_policy",
        "validation.parent_reference",
        Shape::Word(REFERENCE),
        "What a parent that does not exist leads to",
    ),
    key(
        "metadata_validation_profile",
        "validation.metadata_profile",
        Shape::Word(PROFILE),
        "Which fields validation demands",
    ),
    key(
        "metadata_required_fields",
        "validation.metadata_required_fields",
        Shape::Texts,
        "The fields that the custom profile demands",
    ),
    key(
        "lifecycle_stale_blocker_reason_patterns",
        "validation.lifecycle_stale_blocker_reason_patterns",
        Shape::Texts,
        "Blocked reasons that say that nothing blocks",
    ),
    key(
        "lifecycle_closure_like_blocked_reason_patterns",
        "validation.lifecycle_closure_like_blocked_reason_patterns",
        Shape::Texts,
        "Blocked reasons that read as if the item were closed",
    ),
    key(
        "lifecycle_closure_like_resolution_patterns",
        "validation.lifecycle_closure_like_resolution_patterns",
        Shape::Texts,
        "Resolutions that only closed items should have",
    ),
    key(
        "lifecycle_closure_like_actual_result_patterns",
        "validation.lifecycle_closure_like_actual_result_patterns",
        Shape::Texts,
        "Actual results that only closed items should have",
    ),
    key("governance_preset", "governance.preset", Shape::Word(PRESETS), "All knobs of governance at once"),
    key(
        "governance_ownership_enforcement",
        "governance.ownership_enforcement",
        Shape::Word(&["none", "warn", "strict"]),
        "What changing an item of somebody else leads to",
    ),
    key(
        "governance_create_mode_default",
        "governance.create_mode_default",
        Shape::Word(&["progressive", "strict"]),
        "How complete a new item must be",
    ),
    key(
        "governance_close_validation_default",
        "governance.close_validation_default",
        Shape::Word(MODE),
        "How closing checks what a closed item should have",
    ),
    key(
        "governance_require_close_reason",
        "governance.require_close_reason",
        Shape::Switch,
        "Whether closing needs a reason",
    ),
    key(
        "governance_create_default_type",
        "governance.create_default_type",
        Shape::Text,
        "The type of a new item that names none",
    ),
    key(
        "governance_workflow_enforcement",
        "governance.workflow_enforcement",
        Shape::Word(MODE),
        "What a change of status that the workflow does not know leads to",
    ),
    key(
        "governance_parent_reference_policy",
        "governance.parent_reference",
        Shape::Word(REFERENCE),
        "What a parent that does not exist leads to",
    ),
    key(
        "governance_metadata_validation_profile",
        "governance.metadata_profile",
        Shape::Word(PROFILE),
        "Which fields validation demands",
    ),
    key(
        "governance_force_required_for_stale_lock",
        "governance.force_required_for_stale_lock",
        Shape::Switch,
        "Whether a stale lock is taken over only with --force",
    ),
    key(
        "test_result_tracking",
        "testing.record_results_to_items",
        Shape::Switch,
        "Whether runs of linked tests are stored in items",
    ),
    key(
        "telemetry_tracking",
        "telemetry.enabled",
        Shape::Switch,
        "For the other program only: this one never reports anything",
    ),
    key("context", "context", Shape::Object, "What `pm context` shows"),
    key(
        "context_default_depth",
        "context.default_depth",
        Shape::Word(&["brief", "standard", "deep"]),
        "How much `pm context` tells of each item",
    ),
    key("context_activity_limit", "context.activity_limit", COUNT, "How many events `pm context` shows"),
    key(
        "context_stale_threshold_days",
        "context.stale_threshold_days",
        COUNT,
        "After how many days an item counts as stale",
    ),
    key(
        "context_usage_feedback",
        "context.usage_feedback",
        Shape::Flag,
        "Whether what answers really served is written down and used in ranking",
    ),
    key("id_prefix", "id_prefix", Shape::Text, "What new ids begin with"),
    key(
        "ids_token_length",
        "ids.token_length",
        Shape::Integer(4, 12),
        "How many characters a new id has after its prefix",
    ),
    key("author_default", "author_default", Shape::Text, "The author of changes that name none"),
    key(
        "agent_identity_probes_enabled",
        "agent_identity.probes_enabled",
        Shape::Flag,
        "Whether the environment may tell which agent program calls",
    ),
    key(
        "mutation_guard_require_attributed_author",
        "mutation_guard.require_attributed_author",
        Shape::Flag,
        "Whether changes by nobody in particular are refused",
    ),
    key(
        "mutation_guard_secret_guard",
        "mutation_guard.secret_guard",
        Shape::Word(&["off", "advise", "block"]),
        "What text that looks like a credential leads to",
    ),
    key(
        "mutation_guard_stale_in_progress_hours",
        "mutation_guard.stale_in_progress_hours",
        COUNT,
        "After how many hours without a change a claim has run out",
    ),
    key(
        "governance_duplicate_detection_mode",
        "governance.duplicate_detection_mode",
        Shape::Word(&["off", "advisory", "strict"]),
        "What a new item much like another one leads to",
    ),
    key(
        "governance_duplicate_detection_threshold",
        "governance.duplicate_detection_threshold",
        Shape::Ratio,
        "How alike items must be to count as duplicates",
    ),
    key(
        "governance_duplicate_detection_limit",
        "governance.duplicate_detection_limit",
        Shape::Integer(0, 20),
        "How many likely duplicates are named",
    ),
    key(
        "output_default_format",
        "output.default_format",
        Shape::Word(&["toon", "json"]),
        "The encoding of answers",
    ),
    key(
        "output_envelope",
        "output.envelope",
        Shape::Word(&["lean", "full"]),
        "Whether answers repeat the question",
    ),
    key(
        "ux_deprecation_hints",
        "ux.deprecation_hints",
        Shape::Flag,
        "Whether older command words tell the newer ones",
    ),
    key(
        "locks_ttl_seconds",
        "locks.ttl_seconds",
        COUNT,
        "At which age a lock is stale whose owner cannot be asked",
    ),
    key(
        "locks_wait_ms",
        "locks.wait_ms",
        Shape::Integer(0, u32::MAX as u64),
        "How long a change waits for a lock",
    ),
    key(
        "checkpoints_retention_days",
        "checkpoints.retention_days",
        COUNT,
        "How long checkpoints of bulk changes are kept",
    ),
    key(
        "schema_unknown_field_policy",
        "schema.unknown_field_policy",
        Shape::Word(&["allow", "warn", "reject"]),
        "What fields that nobody declared lead to",
    ),
    key(
        "history_compact_policy_enabled",
        "history.compact_policy.enabled",
        Shape::Flag,
        "Whether long histories are pointed out",
    ),
    key(
        "history_compact_policy_max_entries",
        "history.compact_policy.max_entries",
        COUNT,
        "From how many entries on a history is long",
    ),
    key(
        "history_compact_policy_trigger",
        "history.compact_policy.trigger",
        Shape::Word(&["health_warn", "auto"]),
        "What a long history leads to",
    ),
    key("search_max_results", "search.max_results", COUNT, "How many hits a search gives at most"),
    key("search_score_threshold", "search.score_threshold", Shape::Number(0.0), "The least score of a hit"),
    key(
        "search_bm25_k1",
        "search.bm25.k1",
        Shape::Number(0.0),
        "How soon repeated words stop to count in a search",
    ),
    key("search_bm25_b", "search.bm25.b", Shape::Ratio, "How much long items are held back in a search"),
    key(
        "search_hybrid_semantic_weight",
        "search.hybrid_semantic_weight",
        Shape::Ratio,
        "Kept for the other program",
    ),
    key("search_provider", "search.provider", Shape::Text, "Kept for the other program"),
    key(
        "search_mutation_refresh_policy",
        "search.mutation_refresh_policy",
        Shape::Word(&["cache_only", "semantic_configured", "semantic_auto"]),
        "Kept for the other program",
    ),
    key(
        "search_query_expansion_enabled",
        "search.query_expansion.enabled",
        Shape::Flag,
        "Kept for the other program",
    ),
    key(
        "search_query_expansion_provider",
        "search.query_expansion.provider",
        Shape::Text,
        "Kept for the other program",
    ),
    key("search_rerank_enabled", "search.rerank.enabled", Shape::Flag, "Kept for the other program"),
    key("search_rerank_model", "search.rerank.model", Shape::Text, "Kept for the other program"),
    key("search_rerank_top_k", "search.rerank.top_k", COUNT, "Kept for the other program"),
    key("search_embedding_model", "search.embedding_model", Shape::Text, "Kept for the other program"),
    key(
        "search_embedding_corpus_max_characters",
        "search.embedding_corpus_max_characters",
        COUNT,
        "Kept for the other program",
    ),
    key("search_embedding_batch_size", "search.embedding_batch_size", COUNT, "Kept for the other program"),
    key("search_embedding_timeout_ms", "search.embedding_timeout_ms", COUNT, "Kept for the other program"),
    key("openai_base_url", "providers.openai.base_url", Shape::Text, "Kept for the other program"),
    key("openai_api_key", "providers.openai.api_key", Shape::Text, "Kept for the other program"),
    key("openai_model", "providers.openai.model", Shape::Text, "Kept for the other program"),
    key("ollama_base_url", "providers.ollama.base_url", Shape::Text, "Kept for the other program"),
    key("ollama_model", "providers.ollama.model", Shape::Text, "Kept for the other program"),
    key("vector_store_adapter", "vector_store.adapter", Shape::Text, "Kept for the other program"),
    key(
        "vector_store_collection_name",
        "vector_store.collection_name",
        Shape::Text,
        "Kept for the other program",
    ),
    key("qdrant_url", "vector_store.qdrant.url", Shape::Text, "Kept for the other program"),
    key("qdrant_api_key", "vector_store.qdrant.api_key", Shape::Text, "Kept for the other program"),
    key("lancedb_path", "vector_store.lancedb.path", Shape::Text, "Kept for the other program"),
];

/// Where a value that does not fit belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The legal values, when they are words.
    pub words: &'static [&'static str],
    /// What a value must be.
    pub wanted: String,
}

impl SettingKey {
    /// The setting that a name stands for: its own name or its path, with `-` or `_`.
    pub fn find(typed: &str) -> Option<&'static SettingKey> {
        let typed = typed.trim().to_lowercase().replace('-', "_");
        KEYS.iter()
            .find(|key| key.name == typed || key.path == typed)
            .or_else(|| KEYS.iter().find(|key| key.path.replace('.', "_") == typed.replace('.', "_")))
    }

    /// The shape's name on the wire.
    pub fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Text => "string",
            Shape::Word(_) | Shape::Switch => "enum",
            Shape::Flag => "boolean",
            Shape::Integer(..) => "integer",
            Shape::Number(_) => "number",
            Shape::Ratio => "ratio",
            Shape::Texts => "string_array",
            Shape::Object => "object",
        }
    }

    /// The legal words, none for other shapes.
    pub fn words(&self) -> &'static [&'static str] {
        match self.shape {
            Shape::Word(words) => words,
            Shape::Switch => &["enabled", "disabled"],
            Shape::Flag => &["true", "false"],
            _ => &[],
        }
    }

    /// Whether its value is a secret, and not shown among others.
    pub fn is_secret(&self) -> bool {
        self.path.ends_with("api_key")
    }

    /// Which knob of governance this is, if it is one that a preset fixes.
    fn knob(&self) -> Option<&'static str> {
        let knob = self.path.strip_prefix("governance.").or_else(|| {
            self.path
                .strip_prefix("validation.")
                .filter(|name| matches!(*name, "parent_reference" | "metadata_profile"))
        })?;
        knobs().find(|known| *known == knob)
    }

    /// The value in force, as it is stored.
    pub fn in_force(&self, settings: &Settings) -> Value {
        match self.knob() {
            Some(knob) => settings.governance(knob),
            None if self.path == "governance.preset" => settings.preset().into(),
            None if self.path == "id_prefix" => settings.id_prefix().into(),
            None => settings.get(self.path).cloned().unwrap_or_default(),
        }
    }

    /// The value in force, as it is said.
    pub fn value(&self, settings: &Settings) -> Value {
        match (self.shape, self.in_force(settings)) {
            (Shape::Switch, Value::Bool(on)) => if on { "enabled" } else { "disabled" }.into(),
            (Shape::Word(words), Value::Null) => words.first().copied().unwrap_or_default().into(),
            (Shape::Flag, Value::Null) => false.into(),
            (Shape::Text, Value::Null) => "".into(),
            (_, value) => value,
        }
    }

    /// The value that a text stands for.
    pub fn parse(&self, text: &str) -> Result<Value, Misfit> {
        let misfit = |wanted: String| Err(Misfit { words: self.words(), wanted });
        let word = text.trim().to_lowercase();
        match self.shape {
            Shape::Text if self.path == "id_prefix" => Ok(super::id::normalise_prefix(text).into()),
            Shape::Text => Ok(text.trim().into()),
            Shape::Word(words) => match words.iter().find(|known| **known == word.replace('-', "_")) {
                Some(known) => Ok((*known).into()),
                None => misfit(format!("one of {}", words.join(", "))),
            },
            Shape::Flag | Shape::Switch => match word.as_str() {
                "true" | "1" | "yes" | "on" | "enabled" => Ok(true.into()),
                "false" | "0" | "no" | "off" | "disabled" => Ok(false.into()),
                _ => misfit(format!("one of {}", self.words().join(", "))),
            },
            Shape::Integer(least, most) => match word.parse::<u64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(number.into()),
                _ if most >= u64::from(u32::MAX) => misfit(format!("a whole number from {least} on")),
                _ => misfit(format!("a whole number from {least} to {most}")),
            },
            Shape::Number(least) => match word.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= least => Ok(plain(number)),
                _ => misfit(format!("a number from {least} on")),
            },
            Shape::Ratio => match word.parse::<f64>() {
                Ok(number) if (0.0..=1.0).contains(&number) => Ok(plain(number)),
                _ => misfit("a number from 0 to 1".to_owned()),
            },
            Shape::Texts => Ok(vec![text.trim()].into()),
            Shape::Object => misfit("set by its own flags".to_owned()),
        }
    }

    /// The settings with this one changed, and whatever belongs to it: a preset fixes its knobs, a knob that is
    /// turned makes the preset `custom`.
    pub fn set(&self, settings: &Settings, value: Value) -> Settings {
        let put = |settings: Settings, path: &str, value: Option<Value>| {
            Settings::from_document(settings.with(path, value))
        };
        let mut now = settings.clone();
        match (self.knob(), value) {
            (None, Value::String(preset)) if self.path == "governance.preset" => {
                if presets().contains(&preset.as_str()) {
                    for knob in knobs() {
                        now = put(now, &format!("governance.{knob}"), None);
                    }
                    for (path, value) in preset_values(&preset).unwrap_or_default() {
                        now = put(now, path, Some(value));
                    }
                } else {
                    now = custom(now);
                }
            }
            (None, value) => now = put(now, self.path, Some(value)),
            (Some("require_close_reason"), value) if settings.preset() != "custom" => {
                let said = (value == Value::Bool(false)).then_some(value);
                now = put(now, "governance.require_close_reason", said);
            }
            (Some(knob), value) => {
                now = custom(now);
                now = put(now, &format!("governance.{knob}"), Some(value.clone()));
                if matches!(knob, "parent_reference" | "metadata_profile") {
                    now = put(now, &format!("validation.{knob}"), Some(value));
                }
            }
        }
        now
    }
}

/// A number as JSON writes it: without fraction when it has none.
fn plain(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { (number as i64).into() } else { number.into() }
}

/// The same settings with every knob written out, so that single ones can differ from a preset.
fn custom(settings: Settings) -> Settings {
    if settings.preset() == "custom" {
        return settings;
    }
    let own = settings.own("governance").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut governance = serde_json::Map::new();
    governance.insert("preset".to_owned(), "custom".into());
    for knob in knobs() {
        governance.insert(knob.to_owned(), settings.governance(knob));
    }
    for (key, value) in own {
        governance.entry(key).or_insert(value);
    }
    Settings::from_document(settings.with("governance", Some(governance.into())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::settings::words;
    use super::*;

    fn settings(value: &Value) -> Settings {
        Settings::from_document(value.as_object().unwrap().clone())
    }

    #[test]
    fn names_are_unique_and_words_agree_with_the_schema_of_settings() {
        for (n, one) in KEYS.iter().enumerate() {
            assert!(
                KEYS[..n].iter().all(|other| other.name != one.name && other.path != one.path),
                "{}",
                one.name
            );
            if let (Shape::Word(own), Some(known)) = (one.shape, words(one.path)) {
                assert!(own.iter().all(|word| known.contains(word)), "{}", one.name);
            }
        }
    }

    #[test]
    fn a_key_is_found_by_name_and_path() {
        for typed in ["ids_token_length", "ids-token-length", "ids.token_length", " IDS.token-length"] {
            assert_eq!(SettingKey::find(typed).unwrap().path, "ids.token_length", "{typed}");
        }
        assert_eq!(SettingKey::find("governance.preset").unwrap().name, "governance_preset");
        assert!(SettingKey::find("nope").is_none());
    }

    #[test]
    fn values_are_checked() {
        let parse = |key: &str, text: &str| {
            SettingKey::find(key).unwrap().parse(text).map_err(|misfit| misfit.wanted)
        };
        assert_eq!(parse("ids_token_length", "6"), Ok(json!(6)));
        assert_eq!(parse("ids_token_length", "3"), Err("a whole number from 4 to 12".to_owned()));
        assert_eq!(parse("governance_preset", "Strict"), Ok(json!("strict")));
        assert_eq!(parse("telemetry_tracking", "off"), Ok(json!(false)));
        assert_eq!(parse("search_bm25_b", "0.5"), Ok(json!(0.5)));
        assert_eq!(parse("search_bm25_b", "2"), Err("a number from 0 to 1".to_owned()));
        assert_eq!(parse("id_prefix", "Acme Co"), Ok(json!("acme-co-")));
        assert!(parse("locks_wait_ms", "soon").is_err() && parse("output_envelope", "odd").is_err());
    }

    #[test]
    fn a_preset_fixes_its_knobs_and_a_knob_makes_it_custom() {
        let set = |settings: &Settings, key: &str, text: &str| {
            let key = SettingKey::find(key).unwrap();
            key.set(settings, key.parse(text).unwrap())
        };
        let minimal =
            settings(&json!({"governance": {"preset": "minimal", "duplicate_detection_mode": "off"}}));
        let knob = set(&minimal, "governance-ownership-enforcement", "strict");
        assert_eq!(
            (knob.preset(), knob.governance_word("ownership_enforcement").as_str()),
            ("custom", "strict")
        );
        assert_eq!(knob.governance_word("create_mode_default"), "progressive");
        let keys: Vec<_> = knob.own("governance").unwrap().as_object().unwrap().keys().cloned().collect();
        assert_eq!(
            (keys[1].as_str(), keys.last().unwrap().as_str()),
            ("ownership_enforcement", "duplicate_detection_mode")
        );
        let strict = set(&knob, "governance-preset", "strict");
        assert_eq!(
            strict.document().unwrap(),
            json!({"validation": {"parent_reference": "strict_error", "metadata_profile": "strict"},
                "governance": {"preset": "strict", "duplicate_detection_mode": "strict"}})
            .as_object()
            .unwrap()
        );
        let loose = set(&strict, "governance_require_close_reason", "disabled");
        assert_eq!((loose.preset(), loose.governance_flag("require_close_reason")), ("strict", false));
        let back = set(&loose, "governance_require_close_reason", "enabled");
        assert_eq!(back, strict);
        let warn = set(&minimal, "parent_reference_policy", "warn");
        assert_eq!(warn.governance_word("parent_reference"), "warn");
        assert_eq!(warn.text("validation.parent_reference"), "warn");
    }

    #[test]
    fn values_in_force_are_said_as_they_are_set() {
        let own = settings(&json!({"telemetry": {"enabled": false}}));
        let value = |key: &str| SettingKey::find(key).unwrap().value(&own);
        assert_eq!(value("telemetry_tracking"), json!("disabled"));
        assert_eq!(value("governance_require_close_reason"), json!("enabled"));
        assert_eq!(value("output_envelope"), json!("lean"));
        assert_eq!(value("search_bm25_k1"), Value::Null);
    }
}
