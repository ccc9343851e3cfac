//! The commands of the page for the team, and the connection for as long as the window lives.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use crate::commands::{Shared, off_main};
use crate::damaged::Damaged;
use crate::open::Windows;
use crate::outside::cannot_open;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::data_dir::DataDir;
use loopdeck_runtime::drivers::plan::StartForm;
use loopdeck_runtime::views::{Failure, FailureKind, Push};
use loopdeck_team::invitation::Invitation;
use loopdeck_team::share::{FolderView, Scope, Share, Shares, Steering, folder_views};
use loopdeck_team::{
    Home, IfGone, JobView, Participation, RunPlaces, Target, Team, TeamView, TriedTeam, try_out,
};
use serde::Serialize;
use specta::Type;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::{AppHandle, Manager as _, State};
use tauri_plugin_dialog::DialogExt as _;

/// This machine's place in its team, if it has one.
#[derive(Debug, Default)]
pub(crate) struct TeamPlace(Mutex<Option<Team>>);

/// The team as the page shows it.
#[derive(Clone, Debug, Serialize, Type)]
pub(crate) struct TeamPage {
    /// `None`: this machine belongs to none.
    team: Option<TeamView>,
    /// Open folders of this machine, and what is shared of them.
    folders: Vec<FolderView>,
    /// Loops that this machine sent elsewhere, newest first.
    jobs: Vec<JobView>,
}

/// Connects when this machine belongs to a team. What is wrong is shown on the page of the team.
pub(crate) fn start(app: &AppHandle, runtime: &Arc<Runtime>) {
    let home = home(app);
    if !home.invitation().exists() {
        return;
    }
    if let Err(failure) = connect(app, runtime, home) {
        tracing::error!(?failure, "no team");
    }
}

fn connect(app: &AppHandle, runtime: &Arc<Runtime>, home: Home) -> Result<(), Failure> {
    let told = app.clone();
    let tell = Box::new(move || told.state::<Windows>().send(&Push::Team));
    let team = Team::start(runtime, home, Participation::Full, tell)?;
    app.state::<Damaged>().note(team.damaged_data());
    *place(&app.state::<TeamPlace>()) = Some(team);
    app.state::<Windows>().send(&Push::Team);
    Ok(())
}

fn place<'a>(team: &'a State<'_, TeamPlace>) -> std::sync::MutexGuard<'a, Option<Team>> {
    team.0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn home(app: &AppHandle) -> Home {
    Home::new(app.state::<DataDir>().path())
}

/// The team, and what this machine shares.
#[tauri::command]
#[specta::specta]
pub(crate) async fn team(app: AppHandle, runtime: Shared<'_>) -> Result<TeamPage, Failure> {
    off_main(runtime, move |runtime| {
        let (view, shares, jobs) = {
            let state = app.state::<TeamPlace>();
            let team = place(&state);
            let jobs = team.as_ref().map(Team::jobs).unwrap_or_default();
            (team.as_ref().map(Team::view), team.as_ref().map(Team::shares).unwrap_or_default(), jobs)
        };
        // Without a team nothing leaves the machine, and no file is looked at for it.
        let own = if view.is_some() { runtime.own_folders() } else { Vec::new() };
        let folders = folder_views(&own, &Shares { shares });
        Ok(TeamPage { team: view, folders, jobs })
    })
    .await
}

/// Tries the invitation of this machine out, or before it joined one that the person chooses; `None` when they cancel.
#[tauri::command]
#[specta::specta]
pub(crate) async fn try_team(app: AppHandle, runtime: Shared<'_>) -> Result<Option<TriedTeam>, Failure> {
    off_main(runtime, move |_| {
        let home = home(&app);
        let invitation = if home.invitation().exists() {
            home.read_invitation()?
        } else {
            let Some(path) = choose_invitation(&app)? else { return Ok(None) };
            Invitation::read(&path)?
        };
        try_out(&invitation).map(Some)
    })
    .await
}

fn choose_invitation(app: &AppHandle) -> Result<Option<PathBuf>, Failure> {
    let chosen = app.dialog().file().add_filter("JSON", &["json"]).blocking_pick_file();
    let path = chosen.map(tauri_plugin_dialog::FilePath::into_path).transpose();
    path.map_err(|error| cannot_open(Path::new(""), &error))
}

/// Asks for an invitation and joins; false when the person cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn join_team(app: AppHandle, runtime: Shared<'_>) -> Result<bool, Failure> {
    let shared = Arc::clone(&runtime);
    off_main(runtime, move |_| {
        let Some(path) = choose_invitation(&app)? else { return Ok(false) };
        let home = home(&app);
        home.join(&path)?;
        place(&app.state::<TeamPlace>()).take();
        connect(&app, &shared, home)?;
        Ok(true)
    })
    .await
}

