//! When a provider serves again, as its error says: a moment, a span, or a time of day with or without date and zone.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp, Zoned};
use loopdeck_text::json_span::tree::{Node, Value};

/// Words before a time; a preposition may follow.
const BEFORE: [&str; 9] = [
    "resets",
    "reset",
    "retry",
    "retry-after",
    "again",
    "available",
    "regain access",
    "refreshes",
    "limit reached|",
];
const PREPOSITIONS: [&str; 5] = ["in", "at", "on", "after", "by"];
/// Characters after such a word that are read.
const WITHIN: usize = 80;
/// A longer wait is no time that a provider tells.
const LONGEST_MS: f64 = 400.0 * 24.0 * 3600.0 * 1000.0;
/// A date without a year that is past by more is one of next year.
const PAST_DAYS: i64 = 60;

/// When a provider serves again.
#[derive(Clone, Debug, PartialEq)]
pub enum Reset {
    /// At this moment: milliseconds since 1970 UTC.
    At(i64),
    /// So many milliseconds after the error.
    After(i64),
    /// At a time of day, perhaps on a day, perhaps in a zone.
    Clock(ClockTime),
}

/// A time as a clock and a calendar show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockTime {
    time: Option<Time>,
    year: Option<i16>,
    /// Month and day.
    day: Option<(i8, i8)>,
    weekday: Option<Weekday>,
    /// 0 for today, 1 for tomorrow.
    ahead: Option<i64>,
    zone: Option<Zone>,
}

#[derive(Clone, Debug, PartialEq)]
enum Zone {
    /// A name of the time zone database.
    Named(String),
    /// Seconds east of UTC.
    Fixed(i32),
}

impl Reset {
    /// The time in a member of an error, by the member's name.
    pub(super) fn from_field(key: &str, value: &Node<'_>) -> Option<Self> {
        let number = value.number();
        let text = match &value.value {
            Value::Text(text) => Some(text.trim()),
            _ => None,
        };
        match key {
            "resets_at"
            | "resetsAt"
            | "reset_at"
            | "resetAt"
            | "reset_time"
            | "resetTime"
            | "quotaResetTimeStamp" => {
                let moment = number.or_else(|| text?.parse().ok()).and_then(moment);
                moment.or_else(|| clock(text?).map(Reset::Clock))
            }
            "resets_in_seconds"
            | "resetsInSeconds"
            | "retry_after"
            | "retryAfter"
            | "retry_after_seconds" => {
                let seconds = number.or_else(|| text?.parse().ok());
                after(seconds.map(|seconds| seconds * 1000.0)).or_else(|| after(duration(text?)))
            }
            "retry_after_ms" => after(number),
            "retryDelay" | "quotaResetDelay" => after(duration(text?)),
            _ => None,
        }
    }

    /// The first time in a sentence.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let text = text.to_lowercase().replace("a.m.", "am").replace("p.m.", "pm");
        let mut places: Vec<(usize, &str)> =
            BEFORE.iter().flat_map(|word| text.match_indices(word).map(|(at, _)| (at, *word))).collect();
        places.sort_unstable_by_key(|(at, word)| (*at, std::cmp::Reverse(word.len())));
        places.into_iter().find_map(|(at, word)| {
            let is_word = !text[..at].ends_with(char::is_alphanumeric);
            let rest = &text[at + word.len()..];
            if !is_word || (!word.ends_with('|') && rest.starts_with(char::is_alphanumeric)) {
                return None;
            }
            let rest: String = rest.chars().take(WITHIN).collect();
            let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
            let (preposition, rest) = PREPOSITIONS
                .iter()
                .find_map(|word| Some((*word, rest.strip_prefix(word)?.strip_prefix(' ')?)))
                .unwrap_or(("", rest));
            let is_span = matches!(preposition, "in" | "after") || word == "retry-after";
            let span = || duration(rest).or_else(|| seconds(rest).filter(|_| is_span));
            epoch(rest).or_else(|| after(span())).or_else(|| clock(rest).map(Reset::Clock))
        })
    }

    /// Which of two times to believe: the larger one.
    pub(super) fn exactness(&self) -> u8 {
        match self {
            Reset::At(_) => 3,
            Reset::After(_) => 2,
            Reset::Clock(_) => 1,
        }
    }

    /// The moment, in milliseconds since 1970 UTC, for an error that was told at `now_ms`. A time of day without a day
    /// is the next such time; one without a zone is in `local`. `None` for a zone or a day that does not exist.
    #[must_use]
    pub fn resolve(&self, now_ms: i64, local: &TimeZone) -> Option<i64> {
        match self {
            Reset::At(ms) => Some(*ms),
            Reset::After(ms) => now_ms.checked_add(*ms),
            Reset::Clock(clock) => clock.resolve(now_ms, local),
        }
    }
}

