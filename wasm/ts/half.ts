/**
 * Numbers of 16 bits as those of 32, for runtimes without `Float16Array`, where values of `f2` come as their bits.
 *
 * ```js
 * const { data } = await store.gather({})
 * const values = data instanceof Uint16Array ? float16ToFloat32(data) : Float32Array.from(data)
 * ```
 */
export function float16ToFloat32(bits: Uint16Array): Float32Array {
  return Float32Array.from(bits, fromBits)
}

function fromBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
