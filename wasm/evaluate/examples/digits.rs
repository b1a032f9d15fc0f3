//! Predicts handwritten digits in two ways that need no training, and evaluates the predictions.
//!
//! ```text
//! cargo run -p recask-evaluate --example digits [FOLDER]
//! ```
//!
//! Every other one of 2,000 MNIST digits is known, the rest is predicted: by the nearest mean of the known digits of each class, and
//! by the votes of the five nearest known digits. FOLDER then has the stores `labels`, `centroid/class`, `centroid/logits`,
//! `knn/class` and `knn/probabilities`, and the table `digits.cstore`.

use std::path::Path;

use recask::convert::{self, ImportOptions};
use recask::core::table::ColumnInput;
use recask::{Codec, DType, DenseStore, Index, Table};
use recask_evaluate::scores::Meaning;
use recask_evaluate::{Place, Request, evaluate};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const CLASSES: usize = 10;
const NEIGHBOURS: usize = 5;

/// A picture of 14 by 14: blocks of four pixels, added up.
type Picture = Vec<i32>;

fn main() -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args().nth(1).map_or_else(|| temporary.path().to_owned(), Into::into);
    let mnist = temporary.path().join("mnist");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../native/cli/data/mnist2000.npz");
    convert::import(&source, &mnist, &ImportOptions::default(), &())?;
    let known = digits(&mnist, 0)?;
    let unknown = digits(&mnist, 1)?;

    let centroids = centroids(&known);
    let (mut labels, mut by_centroid, mut by_neighbours) = (Vec::new(), Vec::new(), Vec::new());
    let (mut logits, mut probabilities) = (Vec::new(), Vec::new());
    for (picture, label) in &unknown {
        labels.push(i64::try_from(*label)?);
        let scores = centroid_logits(&centroids, picture);
        by_centroid.push(largest(&scores));
        logits.extend(scores);
        let votes = votes(&known, picture);
        by_neighbours.push(largest(&votes));
        probabilities.extend(votes);
    }

    write_classes(&folder.join("labels"), &labels)?;
    write_classes(&folder.join("centroid/class"), &by_centroid)?;
    write_scores(&folder.join("centroid/logits"), &logits)?;
    write_classes(&folder.join("knn/class"), &by_neighbours)?;
    write_scores(&folder.join("knn/probabilities"), &probabilities)?;
    let columns = [
        ColumnInput::of("label", &labels),
        ColumnInput::of("centroid", &by_centroid),
        ColumnInput::of("knn", &by_neighbours),
    ];
    Table::create(folder.join("digits.cstore"), &columns)?;

    for (predictions, meaning) in
        [("centroid/logits", Meaning::Logits), ("knn/probabilities", Meaning::Probabilities)]
    {
        let place = |name: &str| Place { path: folder.join(name), columns: Vec::new() };
        let mut request =
            Request { labels: place("labels"), predictions: place(predictions), ..Request::default() };
        request.classification.scores = meaning;
        println!("{predictions}\n{}", evaluate(&request, &())?.summary());
    }
    Ok(())
}

/// Every other digit, from the first or second one on, with its label.
fn digits(mnist: &Path, first: i64) -> Result<Vec<(Picture, usize)>> {
    let every_other = Index::range(Some(first), None, 2);
    let images = DenseStore::open(mnist.join("images"))?.gather(every_other.clone())?;
    let labels = DenseStore::open(mnist.join("labels"))?.gather(every_other)?;
    let pictures = images.as_bytes().chunks_exact(28 * 28).map(shrunk);
    pictures
        .zip(labels.values::<i64>()?)
        .map(|(picture, label)| Ok((picture, usize::try_from(*label)?)))
        .collect()
}

fn shrunk(pixels: &[u8]) -> Picture {
    let mut picture = vec![0; 14 * 14];
    for (at, pixel) in pixels.iter().enumerate() {
        picture[at / 28 / 2 * 14 + at % 28 / 2] += i32::from(*pixel);
    }
    picture
}

fn distance(a: &[i32], b: &[i32]) -> i64 {
    a.iter().zip(b).map(|(a, b)| i64::from((a - b) * (a - b))).sum()
}

/// The mean picture of each class.
fn centroids(known: &[(Picture, usize)]) -> Vec<Picture> {
    let mean = |class: usize| {
        let mut sum = vec![0; 14 * 14];
        let mut count = 0;
        for (picture, _) in known.iter().filter(|(_, label)| *label == class) {
            sum.iter_mut().zip(picture).for_each(|(sum, pixel)| *sum += pixel);
            count += 1;
        }
        sum.iter_mut().for_each(|sum| *sum /= count.max(1));
        sum
    };
    (0..CLASSES).map(mean).collect()
}

/// As if the digits of each class lay around their mean in a bell curve: the nearer, the likelier.
fn centroid_logits(centroids: &[Picture], picture: &[i32]) -> Vec<f32> {
    const SPREAD: f32 = 700_000.0;
    #[expect(clippy::cast_precision_loss, reason = "the nearest float will do")]
    centroids.iter().map(|centroid| -(distance(centroid, picture) as f32) / SPREAD).collect()
}

/// The share of the nearest known digits that each class has.
fn votes(known: &[(Picture, usize)], picture: &[i32]) -> Vec<f32> {
    let mut nearest: Vec<(i64, usize)> =
        known.iter().map(|(other, label)| (distance(other, picture), *label)).collect();
    nearest.sort_unstable();
    let mut votes = vec![0.0; CLASSES];
    for (_, label) in nearest.iter().take(NEIGHBOURS) {
        votes[*label] += 0.2;
    }
    votes
}

/// The class with the largest score, the first of equal ones.
fn largest(scores: &[f32]) -> i64 {
    let best = |best: (i64, f32), (class, &score): (i64, &f32)| {
        if score > best.1 { (class, score) } else { best }
    };
    (0..).zip(scores).fold((0, f32::NEG_INFINITY), best).0
}

fn write_classes(path: &Path, classes: &[i64]) -> Result<()> {
    let mut store = DenseStore::builder(DType::I64, ()).create(path)?;
    store.append(classes)?;
    Ok(store.close()?)
}

fn write_scores(path: &Path, scores: &[f32]) -> Result<()> {
    let mut store = DenseStore::builder(DType::F32, [CLASSES as u64]).codec(Codec::zstd()).create(path)?;
    store.append(scores)?;
    Ok(store.close()?)
}
