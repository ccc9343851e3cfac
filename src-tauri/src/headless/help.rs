//! The help of each command, from `words/help/`.

mod fields;

use loopdeck_core::control::Verb;

use super::kind::Kind;

const COMMON: &str = include_str!("../../words/help/common.txt");
const RAISE_LIMIT: &str = include_str!("../../words/help/raise-limit.txt");
const REASON: &str = include_str!("../../words/help/reason.txt");
const CHANGE: &str = include_str!("../../words/help/change.txt");
/// The types of everything that crosses to the page; a test keeps them those of this program.
const BINDINGS: &str = include_str!("../../../ui/src/host/bindings.ts");
/// Options that say how a loop is run.
const PLAN: &str = include_str!("../../words/help/plan.txt");
/// Keys that the answers of all commands which change a loop have.
const CHANGED: &str = include_str!("../../words/help/changed.txt");

/// The help of the command `name`.
pub(super) fn text(name: &str, kind: Kind) -> String {
    let own = match kind {
        Kind::List => include_str!("../../words/help/list.txt"),
        Kind::Show => include_str!("../../words/help/show.txt"),
        Kind::Check => include_str!("../../words/help/check.txt"),
        Kind::Act(_) => include_str!("../../words/help/act.txt"),
        Kind::Redirect => include_str!("../../words/help/redirect.txt"),
        Kind::Recover => include_str!("../../words/help/recover.txt"),
        Kind::Repair => include_str!("../../words/help/repair.txt"),
        Kind::Change => CHANGE,
        Kind::Undo => include_str!("../../words/help/undo.txt"),
        Kind::History => include_str!("../../words/help/history.txt"),
        Kind::Restore => include_str!("../../words/help/restore.txt"),
        Kind::New => include_str!("../../words/help/new.txt"),
        Kind::Run => include_str!("../../words/help/run.txt"),
        Kind::Edit => include_str!("../../words/help/edit.txt"),
        Kind::Delete => include_str!("../../words/help/delete.txt"),
    };
    let own = match kind {
        Kind::Change => own
            .replace("{changed}\n", CHANGED)
            .replace("{fields}\n", &fields::reachable(BINDINGS, "LoopChange")),
        Kind::Act(verb) => own.replace("{verb}", name).replace("{what}", meaning(verb).trim_end()),
        _ => own.replace("{changed}\n", CHANGED).replace("{plan}\n", PLAN),
    };
    let options: String = kind.options().into_iter().map(of_option).collect();
    format!("{own}{COMMON}{options}").trim_end().to_owned()
}

/// Options that several commands share; the others stand in the help of their command.
fn of_option(option: &str) -> &'static str {
    match option {
        "raise-limit" => RAISE_LIMIT,
        "reason" => REASON,
        _ => "",
    }
}

fn meaning(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => include_str!("../../words/help/start.txt"),
        Verb::Pause => include_str!("../../words/help/pause.txt"),
        Verb::Resume => include_str!("../../words/help/resume.txt"),
        Verb::Stop => include_str!("../../words/help/stop.txt"),
        Verb::Reopen => include_str!("../../words/help/reopen.txt"),
        Verb::Finalise => include_str!("../../words/help/finalise.txt"),
        Verb::EditMetadata | Verb::Delete => "", // no commands
    }
}
