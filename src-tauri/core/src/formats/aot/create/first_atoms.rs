//! The first atoms of a new AoT loop with their OR groups and trail, as Loopdeck writes them (AoT contract
//! §1.2, §4).

use crate::formats::aot::edit::operation::NewAtom;
use crate::formats::aot::edit::written::{Fields, Written, entry_lines, item_lines};
use crate::times::{self, Timestamp};
use std::collections::BTreeSet;

/// The trail's reason for a choice that nobody has made yet.
const FIRST_CHOICE: &str = "First choice at the start";

/// The ids of `atoms`: the given ones, and for the others the next free `A<n>` above all of `taken`. A number that one of `atoms`
/// has explicitly is left to it, and none below it is left out.
pub(crate) fn ids<'t>(atoms: &'t [NewAtom], taken: impl Iterator<Item = &'t str>) -> Vec<String> {
    let number = |id: &str| id.strip_prefix(['A', 'a']).and_then(|rest| rest.parse::<u64>().ok());
    let taken: BTreeSet<u64> = taken.filter_map(number).collect();
    let explicit: BTreeSet<u64> = atoms.iter().filter_map(given).filter_map(number).collect();
    // A number that somebody made up must not use up all that follow.
    let highest = taken.range(..=u64::from(u32::MAX)).next_back().copied().unwrap_or(0);
    let is_free = |number: &u64| !taken.contains(number) && !explicit.contains(number);
    let mut free = (highest + 1..).filter(is_free);
    let mut next = || free.next().map_or_else(String::new, |number| format!("A{number}"));
    atoms.iter().map(|atom| given(atom).map_or_else(&mut next, str::to_owned)).collect()
}

fn given(atom: &NewAtom) -> Option<&str> {
    atom.id.as_deref().map(str::trim).filter(|id| !id.is_empty())
}

/// The group of an atom; none if blank.
pub(crate) fn group(atom: &NewAtom) -> Option<&str> {
    atom.or_group.as_deref().map(str::trim).filter(|group| !group.is_empty())
}

/// The sections `atoms` to `corrections`; if no atom is given, one that is the whole goal.
pub(crate) fn sections(goal: &str, atoms: &[NewAtom], now: Timestamp) -> String {
    let whole = [NewAtom { description: goal.to_owned(), ..NewAtom::default() }];
    let atoms = if atoms.is_empty() { &whole } else { atoms };
    let ids = ids(atoms, std::iter::empty());
    let groups = groups(atoms, &ids);
    let items: String = atoms.iter().zip(&ids).map(|(atom, id)| item(atom, id)).collect();
    let (choices, trail) = (or_groups(&groups), trail(&groups, now));
    format!(
        "\natoms:\n{items}\ndecompositions: []\n\n{choices}\nbindings: {{}}\n\n{trail}\ncorrections: []\n---\n\n"
    )
}

fn item(atom: &NewAtom, id: &str) -> String {
    let needs = atom.depends_on.iter().map(|need| need.trim()).filter(|need| !need.is_empty());
    let mut fields: Fields = vec![
        ("id", Written::id(id)),
        ("description", Written::text(&atom.description)),
        ("status", Written::word("pending")),
        ("depends_on", Written::ids(needs)),
    ];
    if let Some(group) = group(atom) {
        fields.push(("or_group", Written::id(group)));
    }
    item_lines(&fields, "  ", "\n")
}

/// Groups with their choices, in the order in which atoms name them.
fn groups<'a>(atoms: &'a [NewAtom], ids: &'a [String]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (atom, id) in atoms.iter().zip(ids) {
        let Some(name) = group(atom) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, choices)) => choices.push(id),
            None => groups.push((name, vec![id])),
        }
    }
    groups
}

fn or_groups(groups: &[(&str, Vec<&str>)]) -> String {
    if groups.is_empty() {
        return "or_groups: {}\n".to_owned();
    }
    let entry = |(name, choices): &(&str, Vec<&str>)| {
        let fields: Fields = vec![
            ("choices", Written::ids(choices.iter().copied())),
            ("selected", Written::id(choices[0])),
            ("failed", Written::ids([])),
        ];
        entry_lines(name, &fields, "  ", "\n")
    };
    format!("or_groups:\n{}", groups.iter().map(entry).collect::<String>())
}

/// Every selection has an entry (§10, V15).
fn trail(groups: &[(&str, Vec<&str>)], now: Timestamp) -> String {
    if groups.is_empty() {
        return "trail: []\n".to_owned();
    }
    let entry = |(name, choices): &(&str, Vec<&str>)| {
        let fields: Fields = vec![
            ("or_group", Written::id(name)),
            ("selected", Written::id(choices[0])),
            ("reason", Written::text(FIRST_CHOICE)),
            ("timestamp", Written::Quoted(times::to_iso_seconds(now))),
        ];
        item_lines(&fields, "  ", "\n")
    };
    format!("trail:\n{}", groups.iter().map(entry).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given_ids(given: &[Option<&str>], taken: &[&str]) -> Vec<String> {
        let atom = |id: &Option<&str>| NewAtom { id: id.map(str::to_owned), ..NewAtom::default() };
        ids(&given.iter().map(atom).collect::<Vec<_>>(), taken.iter().copied())
    }

    #[test]
    fn default_ids_leave_explicit_ones_and_no_gap() {
        for (given, taken, right) in [
            (&[None, None][..], &[][..], &["A1", "A2"][..]),
            (&[None, Some("A2"), None], &[], &["A1", "A2", "A3"]),
            (&[Some("A1"), None], &[], &["A1", "A2"]),
            (&[None, Some("A1"), None], &[], &["A2", "A1", "A3"]),
            (&[Some("A10"), None, Some("build"), None], &[], &["A10", "A1", "build", "A2"]),
            (&[Some("a1"), None, Some("A02"), None], &[], &["a1", "A3", "A02", "A4"]),
            (&[None, None], &["A1", "A7", "x"], &["A8", "A9"]),
            (&[None, Some("A8")], &["A7"], &["A9", "A8"]),
            (&[None, None], &["A18446744073709551615"], &["A1", "A2"]),
        ] {
            assert_eq!(given_ids(given, taken), right, "{given:?} beside {taken:?}");
        }
    }
}
