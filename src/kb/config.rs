//! The settings of `pm kb`: key `kb` of the tracker's settings file, each with a default.

use regex::Regex;
use serde_json::{Map, Value, json};

use super::kind::{Kind, KindMap};
use super::refusal;
use crate::error::Result;

/// The largest file that is read, unless the settings say otherwise.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

const AUDIENCES: [&str; 6] = ["canon", "docs", "public", "odd", "operators", "apocrypha"];
const EXPOSURES: [&str; 5] = ["nav", "public", "draft", "hidden", "internal"];

/// The settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the settings said, for the identity of a corpus; null when they said nothing.
    pub document: Value,
    /// More files than `**/*.md`, and none of these.
    pub include_globs: Vec<Regex>,
    /// Files to leave out.
    pub exclude_globs: Vec<Regex>,
    /// Whether items are documents.
    pub items: bool,
    /// The scheme of URIs that are made of paths.
    pub uri_scheme: String,
    /// Kinds by path.
    pub kind_map: KindMap,
    /// Values of the filter `audience`.
    pub audiences: Vec<Value>,
    /// Values of the filter `exposure`.
    pub exposures: Vec<Value>,
    /// Values of the filter `tier`.
    pub tiers: Vec<Value>,
    /// The largest file that is read.
    pub max_file_bytes: u64,
    /// Beginnings of the paths of constraints.
    pub constraint_prefixes: Vec<String>,
    /// What the file name of a definition of done holds.
    pub definition_of_done: String,
    /// The day after which the older envelope is refused.
    pub legacy_sunset: Option<String>,
    /// How many bodies a server hands out in a minute.
    pub max_body_reads_per_minute: Option<u64>,
    /// Whether the runbooks of the catalog are documents (`catalog.in_kb`).
    pub runbooks: bool,
    /// Where they lie, when the settings say (`catalog.source`).
    pub runbook_folder: Option<String>,
    /// Values that were not usable, by key.
    pub faults: Vec<String>,
}

impl Default for Config {
    fn default() -> Config {
        let texts = |list: &[&str]| list.iter().map(|text| json!(text)).collect();
        Config {
            document: Value::Null,
            include_globs: Vec::new(),
            exclude_globs: Vec::new(),
            items: true,
            uri_scheme: "kb".to_owned(),
            kind_map: KindMap::default(),
            audiences: texts(&AUDIENCES),
            exposures: texts(&EXPOSURES),
            tiers: (1..=4).map(|n| json!(n)).collect(),
            max_file_bytes: MAX_FILE_BYTES,
            constraint_prefixes: vec!["canon/constraints/".to_owned()],
            definition_of_done: "definition-of-done".to_owned(),
            legacy_sunset: None,
            max_body_reads_per_minute: None,
            runbooks: false,
            runbook_folder: None,
            faults: Vec::new(),
        }
    }
}

impl Config {
    /// Reads the text of a settings file; what it does not say, or says in a wrong shape, keeps its default.
    ///
    /// Errors: `KB_CONFIG_INVALID_KIND`.
    pub fn read(text: &str) -> Result<Config> {
        let mut config = Config::default();
        let document: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(document) => document,
            Err(_) => {
                config.faults.push("settings.json".to_owned());
                return Ok(config);
            }
        };
        if let Some(catalog) = document.get("catalog") {
            config.runbooks = catalog.get("in_kb") == Some(&Value::Bool(true));
            let folder = catalog.get("source").and_then(Value::as_str);
            config.runbook_folder = folder.map(|folder| folder.trim_end_matches('/').to_owned());
        }
        let Some(kb) = document.get("kb") else { return Ok(config) };
        config.document = kb.clone();
        let Value::Object(kb) = kb else {
            config.faults.push("kb".to_owned());
            return Ok(config);
        };
        config.texts(kb);
        config.vocabulary(kb);
        if let Some(map) = kb.get("kind_map").and_then(Value::as_object) {
            for (prefix, kind) in map {
                let kind =
                    kind.as_str().and_then(Kind::named).ok_or_else(|| refusal::invalid_kind(prefix, kind))?;
                config.kind_map.set(prefix, kind);
            }
        }
        Ok(config)
    }

    fn texts(&mut self, kb: &Map<String, Value>) {
        if let Some(items) = kb.get("items") {
            match items.as_bool() {
                Some(items) => self.items = items,
                None => self.faults.push("kb.items".to_owned()),
            }
        }
        if let Some(scheme) = kb.get("uri_scheme") {
            let legal = |text: &&str| {
                text.starts_with(|c: char| c.is_ascii_alphabetic())
                    && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
            };
            match scheme.as_str().filter(legal) {
                Some(scheme) => self.uri_scheme = scheme.to_owned(),
                None => self.faults.push("kb.uri_scheme".to_owned()),
            }
        }
        for (key, numbers) in [
            ("max_file_bytes", &mut Some(&mut self.max_file_bytes)),
            ("max_body_reads_per_minute", &mut None),
        ] {
            let Some(value) = kb.get(key) else { continue };
            match (value.as_u64(), numbers) {
                (Some(n), Some(place)) => **place = n,
                (Some(n), None) => self.max_body_reads_per_minute = Some(n),
                (None, _) => self.faults.push(format!("kb.{key}")),
            }
        }
        if let Some(day) = kb.get("legacy_sunset") {
            match day.as_str().filter(|day| day.parse::<jiff::civil::Date>().is_ok()) {
                Some(day) => self.legacy_sunset = Some(day.to_owned()),
                None => self.faults.push("kb.legacy_sunset".to_owned()),
            }
        }
        let mut globs = |key: &str| -> Vec<Regex> {
            let list =
                kb.get(key).map(|value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]));
            let mut found = Vec::new();
            for glob in list.unwrap_or_default() {
                match glob.as_str().and_then(glob_pattern) {
                    Some(pattern) => found.push(pattern),
                    None => self.faults.push(format!("kb.{key}")),
                }
            }
            found
        };
        let (include, exclude) = (globs("include_globs"), globs("exclude_globs"));
        (self.include_globs, self.exclude_globs) = (include, exclude);
        if let Some(preflight) = kb.get("preflight").and_then(Value::as_object) {
            if let Some(list) = preflight.get("constraint_prefixes").and_then(Value::as_array) {
                self.constraint_prefixes = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            }
            if let Some(stem) =
                preflight.get("definition_of_done").and_then(Value::as_str).filter(|s| !s.is_empty())
            {
                self.definition_of_done = stem.to_owned();
            }
        }
    }

    fn vocabulary(&mut self, kb: &Map<String, Value>) {
        let Some(vocab) = kb.get("vocab").and_then(Value::as_object) else { return };
        for (key, list) in
            [("audience", &mut self.audiences), ("exposure", &mut self.exposures), ("tier", &mut self.tiers)]
        {
            for value in vocab.get(key).and_then(Value::as_array).into_iter().flatten() {
                if !list.contains(value) && (value.is_string() || value.is_i64() || value.is_u64()) {
                    list.push(value.clone());
                }
            }
        }
    }

    /// Whether a file of the repository is a document by its path.
    pub fn takes(&self, path: &str) -> bool {
        let markdown = path.ends_with(".md") && !path.split('/').rev().skip(1).any(is_foreign);
        let included = markdown || self.include_globs.iter().any(|glob| glob.is_match(path));
        included && !self.exclude_globs.iter().any(|glob| glob.is_match(path))
    }
}

