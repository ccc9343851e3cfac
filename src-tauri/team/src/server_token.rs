//! The token of a server that asks for nothing else. All machines of the team share it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A shorter one can be guessed.
const SHORTEST: usize = 16;
/// What a server takes is limited too.
const LONGEST: usize = 512;

/// A token. Secret: it is in invitations, and in no log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ServerToken(String);

impl ServerToken {
    /// The token in the first line of `text`: 16 to 512 printable ASCII characters without a space. `None` for anything
    /// else, also for a bcrypt hash: a server can keep a token as a hash, but a machine has to send the token itself.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let token = text.lines().next()?.trim();
        let is_printable = token.bytes().all(|byte| byte.is_ascii_graphic());
        let is_long_enough = (SHORTEST..=LONGEST).contains(&token.len());
        (is_printable && is_long_enough && !is_hash(token)).then(|| Self(token.to_owned()))
    }

    /// As the server asks for it.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// Whether a server would take it for a hash: `$2a$` and other letters.
fn is_hash(token: &str) -> bool {
    let rest = token.strip_prefix("$2").and_then(|rest| rest.split_once('$'));
    rest.is_some_and(|(letter, _)| letter.len() == 1)
}

impl fmt::Debug for ServerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerToken")
    }
}

impl From<ServerToken> for String {
    fn from(token: ServerToken) -> Self {
        token.0
    }
}

impl TryFrom<String> for ServerToken {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("server_token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_first_line_and_nothing_that_a_server_reads_otherwise() {
        let token = ServerToken::parse("  s3cret-s3cret-s3cret \r\nnext\n").unwrap();
        assert_eq!((token.text(), &*format!("{token:?}")), ("s3cret-s3cret-s3cret", "ServerToken"));
        let (long, longer) = ("x".repeat(512), "x".repeat(513));
        assert!(ServerToken::parse(&long).is_some());
        for wrong in
            ["", "\nsecond-line-second-line", "too-short", "with a space inside", "ünïcödé-ünïcödé", &longer]
        {
            assert_eq!(ServerToken::parse(wrong), None, "{wrong}");
        }
        assert_eq!(ServerToken::parse("$2a$11$abcdefghijklmnopqrstuv"), None, "a hash is no token");
        assert!(ServerToken::parse("$2-abcdefghijklmnopqrstuv").is_some());
    }
}
