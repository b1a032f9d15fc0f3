//! Dense stores: every record has the same type and shape.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::buffer::Buffer;
use crate::codec::Codec;
use crate::dtype::{DType, Element, bytes_of_slice, cast_slice};
use crate::environment::{Access, Environment};
use crate::error::{Code, Error, Result};
use crate::exec::Executor;
use crate::format::identity::Identity;
use crate::format::zrecord::{Geometry, StoreKind};
use crate::index::Index;
use crate::progress::Progress;
use crate::shape::Shape;
use crate::storage::StorageFile;
use crate::store::{OpenOptions, Stats, Store, Verification};

/// Records of one type and shape: images, labels, embeddings.
///
/// One writer and any number of readers may have the same store open, in one process or several. A reader sees the
/// records that were committed when it opened, and more after [`DenseStore::refresh`].
pub struct DenseStore<E: Environment> {
    store: Store<E::Storage>,
    executor: E::Executor,
}

/// What a new dense store will hold.
pub struct DenseBuilder<E> {
    environment: PhantomData<fn() -> E>,
    dtype: DType,
    item_shape: Shape,
    codec: Codec,
    geometry: Geometry,
}

impl<E: Environment> DenseBuilder<E> {
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
    /// [`Code::StoreExists`] where anything is there already; [`Code::InvalidShape`], [`Code::RecordTooLarge`] and other
    /// errors of the parameters before anything is touched; what the environment says.
    pub fn create(self, place: impl Into<E::Place>) -> Result<DenseStore<E>> {
        let DenseBuilder { environment: PhantomData, dtype, item_shape, codec, geometry } = self;
        let store = create_in::<E>(&place.into(), Identity::Dense { dtype, item_shape }, codec, geometry)?;
        Ok(DenseStore { store, executor: E::executor() })
    }
}

/// Makes a store of either kind in a place.
pub(crate) fn create_in<E: Environment>(
    place: &E::Place,
    identity: Identity,
    codec: Codec,
    geometry: Geometry,
) -> Result<Store<E::Storage>> {
    crate::format::zrecord::TypedHeader::for_new(identity.clone(), &geometry)?;
    let storage = E::attach(place, Access::Create)?;
    Store::create(storage, identity, codec, geometry).map_err(|(error, storage)| {
        E::abandon(storage);
        error
    })
}

/// Opens a store and refuses the other kind.
pub(crate) fn open_in<E: Environment>(
    place: &E::Place,
    kind: StoreKind,
    options: &OpenOptions,
) -> Result<Store<E::Storage>> {
    let access = if options.write { Access::Write } else { Access::Read };
    let store = Store::open(E::attach(place, access)?, options)?;
    if store.kind() == kind {
        return Ok(store);
    }
    let text = format!("this is a {} store, not a {} one", store.kind().as_str(), kind.as_str());
    Err(Error::new(Code::KindMismatch, text))
}

impl<E: Environment> DenseStore<E> {
    /// Describes a new store: records of `dtype` elements in the shape `item_shape`; `()` for scalars.
    pub fn builder(dtype: DType, item_shape: impl Into<Shape>) -> DenseBuilder<E> {
        DenseBuilder {
            environment: PhantomData,
            dtype,
            item_shape: item_shape.into(),
            codec: Codec::raw(),
            geometry: Geometry::FORMAT,
        }
    }

    /// Opens for reading: shared, nothing is written, no permission to write is needed.
    ///
    /// # Errors
    /// [`Code::StoreNotFound`], [`Code::KindMismatch`], [`Code::StoreBusy`] while loaderx has it open, or a data error.
    pub fn open(place: impl Into<E::Place>) -> Result<Self> {
        Self::open_with(place, &OpenOptions::default())
    }

