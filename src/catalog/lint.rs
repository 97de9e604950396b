//! What a schema cannot say about a record: names that lead nowhere, steps that nobody reaches, capabilities that
//! are not asked for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::authored::{Authored, Step};
use super::finding::Finding;
use super::settings::Settings;
use super::words::{InputType, Profile, StepKind};

/// The findings of a record that fits its schema, errors and warnings mixed in the order of the text.
pub fn record(record: &Authored, path: &str, settings: &Settings) -> Vec<Finding> {
    let mut found = Vec::new();
    names(record, path, &mut found);
    capabilities(record, path, settings, &mut found);
    inputs(record, path, &mut found);
    if record.profile == Profile::P1 {
        edges(record, path, &mut found);
    }
    for (n, step) in record.steps.iter().enumerate() {
        if step.risk.forces_approval() && step.requires_approval == Some(false) {
            let message = format!(
                "`steps[{n}].requires_approval` is false on a step that is {}: it is served as true",
                step.risk
            );
            found.push(Finding::warning(path, "approval", message));
        }
    }
    found
}

fn names(record: &Authored, path: &str, found: &mut Vec<Finding>) {
    if record.former_slugs.contains(&record.slug) {
        let message = format!("`former_slugs` holds the present slug `{}`", record.slug);
        found.push(Finding::error(path, "reference", message));
    }
    let mut seen = BTreeSet::new();
    for step in &record.steps {
        if !seen.insert(step.id.as_str()) {
            found.push(Finding::error(path, "reference", format!("two steps are called `{}`", step.id)));
        }
    }
    texts(record, path, found);
}

/// Texts that show something else than they hold, and names that show nothing.
fn texts(record: &Authored, path: &str, found: &mut Vec<Finding>) {
    let mut names = vec![("title".to_owned(), record.title.as_str())];
    let mut lines = vec![("publisher".to_owned(), record.publisher.as_str())];
    let mut blocks = vec![("summary".to_owned(), record.summary.as_str())];
    for (field, texts) in
        [("symptoms", &record.symptoms), ("targets", &record.targets), ("tags", &record.tags)]
    {
        lines.extend(texts.iter().enumerate().map(|(n, text)| (format!("{field}[{n}]"), text.as_str())));
    }
    for (n, step) in record.steps.iter().enumerate() {
        names.push((format!("steps[{n}].title"), &step.title));
        blocks.push((format!("steps[{n}].body.text"), &step.body.text));
        blocks.extend(step.expect.as_deref().map(|text| (format!("steps[{n}].expect"), text)));
    }
    for (field, _) in names.iter().filter(|(_, text)| text.chars().all(|c| c.is_whitespace() || is_unseen(c)))
    {
        found.push(Finding::error(path, "text", format!("`{field}` shows nothing")));
    }
    let one_line = names.iter().chain(&lines).map(|(field, text)| (field, *text, false));
    for (field, text, block) in one_line.chain(blocks.iter().map(|(field, text)| (field, *text, true))) {
        let layout = |c: char| block && matches!(c, '\n' | '\t' | '\r');
        if let Some(odd) = text.chars().find(|c| (c.is_control() && !layout(*c)) || turns(*c)) {
            let message =
                format!("`{field}` holds U+{:04X}: what is seen is not what stands there", u32::from(odd));
            found.push(Finding::warning(path, "text", message));
        }
    }
}

