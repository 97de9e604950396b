//! All files of a catalog, made of a compiled source: a pure function, the same bytes for the same input.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::cache::{Cache, Sort};
use super::compile::{Compiled, Item};
use super::edition;
use super::identity;
use super::page;
use super::schema;
use super::served::Size;
use super::status::{self, Status};
use super::words::{Level, SchemaVersion};

/// The page of the status, the only file that changes with every day.
pub const STATUS: &str = "/v1/status.json";

/// The list of files.
pub const MANIFEST: &str = "/v1/manifest.json";

/// The rules in prose.
const PROSE: [(&str, &str); 2] = [
    ("/spec/v1/contract.md", include_str!("prose/contract.md")),
    ("/spec/v1/trust.md", include_str!("prose/trust.md")),
];

/// Whether a folder at the top of a catalog belongs to it alone: those of the majors, of the prose and of the page.
pub fn owns(folder: &str) -> bool {
    matches!(folder, "spec" | "catalog" | "status" | "assets") || edition::numbered(folder).is_some()
}

/// A file of a catalog.
#[derive(Clone, Debug)]
pub struct Artifact<'c> {
    /// Its path, from the root of the catalog.
    pub path: String,
    /// Its bytes.
    pub bytes: Cow<'c, [u8]>,
    etag: Option<&'c str>,
    sha256: Option<&'c str>,
}

impl<'c> Artifact<'c> {
    fn made(path: impl Into<String>, text: String) -> Artifact<'c> {
        let bytes = Cow::Owned(text.into_bytes());
        Artifact { path: path.into(), bytes, etag: None, sha256: None }
    }

    fn fixed(path: &str, bytes: &'c [u8]) -> Artifact<'c> {
        Artifact { path: path.to_owned(), bytes: Cow::Borrowed(bytes), etag: None, sha256: None }
    }

    /// Its entity tag.
    pub fn etag(&self) -> String {
        self.etag.map_or_else(|| identity::file_etag(&self.bytes), str::to_owned)
    }

    fn facts(&self) -> Value {
        let sha256 = self.sha256.map_or_else(|| identity::sha256(&self.bytes), str::to_owned);
        json!({"etag": self.etag(), "sha256": sha256, "bytes": self.bytes.len()})
    }
}

/// All files, by path, and the state of the catalog.
pub fn all<'c>(compiled: &'c Compiled, cache: &mut Cache) -> (Vec<Artifact<'c>>, Status) {
    let mut first = lists(compiled);
    first.extend(compiled.items.iter().map(|item| Artifact {
        path: super::render::path(&item.facts.id),
        bytes: Cow::Borrowed(item.rendered.artifact()),
        etag: Some(item.rendered.etag()),
        sha256: Some(item.rendered.sha256()),
    }));
    first.extend(
        schema::all()
            .iter()
            .map(|(name, schema)| Artifact::made(format!("/v1/schema/{name}.json"), line(schema))),
    );
    let status = status(compiled, &first, cache);
    first.push(Artifact::made(STATUS, line(&json!(status))));
    let majors = compiled.settings.served_majors(compiled.as_of);
    let mut files = shared(&majors);
    let shared = files.len();
    for major in majors {
        let mut own: Vec<Artifact<'c>> = match major {
            1 => first.clone(),
            other => first.iter().map(|file| later(file, other)).collect(),
        };
        own.extend(PROSE.iter().map(|(path, text)| prose(path, text, major)));
        let list = manifest(files[..shared].iter().chain(&own), major);
        files.extend(own);
        files.push(list);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    (files, status)
}

/// The files that are the same in every catalog of this program with these majors: the page, the prose, what hosts are
/// to send.
pub fn fixed(majors: &[u32]) -> Vec<Artifact<'static>> {
    let mut files = shared(majors);
    files.extend(majors.iter().flat_map(|major| PROSE.iter().map(|(path, text)| prose(path, text, *major))));
    files
}

/// What all majors share.
fn shared<'c>(majors: &[u32]) -> Vec<Artifact<'c>> {
    let oldest = majors.first().copied().unwrap_or(1);
    let page = page::FILES.iter().map(|file| page_file(file, oldest));
    page.chain([Artifact::made("/_headers", headers())]).collect()
}

/// The rules in prose, with the paths of a major.
fn prose<'c>(path: &str, text: &'static str, major: u32) -> Artifact<'c> {
    match major {
        1 => Artifact::fixed(path, text.as_bytes()),
        other => Artifact::made(edition::path(path, other), text.replace("/v1/", &format!("/v{other}/"))),
    }
}

