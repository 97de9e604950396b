//! Two builds compared, major by major: what breaks those who read the older one.

mod compare;

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde_json::Value;

use super::artifacts::{MANIFEST, STATUS};
use super::edition::{AUTHORED, Edition};
use super::finding::Finding;
use super::folder::Folder;
use super::schema;
use super::settings;
use super::validator::Validator;

/// Everything in the newer folder that breaks a reader, or an author, of the older one: in each major that it had.
pub fn findings(old: &Folder, new: &Folder) -> Vec<Finding> {
    let mut found = Vec::new();
    for before in old.editions() {
        match new.edition(before.major()) {
            Some(after) => edition(before, after, &mut found),
            None => found.extend(ended(before, new)),
        }
        found.extend(shortened(before, new));
    }
    found
}

/// What breaks readers of one major.
fn edition(old: Edition<'_>, new: Edition<'_>, found: &mut Vec<Finding>) {
    for path in ["/v1/", "/spec/v1/"].iter().flat_map(|folder| old.below(folder)) {
        if is_of_the_contract(&path) && !new.has(&path) {
            found.push(Finding::error(&old.path(&path), "path", "the path is gone"));
        }
    }
    for name in schema::NAMES {
        let path = format!("/v1/schema/{name}.json");
        let (Some(before), Some(after)) = (old.json(&path), new.json(&path)) else { continue };
        found.extend(breaking(&old.path(&path), name, &before, &after));
    }
    samples(old, new, found);
}

/// What breaks those who read, or write, by the older one of two schemas of this name.
pub(super) fn breaking(path: &str, name: &str, old: &Value, new: &Value) -> Vec<Finding> {
    let messages = compare::breaks(AUTHORED.contains(&name), old, new);
    messages.into_iter().map(|message| Finding::error(path, "breaking", message)).collect()
}

fn majors(status: &Value) -> &[Value] {
    status["majors"].as_array().map_or(&[], Vec::as_slice)
}

fn facts(folder: &Folder, major: u32) -> Option<(Value, Value)> {
    let status = folder.oldest().json(STATUS)?;
    let of = |number: u32| majors(&status).iter().find(|one| one["major"] == number).cloned();
    Some((of(major)?, of(major + 1).unwrap_or(Value::Null)))
}

fn day(value: &Value) -> Option<Date> {
    value.as_str()?.parse().ok()
}

/// A major that is gone must have ended as the newer folder tells: at least 12 months after its successor came.
fn ended(old: Edition<'_>, new: &Folder) -> Option<Finding> {
    let major = old.major();
    let path = old.path("/v1/");
    let gone = |why: String| Some(Finding::error(&path, "major", format!("major {major} is gone, {why}")));
    let Some((own, next)) = facts(new, major) else {
        return gone("and the newer status does not tell of its end".to_owned());
    };
    let (Some(end), Some(released)) = (day(&own["supported_until"]), day(&next["released_on"])) else {
        return gone(
            "and the newer status does not say when it ended, and when its successor came".to_owned(),
        );
    };
    let least = settings::least_end(released);
    if end < least {
        return gone(format!(
            "ended on {end}, and its successor of {released} obliges to serve it until {least}"
        ));
    }
    let today = new.oldest().json(STATUS).and_then(|status| day(&status["as_of"]));
    if today.is_none_or(|today| today < end) {
        return gone(format!("and it is to be served until {end}"));
    }
    None
}

/// A day that readers were told may be moved to a later one only.
fn shortened(old: Edition<'_>, new: &Folder) -> Option<Finding> {
    let major = old.major();
    let promised = facts(old.folder(), major).and_then(|(own, _)| day(&own["supported_until"]))?;
    let now = facts(new, major).and_then(|(own, _)| day(&own["supported_until"]));
    let message = format!("major {major} was to be served until {promised}, and now it is until {}", now?);
    now.filter(|now| *now < promised).map(|_| Finding::error(&old.path(STATUS), "major", message))
}

