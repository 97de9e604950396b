//! What the examples of reads answer obeys the schemas that contracts publish, and every collection of rows in it is
//! declared as a type.

use pm::commands::CATALOG;
use pm::contract::Effect;
use pm::generate::schema;
use pm::rows;
use serde_json::Value;

use super::prepared;
use crate::json_schema::{fault, unsound};

/// Collections that tell of the answer itself, and are no rows of the tracker.
const TELLING: &[&str] = &["continuations"];

/// The sections of `pm contracts` describe the declarations; `schema_version` says what shape they have.
const SECTIONS: &str = "contracts";

#[test]
fn answers_of_examples_obey_their_schemas() {
    let (mut wrong, mut rows_seen) = (Vec::new(), 0);
    for surface in CATALOG.iter().filter(|surface| surface.contract.effect != Effect::Writes) {
        let schema = schema::output_document(surface).unwrap_or_default();
        assert_eq!(unsound(&schema, "$").filter(|_| !schema.is_null()), None, "{}", surface.name());
        for example in surface.contract.examples {
            let pm = prepared::place(surface.contract);
            let argv = [example.argv, &["--output-format", "json"]].concat();
            if argv.starts_with(&["catalog", "serve"]) {
                continue;
            }
            let output = pm.pm(&argv);
            let Ok(answer) = serde_json::from_str::<Value>(&output.stdout) else { continue };
            if let Some(fault) = fault(&answer, &schema, "$").filter(|_| !schema.is_null()) {
                wrong.push(format!("pm {}: {fault}", argv.join(" ")));
            }
            let declared: Vec<&rows::RowSchema> =
                rows::all().filter(|row| row.command == surface.name()).collect();
            let top = answer.as_object().into_iter().flatten();
            let paths = top
                .filter(|(_, value)| value.as_array().is_some_and(|rows| rows.iter().any(Value::is_object)));
            let keys = surface.contract.read_output.map_or(&[][..], |output| output.row_keys);
            let paths = paths.map(|(key, _)| key.as_str()).chain(keys.iter().copied());
            for path in paths.filter(|path| !TELLING.contains(path)) {
                if surface.name() == SECTIONS && !keys.contains(&path) {
                    continue;
                }
                let Some(found) = path.split('.').try_fold(&answer, |value, key| value.get(key)) else {
                    continue;
                };
                let Some(row) = declared.iter().find(|row| row.path == path) else {
                    wrong.push(format!("pm {}: `{path}` is declared nowhere: {found:.600}", argv.join(" ")));
                    continue;
                };
                let schema = (row.make)();
                let many = found.as_array().cloned().unwrap_or_else(|| vec![found.clone()]);
                for row in many.iter().filter(|row| !row.is_null()) {
                    rows_seen += 1;
                    // An item has whatever fields the tracker gives it.
                    let whole = (surface.name().as_str(), path) == ("get", "items");
                    let stray = row
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(key, _)| key)
                        .find(|key| !whole && schema["properties"].get(key).is_none());
                    if let Some(key) = stray {
                        wrong.push(format!("pm {}: `{key}` of `{path}` is declared nowhere", argv.join(" ")));
                    }
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows_seen > 150, "{rows_seen}");
}
