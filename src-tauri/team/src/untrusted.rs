//! What other machines send, as bytes: a door for whoever checks with arbitrary ones that the readers hold.
//!
//! Nothing in Loopdeck comes in here. The readers are private to this package, and the checks of the fuzzer
//! (`fuzz/checks/src/messages.rs`) are in another one. Each function here calls the readers that messages of a server go through
//! and answers what a check has to know; none decides anything.

use crate::commands;
use crate::envelope::{self, open};
use crate::invitation::Invitation;
use crate::jwt::{self, Allowed, Reader};
use crate::key::Key;
use crate::layout::{self, LOOPS, MACHINES};
use crate::machines;
use crate::message::{
    About, Answer, Command, Gone, Presence, SharedFile, SharedNeeds, SharedOutput, SharedPart, SharedRequest,
};
use crate::mirror::Mirrors;
use crate::needs;
use crate::output::heard::HeardLoops;
use crate::place::{FilePlace, SharePlace};
use crate::seat::{Role, Seat};
use crate::stored::{Entry, StoredMessage};
use crate::work::job::{Job, JobHead, Target, stays_here};
use crate::work::offer::Offer;
use crate::work::report::{Report, read_report};
use crate::work::taking;
use crate::{answers, parts};
use loopdeck_core::times::Timestamp;
use loopdeck_runtime::elsewhere::RemoteChange;
use nkeys::{KeyPair, KeyPairType};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// A message that was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// What of its sender's messages it is.
    pub number: u64,
    /// Its head; `None` when nobody checked whose it is.
    pub head: Option<Value>,
    /// Its body.
    pub body: Vec<u8>,
}

/// A key of the bucket of shared files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadKey {
    /// Written again from its parts.
    pub written: String,
    /// The folder of its share, below `mirrors`.
    pub share: PathBuf,
    /// The path of what it names, if that is a file.
    pub file: Option<PathBuf>,
}

/// What bytes are, read as everything that a machine can send.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// As a message, its signature not checked.
    pub message: Option<Opened>,
    /// As a key.
    pub key: Option<ReadKey>,
    /// The kinds of heads and bodies whose form they have, each written again.
    pub forms: Vec<(&'static str, Vec<u8>)>,
    /// How many things that wait for a person they list.
    pub needs: usize,
    /// Whether they are an invitation.
    pub is_invitation: bool,
}

/// What readers took of a message that was signed as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// As what it was taken.
    pub kinds: Vec<&'static str>,
    /// How many rows its run has with it, if it was a page of output.
    pub rows: Option<u32>,
    /// The size of the file it is of, if that is in parts.
    pub length: Option<usize>,
}

/// Reads JSON and writes it again.
type Form = fn(&[u8]) -> Option<Vec<u8>>;

const FORMS: [(&str, Form); 16] = [
    ("presence", rewritten::<Presence>),
    ("gone", rewritten::<Gone>),
    ("about", rewritten::<About>),
    ("output", rewritten::<SharedOutput>),
    ("file", rewritten::<SharedFile>),
    ("part", rewritten::<SharedPart>),
    ("request", rewritten::<SharedRequest>),
    ("needs", rewritten::<SharedNeeds>),
    ("command", rewritten::<Command>),
    ("answer", rewritten::<Answer>),
    ("job head", rewritten::<JobHead>),
    ("job", rewritten::<Job>),
    ("change", rewritten::<RemoteChange>),
    ("offer", rewritten::<Offer>),
    ("report", rewritten::<Report>),
    ("invitation", rewritten::<Invitation>),
];

fn rewritten<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<Vec<u8>> {
    serde_json::to_vec(&serde_json::from_slice::<T>(bytes).ok()?).ok()
}

