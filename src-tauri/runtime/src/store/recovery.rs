//! A state file that cannot be read, or that is another loop's: proposals next to what is there, and writing one when the
//! person agreed.

use crate::loop_reader::LocatedLoop;
use crate::observe::companions;
use crate::store::draft::PutBack;
use crate::store::journal::LoopRef;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, FieldOrigin, RecoveryOption, RecoveryPage};
use loopdeck_core::format::{FileFacts, Format};
use loopdeck_core::formats::ccw::recover::Recovery;
use loopdeck_core::recovery::{self, ProposalSource, Remains, Supplied};
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::status::FileStatus;
use loopdeck_core::times;
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::{clock, files};
use std::sync::Arc;

const RECOVER: &str = "recover";
/// Of what is there so much is shown.
const SHOWN: usize = 1 << 20;
/// So far back a version is looked for that is of this loop.
const MOST_VERSIONS: u32 = 50;

/// What a person agreed to.
#[derive(Debug)]
pub(crate) struct Agreed {
    /// Which proposal.
    pub way: ProposalSource,
    /// As the person saw it.
    pub fingerprint: String,
    /// What the person typed in over it.
    pub supplied: Supplied,
}

/// A damaged loop with what can be made of it.
struct Proposals {
    damaged: Vec<u8>,
    format: Format,
    ways: Vec<(ProposalSource, Recovery)>,
}

impl WorkspaceStore {
    /// What can be made of the damaged loop `key`.
    pub(crate) fn recovery(&mut self, key: &str) -> Result<RecoveryPage, Failure> {
        let (found, Proposals { damaged, format, ways }) = self.proposals(key)?;
        let shown = &damaged[..damaged.len().min(SHOWN)];
        let there = String::from_utf8_lossy(shown);
        Ok(RecoveryPage {
            file: found.candidate().file.clone(),
            lossy: matches!(there, std::borrow::Cow::Owned(_)),
            there: there.into_owned(),
            aside: name_aside(&found, &damaged),
            options: ways
                .into_iter()
                .map(|(way, recovery)| recovery_option(format, &damaged, way, recovery))
                .collect(),
        })
    }

    /// Sets the damaged file aside and writes the proposal that the person saw, with what the person typed in.
    pub(crate) fn recover(&mut self, key: &str, wanted: &Agreed) -> Result<(), Failure> {
        let (found, Proposals { damaged, format, ways }) = self.proposals(key)?;
        let is_readable = found.entry.summary.status != FileStatus::Unreadable;
        if is_readable && found.entry.work.alive {
            return Err(Refusal::new(RefusalCode::Running).into());
        }
        let file = found.candidate().file.clone();
        let agreed = ways
            .into_iter()
            .map(|(own, recovery)| recovery_option(format, &damaged, own, recovery))
            .find(|option| option.way == wanted.way && option.fingerprint == wanted.fingerprint);
        let agreed = agreed.ok_or_else(|| Failure::new(FailureKind::ChangedSince).with("path", &file))?;
        let text = recovery::supply(format, &agreed.text, &wanted.supplied, &facts(&found))?;
        let moment = self.moment();
        let text = recovery::stamped(format, wanted.way, text, moment.at);
        let copy = name_aside(&found, &damaged);
        match files::create(&found.root, &found.root.join(&copy), &damaged) {
            // Set aside already.
            Ok(_) | Err(files::ReplaceFault::Changed(_)) => {}
            Err(files::ReplaceFault::Io(error)) => {
                return Err(Failure::new(FailureKind::Disk).with("path", copy).with("reason", error));
            }
        }
        let put = PutBack {
            word: RECOVER,
            bytes: text.into_bytes(),
            readable: true,
            over: Some(damaged),
            ends: true,
        };
        self.put_back(&found.entry, &put, moment)
    }

