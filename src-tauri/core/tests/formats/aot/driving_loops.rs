//! Random loops for the model of the driver: their atoms, groups, containers and limits, from a seed.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Numbers from a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    /// True once in `sides` times on average.
    pub(crate) fn hits(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) atoms: usize,
    pub(crate) seed: u64,
    /// One in this many workers fails, decomposes, asks or crashes; higher is calmer.
    pub(crate) calm: u64,
    pub(crate) agents: u64,
    pub(crate) iterations: u64,
    pub(crate) stalls: u64,
    pub(crate) kills: u64,
    /// A stop is requested once in this many steps.
    pub(crate) stops: u64,
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let atoms = prop_oneof![4 => 1..12_usize, 2 => 12..50_usize, 1 => 50..=200_usize];
    let stops = prop_oneof![1 => 10..120_u64, 2 => Just(u64::MAX)];
    (atoms, any::<u64>(), 2..9_u64, 1..5_u64, 1..50_u64, 1..6_u64, 6..60_u64, stops).prop_map(
        |(atoms, seed, calm, agents, iterations, stalls, kills, stops)| Case {
            atoms,
            seed,
            calm,
            agents,
            iterations,
            stalls,
            kills,
            stops,
        },
    )
}

/// The completion checks of the loops; the run says when each passes.
pub(crate) const CHECKS: [&str; 5] = [
    crate::aot::driving::ONE_COMMAND,
    "    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n      - item: \"Nice\"\n        check:\n          type: assertion\n          value: \"It is nice\"\n",
    "    checklist:\n      - item: \"Any\"\n        any_of:\n          - item: \"Tests\"\n            check:\n              type: command\n              value: \"npm test\"\n          - item: \"File\"\n            check:\n              type: file\n              value: \"out\"\n",
    "    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n      - item: \"Readable\"\n        check:\n          type: quality\n          pass_threshold: 3.5\n          rubric:\n            - criterion: \"Naming\"\n              weight: 3\n            - criterion: \"Structure\"\n              weight: 1\n",
    "    type: quality\n    pass_threshold: 3.5\n    rubric:\n      - criterion: \"Naming\"\n        weight: 3\n      - criterion: \"Structure\"\n        weight: 1\n",
];

/// Which atoms wait for which, by their index; some are choices of groups, some parts of an earlier container.
struct Graph {
    needs: Vec<BTreeSet<usize>>,
    groups: Vec<Vec<usize>>,
    containers: Vec<(usize, Vec<usize>)>,
    /// Parts of alternatives: an atom that waits for one would wait forever once its alternative is abandoned.
    parts: BTreeSet<usize>,
}

impl Graph {
    fn random(atoms: usize, dice: &mut Dice) -> Self {
        let mut graph = Self {
            needs: vec![BTreeSet::new(); atoms],
            groups: Vec::new(),
            containers: Vec::new(),
            parts: BTreeSet::new(),
        };
        let mut at = 0;
        while at < atoms {
            let size = 2 + usize::try_from(dice.roll(2)).expect("small");
            let kind = dice.roll(9);
            let fits = at + size < atoms;
            if kind == 0 && fits {
                let shared = graph.before(at, dice);
                graph.needs[at..at + size].iter_mut().for_each(|own| own.clone_from(&shared));
                graph.groups.push((at..at + size).collect());
                at += size;
            } else if kind == 1 && fits {
                let shared = graph.before(at, dice);
                graph.needs[at..=at + size].iter_mut().for_each(|own| own.clone_from(&shared));
                graph.containers.push((at, (at + 1..=at + size).collect()));
                at += size + 1;
            } else if kind == 2 && at + 3 * size < atoms {
                // Alternatives that are decomposed into two parts each, possibly except the last one.
                let shared = graph.before(at, dice);
                graph.needs[at..at + 3 * size].iter_mut().for_each(|own| own.clone_from(&shared));
                graph.groups.push((at..at + size).collect());
                let whole = usize::from(dice.hits(2));
                for choice in 0..size - whole {
                    let first = at + size + 2 * choice;
                    graph.containers.push((at + choice, vec![first, first + 1]));
                    graph.parts.extend([first, first + 1]);
                }
                at += 3 * size;
            } else {
                graph.needs[at] = graph.before(at, dice);
                at += 1;
            }
        }
        graph
    }

    /// Some atoms before `at`, which are neither its siblings nor its container.
    fn before(&self, at: usize, dice: &mut Dice) -> BTreeSet<usize> {
        let many = dice.roll(3);
        let one = |dice: &mut Dice| usize::try_from(dice.roll(at.max(1) as u64)).expect("small");
        let found: Vec<usize> = (0..many).filter(|_| at > 0).map(|_| one(dice)).collect();
        found.into_iter().filter(|need| !self.parts.contains(need)).collect()
    }

    /// The sections after the atoms.
    fn sections(&self, ids: &[String]) -> String {
        let mut rest = String::from(if self.containers.is_empty() {
            "\ndecompositions: []\n"
        } else {
            "\ndecompositions:\n"
        });
        for (parent, children) in &self.containers {
            let children: Vec<&str> = children.iter().map(|child| ids[*child].as_str()).collect();
            let _ = write!(
                rest,
                "  - parent: {}\n    children: [{}]\n    reason: \"r\"\n",
                ids[*parent],
                children.join(", ")
            );
        }
        rest.push_str(if self.groups.is_empty() { "\nor_groups: {}\n" } else { "\nor_groups:\n" });
        for (name, members) in self.groups.iter().enumerate() {
            let members: Vec<&str> = members.iter().map(|member| ids[*member].as_str()).collect();
            let _ = write!(
                rest,
                "  g{name}:\n    choices: [{}]\n    selected: null\n    failed: []\n",
                members.join(", ")
            );
        }
        rest.push_str("\nbindings: {}\n\ntrail: []\n");
        rest
    }
}

impl Case {
    /// The loop as a file, with this completion check.
    pub(crate) fn file(&self, check: &str, dice: &mut Dice) -> String {
        let ids: Vec<String> = (1..=self.atoms).map(|at| format!("A{at}")).collect();
        let graph = Graph::random(self.atoms, dice);
        let group_of: BTreeMap<usize, usize> = graph
            .groups
            .iter()
            .enumerate()
            .flat_map(|(group, members)| members.iter().map(move |member| (*member, group)))
            .collect();
        let atoms: Vec<(String, Vec<&str>, Option<String>)> = (0..self.atoms)
            .map(|at| {
                let needs = graph.needs[at].iter().map(|need| ids[*need].as_str()).collect();
                (ids[at].clone(), needs, group_of.get(&at).map(|group| format!("g{group}")))
            })
            .collect();
        let atoms: Vec<crate::aot::driving::Atom<'_>> = atoms
            .iter()
            .map(|(id, needs, group)| (id.as_str(), "pending", needs.as_slice(), group.as_deref()))
            .collect();
        let text = crate::aot::driving::file(check, &atoms, &graph.sections(&ids));
        let [iterations, agents, stalls] =
            [self.iterations, self.agents, self.stalls].map(|number| number.to_string());
        crate::aot::driving::with(
            text,
            &[
                ("max_iterations", iterations.as_str()),
                ("max_parallel_agents", agents.as_str()),
                ("max_stall_count", stalls.as_str()),
            ],
        )
    }
}
