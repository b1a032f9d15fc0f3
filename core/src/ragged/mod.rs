//! Ragged stores: every record has its own shape.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::codec::Codec;
use crate::common::common_methods;
use crate::dense::{create_in, one, open_in, share, too_large};
use crate::dtype::{DType, Element, bytes_of_slice};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::exec::Executor;
use crate::format::identity::Identity;
use crate::format::zrecord::{CodecKind, Geometry, StoreKind, shape_record};
use crate::index::Index;
use crate::plan::Piece;
use crate::progress::Progress;
use crate::shape::{Shape, elements_of};
use crate::storage::StorageFile;
use crate::store::{Append, OpenOptions, RecordReader, Stats, Store, Verification};

mod batch;
mod extremes;
mod packed;
mod surviving;

pub use batch::{RaggedBatch, RaggedRecord, RaggedView};
pub(crate) use extremes::Room;
pub use packed::PackedRecords;

/// Records of one element type, each with its own shape: token sequences, encoded files, point clouds.
///
/// Sharing works as for [`DenseStore`](crate::dense::DenseStore).
pub struct RaggedStore<E: Environment> {
    store: Store<E::Storage>,
    executor: E::Executor,
}

/// What a new ragged store will hold.
pub struct RaggedBuilder<E> {
    environment: PhantomData<fn() -> E>,
    dtype: DType,
    codec: Codec,
    geometry: Geometry,
}

impl<E: Environment> RaggedBuilder<E> {
    /// How records are stored; raw by default.
    #[must_use]
    pub fn codec(mut self, codec: Codec) -> Self {
        self.codec = codec;
        self
    }

    /// Other sizes than the format's, for tests that reach its edges; other software cannot read such a store.
    #[doc(hidden)]
    #[must_use]
    pub fn geometry(mut self, geometry: Geometry) -> Self {
        self.geometry = geometry;
        self
    }

    /// Makes the store and opens it for writing. A failed creation leaves nothing behind.
    ///
    /// # Errors
    /// As [`DenseBuilder::create`](crate::dense::DenseBuilder::create).
    pub fn create(self, place: impl Into<E::Place>) -> Result<RaggedStore<E>> {
        let RaggedBuilder { environment: PhantomData, dtype, codec, geometry } = self;
        let store = create_in::<E>(&place.into(), Identity::Ragged { dtype }, codec, geometry)?;
        Ok(RaggedStore { store, executor: E::executor() })
    }
}

impl<E: Environment> RaggedStore<E> {
    /// Describes a new store of `dtype` elements.
    pub fn builder(dtype: DType) -> RaggedBuilder<E> {
        RaggedBuilder { environment: PhantomData, dtype, codec: Codec::raw(), geometry: Geometry::FORMAT }
    }

