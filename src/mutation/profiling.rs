//! Fitting a tracker to a profile: what it lacks, and bringing that in one transaction.

use serde_json::{Map, Value, json};

use super::{declaring, templates};
use crate::domain::declarations::{self, Document};
use crate::domain::profiles::{self, PROFILES, Profile, Standing};
use crate::error::{Code, Error, Result};
use crate::model::setting_key::SettingKey;
use crate::model::settings::Settings;
use crate::nearest;
use crate::store::settings::SETTINGS_PATH;
use crate::tracker::{Tracker, Write};

/// How one part of a profile stood before it was applied.
#[derive(Debug)]
pub(crate) struct Part {
    section: &'static str,
    name: String,
    standing: Standing,
    /// The value that the tracker has and the one that the profile wants, for settings.
    values: Option<(Value, Value)>,
}

/// What applying a profile did, or would do.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) parts: Vec<Part>,
    pub(crate) changed: bool,
    pub(crate) warnings: Vec<String>,
}

impl Part {
    /// What lint says about it; nothing when there is nothing to say.
    pub(crate) fn finding(&self) -> Option<Value> {
        let problem = match self.standing {
            Standing::Present => return None,
            Standing::Missing => "missing",
            Standing::Differs => "differs",
        };
        Some(json!({"section": self.section, "name": self.name, "problem": problem}))
    }

    /// What applying does about it. A declaration that is there already stays as it is; a setting is set.
    pub(crate) fn change(&self) -> Value {
        let change = match (self.standing, &self.values) {
            (Standing::Missing, None) => "added",
            (Standing::Missing | Standing::Differs, Some(_)) => "set",
            (Standing::Differs, None) => "kept",
            (Standing::Present, _) => "present",
        };
        let (before, after) = self.values.clone().unwrap_or_default();
        json!({"section": self.section, "name": self.name, "change": change, "before": before, "after": after})
    }
}

/// The profile of this name.
///
/// Errors: `unknown_profile`.
pub(crate) fn find(typed: &str) -> Result<&'static Profile> {
    Profile::find(typed).ok_or_else(|| {
        let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        Error::new(Code::UnknownProfile, format!("the profiles are {}", known.join(", ")))
            .at("NAME")
            .rejecting(typed)
            .fact("allowed_values", nearest::order(typed, &known))
            .hint("pm profile list")
    })
}

/// The name of a section in answers.
fn called(section: &declarations::Section) -> &'static str {
    match section.list {
        "definitions" => "types",
        "type_workflows" => "workflows",
        other => other,
    }
}

/// Brings everything that a profile has and the tracker lacks, in one transaction; a dry run only looks.
///
/// Errors: those of [`crate::tracker::Transaction::change_document`].
pub(crate) fn fit(tracker: &Tracker, profile: &Profile, write: &Write<'_>) -> Result<Fitted> {
    let mut transaction = tracker.transaction(write)?;
    let mut fitted = Fitted { parts: Vec::new(), changed: false, warnings: Vec::new() };
    let mut written = Vec::new();
    for (section, wanted) in profile.declarations() {
        let mut parts = Vec::new();
        let mut edit = |document: Option<&Document>| {
            let mut after = document.cloned();
            parts.clear();
            for declaration in &wanted {
                let standing = profiles::standing(section, after.as_ref(), declaration);
                if standing == Standing::Missing {
                    after = Some(declarations::put(section, after.as_ref(), declaration).document);
                }
                let name = declaration.get(section.name).and_then(Value::as_str).unwrap_or_default();
                parts.push(Part { section: called(section), name: name.to_owned(), standing, values: None });
            }
            Ok(after.unwrap_or_default())
        };
        written.push(transaction.change_document(&declaring::path(tracker, section), write, &mut edit)?);
        fitted.parts.append(&mut parts);
    }
    let mut parts = Vec::new();
    let mut edit = |document: Option<&Document>| Ok(settled(profile, document, &mut parts));
    written.push(transaction.change_document(SETTINGS_PATH, write, &mut edit)?);
    fitted.parts.append(&mut parts);
    let (name, options) = profile.template();
    let mut standing = Standing::Missing;
    let mut edit = |document: Option<&Document>| match document {
        Some(found) => {
            let same = found.get("options") == Some(&Value::Object(options.clone()));
            standing = if same { Standing::Present } else { Standing::Differs };
            Ok(found.clone())
        }
        None => Ok(templates::document(name, options.clone(), None, tracker)),
    };
    written.push(transaction.change_document(&templates::path(name)?, write, &mut edit)?);
    fitted.parts.push(Part { section: "templates", name: name.to_owned(), standing, values: None });
    transaction.commit()?;
    fitted.changed = written.iter().any(|written| !written.unchanged);
    fitted.warnings = written.into_iter().flat_map(|written| written.warnings).collect();
    Ok(fitted)
}

/// The settings as the profile wants them.
fn settled(profile: &Profile, document: Option<&Document>, parts: &mut Vec<Part>) -> Map<String, Value> {
    parts.clear();
    let mut settings = Settings::from_document(document.cloned().unwrap_or_default());
    for (name, text) in profile.settings() {
        let Some(key) = SettingKey::find(name) else { continue };
        let Ok(wanted) = key.parse(text) else { continue };
        let found = settings.get(key.path).cloned().unwrap_or_default();
        let standing = if found == wanted { Standing::Present } else { Standing::Differs };
        if standing != Standing::Present {
            settings = key.set(&settings, wanted.clone());
        }
        let values = Some((found, wanted));
        parts.push(Part { section: "config", name: key.path.to_owned(), standing, values });
    }
    settings.document().cloned().unwrap_or_default()
}
