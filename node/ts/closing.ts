interface Closable {
  close(): Promise<void>
  closeSync(): void
}

/** Makes `using` and `await using` close instances of a class, where the runtime knows of them. */
export function disposable(type: { readonly prototype: Closable }): void {
  define(type.prototype, Symbol.dispose, function (this: Closable) {
    this.closeSync()
  })
  define(type.prototype, Symbol.asyncDispose, function (this: Closable) {
    return this.close()
  })
}

function define(prototype: object, symbol: symbol | undefined, value: unknown): void {
  if (symbol) Object.defineProperty(prototype, symbol, { configurable: true, writable: true, value })
}
