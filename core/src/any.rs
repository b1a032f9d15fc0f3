//! A store of either kind, for callers that take what is there.

use crate::codec::Codec;
use crate::dense::DenseStore;
use crate::dtype::DType;
use crate::environment::{Access, Environment};
use crate::error::Result;
use crate::format::zrecord::StoreKind;
use crate::index::Index;
use crate::progress::Progress;
use crate::ragged::RaggedStore;
use crate::shape::Shape;
use crate::store::{OpenOptions, Stats, Store, Verification};

/// A dense or a ragged store.
#[derive(Debug)]
pub enum AnyStore<E: Environment> {
    /// Every record has the same shape.
    Dense(DenseStore<E>),
    /// Every record has its own shape.
    Ragged(RaggedStore<E>),
}

macro_rules! either {
    ($self:expr, $store:ident => $call:expr) => {
        match $self {
            AnyStore::Dense($store) => $call,
            AnyStore::Ragged($store) => $call,
        }
    };
}

impl<E: Environment> AnyStore<E> {
    /// Opens for reading whatever store is there.
    ///
    /// # Errors
    /// As [`DenseStore::open`].
    pub fn open(place: impl Into<E::Place>) -> Result<Self> {
        Self::open_with(place, &OpenOptions::default())
    }

    /// Opens with options whatever store is there.
    ///
    /// # Errors
    /// As [`DenseStore::open_with`].
    pub fn open_with(place: impl Into<E::Place>, options: &OpenOptions) -> Result<Self> {
        let access = if options.write { Access::Write } else { Access::Read };
        let store = Store::open(E::attach(&place.into(), access)?, options)?;
        Ok(match store.kind() {
            StoreKind::Dense => AnyStore::Dense(DenseStore::of(store)),
            StoreKind::Ragged => AnyStore::Ragged(RaggedStore::of(store)),
        })
    }

    /// Dense or ragged.
    pub fn kind(&self) -> StoreKind {
        self.engine().kind()
    }

    /// The engine underneath.
    pub fn engine(&self) -> &Store<E::Storage> {
        either!(self, store => store.store())
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        self.engine().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.engine().is_empty()
    }

    /// The type of one element.
    pub fn dtype(&self) -> &DType {
        self.engine().dtype()
    }

    /// The shape of one record, for a dense store.
    pub fn item_shape(&self) -> Option<&Shape> {
        self.engine().item_shape()
    }

    /// How records are stored.
    pub fn codec(&self) -> &Codec {
        self.engine().codec()
    }

    /// As [`DenseStore::delete`].
    ///
    /// # Errors
    /// As [`DenseStore::delete`].
    pub fn delete<'i>(&mut self, records: impl Into<Index<'i>>) -> Result<()> {
        either!(self, store => store.delete(records))
    }

    /// As [`DenseStore::compact`].
    ///
    /// # Errors
    /// As [`DenseStore::compact`].
    pub fn compact(&mut self, progress: &dyn Progress) -> Result<()> {
        either!(self, store => store.compact(progress))
    }

    /// As [`DenseStore::stats`].
    ///
    /// # Errors
    /// As [`DenseStore::stats`].
    pub fn stats(&self) -> Result<Stats> {
        self.engine().stats()
    }

    /// As [`DenseStore::verify`].
    ///
    /// # Errors
    /// As [`DenseStore::verify`].
    pub fn verify(&self, progress: &dyn Progress) -> Result<Verification> {
        either!(self, store => store.verify(progress))
    }

    /// As [`DenseStore::refresh`].
    ///
    /// # Errors
    /// As [`DenseStore::refresh`].
    pub fn refresh(&mut self) -> Result<()> {
        either!(self, store => store.refresh())
    }

    /// As [`DenseStore::close`].
    ///
    /// # Errors
    /// As [`DenseStore::close`].
    pub fn close(self) -> Result<()> {
        either!(self, store => store.close())
    }
}
