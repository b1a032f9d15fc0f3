//! One error type, grouped by who is at fault, with a code that stays the same in every door.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::fmt;

use crate::storage::FileId;

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What went wrong, where, and what to do about it.
///
/// The message is a lower-case sentence for people; [`Error::code`] is for programs and never changes.
pub struct Error(Box<Inner>);

struct Inner {
    code: Code,
    message: Cow<'static, str>,
    place: Option<Cow<'static, str>>,
    stream: Option<Cow<'static, str>>,
    step: Option<u64>,
    file: Option<FileId>,
    record: Option<u64>,
    offset: Option<u64>,
    character: Option<usize>,
    source: Option<Box<dyn core::error::Error + Send + Sync>>,
}

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The call itself: parameters, wrong kind, wrong index.
    Caller,
    /// The bytes of the store.
    Data,
    /// The machine around it: I/O, locks, space, permissions.
    Environment,
    /// A limit of the format or one that the caller set.
    Limit,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $fault:ident;)+) => {
        /// The stable code of an error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// Every code, in the order of the table in `FORMAT.md`.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The code as text, the same in every door: `store_busy`, `corrupt_record`, …
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Who has to act.
            #[must_use]
            pub const fn fault(self) -> Fault {
                match self { $(Code::$name => Fault::$fault,)+ }
            }
        }
    };
}

