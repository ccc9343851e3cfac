//! Properties that hold for any output.

use super::{FOLDERS, names, output};
use loopdeck_agents::decode::Feed;
use loopdeck_agents::event::AgentEvent;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::outcome::{ExitHow, Outcome, judge};
use loopdeck_agents::usage::{Usage, share};
use loopdeck_agents::{OutputKind, Stream};
use proptest::prelude::*;

/// Events and facts of `bytes`, split into chunks of the given lengths, repeatedly.
fn in_chunks(kind: OutputKind, bytes: &[u8], lengths: &[usize]) -> (Vec<AgentEvent>, Facts) {
    let (mut feed, mut events, mut rest) = (Feed::new(kind), Vec::new(), bytes);
    for length in lengths.iter().copied().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, more) = rest.split_at(length.min(rest.len()));
        events.extend(feed.push(Stream::Stdout, chunk));
        rest = more;
    }
    events.extend(feed.end());
    (events, feed.facts().clone())
}

fn kinds() -> impl Strategy<Value = OutputKind> {
    prop::sample::select(OutputKind::ALL.to_vec())
}

/// All fixtures, and bytes that look a little like them.
fn outputs() -> impl Strategy<Value = Vec<u8>> {
    let fixtures: Vec<Vec<u8>> = FOLDERS
        .into_iter()
        .flat_map(|(kind, _)| names(kind).into_iter().map(move |name| output(kind, &name)))
        .collect();
    let fixture = prop::sample::select(fixtures);
    let damaged =
        (fixture.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        });
    let pieces =
        ["{", "}", "[", "\"", "type", ":", "result", "\\ud83d", "é", "\n", "\r\n", "1e999", "null", ","];
    let soup = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60)
        .prop_map(|all| all.concat().into_bytes());
    prop_oneof![fixture, damaged, soup, prop::collection::vec(any::<u8>(), 0..400)]
}

proptest! {
    #[test]
    fn chunks_change_nothing(
        kind in kinds(),
        bytes in outputs(),
        lengths in prop::collection::vec(1_usize..40, 1..6),
    ) {
        let whole = in_chunks(kind, &bytes, &[usize::MAX]);
        prop_assert_eq!(in_chunks(kind, &bytes, &lengths), whole);
    }

    #[test]
    fn every_event_is_small_and_can_be_stored(kind in kinds(), bytes in outputs()) {
        let (events, facts) = in_chunks(kind, &bytes, &[usize::MAX]);
        for event in &events {
            let long = matches!(event, AgentEvent::Text { text, .. } if text.text.len() > 4096);
            prop_assert!(!long);
            let json = serde_json::to_string(event).expect("serialisable");
            prop_assert!(serde_json::from_str::<AgentEvent>(&json).is_ok(), "{}", json);
        }
        for exit in [ExitHow::Code(0), ExitHow::Code(1), ExitHow::Signal(9), ExitHow::StillRunning] {
            let verdict = judge(kind, &facts, exit, None);
            prop_assert!(!verdict.from.is_empty());
            // Nothing is ok unless it said so itself, in a final event or by its exit.
            let said = facts.last.as_ref().and_then(|last| last.error) == Some(false);
            let text = kind == OutputKind::Text && exit == ExitHow::Code(0);
            prop_assert!(verdict.outcome != Outcome::Ok || said || text);
        }
    }

    #[test]
    fn shares_add_up_to_what_was_reported(steps in prop::collection::vec((0_u64..1000, 0_u64..1000), 1..8)) {
        let (mut baseline, mut sum, mut total) = (None, Usage::default(), Usage::default());
        for (input, output) in steps {
            total = total.plus(Usage { input, output, ..Usage::default() });
            let part = share(OutputKind::CodexJsonl, total, baseline);
            sum = sum.plus(part.run);
            baseline = Some(part.baseline);
        }
        prop_assert_eq!(sum, total);
    }
}