/// Leaves the team: what this machine shared is no longer updated, and the copies of others' loops go.
#[tauri::command]
#[specta::specta]
pub(crate) async fn leave_team(app: AppHandle, runtime: Shared<'_>) -> Result<(), Failure> {
    off_main(runtime, move |_| {
        place(&app.state::<TeamPlace>()).take();
        home(&app).leave()?;
        app.state::<Windows>().send(&Push::Team);
        Ok(())
    })
    .await
}

/// Shares an open folder, or no longer when `scope` is `None`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn share_folder(
    app: AppHandle,
    runtime: Shared<'_>,
    folder: String,
    scope: Option<Scope>,
    steering: Steering,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        let path: PathBuf = Path::new(&folder).to_owned();
        if !runtime.own_folders().contains(&path) {
            return Err(Failure::new(FailureKind::UnknownWorkspace));
        }
        let state = app.state::<TeamPlace>();
        let team = place(&state);
        let team = team.as_ref().ok_or_else(|| Failure::new(FailureKind::NotInTeam))?;
        match scope {
            Some(scope) => team.share(Share { path, scope, steering }),
            None => team.unshare(&path),
        }
    })
    .await
}

/// Does something with the team of this machine.
async fn with_team<T: Send + 'static>(
    app: AppHandle,
    runtime: Shared<'_>,
    act: impl FnOnce(&Team) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    off_main(runtime, move |_| {
        let state = app.state::<TeamPlace>();
        let team = place(&state);
        act(team.as_ref().ok_or_else(|| Failure::new(FailureKind::NotInTeam))?)
    })
    .await
}

/// The machines on which a loop of a folder can run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_places(
    app: AppHandle,
    runtime: Shared<'_>,
    folder: String,
) -> Result<RunPlaces, Failure> {
    with_team(app, runtime, move |team| Ok(team.run_places(Path::new(&folder)))).await
}

/// Has the loop of a form run on another machine; answers the id of the job.
#[tauri::command]
#[specta::specta]
pub(crate) async fn send_run(
    app: AppHandle,
    runtime: Shared<'_>,
    form: StartForm,
    target: Target,
    if_gone: IfGone,
) -> Result<String, Failure> {
    with_team(app, runtime, move |team| team.send_run(&form, target, if_gone)).await
}

/// Takes what came of a job into its repository; answers the branch.
#[tauri::command]
#[specta::specta]
pub(crate) async fn take_in_run(app: AppHandle, runtime: Shared<'_>, id: String) -> Result<String, Failure> {
    with_team(app, runtime, move |team| team.take_in(&id)).await
}

/// Wants a job no longer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn withdraw_run(app: AppHandle, runtime: Shared<'_>, id: String) -> Result<(), Failure> {
    with_team(app, runtime, move |team| team.withdraw(&id)).await
}

/// Takes a job that is over from the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forget_run(app: AppHandle, runtime: Shared<'_>, id: String) -> Result<(), Failure> {
    with_team(app, runtime, move |team| team.forget_job(&id)).await
}
