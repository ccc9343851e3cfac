//! Updates in the real window: none without a source, and with one only when the person asks, and only what is signed.

use loopdeck_tests::window::loops::wait_for_text;
use loopdeck_tests::window::{App, Stage, keys};
use std::env::consts::ARCH;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/update");

fn fixture(name: &str) -> Vec<u8> {
    fs::read(PathBuf::from(FIXTURE).join(name)).expect("a fixture")
}

fn fixture_text(name: &str) -> String {
    String::from_utf8(fixture(name)).expect("text")
}

/// A server for updates on loopback, with version 9.9.9.
struct UpdateServer {
    address: String,
    /// The paths that were asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

impl UpdateServer {
    /// Answers with `file` as the update.
    fn with(file: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (log, own) = (Arc::clone(&asked), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &own, &file, &log);
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn answer(mut stream: TcpStream, own: &str, file: &[u8], log: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().expect("no panic").push(path.clone());
    let body = if path == "/latest.json" {
        let signature = fixture_text("Loopdeck.AppImage.sig");
        let (url, platform) = (format!("{own}/file"), format!("linux-{ARCH}"));
        let platforms = serde_json::json!({ platform: { "signature": signature, "url": url } });
        serde_json::json!({ "version": "9.9.9", "platforms": platforms }).to_string().into_bytes()
    } else {
        file.to_vec()
    };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let written = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
    written.expect("an answer");
}

/// The program as an AppImage would be started that knows `server`.
fn open_with<'a>(stage: &'a Stage, server: &UpdateServer) -> (App<'a>, PathBuf) {
    let image = stage.folder().join("Loopdeck.AppImage");
    fs::write(&image, "this version").expect("written");
    let environment: [(&str, OsString); 3] = [
        ("LOOPDECK_UPDATE_ENDPOINT", format!("{}/latest.json", server.address).into()),
        ("LOOPDECK_UPDATE_KEY", fixture_text("key").into()),
        ("APPIMAGE", image.clone().into()),
    ];
    (stage.open_with(&[], &environment), image)
}

fn show_about(app: &App<'_>) {
    app.page.find("#app > *"); // from then on it hears keys
    app.page.press(&[keys::CONTROL, ","]);
    app.page.click("[data-testid=settings-about]");
    app.page.find("[data-testid=about-page]");
}

#[test]
fn without_a_source_there_is_nothing_to_look_for() {
    let stage = Stage::new("no-updates");
    let app = stage.open(&[]);
    show_about(&app);
    assert_eq!(app.page.count("[data-testid=check-for-update]"), 0);
    assert_eq!(app.page.invoke("check_for_update", &serde_json::json!({})), serde_json::Value::Null);
}

#[test]
fn a_signed_update_takes_the_place_of_this_version_when_the_person_asks() {
    let server = UpdateServer::with(fixture("Loopdeck.AppImage"));
    let stage = Stage::new("update");
    let (app, image) = open_with(&stage, &server);
    show_about(&app);
    assert_eq!(server.asked(), Vec::<String>::new(), "nothing is asked by itself");
    app.page.click("[data-testid=check-for-update]");
    wait_for_text(&app, "[data-testid=update-told]", "Version 9.9.9 is available.");
    assert_eq!(server.asked(), ["/latest.json"]);
    app.screenshot("available");
    app.page.click("[data-testid=install-update]");
    wait_for_text(&app, "[data-testid=update-told]", "Version 9.9.9 is installed");
    assert_eq!(fs::read(&image).expect("a file"), fixture("Loopdeck.AppImage"));
}

#[test]
fn an_update_that_was_changed_on_its_way_is_not_installed() {
    let mut changed = fixture("Loopdeck.AppImage");
    changed.push(b'!');
    let server = UpdateServer::with(changed);
    let stage = Stage::new("changed-update");
    let (app, image) = open_with(&stage, &server);
    show_about(&app);
    app.page.click("[data-testid=check-for-update]");
    app.page.click("[data-testid=install-update]");
    wait_for_text(&app, "[data-testid=about-page]", "wasn’t updated");
    assert_eq!(server.asked().last().map(String::as_str), Some("/file"));
    assert_eq!(fs::read_to_string(&image).expect("a file"), "this version");
}
