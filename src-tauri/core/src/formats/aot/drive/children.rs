//! The smaller atoms that a worker proposes, in the form the file accepts: with ids of the loop instead of
//! the worker's own.

use crate::formats::aot::check::lint;
use crate::formats::aot::edit::operation::NewAtom;
use loopdeck_agents::answers::ChildAtom;
use std::collections::{HashMap, HashSet};

/// The atoms, or the unknown id. `taken`: all ids of the loop; `parent` is their container.
pub(super) fn with_ids(
    children: &[ChildAtom],
    parent: &str,
    taken: &HashSet<&str>,
) -> Result<Vec<NewAtom>, String> {
    let ids = ids(children, taken);
    let own: HashMap<&str, &String> =
        children.iter().zip(&ids).filter_map(|(child, id)| Some((child.id.as_deref()?, id))).collect();
    let need = |need: &String| match own.get(need.as_str()) {
        Some(id) => Ok((*id).clone()),
        None if taken.contains(need.as_str()) => Ok(need.clone()),
        None => Err(need.clone()),
    };
    let mut atoms = Vec::with_capacity(children.len());
    for (child, id) in children.iter().zip(&ids) {
        // The parent waits for its parts, not the other way round.
        let needs = child.depends_on.iter().filter(|id| *id != parent || own.contains_key(id.as_str()));
        atoms.push(NewAtom {
            id: Some(id.clone()),
            description: child.description.clone(),
            depends_on: needs.map(need).collect::<Result<_, _>>()?,
            or_group: None,
        });
    }
    Ok(atoms)
}

/// The worker's id if it is free, otherwise the next `A<n>`.
fn ids(children: &[ChildAtom], taken: &HashSet<&str>) -> Vec<String> {
    let number = |id: &str| id.strip_prefix('A').and_then(|rest| rest.parse::<u64>().ok());
    let wanted = children.iter().filter_map(|child| child.id.as_deref());
    let mut last = taken.iter().copied().chain(wanted).filter_map(number).max().unwrap_or_default();
    let mut used: HashSet<String> = HashSet::new();
    let mut ids = Vec::with_capacity(children.len());
    for child in children {
        let own = child
            .id
            .clone()
            .filter(|id| lint::is_plain_id(id) && !taken.contains(id.as_str()) && !used.contains(id));
        let id = own.unwrap_or_else(|| {
            last = last.saturating_add(1);
            format!("A{last}")
        });
        used.insert(id.clone());
        ids.push(id);
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(id: Option<&str>, needs: &[&str]) -> ChildAtom {
        ChildAtom {
            id: id.map(str::to_owned),
            description: "d".into(),
            depends_on: needs.iter().map(|need| (*need).to_owned()).collect(),
        }
    }

    #[test]
    fn names_of_the_worker_become_ids_of_the_loop() {
        let taken = HashSet::from(["A1", "A2", "form"]);
        let children = vec![
            child(Some("api"), &["A1"]),
            child(Some("form"), &["api"]),
            child(Some("the tests"), &["form", "A2"]),
            child(None, &[]),
        ];
        let named = with_ids(&children, "A2", &taken).expect("all known");
        let told: Vec<(&str, Vec<&str>)> = named
            .iter()
            .map(|atom| {
                let needs = atom.depends_on.iter().map(String::as_str).collect();
                (atom.id.as_deref().unwrap_or_default(), needs)
            })
            .collect();
        assert_eq!(
            told,
            [("api", vec!["A1"]), ("A3", vec!["api"]), ("A4", vec!["A3"]), ("A5", vec![])],
            "a name that is taken or no id is replaced, and nobody waits for the parent"
        );
    }

    #[test]
    fn an_unknown_id_is_told() {
        assert_eq!(with_ids(&[child(None, &["A9"])], "A1", &HashSet::from(["A1"])), Err("A9".to_owned()));
    }
}
