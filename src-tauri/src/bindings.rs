//! The typed bridge to the page: one list of commands, and the TypeScript generated from it.

use std::{env, fs, io, process};

use loopdeck_core::format::Format;
use loopdeck_core::formats::{aot, ccw_v2, loop_b};
use loopdeck_runtime::drivers::limits;
use specta_typescript::Typescript;
use tauri::ipc::Invoke;
use tauri_specta::{Builder, ErrorHandlingMode};

use crate::{
    commands, finish_commands, last_list, lead_commands, outside_commands, run_commands, sign_in,
    team_commands, updates,
};

/// Gives the list of all commands to a macro, named by its path.
macro_rules! all_commands {
    ($($taker:ident)::+) => {
        $($taker)::+![
            commands::painted,
            team_commands::team,
            team_commands::join_team,
            team_commands::try_team,
            team_commands::leave_team,
            team_commands::share_folder,
            team_commands::run_places,
            team_commands::send_run,
            team_commands::take_in_run,
            team_commands::withdraw_run,
            team_commands::forget_run,
            commands::startup,
            commands::subscribe,
            commands::changes,
            commands::rescan,
            commands::open_loop,
            commands::open_outline,
            commands::work_part,
            commands::atom_summary,
            commands::source,
            commands::document,
            commands::document_history,
            commands::document_version,
            commands::hypothesis_changes,
            commands::tests,
            commands::test,
            commands::drawing,
            commands::work_changes,
            commands::controls,
            commands::act,
            commands::edit_metadata,
            commands::change,
            commands::redirect_effects,
            commands::recovery,
            commands::history,
            commands::past_changes,
            commands::timeline,
            commands::version,
            commands::version_source,
            commands::restore,
            commands::undo,
            commands::deletion,
            commands::delete_loop,
            commands::restore_deleted,
            outside_commands::pick_workspace,
            commands::add_workspace,
            commands::remove_workspace,
            commands::open_sample,
            commands::save_settings,
            last_list::keep_last_list,
            sign_in::starts_at_sign_in,
            sign_in::start_at_sign_in,
            outside_commands::open_file,
            outside_commands::sights,
            outside_commands::open_place,
            outside_commands::editors,
            outside_commands::try_editor,
            outside_commands::open_address,
            outside_commands::save_as,
            outside_commands::link,
            outside_commands::open_folder,
            outside_commands::open_workspace_folder,
            outside_commands::terminals,
            outside_commands::open_terminal,
            outside_commands::open_workspace_terminal,
            commands::diagnostics,
            updates::check_for_update,
            updates::install_update,
            lead_commands::overview,
            lead_commands::visit_overview,
            lead_commands::loop_report,
            lead_commands::loop_summary,
            lead_commands::search,
            lead_commands::loop_notes,
            lead_commands::keep_notes,
            lead_commands::keep_list_marks,
            lead_commands::attention_rules,
            lead_commands::save_attention_rules,
            lead_commands::try_attention_rule,
            lead_commands::trends,
            lead_commands::compare,
            lead_commands::export_history,
            lead_commands::import_history,
            lead_commands::report,
            run_commands::review_start,
            run_commands::start_loop,
            run_commands::folder_facts,
            run_commands::prefill_form,
            run_commands::draft_work,
            run_commands::form_of,
            run_commands::draft,
            run_commands::save_draft,
            run_commands::templates,
            run_commands::save_template,
            run_commands::delete_template,
            run_commands::trust,
            run_commands::trusted,
            run_commands::plan_of,
            run_commands::review_launch,
            run_commands::launch,
            run_commands::run_own_tool,
            run_commands::pause_now,
            run_commands::stop_now,
            run_commands::stop_facts,
            run_commands::try_command,
            run_commands::draft_loop,
            run_commands::stop_try,
            run_commands::runs,
            run_commands::verifications,
            run_commands::output,
            run_commands::output_text,
            run_commands::run_changes,
            run_commands::run_change,
            finish_commands::loop_changes,
            finish_commands::weakened_tests,
            finish_commands::loop_change,
            finish_commands::mark_viewed,
            finish_commands::messages,
            finish_commands::add_message,
            finish_commands::withdraw_message,
            finish_commands::comments,
            finish_commands::add_comment,
            finish_commands::remove_comment,
            finish_commands::take_up,
            finish_commands::finish_state,
            finish_commands::commit_work,
            finish_commands::branch_work,
            finish_commands::merge_work,
            finish_commands::keep_work,
            finish_commands::discard_work,
            finish_commands::revert,
            finish_commands::undo_revert,
            finish_commands::push_work,
            finish_commands::create_pull_request,
            finish_commands::pull_request,
            finish_commands::take_in_review,
            finish_commands::issue,
            finish_commands::keep_issue,
            run_commands::find_output,
            run_commands::needs,
            run_commands::need_input,
            run_commands::answer,
            run_commands::close_window,
            run_commands::agents,
            run_commands::save_agent,
            run_commands::remove_agent,
            run_commands::set_program,
            run_commands::pick_folder,
            run_commands::pick_program,
        ]
    };
}

/// Answers the page's commands. Their types in TypeScript are left to [`bindings`]: building them takes memory and time.
pub(crate) fn invoke_handler() -> impl Fn(Invoke) -> bool + Send + Sync + 'static {
    all_commands!(tauri::generate_handler)
}

/// Every command and type the page may use.
fn builder() -> Builder<tauri::Wry> {
    let builder = Builder::new().error_handling(ErrorHandlingMode::Throw).disable_serde_phases();
    constants(builder).commands(all_commands!(tauri_specta::collect_commands))
}

/// Allowed and initial values of forms, so that the page needs no copy of them.
fn constants(builder: Builder<tauri::Wry>) -> Builder<tauri::Wry> {
    builder
        .constant("LOOP_V2_FORMS", ccw_v2::forms::STEPS)
        .constant("TASK_FORMS", ccw_v2::forms::TASKS)
        .constant("LOOP_B_FORMS", loop_b::forms::STEPS)
        .constant("AOT_FORMS", aot::forms::STEPS)
        .constant("FORMAT_TRAITS", Format::all_traits())
        .constant("START_FORM", limits::start_bounds())
}

/// The content of `ui/src/host/bindings.ts` for this program.
///
/// Errors when a type cannot be expressed in TypeScript (64-bit integers, for one).
pub fn bindings() -> io::Result<String> {
    // The exporter can only write files.
    let file = env::temp_dir().join(format!("loopdeck-bindings-{}.ts", process::id()));
    let exported = builder().export(Typescript::default(), &file).map_err(io::Error::other);
    let text = exported.and_then(|()| fs::read_to_string(&file));
    let _ = fs::remove_file(&file); // may not exist when the export failed
    text
}
