//! Profiles: what a tracker needs for one way of working, as a bundle of declarations, settings and a template.

use serde_json::{Map, Value, json};

use super::declarations::{self, Document, FIELDS, STATUSES, Section, TYPES, WORKFLOWS};
use super::presets;

/// A bundle, as constant data.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it brings, in one line.
    pub summary: &'static str,
    /// The types, by the names that the preset of the same name gives them.
    kinds: &'static [&'static str],
    /// Statuses with their descriptions; all of them are active.
    statuses: &'static [(&'static str, &'static str)],
    /// Fields with the type of their values and their descriptions.
    fields: &'static [(&'static str, &'static str, &'static str)],
    /// The type that follows the workflow, and the statuses that it goes through in order.
    workflow: (&'static str, &'static [&'static str]),
    /// Settings, with their values as typed.
    settings: &'static [(&'static str, &'static str)],
    /// A template: its name, and the options of `create` that it gives.
    template: (&'static str, &'static [(&'static str, &'static str)]),
}

/// The profiles that there are.
pub const PROFILES: [Profile; 3] = [
    Profile {
        name: "agile",
        title: "Agile delivery",
        summary: "Stories and spikes that are reviewed, estimated in points and accepted by somebody.",
        kinds: &["Story", "Spike"],
        statuses: &[("review", "Done, as far as the author can tell; somebody else looks at it.")],
        fields: &[
            ("story_points", "number", "How big it is compared with others."),
            ("acceptance_owner", "string", "Who says that it is done."),
        ],
        workflow: ("Story", &["draft", "open", "in_progress", "review", "closed"]),
        settings: &[("governance_workflow_enforcement", "warn"), ("context_stale_threshold_days", "5")],
        template: (
            "story",
            &[
                ("type", "Story"),
                ("priority", "2"),
                ("acceptance_criteria", "Given ... when ... then ..."),
                ("tags", "story"),
            ],
        ),
    },
    Profile {
        name: "ops",
        title: "Operations",
        summary: "Incidents and runbooks: mitigated first, watched next, tied to a service and a cause.",
        kinds: &["Incident", "Runbook"],
        statuses: &[
            ("mitigating", "Users are being helped; the cause may be unknown."),
            ("monitoring", "It seems to be over and is being watched."),
        ],
        fields: &[
            ("service", "string", "The service that is concerned."),
            ("root_cause", "string", "Why it happened, once that is known."),
        ],
        workflow: ("Incident", &["open", "mitigating", "monitoring", "closed"]),
        settings: &[("governance_workflow_enforcement", "warn"), ("context_stale_threshold_days", "1")],
        template: (
            "incident",
            &[("type", "Incident"), ("priority", "0"), ("severity", "high"), ("tags", "incident")],
        ),
    },
    Profile {
        name: "research",
        title: "Research",
        summary: "Hypotheses and experiments: a statement, a method, and time to analyse what came out.",
        kinds: &["Experiment", "Hypothesis"],
        statuses: &[("analysis", "The data is there; what it means is being worked out.")],
        fields: &[
            ("hypothesis", "string", "The statement that is tested."),
            ("method", "string", "How it is tested."),
        ],
        workflow: ("Experiment", &["draft", "open", "in_progress", "analysis", "closed"]),
        settings: &[("governance_workflow_enforcement", "warn"), ("context_stale_threshold_days", "14")],
        template: (
            "experiment",
            &[
                ("type", "Experiment"),
                ("priority", "2"),
                ("expected_result", "What would refute the hypothesis?"),
                ("tags", "experiment"),
            ],
        ),
    },
];

impl Profile {
    /// The profile of this name, in any case.
    pub fn find(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(name.trim()))
    }

    /// Its declarations by the file where they go, in the order in which they are applied.
    pub fn declarations(&self) -> [(&'static Section, Vec<Document>); 4] {
        let objects = |values: Vec<Value>| values.into_iter().filter_map(object).collect();
        let kinds = presets::kinds(self.name).into_iter();
        let kinds = kinds.filter(|kind| self.kinds.iter().any(|name| kind["name"] == *name)).collect();
        let statuses = self
            .statuses
            .iter()
            .map(|(id, about)| json!({"id": id, "roles": ["active"], "description": about}))
            .collect();
        let fields = self
            .fields
            .iter()
            .map(|(key, kind, about)| json!({"key": key, "type": kind, "commands": ["create", "update", "list"], "description": about}))
            .collect();
        let workflow = vec![json!({"type": self.workflow.0, "allowed_transitions": self.transitions()})];
        [
            (&TYPES, objects(kinds)),
            (&STATUSES, objects(statuses)),
            (&FIELDS, objects(fields)),
            (&WORKFLOWS, objects(workflow)),
        ]
    }

    /// One step on, one step back, and out of the way: blocked and back, or given up.
    fn transitions(&self) -> Vec<[&'static str; 2]> {
        let steps = self.workflow.1;
        let mut all: Vec<[&str; 2]> = Vec::new();
        for pair in steps.windows(2) {
            all.push([pair[0], pair[1]]);
            all.push([pair[1], pair[0]]);
        }
        let under_way = steps.iter().filter(|step| **step != "closed");
        for step in under_way {
            all.extend([[*step, "blocked"], ["blocked", *step], [*step, "canceled"]]);
        }
        all
    }

    /// Its settings: the name of each, and the value as typed.
    pub fn settings(&self) -> &'static [(&'static str, &'static str)] {
        self.settings
    }

    /// The name of its template, and the options of `create` that it gives.
    pub fn template(&self) -> (&'static str, Map<String, Value>) {
        let options = self.template.1.iter();
        (self.template.0, options.map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect())
    }

    /// How much of each kind it holds, as the list of profiles says it.
    pub fn composition(&self) -> Value {
        json!({
            "types": self.kinds.len(), "statuses": self.statuses.len(), "fields": self.fields.len(),
            "workflows": 1, "config": self.settings.len(), "templates": 1, "packages": 0,
        })
    }
}

