//! Points and lengths of time, exact to the attosecond, and how they are written.

use alloc::format;
use core::fmt;

use crate::dtype::{TimeUnit, Unit};

/// Attoseconds of one second.
const SECOND: i128 = 1_000_000_000_000_000_000;
pub(super) const DAY: i128 = 86_400 * SECOND;
/// Years beyond this are not written in filters; their attoseconds would not fit.
const MAX_YEAR: i64 = 1_000_000_000_000;
/// What a text can name: 18 digits of months.
const MAX_MONTHS: u128 = 1_000_000_000_000_000_000;

/// A point in time without a time zone: attoseconds since 1970-01-01T00:00:00, in the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub(super) i128);

/// A length of time: a fixed one, or a number of calendar months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span(pub(super) Length);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Length {
    /// Attoseconds.
    Fixed(i128),
    Months(i128),
}

impl Instant {
    /// The instant `ticks` units after 1970, as NumPy's `datetime64` counts; `None` for NaT and where it does not fit.
    #[must_use]
    pub fn from_ticks(ticks: i64, unit: TimeUnit) -> Option<Self> {
        if ticks == i64::MIN {
            return None;
        }
        let since = match length_of(unit)? {
            Length::Fixed(length) => i128::from(ticks).checked_mul(length)?,
            Length::Months(months) => {
                days_of_month(i128::from(ticks).checked_mul(months)?).checked_mul(DAY)?
            }
        };
        let year = civil(since.div_euclid(DAY)).0;
        (year.unsigned_abs() <= u128::from(MAX_YEAR.unsigned_abs())).then_some(Instant(since))
    }

    /// How many units after 1970 it is; `None` where that is no whole number, or none of 64 bits.
    ///
    /// ```
    /// use recask_core::dtype::{TimeUnit, Unit};
    /// use recask_core::table::filter::Instant;
    ///
    /// let leap_day = Instant::parse("2020-02-29").unwrap();
    /// assert_eq!(leap_day.to_ticks(TimeUnit::of(Unit::Day)), Some(18_321));
    /// assert_eq!(leap_day.to_ticks(TimeUnit::of(Unit::Year)), None);
    /// ```
    #[must_use]
    pub fn to_ticks(self, unit: TimeUnit) -> Option<i64> {
        let (since, length) = match length_of(unit)? {
            Length::Fixed(length) => (self.0, length),
            Length::Months(months) => match self.month() {
                (month, true) => (month, months),
                (_, false) => return None,
            },
        };
        let ticks = i64::try_from((since % length == 0).then_some(since / length)?).ok()?;
        // That number is NaT.
        (ticks != i64::MIN).then_some(ticks)
    }

    /// Reads `2020`, `2020-01`, `2020-01-31`, and the last with `T` or a space and `12`, `12:30`, `12:30:59` or
    /// `12:30:59.123456789`, and `Z` at the end.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let (date, time) = match rest.split_once(['T', ' ', 't']) {
            Some((date, time)) => (date, Some(time.trim_end_matches(['Z', 'z']))),
            None => (rest, None),
        };
        let mut parts = date.split('-');
        let year_digits = parts.next()?;
        let year = digits(year_digits, 4, 13)?;
        let month = parts.next().map_or(Some(1), |part| digits(part, 2, 2))?;
        let day = parts.next();
        let has_day = day.is_some();
        let day = day.map_or(Some(1), |part| digits(part, 2, 2))?;
        let year = if negative { -year } else { year };
        let is_leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
        let length = match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let is_date = parts.next().is_none()
            && year.abs() <= MAX_YEAR
            && (1..=12).contains(&month)
            && (1..=length).contains(&day)
            && (has_day || time.is_none());
        if !is_date {
            return None;
        }
        let days =
            days_of_month((i128::from(year) - 1970) * 12 + i128::from(month - 1)) + i128::from(day - 1);
        Some(Instant(days * DAY + time.map_or(Some(0), time_of_day)?))
    }

    /// The month that holds it, counted from 1970, and whether it is that month's first moment.
    pub(super) fn month(self) -> (i128, bool) {
        let days = self.0.div_euclid(DAY);
        let (year, month, day) = civil(days);
        ((year - 1970) * 12 + month - 1, day == 1 && self.0.rem_euclid(DAY) == 0)
    }
}