impl ClockTime {
    fn resolve(&self, now_ms: i64, local: &TimeZone) -> Option<i64> {
        let zone = match &self.zone {
            None => local.clone(),
            Some(Zone::Named(name)) => TimeZone::get(name).ok()?,
            Some(Zone::Fixed(seconds)) => TimeZone::fixed(Offset::from_seconds(*seconds).ok()?),
        };
        let now = Timestamp::from_millisecond(now_ms).ok()?.to_zoned(zone.clone());
        let time = self.time.unwrap_or(Time::midnight());
        let on = |date: Date| -> Option<Zoned> { date.to_datetime(time).to_zoned(zone.clone()).ok() };
        let later = |days: i64| now.date().checked_add(Span::new().days(days)).ok();
        let found = if let Some((month, day)) = self.day {
            let of_year = |year: i16| Date::new(year, month, day).ok().and_then(&on);
            match self.year {
                Some(year) => of_year(year)?,
                None => {
                    let oldest = now.checked_sub(Span::new().days(PAST_DAYS)).ok()?;
                    let this = of_year(now.year()).filter(|found| *found >= oldest);
                    this.or_else(|| of_year(now.year().checked_add(1)?))?
                }
            }
        } else if let Some(weekday) = self.weekday {
            let is_it = |date: &Date| date.weekday() == weekday;
            (0..=7).filter_map(later).filter(is_it).filter_map(on).find(|found| *found > now)?
        } else if let Some(ahead) = self.ahead {
            later(ahead).and_then(on)?
        } else {
            (0..=1).filter_map(later).filter_map(on).find(|found| *found > now)?
        };
        Some(found.timestamp().as_millisecond())
    }
}

/// Seconds or milliseconds since 1970; anything outside 2001 to 5138 is not such a time.
fn moment(number: f64) -> Option<Reset> {
    #[allow(clippy::cast_possible_truncation)] // in range
    let ms = |ms: f64| Some(Reset::At(ms as i64));
    match number {
        seconds if (1e9..1e11).contains(&seconds) => ms(seconds * 1000.0),
        millis if (1e12..1e14).contains(&millis) => ms(millis),
        _ => None,
    }
}

fn epoch(text: &str) -> Option<Reset> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    if digits.len() >= 10 { moment(digits.parse().ok()?) } else { None }
}

#[allow(clippy::cast_possible_truncation)] // in range
fn after(ms: Option<f64>) -> Option<Reset> {
    ms.filter(|ms| (0.0..=LONGEST_MS).contains(ms)).map(|ms| Reset::After(ms.ceil() as i64))
}

/// A number without a unit.
fn seconds(text: &str) -> Option<f64> {
    let (number, rest) = number(text)?;
    (!rest.starts_with(|next: char| next.is_alphanumeric() || next == ':')).then_some(number * 1000.0)
}

