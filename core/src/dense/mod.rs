//! Dense stores: every record has the same type and shape.

use alloc::borrow::Cow;
use alloc::format;
use core::marker::PhantomData;

use crate::codec::Codec;
use crate::common::common_methods;
use crate::dtype::{DType, Element, bytes_of_slice};
use crate::environment::{Access, Environment};
use crate::error::{Code, Error, Result};
use crate::format::identity::Identity;
use crate::format::zrecord::{CodecKind, Geometry, StoreKind};
use crate::index::Index;
use crate::progress::Progress;
use crate::shape::Shape;
use crate::store::{OpenOptions, RecordReader, Stats, Store, Verification};

mod batch;
mod gather;
mod surviving;

pub use batch::DenseBatch;
pub(crate) use gather::share;

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

    /// The shape of one record.
    pub fn item_shape(&self) -> &Shape {
        const SCALAR: &Shape = &Shape::scalar();
        self.store.item_shape().unwrap_or(SCALAR)
    }

    /// The width of one record in bytes.
    pub fn record_bytes(&self) -> u64 {
        self.store.record_bytes()
    }

    /// Reads records into one contiguous batch of shape `(records, *item_shape)`.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`], [`Code::TooLarge`], or a data error naming file, record and offset.
    pub fn gather<'i>(&self, records: impl Into<Index<'i>>) -> Result<DenseBatch> {
        let mut batch = DenseBatch::new(self.dtype().clone());
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
        self.make_room(records.len(), batch)?;
        self.fill(&records, &mut batch.bytes)
    }

    /// Gives a batch the size of so many records. What it holds of them stays.
    fn make_room(&self, records: usize, batch: &mut DenseBatch) -> Result<()> {
        let records = records as u64;
        let bytes = records.checked_mul(self.record_bytes()).ok_or_else(too_large)?;
        batch.bytes.resize_for(bytes, &self.executor)?;
        batch.dtype.clone_from(self.dtype());
        batch.shape.clear();
        batch.shape.push(records);
        batch.shape.extend_from_slice(self.item_shape().dims());
        Ok(())
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
        if self.store.codec().kind() == CodecKind::Raw {
            let reader = RecordReader::new(self.store.view(), None);
            let piece = reader.locate(record, Some(width)).map_err(blame)?;
            if let Some(bytes) = reader.mapped(&piece) {
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
        append.commit()
    }
}

common_methods!(DenseStore, StoreKind::Dense);

impl<E: Environment> core::fmt::Debug for DenseStore<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "DenseStore({} {} x {})", self.dtype(), self.item_shape(), self.len())
    }
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
