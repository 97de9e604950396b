//! `PmClient`: the library answers what the binary answers.

use pm::client::PmClient;
use pm::environment::Env;
use serde_json::json;

use crate::sandbox::Sandbox;

fn client(pm: &Sandbox) -> PmClient {
    let variables =
        [("PM_CLOCK", "2026-03-01T12:00:00.000Z"), ("PM_CLOCK_TICK_MS", "0"), ("PM_SEED", "client")];
    PmClient::with(Env::new(pm.path(), variables.map(|(name, value)| (name.to_owned(), value.to_owned()))))
        .author("alice")
}

#[test]
fn the_library_answers_what_the_binary_answers() {
    let pm = Sandbox::tracker();
    let client = client(&pm);
    let made =
        client.create("From the library", [("tags", json!(["a", "b"])), ("priority", json!(1))]).unwrap();
    let id = made["id"].as_str().unwrap();
    client.update(id, [("body", json!("- a list"))]).unwrap();
    client.comment(id, "a word").unwrap();
    assert_eq!(client.list([]).unwrap(), pm.json(&["list"]));
    assert_eq!(client.get(id, [("depth", json!("full"))]).unwrap(), pm.json(&["get", id, "--depth", "full"]));
    assert_eq!(client.run(["get", id]).unwrap(), pm.json(&["get", id]));
    assert_eq!(client.search("library", []).unwrap(), pm.json(&["search", "library"]));
    assert_eq!(client.next([("why", json!(true))]).unwrap(), pm.json(&["next", "--why"]));
    assert_eq!(
        client.call("comments", json!({"id": id}).as_object().unwrap().clone()).unwrap(),
        pm.json(&["comments", id])
    );
    for surface in pm::commands::CATALOG.iter() {
        let reads =
            surface.contract.effect == pm::contract::Effect::Reads && surface.contract.path != ["mcp"];
        if !reads || surface.contract.refusals != pm::contract::Refusals::Program {
            continue;
        }
        let output = pm.pm(&[surface.contract.path, &["--json"]].concat());
        match client.reply(surface.contract.path.iter().copied().chain(["--json"])) {
            Ok(reply) => assert_eq!(
                (&reply.value, i32::from(reply.exit_code)),
                (&output.json(), output.code),
                "{}",
                surface.name()
            ),
            Err(error) => {
                let said: serde_json::Value = serde_json::from_str(&output.stderr).unwrap();
                assert_eq!(
                    (said["code"].as_str(), output.code),
                    (Some(error.code.as_str()), i32::from(error.exit_code())),
                    "{}",
                    surface.name()
                );
            }
        }
    }
}

#[test]
fn refusals_are_values_and_change_nothing() {
    let pm = Sandbox::tracker();
    let client = client(&pm);
    let error = client.create("Not made", [("titel", json!("x"))]).unwrap_err();
    assert_eq!((error.code.as_str(), error.exit_code()), ("flag_typo_requires_retry", 2));
    assert_eq!(client.call("nope", pm::client::Options::new()).unwrap_err().code.as_str(), "unknown_command");
    assert_eq!(client.get("pm-none", []).unwrap_err().exit_code(), 3);
    assert_eq!(client.list([]).unwrap()["items"], json!([]));
}
