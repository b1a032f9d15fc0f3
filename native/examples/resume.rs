//! Stops a shuffled run and resumes it: every batch is a function of seed and step, so the step is all there is to keep.
//!
//!     cargo run --release -p recask --example resume

use recask::{DType, DenseStore, Mode, sampler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("values");
    let mut values = DenseStore::builder(DType::F32, [4]).create(&path)?;
    values.append(&(0u16..4000).map(f32::from).collect::<Vec<_>>())?;
    values.close()?;

    let values = DenseStore::open(&path)?;
    let shuffled = sampler(Mode::Cyclic, values.len(), 64).build()?;
    let seed = shuffled.seed(); // drawn from the system; write it down with the step
    println!("seed {seed}, {:?} steps until every record was seen", shuffled.steps_per_cycle());

    let whole: Vec<Vec<u64>> = shuffled.iter().take(100).collect::<Result<_, _>>()?;

    // A new process would know only (seed, step).
    let resumed = sampler(Mode::Cyclic, values.len(), 64).seed(seed).build()?;
    let rest: Vec<Vec<u64>> = resumed.iter_from(40).take(60).collect::<Result<_, _>>()?;
    assert_eq!(rest, whole[40..]);
    println!("steps 40 to 99 are the same after resuming");

    // Two ranks share each global batch, whatever their number was before.
    let ranks: Vec<Vec<u64>> = (0..2).map(|rank| resumed.shard(rank, 2)?.at(40)).collect::<Result<_, _>>()?;
    assert_eq!(ranks.concat(), whole[40]);
    println!("ranks 0 and 1 together see the batch of step 40");

    let first = whole[0][0];
    let visits: Vec<u64> = resumed.steps_of(first)?.take(3).map(|visit| visit.step).collect();
    println!("record {first} comes in the steps {visits:?}, …");
    assert_eq!(values.gather(&whole[0])?.shape(), [64, 4]);
    Ok(())
}
