//! The loopback model server as a program, to try a command line by hand:
//! `model_server [--port N] [--script FILE]`. Prints its address, then one line per request.
#![allow(clippy::print_stdout, reason = "a command line tool")]

use lexopt::prelude::{Long, ValueExt};
use loopdeck_tests::model_server::{ModelServer, Script};
use std::io::Write as _;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut port, mut script) = (0, Script::plain());
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("port") => port = parser.value()?.parse()?,
            Long("script") => script = serde_json::from_slice(&std::fs::read(parser.value()?)?)?,
            other => return Err(other.unexpected().into()),
        }
    }
    let server = ModelServer::start_at(script, port)?;
    println!("{}", server.url());
    let mut told = 0;
    loop {
        std::io::stdout().flush()?;
        std::thread::sleep(Duration::from_millis(100));
        for request in server.requests().iter().skip(told) {
            let prompt =
                request.asked.as_ref().map(|asked| asked.prompt.chars().take(80).collect::<String>());
            let line = (&request.method, &request.path, request.status, &request.answer, prompt);
            println!("{line:?}");
            if let Some(folder) = std::env::var_os("MODEL_SERVER_DUMP") {
                let path = std::path::Path::new(&folder).join(format!("{told:03}.json"));
                std::fs::write(path, request.body.to_string())?;
            }
            told += 1;
        }
    }
}
