//! Text in aligned columns, written row by row.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr as _;

/// Which edge the cells of a column share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Columns as wide as their cells need. Rows may come in several blocks; a later block can only widen its columns.
pub(crate) struct Grid {
    columns: Vec<Column>,
    /// Whether the titles were written.
    begun: bool,
}

struct Column {
    title: String,
    align: Align,
    width: usize,
}

const GAP: &str = "  ";

impl Grid {
    pub(crate) fn new(columns: impl IntoIterator<Item = (String, Align)>) -> Self {
        let column = |(title, align): (String, Align)| Column { width: title.width(), title, align };
        Grid { columns: columns.into_iter().map(column).collect(), begun: false }
    }

    /// The same without the line of titles.
    pub(crate) fn untitled(self) -> Self {
        Grid { begun: true, ..self }
    }

    /// Drops the columns at the end that do not fit into `width` once `rows` are in it; gives their titles.
    pub(crate) fn cut(&mut self, rows: &[Vec<String>], width: usize) -> Vec<String> {
        self.widen(rows);
        let mut end = 0;
        let mut kept = 0;
        for column in &self.columns {
            end += column.width + if kept > 0 { GAP.len() } else { 0 };
            // The first two are the number of the row and one value: less would say nothing.
            if end > width && kept >= 2 {
                break;
            }
            kept += 1;
        }
        self.columns.drain(kept..).map(|column| column.title).collect()
    }

    /// Writes a block of rows, and before the first one the titles. Cells without a column are left out.
    pub(crate) fn write(&mut self, rows: &[Vec<String>], out: &mut impl Write) -> io::Result<()> {
        self.widen(rows);
        if !self.begun {
            self.begun = true;
            let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
            self.line(&titles, out)?;
        }
        rows.iter().try_for_each(|row| self.line(row, out))
    }

    fn widen(&mut self, rows: &[Vec<String>]) {
        for row in rows {
            for (column, cell) in self.columns.iter_mut().zip(row) {
                column.width = column.width.max(cell.width());
            }
        }
    }

    fn line(&self, cells: &[String], out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        for (i, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
            line.push_str(if i > 0 { GAP } else { "" });
            let padding = " ".repeat(column.width.saturating_sub(cell.width()));
            match column.align {
                Align::Left => line.extend([cell.as_str(), padding.as_str()]),
                Align::Right => line.extend([padding.as_str(), cell.as_str()]),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()
    }

    fn grid() -> Grid {
        let columns = [("row", Align::Right), ("name", Align::Left), ("n", Align::Right)];
        Grid::new(columns.map(|(title, align)| (title.to_owned(), align)))
    }

    #[test]
    fn cells_share_an_edge_whatever_their_script() {
        let (mut grid, mut out) = (grid(), Vec::new());
        grid.write(&rows(&[&["0", "雨", "1"], &["1", "drizzle", "-12"]]), &mut out).unwrap();
        grid.write(&rows(&[&["2", "", "123456"]]), &mut out).unwrap();
        let expected = "\
row  name       n
  0  雨         1
  1  drizzle  -12
  2           123456
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_cut_but_two_columns_stay() {
        let block = rows(&[&["0", "drizzle", "1234"]]);
        for (width, left, written) in [
            (18, &[][..], "row  name        n\n  0  drizzle  1234\n"),
            (17, &["n"], "row  name\n  0  drizzle\n"),
            (1, &["n"], "row  name\n  0  drizzle\n"),
        ] {
            let (mut grid, mut out) = (grid(), Vec::new());
            assert_eq!(grid.cut(&block, width), left, "{width}");
            grid.write(&block, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), written, "{width}");
        }
    }
}
