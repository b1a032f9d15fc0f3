//! Rows that pass a filter.

use alloc::vec::Vec;
use core::ops::Range;

use super::Table;
use super::filter::{Batch, Columns, Expr, Extremes, Filter, Parameters};
use super::gather::{Gather, RunPart};
use super::reads::{Reads, TableRead};
use super::rows::{Piece, Rows};
use super::schema::{Schema, SchemaColumn};
use super::select::Selection;
use crate::dense::too_large;
use crate::dtype::DType;
use crate::environment::Environment;
use crate::error::Result;
use crate::exec::Executor;
use crate::plan::Coalesce;
use crate::storage::{Storage, StorageFile};

/// Rows of one task.
const TASK: usize = 1 << 16;
/// Rows that are copied together to be looked at.
const BLOCK: usize = 1 << 14;
/// So many neighbours of a record are looked at where they are mapped; fewer are copied.
const IN_PLACE: usize = 1 << 10;

impl<E: Environment> Selection<E> {
    /// Only those of the selected rows that pass a filter, in their order; [`filter`](super::filter) has the language.
    ///
    /// The filter may use every column of the table, selected or not. It is evaluated now, in blocks and in parallel,
    /// and reads no other columns; where the file has statistics, records that cannot have such rows are not read. The
    /// result keeps 8 bytes for each row that passed, and nothing where these are neighbours.
    ///
    /// ```
    /// use recask_core::Table;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::ColumnInput;
    /// use recask_core::table::filter::{Parameters, col};
    ///
    /// let columns = [ColumnInput::of("delay", &[90i16, 5, 70]), ColumnInput::of("distance", &[200f32, 300.0, 900.0])];
    /// let flights = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &columns)?;
    ///
    /// let late = flights.select(["distance"])?.filter("delay > 60")?;
    /// assert_eq!(late.column("distance")?.values::<f32>()?, [200.0, 900.0]);
    /// let far = late.filter_by(col("distance").gt(500))?;
    /// assert_eq!(far.row_numbers()?, [2]);
    /// let given = flights.filter_with("delay > :least", &Parameters::new().with("least", 80))?;
    /// assert_eq!(given.row_numbers()?, [0]);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidFilter`](crate::Code::InvalidFilter) for what is no filter of this table, and where integer arithmetic
    /// leaves 128 bits; [`TooLarge`](crate::Code::TooLarge) where the list of rows does not fit in memory; what the file says.
    pub fn filter(self, filter: &str) -> Result<Self> {
        self.filter_with(filter, &Parameters::new())
    }

    /// [`Selection::filter`] with the values of its parameters `?`, `$1` and `:name`.
    ///
    /// # Errors
    /// Those of [`Selection::filter`], and where values are missing or left over.
    pub fn filter_with(self, filter: &str, parameters: &Parameters) -> Result<Self> {
        let filter = Filter::with_parameters(filter, &AsStored(self.table.schema()), parameters)?;
        self.matching(&filter)
    }

    /// [`Selection::filter`] by an expression that was built.
    ///
    /// # Errors
    /// Those of [`Selection::filter`].
    pub fn filter_by(self, filter: Expr) -> Result<Self> {
        let filter = Filter::new(filter, &AsStored(self.table.schema()))?;
        self.matching(&filter)
    }

    /// The bytes that [`Selection::filter_with`] reads, joined by `rule`, in the order of files and offsets.
    ///
    /// # Errors
    /// Those of [`Selection::filter_with`]; [`NotFetched`](crate::Code::NotFetched) while the statistics are not here.
    pub fn filter_reads(
        &self,
        filter: &str,
        parameters: &Parameters,
        rule: Coalesce,
    ) -> Result<Vec<TableRead>> {
        let filter = Filter::with_parameters(filter, &AsStored(self.table.schema()), parameters)?;
        let search = Search::new(&self.table, &filter)?;
        let mut reads = Reads { rule, list: Vec::new() };
        search.reads(self.rows.piece(0, usize::MAX), &mut reads)?;
        Ok(reads.joined())
    }

    fn matching(mut self, filter: &Filter) -> Result<Self> {
        let search = Search::new(&self.table, filter)?;
        let rows = if search.gather.columns().iter().all(|column| column.width == 0) {
            // All rows are alike, and there may be more than anybody could look at.
            let passes = !self.is_empty() && search.passes_without_bytes()?;
            if passes { self.rows.clone() } else { Rows::all(0) }
        } else {
            search.run(&self.rows, self.table.executor())?
        };
        self.rows = rows;
        Ok(self)
    }
}

