//! A state file that cannot be read: proposals beside what is there, and writing one when the person agreed.

use crate::clock;
use crate::companions;
use crate::files;
use crate::journal;
use crate::owner::Owner;
use crate::page::Found;
use crate::rows::{Failure, FailureKind, FieldOrigin, RecoveryOption, RecoveryPage};
use crate::stamp::Stamp;
use crate::write::PutBack;
use loopdeck_core::ccw::recover::Recovery;
use loopdeck_core::control::{Refusal, RefusalCode};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::recovery::{self, Remains, Way};
use loopdeck_core::status::FileStatus;
use loopdeck_core::times;
use std::sync::Arc;

const RECOVER: &str = "recover";
/// Of what is there so much is shown.
const SHOWN: usize = 1 << 20;

/// A damaged loop with what can be made of it.
struct Proposals {
    damaged: Vec<u8>,
    ways: Vec<(Way, Recovery)>,
}

impl Owner {
    /// What can be made of the damaged loop `key`.
    pub(crate) fn recovery(&mut self, key: &str) -> Result<RecoveryPage, Failure> {
        let (found, Proposals { damaged, ways }) = self.proposals(key)?;
        let shown = &damaged[..damaged.len().min(SHOWN)];
        let there = String::from_utf8_lossy(shown);
        Ok(RecoveryPage {
            file: found.candidate().file.clone(),
            lossy: matches!(there, std::borrow::Cow::Owned(_)),
            there: there.into_owned(),
            aside: aside(&found, &damaged),
            options: ways.into_iter().map(|(way, recovery)| option(&damaged, way, recovery)).collect(),
        })
    }

    /// Sets the damaged file aside and writes the proposal that the person saw.
    pub(crate) fn recover(&mut self, key: &str, way: Way, fingerprint: &str) -> Result<(), Failure> {
        let (found, Proposals { damaged, ways }) = self.proposals(key)?;
        let file = found.candidate().file.clone();
        let agreed = ways
            .into_iter()
            .map(|(own, recovery)| option(&damaged, own, recovery))
            .find(|option| option.way == way && option.fingerprint == fingerprint);
        let agreed = agreed.ok_or_else(|| Failure::new(FailureKind::ChangedSince).with("path", &file))?;
        let situation = found.entry.situation(self.moment());
        let copy = aside(&found, &damaged);
        match files::create(&found.root, &found.root.join(&copy), &damaged) {
            // Set aside already.
            Ok(_) | Err(files::ReplaceFault::Changed(_)) => {}
            Err(files::ReplaceFault::Io(error)) => {
                return Err(Failure::new(FailureKind::Disk).with("path", copy).with("reason", error));
            }
        }
        let put = PutBack {
            word: RECOVER,
            bytes: agreed.text.into_bytes(),
            readable: true,
            over: Some(damaged),
            ends: true,
        };
        self.put_back(&found.entry, &put, &situation)
    }

    fn proposals(&mut self, key: &str) -> Result<(Found, Proposals), Failure> {
        let last_good = self.recall_good(key)?;
        let found = self.read_catalog(|catalog| Found::in_catalog(catalog, key))?;
        if found.entry.summary.status != FileStatus::Unreadable {
            return Err(Refusal::new(RefusalCode::NothingToRepair).into());
        }
        let damaged = found.bytes_there()?;
        let last_good: Option<Arc<[u8]>> = last_good.or_else(|| found.last_good());
        let companions = companions::companions(&found.root, found.candidate());
        let backup = companions::beside(&found.root, found.candidate(), ".json.backup");
        let remains = Remains {
            damaged: &damaged,
            last_good: last_good.as_deref(),
            backup: backup.as_deref(),
            companions: &companions,
        };
        // The same proposal at every look at the same damage: times that nothing is left of are those of the file.
        let now = changed(&found);
        let facts = FileFacts { stem: found.candidate().stem(), modified: now, now };
        let ways = recovery::ways(self.format_of(&found), &remains, &facts);
        Ok((found, Proposals { damaged, ways }))
    }

    /// A damaged file may not say what it is; what it was does.
    fn format_of(&mut self, found: &Found) -> Format {
        match found.entry.summary.format {
            Format::Unknown => self.good_of(&found.entry).map_or(Format::Unknown, |good| good.format),
            known => known,
        }
    }
}

fn option(damaged: &[u8], way: Way, recovery: Recovery) -> RecoveryOption {
    let both = [damaged, b"\0", recovery.text.as_bytes()].concat();
    let field = |origin: loopdeck_core::ccw::recover::Provenance| FieldOrigin {
        path: origin.path,
        source: origin.source.to_owned(),
    };
    RecoveryOption {
        way,
        fields: recovery.provenance.into_iter().map(field).collect(),
        lost: recovery.lost,
        fingerprint: format!("{:016x}", journal::hash(&both)),
        text: recovery.text,
    }
}

/// The name under which a damaged file is kept: no reader takes it for a loop, and other damage has another one.
fn aside(found: &Found, damaged: &[u8]) -> String {
    let stamp: String =
        times::to_iso_millis(changed(found)).chars().filter(char::is_ascii_alphanumeric).take(15).collect();
    let name = format!("{}.damaged-{stamp}", found.candidate().file);
    let mut there = Vec::new();
    let mut is_free = |name: &str| match files::read(&found.root, &found.root.join(name), &mut there) {
        Ok(_) => there == damaged,
        Err(fault) => fault.is_gone() || (fault.is_empty() && damaged.is_empty()),
    };
    let numbered = (2..100).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| is_free(name));
    free.unwrap_or(name)
}

/// When the damaged file was written.
fn changed(found: &Found) -> times::Millis {
    Stamp::at(&found.path()).map_or_else(|_| clock::now(), Stamp::modified_ms)
}
