//! §1.3 beside commands that read nothing: `pm help` is one; `--help` and `--version` are questions about a call,
//! whatever else the call says.

use super::SMALL;

#[test]
fn r13_help_takes_no_control_of_reads() {
    for (flag, value) in [
        ("--output-include", "id"),
        ("--output-limit", "0"),
        ("--output-limit", "3"),
        ("--output-budget", "600"),
        ("--output-session", "x"),
        ("--output-cursor", "x"),
    ] {
        for argv in [["help", "list", flag, value], [flag, value, "help", "list"]] {
            let error = SMALL.refused(&argv, 2, "output_control_not_applicable");
            assert_eq!(error["refusal"]["surface"], flag, "{argv:?}");
        }
    }
    let error = SMALL.refused(&["help", "list", "--output-row-contract"], 2, "output_control_not_applicable");
    assert_eq!(error["refusal"]["surface"], "--output-row-contract");
    let error = SMALL.refused(&["help", "list", "--output-format", "xml"], 2, "invalid_argument_value");
    assert_eq!(error["refusal"]["legal_domain"], serde_json::json!(["toon", "json"]));
    let _ = SMALL.refused(&["help", "list", "--nosuch"], 2, "unknown_option");
    let help = SMALL.pm(&["help", "list"]).expect(0);
    for words in [
        &["help", "list", "--output-format", "toon"][..],
        &["help", "--quiet", "list"],
        &["list", "--help"],
        &["help", "list", "--help"],
        &["list", "--output-limit", "0", "--nosuch", "--help"],
    ] {
        assert_eq!(SMALL.pm(words).expect(0).stdout, help.stdout, "{words:?}");
    }
    let json = SMALL.pm(&["help", "list", "--output-format", "json"]).expect(0);
    assert_eq!(json.json()["requested_path"], serde_json::json!(["list"]));
}
