//! `pm completion` and `pm completion install`.

use std::fs;

use serde_json::json;

use crate::sandbox::Sandbox;

/// A home of its own, and a shell.
fn at_home(shell: &str) -> Sandbox {
    let mut pm = Sandbox::empty();
    let home = pm.path().to_string_lossy().into_owned();
    pm.set("HOME", &home).set("SHELL", shell);
    pm
}

#[test]
fn the_script_lands_where_the_shell_looks_for_it() {
    let pm = at_home("/bin/bash");
    let path = pm.path().join(".local/share/bash-completion/completions/pm");
    let dry = pm.json(&["completion", "install", "--dry-run"]);
    assert_eq!((&dry["changed"], &dry["dry_run"]), (&json!(true), &json!(true)));
    assert!(!path.exists());
    let said = pm.json(&["completion", "install"]);
    assert_eq!((&said["shell"], &said["changed"]), (&json!("bash"), &json!(true)));
    assert_eq!(fs::read_to_string(&path).unwrap(), pm.ok(&["completion", "bash"]));
    let again = pm.json(&["completion", "install"]);
    assert_eq!(again["changed"], json!(false));
    // An older script is replaced as a whole.
    fs::write(&path, "older").unwrap();
    assert_eq!(pm.json(&["completion", "install"])["changed"], json!(true));
    assert_eq!(fs::read_to_string(&path).unwrap(), pm.ok(&["completion", "bash"]));
}

#[test]
fn a_shell_that_looks_nowhere_gets_the_line_for_its_start_up_file() {
    let pm = at_home("/usr/bin/zsh");
    for (shell, line) in [("zsh", "fpath="), ("elvish", "use pm-completion"), ("powershell", "$PROFILE")] {
        let said = pm.json(&["completion", "install", shell]);
        assert!(said["startup_line"].as_str().unwrap().contains(line), "{said}");
        assert!(fs::exists(said["path"].as_str().unwrap()).unwrap());
    }
    assert!(pm.json(&["completion", "install", "fish"]).get("startup_line").is_none());
}

#[test]
fn without_a_shell_or_a_home_it_says_what_is_missing() {
    let pm = at_home("/bin/unheard-of");
    let refused = pm.refused(&["completion", "install"], 2, "missing_required_argument");
    assert!(refused.to_string().contains("powershell"), "{refused}");
    let mut homeless = Sandbox::empty();
    homeless.set("HOME", "");
    homeless.refused(&["completion", "install", "bash"], 1, "write_failed");
}
