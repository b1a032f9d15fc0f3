//! SplitMix64: the same tests on every machine.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Bytes that differ from record to record, the later ones repetitive so that codecs have something to do.
    pub(crate) fn bytes(&mut self, len: u64) -> Vec<u8> {
        let (mark, filling) = (self.next().to_le_bytes(), self.next().to_le_bytes());
        (0..usize::try_from(len).unwrap()).map(|i| *mark.get(i).unwrap_or(&filling[i % 3])).collect()
    }

    /// Some of `0..len`, in any order, perhaps twice.
    pub(crate) fn some_of(&mut self, len: u64) -> Vec<u64> {
        (0..1 + self.below(len.max(1))).map(|_| self.below(len)).collect()
    }
}
