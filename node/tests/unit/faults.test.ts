import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RecaskError } from '../../../wasm/ts/errors.js'
import { isInterrupted, translated } from '../../ts/faults.js'

describe('what the addon throws', () => {
  it('is an error of Recask with its fields', () => {
    const fields = {
      code: 'corrupt_record',
      message: 'record 3 is damaged',
      file: '0.chunk',
      record: 3,
      offset: 12,
      stream: 'a',
      step: '18446744073709551615',
    }
    const error = translated(new Error(`recask:${JSON.stringify(fields)}`))
    assert.ok(error instanceof RecaskError)
    assert.deepEqual({ ...error, message: error.message }, { name: 'RecaskError', ...fields, step: 2n ** 64n - 1n })
  })

  it('has no fields that are not known', () => {
    const error = translated(new Error('recask:{"code":"io","message":"no","file":null}'))
    assert.ok(error instanceof RecaskError)
    assert.deepEqual(Object.keys(error).sort(), ['code', 'name'])
  })

  it('is the mistake of a caller where Node-API refuses a value', () => {
    const refused = Object.assign(new TypeError('Expect value to be String'), { code: 'StringExpected' })
    const error = translated(refused)
    assert.ok(error instanceof RecaskError)
    assert.deepEqual([error.code, error.cause], ['invalid_argument', refused])
  })

  it('is an error of this package where recask-wasm throws one', () => {
    const foreign = Object.assign(new Error('taken'), { name: 'RecaskError', code: 'store_busy', file: 'recask.lock' })
    const error = translated(foreign)
    assert.ok(error instanceof RecaskError)
    assert.deepEqual([error.code, error.file, error.cause], ['store_busy', 'recask.lock', foreign])
  })

  it('stays what it is otherwise', () => {
    const [own, other] = [new RecaskError('io', 'own'), new Error('recask:not JSON')]
    for (const thrown of [own, other, 'text', undefined]) assert.equal(translated(thrown), thrown)
  })

  it('says whether it was stopped', () => {
    assert.ok(isInterrupted(new RecaskError('interrupted', 'stopped')))
    assert.ok(!isInterrupted(new RecaskError('io', 'no')) && !isInterrupted(new Error('interrupted')))
  })
})
