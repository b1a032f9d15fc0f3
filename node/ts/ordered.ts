/**
 * Does work for every item, at most so many at a time, and gives what comes of it in the order of the items. Whoever leaves early
 * waits for nothing; nothing new is begun.
 */
export async function* ordered<Item, Result>(
  items: Iterable<Item>,
  most: number,
  work: (item: Item) => Result | PromiseLike<Result>,
): AsyncGenerator<Awaited<Result>, void, undefined> {
  const coming: Promise<Awaited<Result>>[] = []
  const iterator = items[Symbol.iterator]()
  const begin = () => {
    const { done, value } = iterator.next()
    if (done) return false
    const result = (async () => work(value))() as Promise<Awaited<Result>>
    // Whoever takes it is told.
    result.catch(() => {})
    coming.push(result)
    return true
  }
  while (coming.length < most && begin());
  for (let next = coming.shift(); next; next = coming.shift()) {
    const result = await next
    begin()
    yield result
  }
}
