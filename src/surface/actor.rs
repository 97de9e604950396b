//! Who acts, found out from the call, the environment and the settings (storage.md §4.8, product.md §5.9).

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::environment::Env;
use crate::model::settings::Settings;
use crate::tracker::Actor;

use super::Globals;

/// A program that drives `pm` for somebody.
struct Harness {
    name: &'static str,
    /// Set to something when it is at work.
    marker: &'static str,
    /// Holds the id of its session.
    session: &'static str,
}

const HARNESSES: &[Harness] = &[
    Harness { name: "claude-code", marker: "CLAUDECODE", session: "CLAUDE_CODE_SESSION_ID" },
    Harness { name: "codex", marker: "CODEX_THREAD_ID", session: "CODEX_THREAD_ID" },
    Harness { name: "cursor", marker: "CURSOR_AGENT", session: "CURSOR_TRACE_ID" },
    Harness { name: "opencode", marker: "OPENCODE", session: "OPENCODE_SESSION_ID" },
];

const UNKNOWN: &str = "unknown";

/// The actor of a call; `settings` when there is a tracker.
pub(super) fn resolve(globals: &Globals, env: &Env, settings: Option<&Settings>) -> Actor {
    let harness = harness(env, settings);
    let client = env.get("PM_CLIENT_NAME").filter(|_| harness.is_none() && probes(env, settings));
    let (author, source) = author(globals, env, settings, harness.map(|harness| harness.name).or(client));
    let own = harness.and_then(|harness| env.get(harness.session)).map(fingerprint);
    let session = given(globals.session.as_deref()).or_else(|| env.get("PM_SESSION")).map(str::to_owned);
    let principal = match session.or_else(|| own.clone()) {
        Some(session) => format!("{author}#{session}"),
        None => author.clone(),
    };
    Actor {
        author,
        source,
        principal,
        provenance: provenance(env, harness.map(|harness| harness.name).or(client), own),
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn author(
    globals: &Globals,
    env: &Env,
    settings: Option<&Settings>,
    harness: Option<&str>,
) -> (String, &'static str) {
    // Said but blank is an answer too: nobody.
    if let Some(said) = globals.author.as_deref().or_else(|| env.raw("PM_AUTHOR")) {
        return match given(Some(said)) {
            Some(author) => (author.to_owned(), "asserted"),
            None => (UNKNOWN.to_owned(), UNKNOWN),
        };
    }
    if let Some(author) = settings.and_then(|settings| given(Some(settings.text("author_default")))) {
        return (author.to_owned(), "configured");
    }
    match harness {
        Some(harness) => (format!("harness:{harness}"), "detected"),
        None => (UNKNOWN.to_owned(), UNKNOWN),
    }
}

/// Whether it may be found out who acts where nobody says so.
fn probes(env: &Env, settings: Option<&Settings>) -> bool {
    !matches!(env.get("PM_AGENT_PROBES"), Some("0" | "false" | "off"))
        && settings.is_none_or(|settings| settings.flag("agent_identity.probes_enabled"))
}

fn harness(env: &Env, settings: Option<&Settings>) -> Option<&'static Harness> {
    let at_work = |harness: &&Harness| !matches!(env.get(harness.marker), None | Some("0" | "false"));
    HARNESSES.iter().find(at_work).filter(|_| probes(env, settings))
}

/// 24 hex digits that tell sessions apart and give nothing away.
fn fingerprint(session: &str) -> String {
    let digest = Sha256::digest(session.as_bytes());
    digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// The attribution keys of history entries, in wire order (storage.md §4.1).
fn provenance(env: &Env, harness: Option<&str>, instance: Option<String>) -> Vec<(String, Value)> {
    let mut keys = Vec::new();
    let mut add = |key: &str, value: Value| keys.push((key.to_owned(), value));
    if let Some(harness) = harness {
        add("agent_harness", harness.into());
    }
    if let Some(model) = env.get("PM_AGENT_MODEL") {
        add("agent_model", model.into());
        add("agent_model_source", "environment".into());
    }
    if let Some(instance) = instance {
        add("agent_instance", instance.into());
    }
    let said = |variables: &[&str]| variables.iter().find_map(|variable| env.get(variable));
    let mut dimensions = Map::new();
    for (dimension, value) in [
        ("effort", said(&["PM_AGENT_EFFORT"])),
        ("role", said(&["PM_AGENT_ROLE", "PM_AGENT_SESSION_ROLE"])),
        ("topic", said(&["PM_AGENT_TOPIC", "PM_AGENT_SESSION_TOPIC"])),
    ] {
        if let Some(value) = value {
            dimensions.insert(dimension.to_owned(), json!({"value": value, "source": "environment"}));
        }
    }
    // What the client of a server calls itself (`clientInfo`).
    if let (Some(name), true) = (env.get("PM_CLIENT_NAME"), harness.is_some()) {
        let client = [Some(name), env.get("PM_CLIENT_VERSION")].into_iter().flatten().collect::<Vec<_>>();
        dimensions.insert("client".to_owned(), json!({"value": client.join(" "), "source": "client_info"}));
    }
    if !dimensions.is_empty() {
        add("agent_provenance", Value::Object(dimensions));
    }
    if let Some(id) = env.get("PM_AGENT_EPISODE_ID") {
        let mut episode = Map::from_iter([("id".to_owned(), Value::from(id))]);
        for (key, variable) in
            [("label", "PM_AGENT_EPISODE_LABEL"), ("parent_id", "PM_AGENT_EPISODE_PARENT_ID")]
        {
            episode.extend(env.get(variable).map(|value| (key.to_owned(), Value::from(value))));
        }
        add("agent_episode", Value::Object(episode));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actor(
        author: Option<&str>,
        session: Option<&str>,
        variables: &[(&str, &str)],
        setting: &str,
    ) -> Actor {
        let globals = Globals {
            author: author.map(str::to_owned),
            session: session.map(str::to_owned),
            ..Globals::default()
        };
        let variables = variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let Value::Object(document) = json!({"author_default": setting}) else { unreachable!() };
        let settings = Settings::from_document(document);
        resolve(&globals, &Env::new("/", variables), Some(&settings))
    }

    #[test]
    fn the_call_beats_the_environment_beats_the_settings_beats_a_harness() {
        let harness = [("CLAUDECODE", "1")];
        for (author, variables, setting, expected) in [
            (Some("ann"), &[("PM_AUTHOR", "bo")][..], "cy", ("ann", "asserted")),
            (Some(" "), &[("PM_AUTHOR", "bo")][..], "cy", ("unknown", "unknown")),
            (None, &[("PM_AUTHOR", "bo")][..], "cy", ("bo", "asserted")),
            (None, &[("PM_AUTHOR", " ")][..], "cy", ("unknown", "unknown")),
            (None, &harness[..], "cy", ("cy", "configured")),
            (None, &harness[..], "", ("harness:claude-code", "detected")),
            (None, &[("CLAUDECODE", "1"), ("PM_AGENT_PROBES", "off")][..], "", ("unknown", "unknown")),
            (None, &[("PM_CLIENT_NAME", "desk")][..], "", ("harness:desk", "detected")),
            (None, &[("PM_CLIENT_NAME", "desk")][..], "cy", ("cy", "configured")),
            (None, &[("PM_CLIENT_NAME", "desk"), ("PM_AGENT_PROBES", "off")][..], "", ("unknown", "unknown")),
            (None, &[][..], "", ("unknown", "unknown")),
        ] {
            let actor = actor(author, None, variables, setting);
            assert_eq!((actor.author.as_str(), actor.source), expected, "{author:?} {variables:?} {setting}");
        }
    }

    #[test]
    fn claims_belong_to_the_session() {
        let harness = [("CODEX_THREAD_ID", "t-1"), ("PM_AUTHOR", "ann")];
        assert_eq!(actor(Some("ann"), None, &[], "").principal, "ann");
        assert_eq!(actor(Some("ann"), Some("s1"), &harness, "").principal, "ann#s1");
        assert_eq!(actor(None, None, &[("PM_AUTHOR", "ann"), ("PM_SESSION", "s2")], "").principal, "ann#s2");
        let own = actor(None, None, &harness, "");
        assert_eq!(own.principal.len(), "ann#".len() + 24);
        let names: Vec<&str> = own.provenance.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["agent_harness", "agent_instance"]);
    }
}
