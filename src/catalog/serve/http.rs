//! As much of HTTP/1.1 as a server of files on one machine needs: one GET or HEAD a connection.

use std::io::{self, BufRead, Read as _, Write};

/// The most bytes of a request's head.
const MAX_HEAD: u64 = 32 * 1024;

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, percent signs resolved.
    pub(super) path: String,
    /// What follows the question mark, as it came.
    pub(super) query: Option<String>,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The parameters of the query by name, in their order; none when they are not UTF-8.
    pub(super) fn parameters(&self) -> Option<Vec<(String, String)>> {
        let pairs = self.query.as_deref().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
            })
            .collect()
    }
}

/// Reads a request; what is none is answered right away.
pub(super) fn read(stream: &mut impl BufRead) -> io::Result<Result<Request, Response>> {
    let mut head = stream.take(MAX_HEAD);
    let mut line = String::new();
    head.read_line(&mut line)?;
    let mut words = line.trim_end().splitn(3, ' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Ok(Err(Response::plain(400, "this is no request\n")));
    };
    if !version.starts_with("HTTP/1.") {
        return Ok(Err(Response::plain(505, "HTTP/1.1 is spoken here\n")));
    }
    let mut request = Request { method: method.to_owned(), ..Request::default() };
    // A proxy's form has the host in front of the path.
    let target =
        target.strip_prefix("http://").map_or(target, |rest| rest.find('/').map_or("/", |at| &rest[at..]));
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    request.query = query.map(str::to_owned);
    match decoded(path).filter(|path| path.starts_with('/')) {
        Some(path) => request.path = path,
        None => return Ok(Err(Response::plain(400, "the path is none\n"))),
    }
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Ok(Err(Response::plain(431, "the request has too many or unfinished headers\n")));
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Ok(request));
        }
        if let Some((name, value)) = line.split_once(':') {
            request.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

/// A text with its percent signs resolved; none when that is no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// A sentence for people.
    pub(super) fn plain(status: u16, text: &str) -> Response {
        Response::of(status, "text/plain; charset=utf-8", text.as_bytes().to_vec())
    }

    /// A body of a media type.
    pub(super) fn of(status: u16, media_type: &str, body: Vec<u8>) -> Response {
        Response { status, headers: vec![("Content-Type", media_type.to_owned())], body }
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.headers.push((name, value.into()));
        self
    }

    /// Writes it and ends the connection; only the head for HEAD.
    pub(super) fn write(&self, stream: &mut impl Write, head_only: bool) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            304 => "Not Modified",
            308 => "Permanent Redirect",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            431 => "Request Header Fields Too Large",
            505 => "HTTP Version Not Supported",
            _ => "Internal Server Error",
        };
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.status != 304 {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str(
            "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
        );
        let mut bytes = head.into_bytes();
        if !head_only && self.status != 304 {
            bytes.extend(&self.body);
        }
        stream.write_all(&bytes)?;
        stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<Request, u16> {
        read(&mut text.as_bytes()).unwrap().map_err(|response| response.status)
    }

    #[test]
    fn requests_are_read_and_what_is_none_is_refused() {
        let read =
            request("GET /v1/a%20b?x=1&y=a+%C3%A9&z HTTP/1.1\r\nHost: h\r\nIF-None-Match: \"e\"\r\n\r\n")
                .unwrap();
        assert_eq!((read.method.as_str(), read.path.as_str()), ("GET", "/v1/a b"));
        assert_eq!(read.header("if-none-match"), Some("\"e\""));
        let pairs = read.parameters().unwrap();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("x", "1"), ("y", "a é"), ("z", "")]);
        assert_eq!(request("GET http://127.0.0.1:1/v1/x HTTP/1.1\r\n\r\n").unwrap().path, "/v1/x");
        for (text, status) in [
            ("", 400),
            ("hello\r\n\r\n", 400),
            ("GET / HTTP/2\r\n\r\n", 505),
            ("GET x HTTP/1.1\r\n\r\n", 400),
            ("GET /%ff HTTP/1.1\r\n\r\n", 400),
            ("GET /%4 HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\n", 431),
        ] {
            assert_eq!(request(text), Err(status), "{text:?}");
        }
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(64 * 1024));
        assert_eq!(request(&long), Err(431));
    }
}
