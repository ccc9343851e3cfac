//! The errors E2 to E8 (the CCW contract §14), found by the fast read so that a list never offers an illegal
//! verb.

use crate::format::Format;
use crate::formats::ccw::read::master::{Field, Master, Name, Scalar};
use crate::formats::ccw::read::words;
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use loopdeck_text::text_edit::line_of;

/// All errors of a master that could be read as an object.
pub(crate) fn errors(master: &Master<'_>, format: Format, stem: &str, bytes: &[u8]) -> Vec<Problem> {
    let mut found = Vec::new();
    identity(master, format, stem, &mut found);
    status(master, &mut found);
    if matches!(format, Format::LoopV2 | Format::LoopB | Format::Legacy) {
        titles(master, &mut found);
    }
    if matches!(format, Format::LoopV2 | Format::LoopB) {
        sections(master, format, &mut found);
    }
    if format != Format::Legacy {
        iterations(master, &mut found);
    }
    for &(name, at) in &master.duplicates {
        found.push((
            Problem::new(ProblemCode::E8_duplicate_key, name.key()).with("key", name.key()),
            Some(at),
        ));
    }
    found.into_iter().map(|(problem, at)| problem.at_line(at.map(|at| line_of(bytes, at)))).collect()
}

/// Problems with their positions.
type FoundProblems = Vec<(Problem, Option<usize>)>;

fn identity(master: &Master<'_>, format: Format, stem: &str, found: &mut FoundProblems) {
    let names = match format {
        Format::Legacy => [Name::SessionId, Name::LoopId],
        _ => [Name::LoopId, Name::SessionId],
    };
    let Some(name) = names.into_iter().find(|&name| master.text(name).is_some_and(|id| !id.is_empty()))
    else {
        let at = names.into_iter().find_map(|name| master.field(name)).map(|field| field.at);
        found.push((Problem::new(ProblemCode::E2_no_id, names[0].key()), at));
        return;
    };
    let id = master.text(name).unwrap_or_default();
    let at = master.field(name).map(|field| field.at);
    if id.contains(['/', '\\', '\0']) || id.contains("..") {
        found.push((Problem::new(ProblemCode::E5_id_is_path, name.key()).with("found", &id), at));
    } else if id != stem {
        let problem = Problem::new(ProblemCode::E5_id_mismatch, name.key());
        found.push((problem.with("found", &id).with("expected", stem), at));
    }
}

fn titles(master: &Master<'_>, found: &mut FoundProblems) {
    let names = [Name::Title, Name::Description, Name::TaskDescription];
    if !names.into_iter().any(|name| master.text(name).is_some()) {
        let at = names.into_iter().find_map(|name| master.field(name)).map(|field| field.at);
        found.push((Problem::new(ProblemCode::E3_no_title, "title"), at));
    }
}

fn status(master: &Master<'_>, found: &mut FoundProblems) {
    let field = master.field(Name::Status);
    let at = field.map(|field| field.at);
    let path = Name::Status.key();
    match master.text(Name::Status) {
        None => found.push((Problem::new(ProblemCode::E4_no_status, path), at)),
        Some(word) if word.is_empty() => found.push((Problem::new(ProblemCode::E4_no_status, path), at)),
        Some(word) if words::status(&word, None) == FileStatus::Unknown => {
            found.push((Problem::new(ProblemCode::E4_unknown_status, path).with("found", word), at));
        }
        Some(_) => {}
    }
}

fn iterations(master: &Master<'_>, found: &mut FoundProblems) {
    for (name, least) in [(Name::CurrentIteration, 0.0), (Name::MaxIterations, 1.0)] {
        // Older files call the counter `iteration_count` (§18).
        let older = name == Name::CurrentIteration && master.field(name).is_none();
        let name = if older && master.has(Name::IterationCount) { Name::IterationCount } else { name };
        if master.number(name).is_some_and(|number| number >= least) {
            continue;
        }
        let field = master.field(name);
        let problem = Problem::new(ProblemCode::E6_bad_iteration, name.key());
        found.push((problem.with("found", current_value(field)), field.map(|field| field.at)));
    }
}

fn sections(master: &Master<'_>, format: Format, found: &mut FoundProblems) {
    let field = master.field(Name::SkillState);
    if field.is_some_and(|field| !matches!(field.value, Scalar::Null | Scalar::Object)) {
        let problem = Problem::new(ProblemCode::E7_bad_skill_state, Name::SkillState.key());
        found.push((problem.with("found", current_value(field)), field.map(|field| field.at)));
    }
    let mode = master.field(Name::Mode);
    if format == Format::LoopB && mode.is_some_and(|mode| !is_mode(mode)) {
        let problem = Problem::new(ProblemCode::E7_bad_skill_state, Name::Mode.key());
        found.push((problem.with("found", current_value(mode)), mode.map(|field| field.at)));
    }
}

fn is_mode(field: Field<'_>) -> bool {
    let Scalar::Text(raw) = field.value else { return false };
    matches!(raw.decode().to_ascii_lowercase().as_str(), "interactive" | "auto" | "parallel")
}

/// The current value, in a few words.
fn current_value(field: Option<Field<'_>>) -> String {
    match field.map(|field| field.value) {
        None => "missing".to_owned(),
        Some(Scalar::Null) => "null".to_owned(),
        Some(Scalar::Bool) => "true or false".to_owned(),
        Some(Scalar::Number(text)) => text.to_owned(),
        Some(Scalar::Text(raw)) => format!("\"{}\"", raw.decode()),
        Some(Scalar::List) => "[…]".to_owned(),
        Some(Scalar::Object) => "{…}".to_owned(),
    }
}
