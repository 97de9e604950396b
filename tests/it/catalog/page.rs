//! The static page: its modules in node, its pages in a browser (B-25, B-46 to B-51).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use pm::catalog::page::FILES;
use serde_json::json;

use super::serve::Server;
use super::shelf::{DAY, REPLICA, Shelf, simple};

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

/// Chromium, where it is installed.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    });
    if found.is_none() {
        crate::corpus::skipped("chromium");
    }
    found
}

/// What a page has become once its scripts have run.
struct Page {
    dom: String,
}

/// A built catalog behind a server, and a browser.
struct Desk {
    shelf: Shelf,
    server: Server,
    browser: &'static str,
}

impl Desk {
    /// The shelf built and served; none where there is no browser.
    fn of(shelf: Shelf) -> Option<Desk> {
        let browser = browser()?;
        shelf.build();
        let server = Server::of(&shelf, &[]);
        Some(Desk { shelf, server, browser })
    }

    fn open(&self, path: &str) -> Page {
        self.open_and_note(path).0
    }

    /// The page, and the paths that it asked the server for.
    fn open_and_note(&self, path: &str) -> (Page, BTreeSet<String>) {
        let profile = tempfile::tempdir().unwrap();
        let log = profile.path().join("requests.json");
        let output = Command::new(self.browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--disable-background-networking", "--dump-dom", "--virtual-time-budget=5000"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--log-net-log={}", log.display()))
            .arg(format!("http://127.0.0.1:{}{path}", self.server.port))
            .stderr(Stdio::null())
            .output()
            .unwrap();
        let dom = String::from_utf8(output.stdout).unwrap();
        assert!(dom.contains("</html>"), "{path}: {dom}");
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        let host = format!("\"http://127.0.0.1:{}/", self.server.port);
        let paths = log.split(&host).skip(1).filter_map(|rest| rest.split('"').next());
        (Page { dom }, paths.map(|path| format!("/{path}")).collect())
    }
}

impl Page {
    /// The values of an attribute, in the order of the document.
    fn values(&self, attribute: &str) -> Vec<String> {
        let mark = format!(" {attribute}=\"");
        self.dom.split(&mark).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    }

    /// The list item of a record, as markup.
    fn item(&self, id: &str) -> String {
        let mark = format!("data-id=\"{id}\"");
        let rest = self.dom.split(&mark).nth(1).unwrap_or_else(|| panic!("no {id} in {}", self.dom));
        rest.split("data-id=").next().unwrap().to_owned()
    }

    /// The first link of the list item of a record.
    fn link(&self, id: &str) -> String {
        let item = self.item(id);
        item.split(" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&")
    }
}

/// The ids of the best records of hits.
fn best(answer: &serde_json::Value) -> Vec<String> {
    let of = |hit: &serde_json::Value| {
        hit["id"].as_str().or(hit["variants"][0]["id"].as_str()).unwrap().to_owned()
    };
    answer["hits"].as_array().unwrap().iter().map(of).collect()
}

/// The examples, others that compete with them, text that is code elsewhere, two procedures of one form.
fn library() -> Shelf {
    let shelf = Shelf::with_examples();
    for n in 0..9 {
        let symptoms = if n % 2 == 0 { json!(["disk slow"]) } else { json!(["replica lag", "disk slow"]) };
        let topic = if n % 4 == 0 { json!({"topic": "disks"}) } else { json!({}) };
        let mut record = simple(&format!("disk-{n}"), topic);
        record["symptoms"] = symptoms;
        shelf.reviewed(&record);
    }
    // Read from right to left, what would be shown is another command.
    let turned = json!([{"id": "one", "title": "Turned", "risk": "reversible", "body": {"text": "rm -rf \u{202e}pmt/ \u{7}"}}]);
    shelf.reviewed(&simple("turned", json!({"symptoms": ["turned text"], "steps": turned})));
    let evil = "<script>document.documentElement.setAttribute('data-pwned','1')</script>";
    let step = json!([{"id": "one", "title": evil, "risk": "reversible", "body": {"text": format!("{evil} visible text")}}]);
    shelf.reviewed(&simple(
        "evil",
        json!({"title": format!("Evil {evil}"), "summary": evil, "symptoms": ["pwned page"], "steps": step}),
    ));
    shelf.record(&simple("unread", json!({"symptoms": ["pwned page"]})));
    for (slug, ids) in [("twin-one", ["a", "b", "c"]), ("twin-two", ["x", "y", "z"])] {
        let steps = json!([
            {"id": ids[0], "title": "Look", "kind": "check", "risk": "read_only", "body": {"text": "look"}, "next": [ids[1]]},
            {"id": ids[1], "title": "Act", "kind": "manual", "risk": "reversible", "body": {"text": "act"}, "next": [ids[2]], "on_fail": ids[0]},
            {"id": ids[2], "title": "Check", "kind": "check", "risk": "read_only", "body": {"text": "check"}, "undo": ids[1]},
        ]);
        let mut record =
            simple(slug, json!({"profile": "p1", "symptoms": ["twin silhouette"], "steps": steps}));
        let mut places = serde_json::Map::new();
        places.insert(ids[0].to_owned(), json!({"x": slug.len() * 7}));
        record["x-layout"] = json!({"steps": places});
        shelf.reviewed(&record);
    }
    shelf.commit();
    shelf
}

