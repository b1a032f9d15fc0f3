/** Makes `await using` close instances of a class, where the runtime knows of it. */
export function disposable(type: { readonly prototype: { close(): Promise<void> } }): void {
  if (!Symbol.asyncDispose) return
  Object.defineProperty(type.prototype, Symbol.asyncDispose, {
    configurable: true,
    writable: true,
    value(this: { close(): Promise<void> }) {
      return this.close()
    },
  })
}

/** Gives back what belongs to objects that nobody closed and nobody has any more. */
const forgotten = new FinalizationRegistry<() => unknown>((giveBack) => {
  try {
    giveBack()
  } catch {
    // Nobody is there to be told.
  }
})

/** `giveBack` must not lead to `object`. */
export function whenForgotten(object: object, giveBack: () => unknown): void {
  forgotten.register(object, giveBack, object)
}

/** It was closed. */
export function remembered(object: object): void {
  forgotten.unregister(object)
}
