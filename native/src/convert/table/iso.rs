//! Points in time as ISO 8601 text.

use recask_core::dtype::{TimeUnit, Unit};
use recask_core::table::filter::Instant;

/// The text of a `datetime64`: `2024-02-29T12:30:00.250`, as exact as the unit is and without a time zone, as NumPy prints
/// it; `NaT` for that.
///
/// ```
/// use recask::convert::table::iso_time;
/// use recask::core::dtype::{TimeUnit, Unit};
///
/// assert_eq!(iso_time(19_782, TimeUnit::of(Unit::Day)), "2024-02-29");
/// assert_eq!(iso_time(-1, TimeUnit::of(Unit::Millisecond)), "1969-12-31T23:59:59.999");
/// ```
#[must_use]
pub fn iso_time(ticks: i64, unit: TimeUnit) -> String {
    if ticks == i64::MIN {
        return "NaT".to_owned();
    }
    let count = i128::from(ticks) * i128::from(unit.multiple());
    let (per_second, digits) = match unit.unit() {
        Unit::Year => return year(1970 + count),
        Unit::Month => {
            return format!("{}-{:02}", year(1970 + count.div_euclid(12)), count.rem_euclid(12) + 1);
        }
        Unit::Week => return date(count * 7),
        Unit::Day => return date(count),
        Unit::Hour => {
            return format!("{}T{:02}", date(count.div_euclid(24)), count.rem_euclid(24));
        }
        Unit::Minute => {
            let minutes = count.rem_euclid(24 * 60);
            let day = date(count.div_euclid(24 * 60));
            return format!("{day}T{:02}:{:02}", minutes / 60, minutes % 60);
        }
        Unit::Second => (1, 0),
        Unit::Millisecond => (1_000, 3),
        Unit::Microsecond => (1_000_000, 6),
        Unit::Nanosecond => (1_000_000_000, 9),
        Unit::Picosecond => (1_000_000_000_000, 12),
        Unit::Femtosecond => (1_000_000_000_000_000, 15),
        Unit::Attosecond => (1_000_000_000_000_000_000, 18),
    };
    let (seconds, fraction) = (count.div_euclid(per_second), count.rem_euclid(per_second));
    let (day, second) = (date(seconds.div_euclid(86_400)), seconds.rem_euclid(86_400));
    let time = format!("{day}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if digits == 0 { time } else { format!("{time}.{fraction:0digits$}") }
}

fn year(year: i128) -> String {
    if year < 0 { format!("-{:04}", -year) } else { format!("{year:04}") }
}

/// The Gregorian date, counted in days since 1970-01-01. Years begin in March here, so that the leap day is the last.
fn date(days: i128) -> String {
    const ERA: i128 = 146_097;
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let calendar_year = year_of_era + era * 400 + i128::from(month <= 2);
    format!("{}-{month:02}-{day:02}", year(calendar_year))
}

/// Reads what is certainly meant as a date, `2024-02-29`, or as a time, `2024-02-29T12:30`, with seconds, up to nine
/// digits of a fraction and `Z` where there are; answers the longest of `D`, `s`, `ms`, `us`, `ns` that it is whole in.
pub(super) fn parse_iso(text: &str) -> Option<(Instant, Unit)> {
    let date = text.get(..10)?;
    if !fits(date, "0000-00-00") {
        return None;
    }
    let unit = match text.get(10..)? {
        "" => Unit::Day,
        time => {
            let time = time.strip_prefix(['T', ' '])?;
            let time = time.strip_suffix('Z').unwrap_or(time);
            let (time, fraction) =
                time.split_once('.').map_or((time, None), |(time, rest)| (time, Some(rest)));
            let is_time = fits(time, "00:00:00") || (fraction.is_none() && fits(time, "00:00"));
            if !is_time {
                return None;
            }
            match fraction.map_or(0, str::len) {
                0 if fraction.is_some() => return None,
                0 => Unit::Second,
                1..=3 => Unit::Millisecond,
                4..=6 => Unit::Microsecond,
                7..=9 => Unit::Nanosecond,
                _ => return None,
            }
        }
    };
    Some((Instant::parse(text)?, unit))
}

/// Whether a text has digits where the form has, and otherwise its characters.
fn fits(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(
            |(byte, form)| {
                if form == b'0' { byte.is_ascii_digit() } else { byte == form }
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_what_numpy_prints() {
        // Each as str(numpy.datetime64(ticks, unit)).
        for (ticks, unit, text) in [
            (-1, Unit::Year, "1969"),
            (649, Unit::Month, "2024-02"),
            (-1, Unit::Month, "1969-12"),
            (1, Unit::Week, "1970-01-08"),
            (19_782, Unit::Day, "2024-02-29"),
            (11_016, Unit::Day, "2000-02-29"),
            (47_541, Unit::Day, "2100-03-01"),
            (25, Unit::Hour, "1970-01-02T01"),
            (-1, Unit::Minute, "1969-12-31T23:59"),
            (86_399, Unit::Second, "1970-01-01T23:59:59"),
            (1, Unit::Nanosecond, "1970-01-01T00:00:00.000000001"),
            (i64::MAX, Unit::Second, "292277026596-12-04T15:30:07"),
            (i64::MAX, Unit::Attosecond, "1970-01-01T00:00:09.223372036854775807"),
            (i64::MIN, Unit::Second, "NaT"),
        ] {
            assert_eq!(iso_time(ticks, TimeUnit::of(unit)), text, "{ticks} {unit:?}");
        }
        assert_eq!(iso_time(-719_529, TimeUnit::of(Unit::Day)), "-0001-12-31");
        assert_eq!(iso_time(3, TimeUnit::new(25, Unit::Microsecond).unwrap()), "1970-01-01T00:00:00.000075");
    }

    #[test]
    fn what_is_printed_is_read_back_in_the_units_that_are_inferred() {
        for unit in [Unit::Day, Unit::Second, Unit::Millisecond, Unit::Microsecond, Unit::Nanosecond] {
            for ticks in [0, 1, -1, 16_789, -719_162] {
                let text = iso_time(ticks, TimeUnit::of(unit));
                let (instant, found) = parse_iso(&text).unwrap_or_else(|| panic!("{text}"));
                assert_eq!(found, unit, "{text}");
                assert_eq!(instant.to_ticks(TimeUnit::of(unit)), Some(ticks), "{text}");
            }
        }
        let (noon, unit) = parse_iso("1970-01-01 12:00Z").unwrap();
        assert_eq!((noon.to_ticks(TimeUnit::of(Unit::Hour)), unit), (Some(12), Unit::Second));
    }

    #[test]
    fn other_text_is_no_time() {
        for text in [
            "",
            "2024",
            "2024-02",
            "24-02-29",
            "2024-02-30",
            "2024-2-29",
            "2024-02-29T",
            "2024-02-29T12",
            "2024-02-29T12:30.5",
            "2024-02-29T25:00",
            "2024-02-29T12:30:00.",
            "2024-02-29T12:30:00.1234567890",
            "2024-02-29T12:30:00+02:00",
            "2024-02-29x",
            "２024-02-29",
            "2024-02-29T12:30:00,5",
        ] {
            assert_eq!(parse_iso(text), None, "{text}");
        }
    }
}
