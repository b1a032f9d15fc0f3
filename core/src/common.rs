//! What dense and ragged stores have in common: everything that does not look into a record.

/// Implements the common methods for a store with the fields `store` and `executor`.
macro_rules! common_methods {
    ($name:ident, $kind:expr) => {
        impl<E: Environment> $name<E> {
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
            /// As `open`; [`Code::StoreBusy`] also while another handle may write.
            pub fn open_for_writing(place: impl Into<E::Place>) -> Result<Self> {
                Self::open_with(place, &OpenOptions { write: true, ..OpenOptions::default() })
            }

            /// Opens with options.
            ///
            /// # Errors
            /// As `open`; [`Code::CodecMismatch`].
            pub fn open_with(place: impl Into<E::Place>, options: &OpenOptions) -> Result<Self> {
                open_in::<E>(&place.into(), $kind, options).map(Self::of)
            }

            pub(crate) fn of(store: Store<E::Storage>) -> Self {
                Self { store, executor: E::executor() }
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

            /// How records are stored.
            pub fn codec(&self) -> &Codec {
                self.store.codec()
            }

            /// The engine underneath.
            pub fn store(&self) -> &Store<E::Storage> {
                &self.store
            }

            /// Deletes records. The last record takes the place of a deleted one, from the highest index down; order and
            /// duplicates in `records` do not matter. Durable when it returns. The space is freed by
            /// `compact`.
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
            /// As `sync`.
            pub fn close(self) -> Result<()> {
                self.store.close()
            }
        }
    };
}

pub(crate) use common_methods;
