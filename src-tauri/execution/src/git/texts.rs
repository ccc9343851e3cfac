//! Many files as they were in a commit, with few questions to git.

use super::{CHECKOUT_LIMIT, Repository, git_error, is_commit, is_inside, records};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;

/// So many names fit into one command.
const MOST_NAMES: usize = 200;

/// A file of a commit: the object that holds it, and its length in bytes.
struct Held {
    path: String,
    object: String,
    length: usize,
}

/// What these files held in `base`, by path, relative to the folder: those that were there, and are no longer than `longest`. As git keeps
/// them, without the filters of a checkout.
///
/// # Errors
/// What git says.
pub fn texts_in(
    repository: &Repository,
    base: &str,
    paths: &[&str],
    longest: usize,
) -> io::Result<BTreeMap<String, Vec<u8>>> {
    if !is_commit(base) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut texts = BTreeMap::new();
    for some in paths.chunks(MOST_NAMES) {
        let held = listed(repository, base, some)?;
        let held: Vec<Held> = held.into_iter().filter(|file| file.length <= longest).collect();
        if held.is_empty() {
            continue;
        }
        let mut said = contents(repository, &held)?.into_iter();
        for file in held {
            texts.insert(file.path, said.by_ref().take(file.length).collect());
        }
    }
    Ok(texts)
}

/// Regular files of these names, in the order of git.
fn listed(repository: &Repository, base: &str, paths: &[&str]) -> io::Result<Vec<Held>> {
    let inner = repository.inner();
    let names: Vec<_> = paths.iter().filter(|path| is_inside(path)).map(|path| inner.join(path)).collect();
    let list = ["ls-tree", "-z", "-l", "--full-tree", base, "--"].map(OsStr::new);
    let args: Vec<&OsStr> = list.into_iter().chain(names.iter().map(|name| name.as_os_str())).collect();
    let answer = repository.ask(&args, &[("GIT_LITERAL_PATHSPECS", "1")], CHECKOUT_LIMIT)?;
    if answer.code != Some(0) {
        return Err(git_error(&answer));
    }
    let file = |record: String| {
        let (about, name) = record.split_once('\t')?;
        let mut words = about.split_whitespace();
        let is_file = words.next()?.starts_with("100");
        let (object, length) = (words.nth(1)?.to_owned(), words.next()?.parse().ok()?);
        let path = std::path::Path::new(name).strip_prefix(inner).ok()?.to_str()?.to_owned();
        is_file.then_some(Held { path, object, length })
    };
    Ok(records(&answer.stdout).filter_map(file).collect())
}

/// What these hold, one behind the other.
fn contents(repository: &Repository, held: &[Held]) -> io::Result<Vec<u8>> {
    let show = ["show", "--no-textconv", "--no-color"].map(OsStr::new);
    let args: Vec<&OsStr> =
        show.into_iter().chain(held.iter().map(|file| OsStr::new(&*file.object))).collect();
    let answer = repository.ask(&args, &[], CHECKOUT_LIMIT)?;
    let whole: usize = held.iter().map(|file| file.length).sum();
    match answer.code {
        Some(0) if answer.stdout.len() == whole => Ok(answer.stdout),
        Some(0) => Err(io::ErrorKind::FileTooLarge.into()),
        _ => Err(git_error(&answer)),
    }
}