/// Reads `bytes` as everything that a machine can send.
#[must_use]
pub fn read(bytes: &[u8]) -> Read {
    let message = open(bytes).ok().map(|sealed| {
        // Claims of any key and head are refused, not feared.
        let _ = sealed.verified_head::<Value>("", "");
        let _ = sealed.claimed_head::<Value>();
        Opened { number: sealed.number, head: None, body: sealed.body.to_vec() }
    });
    let text = String::from_utf8_lossy(bytes);
    for text in [&*text, text.trim()] {
        let _ = (
            jwt::identity(text, "", 0),
            jwt::end_of_claims(text),
            jwt::split_credentials(text),
            Seat::parse(text),
        );
    }
    let forms = FORMS.iter().filter_map(|(kind, form)| Some((*kind, form(bytes)?))).collect();
    if let Ok(job) = serde_json::from_slice::<Job>(bytes) {
        let _ = (job.is_sound(), job.first_file(), job.message(), stays_here(&job.plan));
        let _ = (job.commands().len(), job.agents().count());
    }
    let invitation = Invitation::parse(bytes).ok();
    let _ = invitation.as_ref().map(|invitation| (invitation.ends_at(), invitation.token()));
    let key = std::str::from_utf8(bytes).ok().and_then(read_key);
    Read { message, key, forms, needs: needs::read_needs(bytes).len(), is_invitation: invitation.is_some() }
}

fn read_key(text: &str) -> Option<ReadKey> {
    let key = Key::parse(text)?;
    let mirrors = Mirrors::new(PathBuf::from("mirrors"));
    let file = match &key {
        Key::About(_) => None,
        Key::File(place) | Key::Request(place) | Key::Needs(place) => Some(&place.file),
    };
    let folder = mirrors.folder(key.share());
    Some(ReadKey { written: key.to_string(), file: file.map(|file| folder.join(file)), share: folder })
}

/// A machine with keys, in a team of its own. Nobody else can sign what readers take.
#[derive(Debug)]
pub struct Sender {
    keys: KeyPair,
    account: String,
    seat: Seat,
    token: String,
}

/// The time of all its messages, in seconds since 1970.
const NOW: i64 = 1_795_148_661;

impl Sender {
    /// The machine `laptop` of `ada`, a node; its keys come from `seed`, which may be none of keys.
    #[must_use]
    pub fn new(seed: [u8; 32]) -> Option<Self> {
        let account = KeyPair::new_from_raw(KeyPairType::Account, seed).ok()?;
        let keys = KeyPair::new_from_raw(KeyPairType::User, seed).ok()?;
        let seat = Seat::new("ada", "laptop")?;
        let none = Allowed { publish: Vec::new(), subscribe: Vec::new() };
        let claims = jwt::user_claims(&seat, Role::Node, &keys.public_key(), &none, NOW, None);
        let token = jwt::sign(claims, &account).ok()?;
        Some(Self { keys, account: account.public_key(), seat, token })
    }

    /// Message `number` under `subject`.
    ///
    /// # Errors
    /// It is larger than a message can be.
    pub fn seal(&self, (subject, number): (&str, u64), head: &Value, body: &[u8]) -> Result<Vec<u8>, String> {
        envelope::seal(&self.keys, (subject, number), head, body)
    }

    /// Opens what this machine signed for `subject`; `None` for everything else.
    #[must_use]
    pub fn open(&self, subject: &str, bytes: &[u8]) -> Option<Opened> {
        let sealed = open(bytes).ok()?;
        let head = sealed.verified_head(subject, &self.keys.public_key()).ok()?;
        Some(Opened { number: sealed.number, head: Some(head), body: sealed.body.to_vec() })
    }