/// `18h31m10s`, `3 hours 14 minutes`, `2.4s`: milliseconds.
fn duration(text: &str) -> Option<f64> {
    let (mut sum, mut rest) = (None, text);
    loop {
        let begin = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let begin = begin.strip_prefix("and ").unwrap_or(begin);
        let Some((number, after)) = number(begin) else { return sum };
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let Some(unit) = unit(&after[..end]) else { return sum };
        sum = Some(sum.unwrap_or(0.0) + number * unit);
        rest = &after[end..];
    }
}

fn number(text: &str) -> Option<(f64, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let part = text[digits..]
        .strip_prefix('.')
        .map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let end = if part > 0 { digits + 1 + part } else { digits };
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" | "millisecond" | "milliseconds" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e3,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600e3,
        "d" | "day" | "days" => 24.0 * 3600e3,
        "w" | "week" | "weeks" => 7.0 * 24.0 * 3600e3,
        _ => return None,
    })
}

/// `3pm (Europe/Berlin)`, `Oct 31, 9am`, `Dec 4th, 2025 3:10 PM`, `2026-01-01T00:00:00Z`, `Monday at 15:00 UTC`.
fn clock(text: &str) -> Option<ClockTime> {
    let text = text.to_lowercase();
    let mut found = ClockTime::default();
    let mut words =
        text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let is_last = word.ends_with(['.', ';', ')', '!', ']', '}']);
        let bare = word.trim_matches(|c: char| ".;()!?[]{}\"'`·∙•".contains(c));
        let next = words.peek().map(|next| next.trim_matches(|c: char| ".;()!?,".contains(c)));
        match found.take(bare, next) {
            None => break,
            Some(Taken::Two) => {
                let second = words.next().unwrap_or_default();
                if second.ends_with(['.', ';', '!']) {
                    break;
                }
            }
            Some(Taken::One) if is_last => break,
            Some(Taken::One) => {}
        }
    }
    let is_any =
        found.time.is_some() || found.day.is_some() || found.weekday.is_some() || found.ahead.is_some();
    is_any.then_some(found)
}

/// How many words were understood together.
enum Taken {
    One,
    Two,
}

impl ClockTime {
    /// Takes one word in; `None` for a word that is not of a time.
    fn take(&mut self, word: &str, next: Option<&str>) -> Option<Taken> {
        if matches!(word, "" | "at" | "on" | "the" | "by" | "time") {
            return Some(Taken::One);
        }
        if let Some(date) = word.get(..10).and_then(|date| date.parse::<Date>().ok()) {
            (self.year, self.day) = (Some(date.year()), Some((date.month(), date.day())));
            return self.take_rest_of_iso(&word[10..]);
        }
        if self.time.is_none()
            && let Some((time, taken)) = time_of_day(word, next)
        {
            self.time = Some(time);
            return Some(taken);
        }
        if let Some(month) = month(word) {
            let day = next.and_then(day_of_month)?;
            self.day = Some((month, day));
            return Some(Taken::Two);
        }
        if let Some((day, month)) = day_of_month(word).zip(next.and_then(month)) {
            self.day = Some((month, day));
            return Some(Taken::Two);
        }
        if let Some(year) =
            word.parse::<i16>().ok().filter(|year| (2000..3000).contains(year) && self.day.is_some())
        {
            self.year = Some(year);
            return Some(Taken::One);
        }
        if let Some(weekday) = weekday(word) {
            self.weekday = Some(weekday);
            return Some(Taken::One);
        }
        match word {
            "today" => self.ahead = Some(0),
            "tomorrow" => self.ahead = Some(1),
            _ => self.zone = Some(zone(word)?),
        }
        Some(Taken::One)
    }

    /// `t00:00:00.000z`, `t02:00+02:00`.
    fn take_rest_of_iso(&mut self, rest: &str) -> Option<Taken> {
        let Some(rest) = rest.strip_prefix('t').filter(|rest| !rest.is_empty()) else {
            return rest.is_empty().then_some(Taken::One);
        };
        let end = rest.find(['z', '+', '-']).unwrap_or(rest.len());
        self.time = Some(rest[..end].parse().ok()?);
        if end < rest.len() {
            self.zone = Some(zone(&rest[end..])?);
        }
        Some(Taken::One)
    }
}

