/** What is under way, cases and calls of the file system: what a test that hangs waits for. */

type Call = (this: { readonly name?: string }, ...given: unknown[]) => Promise<unknown>
type Calls = Record<string, Call>

/** With whom they were asked: see `ts/directory/held.ts`, which the calls of the tests themselves do without. */
const waiting = new Map<symbol, { readonly what: string; readonly asked?: unknown }>()
let isWatching = false

/** Watches the calls of this page or worker from now on. */
export function watchCalls(): void {
  if (isWatching) {
    return
  }
  isWatching = true
  watch(FileSystemDirectoryHandle.prototype, ['getFileHandle', 'getDirectoryHandle', 'removeEntry'])
  watch(FileSystemFileHandle.prototype, ['getFile', 'createSyncAccessHandle', 'createWritable', 'move'])
  const { entries } = FileSystemDirectoryHandle.prototype
  FileSystemDirectoryHandle.prototype.entries = function () {
    const iterator = entries.call(this)
    const next = iterator.next.bind(iterator)
    iterator.next = (...given) => watched(`next entry of ${this.name}`, next(...given), iterator)
    return iterator
  }
}

/** Remembers what is awaited until it is there. */
export async function watched<T>(what: string, answer: Promise<T>, asked?: unknown): Promise<T> {
  const key = Symbol()
  waiting.set(key, { what, asked })
  try {
    return await answer
  } finally {
    waiting.delete(key)
  }
}

/** What began and did not end. */
export async function underWay(): Promise<string[]> {
  return [...waiting.values()].map(({ what }) => what)
}

function watch(prototype: object, names: readonly string[]): void {
  const calls = prototype as Calls
  for (const name of names) {
    const call = calls[name]
    if (call !== undefined) {
      calls[name] = function (...given) {
        const names = given.filter((one) => typeof one === 'string')
        return watched([name, this.name, ...names].join(' '), call.apply(this, given), this)
      }
    }
  }
}
