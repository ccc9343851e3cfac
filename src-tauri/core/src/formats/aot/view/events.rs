//! Events recorded in an AoT state file, for the timeline: selections, corrections, decompositions.

use crate::timeline::{EVENT_FILES, EVENT_TEXT, Timeline};
use crate::view::{
    CorrectionView, DecompositionView, EventKind, EventSays, EventView, LoopDetail, TrailView,
};
use loopdeck_text::shorten;

/// Fills the events of `detail` from its trail, corrections and decompositions.
pub(crate) fn fill(detail: &mut LoopDetail) {
    let mut timeline = Timeline::default();
    timeline.add(detail.trail.iter().map(selection));
    timeline.add(detail.corrections.iter().map(correction));
    timeline.add(detail.decompositions.iter().map(decomposition));
    (detail.events, detail.events_total) = timeline.finish();
}

fn selection(entry: &TrailView) -> EventView {
    let text = match &entry.other {
        Some(other) => other.clone(),
        None if entry.or_group.is_empty() => entry.reason.clone(),
        None => format!("{}: {}", entry.or_group, entry.reason),
    };
    EventView {
        time: entry.time.clone(),
        kind: EventKind::Trail,
        subject: Some(entry.selected.clone()).filter(|atom| !atom.is_empty()),
        text: shorten(&text, EVENT_TEXT),
        ..EventView::default()
    }
}

fn correction(entry: &CorrectionView) -> EventView {
    EventView {
        time: entry.time.clone(),
        kind: EventKind::Correction,
        text: shorten(&format!("{}: {}", entry.word, entry.description), EVENT_TEXT),
        says: EventSays::Correction {
            kind: entry.kind,
            word: entry.word.clone(),
            description: shorten(&entry.description, EVENT_TEXT),
        },
        ..EventView::default()
    }
}

fn decomposition(entry: &DecompositionView) -> EventView {
    let children: Vec<_> = entry.children.iter().take(EVENT_FILES).map(String::as_str).collect();
    EventView {
        time: entry.time.clone(),
        kind: EventKind::Decomposition,
        subject: Some(entry.parent.clone()),
        text: shorten(&format!("{}: {}", children.join(", "), entry.reason), EVENT_TEXT),
        ..EventView::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::TimeView;
    use crate::view::CorrectionKind;

    #[test]
    fn a_correction_is_of_a_known_kind_or_shown_as_written() {
        use CorrectionKind::{BindingsOverride, ConstraintChange, DagAdjustment, ObjectiveChange, Other};
        for (word, kind) in [
            ("objective_change", ObjectiveChange),
            ("dag_adjustment", DagAdjustment),
            ("constraint_change", ConstraintChange),
            ("bindings_override", BindingsOverride),
            ("user_correction", Other),
            ("", Other),
        ] {
            assert_eq!(CorrectionKind::from_word(word), kind, "{word}");
        }
    }

    #[test]
    fn what_happened_comes_in_the_order_of_time() {
        let at = |text: &str| Some(TimeView::read(text, false));
        let mut detail = LoopDetail {
            trail: vec![TrailView {
                or_group: "g".to_owned(),
                selected: "A2".to_owned(),
                reason: "smaller".to_owned(),
                time: at("2026-01-02T00:00:00Z"),
                ..TrailView::default()
            }],
            corrections: vec![CorrectionView {
                time: at("2026-01-03T00:00:00Z"),
                kind: CorrectionKind::DagAdjustment,
                word: "dag_adjustment".to_owned(),
                description: "d".to_owned(),
                ..CorrectionView::default()
            }],
            decompositions: vec![DecompositionView {
                parent: "A1".to_owned(),
                children: vec!["B1".to_owned(), "B2".to_owned()],
                done: 0,
                total: 2,
                reason: "large".to_owned(),
                time: at("2026-01-01T00:00:00Z"),
            }],
            ..LoopDetail::default()
        };
        fill(&mut detail);
        let said: Vec<_> = detail
            .events
            .iter()
            .map(|event| (event.kind, event.subject.as_deref(), event.text.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                (EventKind::Decomposition, Some("A1"), "B1, B2: large"),
                (EventKind::Trail, Some("A2"), "g: smaller"),
                (EventKind::Correction, None, "dag_adjustment: d"),
            ]
        );
        assert_eq!(detail.events_total, 3);
        let (kind, word) = (CorrectionKind::DagAdjustment, "dag_adjustment".to_owned());
        let says = EventSays::Correction { kind, word, description: "d".to_owned() };
        assert_eq!(detail.events[2].says, says);
    }
}
