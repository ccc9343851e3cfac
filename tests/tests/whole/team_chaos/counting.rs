//! What is counted when all is quiet: from the journals, the records of each machine, and what the servers still keep.

use super::{BOB, Done, LEASE, NODES, QUIET_WITHIN, SEATS, Team};
use crate::team_runs::{NodeProcess, ONCE, lines};
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::WriteCause;
use loopdeck_team::JobStage;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) lost: Vec<String>,
    pub(super) twice: Vec<String>,
    pub(super) stuck: Vec<String>,
}

impl Found {
    /// Compares how often something is there with how often it is to be.
    fn count(&mut self, what: impl fmt::Display, (is, wanted): (usize, usize)) {
        let list = match is.cmp(&wanted) {
            std::cmp::Ordering::Less => &mut self.lost,
            std::cmp::Ordering::Equal => return,
            std::cmp::Ordering::Greater => &mut self.twice,
        };
        list.push(format!("{what}: {is} of {wanted}"));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.twice.is_empty() && self.stuck.is_empty()
    }
}

impl Team {
    /// What still waits somewhere.
    fn stuck(&self) -> Vec<String> {
        if !self.servers.in_step() {
            return vec!["the servers are not in step".to_owned()];
        }
        let mut stuck = Vec::new();
        for (who, member) in self.members.iter().enumerate() {
            let waits = self.unanswered(who);
            if waits > 0 {
                stuck.push(format!("{}: {waits} requests", SEATS[who]));
            }
            let owed = files(&member.home().invitation().with_file_name("owed")).len();
            if owed > 0 {
                stuck.push(format!("{}: {owed} answers", SEATS[who]));
            }
            let begun = member.home().invitation().with_file_name("begun");
            for path in
                files(&begun).into_iter().filter(|path| fs::read(path).is_ok_and(|text| text.is_empty()))
            {
                stuck.push(format!("{}: begun and not answered: {}", SEATS[who], path.display()));
            }
        }
        let jobs = self.members[BOB].team.as_ref().unwrap().jobs();
        let waits = |job: &&loopdeck_team::JobView| job.stage != JobStage::Ended || !job.has_result;
        stuck.extend(jobs.iter().filter(waits).map(|job| format!("{job:?}")));
        for stream in ["COMMANDS", "ANSWERS", "RUNS"] {
            let (messages, _) = self.servers.size(stream);
            if messages > 0 {
                stuck.push(format!("{messages} messages of {stream}"));
            }
        }
        if !stuck.is_empty() {
            return stuck;
        }
        for (who, member) in self.members.iter().enumerate() {
            let seen: BTreeMap<String, String> =
                member.rows().into_iter().map(|row| (row.id, row.file_word)).collect();
            for steered in &self.steered {
                let is = self.members[steered.owner].status(&steered.id);
                if seen.get(&steered.id) != Some(&is) {
                    stuck.push(format!(
                        "{}: {} is {is}: {:?}",
                        SEATS[who],
                        steered.id,
                        seen.get(&steered.id)
                    ));
                }
            }
        }
        stuck
    }

    /// Waits until all is quiet, and counts.
    pub(super) fn count(mut self) -> (Done, Found) {
        let deadline = Instant::now() + QUIET_WITHIN;
        let stuck = RefCell::new(Vec::new());
        self.members[BOB].until("all is quiet", || {
            *stuck.borrow_mut() = self.stuck();
            (stuck.borrow().is_empty() || Instant::now() > deadline).then_some(())
        });
        let mut found = Found { stuck: stuck.into_inner(), ..Found::default() };
        self.count_commands(&mut found);
        let done = self.done;
        let ended = self.ended();
        found.count("jobs that ended", (ended.len(), done.jobs));
        self.node.team.take();
        let (one, two) = (NodeProcess::ended(self.node).journaled(), self.process.journaled());
        let ran: Vec<_> = one.iter().chain(&two).collect();
        let moved = count_runs(&lines(&self.log), &ended, &mut found);
        found.count("jobs in the journals of the nodes", (ran.len(), done.jobs + moved));
        // A run that crashed before its agent began did nothing: beginnings are counted above.
        let did = |runs: &[String]| runs.iter().filter(|run| !run.ends_with(" crashed")).eq(ONCE);
        let otherwise: Vec<_> = ran.into_iter().filter(|runs| !did(runs)).collect();
        let what = format!("jobs that ran otherwise than once: {otherwise:?}");
        found.count(what, (otherwise.len().saturating_sub(moved), 0));
        let done = Done { moved, ..done };
        (done, found)
    }