/// A file of the page, which reads the oldest major that is served: its scripts know that one longest.
fn page_file<'c>(file: &'static page::PageFile, major: u32) -> Artifact<'c> {
    if major == 1 || !file.path.ends_with(".html") {
        return Artifact::fixed(file.path, file.text.as_bytes());
    }
    Artifact::made(file.path, file.text.replace("/v1/", &format!("/v{major}/")))
}

/// What hosts of files that read such a file are to send with every answer.
fn headers() -> String {
    format!(
        "/*\n  Content-Security-Policy: {}\n  X-Content-Type-Options: nosniff\n",
        page::CONTENT_SECURITY_POLICY
    )
}

/// The lists: index, search index and topics in their two halves, and the aliases.
fn lists(compiled: &Compiled) -> Vec<Artifact<'static>> {
    let mut files = Vec::new();
    for untrusted in [false, true] {
        let suffix = if untrusted { ".untrusted" } else { "" };
        let entries: Vec<&str> = compiled.listed(untrusted).map(|item| item.rendered.index_entry()).collect();
        files.extend(pages(&format!("/v1/index{suffix}"), &entries, untrusted, compiled));
        let path = format!("/v1/search-index{suffix}.json");
        files.push(Artifact::made(path, search_index(compiled, untrusted).0));
        let (topics, own) = topics(compiled, untrusted);
        let entries: Vec<&str> = topics.iter().map(String::as_str).collect();
        files.extend(pages(&format!("/v1/topics{suffix}"), &entries, untrusted, compiled));
        files.extend(own);
    }
    let mut aliases = BTreeMap::new();
    for item in &compiled.items {
        for slug in item.facts.former_slugs.iter().chain([&item.facts.slug]) {
            aliases.insert(slug.clone(), item.facts.id.clone());
        }
    }
    files.push(Artifact::made(
        "/v1/aliases.json",
        line(&json!({"schema_version": SchemaVersion::V1, "aliases": aliases})),
    ));
    files
}

/// The pages of a list: each is a file, and names the next one.
fn pages(stem: &str, entries: &[&str], untrusted: bool, compiled: &Compiled) -> Vec<Artifact<'static>> {
    let path = |page: usize| if page == 1 { format!("{stem}.json") } else { format!("{stem}.{page}.json") };
    let size = compiled.settings.page_size;
    let count = entries.len().div_ceil(size).max(1);
    let page = |n: usize| {
        let part = &entries[(n - 1) * size..entries.len().min(n * size)];
        let mut fields = bounds(untrusted);
        fields.push(("entries", list(part)));
        fields.push(("page", n.to_string()));
        fields.push(("total", entries.len().to_string()));
        if n < count {
            let next = format!("{}{}", compiled.settings.base_path, path(n + 1));
            fields.push(("next_cursor", text(&next)));
        }
        Artifact::made(path(n), object(fields) + "\n")
    };
    (1..=count).map(page).collect()
}

/// The version and the bounds of one of the two halves.
fn bounds(untrusted: bool) -> Vec<(&'static str, String)> {
    let version = ("schema_version", text(SchemaVersion::V1.as_str()));
    if untrusted {
        vec![version, ("floor", "null".to_owned()), ("ceiling", text(Level::T1.as_str()))]
    } else {
        vec![version, ("floor", text(Level::FLOOR.as_str()))]
    }
}

/// One half of the search index, and its size.
pub fn search_index(compiled: &Compiled, untrusted: bool) -> (String, Size) {
    let entries: Vec<&str> = compiled.listed(untrusted).map(|item| item.rendered.search_entry()).collect();
    let entries = list(&entries);
    let size = Size {
        entries_bytes: entries.len() as u64,
        budget_bytes: compiled.settings.search_budget_bytes,
        within_budget: entries.len() as u64 <= compiled.settings.search_budget_bytes,
    };
    let mut fields = bounds(untrusted);
    fields.push(("size", identity::canonical(&json!(size))));
    fields.push(("entries", entries));
    (object(fields) + "\n", size)
}

