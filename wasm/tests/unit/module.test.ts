import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { RecaskError } from '../../ts/errors.js'
import { enter, free, reset } from '../../ts/module.js'
import { startFake } from './fake.js'

beforeEach(reset)

function failure(work: () => unknown): RecaskError {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof RecaskError, String(error))
    return error
  }
  assert.fail('it did not fail')
}

const throws = (thrown: unknown) => () => enter(() => { throw thrown })

test('before init nothing works', () => {
  const { code, message } = failure(() => enter(() => 1))
  assert.equal(code, 'invalid_argument')
  assert.match(message, /await init\(\)/)
})

test('after a trap no call enters the module again', () => {
  startFake()
  const trap = new WebAssembly.RuntimeError('unreachable')
  const error = failure(throws(trap))
  assert.equal(error.code, 'internal')
  assert.equal(error.cause, trap)
  assert.match(error.message, /unreachable.*load the page anew/)
  let entered = false
  assert.equal(failure(() => enter(() => (entered = true))), error)
  assert.equal(entered, false)
  free({ free: () => (entered = true) })
  assert.equal(entered, false)
})

test('a panic is a trap too', () => {
  startFake()
  assert.equal(failure(throws(new Error('panicked at somewhere'))).code, 'internal')
  assert.match(failure(() => enter(() => 1)).message, /panicked/)
})

for (const thrown of [new RangeError('Array buffer allocation failed'), new WebAssembly.RuntimeError('memory access out of bounds')]) {
  test(`without memory the code is limit: ${thrown.message}`, () => {
    startFake()
    assert.equal(failure(throws(thrown)).code, 'limit')
    assert.equal(failure(() => enter(() => 1)).code, 'limit')
  })
}

test('any other failure stops nothing', () => {
  startFake()
  assert.equal(failure(throws(new TypeError('no'))).code, 'internal')
  assert.equal(enter(() => 1), 1)
})
