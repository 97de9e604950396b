//! `pm catalog serve`: a host of static files for this machine (B-30 to B-32, B-46).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::shelf::{REPLICA, SOURCE, Shelf, ids, simple};

/// A running server; it ends with the test.
pub(super) struct Server {
    child: Child,
    pub(super) port: u16,
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Server {
    /// Serves what was built.
    pub(super) fn of(shelf: &Shelf, words: &[&str]) -> Server {
        let words = [&["catalog", "serve", "--port", "0"], words].concat();
        let mut child =
            shelf.sandbox.process(&words).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.strip_prefix("listening on http://127.0.0.1:").unwrap_or_else(|| panic!("{line:?}"));
        let port = url.trim_end().trim_end_matches('/').parse().unwrap();
        Server { child, port }
    }

    /// Sends a request as it stands.
    fn send(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub(super) fn get(&self, path: &str) -> Response {
        self.with(path, "")
    }

    fn with(&self, path: &str, headers: &str) -> Response {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{headers}\r\n", self.port))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (own, value) = line.split_once(": ")?;
            own.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn manifest(server: &Server) -> Vec<(String, String)> {
    let manifest = server.get("/v1/manifest.json").json();
    let files = manifest["files"].as_object().unwrap().iter();
    files.map(|(path, facts)| (path.clone(), facts["etag"].as_str().unwrap().to_owned())).collect()
}

/// C13.
#[test]
fn b30_search_is_no_path_unless_it_is_turned_on() {
    let shelf = Shelf::with_examples();
    shelf.build();
    let server = Server::of(&shelf, &[]);
    assert_eq!(server.get("/v1/search?symptom=x").status, 404);
    assert_eq!(server.get("/v1/search.untrusted?symptom=x").status, 404);
    assert_eq!(server.get("/v1/index.json").status, 200);
}

#[test]
fn b31_a_file_has_no_parameters() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    let server = Server::of(&shelf, &[]);
    let bytes = std::fs::read(dist.join("v1/index.json")).unwrap();
    for query in ["", "?include_untrusted=true", "?trust_min=T0&page=2", "?%ff"] {
        assert_eq!(server.get(&format!("/v1/index.json{query}")).body, bytes, "{query}");
    }
}

#[test]
fn b32_every_path_has_the_tag_of_the_manifest() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    let server = Server::of(&shelf, &[]);
    let files = manifest(&server);
    assert!(files.len() > 20, "{files:?}");
    for (path, tag) in &files {
        let same = server.with(path, &format!("If-None-Match: \"x\", W/{tag}\r\n"));
        assert_eq!(
            (same.status, same.header("etag"), same.body.len()),
            (304, Some(tag.as_str()), 0),
            "{path}"
        );
        let whole = server.with(path, "If-None-Match: \"0000\"\r\n");
        assert_eq!((whole.status, whole.header("etag")), (200, Some(tag.as_str())), "{path}");
        assert_eq!(whole.body, std::fs::read(dist.join(path.trim_start_matches('/'))).unwrap(), "{path}");
        assert!(whole.header("content-type").is_some());
    }
    let status = server.get("/v1/status.json");
    shelf.build_at("2026-11-28");
    let later = server.get("/v1/status.json");
    assert_eq!((status.status, later.status), (200, 200));
    assert_ne!(status.header("etag"), later.header("etag"));
    // The build under a running server is the one that is served.
    assert_ne!(files, manifest(&server));
}

/// A file that was changed under the server is another one, whatever a client kept and the manifest still says.
#[test]
fn a_changed_file_is_not_the_one_a_client_kept() {
    let shelf = Shelf::with_examples();
    let dist = shelf.build();
    let server = Server::of(&shelf, &[]);
    for (path, tag) in manifest(&server) {
        let place = dist.join(path.trim_start_matches('/'));
        let whole = std::fs::read(&place).unwrap();
        std::fs::write(&place, [&whole[..], b" "].concat()).unwrap();
        let changed = server.with(&path, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!((changed.status, changed.body.len()), (200, whole.len() + 1), "{path}");
        assert_ne!(changed.header("etag"), Some(tag.as_str()), "{path}");
    }
}

#[test]
fn pages_are_served_with_a_policy_and_folders_by_their_index() {
    let shelf = Shelf::with_examples();
    shelf.build();
    let server = Server::of(&shelf, &[]);
    for page in ["/catalog/", "/catalog/untrusted/", "/catalog/record/?id=rb_x", "/status/"] {
        let page = server.get(page);
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
        assert_eq!(page.header("content-security-policy"), Some("default-src 'self'"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    }
    let moved = server.get("/catalog");
    assert_eq!((moved.status, moved.header("location")), (308, Some("/catalog/")));
    assert_eq!(server.get("/").header("location"), Some("/catalog/"));
    let script = server.get("/assets/catalog.js");
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let head = server.send("HEAD /v1/index.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_ne!(head.header("content-length"), Some("0"));
    let post = server.send("POST /v1/index.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn no_path_leaves_the_folder_and_no_other_host_is_served() {
    let shelf = Shelf::with_examples();
    shelf.build();
    shelf.sandbox.write("dist/secret.json", "{}");
    shelf.sandbox.write("dist/catalog/extra.txt", "not published");
    let server = Server::of(&shelf, &[]);
    for path in [
        "/../secret.json",
        "/v1/../../secret.json",
        "/%2e%2e/secret.json",
        "/v1/..%2f..%2fsecret.json",
        "/v1/%2e%2e/%2e%2e/%2e%2e/.git/config",
        "//etc/passwd",
        "/extra.txt",
        "/.git/config",
        "/v1/runbooks/",
        "/v1/manifest.json/",
        "/v9/manifest.json",
        "/v1/index.json%00",
        "/v1\\index.json",
    ] {
        let found = server.get(path);
        assert!(matches!(found.status, 400 | 404), "{path}: {found:?}");
    }
    let foreign = server.send("GET /v1/index.json HTTP/1.1\r\nHost: catalog.example.org\r\n\r\n");
    assert_eq!(foreign.status, 403);
    for broken in ["\r\n\r\n", "hello\r\n\r\n", "GET /v1/index.json\r\n\r\n"] {
        assert_eq!(server.send(broken).status, 400, "{broken:?}");
    }
    assert_eq!(server.get("/v1/index.json").status, 200);
}

/// C19.
#[test]
fn b46_the_endpoint_answers_what_the_command_answers() {
    let shelf = Shelf::with_examples();
    for n in 0..8 {
        let more = json!({"symptoms": ["replica lag"], "targets": ["postgres"], "topic": if n % 3 == 0 { "lag" } else { "other" }});
        shelf.reviewed(&simple(&format!("lag-{n}"), more));
        shelf.reviewed(&simple(&format!("lone-{n}"), json!({"symptoms": ["replica lag", "é ü"]})));
    }
    shelf.commit();
    shelf.build();
    let server = Server::of(&shelf, &["--search-endpoint"]);
    let same = |query: &str, words: &[&str]| {
        let (theirs, ours) = (server.get(&format!("/v1/search?{query}")), shelf.found(words));
        assert_eq!(theirs.status, 200, "{theirs:?}");
        let theirs = theirs.json();
        for key in ["hits", "count", "total", "has_more", "next_cursor", "applied"] {
            assert_eq!(theirs.get(key), ours.get(key), "{key} of {query}");
        }
        theirs
    };
    same("symptom=replica+lag", &["--symptom", "replica lag"]);
    same(
        "symptom=%C3%A9%20%C3%BC%20lag&risk_max=reversible",
        &["--symptom", "é ü lag", "--risk-max", "reversible"],
    );
    same("available=", &["--available", ""]);
    same("target=postgres&target=x", &["--target", "postgres", "--target", "x"]);
    let first = same(
        "available=mcp:pg.query,shell:kubectl&limit=3",
        &["--available", "mcp:pg.query,shell:kubectl", "--limit", "3"],
    );
    let cursor = first["next_cursor"].as_str().unwrap();
    same(
        &format!("available=mcp:pg.query,shell:kubectl&limit=5&cursor={cursor}"),
        &["--available", "mcp:pg.query,shell:kubectl", "--limit", "5", "--cursor", cursor],
    );
    let refused = |query: &str, code: &str, parameter: &str| {
        let response = server.get(&format!("/v1/search?{query}"));
        let answer = response.json();
        assert_eq!(response.status, 400);
        assert_eq!(
            (&answer["status"], &answer["error_code"], &answer["parameter"]),
            (&json!("ERROR"), &json!(code), &json!(parameter))
        );
        answer
    };
    assert_eq!(
        refused("symptom=x&risk_max=severe", "PARAMETER_REFUSED", "risk_max"),
        shelf.refused(&["--symptom", "x", "--risk-max", "severe"], "PARAMETER_REFUSED", "risk_max")
    );
    refused("symptom=x&trust_min=T0", "PARAMETER_REFUSED", "trust_min");
    refused("symptom=x&include_untrusted=true", "PARAMETER_REFUSED", "include_untrusted");
    refused("symptom=x&cursor=y", "CURSOR_REFUSED", "cursor");
    refused("", "PARAMETER_REFUSED", "symptom");
    refused("symptom=%ff", "PARAMETER_REFUSED", "query");
    assert_eq!(server.get("/v1/status.json").json()["search"]["endpoint"], "/v1/search");
    assert_eq!(server.get("/v1/search.untrusted?symptom=x").status, 404);
}

/// A hit as the shared vectors have it.
fn as_vector(hit: &Value) -> Value {
    let variant = |one: &Value| json!([one["id"], one["score"], one["trust"]]);
    match hit["variants"].as_array() {
        Some(variants) => json!([
            hit["type"],
            hit["topic"],
            hit["score"],
            variants.iter().map(variant).collect::<Value>(),
            hit["variants_total"]
        ]),
        None => json!([hit["type"], hit["slug"], hit["score"], [variant(hit)], 1]),
    }
}

/// A query as the address of a request has it.
fn address(query: &[(String, String)]) -> String {
    let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    pairs.join("&")
}

/// C19: the vectors that the page's module answers too, over the files of a catalog: the command and the endpoint give
/// the hits, the scores and the levels that were worked out by hand.
#[test]
fn b46_the_command_and_the_endpoint_answer_the_shared_vectors() {
    let shelf = Shelf::with_examples();
    let dist = super::kit::Dist { root: shelf.build() };
    let vectors = super::search::vectors();
    let low = |entry: &&Value| entry["trust"] == "T0" || entry["trust"] == "T1";
    let entries = vectors["entries"].as_array().unwrap();
    for (path, below) in [("/v1/search-index.json", false), ("/v1/search-index.untrusted.json", true)] {
        let half: Value = entries.iter().filter(|entry| low(entry) == below).cloned().collect();
        dist.patch(path, |index| index["entries"] = half);
    }
    let mut servers = std::collections::BTreeMap::new();
    let from = dist.root.to_str().unwrap();
    let (mut commands, mut requests) = (0, 0);
    for case in vectors["cases"].as_array().unwrap() {
        let (query, today) = (super::search::given(case), case["today"].as_str().unwrap());
        let mut words = vec!["--from".to_owned(), from.to_owned(), "--clock".to_owned(), today.to_owned()];
        words.extend(query.iter().map(|(name, value)| format!("--{}={value}", name.replace('_', "-"))));
        words.extend((!query.iter().any(|(name, _)| name == "limit")).then(|| "--limit=100".to_owned()));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let found = shelf.found(&words);
        let shown: Value = found["hits"].as_array().unwrap().iter().map(as_vector).collect();
        assert_eq!(shown, case["hits"], "{}", case["query"]);
        commands += 1;
        let opens = query.iter().any(|(name, value)| name == "trust_min" && (value == "T0" || value == "T1"));
        if opens {
            continue;
        }
        let clock = ["--search-endpoint", "--clock", today];
        let server = servers.entry(today.to_owned()).or_insert_with(|| Server::of(&shelf, &clock));
        let response = server.get(&format!("/v1/search?{}&limit=100", address(&query)));
        assert_eq!(response.status, 200, "{}: {response:?}", case["query"]);
        for key in ["hits", "count", "total", "applied"] {
            assert_eq!(response.json().get(key), found.get(key), "{key} of {}", case["query"]);
        }
        requests += 1;
    }
    let server = servers.values().next().unwrap();
    for case in vectors["refused"].as_array().unwrap() {
        let response = server.get(&format!("/v1/search?{}", address(&super::search::given(case))));
        assert_eq!(response.status, 400, "{case}");
        assert_eq!(response.json()["parameter"], case["parameter"], "{case}");
    }
    assert!(commands > 90 && requests > 50, "{commands} {requests}");
}

#[test]
fn b67_the_untrusted_endpoint_is_a_path_of_its_own() {
    let shelf = Shelf::with_examples();
    shelf.build();
    let server = Server::of(&shelf, &["--search-endpoint=untrusted"]);
    let low = pm::catalog::identity::id("rotate-api-token");
    let found = |path: &str| ids(&server.get(path).json());
    assert_eq!(found("/v1/search.untrusted?symptom=token+leaked&trust_min=T1"), [low.as_str()]);
    assert!(found("/v1/search.untrusted?symptom=token+leaked").is_empty());
    assert_eq!(server.get("/v1/search?symptom=token+leaked&trust_min=T1").status, 400);
}

#[test]
fn b57_a_search_judges_levels_on_its_own_day() {
    let shelf = Shelf::with_examples();
    shelf.build();
    let later = Server::of(&shelf, &["--search-endpoint", "--clock", "2026-11-28"]);
    assert!(ids(&later.get("/v1/search?symptom=replica+lag&trust_min=T3").json()).is_empty());
    let now = Server::of(&shelf, &["--search-endpoint"]);
    assert_eq!(ids(&now.get("/v1/search?symptom=replica+lag&trust_min=T3").json()), [REPLICA]);
}

#[test]
fn a_catalog_below_a_path_is_served_there_too() {
    let shelf = Shelf::with_examples();
    let settings = shelf.sandbox.read(".agents/pm/settings.json");
    let mut settings: Value = serde_json::from_str(&settings).unwrap();
    settings["catalog"] = json!({"base_path": "/docs/runbooks"});
    shelf.sandbox.write(".agents/pm/settings.json", settings.to_string());
    shelf.commit();
    shelf.build();
    let mut child = shelf
        .sandbox
        .process(&["catalog", "serve"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port =
        line.trim_end().trim_end_matches("/docs/runbooks/").rsplit(':').next().unwrap().parse().unwrap();
    let server = Server { child, port };
    assert_eq!(server.get("/docs/runbooks/v1/index.json").status, 200);
    assert_eq!(server.get("/docs/runbooks/catalog").header("location"), Some("/docs/runbooks/catalog/"));
}

#[test]
fn what_was_not_built_is_not_served() {
    let shelf = Shelf::with_examples();
    shelf.sandbox.refused(&["catalog", "serve"], 3, "catalog_folder_invalid");
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    shelf.build();
    let port = taken.local_addr().unwrap().port().to_string();
    shelf.sandbox.refused(&["catalog", "serve", "--port", &port], 1, "catalog_port_unavailable");
    assert!(!shelf.sandbox.path().join(SOURCE).join("v1").exists());
}
