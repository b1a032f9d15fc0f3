//! Standard output: buffered text, JSON lines and tables.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

use serde::Serialize;

use crate::grid::{Align, Grid};

/// Locked and buffered standard output. Nothing is lost silently: [`Output::flush`] says whether it arrived.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Output { out: BufWriter::with_capacity(1 << 16, io::stdout().lock()) }
    }

    /// Whether a person looks at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.out.get_ref().is_terminal()
    }

    /// One JSON value on its own line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }

    /// Columns as wide as they need to be; those of numbers are aligned to the right.
    pub(crate) fn table(&mut self, header: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
        let column = |(i, title): (usize, &&str)| (title.to_string(), align(rows, i));
        Grid::new(header.iter().enumerate().map(column)).write(rows, &mut self.out)
    }

    /// Left columns without titles.
    pub(crate) fn lines(&mut self, rows: &[Vec<String>]) -> io::Result<()> {
        let columns = rows.first().map_or(0, Vec::len);
        Grid::new((0..columns).map(|_| (String::new(), Align::Left))).untitled().write(rows, &mut self.out)
    }

    /// Characters of a line where a person looks at it, or where the variable `COLUMNS` says so.
    pub(crate) fn width(&self) -> Option<usize> {
        let told = || std::env::var("COLUMNS").ok()?.parse().ok();
        told().or_else(|| self.is_terminal().then(terminal_width).flatten()).filter(|&width| width > 0)
    }

    /// `name  value` lines.
    pub(crate) fn facts(&mut self, facts: &[(&str, String)]) -> io::Result<()> {
        let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in facts {
            writeln!(self.out, "{name:width$}  {value}")?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(feature = "terminal")]
fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size()?;
    Some(width.0.into())
}

#[cfg(not(feature = "terminal"))]
fn terminal_width() -> Option<usize> {
    None
}

fn align(rows: &[Vec<String>], column: usize) -> Align {
    let is_number = |cell: &String| cell.is_empty() || cell.starts_with(|c: char| c.is_ascii_digit());
    let numbers = !rows.is_empty() && rows.iter().filter_map(|row| row.get(column)).all(is_number);
    if numbers { Align::Right } else { Align::Left }
}

/// A line on standard error, for what is not the answer. When nobody reads it, nothing is to be done.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// `1797` as `1,797`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `1,797 rows`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Bytes for people: `512 B`, `1.5 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = real(bytes) / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// For ratios and rates, where a rounded number is as good.
#[expect(clippy::cast_precision_loss, reason = "shown with a few digits")]
pub(crate) fn real(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_sizes_have_units() {
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(["1 row", "1,000 rows"], [1, 1000].map(|number| counted(number, "row", "rows")));
        assert_eq!([size(1023), size(1024), size(1 << 20)], ["1023 B", "1.0 KiB", "1.0 MiB"]);
        assert_eq!([size((1 << 20) - 1), size(u64::MAX)], ["1.0 MiB", "16384.0 PiB"]);
    }
}
