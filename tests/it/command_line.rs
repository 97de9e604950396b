//! Words, flags, refusals, help.

use crate::sandbox::Sandbox;

#[test]
fn version_is_one_line() {
    let here = Sandbox::empty();
    let expected = format!("{}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(here.ok(&["--version"]), expected);
    assert_eq!(here.ok(&["-V"]), expected);
}

#[test]
fn global_flags_stand_before_or_after_the_command() {
    let here = Sandbox::empty();
    let after = here.ok(&["version", "--json"]);
    assert_eq!(here.ok(&["--json", "version"]), after);
    assert_eq!(here.ok(&["--author", "bob", "version", "--json"]), after);
    assert_eq!(here.ok(&["--json", "--json", "version"]), after);
    assert_eq!(here.ok(&["version", "--quiet"]), "");
}

#[test]
fn snake_case_twins_are_the_same_flags() {
    let here = Sandbox::empty();
    assert_eq!(here.ok(&["version", "--pm_path", "x", "--json"]), here.ok(&["version", "--json"]));
}
