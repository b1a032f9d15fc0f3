//! Trains on batches that are read and prepared ahead, stops, and goes on exactly there.
//!
//!     cargo run --release -p recask --example loader

use std::error::Error;

use recask::loader::{Batch, State};
use recask::{Codec, DType, DenseStore, Loader, Result};

const PIXELS: usize = 64;

/// What the training takes: made by the workers out of a batch.
struct Sample {
    step: u64,
    pixels: Vec<f32>,
    labels: Vec<u8>,
}

/// Runs on the threads of the loader.
fn prepare(batch: &Batch) -> Result<Sample> {
    let pixels: &[u8] = batch.dense("image")?.values()?;
    let pixels = pixels.iter().map(|&pixel| f32::from(pixel) / 255.0).collect();
    let labels = batch.dense("label")?.values()?.to_vec();
    Ok(Sample { step: batch.step(), pixels, labels })
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);

    // Images of two classes, a little brighter above or below, under noise.
    let mut images = DenseStore::builder(DType::U8, [8, 8]).codec(Codec::zstd()).create(path("images"))?;
    let mut labels = DenseStore::builder(DType::U8, ()).create(path("labels"))?;
    let noise = |at: usize| at.wrapping_mul(2_654_435_761).to_le_bytes()[3] >> 2;
    let classes: Vec<u8> = (0..2000).map(|image| u8::from(noise(image) < 32)).collect();
    let pixel = |at: usize, class: u8| {
        100 + noise(at) + if (at % PIXELS < PIXELS / 2) == (class == 0) { 12 } else { 0 }
    };
    let picture =
        |(image, &class): (usize, &u8)| (0..PIXELS).map(move |at| pixel(image * PIXELS + at, class));
    images.append(&classes.iter().enumerate().flat_map(picture).collect::<Vec<u8>>())?;
    labels.append(&classes)?;
    images.close()?;
    labels.close()?;

    let describe = || -> Result<_> {
        Ok(Loader::builder()
            .stream("image", DenseStore::open(path("images"))?)
            .stream("label", DenseStore::open(path("labels"))?)
            .batch(100)
            .seed(42)
            .workers(2)
            .memory_limit(1 << 20)
            .transform(|batch| prepare(&batch)))
    };
    println!("at most {} bytes of batches", describe()?.budget()?.bytes());

    // A linear classifier, by gradient descent.
    let mut weights = [0f32; PIXELS];
    let mut train = |sample: &Sample| {
        let mut correct = 0;
        for (pixels, &label) in sample.pixels.chunks_exact(PIXELS).zip(&sample.labels) {
            let score: f32 = pixels.iter().zip(&weights).map(|(pixel, weight)| (pixel - 0.5) * weight).sum();
            let error = f32::from(label) - 1.0 / (1.0 + (-score).exp());
            correct += u32::from((score > 0.0) == (label == 1));
            weights.iter_mut().zip(pixels).for_each(|(weight, pixel)| *weight += 0.1 * error * (pixel - 0.5));
        }
        correct
    };

    let mut loader = describe()?.start()?;
    for sample in loader.by_ref().take(15) {
        let sample = sample?;
        println!("step {:2}: {} of {} right", sample.step, train(&sample), sample.labels.len());
    }
    let kept = loader.state()?.to_string(); // to be kept with the weights
    drop(loader);

    let mut loader = describe()?.resume(kept.parse::<State>()?).start()?;
    println!("resumed at step {}, with {:?} steps in an epoch", loader.step(), loader.steps_per_cycle());
    let mut right = 0;
    for sample in loader.epoch(1)? {
        right += train(&sample?);
    }
    println!("epoch 1: {right} of 2000 right, {:?} waited", loader.report().waited);
    assert!(right > 1900 && loader.step() == 40);
    Ok(())
}