/// Whether a character turns the direction of the text around it.
fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character has no width of its own.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || turns(c)
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn capabilities(record: &Authored, path: &str, settings: &Settings, found: &mut Vec<Finding>) {
    let declared: BTreeSet<&str> = record.capabilities.iter().map(String::as_str).collect();
    let mut used = BTreeSet::new();
    for (n, step) in record.steps.iter().enumerate() {
        let Some(capability) = step.capability.as_deref() else { continue };
        used.insert(capability);
        if !declared.contains(capability) {
            let message =
                format!("`steps[{n}].capability` is `{capability}`, which `capabilities` does not list");
            found.push(Finding::error(path, "capability", message));
        }
    }
    let actions = record.steps.iter().any(|step| step.kind == Some(StepKind::Action));
    if record.profile == Profile::P1 && declared.is_empty() && actions {
        found.push(Finding::error(path, "capability", "`capabilities` is empty, and there are actions"));
    }
    for capability in declared.iter().filter(|one| !settings.knows(one)) {
        let message = format!("`{capability}` is not in the setting `catalog.capability_vocab`");
        found.push(Finding::error(path, "capability", message));
    }
    if record.profile == Profile::P1 {
        for capability in declared.difference(&used) {
            let message = format!("`{capability}` is asked for, and no step uses it");
            found.push(Finding::warning(path, "capability", message));
        }
    }
}

fn inputs(record: &Authored, path: &str, found: &mut Vec<Finding>) {
    let mut seen = BTreeSet::new();
    for (n, input) in record.inputs.iter().enumerate() {
        if !seen.insert(input.name.as_str()) {
            found.push(Finding::error(path, "reference", format!("two inputs are called `{}`", input.name)));
        }
        let listed = !input.values.is_empty();
        if input.secret == Some(true) && listed {
            let message = format!("`inputs[{n}].values` would publish the values of a secret");
            found.push(Finding::error(path, "secret", message));
        }
        if (input.kind == InputType::Enum) != listed {
            let message = format!("`inputs[{n}].values` goes with the type `enum`, and only with it");
            found.push(Finding::error(path, "reference", message));
        }
    }
    for (n, step) in record.steps.iter().enumerate() {
        for name in placeholders(&step.body.text) {
            if record.profile == Profile::P1 && !seen.contains(name) {
                let message = format!("`steps[{n}].body.text` names `${{{name}}}`, which is no input");
                found.push(Finding::warning(path, "reference", message));
            }
        }
    }
}

/// The names in a text that look like inputs: `${pod}`.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &str| rest.find('}');
    text.split("${").skip(1).filter_map(move |rest| name(rest).map(|end| &rest[..end])).filter(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    })
}

/// The steps that a step names, with the field.
fn targets(step: &Step) -> impl Iterator<Item = (&'static str, &str)> {
    let next = step.next.iter().map(|id| ("next", id.as_str()));
    let others = [("on_fail", &step.on_fail), ("undo", &step.undo)];
    next.chain(others.into_iter().filter_map(|(field, id)| Some((field, id.as_deref()?))))
}

fn edges(record: &Authored, path: &str, found: &mut Vec<Finding>) {
    let places: BTreeMap<&str, usize> =
        record.steps.iter().enumerate().rev().map(|(n, step)| (step.id.as_str(), n)).collect();
    for (n, step) in record.steps.iter().enumerate() {
        for (field, target) in targets(step).filter(|(_, target)| !places.contains_key(target)) {
            let message = format!("`steps[{n}].{field}` names `{target}`, which is no step");
            found.push(Finding::error(path, "reference", message));
        }
    }
    let mut reached = vec![false; record.steps.len()];
    let mut queue = VecDeque::from([0]);
    while let Some(n) = queue.pop_front() {
        if !std::mem::replace(&mut reached[n], true) {
            queue.extend(targets(&record.steps[n]).filter_map(|(_, target)| places.get(target)));
        }
    }
    for (step, _) in record.steps.iter().zip(&reached).filter(|(_, reached)| !**reached) {
        let message = format!("no step leads to `{}`", step.id);
        found.push(Finding::error(path, "unreachable", message));
    }
    if let Some(step) = on_a_circle(record, &places) {
        let message = format!("`next` leads from `{step}` back to `{step}`: a walk would not end");
        found.push(Finding::error(path, "cycle", message));
    }
}

