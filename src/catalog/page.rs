//! The static page: plain files that search and draw in the reader's browser, and work on any host of files.
//!
//! They are written beside the artifacts as they stand; what they show comes from `/v1/`. Every path in them is
//! relative, so that a catalog may live below any path.

/// A file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFile {
    /// Its path in the catalog, with a slash in front.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
}

macro_rules! files {
    ($($path:literal = $file:literal,)*) => {
        /// Every file of the page, by path.
        pub const FILES: &[PageFile] =
            &[$(PageFile { path: $path, text: include_str!(concat!("page/", $file)) },)*];
    };
}

files! {
    "/assets/catalog.js" = "catalog.js",
    "/assets/dom.js" = "dom.js",
    "/assets/graph.js" = "graph.js",
    "/assets/icon.svg" = "icon.svg",
    "/assets/record.js" = "record.js",
    "/assets/search.js" = "search.js",
    "/assets/status.js" = "status.js",
    "/assets/style.css" = "style.css",
    "/assets/trust.js" = "trust.js",
    "/catalog/index.html" = "catalog.html",
    "/catalog/record/index.html" = "record.html",
    "/catalog/untrusted/index.html" = "untrusted.html",
    "/catalog/untrusted/record/index.html" = "untrusted-record.html",
    "/status/index.html" = "status.html",
}

/// The policy that pages are served with: nothing from elsewhere, nothing inline.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'";

/// The media type of a file by its name.
pub fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json") => "application/json",
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("md") => "text/markdown; charset=utf-8",
        Some("ts") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
