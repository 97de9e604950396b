//! From a name to a document.

use serde_json::json;

use super::*;

#[test]
fn d_43_d_44_successors_are_followed_by_resolve_and_told_by_get() {
    let pm = repository(&[
        ("docs/a.md", "---\nuri: k://a\nsuperseded_by: docs/b.md\n---\n# A\n"),
        ("docs/b.md", "---\nsuperseded_by: docs/c\n---\n# B\n"),
        ("docs/c.md", "# C\n"),
        ("docs/d.md", "---\nsupersedes: [kb://docs/c]\n---\n# D\n"),
    ]);
    let answer = ok(&pm, &["resolve", "k://a"]);
    assert_eq!(answer["data"]["uri"], "kb://docs/d");
    let via = |uri: &str| json!({"uri": uri, "via": "superseded_by"});
    assert_eq!(
        answer["resolution"],
        json!({"input": "k://a", "matched_by": "uri", "chain": [via("kb://docs/b"), via("kb://docs/c"), via("kb://docs/d")], "canonical_uri": "kb://docs/d"})
    );
    let got = ok(&pm, &["get", "k://a"]);
    assert_eq!((&got["data"]["uri"], &got["matched_by"]), (&json!("k://a"), &json!("uri")));
    assert_eq!(got["warnings"], json!([{"code": "SUPERSEDED", "successor": "kb://docs/b"}]));
}

#[test]
fn d_45_circles_ends_and_aliases() {
    let pm = repository(&[
        ("a.md", "---\nsuperseded_by: b.md\n---\n# A\n"),
        ("b.md", "---\nsuperseded_by: a.md\naliases: [k://old]\n---\n# B\n"),
        ("c.md", "---\nsuperseded_by: gone.md\naliases: [k://older]\n---\n# C\n"),
    ]);
    let circle = refused(&pm, &["resolve", "a.md"], 4, "CIRCULAR_SUPERSESSION");
    assert_eq!(circle["chain"].as_array().unwrap().len(), 2);
    let answer = ok(&pm, &["resolve", "k://older"]);
    assert_eq!(
        (&answer["data"]["uri"], &answer["resolution"]["matched_by"]),
        (&json!("kb://c"), &json!("alias"))
    );
    assert_eq!(answer["warnings"], json!([{"code": "DANGLING_SUCCESSOR", "value": "gone.md"}]));
    refused(&pm, &["get", "k://older"], 3, "URI_NOT_FOUND");
    let files: Vec<(String, String)> = (0..20)
        .map(|n| (format!("{n:02}.md"), format!("---\nsuperseded_by: {:02}.md\n---\n# {n}\n", n + 1)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    refused(&repository(&files), &["resolve", "00.md"], 4, "SUPERSESSION_TOO_DEEP");
}

#[test]
fn d_46_a_rename_is_followed_and_a_name_that_is_gone_has_neighbours() {
    let pm =
        repository(&[("docs/template.md", "# Template\n\nA text that is long enough to be known again.\n")]);
    git_ok(&pm, &["mv", "docs/template.md", "docs/other.md"]);
    let uncommitted = ok(&pm, &["resolve", "docs/template.md"]);
    assert_eq!(uncommitted["data"]["uri"], "kb://docs/other");
    commit(&pm);
    git_ok(&pm, &["mv", "docs/other.md", "docs/last.md"]);
    commit(&pm);
    let answer = ok(&pm, &["resolve", "kb://docs/template"]);
    assert_eq!((&answer["data"]["uri"], &answer["matched_by"]), (&json!("kb://docs/last"), &json!("rename")));
    let gone = refused(&pm, &["get", "docs/template.md"], 3, "URI_NOT_FOUND");
    assert_eq!(gone["suggestions"], json!(["kb://docs/last"]));
}

#[test]
fn d_47_a_uri_belongs_to_the_path_that_spells_it() {
    let text = "---\nuri: k://writings/lead\n---\n# Lead\n";
    let pm = repository(&[("drafts/ch04.md", text), ("writings/lead.md", text)]);
    assert_eq!(uris(&ok(&pm, &["catalog"])), ["kb://drafts/ch04", "k://writings/lead"]);
    let lint = kb(&pm, &["lint", "drafts/**"]).expect(1).json();
    assert!(
        lint["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == "duplicate_uri"),
        "{lint}"
    );
    let both = repository(&[("a.md", text), ("b.md", text)]);
    assert_eq!(
        refused(&both, &["get", "k://writings/lead"], 3, "URI_AMBIGUOUS")["candidates"],
        json!(["a.md", "b.md"])
    );
}

#[test]
fn the_ladder_of_names() {
    let pm = corpus();
    for (name, by) in [
        ("k://canon/gate", "uri"),
        ("canon/gate.md", "path"),
        ("canon/gate", "path"),
        ("./canon/gate.md", "path"),
        ("other://canon/gate", "uri_path"),
    ] {
        for verb in ["get", "resolve"] {
            let answer = ok(&pm, &[verb, name]);
            assert_eq!(
                (&answer["data"]["uri"], &answer["matched_by"]),
                (&json!("k://canon/gate"), &json!(by)),
                "{name}"
            );
        }
    }
}