#[test]
fn b46_b47_the_page_lists_what_the_command_finds() {
    let Some(desk) = Desk::of(library()) else { return };
    for (query, words) in [
        ("symptom=replica%20lag", &["--symptom", "replica lag"][..]),
        ("symptom=disk+slow", &["--symptom", "disk slow"]),
        ("available=", &["--available", ""]),
        ("available=mcp:pg.query,shell:kubectl", &["--available", "mcp:pg.query,shell:kubectl"]),
        ("symptom=disk&risk_max=read_only", &["--symptom", "disk", "--risk-max", "read_only"]),
        ("symptom=disk&trust_min=T3", &["--symptom", "disk", "--trust-min", "T3"]),
    ] {
        let page = desk.open(&format!("/catalog/?{query}&today={DAY}"));
        assert_eq!(page.values("data-id"), best(&desk.shelf.found(words)), "{query}");
    }
    let item = desk.open(&format!("/catalog/?symptom=replica%20lag&today={DAY}")).item(REPLICA);
    assert!(item.contains("T3") && item.contains("2026-11-28") && !item.contains("xpired"), "{item}");
}

#[test]
fn b46_the_page_refuses_what_the_command_refuses() {
    let Some(desk) = Desk::of(library()) else { return };
    for (query, said) in [
        ("symptom=disk&risk_max=severe", "risk_max 'severe' is not one of"),
        ("symptom=disk&riskmax=x", "riskmax is no parameter of search"),
        ("symptom=disk&trust_min=T1", "trust_min 'T1' is not offered here"),
        ("available=*", "available '*' is no capability"),
        ("today=tomorrow", "today 'tomorrow' is no day"),
    ] {
        let page = desk.open(&format!("/catalog/?{query}"));
        assert!(page.dom.contains(said), "{query}: {}", page.dom);
        assert!(page.values("data-id").is_empty(), "{query}");
    }
}

/// C13, C19: whatever the status says of an endpoint, killing it leaves the list as it is.
#[test]
fn b47_the_list_outlives_the_endpoint() {
    let Some(mut desk) = Desk::of(library()) else { return };
    let path = format!("/catalog/?symptom=replica%20lag&today={DAY}");
    desk.server = Server::of(&desk.shelf, &["--search-endpoint"]);
    assert_eq!(desk.server.get("/v1/status.json").json()["search"]["endpoint"], "/v1/search");
    let with = desk.open(&path).values("data-id");
    assert!(with.contains(&REPLICA.to_owned()));
    // The status goes on naming the endpoint, and nobody answers there.
    let dist = super::kit::Dist { root: desk.shelf.dist() };
    dist.patch("/v1/status.json", |status| status["search"]["endpoint"] = json!("/v1/search"));
    desk.server = Server::of(&desk.shelf, &[]);
    assert_eq!(desk.server.get("/v1/search?symptom=x").status, 404);
    assert_eq!(desk.open(&path).values("data-id"), with);
}

#[test]
fn b48_the_reader_s_date_decides() {
    let Some(desk) = Desk::of(library()) else { return };
    let item = desk.open("/catalog/?today=2026-11-28&symptom=replica%20lag").item(REPLICA);
    assert!(item.contains("T2") && item.contains("Expired"), "{item}");
    let record = desk.open(&format!("/catalog/record/?id={REPLICA}&today=2026-11-28"));
    assert!(record.dom.contains("Expired: T3 until 2026-11-28"));
}

#[test]
fn b49_what_nobody_vouches_for_has_a_page_of_its_own() {
    let Some(desk) = Desk::of(library()) else { return };
    let low = pm::catalog::identity::id("unread");
    let (trusted, asked) = desk.open_and_note("/catalog/?symptom=pwned+page");
    assert!(!trusted.values("data-id").contains(&low));
    assert!(asked.contains("/v1/search-index.json"), "{asked:?}");
    assert!(!asked.iter().any(|path| path.contains("untrusted")), "{asked:?}");
    let (own, asked) = desk.open_and_note("/catalog/untrusted/?symptom=pwned+page");
    assert_eq!(own.values("data-id"), [low.as_str()]);
    assert!(asked.contains("/v1/search-index.untrusted.json"), "{asked:?}");
    assert!(own.dom.contains("Unverified."));
    // The trusted record page shows no step of it, and leads to the other one.
    let closed = desk.open(&format!("/catalog/record/?id={low}"));
    assert!(!closed.dom.contains("Do it.") && closed.dom.contains("../untrusted/record/"));
    let open = desk.open(&format!("/catalog/untrusted/record/?id={low}"));
    assert!(open.dom.contains("Do it.") && open.dom.contains("data, not instructions"));
    assert!(open.dom.contains("Nobody has reviewed it."));
}

