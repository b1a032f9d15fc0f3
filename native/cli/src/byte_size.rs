//! Sizes as people write them.

/// Units of a size, in the spelling of [`crate::output::size`]; in an argument case does not matter.
const UNITS: [(&str, u32); 5] = [("b", 0), ("kib", 10), ("mib", 20), ("gib", 30), ("tib", 40)];

/// More digits behind the point say nothing about bytes.
const MOST_DECIMALS: usize = 12;

/// `65536`, `64KiB`, `1.5 GiB`: a number of bytes, rounded down.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!(
            "{text:?} is no size; write bytes, or a number with KiB, MiB, GiB or TiB such as 512MiB or 1.5GiB"
        )
    };
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (_, shift) =
        UNITS.into_iter().find(|(name, _)| unit.is_empty() || *name == unit).ok_or_else(wrong)?;
    let (whole, decimals) = match number.split_once('.') {
        Some((whole, decimals)) if (1..=MOST_DECIMALS).contains(&decimals.len()) => (whole, decimals),
        Some(_) => return Err(wrong()),
        None => (number, "0"),
    };
    let scale = 10u128.pow(u32::try_from(decimals.len()).map_err(|_| wrong())?);
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let decimals: u64 = decimals.parse().map_err(|_| wrong())?;
    // Below 2^64 · 2^40 and 10^12 · 2^40.
    let bytes = (u128::from(whole) << shift) + (u128::from(decimals) << shift) / scale;
    u64::try_from(bytes).map_err(|_| format!("{text} are more bytes than 64 bits count"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::size;

    #[test]
    fn sizes_have_units_of_1024() {
        for (text, expected) in [
            ("0", 0),
            ("65536", 65_536),
            ("7b", 7),
            ("64KiB", 64 << 10),
            ("512 MiB", 512 << 20),
            (" 2gib ", 2 << 30),
            ("1.5 GiB", 3 << 29),
            ("0.1KiB", 102),
            ("1TiB", 1 << 40),
            ("16777215.5TiB", (16_777_215 << 40) + (1 << 39)),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text:?}");
        }
        for size_in_bytes in [1023, 1 << 20, 3 << 29, 5 << 40] {
            assert_eq!(bytes(&size(size_in_bytes)), Ok(size_in_bytes));
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "",
            "MiB",
            "-1",
            "+1",
            "1e9",
            "1MB",
            "1.MiB",
            ".5MiB",
            "1.2.3KiB",
            "1 000",
            "0x10",
            "1.0000000000001KiB",
        ] {
            assert!(bytes(text).unwrap_err().contains("no size"), "{text:?}");
        }
        for text in ["18446744073709551616KiB", "18446744073709551616"] {
            assert!(bytes(text).unwrap_err().contains("no size"), "{text:?}");
        }
        assert!(bytes("16777216TiB").unwrap_err().contains("64 bits"));
    }
}
