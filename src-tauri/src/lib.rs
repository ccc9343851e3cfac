//! The desktop: one window around the page in `ui/`, and the commands the page may call.
//!
//! Knows no format's rules and touches no workspace files; that is the runtime's job. Commands belong to
//! another program: `loopdeck`, in the package `cli`, which starts this one when it gets no command.
//! Deliberately absent: a shell plugin, a file-system plugin, any plugin command open to the page.

mod args;
mod attention;
mod bindings;
mod closing;
mod commands;
mod damaged;
mod empty_window;
mod events;
mod finish_commands;
mod first_paint;
mod last_list;
mod lead_commands;
mod link;
mod open;
mod outside;
mod outside_commands;
mod platform;
mod run_commands;
mod sign_in;
mod single;
mod team_commands;
mod updates;
mod web_view_env;
mod window;
mod words;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use loopdeck_runtime::data_dir::DataDir;
use loopdeck_runtime::{Options, Runtime, log};

pub use bindings::bindings;

use args::{Args, Request};
use tauri::Manager as _;

/// Runs the program with `args` (without its own name) until the last window closes.
///
/// Must be the first call in `main`: on Linux it may re-execute the process with one more variable.
pub fn start(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    // A run's guardian is this program again. Internal, so the help does not list it.
    if let [first, run_dir] = args.as_slice()
        && first == "--guardian"
    {
        return loopdeck_runtime::runs::guardian_main(Path::new(run_dir));
    }
    // Internal too: what the start of our window is measured against.
    if args == ["--empty-window"] {
        return ended(empty_window::open);
    }
    let args = args.into_iter();
    match args::parse(args) {
        Ok(Request::Open(args)) => ended(|| run(args)),
        Ok(Request::Print(text)) => print(&text),
        Err(message) => fail(&message),
    }
}

/// Runs `window` until it is closed.
fn ended(window: impl FnOnce() -> Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    web_view_env::prepare();
    if let Some(obstacle) = platform::obstacle(&words::words("system")) {
        return fail(obstacle);
    }
    match window() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

/// The configuration and the page, as they were built in.
fn context() -> tauri::Context {
    tauri::generate_context!()
}

fn run(args: Args) -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = DataDir::resolve(args.data_dir)?;
    let wanted = open::wanted(&std::env::current_dir()?, &args.paths);
    let options = Options { polling: args.poll, ..Options::new(data_dir.path().to_owned()) };
    let mut context = context();
    if let Some(suffix) = data_dir.instance_suffix() {
        context.config_mut().identifier.push_str(&suffix);
    }
    let app = tauri::Builder::default()
        .plugin(single::plugin()) // first: a second start exits here, before anything else is set up
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::Builder::new().open_js_links_on_click(false).build())
        .plugin(window::state_plugin(&data_dir))
        .manage(open::Windows::default())
        .manage(first_paint::FirstPaint::default())
        .manage(closing::Closing::default())
        .manage(team_commands::TeamPlace::default())
        .manage(damaged::Damaged::default())
        .manage(data_dir)
        .invoke_handler(bindings::invoke_handler())
        .setup(move |app| {
            // Only here: a second start has exited by now and must not touch the journal of the first.
            if let Err(failure) = log::start(&options.dirs) {
                eprintln!("loopdeck: nothing is logged: {:?}", failure.args);
            }
            // A folder or a link to open leads somewhere else than the last list.
            let last_list = if wanted.is_empty() { last_list::script(&app.state::<DataDir>()) } else { None };
            // The web view starts while the journal opens. Its commands wait until this function returns.
            let draws_last_list = last_list.is_some();
            window::create(app, last_list)?;
            let runtime =
                Runtime::start(&options).map_err(|failure| format!("cannot start: {:?}", failure.args))?;
            let runtime = Arc::new(runtime);
            app.manage(Arc::clone(&runtime));
            attention::start(app.handle(), &runtime)?;
            team_commands::start(app.handle(), &runtime);
            open::open_at_start(app.handle(), wanted, draws_last_list);
            Ok(())
        })
        .on_window_event(events::on_event);
    let app = updates::with_updater(app, &mut context, updates::UpdateSource::of_this_build());
    platform::with_plugins(app).build(context)?.run(events::on_run_event);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "--help and --version are output")]
fn print(text: &str) -> ExitCode {
    println!("{text}");
    ExitCode::SUCCESS
}

fn fail(message: &str) -> ExitCode {
    platform::say_last(message);
    ExitCode::from(2)
}
