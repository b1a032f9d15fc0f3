//! The mixing functions behind keys and stateless draws.

/// 2^64 divided by the golden ratio, made odd.
pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

const ROUND: u64 = 0xD1B5_4A32_D192_ED03;

/// The finaliser of splitmix64, a bijection that spreads every input bit over the whole word.
pub(super) const fn finalise(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `mix(seed, value, round)` of loaderx.
pub(super) const fn mix(seed: u64, value: u64, round: u64) -> u64 {
    finalise(seed ^ value.wrapping_mul(GOLDEN) ^ round.wrapping_mul(ROUND))
}