    /// Reads records: their elements packed one after the other, with offsets and shapes.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`], [`Code::TooLarge`], or a data error naming file, record and offset.
    pub fn gather<'i>(&self, records: impl Into<Index<'i>>) -> Result<RaggedBatch> {
        let mut batch = RaggedBatch::new(self.dtype().clone());
        self.gather_batch(records, &mut batch)?;
        Ok(batch)
    }

    /// As [`RaggedStore::gather`], into a batch whose memory is used again. After an error its values are unspecified.
    ///
    /// # Errors
    /// As [`RaggedStore::gather`].
    pub fn gather_batch<'i>(&self, records: impl Into<Index<'i>>, batch: &mut RaggedBatch) -> Result<()> {
        let index = records.into();
        let records = index.resolve(self.len())?;
        self.store.check_attached()?;
        self.store.view().check_sizes()?;
        self.lay_out(&records, batch)?;
        self.fill(&records, batch)
    }

    /// One record.
    ///
    /// # Errors
    /// As [`RaggedStore::gather`].
    pub fn record(&self, record: impl Into<Index<'static>>) -> Result<RaggedBatch> {
        let record = one(&record.into(), self.len())?;
        self.gather([record])
    }

    /// One record without a copy: its elements are borrowed from the map where the store is raw and mapped.
    ///
    /// # Errors
    /// As [`RaggedStore::gather`].
    pub fn view(&self, record: impl Into<Index<'static>>) -> Result<RaggedView<'_>> {
        self.store.check_attached()?;
        let record = one(&record.into(), self.len())?;
        self.store.view().check_sizes()?;
        let blame = self.store.blame(record * 2);
        let plain = RecordReader::new(self.store.view(), None);
        let located = self.locate(&plain, record).map_err(blame)?;
        let mapped =
            if self.codec().kind() == CodecKind::Raw { plain.mapped(&located.payload) } else { None };
        let mut shape = alloc::vec![0; located.rank];
        let owned = self.store.with_reader(|reader| {
            self.read_shape(reader, &located, &mut shape)?;
            if mapped.is_some() {
                return Ok(Vec::new());
            }
            let mut bytes =
                alloc::vec![0; usize::try_from(located.payload.decoded).map_err(|_| too_large())?];
            reader.read(&located.payload, &mut bytes)?;
            Ok(bytes)
        });
        let bytes = owned.map_err(blame)?;
        Ok(RaggedView { shape, bytes: mapped.map_or(Cow::Owned(bytes), Cow::Borrowed) })
    }

    /// From the table alone: how much memory the batch needs and where each record goes.
    fn lay_out(&self, records: &[u64], batch: &mut RaggedBatch) -> Result<()> {
        batch.dtype.clone_from(self.dtype());
        batch.reset(records.len())?;
        let itemsize = self.dtype().itemsize().max(1);
        let count = share(records.len(), records.len().saturating_mul(64), &Codec::raw(), &self.executor);
        let places = batch.lengths(count);
        let tasks: Vec<_> = records.chunks(count).zip(places).collect();
        self.executor.try_for_each(tasks, |(records, (elements, ranks))| {
            let reader = RecordReader::new(self.store.view(), None);
            for ((&record, elements), rank) in records.iter().zip(elements).zip(ranks) {
                let located = self.locate(&reader, record).map_err(self.store.blame(record * 2))?;
                *elements = u64::from(located.payload.decoded) / itemsize;
                *rank = located.rank as u64;
            }
            Ok(())
        })?;
        batch.lengths_to_offsets(itemsize, &self.executor)
    }

    fn fill(&self, records: &[u64], batch: &mut RaggedBatch) -> Result<()> {
        let count = share(records.len(), batch.as_bytes().len(), self.codec(), &self.executor);
        let itemsize = self.dtype().itemsize();
        let total = batch.as_bytes().len();
        let copier = self.executor.copier(total / records.len().max(1), total);
        let tasks: Vec<_> = records.chunks(count).zip(batch.slots(count, itemsize)).collect();
        self.executor.try_for_each(tasks, |(records, mut slots)| {
            self.store.with_reader(|reader| {
                reader.copy_by(copier);
                for &record in records {
                    let blame = self.store.blame(record * 2);
                    let located = self.locate(reader, record).map_err(blame)?;
                    let (values, dims) =
                        slots.next(located.payload.decoded, located.rank).ok_or_else(|| {
                            Error::new(Code::StoreBusy, "the store changed while it was read; read it again")
                        })?;
                    self.read(reader, &located, values, dims).map_err(blame)?;
                }
                Ok(())
            })
        })
    }

    fn locate<F: StorageFile>(&self, reader: &RecordReader<'_, '_, F>, record: u64) -> Result<Located> {
        let payload = reader.locate(record * 2, None)?;
        let shape = reader.locate(record * 2 + 1, None)?;
        let rank = shape_record::rank_of(shape.decoded).map_err(|reason| bad_shape(&shape, &reason))?;
        let itemsize = self.dtype().itemsize();
        if !u64::from(payload.decoded).is_multiple_of(itemsize.max(1)) {
            let reason =
                format!("its {} bytes are no whole number of elements of {itemsize} bytes", payload.decoded);
            return Err(bad_shape(&shape, &reason));
        }
        Ok(Located { payload, shape, rank })
    }

    fn read<F: StorageFile>(
        &self,
        reader: &mut RecordReader<'_, '_, F>,
        located: &Located,
        values: &mut [u8],
        dims: &mut [u64],
    ) -> Result<()> {
        self.read_shape(reader, located, dims)?;
        reader.read(&located.payload, values)
    }

    fn read_shape<F: StorageFile>(
        &self,
        reader: &mut RecordReader<'_, '_, F>,
        located: &Located,
        dims: &mut [u64],
    ) -> Result<()> {
        let mut bytes = [0; shape_record::MAX_BYTES];
        let bytes = &mut bytes[..shape_record::len(located.rank)];
        reader.read(&located.shape, bytes)?;
        shape_record::decode(bytes, self.dtype().itemsize(), located.payload.decoded, dims)
            .map_err(|reason| bad_shape(&located.shape, &reason))
    }

    /// Appends one-dimensional records, and returns the index of the first. They are visible to everybody when it
    /// returns, all at once; durable after [`RaggedStore::sync`].
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`], [`Code::InvalidShape`] for an empty record, [`Code::ReadOnly`], [`Code::DeviceFull`], …;
    /// the store then is as it was.
    pub fn append<T: Element, R: AsRef<[T]>>(&mut self, records: &[R]) -> Result<u64> {
        self.expect_dtype(&T::DTYPE)?;
        self.append_each(records.len(), |i| {
            let values = records[i].as_ref();
            (Dims::Flat(values.len() as u64), bytes_of_slice(values))
        })
    }

    /// Appends records of any shape, given as shape and elements.
    ///
    /// # Errors
    /// As [`RaggedStore::append`]; [`Code::ShapeMismatch`] where a shape does not give the number of elements.
    pub fn append_shaped<T: Element>(&mut self, records: &[(&[u64], &[T])]) -> Result<u64> {
        self.expect_dtype(&T::DTYPE)?;
        self.append_each(records.len(), |i| (Dims::Shape(records[i].0), bytes_of_slice(records[i].1)))
    }

    /// Appends records given as shape and bytes, in the store's own element type and byte order.
    ///
    /// # Errors
    /// As [`RaggedStore::append_shaped`].
    pub fn append_bytes(&mut self, records: &[(&[u64], &[u8])]) -> Result<u64> {
        self.append_each(records.len(), |i| (Dims::Shape(records[i].0), records[i].1))
    }

    /// Appends the records of a batch, for example of another store.
    ///
    /// # Errors
    /// As [`RaggedStore::append_shaped`].
    pub fn append_batch(&mut self, batch: &RaggedBatch) -> Result<u64> {
        self.expect_dtype(batch.dtype())?;
        let records: Vec<_> = batch.records().map(|record| (record.shape, record.bytes)).collect();
        self.append_bytes(&records)
    }

    fn expect_dtype(&self, given: &DType) -> Result<()> {
        if self.dtype() == given {
            return Ok(());
        }
        let text = format!("the store holds {}, not {given}; convert the values first", self.dtype());
        Err(Error::new(Code::DTypeMismatch, text))
    }

    fn append_each<'r>(
        &mut self,
        count: usize,
        record: impl Fn(usize) -> (Dims<'r>, &'r [u8]),
    ) -> Result<u64> {
        let first = self.len();
        let itemsize = self.dtype().itemsize();
        // Before anything is written: a batch is taken as a whole or not at all.
        for i in 0..count {
            let (dims, bytes) = record(i);
            dims.check(bytes.len(), itemsize)
                .map_err(|error| error.at_record(first.saturating_add(i as u64)))?;
        }
        let (window, most) = Append::<E::Storage>::window(&self.executor);
        let mut append = self.store.append()?;
        let (mut shapes, mut cuts) = (Vec::new(), Vec::new());
        let mut next = 0;
        while next < count {
            shapes.clear();
            cuts.clear();
            let (start, mut bytes) = (next, 0);
            while next < count && bytes < window && (next - start) * 2 < most {
                let (dims, values) = record(next);
                dims.encode(&mut shapes);
                cuts.push(shapes.len());
                bytes += values.len();
                next += 1;
            }
            let mut rest = shapes.as_slice();
            let mut at = 0;
            let mut physical = Vec::with_capacity((next - start) * 2);
            for (i, &cut) in (start..next).zip(&cuts) {
                let (shape, behind) = rest.split_at(cut - at);
                (rest, at) = (behind, cut);
                physical.push(record(i).1);
                physical.push(shape);
            }
            append.push(&self.executor, &physical)?;
        }
        append.commit()
    }
}

common_methods!(RaggedStore, StoreKind::Ragged);

impl<E: Environment> core::fmt::Debug for RaggedStore<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "RaggedStore({} x {})", self.dtype(), self.len())
    }
}

/// Where the two halves of a record lie.
struct Located {
    payload: Piece,
    shape: Piece,
    rank: usize,
}

fn bad_shape(shape: &Piece, reason: &str) -> Error {
    Error::new(Code::CorruptRecord, format!("the record's shape is wrong: {reason}"))
        .in_file(shape.read.file)
        .at_offset(shape.read.offset)
}

/// The extents of a record that is to be appended.
enum Dims<'r> {
    Flat(u64),
    Shape(&'r [u64]),
}

impl Dims<'_> {
    fn as_slice(&self) -> &[u64] {
        match self {
            Dims::Flat(len) => core::slice::from_ref(len),
            Dims::Shape(dims) => dims,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        shape_record::encode(self.as_slice(), out);
    }

    fn check(&self, bytes: usize, itemsize: u64) -> Result<()> {
        let dims = self.as_slice();
        if dims.len() > shape_record::MAX_RANK {
            let text = format!(
                "a record has {} extents; at most {} are possible",
                dims.len(),
                shape_record::MAX_RANK
            );
            return Err(Error::new(Code::InvalidShape, text));
        }
        let expected = elements_of(dims)?.checked_mul(itemsize).ok_or_else(too_large)?;
        if bytes == 0 || expected == 0 {
            return Err(Error::new(
                Code::InvalidShape,
                "a record has no elements; a record needs at least one",
            ));
        }
        if expected != bytes as u64 {
            let shape = Shape::from(dims);
            let text = format!("a record of shape {shape} needs {expected} bytes, {bytes} were given");
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        Ok(())
    }
}
