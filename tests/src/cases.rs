//! The cases as data. `tests/conformance/README.md` says what each field means.

use std::collections::BTreeMap;
use std::error::Error;

use recask_core::Index;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

use crate::folder;

mod loads;
mod tables;

pub use loads::{
    Delivered, LoadBatch, LoadCase, LoadStream, LostRecord, ResumedAt, StateCase, StateOfCase, StateText,
    StreamValues, WhenLost,
};
pub use tables::{TableCase, TableColumn, TableContents, TableFile};

/// The files of the suite.
pub const SUITES: [&str; 8] =
    ["stores", "gathers", "damaged", "writes", "samplers", "tables", "loads", "states"];

/// One case with its name, which is unique in the whole suite.
#[derive(Debug)]
pub struct Case {
    /// `suite/store/what`.
    pub name: String,
    /// What to do and what to expect.
    pub test: Test,
}

/// Reads all cases.
///
/// # Errors
/// A file that is missing, or that is not what the format says.
pub fn all() -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for suite in SUITES {
        let text = std::fs::read_to_string(folder::tests().join(format!("conformance/{suite}.json")))?;
        let file: CaseFile = serde_json::from_str(&text)?;
        if file.format != 1 {
            return Err(format!("{suite}.json has format {}, this runner knows 1", file.format).into());
        }
        for mut case in file.cases {
            let name = case.as_object_mut().and_then(|case| case.remove("name"));
            let Some(Value::String(name)) = name else { return Err(format!("{suite}.json: no name").into()) };
            let test =
                serde_json::from_value(case).map_err(|error| format!("{suite}.json, {name}: {error}"))?;
            cases.push(Case { name, test });
        }
    }
    Ok(cases)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    format: u32,
    cases: Vec<Value>,
}

/// What a case does.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Test {
    /// Opens for reading.
    Open(StoreCase<OpenedAs>),
    /// Reads every record on its own.
    Read(StoreCase<Contents>),
    /// Reads a batch.
    Gather(StoreCase<Picked>),
    /// Reads one record.
    Record(StoreCase<OneRecord>),
    /// The four figures.
    Stats(StoreCase<Figures>),
    /// Checks everything.
    Verify(StoreCase<Verified>),
    /// Changes a store of its own.
    Write(WriteCase),
    /// Batches of some steps.
    Sampler(SamplerCase<Batches>),
    /// Where a record appears.
    StepsOf(SamplerCase<Appearances>),
    /// The steps of an epoch.
    Epoch(SamplerCase<Epoch>),
    /// Reads rows of a table.
    TableRead(TableCase<TableContents>),
    /// Opens a table for appending.
    TableUpdate(TableCase<TableFile>),
    /// Writes the records of a table again.
    TableCopy(TableCase<TableFile>),
    /// Compacts a table.
    TableCompact(TableCase<TableFile>),
    /// Batches of some steps, of several streams.
    Load(LoadCase),
    /// The state of a run.
    StateOf(StateOfCase),
    /// Going on from a state.
    State(StateCase),
}

/// Something done to one golden store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreCase<T> {
    /// Its folder below `golden`.
    pub store: String,
    /// As what it is opened.
    pub kind: Kind,
    /// The codec that the caller expects.
    pub codec: Option<String>,
    /// Which records.
    pub index: Option<Picks>,
    /// For people.
    pub note: Option<String>,
    /// The answer.
    pub expect: Expect<T>,
}

/// Dense or ragged.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One shape for all.
    Dense,
    /// Each its own.
    Ragged,
}

/// An answer, or a refusal.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Expect<T> {
    /// An error.
    Refusal(Refusal),
    /// An answer.
    Answer(T),
}

/// An error, and where it must point.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The code.
    pub error: String,
    /// The file that it names.
    pub file: Option<String>,
    /// The record that it names.
    pub record: Option<u64>,
    /// The offset that it names.
    pub offset: Option<u64>,
    /// The stream that it names.
    pub stream: Option<String>,
    /// The step that it names.
    pub step: Option<Integer>,
}

/// What a store says about itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenedAs {
    /// How many records.
    pub records: u64,
    /// The name of the codec.
    pub codec: String,
    /// The identity as loaderx writes it.
    pub identity_hex: String,
    /// The element type, where it has no fields.
    pub dtype: Option<String>,
    /// Extents of a dense record.
    pub item_shape: Option<Vec<u64>>,
}

/// Every record of a store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// How many.
    pub records: u64,
    /// Of the bytes of the readable ones, one after the other.
    pub sha256: String,
    /// The others.
    pub faults: Vec<Fault>,
    /// Of each.
    pub sha256_each: Option<Vec<String>>,
    /// Of each ragged record.
    pub shapes: Option<Vec<Vec<u64>>>,
}

/// A damaged record, or one that shares bytes with another.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The record.
    pub record: Option<u64>,
    /// The file.
    pub file: Option<String>,
    /// The byte in it.
    pub offset: Option<u64>,
    /// What is wrong.
    pub code: String,
}

/// A batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picked {
    /// Of its bytes.
    pub sha256: String,
    /// Of a dense batch, the number of records first.
    pub shape: Option<Vec<u64>>,
    /// Of each record of a ragged batch.
    pub shapes: Option<Vec<Vec<u64>>>,
}