    fn proposals(&mut self, key: &str) -> Result<(LocatedLoop, Proposals), Failure> {
        let found = self.read_catalog(|catalog| LocatedLoop::in_catalog(catalog, key))?;
        if !recovery::is_recoverable(&found.entry.summary) {
            return Err(Refusal::new(RefusalCode::NothingToRepair).into());
        }
        let damaged = found.bytes_there()?;
        let stem = found.candidate().stem().to_owned();
        let is_another = recovery::is_of_another(&damaged, &stem);
        let last_good = self.good_version(key, &found)?;
        let companions = companions::companions(&found.root, found.candidate());
        let backup = companions::companion_bytes(&found.root, found.candidate(), ".json.backup");
        let elsewhere = is_another.then(|| companions::elsewhere(&found.root, found.candidate())).flatten();
        let remains = Remains {
            damaged: &damaged,
            last_good: last_good.as_deref(),
            backup: backup.as_deref(),
            elsewhere: elsewhere.as_deref(),
            companions: &companions,
        };
        let format = recovery::format_of(self.format_of(&found), &damaged, &stem);
        let ways = recovery::proposals(format, &remains, &facts(&found));
        Ok((found, Proposals { damaged, format, ways }))
    }

    /// What the loop said last, before its file was damaged or became another loop's.
    fn good_version(&mut self, key: &str, found: &LocatedLoop) -> Result<Option<Arc<[u8]>>, Failure> {
        let stem = found.candidate().stem();
        let newest = self.recall_good(key)?.or_else(|| found.last_good());
        if newest.as_deref().is_none_or(|bytes| !recovery::is_of_another(bytes, stem)) {
            return Ok(newest);
        }
        let workspace = found.root.to_string_lossy();
        let of = LoopRef { workspace: &workspace, file: &found.candidate().file };
        let versions = self.journal.versions(of, MOST_VERSIONS).unwrap_or_default();
        for version in versions.into_iter().filter(|version| version.readable) {
            if let Ok(Some((_, bytes))) = self.journal.version(of, version.id)
                && recovery::is_of(&bytes, stem)
            {
                return Ok(Some(bytes.into()));
            }
        }
        Ok(None)
    }

    /// A damaged file may not say what it is; what it was does.
    fn format_of(&mut self, found: &LocatedLoop) -> Format {
        match found.entry.summary.format {
            Format::Unknown => self.good_of(&found.entry).map_or(Format::Unknown, |good| good.format),
            known => known,
        }
    }
}

/// The same proposal every time for the same damage: times of which nothing is left are those of the file.
fn facts(found: &LocatedLoop) -> FileFacts<'_> {
    let now = changed(found);
    FileFacts { stem: found.candidate().stem(), modified: now, now }
}

fn recovery_option(
    format: Format,
    damaged: &[u8],
    way: ProposalSource,
    recovery: Recovery,
) -> RecoveryOption {
    let both = [damaged, b"\0", recovery.text.as_bytes()].concat();
    let field = |origin: loopdeck_core::formats::ccw::recover::Provenance| FieldOrigin {
        path: origin.path,
        source: origin.source.to_owned(),
    };
    RecoveryOption {
        way,
        asked: recovery::asked(format, &recovery),
        recovered: recovery.recovered,
        known: recovery.known,
        fields: recovery.provenance.into_iter().map(field).collect(),
        lost: recovery.lost,
        fingerprint: format!("{:016x}", loopdeck_system::hash::hash(&both)),
        text: recovery.text,
    }
}

/// The name under which a damaged file is kept: no reader takes it for a loop, and other damage has another one.
fn name_aside(found: &LocatedLoop, damaged: &[u8]) -> String {
    let stamp: String =
        times::to_iso_millis(changed(found)).chars().filter(char::is_ascii_alphanumeric).take(15).collect();
    let name = format!("{}.damaged-{stamp}", found.candidate().on_disk());
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
fn changed(found: &LocatedLoop) -> times::Timestamp {
    Fingerprint::at(&found.path()).map_or_else(|_| clock::now(), Fingerprint::modified)
}
