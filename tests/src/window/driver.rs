//! The WebDriver protocol over HTTP, only the parts that the tests need.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::child::{Owned, TICK, bound_command};

use crate::ports::free_port;

/// How long the driver may take to listen.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// Longest answer: a waiting script, and the start of the app on a busy machine.
const REQUEST_PATIENCE: Duration = Duration::from_secs(120);

/// A running tauri-driver with its WebKitWebDriver.
#[derive(Debug)]
pub(super) struct Driver {
    address: String,
    agent: ureq::Agent,
    _process: Owned,
}

impl Driver {
    /// Starts a driver; `prepare` puts it on its display. The app inherits its environment.
    pub(super) fn start(prepare: impl FnOnce(&mut Command)) -> Self {
        let (port, native_port) = (free_port(), free_port());
        let mut command = bound_command("tauri-driver");
        command.args(["--port", &port.to_string(), "--native-port", &native_port.to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        prepare(&mut command);
        let process = Owned::spawn_group(&mut command).expect("tauri-driver starts");
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
        let agent = config.timeout_global(Some(REQUEST_PATIENCE)).build().into();
        let driver = Self { address: format!("http://127.0.0.1:{port}"), agent, _process: process };
        driver.wait_until_ready();
        driver
    }

    /// Opens `program` with `args`; returns the session's path.
    pub(super) fn open(&self, program: &str, args: &[String]) -> String {
        let options = json!({ "application": program, "args": args });
        let wish = json!({ "capabilities": { "alwaysMatch": { "tauri:options": options } } });
        let session = self.post("/session", &wish).unwrap_or_else(|error| panic!("the app opens: {error}"));
        let id = session["sessionId"].as_str().expect("a session id");
        format!("/session/{id}")
    }

    /// One command with a body; the error is the driver's message.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let sent = self.agent.post(format!("{}{path}", self.address)).send_json(body);
        answer(sent)
    }

    /// One query.
    pub(super) fn get(&self, path: &str) -> Result<Value, String> {
        answer(self.agent.get(format!("{}{path}", self.address)).call())
    }

    /// Ends the object at `path`.
    pub(super) fn delete(&self, path: &str) -> Result<Value, String> {
        answer(self.agent.delete(format!("{}{path}", self.address)).call())
    }

    fn wait_until_ready(&self) {
        let deadline = Instant::now() + START_PATIENCE;
        while let Err(error) = self.get("/status") {
            assert!(Instant::now() < deadline, "tauri-driver does not answer: {error}");
            thread::sleep(TICK);
        }
    }
}

fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
    let mut response = response.map_err(|error| error.to_string())?;
    let mut body = response.body_mut().read_json::<Value>().map_err(|error| error.to_string())?;
    let value = body["value"].take();
    match value["error"].as_str() {
        Some(error) => Err(format!("{error}: {}", value["message"].as_str().unwrap_or_default())),
        None => Ok(value),
    }
}
