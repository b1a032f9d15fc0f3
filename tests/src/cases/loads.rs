//! Cases of loaders: what they deliver, and where a run stands.

use serde::Deserialize;

use super::{Expect, Integer, Kind, Picks, TableColumn, alone};

/// Streams, their order, and some steps.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadCase {
    /// What is read.
    pub streams: Vec<LoadStream>,
    /// The name of the order.
    pub mode: String,
    /// Records of a global batch.
    pub batch: u64,
    /// The seed.
    pub seed: Integer,
    /// The rank; 0 where it is missing.
    #[serde(default)]
    pub rank: u64,
    /// All ranks; 1 where it is missing.
    #[serde(default = "alone")]
    pub world: u64,
    /// Whose batches are wanted, one after the other.
    pub steps: Vec<Integer>,
    /// What to do where a record cannot be read.
    #[serde(default)]
    pub on_loss: WhenLost,
    /// The answer.
    pub expect: Expect<Delivered>,
}

/// What to do where a record cannot be read.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum WhenLost {
    /// The error ends it.
    #[default]
    Fail,
    /// Those records are left out.
    SkipRecords,
    /// Steps with such records are left out.
    SkipSteps,
}

/// One stream.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum LoadStream {
    /// The records of a golden store.
    Store {
        /// What it is called.
        name: String,
        /// Its folder below `golden`.
        store: String,
        /// As what it is opened.
        kind: Kind,
    },
    /// The rows of a golden table.
    Table {
        /// What it is called.
        name: String,
        /// Its file below `golden`.
        table: String,
        /// Which columns; all where they are missing.
        columns: Option<Vec<String>>,
        /// Which rows; all where they are missing.
        index: Option<Picks>,
    },
}

/// What comes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivered {
    /// One a step; none for a step that is left out.
    pub batches: Vec<Option<LoadBatch>>,
    /// What was left out, in any order.
    #[serde(default)]
    pub losses: Vec<LostRecord>,
}

/// A record that was left out.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
pub struct LostRecord {
    /// The step that asked for it.
    pub step: Integer,
    /// The stream that lost it.
    pub stream: String,
    /// Its index in the stream.
    pub record: u64,
    /// Why it cannot be read.
    pub code: String,
}

/// One batch.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct LoadBatch {
    /// Which records.
    pub indices: Vec<u64>,
    /// Their values, in the order of the streams.
    pub streams: Vec<StreamValues>,
}

/// The values of one stream.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged, deny_unknown_fields)]
pub enum StreamValues {
    /// Packed.
    Ragged {
        /// What it is called.
        name: String,
        /// Where each record starts, in elements, and where the last one ends.
        offsets: Vec<u64>,
        /// Of each record.
        shapes: Vec<Vec<u64>>,
        /// Of all values.
        sha256: String,
    },
    /// Stacked.
    Dense {
        /// What it is called.
        name: String,
        /// The number of records first.
        shape: Vec<u64>,
        /// Of all values.
        sha256: String,
    },
    /// Rows as columns.
    Table {
        /// What it is called.
        name: String,
        /// How many.
        rows: usize,
        /// The values of each column.
        columns: Vec<TableColumn>,
    },
}

/// The state of a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateOfCase {
    /// What is read.
    pub streams: Vec<LoadStream>,
    /// The name of the order.
    pub mode: String,
    /// Records of a global batch.
    pub batch: u64,
    /// The seed.
    pub seed: Integer,
    /// The rank; 0 where it is missing.
    #[serde(default)]
    pub rank: u64,
    /// All ranks; 1 where it is missing.
    #[serde(default = "alone")]
    pub world: u64,
    /// All steps below were delivered.
    pub step: Integer,
    /// And these.
    pub done: Vec<Integer>,
    /// What to do where a record cannot be read.
    #[serde(default)]
    pub on_loss: WhenLost,
    /// The answer.
    pub expect: Expect<StateText>,
}

/// A state as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateText {
    /// One line.
    pub text: String,
}

/// Going on from a state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCase {
    /// What is read, perhaps a state.
    pub text: String,
    /// Over which streams the run is to go on; nothing is compared where they are missing.
    pub streams: Option<Vec<LoadStream>>,
    /// The rank that goes on; 0 where it is missing.
    #[serde(default)]
    pub rank: u64,
    /// With how many ranks; 1 where it is missing.
    #[serde(default = "alone")]
    pub world: u64,
    /// What to do where a record cannot be read.
    #[serde(default)]
    pub on_loss: WhenLost,
    /// The answer.
    pub expect: Expect<ResumedAt>,
}

/// Where a run goes on.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ResumedAt {
    /// The name of the order.
    pub mode: String,
    /// The seed.
    pub seed: Integer,
    /// Records of a global batch.
    pub batch: Integer,
    /// How many records there are.
    pub length: Integer,
    /// The lowest step that was not delivered.
    pub step: Integer,
    /// The steps above it that were.
    pub done: Vec<Integer>,
    /// The rank that took the state.
    pub rank: Integer,
    /// How many there were.
    pub world: Integer,
    /// The records that the rank which goes on takes at `step`.
    pub indices: Vec<u64>,
    /// The state as it is written.
    pub text: String,
}
