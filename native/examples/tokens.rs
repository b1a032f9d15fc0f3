//! Keeps sentences as token sequences of different lengths, compressed against a trained dictionary.
//!
//!     cargo run --release -p recask --example tokens [FOLDER]

use recask::{Codec, DType, RaggedStore, Samples, Tier};

/// Sentences of 5 to 60 tokens in which some follow others often, as words do.
fn sentences(count: u32) -> Vec<Vec<i32>> {
    (0..count)
        .map(|i| {
            let length = 5 + i.wrapping_mul(2_654_435_761) % 56;
            (0..length)
                .scan(i % 977, |word, j| {
                    *word = (*word * 31 + j * j) % 977;
                    i32::try_from(*word).ok()
                })
                .collect()
        })
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args().nth(1).map_or_else(|| temporary.path().to_owned(), Into::into);
    let sentences = sentences(5000);

    let samples =
        Samples::from_records(sentences.iter().map(|tokens| recask::bytes_of_slice(tokens)), Tier::Fast);
    let dictionary = samples.train(Tier::Fast)?;
    println!("a dictionary of {} bytes from {} sentences", dictionary.len(), samples.len());

    for (name, codec) in
        [("raw", Codec::raw()), ("zstd", Codec::zstd()), ("dict", Codec::zstd_dict(dictionary))]
    {
        let mut tokens = RaggedStore::builder(DType::I32).codec(codec).create(folder.join(name))?;
        tokens.append(&sentences)?;
        tokens.close()?;

        let tokens = RaggedStore::open(folder.join(name))?;
        let stats = tokens.stats()?;
        println!("{name:>5}: {} sentences in {} bytes", stats.records, stats.live_bytes);

        // Packed: what an embedding layer wants. Offsets count elements.
        let batch = tokens.gather([0, -1, 7])?;
        assert_eq!(batch.values::<i32>()?.len() as u64, batch.offsets()[3]);
        // Or one by one.
        for (record, expected) in batch.records().zip([0, sentences.len() - 1, 7]) {
            assert_eq!(record.values::<i32>()?, sentences[expected]);
        }
    }
    Ok(())
}