/// `3pm`, `3 pm`, `10:10pm`, `15:00`, `15:41:10`, `noon`, `midnight`.
fn time_of_day(word: &str, next: Option<&str>) -> Option<(Time, Taken)> {
    match word {
        "noon" => return Some((Time::constant(12, 0, 0, 0), Taken::One)),
        "midnight" => return Some((Time::midnight(), Taken::One)),
        _ => {}
    }
    let half = |word: &str| ["am", "pm"].into_iter().find(|half| word == *half);
    let (digits, own) = match ["am", "pm"].into_iter().find(|half| word.ends_with(half)) {
        Some(own) => (&word[..word.len() - 2], Some(own)),
        None => (word, None),
    };
    let next = next.and_then(half).filter(|_| own.is_none());
    let mut parts = digits.split(':');
    let mut part = || parts.next().map(|part| part.parse::<i8>().ok().filter(|_| part.len() <= 2));
    let (hour, minute, second) = (part()??, part(), part());
    let is_clock = minute.is_some() || own.is_some() || next.is_some();
    if !is_clock || parts.next().is_some() {
        return None;
    }
    let hour = match own.or(next) {
        Some("pm") if (1..12).contains(&hour) => hour + 12,
        Some("am") if hour == 12 => 0,
        Some(_) if !(1..=12).contains(&hour) => return None,
        _ => hour,
    };
    let time = Time::new(hour, minute.unwrap_or(Some(0))?, second.unwrap_or(Some(0))?, 0).ok()?;
    Some((time, if next.is_some() { Taken::Two } else { Taken::One }))
}

fn named<T: Copy>(word: &str, names: &[(&str, T)]) -> Option<T> {
    let is_it = |name: &str| word.len() >= 3 && name.starts_with(word);
    names.iter().find(|(name, _)| is_it(name)).map(|(_, value)| *value)
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [(&str, i8); 13] = [
        ("january", 1),
        ("february", 2),
        ("march", 3),
        ("april", 4),
        ("may", 5),
        ("june", 6),
        ("july", 7),
        ("august", 8),
        ("september", 9),
        ("sept", 9),
        ("october", 10),
        ("november", 11),
        ("december", 12),
    ];
    named(word, &MONTHS)
}

fn weekday(word: &str) -> Option<Weekday> {
    const DAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    named(word, &DAYS)
}

fn day_of_month(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].into_iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// A name with a slash, an offset, or an abbreviation that is used for one offset only.
fn zone(word: &str) -> Option<Zone> {
    let hours = |hours: i32| Some(Zone::Fixed(hours * 3600));
    let named = |name: &str| Some(Zone::Named(name.to_owned()));
    match word {
        "utc" | "gmt" | "z" => hours(0),
        "pt" | "pacific" => named("America/Los_Angeles"),
        "et" | "eastern" => named("America/New_York"),
        "pst" => hours(-8),
        "pdt" | "mst" => hours(-7),
        "mdt" => hours(-6),
        "cdt" | "est" => hours(-5),
        "edt" => hours(-4),
        "cet" => hours(1),
        "cest" => hours(2),
        "jst" => hours(9),
        _ if word.contains('/') && TimeZone::get(word).is_ok() => named(word),
        _ => offset(word.strip_prefix("utc").or_else(|| word.strip_prefix("gmt")).unwrap_or(word)),
    }
}

/// `+02:00`, `-5`, `+0530`.
fn offset(text: &str) -> Option<Zone> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits = rest.replace(':', "");
    let number: i32 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (hours, minutes) = if digits.len() <= 2 { (number, 0) } else { (number / 100, number % 100) };
    (hours <= 14 && minutes < 60).then_some(Zone::Fixed(sign * (hours * 60 + minutes) * 60))
}