impl Span {
    /// `ticks` units, as NumPy's `timedelta64` counts; `None` for NaT and where it does not fit.
    #[must_use]
    pub fn from_ticks(ticks: i64, unit: TimeUnit) -> Option<Self> {
        if ticks == i64::MIN {
            return None;
        }
        let ticks = i128::from(ticks);
        Some(Span(match length_of(unit)? {
            Length::Fixed(length) => Length::Fixed(ticks.checked_mul(length)?),
            Length::Months(months) => {
                let months = ticks.checked_mul(months)?;
                Length::Months((months.unsigned_abs() < MAX_MONTHS).then_some(months)?)
            }
        }))
    }

    /// Reads numbers with their units, `1 day 2.5 hours` or `-3 months`; `unit` is that of a number without one.
    /// Months and years do not mix with the others.
    #[must_use]
    pub fn parse(text: &str, unit: Option<&str>) -> Option<Self> {
        let mut total: Option<Length> = None;
        let mut rest = text.trim();
        while !rest.is_empty() {
            let end = rest.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(rest.len());
            let (number, after) = rest.split_at_checked(end)?;
            let after = after.trim_start();
            let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
            let (name, after) = after.split_at_checked(end)?;
            let name = if name.is_empty() { unit? } else { name };
            let length = match unit_named(name)? {
                Length::Fixed(length) => Length::Fixed(decimal(number, length)?),
                Length::Months(months) => Length::Months(decimal(number, months)?),
            };
            total = Some(match (total, length) {
                (None, length) => length,
                (Some(Length::Fixed(a)), Length::Fixed(b)) => Length::Fixed(a.checked_add(b)?),
                (Some(Length::Months(a)), Length::Months(b)) => Length::Months(a.checked_add(b)?),
                _ => return None,
            });
            rest = after.trim_start();
        }
        total.map(Span)
    }
}

/// What one tick of a unit is; `None` where it is nothing.
pub(super) fn length_of(unit: TimeUnit) -> Option<Length> {
    let one = match unit.unit() {
        Unit::Year => Length::Months(12),
        Unit::Month => Length::Months(1),
        Unit::Week => Length::Fixed(7 * DAY),
        Unit::Day => Length::Fixed(DAY),
        Unit::Hour => Length::Fixed(3_600 * SECOND),
        Unit::Minute => Length::Fixed(60 * SECOND),
        Unit::Second => Length::Fixed(SECOND),
        Unit::Millisecond => Length::Fixed(SECOND / 1_000),
        Unit::Microsecond => Length::Fixed(SECOND / 1_000_000),
        Unit::Nanosecond => Length::Fixed(1_000_000_000),
        Unit::Picosecond => Length::Fixed(1_000_000),
        Unit::Femtosecond => Length::Fixed(1_000),
        Unit::Attosecond => Length::Fixed(1),
    };
    let multiple = i128::from(unit.multiple());
    (multiple > 0).then_some(match one {
        Length::Fixed(length) => Length::Fixed(length * multiple),
        Length::Months(months) => Length::Months(months * multiple),
    })
}

/// Names of units, in singular and lower case, with what they are.
const NAMES: [(&str, &str, Unit); 13] = [
    ("year", "Y", Unit::Year),
    ("month", "M", Unit::Month),
    ("week", "W", Unit::Week),
    ("day", "D", Unit::Day),
    ("hour", "h", Unit::Hour),
    ("minute", "m", Unit::Minute),
    ("second", "s", Unit::Second),
    ("millisecond", "ms", Unit::Millisecond),
    ("microsecond", "us", Unit::Microsecond),
    ("nanosecond", "ns", Unit::Nanosecond),
    ("picosecond", "ps", Unit::Picosecond),
    ("femtosecond", "fs", Unit::Femtosecond),
    ("attosecond", "as", Unit::Attosecond),
];