/// A step from which `next` leads back to itself: what stays when steps without open ways on are taken away.
fn on_a_circle<'r>(record: &'r Authored, places: &BTreeMap<&str, usize>) -> Option<&'r str> {
    let mut open: Vec<usize> = Vec::new();
    let mut before = vec![Vec::new(); record.steps.len()];
    for (n, step) in record.steps.iter().enumerate() {
        let next: Vec<usize> = step.next.iter().filter_map(|id| places.get(id.as_str()).copied()).collect();
        next.iter().for_each(|target| before[*target].push(n));
        open.push(next.len());
    }
    let mut done: Vec<usize> = (0..open.len()).filter(|n| open[*n] == 0).collect();
    while let Some(n) = done.pop() {
        for source in &before[n] {
            open[*source] -= 1;
            if open[*source] == 0 {
                done.push(*source);
            }
        }
    }
    // What leads into a circle stays too: follow it until a step comes again.
    let mut at = open.iter().position(|count| *count > 0)?;
    let mut seen = BTreeSet::new();
    while seen.insert(at) {
        let next = record.steps[at].next.iter().filter_map(|id| places.get(id.as_str()).copied());
        at = next.filter(|n| open[*n] > 0).min()?;
    }
    Some(&record.steps[at].id)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn walk(steps: &Value) -> Value {
        json!({"schema_version": "1.0", "profile": "p1", "slug": "walk", "title": "Walk", "publisher": "ops", "execution": "assisted",
            "capabilities": ["shell:x"], "min_runtime_profile": "R1", "steps": steps})
    }

    fn step(id: &str, more: &Value) -> Value {
        let mut step = json!({"id": id, "title": id, "kind": "action", "risk": "read_only", "capability": "shell:x",
            "body": {"text": "do"}});
        more.as_object().into_iter().flatten().for_each(|(key, value)| step[key] = value.clone());
        step
    }

    fn codes(document: Value) -> Vec<(String, bool)> {
        let record: Authored = serde_json::from_value(document).unwrap();
        let settings = Settings::of_tracker("t");
        super::record(&record, "p", &settings)
            .into_iter()
            .map(|one| (one.code.clone(), one.is_error()))
            .collect()
    }

    fn error(code: &str) -> Vec<(String, bool)> {
        vec![(code.to_owned(), true)]
    }

    #[test]
    fn graphs_are_walked() {
        let line = json!([
            step("a", &json!({"next": ["b"], "on_fail": "c"})),
            step("b", &json!({"undo": "c"})),
            step("c", &json!({}))
        ]);
        assert!(codes(walk(&line)).is_empty());
        assert_eq!(codes(walk(&json!([step("a", &json!({"next": ["z"]}))]))), error("reference"));
        assert_eq!(codes(walk(&json!([step("a", &json!({})), step("b", &json!({}))]))), error("unreachable"));
        let circle = json!([
            step("a", &json!({"next": ["b"]})),
            step("b", &json!({"next": ["c"]})),
            step("c", &json!({"next": ["b"]}))
        ]);
        assert_eq!(codes(walk(&circle)), error("cycle"));
        assert_eq!(codes(walk(&json!([step("a", &json!({"next": ["a"]}))]))), error("cycle"));
        let back = json!([step("a", &json!({"next": ["b"]})), step("b", &json!({"on_fail": "a"}))]);
        assert!(codes(walk(&back)).is_empty());
    }

    #[test]
    fn names_are_unlike_and_capabilities_covered() {
        assert_eq!(
            codes(walk(&json!([
                step("a", &json!({"next": ["a2"]})),
                step("a2", &json!({})),
                step("a", &json!({}))
            ])))[0]
                .0,
            "reference"
        );
        let mut other = walk(&json!([step("a", &json!({"capability": "shell:y"}))]));
        assert_eq!(codes(other.clone()), [("capability".to_owned(), true), ("capability".to_owned(), false)]);
        other["steps"][0] = json!({"id": "a", "title": "a", "kind": "manual", "risk": "read_only", "body": {"text": "${pod} $x"}});
        other["capabilities"] = json!([]);
        assert_eq!(codes(other.clone()), [("reference".to_owned(), false)]);
        other["inputs"] = json!([{"name": "pod", "type": "string", "secret": true, "values": ["x"]}]);
        assert_eq!(codes(other), [("secret".to_owned(), true), ("reference".to_owned(), true)]);
    }
}
