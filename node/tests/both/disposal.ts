import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DenseStore as Dense, Loader as AnyLoader, Table as AnyTable } from '../../ts/index.js'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function disposal({ recask, isNative }: Door): void {
  const { DenseStore, Loader, Table } = recask
  const isClosed = { code: 'invalid_argument', message: /closed/ }

  describe('disposal', () => {
    it('closes what await using brought', async () => {
      const kept: { store?: Dense; table?: AnyTable; loader?: AnyLoader } = {}
      const [place, file] = [nowhere(), nowhere('some.cstore')]
      {
        await using store = await DenseStore.create(place, { dtype: 'u1' })
        await store.append(Uint8Array.of(1, 2, 3))
        await using writer = await Table.create(file)
        await writer.write({ a: Int8Array.of(1, 2, 3) })
        await writer.commit()
        await using table = await Table.open(file)
        await using loader = new Loader({ table }, { batch: 1 })
        await loader.next()
        Object.assign(kept, { store, table, loader })
      }
      await fails(() => kept.store!.gather(0), isClosed)
      await fails(() => kept.table!.columns(), isClosed)
      await fails(() => kept.loader!.next(), isClosed)
      const again = await DenseStore.open(place, { write: true })
      assert.equal(again.length, 3)
      await again.close()
    })

    // Nothing works at once in WebAssembly.
    if (!isNative) return

    it('closes at once what using brought', async () => {
      let kept: Dense | undefined
      const place = nowhere()
      {
        using store = await DenseStore.create(place, { dtype: 'u1' })
        await store.append(Uint8Array.of(1))
        kept = store
      }
      await fails(() => kept!.gather(0), isClosed)
      using again = DenseStore.openSync(place, { write: true })
      assert.equal(again.length, 1)
    })
  })
}
