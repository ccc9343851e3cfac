//! What happened to a loop, for its timeline: requests and what became of them, writes and what they were for, deletions.

use super::last_writes::OF_LOOP;
use super::{Error, Journal, LoopRef};
use loopdeck_core::past::Asker;
use loopdeck_core::times::Timestamp;
use rusqlite::params;

/// One thing that happened, in the journal's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number; of writes made together, that of the state file.
    pub number: i64,
    /// When.
    pub at: Timestamp,
    /// `requested`, `write`, `deleted`; `asked` and `answered` across machines.
    pub kind: String,
    /// What it was for: a verb or the cause of a write.
    pub word: String,
    /// Of a request its outcome, of a write whether it landed, of an answer why not.
    pub state: Option<String>,
    /// When a request ended.
    pub ended: Option<Timestamp>,
    /// The state file or a companion, below the workspace.
    pub file: String,
    /// For writes made together: the companions that were written with `file`, in order.
    pub beside: Vec<String>,
    /// Who asked for it from another machine.
    pub asker: Option<Asker>,
}

impl Journal {
    /// What happened to a loop and its companions (`beside`, as for [`Journal::last_group`]), newest first. How a request ended is part of
    /// the request.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn events(
        &mut self,
        of: LoopRef<'_>,
        beside: &[String; 4],
        limit: u32,
    ) -> Result<Vec<Recorded>, Error> {
        let sql = format!(
            "SELECT e.id, e.at, e.kind, e.word, e.file,
                CASE e.kind WHEN 'requested' THEN i.outcome ELSE e.state END,
                CASE e.kind WHEN 'requested' THEN i.settled_at END, coalesce(e.asker, i.asker)
             FROM (SELECT * FROM events WHERE {OF_LOOP} AND kind <> 'settled' ORDER BY id DESC LIMIT ?7) e
             LEFT JOIN intents i ON i.id = e.intent ORDER BY e.id DESC"
        );
        let [a, b, c, d] = beside;
        let mut statement = self.database()?.prepare_cached(&sql)?;
        let rows = statement.query_map(params![of.workspace, of.file, a, b, c, d, limit], |row| {
            Ok(Recorded {
                number: row.get(0)?,
                at: Timestamp::from_millis(row.get(1)?),
                kind: row.get(2)?,
                word: row.get(3)?,
                file: row.get(4)?,
                state: row.get(5)?,
                ended: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_millis),
                beside: Vec::new(),
                asker: row.get::<_, Option<String>>(7)?.as_deref().and_then(Asker::parse),
            })
        })?;
        Ok(merge_steps(rows.collect::<rusqlite::Result<_>>()?, of.file))
    }
}

/// Combines the writes of one step (`events` come newest first): the state file and its companions are written one after the other, for one
/// cause and at one time, and land or are taken back as one.
fn merge_steps(events: Vec<Recorded>, state_file: &str) -> Vec<Recorded> {
    let mut steps: Vec<Recorded> = Vec::new();
    for event in events {
        match steps.last_mut().filter(|step| is_same_step(step, &event)) {
            Some(step) => {
                let is_named = step.file == state_file;
                let other = if is_named {
                    event.file
                } else {
                    step.number = event.number;
                    std::mem::replace(&mut step.file, event.file)
                };
                step.beside.insert(0, other);
                if step.state.as_deref() == Some("landed") {
                    step.state = event.state;
                }
            }
            None => steps.push(event),
        }
    }
    steps
}

fn is_same_step(step: &Recorded, event: &Recorded) -> bool {
    let write = |one: &Recorded| one.kind == "write";
    write(step) && write(event) && (step.at, &step.word) == (event.at, &event.word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(number: i64, at: Timestamp, word: &str, file: &str, state: &str) -> Recorded {
        let [kind, word, file, state] = ["write", word, file, state].map(str::to_owned);
        let (state, beside) = (Some(state), Vec::new());
        Recorded { number, at, kind, word, state, ended: None, file, beside, asker: None }
    }

    #[test]
    fn writes_of_one_step_are_one() {
        let asked = Recorded {
            kind: "requested".to_owned(),
            ..write(4, Timestamp::from_millis(7), "operate", "s", "open")
        };
        let events = vec![
            write(7, Timestamp::from_millis(7), "operate", "c", "landed"),
            write(6, Timestamp::from_millis(7), "operate", "b", "lost"),
            write(5, Timestamp::from_millis(7), "operate", "s", "landed"),
            asked.clone(),
            write(3, Timestamp::from_millis(6), "operate", "s", "landed"),
            write(2, Timestamp::from_millis(6), "undo", "s", "landed"),
            write(1, Timestamp::from_millis(6), "undo", "b", "landed"),
        ];
        let steps = merge_steps(events, "s");
        let beside = vec!["b".to_owned(), "c".to_owned()];
        let expected = [
            Recorded { beside, ..write(5, Timestamp::from_millis(7), "operate", "s", "lost") },
            asked,
            write(3, Timestamp::from_millis(6), "operate", "s", "landed"),
            Recorded {
                beside: vec!["b".to_owned()],
                ..write(2, Timestamp::from_millis(6), "undo", "s", "landed")
            },
        ];
        assert_eq!(steps, expected);
    }
}
