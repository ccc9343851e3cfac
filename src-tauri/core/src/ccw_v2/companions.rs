//! Side files of the skill: what stands in when the master has lost its own copy (the CCW contract §1.3, §16).

use super::state::{self, Run, gather_times};
use super::view::coverage;
use crate::json_span::tree::Node;
use crate::view::{Companion, CompanionKind};

/// The side files that could be read.
#[derive(Debug, Default)]
pub(crate) struct Side<'t> {
    hypotheses: Option<Node<'t>>,
    results: Option<Node<'t>>,
    coverage: Option<Node<'t>>,
}

/// Reads the side files; damaged ones count as absent, the master is what is checked.
pub(crate) fn read(companions: &[Companion]) -> Side<'_> {
    let find = |kind: CompanionKind| {
        companions
            .iter()
            .filter(|companion| companion.kind == kind)
            .find_map(|companion| Node::parse(&companion.bytes).ok())
    };
    Side {
        hypotheses: find(CompanionKind::Hypotheses),
        results: find(CompanionKind::TestResults),
        coverage: find(CompanionKind::Coverage),
    }
}

impl<'t> Side<'t> {
    /// All hypotheses of `hypotheses.json`.
    pub(crate) fn hypotheses(&'t self) -> &'t [Node<'t>] {
        self.hypotheses.as_ref().map_or(&[], |node| node.get("hypotheses").items())
    }

    /// The latest run, from `test-results.json`.
    pub(crate) fn run(&'t self) -> Option<Run<'t>> {
        self.results.as_ref().filter(|node| node.is_object()).map(state::run)
    }

    /// Overall statement coverage, from `coverage.json`.
    pub(crate) fn coverage(&self) -> Option<f64> {
        self.coverage.as_ref().and_then(coverage)
    }

    /// Times in the side files; all are skill-written.
    pub(crate) fn times(&'t self) -> Vec<&'t str> {
        let mut times = Vec::new();
        for node in [&self.hypotheses, &self.results].into_iter().flatten() {
            gather_times("", node, &mut times);
        }
        times
    }
}
