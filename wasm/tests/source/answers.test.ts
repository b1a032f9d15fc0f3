import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseContentRange } from '../../ts/source/http/content_range.js'
import { difference, strongValidator, versionOf } from '../../ts/source/http/version.js'

test('Content-Range is understood in its three forms', () => {
  assert.deepEqual(parseContentRange('bytes 0-9/100'), { start: 0, end: 10, total: 100 })
  assert.deepEqual(parseContentRange('bytes 5-5/*'), { start: 5, end: 6, total: undefined })
  assert.deepEqual(parseContentRange('bytes */100'), { start: undefined, end: undefined, total: 100 })
})

test('a Content-Range that makes no sense is none', () => {
  for (const text of [
    '',
    'bytes',
    '0-9/100',
    'bytes 9-0/100',
    'bytes 0-100/100',
    'bytes 0-9/9007199254740993',
    'items 0-9/10',
    'bytes -9/10',
    'bytes 0-9',
  ]) {
    assert.equal(parseContentRange(text), undefined, text)
  }
})

const version = (headers: Record<string, string>, total?: number) => versionOf(new Headers(headers), total)
const old = 'Mon, 01 Jan 2024 00:00:00 GMT'
const later = 'Mon, 01 Jan 2024 00:00:01 GMT'

test('a strong validator is a strong ETag, or without any ETag a date that is over', () => {
  assert.equal(strongValidator(version({ ETag: '"a"', 'Last-Modified': old, Date: later })), '"a"')
  assert.equal(strongValidator(version({ ETag: 'W/"a"', 'Last-Modified': old, Date: later })), undefined)
  assert.equal(strongValidator(version({ 'Last-Modified': old, Date: later })), old)
  assert.equal(strongValidator(version({ 'Last-Modified': old, Date: old })), undefined)
  assert.equal(strongValidator(version({ 'Last-Modified': old })), undefined)
  assert.equal(strongValidator(version({})), undefined)
})

test('answers differ by length, by ETag, or without ETags by date', () => {
  assert.match(difference(version({}, 5), version({}, 6)) ?? '', /5 bytes and now has 6/)
  assert.match(difference(version({ ETag: '"a"' }), version({ ETag: '"b"' })) ?? '', /ETag/)
  assert.equal(difference(version({ ETag: '"a"' }), version({ ETag: 'W/"a"' })), undefined)
  assert.match(difference(version({ 'Last-Modified': old }), version({ 'Last-Modified': later })) ?? '', /was of/)
  assert.equal(
    difference(version({ ETag: '"a"', 'Last-Modified': old }), version({ ETag: '"a"', 'Last-Modified': later })),
    undefined,
  )
  assert.equal(difference(version({ ETag: '"a"' }, 5), version({})), undefined)
})