    /// Opens for reading, appending and deleting.
    ///
    /// # Errors
    /// As [`DenseStore::open`]; [`Code::StoreBusy`] also while another handle may write.
    pub fn open_for_writing(place: impl Into<E::Place>) -> Result<Self> {
        Self::open_with(place, &OpenOptions { write: true, ..OpenOptions::default() })
    }

    /// Opens with options.
    ///
    /// # Errors
    /// As [`DenseStore::open`]; [`Code::CodecMismatch`].
    pub fn open_with(place: impl Into<E::Place>, options: &OpenOptions) -> Result<Self> {
        let store = open_in::<E>(&place.into(), StoreKind::Dense, options)?;
        Ok(DenseStore { store, executor: E::executor() })
    }

    pub(crate) fn of(store: Store<E::Storage>) -> Self {
        DenseStore { store, executor: E::executor() }
    }

    /// Works with another executor, for example with fewer threads.
    #[must_use]
    pub fn with_executor(mut self, executor: E::Executor) -> Self {
        self.executor = executor;
        self
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.store.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// The type of one element.
    pub fn dtype(&self) -> &DType {
        self.store.dtype()
    }

    /// The shape of one record.
    pub fn item_shape(&self) -> &Shape {
        const SCALAR: &Shape = &Shape::scalar();
        self.store.item_shape().unwrap_or(SCALAR)
    }

    /// The width of one record in bytes.
    pub fn record_bytes(&self) -> u64 {
        self.store.record_bytes()
    }

    /// How records are stored.
    pub fn codec(&self) -> &Codec {
        self.store.codec()
    }

    /// The engine underneath.
    pub fn store(&self) -> &Store<E::Storage> {
        &self.store
    }

    /// Reads records into one contiguous batch of shape `(records, *item_shape)`.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`], [`Code::TooLarge`], or a data error naming file, record and offset.
    pub fn gather<'i>(&self, records: impl Into<Index<'i>>) -> Result<DenseBatch> {
        let mut batch = DenseBatch { dtype: self.dtype().clone(), shape: Vec::new(), bytes: Buffer::new() };
        self.gather_batch(records, &mut batch)?;
        Ok(batch)
    }

