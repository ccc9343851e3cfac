//! The first atoms of a new AoT loop with their OR groups and trail, as Loopdeck writes them (AoT contract
//! §1.2, §4).

use crate::formats::aot::edit::operation::NewAtom;
use crate::formats::aot::edit::written::{Fields, Written, entry_lines, item_lines};
use crate::times::{self, Timestamp};

/// The trail's reason for a choice that nobody has made yet.
const FIRST_CHOICE: &str = "First choice at the start";

/// The ids of `atoms`: the given ones, and for the others `A<n>` above all of these and of `taken`.
pub(crate) fn ids<'t>(atoms: &'t [NewAtom], taken: impl Iterator<Item = &'t str>) -> Vec<String> {
    let number = |id: &str| id.strip_prefix('A').and_then(|rest| rest.parse::<u64>().ok());
    let mut next = taken.chain(atoms.iter().filter_map(given)).filter_map(number).max().unwrap_or(0);
    let id = |atom: &NewAtom| {
        given(atom).map(str::to_owned).unwrap_or_else(|| {
            next = next.saturating_add(1);
            format!("A{next}")
        })
    };
    atoms.iter().map(id).collect()
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