/// Whether a path stands for itself, not for the records of a day.
fn is_of_the_contract(path: &str) -> bool {
    let page = |rest: &str| rest.split('.').any(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let data = ["/v1/runbooks/", "/v1/topics/"].iter().any(|folder| path.starts_with(folder));
    (path.starts_with("/v1/") && !data && !page(path)) || path.starts_with("/spec/v1/")
}

/// The documents of the newer folder by the schemas of the older one: a reader of then must understand them.
fn samples(old: Edition<'_>, new: Edition<'_>, found: &mut Vec<Finding>) {
    for (name, prefix) in [
        ("record", "/v1/runbooks/"),
        ("topic", "/v1/topics/"),
        ("index", "/v1/index."),
        ("search-index", "/v1/search-index."),
        ("status", STATUS),
        ("manifest", MANIFEST),
    ] {
        let Some(schema) = old.json(&format!("/v1/schema/{name}.json")) else { continue };
        found.extend(lost(&schema, (old, new), prefix).into_iter().map(|field| {
            Finding::error(&new.path(prefix), "sample", format!("`{field}` is served no more"))
        }));
        let validator = Validator::new(&schema);
        for path in new.below(prefix) {
            let Some(document) = new.json(&path) else { continue };
            if let Some(fault) = validator.faults(&document).first() {
                let message = format!("by the older schema {fault}");
                found.push(Finding::error(&new.path(&path), "sample", message));
            }
        }
    }
}

/// The fields that all older documents of a kind have though no schema names them, and that no newer one has.
fn lost(schema: &Value, (old, new): (Edition<'_>, Edition<'_>), prefix: &str) -> BTreeSet<String> {
    let fields = |edition: Edition<'_>| {
        let documents = edition.below(prefix).into_iter().filter_map(move |path| edition.json(&path));
        let undeclared = |document: Value| {
            let mut fields = BTreeSet::new();
            undeclared(&[schema], &document, "", &mut fields);
            fields
        };
        documents.map(undeclared).collect::<Vec<BTreeSet<String>>>()
    };
    let (before, after) = (fields(old), fields(new));
    if after.is_empty() {
        return BTreeSet::new();
    }
    let always = before.into_iter().reduce(|all, one| all.intersection(&one).cloned().collect());
    let mut lost = always.unwrap_or_default();
    lost.retain(|field| !after.iter().any(|fields| fields.contains(field)));
    lost
}

/// The fields of a value that none of these schemas names.
fn undeclared(schemas: &[&Value], value: &Value, at: &str, found: &mut BTreeSet<String>) {
    // A rule that holds under a condition names fields too.
    let mut all: Vec<&Value> = schemas.to_vec();
    let mut n = 0;
    while let Some(schema) = all.get(n).copied() {
        let lists = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        all.extend(lists.flatten());
        all.extend(["then", "else"].into_iter().filter_map(|key| schema.get(key)));
        n += 1;
    }
    match value {
        Value::Object(map) => {
            // Where any name may stand, names are data.
            let open =
                all.iter().any(|schema| schema.get("additionalProperties").is_some_and(Value::is_object));
            for (key, below) in map.iter().filter(|_| !open) {
                let place = format!("{at}.{key}");
                let known = all.iter().filter_map(|schema| schema.get("properties")?.get(key));
                let known: Vec<&Value> = known.collect();
                if known.is_empty() {
                    found.insert(place.trim_start_matches('.').to_owned());
                } else {
                    undeclared(&known, below, &place, found);
                }
            }
        }
        Value::Array(rows) => {
            let items: Vec<&Value> = all.iter().filter_map(|schema| schema.get("items")).collect();
            rows.iter().for_each(|row| undeclared(&items, row, &format!("{at}[]"), found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_pages_are_no_contract() {
        for path in ["/v1/index.json", "/v1/topics.untrusted.json", "/v1/schema/p0.json", "/spec/v1/trust.md"]
        {
            assert!(is_of_the_contract(path), "{path}");
        }
        for path in [
            "/v1/index.2.json",
            "/v1/runbooks/rb_1.json",
            "/v1/topics/a.json",
            "/assets/x.js",
            "/catalog/index.html",
        ] {
            assert!(!is_of_the_contract(path), "{path}");
        }
    }
}
