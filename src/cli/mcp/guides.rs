//! Resources and prompts: what a client shows or reads without calling a tool.

use serde_json::{Map, Value, json};

use super::Fault;
use super::calls::Asked;

/// A resource: its address, what it is, the words that answer it.
const RESOURCES: [(&str, &str, &[&str]); 3] = [
    (
        "pm://context",
        "Where the project stands: counts, hierarchy, blockers, what happened lately",
        &["context"],
    ),
    ("pm://next", "What to work on next, and why", &["next"]),
    ("pm://contracts", "Every command in a line", &["contracts"]),
];

/// A family of resources: its address up to the name, its template, what it is, the words before the name.
const FAMILIES: [(&str, &str, &str, &[&str]); 2] = [
    ("pm://items/", "pm://items/{id}", "An item", &["get"]),
    (
        "pm://contracts/",
        "pm://contracts/{command}",
        "What a command takes and promises",
        &["contracts", "--command"],
    ),
];

/// A prompt: its name, what it is for, its argument and what that is, what is asked, the words whose answer follows.
struct Prompt {
    name: &'static str,
    about: &'static str,
    argument: (&'static str, &'static str),
    task: &'static str,
    words: &'static [&'static str],
}

const PROMPTS: [Prompt; 2] = [
    Prompt {
        name: "orient",
        about: "Get an overview of the project before work",
        argument: ("request", "What you were asked to do"),
        task: "Below is where the project stands. Say in a few lines which items matter for the request, whether one \
               covers it already, and what to do first. Claim the item with pm_claim before you change anything; \
               create one with pm_create when there is none.",
        words: &["context", "--for", "orient"],
    },
    Prompt {
        name: "handoff",
        about: "Leave work so that somebody else can go on",
        argument: ("id", "The item that is handed over"),
        task: "Below is what is in progress. Record for whoever comes next: what is done and how it was checked, what \
               is left, what blocks it. Write it with pm_comments {id, add}, set the status with pm_update, then \
               pm_release the item.",
        words: &["context", "--for", "handoff"],
    },
];

/// `resources/list`.
pub(super) fn resources() -> impl Iterator<Item = Value> {
    let row = |(uri, about, _): &(&str, &str, &[&str])| json!({"uri": uri, "name": &uri[5..], "description": about, "mimeType": "application/json"});
    RESOURCES.iter().map(row)
}

/// `resources/templates/list`.
pub(super) fn templates() -> impl Iterator<Item = Value> {
    let row = |(prefix, template, about, _): &(&str, &str, &str, &[&str])| {
        let name = prefix[5..].trim_end_matches('/');
        json!({"uriTemplate": template, "name": name, "description": about, "mimeType": "application/json"})
    };
    FAMILIES.iter().map(row)
}

/// `resources/read`: the text of a resource.
pub(super) fn read(asked: &Asked<'_>, uri: &str) -> Result<String, Fault> {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let alone = RESOURCES.iter().find(|(known, ..)| *known == uri).map(|(_, _, words)| owned(words));
    let member = || {
        let (prefix, _, _, words) = FAMILIES.iter().find(|(prefix, ..)| uri.starts_with(prefix))?;
        let name = &uri[prefix.len()..];
        (!name.is_empty() && !name.starts_with('-'))
            .then(|| [owned(words), vec![name.replace("%20", " ")]].concat())
    };
    let Some(words) = alone.or_else(member) else {
        return Err(missing(uri, None));
    };
    asked.say(words).map_err(|error| missing(uri, serde_json::from_str(&error).ok()))
}

fn missing(uri: &str, data: Option<Value>) -> Fault {
    let known: Vec<&str> =
        RESOURCES.iter().map(|row| row.0).chain(FAMILIES.iter().map(|row| row.1)).collect();
    let message = format!("there is no resource `{uri}`; there are {}", known.join(", "));
    Fault { code: -32002, message, data }
}

/// `prompts/list`.
pub(super) fn prompts() -> impl Iterator<Item = Value> {
    let row = |prompt: &Prompt| {
        let (name, about) = prompt.argument;
        json!({"name": prompt.name, "description": prompt.about,
            "arguments": [{"name": name, "description": about, "required": false}]})
    };
    PROMPTS.iter().map(row)
}

/// `prompts/get`: what the prompt is for, and its text.
pub(super) fn prompt(
    asked: &Asked<'_>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<(&'static str, String), Fault> {
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let known: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        return Err(Fault::invalid(format!("there is no prompt `{name}`; there are {}", known.join(", "))));
    };
    let (key, _) = prompt.argument;
    let said = arguments.get(key).and_then(Value::as_str);
    let said = said.map(|said| format!("\n\n{key}: {said}")).unwrap_or_default();
    let words = prompt.words.iter().map(|&word| word.to_owned()).chain(["--output-format=toon".to_owned()]);
    let state = asked.say(words.collect()).unwrap_or_else(|error| error);
    Ok((prompt.about, format!("{}{said}\n\n{state}", prompt.task)))
}
