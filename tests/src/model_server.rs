//! A model server on loopback: it speaks the four wire formats of the agents' command lines, so that the real
//! tools run whole loops without a network, an account or a cent. Its answers are scripted ([`Script`]); its
//! requests are kept.
//!
//! Path prefixes change the answer of everything below them: `/err/` is 401, `/r429/` is 429, `/r529/` is 529.

mod anthropic;
mod body;
mod chat;
mod conversation;
mod gemini;
mod http;
mod reply;
mod responses;
mod script;
mod sse;
mod tools;

pub use conversation::{Asked, Turn, WireFormat};
pub use script::{Rule, SLOW, Script, Step};

use http::{Request, Response};
use reply::Reply;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A running server; dropping it closes its port.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// One request as received, and its answer.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// `POST`, `GET`, `HEAD`.
    pub method: String,
    /// Path and query, with the prefix.
    pub path: String,
    /// The question to a model; `None` when it is another kind of request.
    pub headers: Vec<(String, String)>,
    /// The body after decompression, `null` when it is not JSON.
    pub body: serde_json::Value,
    /// What a model is asked by it; `None` when it asks no model.
    pub asked: Option<Asked>,
    /// HTTP status of the answer.
    pub status: u16,
    /// What the model did: `text`, `tool <name>`, `error`, `other`.
    pub answer: String,
}

struct Shared {
    script: Script,
    /// How often each rule gave its last word.
    spent: Vec<AtomicUsize>,
    requests: Mutex<Vec<Recorded>>,
    came: Condvar,
    closed: AtomicBool,
}

impl ModelServer {
    /// Listens on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When no port is available.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_at(script, 0)
    }

    /// The same on a chosen port; 0 means a free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn start_at(script: Script, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let spent = script.rules.iter().map(|_| AtomicUsize::new(0)).collect();
        let shared = Arc::new(Shared {
            script,
            spent,
            requests: Mutex::default(),
            came: Condvar::new(),
            closed: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &of_thread));
        Ok(Self { address, shared })
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far, in the order of the answers.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops accepting requests, and ends all waits for one.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::Release);
        // A thread that has checked but is not waiting yet holds this lock: after it, everyone gets the
        // notification.
        drop(self.shared.requests.lock());
        self.shared.came.notify_all();
        let _ = TcpStream::connect(self.address); // wakes the listener, which then sees that it is closed
    }

    /// Waits for a matching request; `None` when none came within `patience`, or none can come any more.
    pub fn wait_for(&self, patience: Duration, fits: impl Fn(&Recorded) -> bool) -> Option<Recorded> {
        let deadline = Instant::now() + patience;
        let mut requests = self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = requests.iter().find(|request| fits(request)) {
                return Some(found.clone());
            }
            if self.shared.closed.load(Ordering::Acquire) {
                return None;
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let woken = self.shared.came.wait_timeout(requests, left);
            requests = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.close();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closed.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // One thread per connection and one request per connection, so nothing waits for anything else.
        thread::spawn(move || {
            let _ = serve(&stream, &shared); // a disconnected client does not matter
        });
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(request) = http::read(stream)? else { return Ok(()) };
    let (recorded, response) = shared.answer(&request);
    shared.requests.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
    shared.came.notify_all();
    http::write(stream, &request, &response)
}

impl Shared {
    fn answer(&self, request: &Request) -> (Recorded, Response) {
        let (failure, path) = split_prefix(&request.path);
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let format = WireFormat::of(&request.method, path);
        let asked = format.map(|format| Asked::read(format, path, &body));
        let (response, answer) = match (&asked, format) {
            (Some(asked), Some(format)) => {
                let reply = failure.map_or_else(|| self.reply(asked), Reply::Failure);
                (render(format, path, asked, &reply), reply.name())
            }
            _ => (other(path, failure), "other".into()),
        };
        let recorded = Recorded {
            method: request.method.clone(),
            path: request.path.clone(),
            headers: request.headers.clone(),
            body,
            asked,
            status: response.status,
            answer,
        };
        (recorded, response)
    }

    /// The model's next move: the next step of the first matching rule, or its last word.
    fn reply(&self, asked: &Asked) -> Reply {
        let spent = |rule: usize| self.spent[rule].load(Ordering::Acquire);
        let (number, rule) = self.script.rule(&asked.prompt, spent);
        if let Some(status) = rule.fail {
            return Reply::Failure(status);
        }
        let mut done = asked.results_since_prompt;
        for step in &rule.steps {
            let Some(call) = tools::call(step, asked) else { continue }; // a model calls no tool that it is not offered
            if done == 0 {
                return Reply::Call(call);
            }
            done -= 1;
        }
        if let Some(number) = number.filter(|_| !asked.tools.is_empty()) {
            self.spent[number].fetch_add(1, Ordering::AcqRel);
        }
        Reply::last_word(&rule.answer, asked)
    }
}

/// The failure requested by a prefix, and the path after it.
fn split_prefix(path: &str) -> (Option<u16>, &str) {
    for (prefix, status) in [("/err", 401), ("/r429", 429), ("/r529", 529)] {
        if let Some(rest) = path.strip_prefix(prefix).filter(|rest| rest.starts_with('/')) {
            return (Some(status), rest);
        }
    }
    (None, path)
}

fn render(format: WireFormat, path: &str, asked: &Asked, reply: &Reply) -> Response {
    match format {
        WireFormat::Anthropic => anthropic::render(asked, reply),
        WireFormat::Responses => responses::render(asked, reply),
        WireFormat::Chat => chat::render(asked, reply),
        WireFormat::Gemini => gemini::render(path, asked, reply),
    }
}

/// Requests that do not go to a model: token counts, lists of models, health checks.
fn other(path: &str, failure: Option<u16>) -> Response {
    if let Some(status) = failure {
        return Response::json(status, &serde_json::json!({ "error": { "message": "as asked" } }));
    }
    if path.contains("count_tokens") || path.contains("countTokens") {
        return Response::json(200, &serde_json::json!({ "input_tokens": 100, "totalTokens": 100 }));
    }
    Response::json(200, &serde_json::json!({ "data": [], "models": [] }))
}
