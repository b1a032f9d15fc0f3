//! The generator of the iid mode.

/// Small fast chaotic generator with 256 bits of state. It cannot jump.
#[derive(Clone, Debug)]
pub(super) struct Sfc64 {
    a: u64,
    b: u64,
    c: u64,
    counter: u64,
}

impl Sfc64 {
    pub(super) fn new(seed: u64) -> Self {
        let mut generator = Sfc64 { a: seed, b: seed, c: seed, counter: 1 };
        for _ in 0..12 {
            generator.next();
        }
        generator
    }

    pub(super) fn next(&mut self) -> u64 {
        let out = self.a.wrapping_add(self.b).wrapping_add(self.counter);
        self.counter = self.counter.wrapping_add(1);
        self.a = self.b ^ (self.b >> 11);
        self.b = self.c.wrapping_add(self.c << 3);
        self.c = self.c.rotate_left(24).wrapping_add(out);
        out
    }
}
