//! A seat: one machine of one member. What a machine publishes, all but leases, has its seat in the subject, where the server
//! checks it against the machine's permissions.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use specta::Type;
use std::fmt;

/// One machine of one member of a team. Both names are tokens of a NATS subject and, of mirrors, names of folders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
pub struct Seat {
    /// Who: `a-z`, `0-9` and `-`, at most 32 characters.
    member: String,
    /// Which machine; the same characters.
    machine: String,
}

/// A seat as it comes from outside.
#[derive(Deserialize)]
struct Names {
    member: String,
    machine: String,
}

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let names = Names::deserialize(from)?;
        let seat = Self::new(&names.member, &names.machine);
        seat.ok_or_else(|| D::Error::custom("a name has other characters than a-z, 0-9 and -"))
    }
}

impl Seat {
    /// A seat; `None` when a name has other characters than `a-z`, `0-9` and `-`, or is too long.
    #[must_use]
    pub fn new(member: &str, machine: &str) -> Option<Self> {
        (is_token(member) && is_token(machine))
            .then(|| Self { member: member.to_owned(), machine: machine.to_owned() })
    }

    /// Takes `member.machine` apart.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (member, machine) = text.split_once('.')?;
        Self::new(member, machine)
    }

    /// Who.
    #[must_use]
    pub fn member(&self) -> &str {
        &self.member
    }

    /// Which machine.
    #[must_use]
    pub fn machine(&self) -> &str {
        &self.machine
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.member, self.machine)
    }
}

/// Whether `text` can be a token of a subject and a name of a folder, on every system.
pub(crate) fn is_token(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=32).contains(&text.len()) && text.bytes().all(known) && !text.starts_with('-')
}

/// What a member may do. The server enforces it by subject, unless it asks only for a token; every machine checks it once
/// more before it takes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Makes the streams and invites; has no loops of its own.
    Operator,
    /// Shares loops, sees and steers those of others.
    Member,
    /// The same, and may steer where only leads may.
    Lead,
    /// Sees.
    Viewer,
    /// A machine that runs loops for others, and shares them.
    Node,
}

impl Role {
    /// As it is written in files and commands.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Role::Operator => "operator",
            Role::Member => "member",
            Role::Lead => "lead",
            Role::Viewer => "viewer",
            Role::Node => "node",
        }
    }

    /// Whether it shares loops and sends work. Other roles only see, or run the team.
    pub(crate) fn contributes(self) -> bool {
        matches!(self, Role::Member | Role::Lead | Role::Node)
    }

    /// The role with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Role::Operator, Role::Member, Role::Lead, Role::Viewer, Role::Node]
            .into_iter()
            .find(|role| role.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_token_and_one_folder() {
        assert_eq!(Seat::parse("ada.laptop-2").map(|seat| seat.to_string()).as_deref(), Some("ada.laptop-2"));
        for wrong in ["ada", "Ada.x", "a.b.c", ".x", "a.", "a.>", "a.*", "a/b.c", "-a.b", "a.b c", "ä.b"] {
            assert_eq!(Seat::parse(wrong), None, "{wrong}");
        }
        assert!(Seat::new(&"a".repeat(33), "b").is_none());
        assert!(serde_json::from_str::<Seat>(r#"{"member":"..","machine":"b"}"#).is_err());
    }
}