    /// As [`DenseStore::gather`], into a batch whose memory is used again. After an error its values are unspecified.
    ///
    /// # Errors
    /// As [`DenseStore::gather`].
    pub fn gather_batch<'i>(&self, records: impl Into<Index<'i>>, batch: &mut DenseBatch) -> Result<()> {
        let index = records.into();
        let records = index.resolve(self.len())?;
        let bytes = (records.len() as u64).checked_mul(self.record_bytes()).ok_or_else(too_large)?;
        batch.bytes.resize(bytes)?;
        batch.dtype.clone_from(self.dtype());
        batch.shape.clear();
        batch.shape.push(records.len() as u64);
        batch.shape.extend_from_slice(self.item_shape().dims());
        self.fill(&records, &mut batch.bytes)
    }

    /// Reads records into `out`, which has exactly `records * record_bytes` bytes. Allocates nothing but the list of
    /// indices. After an error, `out` is partly filled.
    ///
    /// # Errors
    /// As [`DenseStore::gather`]; [`Code::BufferSize`].
    pub fn gather_into<'i>(&self, records: impl Into<Index<'i>>, out: &mut [u8]) -> Result<()> {
        let index = records.into();
        let records = index.resolve(self.len())?;
        let wanted = (records.len() as u64).checked_mul(self.record_bytes()).ok_or_else(too_large)?;
        if wanted != out.len() as u64 {
            let text = format!("the buffer has {} bytes, {} records need {wanted}", out.len(), records.len());
            return Err(Error::new(Code::BufferSize, text));
        }
        self.fill(&records, out)
    }

    /// One record: borrowed from the map where the store is raw and mapped, else decoded.
    ///
    /// # Errors
    /// As [`DenseStore::gather`].
    pub fn record(&self, record: impl Into<Index<'static>>) -> Result<Cow<'_, [u8]>> {
        self.store.check_attached()?;
        let record = one(&record.into(), self.len())?;
        self.store.view().check_sizes()?;
        let width = self.width()?;
        let blame = self.store.blame(record);
        if self.store.codec().kind() == crate::format::zrecord::CodecKind::Raw {
            let piece = self.store.with_reader(|reader| reader.locate(record, Some(width))).map_err(blame)?;
            if let crate::storage::FileId::Chunk(chunk) = piece.read.file
                && let Some(bytes) =
                    self.store.view().chunk(chunk)?.mapped(piece.read.offset..piece.read.end())
            {
                return Ok(Cow::Borrowed(bytes));
            }
        }
        let mut out = alloc::vec![0; usize::try_from(width).map_err(|_| too_large())?];
        self.store
            .with_reader(|reader| {
                let piece = reader.locate(record, Some(width))?;
                reader.read(&piece, &mut out)
            })
            .map_err(blame)?;
        Ok(Cow::Owned(out))
    }

    fn width(&self) -> Result<u32> {
        u32::try_from(self.record_bytes()).map_err(|_| too_large())
    }

    fn fill(&self, records: &[u64], out: &mut [u8]) -> Result<()> {
        self.store.check_attached()?;
        self.store.view().check_sizes()?;
        let width = self.width()?;
        let bytes = usize::try_from(width).map_err(|_| too_large())?;
        let share = share(records.len(), out.len(), self.store.codec(), &self.executor);
        let tasks: Vec<_> = records.chunks(share).zip(out.chunks_mut(share.saturating_mul(bytes))).collect();
        self.executor.try_for_each(tasks, |(records, out)| {
            self.store.with_reader(|reader| {
                for (&record, slot) in records.iter().zip(out.chunks_exact_mut(bytes)) {
                    let piece = reader.locate(record, Some(width)).map_err(self.store.blame(record))?;
                    reader.read(&piece, slot).map_err(self.store.blame(record))?;
                }
                Ok(())
            })
        })
    }

    /// Appends records whose elements lie one after the other, and returns the index of the first. They are visible to
    /// everybody when it returns, all at once; durable after [`DenseStore::sync`].
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`], [`Code::ShapeMismatch`], [`Code::ReadOnly`], [`Code::DeviceFull`], …; the store then is as
    /// it was.
    pub fn append<T: Element>(&mut self, values: &[T]) -> Result<u64> {
        if *self.dtype() != T::DTYPE {
            let text =
                format!("the store holds {}, not {}; convert the values first", self.dtype(), T::DTYPE);
            return Err(Error::new(Code::DTypeMismatch, text));
        }
        self.append_bytes(bytes_of_slice(values))
    }

    /// Appends records given as bytes in the store's own element type and byte order.
    ///
    /// # Errors
    /// As [`DenseStore::append`].
    pub fn append_bytes(&mut self, bytes: &[u8]) -> Result<u64> {
        let first = self.len();
        let width = usize::try_from(self.record_bytes()).map_err(|_| too_large())?;
        if bytes.is_empty() || !bytes.len().is_multiple_of(width) {
            let text = format!(
                "{} bytes are not a positive whole number of records of shape {} and type {} ({width} bytes)",
                bytes.len(),
                self.item_shape(),
                self.dtype()
            );
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        let mut append = self.store.append()?;
        append.push_equal(&self.executor, bytes, width)?;
        append.commit()?;
        Ok(first)
    }

    /// Deletes records. The last record takes the place of a deleted one, from the highest index down; order and
    /// duplicates in `records` do not matter. Durable when it returns. The space is freed by
    /// [`DenseStore::compact`].
    ///
    /// # Errors
    /// [`Code::StoreBusy`] while others have the store open; [`Code::IndexOutOfRange`] and nothing changes.
    pub fn delete<'i>(&mut self, records: impl Into<Index<'i>>) -> Result<()> {
        let index = records.into();
        let records = index.resolve(self.len())?;
        self.store.delete(&records)
    }

    /// Frees what deleted records left; records and order stay. Progress counts bytes of payload.
    ///
    /// # Errors
    /// [`Code::StoreBusy`] while others have the store open; [`Code::Interrupted`].
    pub fn compact(&mut self, progress: &dyn Progress) -> Result<()> {
        self.store.compact(progress)
    }

    /// How much of the store is in use.
    ///
    /// # Errors
    /// Data errors.
    pub fn stats(&self) -> Result<Stats> {
        self.store.stats()
    }

    /// Checks every entry and decodes every record. Progress counts records.
    ///
    /// # Errors
    /// [`Code::Interrupted`]; faults of the data are in the result.
    pub fn verify(&self, progress: &dyn Progress) -> Result<Verification> {
        self.store.verify(&self.executor, progress)
    }

    /// For a reader: sees what was appended since.
    ///
    /// # Errors
    /// Data errors.
    pub fn refresh(&mut self) -> Result<()> {
        self.store.refresh()
    }

    /// Makes every append durable.
    ///
    /// # Errors
    /// [`Code::ReadOnly`], or what the environment says.
    pub fn sync(&mut self) -> Result<()> {
        self.store.sync()
    }

    /// Syncs, and lets the store go. Dropping does the same without saying whether it worked.
    ///
    /// # Errors
    /// As [`DenseStore::sync`].
    pub fn close(self) -> Result<()> {
        self.store.close()
    }
}

impl<E: Environment> core::fmt::Debug for DenseStore<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "DenseStore({} {} x {})", self.dtype(), self.item_shape(), self.len())
    }
}

/// Records of one task: few enough that tasks spread, many enough to be worth one.
pub(crate) fn share(records: usize, bytes: usize, codec: &Codec, executor: &impl Executor) -> usize {
    const RAW_TASK: usize = 128 << 10;
    const FRAME_TASK: usize = 32 << 10;
    let raw = codec.kind() == crate::format::zrecord::CodecKind::Raw;
    // Copies take equally long, frames do not.
    let (least, tasks) = if raw { (RAW_TASK, 2) } else { (FRAME_TASK, 8) };
    let width = executor.width().get();
    let tasks = if width == 1 { 1 } else { (bytes / least).clamp(1, width.saturating_mul(tasks)) };
    records.div_ceil(tasks).max(1)
}

pub(crate) fn one(index: &Index<'_>, len: u64) -> Result<u64> {
    match *index.resolve(len)? {
        [record] => Ok(record),
        ref list => {
            Err(Error::new(Code::InvalidArgument, format!("one record is wanted, not {}", list.len())))
        }
    }
}

pub(crate) fn too_large() -> Error {
    Error::new(
        Code::TooLarge,
        "the result is larger than this machine can address; ask for fewer records at once",
    )
}

/// Records side by side: shape `(records, *item_shape)`.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseBatch {
    dtype: DType,
    shape: Vec<u64>,
    bytes: Buffer,
}

impl DenseBatch {
    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// `(records, *item_shape)`.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.first().map_or(0, |&records| usize::try_from(records).unwrap_or(usize::MAX))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements as stored, in C order.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All elements as `T`, in C order.
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`].
    pub fn values<T: Element>(&self) -> Result<&[T]> {
        cast_slice(&self.dtype, &self.bytes)
    }

    /// The bytes of one record.
    #[must_use]
    pub fn record(&self, position: usize) -> Option<&[u8]> {
        let width = self.bytes.len().checked_div(self.len())?;
        self.bytes.get(position.checked_mul(width)?..)?.get(..width).filter(|_| position < self.len())
    }

    /// Takes it apart: element type, shape, bytes.
    #[must_use]
    pub fn into_parts(self) -> (DType, Vec<u64>, Buffer) {
        (self.dtype, self.shape, self.bytes)
    }
}