/// A filter is evaluated on bytes as they are stored: it reads either byte order.
struct AsStored<'t>(&'t Schema);

impl Columns for AsStored<'_> {
    fn name(&self, index: usize) -> Option<&str> {
        self.0.columns().get(index).map(SchemaColumn::name)
    }

    fn dtype(&self, index: usize) -> Option<&DType> {
        self.0.columns().get(index).map(SchemaColumn::stored_dtype)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.position(name)
    }
}

/// For a filter that is evaluated on values that were read.
impl Columns for Schema {
    fn name(&self, index: usize) -> Option<&str> {
        self.columns().get(index).map(SchemaColumn::name)
    }

    fn dtype(&self, index: usize) -> Option<&DType> {
        self.columns().get(index).map(SchemaColumn::dtype)
    }

    fn position(&self, name: &str) -> Option<usize> {
        Schema::position(self, name)
    }
}

struct Search<'t, F> {
    filter: &'t Filter,
    gather: Gather<'t, F>,
    /// For each record whether it can have rows that pass; empty where nothing is known.
    possible: Vec<bool>,
}

/// The rows of one task, and what is used again from block to block.
#[derive(Default)]
struct Found {
    rows: Vec<u64>,
    mask: Vec<bool>,
    buffers: Vec<Vec<u8>>,
}

impl<'t, F: StorageFile> Search<'t, F> {
    fn new<E>(table: &'t Table<E>, filter: &'t Filter) -> Result<Self>
    where
        E: Environment<Storage: Storage<File = F>>,
    {
        let gather = Gather::as_stored(table, filter.columns())?;
        Ok(Search { filter, gather, possible: possible(table, filter)? })
    }

    fn passes_without_bytes(&self) -> Result<bool> {
        let nothing = alloc::vec![&[][..]; self.gather.columns().len()];
        let mut mask = Vec::new();
        self.filter.evaluate(&Values { rows: 1, filter: self.filter, columns: &nothing }, &mut mask)?;
        Ok(mask.contains(&true))
    }

