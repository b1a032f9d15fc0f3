import { parentPort, workerData } from 'node:worker_threads'

import { addon, ALL } from './addon.mjs'

const { place, rounds } = workerData
const store = await addon.openStore(place, {})
let done = 0
for (; done < rounds; done++) {
  const [first, second] = await Promise.all([store.gatherDense(ALL), store.gatherDense([0, 10, 1])])
  if (first.bytes[1024] !== 1 || second.bytes.length !== 10 * 1024) break
  await store.gatherDenseInto(ALL, first.bytes)
  if (done % 2 === 0) addon.release(first.bytes)
}
parentPort.postMessage(done)