/// The topics of one half, in their order, and their own files.
fn topics(compiled: &Compiled, untrusted: bool) -> (Vec<String>, Vec<Artifact<'static>>) {
    let mut variants: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in compiled.listed(untrusted) {
        if let Some(topic) = &item.facts.topic {
            variants.entry(topic).or_default().push(item);
        }
    }
    let mut all: Vec<(i64, &str, Vec<(&'static str, String)>)> = Vec::new();
    for (name, items) in variants {
        let said = compiled.topics.get(name).cloned().unwrap_or_default();
        let entries: Vec<&str> = items.iter().map(|item| item.rendered.index_entry()).collect();
        let mut fields = vec![
            ("topic", text(name)),
            ("title", text(said.title.as_deref().unwrap_or(name))),
            ("variants", list(&entries)),
        ];
        if !said.summary.is_empty() {
            fields.push(("summary", text(&said.summary)));
        }
        fields.extend(said.order.map(|order| ("order", order.to_string())));
        if !untrusted {
            let href = format!("{}/v1/topics/{name}.json", compiled.settings.base_path);
            fields.push(("href", text(&href)));
        }
        all.push((said.order.unwrap_or(i64::MAX), name, fields));
    }
    all.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    let mut own = Vec::new();
    if !untrusted {
        for (_, name, fields) in &all {
            let mut fields = fields.clone();
            fields.push(("schema_version", text(SchemaVersion::V1.as_str())));
            own.push(Artifact::made(format!("/v1/topics/{name}.json"), object(fields) + "\n"));
        }
    }
    (all.into_iter().map(|(.., fields)| object(fields)).collect(), own)
}

/// The list of files with what names their bytes.
fn manifest<'c, 'f>(files: impl Iterator<Item = &'f Artifact<'c>>, major: u32) -> Artifact<'c>
where
    'c: 'f,
{
    let status = edition::path(STATUS, major);
    let files: Map<String, Value> =
        files.filter(|file| file.path != status).map(|file| (file.path.clone(), file.facts())).collect();
    let document = json!({"schema_version": format!("{major}.0"), "files": files, "volatile": [status]});
    Artifact::made(edition::path(MANIFEST, major), line(&document))
}

/// The state of the catalog.
fn status(compiled: &Compiled, files: &[Artifact<'_>], cache: &mut Cache) -> Status {
    let index = files.iter().find(|file| file.path == "/v1/search-index.json");
    let bytes = index.map_or(&[][..], |file| &file.bytes);
    status::of(compiled, search_index(compiled, false).1, gzip_bytes(bytes, cache))
}

/// The state of a catalog, without its files.
pub fn status_of(compiled: &Compiled, cache: &mut Cache) -> Status {
    let (text, size) = search_index(compiled, false);
    let gzip = gzip_bytes(text.as_bytes(), cache);
    cache.save();
    status::of(compiled, size, gzip)
}

/// How many bytes are left of some when a server compresses them.
fn gzip_bytes(bytes: &[u8], cache: &mut Cache) -> u64 {
    /// What the format adds in front and behind.
    const FRAME: u64 = 18;
    let key = identity::sha256(bytes);
    if let Some(known) = cache.get(Sort::Size, &key)
        && let Ok(known) = <[u8; 8]>::try_from(&*known)
    {
        return u64::from_le_bytes(known);
    }
    let size = miniz_oxide::deflate::compress_to_vec(bytes, 6).len() as u64 + FRAME;
    cache.put(Sort::Size, &key, size.to_le_bytes().to_vec());
    size
}

/// A file of the first major as a later one has it. The tag of a record is of its content and of what was concluded,
/// which no major changes.
fn later<'c>(file: &Artifact<'c>, major: u32) -> Artifact<'c> {
    let mut value: Value = serde_json::from_slice(&file.bytes).unwrap_or(Value::Null);
    edition::lift(&mut value, &file.path, major);
    let made = Artifact::made(edition::path(&file.path, major), line(&value));
    Artifact { etag: file.etag, ..made }
}

/// The canonical text of an object whose members are canonical texts.
fn object(mut fields: Vec<(&str, String)>) -> String {
    fields.sort_by(|a, b| a.0.cmp(b.0));
    let members: Vec<String> = fields.iter().map(|(key, text)| format!("\"{key}\":{text}")).collect();
    format!("{{{}}}", members.join(","))
}

/// The canonical text of a list of canonical texts.
fn list(items: &[&str]) -> String {
    format!("[{}]", items.join(","))
}

/// A text as canonical JSON.
fn text(text: &str) -> String {
    identity::canonical(&Value::from(text))
}

fn line(value: &Value) -> String {
    let mut text = identity::canonical(value);
    text.push('\n');
    text
}
