//! A person edits an unresolved atom (AoT contract §7): its description, and what it waits for.

use super::draft::MapPlace;
use super::work::{Work, refusal};
use super::written::Written;
use crate::refusal::{Refusal, RefusalCode, bad_value};
use std::collections::HashSet;

impl Work<'_, '_> {
    pub(crate) fn edit_atom(
        &mut self,
        id: &str,
        description: Option<&str>,
        depends_on: Option<&[String]>,
    ) -> Result<(), Refusal> {
        let at = self.unresolved(id)?;
        let described = match description {
            Some(text) => self.describe(at, text)?,
            None => false,
        };
        let rewired = match depends_on {
            Some(needs) => self.rewire(at, needs)?,
            None => false,
        };
        if described || rewired { Ok(()) } else { Err(bad_value("atom")) }
    }

    /// Whether that changed anything.
    fn describe(&mut self, at: usize, text: &str) -> Result<bool, Refusal> {
        if text.trim().is_empty() {
            return Err(bad_value("description"));
        }
        if text.trim() == self.state.atoms[at].description.trim() {
            return Ok(false);
        }
        self.draft.set(MapPlace::Atom(at), "description", &Written::text(text))?;
        Ok(true)
    }

    /// The children of a container wait for the same things, so they follow (§9.5).
    fn rewire(&mut self, at: usize, needs: &[String]) -> Result<bool, Refusal> {
        let old: Vec<String> = self.needs(at);
        let mut seen = HashSet::new();
        let new: Vec<String> = needs.iter().filter(|need| seen.insert(need.as_str())).cloned().collect();
        if new == old {
            return Ok(false);
        }
        let added: Vec<&String> = new.iter().filter(|need| !old.contains(need)).collect();
        if let Some(unknown) = added.iter().find(|need| self.graph.find(need).is_none()) {
            return Err(refusal(RefusalCode::UnknownAtom, unknown));
        }
        let below = self.below(at);
        if let Some(own) =
            below.iter().find(|child| added.iter().any(|need| **need == self.graph.id(**child)))
        {
            let (id, own) = (self.graph.id(at), self.graph.id(*own));
            return Err(Refusal::new(RefusalCode::WouldCycle).with("cycle", format!("{id} -> {own} -> {id}")));
        }
        self.depend(at, &new)?;
        for child in below.into_iter().filter(|child| self.graph.is_unresolved(*child)) {
            let own = self.needs(child);
            let stays = |need: &&String| new.contains(need) || !old.contains(need);
            let missing = added.iter().copied().filter(|need| !own.contains(need));
            let all: Vec<String> = own.iter().filter(stays).chain(missing).cloned().collect();
            if all != own {
                self.depend(child, &all)?;
            }
        }
        Ok(true)
    }

    fn needs(&self, at: usize) -> Vec<String> {
        self.state.atoms[at].depends_on.iter().map(|id| id.clone().into_owned()).collect()
    }

    fn depend(&mut self, at: usize, needs: &[String]) -> Result<(), Refusal> {
        self.draft.set(MapPlace::Atom(at), "depends_on", &Written::ids(needs.iter().map(String::as_str)))
    }

    /// All descendants of an atom.
    fn below(&self, at: usize) -> Vec<usize> {
        let mut found: Vec<usize> = self.graph.children(at).collect();
        let mut seen: HashSet<usize> = found.iter().copied().chain([at]).collect();
        let mut next = 0;
        while let Some(child) = found.get(next).copied() {
            next += 1;
            found.extend(self.graph.children(child).filter(|one| seen.insert(*one)));
        }
        found
    }
}