/// The unit of a name in any case and number (`Day`, `HOURS`), or of NumPy's symbol.
pub(super) fn unit_named(name: &str) -> Option<Length> {
    let lower = name.to_ascii_lowercase();
    let singular = lower.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(&lower);
    let found = NAMES.iter().find(|(long, symbol, _)| *symbol == name || *long == singular)?;
    length_of(TimeUnit::of(found.2))
}

/// The first day of a month that is counted from 1970.
pub(super) fn days_of_month(month: i128) -> i128 {
    let (year, month) = (1970 + month.div_euclid(12), month.rem_euclid(12) + 1);
    // Years that begin in March have their odd day at the end.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a day that is counted from 1970.
fn civil(days: i128) -> (i128, i128, i128) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i128::from(month <= 2), month, day)
}

/// `12`, `12:30`, `12:30:59.5` in attoseconds.
fn time_of_day(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let hour = digits(parts.next()?, 2, 2)?;
    let minute = parts.next().map_or(Some(0), |part| digits(part, 2, 2))?;
    let seconds = parts.next().unwrap_or("00");
    let (second, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let second = digits(second, 2, 2)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let scale = 10i128.checked_pow(18 - u32::try_from(fraction.len()).ok().filter(|&n| n <= 18)?)?;
    let fraction = i128::from(digits(fraction, 1, 18)?) * scale;
    Some(i128::from(hour * 3_600 + minute * 60 + second) * SECOND + fraction)
}

/// A decimal number times a whole one, where that is whole.
fn decimal(text: &str, unit: i128) -> Option<i128> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut value = i128::from(digits(whole, 1, 18)?).checked_mul(unit)?;
    if !fraction.is_empty() {
        let scale = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let part = i128::from(digits(fraction, 1, 18)?).checked_mul(unit)?;
        value = value.checked_add((part % scale == 0).then_some(part / scale)?)?;
    }
    Some(if negative { -value } else { value })
}

fn digits(text: &str, least: usize, most: usize) -> Option<i64> {
    let fits = (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0.div_euclid(DAY));
        let sign = if year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())?;
        let of_day = self.0.rem_euclid(DAY);
        if of_day == 0 {
            return Ok(());
        }
        let seconds = of_day / SECOND;
        write!(f, " {:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
        match of_day % SECOND {
            0 => Ok(()),
            fraction => write!(f, ".{}", format!("{fraction:018}").trim_end_matches('0')),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Length::Months(months) => write!(f, "{months} months"),
            Length::Fixed(length) => {
                let mut units =
                    NAMES.iter().filter_map(|(name, _, unit)| match length_of(TimeUnit::of(*unit))? {
                        Length::Fixed(one) => Some((name, one)),
                        Length::Months(_) => None,
                    });
                // Numbers of up to 18 digits are read back; a longer one is cut into days and the rest.
                let sign = if length < 0 { "-" } else { "" };
                if length % DAY != 0 && length.unsigned_abs() >= SECOND.unsigned_abs() {
                    let (days, rest) = (length / DAY, (length % DAY).unsigned_abs());
                    let (seconds, rest) = (rest / SECOND.unsigned_abs(), rest % SECOND.unsigned_abs());
                    return write!(f, "{days} days {sign}{seconds} seconds {sign}{rest} attoseconds");
                }
                match units.find(|(_, one)| length % one == 0) {
                    Some((name, one)) => write!(f, "{} {name}s", length / one),
                    None => write!(f, "{length} attoseconds"),
                }
            }
        }
    }
}
