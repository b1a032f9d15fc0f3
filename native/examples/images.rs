//! Writes images with labels, and reads shuffled batches of them.
//!
//!     cargo run --release -p recask --features ndarray --example images [FOLDER]

use recask::views::ArrayView;
use recask::{Codec, DType, DenseStore, Mode, sampler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args().nth(1).map_or_else(|| temporary.path().to_owned(), Into::into);

    // One thousand pictures of a moving dot, and where the dot is.
    let mut images =
        DenseStore::builder(DType::U8, [16, 16]).codec(Codec::zstd()).create(folder.join("images"))?;
    let mut labels = DenseStore::builder(DType::I64, ()).create(folder.join("labels"))?;
    for block in 0..10 {
        let positions: Vec<i64> = (0..100).map(|i| (block * 100 + i) % 256).collect();
        let mut pixels = vec![0u8; 100 * 256];
        for (picture, &position) in pixels.chunks_exact_mut(256).zip(&positions) {
            picture[usize::try_from(position)?] = 255;
        }
        images.append(&pixels)?; // visible to readers now …
        labels.append(&positions)?;
    }
    images.close()?; // … and durable now
    labels.close()?;

    let images = DenseStore::open(folder.join("images"))?;
    let labels = DenseStore::open(folder.join("labels"))?;
    println!("{} images of {} {}", images.len(), images.dtype(), images.item_shape());

    let sampler = sampler(Mode::Cyclic, images.len(), 32).seed(42).build()?;
    let mut batch = images.gather(..0)?; // its memory is used for every batch
    for (step, indices) in sampler.iter().take(5).enumerate() {
        let indices = indices?;
        images.gather_batch(&indices, &mut batch)?;
        let target = labels.gather(&indices)?;
        let pixels = batch.view::<u8>()?;
        let first = target.values::<i64>()?[0];
        let brightest = pixels.index_axis(ndarray::Axis(0), 0).iter().position(|&pixel| pixel == 255);
        println!(
            "step {step}: batch {:?}, first label {first}, brightest pixel {brightest:?}",
            pixels.shape()
        );
        assert_eq!(brightest, Some(usize::try_from(first)?));
    }

    // One record without a copy: raw stores are mapped.
    let label = labels.record(-1)?;
    println!("the last label, in place: {:?}", &label[..]);
    Ok(())
}
