//! The part of HTTP/1.1 that the tools use: one request, one answer, and the connection closes.

use super::body;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

/// Largest head of a request, in bytes.
const MOST_HEAD: usize = 64 * 1024;

/// One request, its body decoded.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Value of the header `name` (lower case).
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// One answer.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// A JSON answer.
    pub(super) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self { status, content_type: "application/json", body: value.to_string().into_bytes() }
    }

    /// A complete stream of events.
    pub(super) fn events(text: String) -> Self {
        Self { status: 200, content_type: "text/event-stream", body: text.into_bytes() }
    }
}

/// Reads one request; `None` when the peer closed without asking.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let head = read_head(&mut reader)?;
    if head.is_empty() {
        return Ok(None);
    }
    let mut request = parse_head(&head)?;
    if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let chunked = request.header("transfer-encoding").is_some_and(|value| value.contains("chunked"));
    let raw = if chunked {
        body::read_chunks(&mut reader)?
    } else {
        let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
        let mut raw = vec![0; length];
        reader.read_exact(&mut raw)?;
        raw
    };
    request.body = body::decode(request.header("content-encoding"), raw)?;
    Ok(Some(request))
}

/// Everything up to and with the empty line.
fn read_head(reader: &mut BufReader<&TcpStream>) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(Vec::new());
        }
        if head.len() > MOST_HEAD {
            return Err(io::Error::other("the head of a request is too large"));
        }
    }
    Ok(head)
}

fn parse_head(head: &[u8]) -> io::Result<Request> {
    let mut headers = [httparse::EMPTY_HEADER; 128];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(head).map_err(io::Error::other)?;
    let named = |header: &httparse::Header<'_>| {
        (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
    };
    Ok(Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: parsed.path.unwrap_or_default().to_owned(),
        headers: parsed.headers.iter().map(named).collect(),
        body: Vec::new(),
    })
}

/// Sends the answer; for HEAD only its head.
pub(super) fn write(mut stream: &TcpStream, request: &Request, response: &Response) -> io::Result<()> {
    let Response { status, content_type, body } = response;
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\
         connection: close\r\nrequest-id: req_loopdeck\r\n\r\n",
        reason(*status)
    )?;
    if request.method != "HEAD" {
        stream.write_all(body)?;
    }
    stream.flush()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        401 => "Unauthorized",
        429 => "Too Many Requests",
        _ => "Failed",
    }
}
