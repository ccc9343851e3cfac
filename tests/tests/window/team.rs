//! The loops of a team, in the real window, on a real server.

use loopdeck_team::Home;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::live::{ROOT, loop_v2};
use loopdeck_tests::team::Server;
use loopdeck_tests::window::Stage;
use loopdeck_tests::window::loops::{SOON, wait_for_text, wait_for_word};
use std::fs;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const OWN: &str = "loop-v2-20261120T042421-00000001";

#[test]
fn a_lead_pauses_a_loop_of_another_machine_and_shares_a_folder() {
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);

    let stage = Stage::new("team");
    let workspace = stage.folder().join("garden");
    fs::create_dir_all(workspace.join(ROOT)).unwrap();
    fs::write(workspace.join(format!("{ROOT}/{OWN}.json")), loop_v2(OWN, "created")).unwrap();
    let invitation = server.invite("bob.tower", Role::Lead, None);
    let file = stage.folder().join("bob.json");
    invitation.write(&file).unwrap();
    Home::new(&stage.data_dir()).join(&file).unwrap();

    let app = stage.open(&[workspace.as_os_str()]);
    wait_for_text(&app, "[data-pane=sidebar]", "shop · ada · laptop");
    let row = format!("[data-testid=loop-row][data-key$=\"{LOOP}.json\"]");
    app.page.find(&row);
    app.screenshot("1-list");
    app.page.click(&row);
    wait_for_word(&app, "Running elsewhere", SOON);
    app.screenshot("2-loop");
    app.page.click("[data-pane=header] [data-testid=verb-pause]");
    ada.until("paused", || (ada.status(LOOP) == "paused").then_some(()));
    app.screenshot("3-asked");

    app.page.click("[data-testid=nav-team]");
    wait_for_text(&app, "[data-testid=team-page]", "Connected");
    wait_for_text(&app, "[data-testid=team-page]", "laptop");
    app.screenshot("4-team");
    let select = "[...document.querySelectorAll('[data-testid=team-page] select')][0]";
    app.page.execute(
        &format!(
            "{select}.value = 'state'; {select}.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ),
        &[],
    );
    wait_for_text(&app, "dialog", OWN);
    app.screenshot("5-share");
    let share =
        "[...document.querySelectorAll('dialog button')].find((one) => one.textContent.trim() === 'Share')";
    app.page.execute(&format!("{share}.click()"), &[]);
    ada.wait_for(OWN, |row| row.file_word == "created");
    server.kill(0);
    wait_for_text(&app, "[data-testid=team-page]", "Not connected");
    app.screenshot("6-lost");
}
