import type { OpenFile } from './folder.js'

/** For how long a file stays open after it was used, in milliseconds: reads follow each other at once. */
const IDLE = 10
/** For how long it is used without being opened anew, in milliseconds: whoever wants to write waits for that. */
const MOST = 100

interface Held {
  readonly file: Promise<OpenFile | undefined>
  readonly since: number
  users: number
  timer?: ReturnType<typeof setTimeout>
}

/** Files that stay open for a moment between reads. Only those are held that have to be closed. */
export class HeldFiles {
  readonly #held = new Map<string, Held>()

  /** The file of this name, which is opened where it is not open. Whoever gets it closes it. */
  async use(name: string, open: () => Promise<OpenFile | undefined>): Promise<OpenFile | undefined> {
    const held = this.#fresh(name) ?? this.#hold(name, open)
    held.users += 1
    clearTimeout(held.timer)
    let file: OpenFile | undefined
    try {
      file = await held.file
    } finally {
      if (!file?.close) this.#forget(name, held)
    }
    if (!file?.close) return file
    const close = () => this.#leave(name, held)
    return { size: file.size, read: (start, end) => file.read(start, end), close }
  }

  /** Closes what nobody uses, and the others when they are not used any more. */
  letGo(): void {
    for (const [name, held] of this.#held) {
      this.#forget(name, held)
      if (held.users === 0) close(held)
    }
  }

  #fresh(name: string): Held | undefined {
    const held = this.#held.get(name)
    return held && performance.now() - held.since < MOST ? held : undefined
  }

  #hold(name: string, open: () => Promise<OpenFile | undefined>): Held {
    const held: Held = { file: open(), since: performance.now(), users: 0 }
    const old = this.#held.get(name)
    if (old?.users === 0) close(old)
    this.#held.set(name, held)
    return held
  }

  #leave(name: string, held: Held): void {
    held.users -= 1
    if (held.users > 0) return
    if (this.#fresh(name) !== held) {
      this.#forget(name, held)
      close(held)
      return
    }
    held.timer = setTimeout(() => {
      this.#forget(name, held)
      close(held)
    }, IDLE)
  }

  #forget(name: string, held: Held): void {
    if (this.#held.get(name) === held) this.#held.delete(name)
  }
}

function close({ file, timer }: Held): void {
  clearTimeout(timer)
  // One that did not open has told those who wanted it.
  file.then(
    (opened) => opened?.close?.(),
    () => {},
  )
}
