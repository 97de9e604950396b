//! `settings.json` and the schema files, as they lie in a tracker.

use serde_json::{Map, Value};

use super::source::{ReadError, Source};
use crate::model::schema::{Schema, SchemaFiles};
use crate::model::settings::Settings;

/// The largest settings or schema file that is read, in bytes.
pub const MAX_SETTINGS_BYTES: u64 = 4 * 1024 * 1024;

/// The path of the settings.
pub const SETTINGS_PATH: &str = "settings.json";

/// What a tracker says about itself.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The settings.
    pub settings: Settings,
    /// The schema.
    pub schema: Schema,
    /// What could not be used, as warnings: `settings_read_invalid_json:settings.json: ...`.
    pub warnings: Vec<String>,
    /// Names what the answers of this tracker depend on besides its items; equal keys, equal rules.
    pub key: Vec<u8>,
}

/// Reads settings and schema. A file that cannot be used is told in the warnings; its defaults stand in.
pub fn read(source: &dyn Source) -> Configuration {
    let mut warnings = Vec::new();
    let settings = match source.read(SETTINGS_PATH, MAX_SETTINGS_BYTES) {
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) => Settings::parse(text),
            Err(_) => Settings::unreadable("it is not UTF-8"),
        },
        Err(ReadError::NotFound) => Settings::none(),
        Err(error) => Settings::unreadable(error.to_string()),
    };
    if let Some(fault) = settings.fault() {
        warnings.push(format!("{}:{SETTINGS_PATH}: {}", fault.code(), fault.problem()));
    }
    let mut schema_file = |name: &str| {
        let path = match settings.text(&format!("schema.files.{name}")) {
            "" => format!("schema/{name}.json"),
            path => path.to_owned(),
        };
        read_object(source, &path).unwrap_or_else(|problem| {
            warnings.push(format!("schema_read_invalid_json:{path}: {problem}"));
            None
        })
    };
    let mut files = SchemaFiles {
        types: schema_file("types"),
        statuses: schema_file("statuses"),
        fields: schema_file("fields"),
        workflows: schema_file("workflows"),
        extensions: None,
    };
    // The registry of the reference's packages is theirs: what of it cannot be read is none of our business.
    files.extensions = read_object(source, "extensions/.managed-extensions.json").unwrap_or_default();
    let schema = Schema::new(&settings, &files);
    let key = key(&settings, &schema);
    Configuration { settings, schema, warnings, key }
}

/// Reads a JSON object; `None` when there is no such file.
pub fn read_object(source: &dyn Source, path: &str) -> Result<Option<Map<String, Value>>, String> {
    let bytes = match source.read(path, MAX_SETTINGS_BYTES) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(Some(object)),
        Ok(_) => Err("it is no JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Writes the settings of a user, which lie in no tracker, and makes their folder.
pub fn write_global(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    super::file::replace(path, text.as_bytes())
}

/// Which statuses there are decides which items can be read, and the folders of kinds where they are looked for; where
/// fields that nobody declared are refused, the declared ones too.
fn key(settings: &Settings, schema: &Schema) -> Vec<u8> {
    let mut key = Vec::new();
    if settings.text("schema.unknown_field_policy") == "reject" {
        key.push(2);
        for field in &schema.fields {
            key.extend_from_slice(field.metadata_key.as_bytes());
            key.push(0);
        }
        key.push(2);
    }
    for kind in schema.kinds.iter() {
        key.extend_from_slice(kind.folder.as_bytes());
        key.push(0);
    }
    for status in schema.statuses.iter() {
        for text in std::iter::once(&status.id).chain(&status.aliases) {
            key.extend_from_slice(text.as_bytes());
            key.push(0);
        }
        key.push(1);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::WorkTree;

    fn configuration(files: &[(&str, &str)]) -> Configuration {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        read(&WorkTree::open(dir.path()).unwrap())
    }

    #[test]
    fn nothing_at_all_is_fine() {
        let found = configuration(&[]);
        assert!(found.warnings.is_empty());
        assert!(found.schema.statuses.get("open").is_some());
    }

    #[test]
    fn broken_files_are_named_and_the_rest_is_used() {
        let found = configuration(&[
            ("settings.json", "{"),
            ("schema/types.json", "[]"),
            ("schema/statuses.json", r#"{"statuses":[{"id":"review"}]}"#),
        ]);
        assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
        assert!(found.warnings[0].starts_with("settings_read_invalid_json:settings.json: "));
        assert_eq!(found.warnings[1], "schema_read_invalid_json:schema/types.json: it is no JSON object");
        assert!(found.schema.statuses.get("review").is_some());
    }

    #[test]
    fn settings_name_the_schema_files_but_not_outside() {
        let settings = r#"{"schema":{"files":{"types":"../types.json","fields":"own/f.json"}}}"#;
        let found =
            configuration(&[("settings.json", settings), ("own/f.json", r#"{"fields":[{"key":"effort"}]}"#)]);
        assert!(found.schema.field("effort").is_some());
        assert_eq!(found.warnings.len(), 1);
    }

    #[test]
    fn the_key_follows_the_statuses() {
        let review = configuration(&[("schema/statuses.json", r#"{"statuses":[{"id":"review"}]}"#)]);
        assert_ne!(review.key, configuration(&[]).key);
    }
}
