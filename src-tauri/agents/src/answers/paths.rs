//! Paths that an agent names.

use super::AnswerErrorCode;

const LONGEST: usize = 1_000;
/// Folders of state files, which agents do not work on.
const STATE: [&[&str]; 2] = [&[".workflow", ".loop"], &[".loop"]];

/// A path below the folder with slashes and without `.` parts.
///
/// # Errors
/// [`AnswerErrorCode::BadPath`] when it is absolute, leads out of the folder, is too long, or is a state file.
pub fn relative_path(path: &str) -> Result<String, AnswerErrorCode> {
    let bad = Err(AnswerErrorCode::BadPath);
    let text = path.trim().trim_matches('`').trim().replace('\\', "/");
    let drive = text.as_bytes().get(1) == Some(&b':');
    let absolute = text.starts_with('/') || text.starts_with('~') || drive || text.contains("://");
    if absolute || text.chars().count() > LONGEST || text.chars().any(char::is_control) {
        return bad;
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_state = STATE.iter().any(|folder| parts.starts_with(folder));
    if parts.is_empty() || parts.contains(&"..") || is_state {
        return bad;
    }
    Ok(parts.join("/"))
}
