//! Points in time as files write them.

/// Milliseconds since 1970 of a time such as `2026-05-01T10:00:00.5+02:00`; without an offset it is UTC.
pub(crate) fn moment(text: &str) -> Option<i64> {
    let bytes = text.trim().as_bytes();
    let number = |from: usize, length: usize| -> Option<i64> {
        let digits = bytes.get(from..from + length)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    };
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|byte| any.contains(byte));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"T ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let seconds = number(11, 2)? * 3_600 + number(14, 2)? * 60 + number(17, 2)?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let mut at = 19;
    let mut part = 0;
    if is(at, b".") {
        let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        part = (0..3).fold(0, |sum, digit| {
            sum * 10 + if digit < digits { i64::from(bytes[at + 1 + digit] - b'0') } else { 0 }
        });
        at += 1 + digits;
    }
    let offset = match bytes.get(at) {
        None | Some(b'Z' | b'z') => 0,
        Some(sign @ (b'+' | b'-')) => {
            let minutes = number(at + 1, 2)? * 60 + number(at + 4, 2).or_else(|| number(at + 3, 2))?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        Some(_) => return None,
    };
    Some((days(year, month, day) * 86_400 + seconds - offset * 60) * 1_000 + part)
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the day that only some have is their last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn offsets_and_fractions_count() {
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(moment("2000-03-01T00:00:00Z"), Some(951_868_800_000));
        assert_eq!(moment("2026-11-29T12:00:00+00:00"), Some(1_795_953_600_000));
        assert_eq!(moment("2026-11-29 14:00:00.123456789+02:00"), Some(1_795_953_600_123));
        assert_eq!(moment("2026-11-29T06:30:00.5-0530"), Some(1_795_953_600_500));
        for other in
            ["", "2026-11-29", "2026-13-01T00:00:00Z", "2026-11-29T12:00:00 o'clock", "yesterday at noon, x"]
        {
            assert_eq!(moment(other), None, "{other}");
        }
    }
}