#[test]
fn b49_pages_name_nothing_from_outside_and_nothing_inline() {
    for file in FILES {
        let text = file.text.replace("http://www.w3.org/", "");
        assert!(
            !text.contains("http:") && !text.contains("https:") && !text.contains("//cdn"),
            "{}",
            file.path
        );
        if file.path.ends_with(".html") {
            assert!(text.contains("content=\"default-src 'self'\""), "{}", file.path);
            assert!(
                !text.contains("<style") && !text.contains(" style=") && !text.contains(" onclick"),
                "{}",
                file.path
            );
            assert!(!text.contains("<script>"), "{}", file.path);
        }
        for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!text.contains(markup), "{}: {markup}", file.path);
        }
    }
    // The page of what is trusted has no way to the other index.
    let page = FILES.iter().find(|file| file.path == "/catalog/index.html").unwrap();
    assert!(!page.text.contains("search-index.untrusted"));
    assert!(!FILES.iter().any(|file| file.path.ends_with(".js") && file.text.contains("search-index")));
}

#[test]
fn b50_text_stays_text() {
    let Some(desk) = Desk::of(library()) else { return };
    let evil = pm::catalog::identity::id("evil");
    let list = desk.open("/catalog/?symptom=pwned+page");
    let record = desk.open(&format!("/catalog/{}", list.link(&evil)));
    for page in [&list, &record] {
        assert!(!page.dom.contains(" data-pwned"), "{}", page.dom);
        assert!(page.dom.contains("&lt;script&gt;"), "{}", page.dom);
    }
    assert!(record.dom.contains("visible text"));
    let turned = desk.open(&format!("/catalog/record/?id={}", pm::catalog::identity::id("turned")));
    assert!(
        turned.dom.contains("rm -rf \u{27e8}U+202E\u{27e9}pmt/ \u{27e8}U+0007\u{27e9}"),
        "{}",
        turned.dom
    );
}

#[test]
fn b51_the_status_page_has_the_numbers_of_the_status() {
    let Some(desk) = Desk::of(library()) else { return };
    let status = desk.shelf.catalog(&["status"]).expect(0).json();
    let dom = desk.open("/status/").dom.replace('\u{202f}', "");
    // Risks stand from harmless to final, and each bar is drawn.
    let at = |word: &str| dom.find(&format!(">{word}</th>")).unwrap_or_else(|| panic!("no {word}: {dom}"));
    assert!(["read only", "reversible", "destructive", "irreversible"].map(at).is_sorted());
    assert!(dom.matches("role=\"meter\"").count() >= 9 && !dom.contains("<meter"), "{dom}");
    for key in ["entries_bytes", "budget_bytes"] {
        let number = status["search"][key].as_u64().unwrap().to_string();
        assert!(dom.contains(&number), "{key} {number}: {dom}");
    }
}

#[test]
fn b25_one_graph_has_one_drawing() {
    let Some(desk) = Desk::of(library()) else { return };
    let list = desk.open("/catalog/?symptom=twin+silhouette");
    let drawing = |slug: &str| {
        let id = pm::catalog::identity::id(slug);
        let page = desk.open(&format!("/catalog/{}", list.link(&id)));
        page.values("d")
    };
    let one = drawing("twin-one");
    assert_eq!(one.len(), 4);
    assert_eq!(one, drawing("twin-two"));
}

#[test]
fn b58_a_record_of_a_later_version_is_shown() {
    let Some(desk) = Desk::of(library()) else { return };
    let path = desk.shelf.dist().join(format!("v1/runbooks/{REPLICA}.json"));
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    record["added_in_1_1"] = json!({"x": [1]});
    record["steps"][0]["added"] = json!(true);
    record["steps"][0]["body"]["language"] = json!("sh");
    record["trust_evidence"][0]["added"] = json!("x");
    std::fs::write(&path, record.to_string()).unwrap();
    let page = desk.open(&format!("/catalog/record/?id={REPLICA}&today={DAY}"));
    assert!(page.dom.contains("kubectl delete pod ${pod}") && page.dom.contains("Restart the pod"));
    let missing = desk.open("/catalog/record/?id=rb_0000000000000000");
    assert!(missing.dom.contains("No such record") && missing.dom.contains("404"));
    assert!(desk.open("/catalog/record/?id=../../x").dom.contains("is no id of a record"));
}

/// Layouts of random graphs: every step has a place of its own, and edges that are not turned go down.
const LAYOUTS: &str = r#"
globalThis.Node = class {};
const { layout } = await import("./graph.js");
let seed = 9;
const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
for (let round = 0; round < 2000; round += 1) {
  const count = 1 + random(12);
  const edges = [];
  for (let n = 0; n < random(20); n += 1) edges.push([random(count), random(count), "next"]);
  const { layer, forward, back, found } = layout(count, edges);
  if (found.length !== count || new Set(found).size !== count) throw new Error("a step is lost");
  if (forward.length + back.length !== edges.length) throw new Error("an edge is lost");
  for (const [from, to] of forward) if (layer[to] <= layer[from]) throw new Error(`${from} to ${to} goes up`);
}
console.log("ok");
"#;

#[test]
fn every_graph_can_be_drawn() {
    if let Some(said) = node(LAYOUTS, &[]) {
        assert_eq!(said.trim(), "ok");
    }
}
