//! Values that are taken out of a batch, and memory that is left in their place.

use recask_core::buffer::Buffer;
use recask_core::loader::{Feed, Stream, StreamBatch};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
use recask_core::table::ColumnInput;
use recask_core::{DType, DenseStore, RaggedStore, Sampler, Table};

/// Three streams of ten records: their number, a list of one more, and a column of its double.
fn feed() -> Feed<MemoryEnvironment> {
    let mut numbers =
        DenseStore::<MemoryEnvironment>::builder(DType::I64, ()).create(MemoryPlace::new()).unwrap();
    numbers.append(&(0..10).collect::<Vec<i64>>()).unwrap();
    let mut lists = RaggedStore::<MemoryEnvironment>::builder(DType::I64).create(MemoryPlace::new()).unwrap();
    lists.append(&(0..10usize).map(|number| vec![number as i64; number + 1]).collect::<Vec<_>>()).unwrap();
    let double: Vec<i64> = (0..10).map(|number| number * 2).collect();
    let table = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &[ColumnInput::of("double", &double)])
        .unwrap();
    let streams: [(&str, Stream<MemoryEnvironment>); 3] =
        [("number", numbers.into()), ("list", lists.into()), ("table", table.into())];
    Feed::new(streams, Sampler::sequential(10, 5).build().unwrap()).unwrap()
}

fn take(stream: &mut StreamBatch, memory: Buffer) -> Buffer {
    match stream {
        StreamBatch::Dense(batch) => batch.take_bytes(memory),
        StreamBatch::Ragged(batch) => batch.take_bytes(memory),
        StreamBatch::Table(columns) => columns.columns_mut().next().unwrap().take_bytes(memory),
    }
}

#[test]
fn the_next_batch_comes_in_the_memory_that_was_left() {
    let feed = feed();
    let (mut batch, mut whole) = (feed.new_batch(), feed.new_batch());
    feed.fill(0, &mut batch).unwrap();
    let mut left = Vec::new();
    for (_, stream) in batch.streams_mut() {
        let mut memory = Buffer::zeroed(1 << 12).unwrap();
        memory.fill(0xa5);
        left.push(memory.as_ptr());
        let taken = take(stream, memory);
        assert!(!taken.is_empty());
        match stream {
            StreamBatch::Dense(batch) => assert!(batch.is_empty() && batch.as_bytes().is_empty()),
            StreamBatch::Ragged(batch) => assert!(batch.is_empty() && batch.records().len() == 0),
            StreamBatch::Table(columns) => assert!(columns[0].is_empty()),
        }
    }
    feed.fill(1, &mut batch).unwrap();
    feed.fill(1, &mut whole).unwrap();
    assert_eq!(batch, whole);
    let now: Vec<_> = batch
        .streams()
        .map(|(_, stream)| match stream {
            StreamBatch::Dense(batch) => batch.as_bytes().as_ptr(),
            StreamBatch::Ragged(batch) => batch.as_bytes().as_ptr(),
            StreamBatch::Table(columns) => columns[0].as_bytes().as_ptr(),
        })
        .collect();
    assert_eq!(now, left);
}
