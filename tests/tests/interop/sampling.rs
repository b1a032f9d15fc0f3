//! The same indices from both samplers, for random parameters.

use recask::{Mode, sampler};
use serde_json::json;

use crate::peer::Peer;
use crate::random::Random;

const CASES: u64 = 400;
const STEPS: usize = 3;

#[test]
fn sequential() {
    compare(Mode::Sequential, 0, 30);
}

#[test]
fn iid() {
    compare(Mode::Iid, 1, 31);
}

#[test]
fn cyclic() {
    compare(Mode::Cyclic, 2, 32);
}

fn compare(mode: Mode, number: u8, seed: u64) {
    let mut peer = Peer::start();
    let mut random = Random::new(seed);
    for _ in 0..CASES {
        let (length, batch, seed) = (length(&mut random), 1 + random.below(300), random.next());
        let ours = sampler(mode, length, batch).seed(seed).build().expect("a sampler");
        let mut ask = |seek: Option<u64>| {
            let arguments = json!({"length": length, "batch": batch, "mode": number, "seed": seed, "seek": seek, "steps": STEPS});
            let answer = peer.ask("sample", arguments);
            serde_json::from_value::<Vec<Vec<u64>>>(answer).expect("batches of indices")
        };
        let context = format!("{mode}, length {length}, batch {batch}, seed {seed}");
        let batches: Vec<_> = ours.iter().take(STEPS).map(|batch| batch.expect("a batch")).collect();
        assert_eq!(batches, ask(None), "{context}");
        let step = step(&mut random, mode);
        let batches: Vec<_> = (step..).take(STEPS).map(|step| ours.at(step).expect("a batch")).collect();
        assert_eq!(batches, ask(Some(step)), "{context}, from step {step}");
    }
}

/// Small ones, powers of two and their neighbours, and any up to 2^62, where each is as likely in its size.
fn length(random: &mut Random) -> u64 {
    let bits = 1 + random.below(62);
    match random.below(3) {
        0 => 1 + random.below(40),
        1 => (1 << bits) - 1 + random.below(3),
        _ => 1 + random.below(1 << bits),
    }
}

/// How far loaderx can seek in no time: anywhere, but in iid it draws all that lies before.
fn step(random: &mut Random, mode: Mode) -> u64 {
    match mode {
        Mode::Iid => random.below(200),
        _ => {
            let bits = random.below(60);
            random.below(1 << bits)
        }
    }
}
