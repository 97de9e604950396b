//! What the tests of `pm catalog` share: a repository with records, keys made of names, statements, a built folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pm::catalog::identity;
use pm::catalog::signature::sign;
use pm::catalog::statement;
use pm::catalog::words::StatementKind;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};

use crate::cases::repository::{commit, git_ok};
use crate::sandbox::{Output, Sandbox};

/// Where records lie.
pub(crate) const SOURCE: &str = ".agents/pm/runbooks";

/// The day of builds that do not say.
pub(crate) const DAY: &str = "2026-11-27";

const PRINCIPALS: [(&str, &str, &[&str]); 5] = [
    ("ops@example.org", "human", &[]),
    ("dana@example.org", "human", &["reviewer"]),
    ("rui@example.org", "human", &["reviewer", "maintainer"]),
    ("ci@example.org", "service", &["attester"]),
    ("bot@example.org", "agent", &["reviewer"]),
];

/// A private key in the format of OpenSSH and its public line; the same for the same name.
pub(crate) fn key(name: &str) -> (String, String) {
    let seed: [u8; 32] = Sha256::digest(name).into();
    let key = PrivateKey::from(Ed25519Keypair::from_seed(&seed));
    let private = key.to_openssh(LineEnding::LF).expect("a key can be written").to_string();
    (private, key.public_key().to_openssh().expect("a key can be written"))
}

/// A record of one step.
pub(crate) fn simple(slug: &str) -> Value {
    json!({
        "schema_version": "1.0", "profile": "p0", "slug": slug, "title": format!("Handle {slug}"),
        "publisher": "ops@example.org", "execution": "assisted", "capabilities": [], "min_runtime_profile": "R1",
        "steps": [{"id": "one", "title": "First step", "risk": "reversible", "body": {"text": format!("Do {slug}.")}}],
    })
}

/// A record that a runtime can walk: look, drop (irreversible, approval denied by its author), note.
pub(crate) fn walkable(slug: &str) -> Value {
    let mut record = simple(slug);
    record["profile"] = json!("p1");
    record["capabilities"] = json!(["shell:kubectl"]);
    record["steps"] = json!([
        {"id": "look", "title": "Look", "kind": "check", "risk": "read_only", "requires_approval": true,
            "body": {"text": "look"}, "next": ["drop"]},
        {"id": "drop", "title": "Drop", "kind": "action", "capability": "shell:kubectl", "risk": "irreversible",
            "requires_approval": false, "body": {"text": "drop ${x}"}, "next": ["note"]},
        {"id": "note", "title": "Note", "kind": "manual", "risk": "reversible", "requires_approval": false,
            "body": {"text": "note"}},
    ]);
    record["inputs"] = json!([{"name": "x", "type": "string"}]);
    record
}

/// A statement about a record as it is.
pub(crate) fn say(record: &Value, kind: &str, who: &str, at: &str, more: Value) -> Value {
    let oldest = record["former_slugs"].get(0).unwrap_or(&record["slug"]).as_str().expect("a slug");
    let mut said = json!({
        "schema_version": "1.0", "kind": kind, "principal": who, "at": at,
        "subject": {"id": identity::id(oldest), "content_hash": identity::content_hash(record)},
    });
    more.as_object().into_iter().flatten().for_each(|(key, value)| said[key] = value.clone());
    said
}

/// An approval by a person with the role.
pub(crate) fn approve(record: &Value) -> Value {
    say(record, "review", "dana@example.org", "2026-01-01T00:00:00Z", json!({"verdict": "approve"}))
}

/// A run that succeeded.
pub(crate) fn ran(record: &Value, at: &str, environment: &str) -> Value {
    say(record, "run", "ci@example.org", at, json!({"outcome": "success", "environment": environment}))
}

/// A repository with a catalog.
pub(crate) struct Repo {
    /// The place to run in.
    pub(crate) pm: Sandbox,
}

impl Repo {
    /// With a trust root and no record.
    pub(crate) fn new() -> Repo {
        let pm = Sandbox::tracker();
        git_ok(&pm, &["init", "-q", "-b", "main"]);
        pm.write(".gitignore", "/dist/\n");
        let repo = Repo { pm };
        repo.trust("", &[], "");
        repo
    }

    /// Writes the trust root: the head of the policy, further lines of signers, revoked keys.
    pub(crate) fn trust(&self, head: &str, signers: &[String], revoked: &str) {
        let mut allowed: String =
            PRINCIPALS.iter().map(|(name, ..)| format!("{name} {}\n", key(name).1)).collect();
        allowed.extend(signers.iter().map(|line| format!("{line}\n")));
        let mut policy = format!("{head}principals:\n");
        for (name, kind, roles) in PRINCIPALS {
            let roles = match roles {
                [] => "roles: []".to_owned(),
                roles => format!("roles[{}]: {}", roles.len(), roles.join(",")),
            };
            policy.push_str(&format!("  \"{name}\":\n    kind: {kind}\n    {roles}\n"));
        }
        for (name, text) in
            [("allowed_signers", allowed.as_str()), ("policy.toon", &policy), ("revoked_keys", revoked)]
        {
            self.pm.write(&format!("{SOURCE}/_trust/{name}"), text);
        }
    }