    /// The jobs of which a node reported the end, as often as one did.
    fn ended(&self) -> Vec<String> {
        let jobs = self.members[BOB].team.as_ref().unwrap().jobs();
        let reports = jobs.iter().flat_map(|job| NODES.map(|seat| (job, self.servers.report(&job.id, seat))));
        let is_end = |report: &serde_json::Value| report["stage"] == "ended";
        reports
            .filter(|(_, report)| report.as_ref().is_some_and(is_end))
            .map(|(job, _)| job.id.clone())
            .collect()
    }

    fn count_commands(&self, found: &mut Found) {
        let mut sent_to = [0; SEATS.len()];
        for (at, steered) in self.steered.iter().enumerate() {
            sent_to[steered.owner] += steered.asked.len();
            let mut accepted = HashSet::new();
            for (asker, seat) in SEATS.iter().enumerate() {
                let answers = self.answers(at, asker);
                for verb in [Verb::Pause, Verb::Resume, Verb::Stop] {
                    let of_verb: Vec<_> =
                        answers.iter().filter(|(cause, _)| *cause == Some(cause_of(verb))).collect();
                    let asked = steered.asked.iter().filter(|one| **one == (asker, verb)).count();
                    let what = format!("answers to {verb:?} of {} for {}", seat, steered.id);
                    found.count(what, (of_verb.len(), asked));
                    for (_, refused) in of_verb {
                        match refused {
                            None => drop(accepted.insert(verb)),
                            Some(why) if why.is_empty() => {
                                found.lost.push(format!("a reason: {}", steered.id));
                            }
                            Some(_) => {}
                        }
                    }
                }
            }
            for verb in [Verb::Pause, Verb::Stop] {
                let writes = self.members[steered.owner].writes(&steered.id, cause_of(verb));
                let what = format!("{verb:?} in the journal of {}, {}", SEATS[steered.owner], steered.id);
                found.count(what, (writes, usize::from(accepted.contains(&verb))));
            }
        }
        for (who, sent) in sent_to.into_iter().enumerate() {
            let begun = self.members[who].home().invitation().with_file_name("begun");
            found.count(format!("commands begun by {}", SEATS[who]), (files(&begun).len(), sent));
        }
    }
}

/// Compares what the agents told with the jobs. How many jobs another node had to do again: their lease was over, because the node
/// that had begun was cut off or closed, and did not have them back, for all of its time.
fn count_runs(log: &[String], ended: &[String], found: &mut Found) -> usize {
    let mut moved = 0;
    for job in ended {
        // The name of the worktree has the first letters of the job's.
        let name: String = job.to_lowercase().chars().take(16).collect();
        let name = format!("/run-{name}/");
        let told: Vec<Vec<&str>> =
            log.iter().filter(|line| line.contains(&name)).map(|line| line.split(' ').collect()).collect();
        let time = |words: &Vec<&str>| words[1].parse::<u64>().unwrap();
        let begun: Vec<_> = told.iter().filter(|words| words[0] == "begins").collect();
        let ends = told.iter().filter(|words| words[0] == "ends").count();
        let later = begun.len() == 2
            && begun[0][2] != begun[1][2]
            && time(begun[1]) + 2 >= time(begun[0]) + u64::from(LEASE)
            && told.last().is_some_and(|words| words[0] == "ends" && words[2] == begun[1][2]);
        if later {
            moved += 1;
        } else {
            found.count(format!("beginnings of {job}: {told:?}"), (begun.len(), 1));
            found.count(format!("ends of {job}: {told:?}"), (ends, 1));
        }
    }
    moved
}

fn cause_of(verb: Verb) -> WriteCause {
    match verb {
        Verb::Pause => WriteCause::Pause,
        Verb::Resume => WriteCause::Resume,
        _ => WriteCause::Stop,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_file()).collect()
}

pub(super) fn json(folder: &Path) -> Vec<PathBuf> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    files(folder).into_iter().filter(is_json).collect()
}
