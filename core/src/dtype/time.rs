//! The units of NumPy's times.

use alloc::format;
use core::fmt;

use super::structure::invalid;
use crate::error::Result;

/// A unit of time that NumPy knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `Y`
    Year,
    /// `M`
    Month,
    /// `W`
    Week,
    /// `D`
    Day,
    /// `h`
    Hour,
    /// `m`
    Minute,
    /// `s`
    Second,
    /// `ms`
    Millisecond,
    /// `us`
    Microsecond,
    /// `ns`
    Nanosecond,
    /// `ps`
    Picosecond,
    /// `fs`
    Femtosecond,
    /// `as`
    Attosecond,
}

/// How long one tick of a time type is: `25us` is `multiple` 25 of [`Unit::Microsecond`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeUnit {
    multiple: u32,
    unit: Unit,
}

/// NumPy keeps the multiple in a C `int`.
const MAX_MULTIPLE: u32 = i32::MAX.unsigned_abs();

impl Unit {
    /// Every unit, from the longest to the shortest.
    pub const ALL: [Unit; 13] = [
        Unit::Year,
        Unit::Month,
        Unit::Week,
        Unit::Day,
        Unit::Hour,
        Unit::Minute,
        Unit::Second,
        Unit::Millisecond,
        Unit::Microsecond,
        Unit::Nanosecond,
        Unit::Picosecond,
        Unit::Femtosecond,
        Unit::Attosecond,
    ];

    /// NumPy's letters: `Y`, `M`, …, `as`.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Year => "Y",
            Unit::Month => "M",
            Unit::Week => "W",
            Unit::Day => "D",
            Unit::Hour => "h",
            Unit::Minute => "m",
            Unit::Second => "s",
            Unit::Millisecond => "ms",
            Unit::Microsecond => "us",
            Unit::Nanosecond => "ns",
            Unit::Picosecond => "ps",
            Unit::Femtosecond => "fs",
            Unit::Attosecond => "as",
        }
    }

    fn from_symbol(symbol: &str) -> Option<Unit> {
        if symbol == "\u{3bc}s" {
            return Some(Unit::Microsecond);
        }
        Unit::ALL.into_iter().find(|unit| unit.symbol() == symbol)
    }

    /// The shorter units that NumPy tries for a fraction of this one, with how many make one of it.
    const fn parts(self) -> &'static [(u32, Unit)] {
        match self {
            Unit::Year => &[(12, Unit::Month), (52, Unit::Week), (365, Unit::Day)],
            Unit::Month => &[(4, Unit::Week), (30, Unit::Day), (720, Unit::Hour)],
            Unit::Week => &[(7, Unit::Day), (168, Unit::Hour), (10_080, Unit::Minute)],
            Unit::Day => &[(24, Unit::Hour), (1_440, Unit::Minute), (86_400, Unit::Second)],
            Unit::Hour => &[(60, Unit::Minute), (3_600, Unit::Second)],
            Unit::Minute => &[(60, Unit::Second), (60_000, Unit::Millisecond)],
            Unit::Second => &[(1_000, Unit::Millisecond), (1_000_000, Unit::Microsecond)],
            Unit::Millisecond => &[(1_000, Unit::Microsecond), (1_000_000, Unit::Nanosecond)],
            Unit::Microsecond => &[(1_000, Unit::Nanosecond), (1_000_000, Unit::Picosecond)],
            Unit::Nanosecond => &[(1_000, Unit::Picosecond), (1_000_000, Unit::Femtosecond)],
            Unit::Picosecond => &[(1_000, Unit::Femtosecond), (1_000_000, Unit::Attosecond)],
            Unit::Femtosecond => &[(1_000, Unit::Attosecond)],
            Unit::Attosecond => &[],
        }
    }
}

impl TimeUnit {
    /// Ticks of one `unit`.
    #[must_use]
    pub const fn of(unit: Unit) -> Self {
        TimeUnit { multiple: 1, unit }
    }

    /// Ticks of several units.
    ///
    /// # Errors
    /// [`Code::InvalidDType`](crate::Code::InvalidDType) beyond 2^31 - 1.
    pub fn new(multiple: u32, unit: Unit) -> Result<Self> {
        if multiple > MAX_MULTIPLE {
            return Err(invalid(format!("{multiple}{} is too long a tick for a time type", unit.symbol())));
        }
        Ok(TimeUnit { multiple, unit })
    }

    /// How many units one tick has.
    #[must_use]
    pub const fn multiple(self) -> u32 {
        self.multiple
    }

    /// The unit that [`TimeUnit::multiple`] counts.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// Reads `ns`, `25us` or `D/2`; `Some(None)` is NumPy's `generic`, and `None` has no meaning.
    pub(super) fn parse(text: &str) -> Option<Option<Self>> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (multiple, rest) = text.split_at_checked(digits)?;
        let multiple = if multiple.is_empty() { 1 } else { multiple.parse().ok()? };
        let (symbol, divisor) = match rest.split_once('/') {
            Some((symbol, divisor)) if divisor.bytes().all(|b| b.is_ascii_digit()) => {
                (symbol, divisor.parse::<u32>().ok()?)
            }
            Some(_) => return None,
            None => (rest, 1),
        };
        if symbol == "generic" {
            return (divisor == 1).then_some(None);
        }
        TimeUnit::new(multiple, Unit::from_symbol(symbol)?).ok()?.divided_by(divisor).map(Some)
    }

    fn divided_by(self, divisor: u32) -> Option<Self> {
        if divisor == 1 {
            return Some(self);
        }
        let (count, unit) =
            self.unit.parts().iter().copied().find(|&(count, _)| count.checked_rem(divisor) == Some(0))?;
        TimeUnit::new(self.multiple.checked_mul(count / divisor)?, unit).ok()
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.multiple != 1 {
            write!(f, "{}", self.multiple)?;
        }
        f.write_str(self.unit.symbol())
    }
}