fn object(value: Value) -> Option<Document> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// How a declaration of a profile stands in a tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is not there.
    Missing,
    /// The tracker has one of this name that says something else.
    Differs,
    /// It is there as the profile has it.
    Present,
}

/// Compares a declaration with the file where it would go; what the file says beyond it does not count.
pub fn standing(section: &Section, document: Option<&Document>, wanted: &Document) -> Standing {
    let name = wanted.get(section.name).and_then(Value::as_str).unwrap_or_default();
    match declarations::find(section, document, name) {
        None => Standing::Missing,
        Some(Value::Object(found)) => {
            let same = wanted.iter().all(|(key, value)| key == section.name || found.get(key) == Some(value));
            if same { Standing::Present } else { Standing::Differs }
        }
        Some(_) => Standing::Differs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::setting_key::SettingKey;
    use crate::model::{canonical, field};

    #[test]
    fn what_a_profile_names_exists_or_is_new() {
        for profile in &PROFILES {
            let [(_, kinds), (_, statuses), (_, fields), (_, workflows)] = profile.declarations();
            assert_eq!(kinds.len(), profile.kinds.len(), "{}", profile.name);
            assert_eq!((statuses.len(), workflows.len()), (profile.statuses.len(), 1));
            for declared in &fields {
                let key = declared["key"].as_str().unwrap();
                assert!(!canonical::is_built_in(key), "{key} is a field of every item");
            }
            for (name, value) in profile.settings() {
                let key = SettingKey::find(name).unwrap_or_else(|| panic!("{name} is no setting"));
                assert!(key.parse(value).is_ok(), "{name} {value}");
            }
            for key in profile.template().1.keys() {
                assert!(field::find(key).is_some(), "{key} is no field of `create`");
            }
            assert!(profile.kinds.contains(&profile.workflow.0));
        }
    }

    #[test]
    fn a_declaration_is_compared_by_what_the_profile_says() {
        let wanted = object(json!({"key": "service", "type": "string"})).unwrap();
        let file = |value: Value| object(json!({"fields": [value]})).unwrap();
        let stands = |document: &Document| standing(&FIELDS, Some(document), &wanted);
        assert_eq!(standing(&FIELDS, None, &wanted), Standing::Missing);
        assert_eq!(stands(&file(json!({"key": "service", "type": "number"}))), Standing::Differs);
        assert_eq!(
            stands(&file(json!({"key": "Service", "type": "string", "required": true}))),
            Standing::Present
        );
    }
}