    /// Writes a record with statements about it.
    pub(crate) fn record(&self, record: &Value, statements: &[Value]) {
        let slug = record["slug"].as_str().expect("a slug");
        let text = serde_json::to_string_pretty(record).expect("a record is JSON");
        self.pm.write(&format!("{SOURCE}/{slug}/runbook.json"), text);
        statements.iter().for_each(|said| self.attest(slug, said));
    }

    /// Writes a statement, signed by its principal.
    pub(crate) fn attest(&self, slug: &str, said: &Value) {
        self.attest_by(slug, said, said["principal"].as_str().expect("a principal"), None);
    }

    /// Writes a statement, signed by a key, for a namespace.
    pub(crate) fn attest_by(&self, slug: &str, said: &Value, signer: &str, namespace: Option<&str>) {
        let kind = StatementKind::named(said["kind"].as_str().expect("a kind")).expect("a kind");
        let bytes = statement::canonical_bytes(said);
        let at = pm::model::timestamp::parse(said["at"].as_str().expect("a time")).expect("a time");
        let name = statement::file_name(kind, statement::day(at).expect("a day"), &bytes);
        let path = format!("{SOURCE}/{slug}/evidence/{name}");
        let signature =
            sign(&key(signer).0, namespace.unwrap_or(kind.namespace()), &bytes).expect("it signs");
        self.pm.write(&path, &bytes);
        self.pm.write(&format!("{path}.sig"), signature);
    }

    /// Changes a record in place.
    pub(crate) fn edit(&self, slug: &str, change: impl FnOnce(&mut Value)) {
        let path = format!("{SOURCE}/{slug}/runbook.json");
        let mut record: Value = serde_json::from_str(&self.pm.read(&path)).expect("a record is JSON");
        change(&mut record);
        self.pm.write(&path, record.to_string());
    }

    /// Writes settings of the catalog.
    pub(crate) fn settings(&self, catalog: &Value) {
        let path = ".agents/pm/settings.json";
        let mut settings: Value = serde_json::from_str(&self.pm.read(path)).expect("settings are JSON");
        settings["catalog"] = catalog.clone();
        self.pm.write(path, settings.to_string());
    }

    /// Commits everything.
    pub(crate) fn commit(&self) -> &Repo {
        commit(&self.pm);
        self
    }

    /// Runs `pm catalog`.
    pub(crate) fn catalog(&self, words: &[&str]) -> Output {
        self.pm.pm(&[&["catalog"], words].concat())
    }

    /// Builds, which must succeed.
    pub(crate) fn build(&self, day: &str, more: &[&str]) -> Dist {
        let _ = self.catalog(&[&["build", "--clock", day], more].concat()).expect(0);
        Dist { root: self.pm.path().join("dist/catalog") }
    }

    /// The built folder as it is.
    pub(crate) fn dist(&self) -> Dist {
        Dist { root: self.pm.path().join("dist/catalog") }
    }
}

/// A built folder.
#[derive(Clone, Debug)]
pub(crate) struct Dist {
    /// Where it lies.
    pub(crate) root: PathBuf,
}

impl Dist {
    /// The bytes of a file.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root.join(path.trim_start_matches('/')))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A file as JSON.
    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.bytes(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A record by its oldest slug.
    pub(crate) fn record(&self, slug: &str) -> Value {
        self.json(&format!("/v1/runbooks/{}.json", identity::id(slug)))
    }

    /// Its level and expiry.
    pub(crate) fn trust(&self, slug: &str) -> (String, Option<String>) {
        let record = self.record(slug);
        let text = |key: &str| record[key].as_str().map(str::to_owned);
        (text("trust").expect("a level"), text("trust_expires_on"))
    }

    /// Every file by path.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let paths = pm::store::publish::files_below(&self.root, 100_000).expect("the folder can be read");
        paths.into_iter().map(|path| (path.clone(), self.bytes(&path))).collect()
    }

    /// The files of JSON, parsed, without schemas.
    pub(crate) fn documents(&self) -> Vec<(String, Value)> {
        let files = self.files().into_keys();
        let wanted = files.filter(|path| path.ends_with(".json") && !path.starts_with("/v1/schema/"));
        wanted.map(|path| (path.clone(), self.json(&path))).collect()
    }

