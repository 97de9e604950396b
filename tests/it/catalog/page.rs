//! The static page: its modules in node, its pages in a browser (B-25, B-46 to B-51).

use std::path::Path;
use std::process::{Command, Stdio};

use pm::catalog::page::FILES;

/// Runs a script beside the modules of the page; what it prints. None where there is no node.
fn node(script: &str, arguments: &[&Path]) -> Option<String> {
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        crate::corpus::skipped("node");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    for file in FILES.iter().filter(|file| file.path.ends_with(".js")) {
        std::fs::write(folder.path().join(file.path.rsplit('/').next().unwrap()), file.text).unwrap();
    }
    std::fs::write(folder.path().join("package.json"), r#"{"type": "module"}"#).unwrap();
    let file = folder.path().join("script.js");
    std::fs::write(&file, script).unwrap();
    let output = Command::new("node").arg(&file).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

const ANSWER_VECTORS: &str = r#"
import { readFileSync } from "node:fs";
import { Refusal, ranked, readQuery } from "./search.js";
const { entries, cases, refused } = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const one of cases) {
  const hits = ranked(entries, readQuery(one.query), one.today)
    .map((hit) => [hit.type, hit.name, hit.score, hit.variants.map((v) => [v.entry.id, v.score, v.level]), hit.variants_total]);
  if (JSON.stringify(hits) !== JSON.stringify(one.hits)) throw new Error(`${JSON.stringify(one.query)}: ${JSON.stringify(hits)}`);
}
for (const one of refused) {
  try {
    readQuery(one.query);
  } catch (error) {
    if (error instanceof Refusal && error.parameter === one.parameter) continue;
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(one.query)}`);
}
console.log(cases.length);
"#;

#[test]
fn b46_the_page_answers_the_shared_vectors() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/catalog/search-vectors.json");
    let Some(said) = node(ANSWER_VECTORS, &[&vectors]) else { return };
    assert!(said.trim().parse::<usize>().unwrap() >= 90);
}