codes! {
    /// A parameter has no meaning here.
    InvalidArgument = "invalid_argument", Caller;
    /// The element type is unknown, or cannot be stored.
    InvalidDType = "invalid_dtype", Caller;
    /// The shape has a zero or overflowing extent.
    InvalidShape = "invalid_shape", Caller;
    /// The element type differs from the one of the store.
    DTypeMismatch = "dtype_mismatch", Caller;
    /// The shape or length differs from what the store needs.
    ShapeMismatch = "shape_mismatch", Caller;
    /// The codec differs from the one of the store.
    CodecMismatch = "codec_mismatch", Caller;
    /// A dense store was opened as ragged, or the other way round.
    KindMismatch = "kind_mismatch", Caller;
    /// An index is outside of the store.
    IndexOutOfRange = "index_out_of_range", Caller;
    /// The table has no column of this name, or the selection leaves it out.
    ColumnNotFound = "column_not_found", Caller;
    /// The given buffer does not have the size of the result.
    BufferSize = "buffer_size", Caller;
    /// The store was opened for reading only, or writing is denied to this process.
    ReadOnly = "read_only", Caller;
    /// A dictionary could not be trained from these samples.
    TrainingFailed = "training_failed", Caller;
    /// A source that was to be imported cannot be understood.
    InvalidSource = "invalid_source", Caller;
    /// A filter cannot be understood, or does not fit the table.
    InvalidFilter = "invalid_filter", Caller;
    /// A loader is to resume with other data than its state was taken from.
    StateMismatch = "state_mismatch", Caller;
    /// The transform of a loader returned an error.
    TransformFailed = "transform_failed", Caller;
    /// The work on a step of a loader panicked: its transform, or Recask itself, which is a fault.
    Panicked = "panicked", Caller;
    /// The caller holds every batch that a loader may have at once.
    BatchesHeld = "batches_held", Caller;
    /// There is no store at this place.
    StoreNotFound = "store_not_found", Environment;
    /// There is a store, or something else, at this place already.
    StoreExists = "store_exists", Environment;
    /// Another handle or process holds a lock that this operation needs.
    StoreBusy = "store_busy", Environment;
    /// The operating system refused access.
    PermissionDenied = "permission_denied", Environment;
    /// No space is left on the device.
    DeviceFull = "device_full", Environment;
    /// Any other failure of reading or writing.
    Io = "io", Environment;
    /// The work was interrupted on request.
    Interrupted = "interrupted", Environment;
    /// A source that is read in pieces changed between two of them.
    SourceChanged = "source_changed", Environment;
    /// Bytes that are not here yet: who drives the reading brings them and asks again. Doors keep it to themselves.
    NotFetched = "not_fetched", Environment;
    /// A codec, or another part that this call needs, is not in this build or not to be had in this place.
    Unsupported = "unsupported", Environment;
    /// The directory holds parts of a store only.
    IncompleteStore = "incomplete_store", Data;
    /// A header has the wrong magic, size or field.
    CorruptHeader = "corrupt_header", Data;
    /// The version of a file is not one that this library reads.
    UnsupportedVersion = "unsupported_version", Data;
    /// The identity (element type and item shape) cannot be understood.
    CorruptIdentity = "corrupt_identity", Data;
    /// A file that the header needs is missing.
    MissingFile = "missing_file", Data;
    /// A file is shorter than the header says.
    TruncatedFile = "truncated_file", Data;
    /// An entry of the record table is impossible.
    CorruptEntry = "corrupt_entry", Data;
    /// Two entries of the record table share bytes.
    OverlappingEntries = "overlapping_entries", Data;
    /// A record does not decode to what its entry says.
    CorruptRecord = "corrupt_record", Data;
    /// The dictionary is missing, unexpected or damaged.
    CorruptDictionary = "corrupt_dictionary", Data;
    /// The journal of an interrupted operation is damaged.
    CorruptJournal = "corrupt_journal", Data;
    /// A record is larger than the format allows.
    RecordTooLarge = "record_too_large", Limit;
    /// The store has no chunk or table entry left.
    StoreFull = "store_full", Limit;
    /// A result is larger than this machine can address or a limit allows.
    TooLarge = "too_large", Limit;
    /// The work needs more memory than the caller allowed.
    OverLimit = "limit", Limit;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Error {
    /// An error with its code and a lower-case sentence.
    #[must_use]
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Inner {
            code,
            message: message.into(),
            place: None,
            stream: None,
            step: None,
            file: None,
            record: None,
            offset: None,
            character: None,
            source: None,
        }))
    }

    /// Says where the table at fault is, as its door names places.
    #[must_use]
    pub fn at_place(mut self, place: impl Into<Cow<'static, str>>) -> Self {
        self.0.place.get_or_insert_with(|| place.into());
        self
    }

    /// Names the stream of a loader at fault.
    #[must_use]
    pub fn in_stream(mut self, stream: impl Into<Cow<'static, str>>) -> Self {
        self.0.stream.get_or_insert_with(|| stream.into());
        self
    }

    /// Names the step of a loader at which it happened.
    #[must_use]
    pub fn at_step(mut self, step: u64) -> Self {
        self.0.step.get_or_insert(step);
        self
    }

    /// Names the file at fault.
    #[must_use]
    pub fn in_file(mut self, file: FileId) -> Self {
        self.0.file.get_or_insert(file);
        self
    }

    /// Names the record at fault.
    #[must_use]
    pub fn at_record(mut self, record: u64) -> Self {
        self.0.record.get_or_insert(record);
        self
    }

    /// Names the byte in the file.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Names the character of a text that was given, counted from 1; the message says it too.
    #[must_use]
    pub fn at_character(mut self, character: usize) -> Self {
        self.0.character.get_or_insert(character);
        self
    }

    /// Replaces the record, for layers that number records differently from the layer below.
    #[must_use]
    pub fn with_record(mut self, record: u64) -> Self {
        self.0.record = Some(record);
        self
    }

    /// Keeps the error that caused this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl core::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// As [`Error::caused_by`], for an error whose type is not known.
    #[must_use]
    pub fn caused_by_boxed(mut self, source: Box<dyn core::error::Error + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The sentence alone, without file, record and offset.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where the table at fault is, for a table.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// The stream of a loader at fault, where one is.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        self.0.stream.as_deref()
    }

    /// The step of a loader at which it happened, for a loader.
    #[must_use]
    pub fn step(&self) -> Option<u64> {
        self.0.step
    }

    /// The file at fault, where one is.
    #[must_use]
    pub fn file(&self) -> Option<FileId> {
        self.0.file
    }

    /// The record at fault, as the user counts records, where one is.
    #[must_use]
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// The character of a text, such as a filter, that is at fault, counted from 1.
    #[must_use]
    pub fn character(&self) -> Option<usize> {
        self.0.character
    }

    /// The byte offset in [`Error::file`], where it is known.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { message, place, stream, step, file, record, offset, .. } = &*self.0;
        f.write_str(message)?;
        let mut open = " (";
        let mut detail = |name: &str, value: &dyn fmt::Display| {
            write!(f, "{open}{name}{value}")?;
            open = ", ";
            Ok(())
        };
        place.iter().try_for_each(|place| detail("", place))?;
        stream.iter().try_for_each(|stream| detail("stream ", stream))?;
        file.iter().try_for_each(|file| detail("file ", file))?;
        record.iter().try_for_each(|record| detail("record ", record))?;
        offset.iter().try_for_each(|offset| detail("offset ", offset))?;
        step.iter().try_for_each(|step| detail("step ", step))?;
        if open == ", " { f.write_str(")") } else { Ok(()) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {self}", self.code())
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn core::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn what_is_known_of_the_place_follows_the_sentence() {
        let error = Error::new(Code::CorruptRecord, "it is damaged");
        assert_eq!(error.to_string(), "it is damaged");
        let error = error.at_step(7).at_record(3);
        assert_eq!(error.to_string(), "it is damaged (record 3, step 7)");
        let error = error.at_offset(16).in_file(FileId::Chunk(0)).in_stream("image").at_place("mnist");
        let all = "it is damaged (mnist, stream image, file 0.chunk, record 3, offset 16, step 7)";
        assert_eq!(error.to_string(), all);
        // What is nearer to the fault was said first, and stays.
        let error = error.at_step(8).in_stream("label");
        assert_eq!((error.step(), error.stream()), (Some(7), Some("image")));
    }
}