    /// The entries of all pages of a list, and the paths of the pages.
    pub(crate) fn entries(&self, first: &str) -> (Vec<Value>, Vec<String>) {
        let (mut entries, mut paths, mut next) = (Vec::new(), Vec::new(), Some(first.to_owned()));
        while let Some(path) = next {
            let page = self.json(&path);
            entries.extend(page["entries"].as_array().expect("entries").clone());
            next = page["next_cursor"].as_str().map(str::to_owned);
            paths.push(path);
        }
        (entries, paths)
    }

    /// The entity tags by path.
    pub(crate) fn etags(&self) -> BTreeMap<String, String> {
        let manifest = self.json("/v1/manifest.json");
        let files = manifest["files"].as_object().expect("files");
        files
            .iter()
            .map(|(path, facts)| (path.clone(), facts["etag"].as_str().expect("a tag").to_owned()))
            .collect()
    }

    /// When each file was written.
    pub(crate) fn stamps(&self) -> BTreeMap<String, std::time::SystemTime> {
        let stamp = |path: &String| {
            let meta = std::fs::metadata(self.root.join(path.trim_start_matches('/'))).expect("it is there");
            meta.modified().expect("a time")
        };
        self.files().into_keys().map(|path| (path.clone(), stamp(&path))).collect()
    }

    /// Replaces a document and keeps what the manifest says of it true.
    pub(crate) fn patch(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut value = self.json(path);
        change(&mut value);
        self.replace(path, &identity::artifact(&value));
    }

    /// Replaces the bytes of a file and keeps what the manifest of its major says of it true.
    pub(crate) fn replace(&self, path: &str, bytes: &[u8]) {
        let place = |path: &str| self.root.join(path.trim_start_matches('/'));
        std::fs::write(place(path), bytes).expect("it can be written");
        let major = path.split('/').find(|part| part.starts_with('v')).unwrap_or("v1");
        let list = format!("/{major}/manifest.json");
        let mut manifest = self.json(&list);
        // The list names neither itself nor the status.
        if let Some(facts) = manifest["files"].get_mut(path) {
            let record = path.contains("/runbooks/").then(|| serde_json::from_slice(bytes).expect("JSON"));
            facts["sha256"] = json!(identity::sha256(bytes));
            facts["bytes"] = json!(bytes.len());
            facts["etag"] =
                json!(record.map_or_else(
                    || identity::file_etag(bytes),
                    |record: Value| identity::record_etag(&record)
                ));
            std::fs::write(place(&list), identity::artifact(&manifest)).expect("it can be written");
        }
    }
}

/// The paths in which two builds differ.
pub(crate) fn differing(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let paths: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    paths.into_iter().filter(|path| a.get(*path) != b.get(*path)).cloned().collect()
}

/// A repository of many records: every level, risk and profile, several topics; the same every time.
pub(crate) fn many(count: usize) -> Repo {
    let repo = Repo::new();
    let mut state = 7u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let words =
        ["disk", "queue", "cache", "gateway", "timeout", "memory", "backup", "quota", "login", "proxy"];
    for n in 0..count {
        let (a, b, c) = (words[random(10)], words[random(10)], words[random(10)]);
        let walks = random(2) == 1;
        let mut record =
            if walks { walkable(&format!("{a}-{b}-{n:03}")) } else { simple(&format!("{a}-{b}-{n:03}")) };
        record["title"] = json!(format!("Repair {a} {b}"));
        record["summary"] = json!(format!("When the {c} is full — \"é\" <b>."));
        record["symptoms"] = json!([format!("{c} slow")]);
        record["targets"] = json!([a, c]);
        record["tags"] = json!([b]);
        if n % 5 == 0 {
            record["topic"] = json!(format!("topic-{}", words[n % 7]));
        }
        if random(8) == 0 {
            record["publisher"] = json!("stranger@example.org");
        }
        if !walks {
            record["steps"][0]["risk"] =
                json!(["read_only", "reversible", "destructive", "irreversible"][random(4)]);
        }
        if random(3) == 0 {
            record["x-layout"] = json!({"one": {"x": n, "y": 1.5}});
        }
        let mut statements = Vec::new();
        if random(4) > 0 {
            statements.push(approve(&record));
            let month = 1 + random(11);
            if random(3) > 0 {
                let place = ["rehearsal", "staging", "production"][random(3)];
                statements.push(ran(&record, &format!("2026-{month:02}-10T08:00:00Z"), place));
            }
        }
        repo.record(&record, &statements);
    }
    for word in &words[..7] {
        let text = format!("title: About {word}\nsummary: All on {word}\norder: {}\n", word.len());
        repo.pm.write(&format!("{SOURCE}/_topics/topic-{word}.toon"), text);
    }
    repo.commit();
    repo
}