/// Folders whose files are somebody else's, or no documents.
pub fn is_foreign(folder: &str) -> bool {
    folder.starts_with('.') || matches!(folder, "node_modules" | "target" | "vendor")
}

/// A glob over whole paths: `*` and `?` stay inside a folder, `**` goes through any number, `{a,b}` is either.
pub(crate) fn glob_pattern(glob: &str) -> Option<Regex> {
    let mut pattern = String::from("^");
    let mut letters = glob.strip_prefix("./").unwrap_or(glob).chars().peekable();
    let mut braces = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.peek() == Some(&'*') => {
                letters.next();
                if letters.peek() == Some(&'/') {
                    letters.next();
                    pattern.push_str("(?:.*/)?");
                } else {
                    pattern.push_str(".*");
                }
            }
            '*' => pattern.push_str("[^/]*"),
            '?' => pattern.push_str("[^/]"),
            '{' => {
                braces += 1;
                pattern.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                pattern.push(')');
            }
            ',' if braces > 0 => pattern.push('|'),
            other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    pattern.push('$');
    Regex::new(&pattern).ok().filter(|_| braces == 0 && !glob.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn what_is_said_is_laid_over_the_defaults() {
        let config = Config::read(r#"{"kb": {"items": false, "uri_scheme": "klappy", "vocab": {"tier": [0, 1]}, "max_file_bytes": "x"}}"#).unwrap();
        assert!(!config.items);
        assert_eq!(config.uri_scheme, "klappy");
        assert_eq!(config.tiers, [json!(1), json!(2), json!(3), json!(4), json!(0)]);
        assert_eq!(config.max_file_bytes, MAX_FILE_BYTES);
        assert_eq!(config.faults, ["kb.max_file_bytes"]);
        assert_eq!(Config::read("{").unwrap().faults, ["settings.json"]);
    }

    #[test]
    fn a_sixth_kind_is_refused() {
        let error = Config::read(r#"{"kb": {"kind_map": {"x/": "runbooks"}}}"#).unwrap_err();
        assert_eq!(error.code, Code::KbConfigInvalidKind);
    }

    #[test]
    fn which_files_are_documents() {
        let mut config = Config::default();
        for path in ["README.md", "docs/a/b.md"] {
            assert!(config.takes(path), "{path}");
        }
        for path in ["a.txt", ".github/a.md", "x/node_modules/a.md", "target/a.md", "vendor/a.md", "a.MD"] {
            assert!(!config.takes(path), "{path}");
        }
        config.include_globs = glob_pattern(".github/**/*.{md,txt}").into_iter().collect();
        config.exclude_globs = glob_pattern("docs/*.md").into_iter().collect();
        assert!(config.takes(".github/a.md") && config.takes(".github/x/y.txt"));
        assert!(!config.takes("docs/a.md") && config.takes("docs/a/b.md"));
        assert!(glob_pattern("{a").is_none());
    }
}
