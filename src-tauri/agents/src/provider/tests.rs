//! Refusals in agents' errors, and the times they tell.

use super::*;
use jiff::tz::TimeZone;

const HOUR: i64 = 3_600_000;
/// 2026-11-29T07:00:00Z, a Sunday.
const NOW: i64 = 1_795_935_600_000;

fn told(message: &str) -> Told {
    Told::from_message(message)
}

fn means(message: &str) -> Option<Refusal> {
    told(message).refusal("message").map(|(means, _)| means)
}

fn berlin() -> TimeZone {
    TimeZone::get("Europe/Berlin").expect("a zone")
}

#[test]
fn every_row_of_the_table_has_a_source_and_is_found() {
    for class in CLASSES {
        assert!(!class.source.is_empty(), "{}", class.word);
        assert_eq!(of_class(class.word), Some(class.means), "{}", class.word);
        assert_eq!(means(&format!("Error: {}: x", class.word)), Some(class.means), "{}", class.word);
        assert_eq!(means(&format!(r#"{{"error":{{"type":"{}"}}}}"#, class.word)), Some(class.means));
    }
    for sentence in SENTENCES {
        let text = sentence.words.join("some ");
        assert!(!sentence.source.is_empty(), "{text}");
        assert_eq!(sentence_in(&text), Some(sentence.means), "{text}");
        assert_eq!(sentence_in(&format!("It failed: {text}.")), Some(sentence.means), "{text}");
        assert_eq!(sentence_in(&format!("The file says {text}")), None, "{text}");
    }
}

#[test]
fn typed_words_are_found_at_any_depth_and_decide_before_sentences() {
    let nested = r#"[API Error: {"error":{"message":"{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"You exceeded your current quota\",\n    \"status\": \"RESOURCE_EXHAUSTED\"\n  }\n}\n","code":429,"status":"Too Many Requests"}}]"#;
    let found = told(nested);
    assert_eq!(found.refusal("m"), Some((Refusal::Limit, "m=RESOURCE_EXHAUSTED".to_owned())));
    assert_eq!(found.line.as_deref(), Some("You exceeded your current quota"));
    let rows = [
        (
            r#"API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}"#,
            Some(Refusal::Limit),
        ),
        ("API Error: 401 Unauthorized", Some(Refusal::SignIn)),
        ("[API Error: 429 Free allocated quota exceeded.]", Some(Refusal::Limit)),
        ("unexpected status 402 Payment Required: top up", Some(Refusal::Limit)),
        ("exceeded retry limit, last status: 429 Too Many Requests", Some(Refusal::Limit)),
        ("TerminalQuotaError: quota", Some(Refusal::Limit)),
        ("You’ve hit your limit", Some(Refusal::Limit)),
        ("shared rollout token budget exhausted", Some(Refusal::OwnBudget)),
        (r#"API Error: 403 {"error":{"code":"insufficient_quota"}}"#, Some(Refusal::Limit)),
        ("API Error: 500 Internal Server Error", None),
        ("Selected model is at capacity. Please try a different model.", None),
        ("stream disconnected before completion: the reply said 429 and 401", None),
        ("the file says 429", None),
        ("I wrote the words \"rate limit reached for\" into the file", None),
        ("", None),
    ];
    for (message, expected) in rows {
        assert_eq!(means(message), expected, "{message}");
    }
}

#[test]
fn the_reason_is_the_sentence_and_not_what_is_wrapped_around_it() {
    let line = |message: &str| told(message).line.unwrap_or_default();
    assert_eq!(line("[API Error: You have exhausted your quota.]"), "You have exhausted your quota.");
    assert_eq!(
        line(r#"API Error: 400 {"type":"error","error":{"type":"x","message":"No such model"}}"#),
        "No such model"
    );
    assert_eq!(line("It broke"), "It broke");
    assert_eq!(line(r#"The service answered: {"error":1}"#), "The service answered");
    let raw = line(&format!(r#"{{"a":"{}"}}"#, "x".repeat(5000)));
    assert_eq!((raw.len(), raw.starts_with(r#"{"a":"x"#)), (LONGEST_RAW, true));
}

#[test]
fn times_of_a_reset_are_understood_as_they_are_told() {
    // The time now is 08:00 in Berlin.
    let day = 24 * HOUR;
    let rows: [(&str, Option<i64>); 34] = [
        ("You've hit your limit · resets 3pm (Europe/Berlin)", Some(7 * HOUR)),
        ("You've hit your limit · resets 7am (Europe/Berlin)", Some(23 * HOUR)),
        ("resets 10:10pm (Europe/Madrid)", Some(14 * HOUR + 600_000)),
        ("resets 2pm (Asia/Shanghai)", Some(23 * HOUR)),
        ("resets 8pm", Some(12 * HOUR)),
        ("resets at 15:00 UTC", Some(8 * HOUR)),
        ("resets at midnight", Some(16 * HOUR)),
        ("Limit resets at noon UTC+2.", Some(3 * HOUR)),
        ("or try again at 3:41 PM.", Some(7 * HOUR + 41 * 60_000)),
        ("try again at 3:41 p.m. today", Some(7 * HOUR + 41 * 60_000)),
        ("try again at Dec 4th, 2026 3:10 PM.", Some(5 * day + 7 * HOUR + 600_000)),
        ("Opus weekly limit reached ∙ resets Dec 1, 9am", Some(2 * day + HOUR)),
        ("resets Dec 1 at 9am (Europe/Berlin)", Some(2 * day + HOUR)),
        ("resets 1 December, 9am", Some(2 * day + HOUR)),
        ("resets Jan 2, 8am", Some(34 * day)),
        ("resets Nov 28, 8am", Some(-day)),
        ("resets Dec 1", Some(day + 16 * HOUR)),
        ("resets Monday at 8:00", Some(day)),
        ("resets tomorrow at 8am", Some(day)),
        ("You will regain access on 2026-12-01 at 00:00 UTC.", Some(day + 17 * HOUR)),
        ("resets 2026-11-30T07:00:00Z", Some(day)),
        ("resets at 2026-11-30T08:00:00.000+01:00", Some(day)),
        ("Claude AI usage limit reached|1795939200", Some(HOUR)),
        ("resets at 1795939200000", Some(HOUR)),
        ("Your quota will reset after 18h31m10s.", Some(18 * HOUR + 31 * 60_000 + 10_000)),
        ("Try again in 3 hours 14 minutes.", Some(3 * HOUR + 14 * 60_000)),
        ("Try again in 5 days, 2 hours and 1 second", Some(5 * day + 2 * HOUR + 1000)),
        ("Please try again in 2.4s. Visit x.", Some(2400)),
        ("Please retry in 34.074824224s.", Some(34_075)),
        ("retry after 30", Some(30_000)),
        ("Please try again later. It resets in 5m", Some(300_000)),
        ("try again in a moment", None),
        ("resets 3pm (Mars/Olympus)", Some(7 * HOUR)),
        ("presets 3pm", None),
    ];
    for (message, expected) in rows {
        let ms = told(message).reset.and_then(|reset| reset.resolve(NOW, &berlin()));
        assert_eq!(ms.map(|ms| ms - NOW), expected, "{message}");
    }
}

#[test]
fn typed_times_win_over_words() {
    let both = r#"{"type":"error","error":{"type":"usage_limit_reached","message":"Try again in 1 hour","resets_at":1795939200,"resets_in_seconds":13872}}"#;
    assert_eq!(told(both).reset, Some(Reset::At(1_795_939_200_000)));
    let rows = [
        (r#"{"error":{"resets_in_seconds":13872}}"#, Some(13_872_000)),
        (r#"{"error":{"details":[{"retryDelay":"34.5s"}]}}"#, Some(34_500)),
        (r#"{"error":{"metadata":{"quotaResetDelay":"3h24m2.5s"}}}"#, Some(3 * HOUR + 24 * 60_000 + 2500)),
        (r#"{"retry_after":"30"}"#, Some(30_000)),
        (r#"{"resets_at":"2026-11-29T08:00:00Z"}"#, Some(HOUR)),
        (r#"{"resets_at":5}"#, None),
        (r#"{"retry_after":-5}"#, None),
    ];
    for (message, expected) in rows {
        let ms = told(message).reset.and_then(|reset| reset.resolve(NOW, &berlin()));
        assert_eq!(ms.map(|ms| ms - NOW), expected, "{message}");
    }
}

#[test]
fn a_time_of_day_holds_where_clocks_are_changed() {
    // 2026-03-28T12:00:00Z; clocks go forward in Berlin in the night.
    let before = 1_774_699_200_000;
    let reset =
        told("resets 9am (Europe/Berlin)").reset.and_then(|reset| reset.resolve(before, &TimeZone::UTC));
    assert_eq!(reset.map(|ms| ms - before), Some(19 * HOUR));
}
