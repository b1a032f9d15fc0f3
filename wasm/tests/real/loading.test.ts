import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Batch, DenseStore, fromMemory, fromUrl, init, Loader, RaggedStore, RecaskError, Sampler, Table } from 'recask-wasm'
import { fileURLToPath } from 'node:url'
import { RangeServer } from '../server/server.js'
import { filesOf, GOLDEN } from './golden.js'

let server: RangeServer
before(async () => {
  server = await RangeServer.start({ root: fileURLToPath(GOLDEN) })
  await init()
})
after(() => server.close())

const withCode = (code: string, message = /./) => (error: unknown) => {
  assert.ok(error instanceof RecaskError, String(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, message)
  return true
}

/** Three streams of 64 records, where record n says n. */
async function streams() {
  const files = new Map<string, Uint8Array>()
  const images = await DenseStore.create(fromMemory(files).folder('images'), { dtype: 'u1', itemShape: [2, 2], codec: 'zstd' })
  await images.append(Uint8Array.from({ length: 256 }, (_, i) => i >> 2))
  await images.close()
  const texts = await RaggedStore.create(fromMemory(files).folder('texts'), { dtype: 'u2' })
  await texts.append(Array.from({ length: 64 }, (_, i) => new Uint16Array(1 + (i % 4)).fill(i)))
  await texts.close()
  const writer = await Table.create(fromMemory(files).file('rows.cstore'))
  await writer.write({ n: Int32Array.from({ length: 64 }, (_, i) => i) })
  await writer.close()
  return {
    files,
    images: await DenseStore.open(fromMemory(files).folder('images')),
    texts: await RaggedStore.open(fromMemory(files).folder('texts')),
    rows: await Table.open(fromMemory(files).file('rows.cstore')),
  }
}

function check({ indices, streams }: Batch): void {
  const wanted = Array.from(indices, Number)
  const { images, texts, rows } = streams
  assert.ok(images?.kind === 'dense' && texts?.kind === 'ragged' && rows?.kind === 'table')
  assert.deepEqual(images.shape, [wanted.length, 2, 2])
  assert.deepEqual(Array.from(images.data as Uint8Array), wanted.flatMap((n) => [n, n, n, n]))
  wanted.forEach((n, at) => assert.deepEqual(texts.record(at).data, new Uint16Array(1 + (n % 4)).fill(n)))
  assert.deepEqual(rows.column('n').data, Int32Array.from(wanted))
  assert.throws(() => rows.column('m'), withCode('column_not_found'))
}

const take = async (loader: Loader, count: number) => {
  const batches = []
  for (let i = 0; i < count; i += 1) batches.push((await loader.next())!)
  return batches
}

test('aligned batches in the order of the sampler', async () => {
  const { images, texts, rows } = await streams()
  const loader = new Loader({ images, texts, rows }, { batch: 10, seed: 7, prefetch: 3 })
  const { sampler } = loader
  assert.deepEqual([sampler.mode, sampler.length, sampler.batch, sampler.seed], ['cyclic', 64n, 10, 7n])
  let steps = 0n
  for await (const batch of loader) {
    assert.equal(batch.step, steps)
    assert.deepEqual(batch.indices, sampler.at(steps))
    check(batch)
    steps += 1n
    if (steps === 20n) break
  }
  assert.equal(steps, 20n)
  await loader.close()
  await assert.rejects(loader.next(), withCode('invalid_argument', /closed/))
  assert.equal((await images.gather([3])).data[0], 3)
})

test('goes on where a state was taken, and leaves out what was delivered', async () => {
  const { images, texts, rows } = await streams()
  const first = new Loader({ images, texts, rows }, { batch: 8, seed: 1n })
  const early = await take(first, 5)
  const state = await first.state()
  const late = await take(first, 3)
  const second = new Loader({ rows, images, texts }, { batch: 8, state })
  assert.deepEqual((await take(second, 3)).map(({ step, indices }) => [step, indices]), late.map(({ step, indices }) => [step, indices]))
  assert.equal(early.at(-1)!.step, 4n)
  assert.equal(JSON.parse(state).step, '5')
  const holes = JSON.stringify({ ...JSON.parse(state), done: ['6', '7', '9'] })
  const third = new Loader({ images, texts, rows }, { batch: 8, state: holes })
  assert.deepEqual((await take(third, 1)).map(({ step }) => step), [5n])
  assert.deepEqual([JSON.parse(await third.state()).step, JSON.parse(await third.state()).done], ['8', ['9']])
  assert.deepEqual((await take(third, 2)).map(({ step }) => step), [8n, 10n])
  assert.throws(() => new Loader({ images }, { batch: 8, state, step: 3 }), withCode('invalid_argument'))
})

test('refuses a state of other data', async () => {
  const { images, texts, rows } = await streams()
  const state = await new Loader({ images, texts, rows }, { batch: 8, seed: 1 }).state()
  await assert.rejects(new Loader({ images, texts }, { batch: 8, state }).next(), withCode('state_mismatch'))
})

test('ranks take their slices of the same batches', async () => {
  const { images } = await streams()
  const whole = new Loader({ images }, { batch: 9, seed: 3 })
  const ranks = [0, 1, 2].map((rank) => new Loader({ images }, { batch: 9, seed: 3, rank, world: 3 }))
  for (let step = 0; step < 4; step += 1) {
    const slices = await Promise.all(ranks.map((loader) => loader.next()))
    assert.deepEqual(slices.flatMap((slice) => [...slice!.indices]), [...(await whole.next())!.indices])
  }
})

test('seeks, ends, and starts at a step', async () => {
  const { images } = await streams()
  const loader = new Loader({ images }, { batch: 4, step: 3, end: 6n, seed: 0 })
  assert.deepEqual((await take(loader, 3)).map(({ step }) => step), [3n, 4n, 5n])
  assert.equal(await loader.next(), undefined)
  await loader.seek(4)
  const rest = []
  for await (const { step } of loader) rest.push(step)
  assert.deepEqual(rest, [4n, 5n])
})

test('rows of a filter are a stream', async () => {
  const { rows } = await streams()
  const odd = rows.filter('n >= 32').select(['n'])
  const loader = new Loader({ odd }, { batch: 8, mode: 'sequential' })
  assert.throws(() => loader.sampler, withCode('invalid_argument', /count\(\)/))
  const [batch] = await take(loader, 1)
  const stream = batch!.streams['odd']!
  assert.ok(stream.kind === 'table')
  assert.deepEqual(stream.column('n').data, Int32Array.from({ length: 8 }, (_, i) => 32 + i))
})

test('one iteration at a time', async () => {
  const { images } = await streams()
  const loader = new Loader({ images }, { batch: 4, seed: 1 })
  const iteration = loader[Symbol.asyncIterator]()
  await iteration.next()
  await assert.rejects(loader[Symbol.asyncIterator]().next(), withCode('invalid_argument', /already/))
  await iteration.return?.()
  assert.equal((await loader[Symbol.asyncIterator]().next()).done, false)
})

test('a signal of a call stops the waiting only, one of the loader everything', async () => {
  const url = `${server.origin}/zrecord/stores/dense_u8_img_zstd/`
  const path = '/zrecord/stores/dense_u8_img_zstd/0.chunk'
  const images = await DenseStore.open(fromUrl(url, { cache: { bytes: 0 } }))
  const reason = new Error('enough')
  const whole = new AbortController()
  const loader = new Loader({ images }, { batch: 4, seed: 1, signal: whole.signal })
  server.setFaults(path, { delay: 200 })
  const call = new AbortController()
  setTimeout(() => call.abort(reason), 20)
  await assert.rejects(loader.next({ signal: call.signal }), reason)
  assert.equal((await loader.next())!.step, 0n)
  server.setFaults(path, {})
  whole.abort(reason)
  await assert.rejects(loader.next(), reason)
})

test('records that cannot be read end the loader, or are left out and told of', async () => {
  const files = filesOf('dense_u8_img_zstd')
  files.get('0.chunk')![10]! ^= 0xff
  const images = await DenseStore.open(fromMemory(files))
  const order = { batch: 8, mode: 'sequential' } as const
  const failing = new Loader({ images }, order)
  await assert.rejects(failing.next(), (error) => withCode('corrupt_record')(error) && (error as RecaskError).stream === 'images')
  await assert.rejects(failing.next(), withCode('corrupt_record'))
  await failing.seek(1)
  assert.equal((await failing.next())!.step, 1n)
  const lost: [string, bigint, number | undefined][] = []
  const onLost = (loss: { stream: string; step: bigint; record?: number }) => lost.push([loss.stream, loss.step, loss.record])
  const skipping = new Loader({ images }, { ...order, onLoss: 'skip_records', onLost })
  assert.deepEqual((await skipping.next())!.indices, BigUint64Array.of(1n, 2n, 3n, 4n, 5n, 6n, 7n))
  assert.deepEqual(lost, [['images', 0n, 0]])
  const stepping = new Loader({ images }, { ...order, onLoss: 'skip_steps', onLost })
  assert.equal((await stepping.next())!.step, 1n)
  assert.equal(lost.length, 2)
})

test('says what is wrong with streams and options', async () => {
  const { images, files } = await streams()
  await assert.rejects(new Loader({}, { batch: 1 }).next(), withCode('invalid_argument', /at least one/))
  await assert.rejects(new Loader({ images: 5 as never }, { batch: 1 }).next(), withCode('invalid_argument', /a number/))
  await assert.rejects(new Loader({ images }, { batch: 0, seed: 1 }).next(), withCode('invalid_argument', /batch/))
  await assert.rejects(new Loader({ images }, { batch: 4 }).next(), withCode('invalid_argument', /needs a seed/))
  await assert.rejects(new Loader({ images }, { batch: 4, seed: 1, rank: 4, world: 2 }).next(), withCode('invalid_argument'))
  await assert.rejects(new Loader({ images }, { batch: 4, mode: 'random' as never }).next(), withCode('invalid_argument', /random/))
  assert.throws(() => new Loader({ images }, { batch: 4, prefetch: 0.5 }), withCode('invalid_argument', /prefetch/))
  const short = await DenseStore.open(fromMemory(filesOf('dense_u8_img_raw')))
  await assert.rejects(new Loader({ images, short }, { batch: 4, seed: 1 }).next(), (error) => error instanceof RecaskError)
  const writer = await DenseStore.open(fromMemory(files).folder('images'), { write: true })
  await assert.rejects(new Loader({ writer }, { batch: 4, seed: 1 }).next(), withCode('invalid_argument', /without write/))
  await writer.close()
})

test('samplers', () => {
  const sampler = new Sampler({ mode: 'cyclic', length: 10, batch: 4, seed: 5 })
  assert.deepEqual([sampler.rank, sampler.world, sampler.stepsPerCycle], [0, 1, 2n])
  const epoch = sampler.epoch(1)
  assert.ok(epoch.end > epoch.start)
  const [first] = sampler.stepsOf(3, { from: 2 })
  assert.equal(sampler.at(first!.step)[first!.position], 3n)
  assert.ok(first!.step >= 2n)
  assert.deepEqual(sampler.stepsOf(3, { count: 0 }), [])
  assert.throws(() => sampler.stepsOf(3, { count: 2 ** 20 + 1 }), { code: 'invalid_argument', message: /at most 1048576/ })
  assert.equal(sampler.shard(1, 2).at(0).length, 2)
  assert.equal(new Sampler({ mode: 'iid_seek', length: 2n ** 60n, batch: 2, seed: 1 }).at(2n ** 40n).length, 2)
  assert.equal(new Sampler({ mode: 'sequential', length: 10, batch: 4 }).at(0)[3], 3n)
  assert.throws(() => new Sampler({ mode: 'cyclic', length: 0, batch: 4 }), withCode('invalid_argument'))
  assert.throws(() => new Sampler({ mode: 'cyclic', length: 1.5, batch: 4 }), withCode('invalid_argument', /length/))
  assert.throws(() => sampler.at(-1), withCode('invalid_argument', /a step/))
})