/// One record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneRecord {
    /// Of its bytes.
    pub sha256: String,
    /// Its extents.
    pub shape: Vec<u64>,
}

/// The four figures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named as in the specification")]
pub struct Figures {
    pub records: u64,
    pub live_bytes: u64,
    pub chunk_bytes: u64,
    pub reclaimable: u64,
}

/// What a check finds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verified {
    /// Records looked at.
    pub records: u64,
    /// All faults, in any order.
    pub faults: Vec<Fault>,
}

/// Changes of a store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteCase {
    /// As what it is opened.
    pub kind: Kind,
    /// The golden folder that it starts from; nothing where there is none.
    pub copy_of: Option<String>,
    /// What to do, one after the other; the first error ends it.
    pub steps: Vec<Step>,
    /// What is there afterwards.
    pub expect: Written,
}

/// One change.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Makes a store of the type, shape, codec and dictionary of a golden one.
    Create {
        /// The golden one.
        like: String,
    },
    /// Appends records of a golden store.
    Append {
        /// The golden one.
        from: String,
        /// Which.
        index: Picks,
    },
    /// Appends one flat list of zeros.
    AppendZeros {
        /// Their type.
        dtype: String,
        /// How many elements.
        count: usize,
    },
    /// Deletes records.
    Delete {
        /// Which.
        index: Picks,
    },
    /// Compacts.
    Compact,
    /// Closes and opens again.
    Reopen,
}

/// A store after its changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// The error that ended the steps.
    pub error: Option<String>,
    /// How many records there are.
    pub records: Option<u64>,
    /// Of all records.
    pub sha256: Option<String>,
    /// All files but Recask's own; with `meta_without_frontier_hex`, those listed.
    pub files: BTreeMap<String, FileContent>,
    /// `meta.zr` without bytes 6 to 14.
    pub meta_without_frontier_hex: Option<String>,
}

/// The content of one file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileContent {
    /// Its size.
    pub size: u64,
    /// How many bytes the digest covers; all where it is missing.
    pub first: Option<usize>,
    /// The digest.
    pub sha256: String,
}

/// A sampler, and a place in its stream.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplerCase<T> {
    /// Its name.
    pub mode: String,
    /// Records.
    pub length: Integer,
    /// Indices of a global batch.
    pub batch: u64,
    /// The seed.
    pub seed: Integer,
    /// The first step; 0 where it is missing.
    #[serde(default)]
    pub step: Integer,
    /// The rank; 0 where it is missing.
    #[serde(default)]
    pub rank: u64,
    /// All ranks; 1 where it is missing.
    #[serde(default = "alone")]
    pub world: u64,
    /// The record whose steps are wanted.
    pub record: Option<Integer>,
    /// How many of its steps are wanted.
    pub count: Option<usize>,
    /// The epoch whose steps are wanted.
    pub epoch: Option<Integer>,
    /// The answer.
    pub expect: Expect<T>,
}

pub(crate) fn alone() -> u64 {
    1
}

/// Batches of successive steps.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batches {
    /// One a step.
    pub batches: Vec<Vec<Integer>>,
}

/// Appearances of a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Appearances {
    /// Step, and position in the global batch. Fewer than were asked for: there are no more.
    pub occurrences: Vec<[Integer; 2]>,
}

/// The steps of an epoch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epoch {
    /// The first, and the one behind the last.
    pub steps: [Integer; 2],
}

/// An unsigned integer, as text where a float could not hold it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Integer(pub u64);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Number(value) = Number::deserialize(deserializer)?;
        u64::try_from(value).map(Integer).map_err(D::Error::custom)
    }
}

/// A number, or its decimal digits.
#[derive(Clone, Copy, Debug)]
struct Number(i128);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(Number(value.into())),
            Written::Text(digits) => digits.parse().map(Number).map_err(D::Error::custom),
        }
    }
}

/// Which records.
#[derive(Debug)]
pub struct Picks(pub Index<'static>);

impl<'de> Deserialize<'de> for Picks {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Written {
            One(Number),
            Range([Option<Number>; 3]),
            List(Vec<Number>),
            Mask(Vec<bool>),
        }
        let signed = |Number(value): Number| i64::try_from(value).map_err(D::Error::custom);
        let index = match Written::deserialize(deserializer)? {
            Written::One(value) => Index::One(signed(value)?),
            Written::Range([start, stop, step]) => {
                let bound = |bound: Option<Number>| bound.map(signed).transpose();
                Index::range(bound(start)?, bound(stop)?, bound(step)?.unwrap_or(1))
            }
            Written::Mask(flags) => flags.into(),
            Written::List(list) if list.iter().any(|number| number.0 < 0) => {
                list.into_iter().map(signed).collect::<Result<Vec<_>, _>>()?.into()
            }
            Written::List(list) => {
                let unsigned = |Number(value): Number| u64::try_from(value).map_err(D::Error::custom);
                list.into_iter().map(unsigned).collect::<Result<Vec<_>, _>>()?.into()
            }
        };
        Ok(Picks(index))
    }
}