    /// In rounds of a few tasks for each thread, so that the memory beside the result is bounded.
    fn run(&self, rows: &Rows, executor: &impl Executor) -> Result<Rows> {
        const TASKS_EACH: usize = 8;
        let round = executor.width().get().saturating_mul(TASKS_EACH).saturating_mul(TASK);
        let mut all: Vec<u64> = Vec::new();
        let mut found: Vec<Found> = Vec::new();
        let mut start = 0;
        while start < rows.len() {
            let piece = rows.piece(start, round);
            let tasks: Vec<_> = piece.split(TASK).collect();
            found.resize_with(tasks.len().max(found.len()), Found::default);
            let tasks = tasks.into_iter().zip(&mut found).collect();
            executor
                .try_for_each(tasks, |(piece, found): (Piece<'_>, &mut Found)| self.search(piece, found))?;
            for found in &mut found {
                all.try_reserve(found.rows.len()).map_err(|_| too_large())?;
                all.append(&mut found.rows);
            }
            start += piece.len() as u64;
        }
        Ok(Rows::listed(all))
    }

    /// What [`Search::search`] reads.
    fn reads(&self, piece: Piece<'_>, reads: &mut Reads) -> Result<()> {
        let rule = reads.rule;
        if let Some((first, count)) = piece.as_run() {
            for part in self.gather.parts_of_run(first, count).filter(|part| self.is_possible(part.number)) {
                let piece = Piece::Range { first: part.row, step: 1, count: part.count };
                self.gather.reads(piece, rule, |file, bytes| reads.add(file, bytes))?;
            }
            return Ok(());
        }
        let mut likely = Vec::new();
        piece.for_each_block::<BLOCK>(|rows| {
            likely.clear();
            likely.extend(rows.iter().filter(|&&row| self.is_possible(self.gather.records().find(row))));
            self.gather.reads(Piece::List(&likely), rule, |file, bytes| reads.add(file, bytes))
        })
    }

    fn search(&self, piece: Piece<'_>, found: &mut Found) -> Result<()> {
        if let Some((first, count)) = piece.as_run() {
            return self.search_run(first, count, found);
        }
        let mut likely = Vec::new();
        piece.for_each_block::<BLOCK>(|rows| {
            if self.possible.is_empty() {
                return self.look_at(Piece::List(rows), found);
            }
            likely.clear();
            likely.extend(rows.iter().filter(|&&row| self.is_possible(self.gather.records().find(row))));
            self.look_at(Piece::List(&likely), found)
        })
    }

    /// Neighbouring rows: long parts of records where they are mapped, short ones together.
    fn search_run(&self, first: u64, count: usize, found: &mut Found) -> Result<()> {
        let mut waiting = first..first;
        for part in self.gather.parts_of_run(first, count) {
            if !self.is_possible(part.number) {
                continue;
            }
            let in_place = self.gather.is_mapped() && part.count >= IN_PLACE;
            if in_place || waiting.end != part.row {
                self.look_at_run(&waiting, found)?;
                waiting = part.row..part.row;
            }
            if in_place {
                self.look_in_place(&part, found)?;
            } else {
                waiting.end += part.count as u64;
            }
        }
        self.look_at_run(&waiting, found)
    }

    fn look_in_place(&self, part: &RunPart, found: &mut Found) -> Result<()> {
        let borrow = |column| self.gather.borrow(column, part);
        let columns = self.gather.columns().iter().map(borrow).collect::<Result<Vec<_>>>()?;
        let values = Values { rows: part.count, filter: self.filter, columns: &columns };
        self.filter.evaluate(&values, &mut found.mask)?;
        found.take_from(Piece::Range { first: part.row, step: 1, count: part.count })
    }

    fn look_at_run(&self, rows: &Range<u64>, found: &mut Found) -> Result<()> {
        let count = usize::try_from(rows.end - rows.start).map_err(|_| too_large())?;
        let whole = Piece::Range { first: rows.start, step: 1, count };
        whole.split(BLOCK).try_for_each(|piece| self.look_at(piece, found))
    }

    fn look_at(&self, piece: Piece<'_>, found: &mut Found) -> Result<()> {
        let mut buffers = core::mem::take(&mut found.buffers);
        buffers.resize_with(self.gather.columns().len(), Vec::new);
        for (buffer, column) in buffers.iter_mut().zip(self.gather.columns()) {
            buffer.resize(piece.len().checked_mul(column.width).ok_or_else(too_large)?, 0);
        }
        let mut outs: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        self.gather.fill(piece, &mut outs)?;
        let columns: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let values = Values { rows: piece.len(), filter: self.filter, columns: &columns };
        self.filter.evaluate(&values, &mut found.mask)?;
        found.buffers = buffers;
        found.take_from(piece)
    }

    fn is_possible(&self, record: usize) -> bool {
        self.possible.get(record).copied().unwrap_or(true)
    }
}

impl Found {
    /// Keeps the rows of a piece whose flag is set.
    fn take_from(&mut self, piece: Piece<'_>) -> Result<()> {
        let count = self.mask.iter().filter(|passes| **passes).count();
        let start = self.rows.len();
        // One more, which takes the rows behind the last that passes: what does not pass is written over, without a branch.
        self.rows.try_reserve(count + 1).map_err(|_| too_large())?;
        self.rows.resize(start + count + 1, 0);
        let out = &mut self.rows[start..];
        let mut flags = self.mask.iter();
        let mut at = 0;
        piece.for_each_block::<256>(|rows| {
            for (&row, &passes) in rows.iter().zip(&mut flags) {
                out[at] = row;
                at += usize::from(passes);
            }
            Ok(())
        })?;
        self.rows.truncate(start + count);
        Ok(())
    }
}

/// What the statistics of the files say about each record; nothing where they exclude none.
fn possible<E: Environment>(table: &Table<E>, filter: &Filter) -> Result<Vec<bool>> {
    if table.0.parts.iter().all(|part| part.head.counters.statistics_at == 0) {
        return Ok(Vec::new());
    }
    let Some(statistics) = table.statistics()? else { return Ok(Vec::new()) };
    let columns = table.schema().columns();
    let can_match = |record| {
        filter.can_match(&|index| {
            let column = statistics.column(columns.get(index)?.manifest_position())?;
            let found = column.record(record)?;
            Some(Extremes { least: found.minimum, greatest: found.maximum })
        })
    };
    let possible: Vec<bool> = (0..table.file_records()).map(can_match).collect();
    Ok(if possible.contains(&false) { possible } else { Vec::new() })
}

/// The columns of a filter, in its order, for some rows.
struct Values<'a> {
    rows: usize,
    filter: &'a Filter,
    columns: &'a [&'a [u8]],
}

impl Batch for Values<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn column(&self, index: usize) -> &[u8] {
        let position = self.filter.columns().binary_search(&index);
        position.ok().and_then(|position| self.columns.get(position)).copied().unwrap_or_default()
    }
}