    /// Signs `head`, with the claims of this machine, and `body` for each place where such a message could belong, and gives it to
    /// the reader of that place. Output is kept in `folder`.
    ///
    /// # Errors
    /// What the disk says.
    pub fn deliver(&self, head: &Value, body: &[u8], folder: &Path) -> io::Result<Taken> {
        let mut head = head.clone();
        if let Some(token) = head.get_mut("token") {
            *token = self.token.as_str().into();
        }
        let mut kinds = self.kinds_taken(&head, body);
        let (mut rows, mut length) = (None, None);
        let subject = layout::key_subject(LOOPS, "");
        let is_larger = ["run", "parts", "of"].iter().any(|name| head.get(name).is_some());
        let sealed = if is_larger { self.sealed_as::<Value>(&subject, &head, body) } else { Vec::new() };
        if let Ok(sealed) = open(&sealed) {
            let key = self.keys.public_key();
            if let Ok(output) = sealed.verified_head::<SharedOutput>(&subject, &key) {
                kinds.push("output");
                rows = Some(self.rows_taken(output, sealed.body, folder)?);
            }
            let of_file = sealed.verified_head::<SharedFile>(&subject, &key).ok().and_then(|file| file.parts);
            let of_part = sealed.verified_head::<SharedPart>(&subject, &key).ok().map(|part| part.of);
            length = of_file.or(of_part).and_then(|about| parts::length_in_bounds(&about));
        }
        Ok(Taken { kinds, rows, length })
    }

    fn kinds_taken(&self, head: &Value, body: &[u8]) -> Vec<&'static str> {
        let reader = Reader { account: &self.account, seat: &self.seat, now: NOW };
        let now = Timestamp::from_millis(NOW * 1_000);
        let mut kinds = Vec::new();

        let (key, subject) = (self.seat.to_string(), layout::key_subject(MACHINES, &self.seat.to_string()));
        let value = self.sealed_as::<Presence>(&subject, head, body);
        let message = StoredMessage { value, subject, revision: 1, stored: now };
        if let Some((_, machine)) = machines::read_machine(reader, &Entry { key, message }, now) {
            let _ = (machine.looks_different(&machine, now), machine.clock_ahead());
            kinds.push("presence");
        }
        let subject = layout::command_subject(&self.seat, &self.seat);
        if let Ok((command, change, _)) =
            commands::read_command(reader, &subject, &self.sealed_as::<Command>(&subject, head, body))
        {
            let _ = (commands::why_late(&command, now.millis(), now.millis()), command.asker());
            let _ = change.map(|change| change.cause());
            kinds.push("command");
        }
        let subject = layout::answer_subject(&self.seat, &self.seat);
        if answers::read_answer(reader, &subject, &self.sealed_as::<Answer>(&subject, head, body)).is_ok() {
            kinds.push("answer");
        }
        let subject = match serde_json::from_slice::<Job>(body) {
            Ok(Job { target: Target::Any { .. }, plan, from, .. }) => {
                layout::run_any_subject(&plan.agent, &from)
            }
            _ => layout::run_at_subject(&self.seat, Some(&self.seat)),
        };
        if taking::read_job(reader, &subject, &self.sealed_as::<JobHead>(&subject, head, body)).is_ok() {
            kinds.push("job");
        }
        let job = head.get("job").and_then(Value::as_str).unwrap_or_default();
        let key = layout::report_key(job, &self.seat);
        let subject = layout::key_subject(layout::REPORTS, &key);
        if read_report(reader, &key, &self.sealed_as::<Report>(&subject, head, body)).is_ok() {
            kinds.push("report");
        }
        kinds
    }

    /// Signed when `head` has this form; nothing otherwise, because the reader would look no further.
    fn sealed_as<T: DeserializeOwned>(&self, subject: &str, head: &Value, body: &[u8]) -> Vec<u8> {
        let fits = T::deserialize(head).is_ok();
        fits.then(|| self.seal((subject, 7), head, body).ok()).flatten().unwrap_or_default()
    }

    /// Takes a page of output twice, as a server may deliver it.
    fn rows_taken(&self, head: SharedOutput, body: &[u8], folder: &Path) -> io::Result<u32> {
        let share = SharePlace { seat: self.seat.clone(), id: "0a".to_owned() };
        let place = FilePlace { share, file: ".loop/a.json".to_owned() };
        let (heard, _) = HeardLoops::default().ask(&place, folder);
        heard.set_answer(Ok(()));
        heard.take_page(head.clone(), body)?;
        heard.take_page(head, body)?;
        let runs = heard.runs().and_then(Result::ok).unwrap_or_default();
        Ok(runs.first().map_or(0, |run| run.view.rows))
    }
}
