/** A module that does as it is told, in place of WebAssembly. */

import { setRunning } from '../../ts/module.js'
import type { Need, RawFiles, RawModule } from '../../ts/raw.js'
import type { Brought, Source } from '../../ts/source/source.js'

/** What was put, and what is known. */
export class FakeFiles implements RawFiles {
  static count = 0
  readonly id = ++FakeFiles.count
  readonly known = new Map<string, number | 'absent'>()
  /** What a call sees at the moment. */
  spans: { name: string; start: number; bytes: Uint8Array }[] = []
  isComplete = false
  isFreed = false

  know(name: string, length: number): void {
    this.known.set(name, length)
  }

  absent(name: string): void {
    this.known.set(name, 'absent')
  }

  complete(): void {
    this.isComplete = true
  }

  forget(): void {
    this.known.clear()
    this.isComplete = false
  }

  put(name: string, start: number, bytes: Uint8Array): void {
    this.spans.push({ name, start, bytes: bytes.slice() })
  }

  clear(): void {
    this.spans = []
  }

  free(): void {
    this.isFreed = true
  }

  /** As the core reads: the bytes, or a request for them. */
  read(name: string, start: number, end: number): Uint8Array {
    const span = this.spans.find((one) => one.name === name && one.start <= start && end <= one.start + one.bytes.length)
    if (span) return span.bytes.slice(start - span.start, end - span.start)
    throw { needs: [{ files: this.id, name, start, end }] }
  }
}

/** A place of files whose bytes are 0, 1, 2, …; it counts what it is asked for. */
export class FakeSource implements Source {
  readonly kind = 'folder'
  readonly coalescing = { gap: 0, max: 1024 }
  readonly reads: Need[][] = []
  /** Awaited before every answer. */
  hold: Promise<void> = Promise.resolve()
  renewed = 0

  constructor(
    readonly name = 'place',
    readonly files: ReadonlyMap<string, number> = new Map(),
    readonly lists = false,
  ) {}

  async list() {
    return this.lists ? { files: this.files, folders: [] } : undefined
  }

  folder(): Source {
    return this
  }

  file(): Source {
    return this
  }

  reopened(): Source {
    this.renewed += 1
    return this
  }

  async read(requests: readonly Need[], signal?: AbortSignal): Promise<Brought[]> {
    this.reads.push([...requests])
    await this.hold
    signal?.throwIfAborted()
    return requests.map(({ files, name, start, end }) => {
      const length = this.files.get(name)
      if (length === undefined) return { files, name, absent: true }
      const bytes = Uint8Array.from({ length: Math.max(0, Math.min(end, length) - start) }, (_, i) => (start + i) % 256)
      return { files, name, start, bytes, length }
    })
  }
}

/** Starts the fake; `more` are the functions that a test needs. */
export function startFake(more: Partial<RawModule> = {}, memory = 1 << 20): { coalescing: number[] } {
  const seen = { coalescing: [] as number[] }
  const raw = {
    setMemoryLimit() {},
    setCoalescing(gap: number, max: number) {
      seen.coalescing = [gap, max]
    },
    RawFiles: FakeFiles,
    ...more,
  }
  setRunning(raw as unknown as RawModule, memory)
  return seen
}
