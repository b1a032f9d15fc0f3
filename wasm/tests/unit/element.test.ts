import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, dtypeOf, elementOf, reverse, valuesOf } from '../../ts/element.js'
import { RecaskError } from '../../ts/errors.js'
import { float16ToFloat32 } from '../../ts/half.js'

const arrays: [string, string, number][] = [
  ['|b1', 'Uint8Array', 1],
  ['|i1', 'Int8Array', 1],
  ['|u1', 'Uint8Array', 1],
  ['<i2', 'Int16Array', 1],
  ['<u2', 'Uint16Array', 1],
  ['<f2', globalThis.Float16Array ? 'Float16Array' : 'Uint16Array', 1],
  ['<i4', 'Int32Array', 1],
  ['<u4', 'Uint32Array', 1],
  ['<f4', 'Float32Array', 1],
  ['<i8', 'BigInt64Array', 1],
  ['<u8', 'BigUint64Array', 1],
  ['<f8', 'Float64Array', 1],
  ['<c8', 'Float32Array', 2],
  ['<c16', 'Float64Array', 2],
  ['<M8[ns]', 'BigInt64Array', 1],
  ['<M8', 'BigInt64Array', 1],
  ['<m8[25us]', 'BigInt64Array', 1],
  ['<f16', 'Uint8Array', 16],
  ['|S5', 'Uint8Array', 5],
  ['<U3', 'Uint8Array', 12],
  ['|V7', 'Uint8Array', 7],
]

for (const [dtype, name, width] of arrays) {
  test(`${dtype} is a ${name}`, () => {
    const element = elementOf(dtype)
    assert.deepEqual([element.array.name, element.width, element.dtype, element.swapped], [name, width, dtype, 1])
  })
}

test('structures are bytes', () => {
  const element = elementOf("[('a', '<f4'), ('b', '>i8')]", 12)
  assert.deepEqual([element.array.name, element.width, element.swapped], ['Uint8Array', 12, 1])
})

test('values in the other byte order are turned', () => {
  const bytes = (...all: number[]) => Uint8Array.from(all)
  assert.deepEqual(valuesOf(bytes(1, 2, 3, 4), elementOf('>i2')), Int16Array.of(0x0102, 0x0304))
  assert.deepEqual(valuesOf(bytes(0x3f, 0x80, 0, 0, 0, 0, 0, 0), elementOf('>c8')), Float32Array.of(1, 0))
  assert.equal(elementOf('>M8[s]').dtype, '<M8[s]')
  assert.equal(elementOf('>f16').dtype, '<f16')
  assert.equal(elementOf('>f16').swapped, 16)
})

test('texts stay as they are stored', () => {
  const element = elementOf('>U1')
  assert.equal(element.dtype, '>U1')
  assert.deepEqual(valuesOf(Uint8Array.of(0, 0, 0, 65), element), Uint8Array.of(0, 0, 0, 65))
})

test('bytes that lie badly are copied, others are not', () => {
  const buffer = new ArrayBuffer(12)
  const well = new Uint8Array(buffer, 4, 8)
  assert.equal(valuesOf(well, elementOf('<f4')).buffer, buffer)
  const badly = valuesOf(new Uint8Array(buffer, 1, 8), elementOf('<f4'))
  assert.equal(badly.length, 2)
  assert.notEqual(badly.buffer, buffer)
})

test('what goes in comes out', () => {
  fc.assert(
    fc.property(fc.float64Array(), (values) => {
      const bytes = bytesOf(values, elementOf('<f8'), 'values').slice()
      assert.deepEqual(valuesOf(bytes, elementOf('<f8')), values)
      const turned = bytes.slice()
      reverse(turned, 8)
      assert.deepEqual(valuesOf(turned, elementOf('>f8')), values)
    }),
  )
})

const refused = (values: unknown, dtype: string, code: string, message: RegExp) =>
  assert.throws(
    () => bytesOf(values, elementOf(dtype), 'the records'),
    (error) => error instanceof RecaskError && error.code === code && message.test(error.message),
  )

test('refuses what does not fit the type', () => {
  refused(Float64Array.of(1), '<f4', 'dtype_mismatch', /Float32Array, not Float64Array/)
  refused([1, 2], '<f4', 'dtype_mismatch', /not Array/)
  refused(new DataView(new ArrayBuffer(4)), '|u1', 'dtype_mismatch', /DataView/)
  refused(undefined, '|u1', 'dtype_mismatch', /undefined/)
  refused(new Uint8Array(7), '|S5', 'shape_mismatch', /5 bytes each, but 7/)
  refused(Float32Array.of(1, 2, 3), '<c8', 'shape_mismatch', /8 bytes each, but 12/)
})

test('refuses a buffer that was transferred elsewhere', () => {
  const values = new Uint8Array(4)
  structuredClone(values, { transfer: [values.buffer] })
  refused(values, '|u1', 'invalid_argument', /detached/)
})

test('halves may be given as bits', () => {
  assert.equal(bytesOf(Uint16Array.of(0x3c00), elementOf('<f2'), 'the records').length, 2)
})

test('the type of an array', () => {
  assert.equal(dtypeOf(new Float32Array()), '<f4')
  assert.equal(dtypeOf(new BigUint64Array()), '<u8')
  assert.equal(dtypeOf([]), undefined)
})

test('halves as floats', () => {
  const bits = Uint16Array.of(0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x7c00, 0xfc00, 0x3555)
  const values = [0, 1, -2, 65504, 2 ** -24, 1023 * 2 ** -24, Infinity, -Infinity, 0.333251953125]
  assert.deepEqual([...float16ToFloat32(bits)], values)
  assert.ok(Number.isNaN(float16ToFloat32(Uint16Array.of(0x7e00))[0]))
  assert.ok(Object.is(float16ToFloat32(Uint16Array.of(0x8000))[0], -0))
})
