import assert from 'node:assert/strict'

/** What an error of Recask says. */
export interface Wanted {
  readonly code: string
  readonly message?: RegExp
  readonly file?: string | RegExp
  readonly record?: number
  readonly place?: string
  readonly step?: bigint
}

/** The call, or the promise, fails with an error of Recask. */
export async function fails(
  work: () => unknown,
  wanted: Wanted | string,
): Promise<Error & { readonly code: string; readonly offset?: number }> {
  const { code, message, file, ...fields } = typeof wanted === 'string' ? { code: wanted } : wanted
  let error: unknown
  try {
    await work()
  } catch (thrown) {
    error = thrown
  }
  assert.ok(error instanceof Error, `it does not fail with ${code}`)
  const found = error as Error & { readonly code: string; readonly file?: string }
  assert.deepEqual([found.name, found.code], ['RecaskError', code], found.stack)
  if (message) assert.match(found.message, message)
  if (file instanceof RegExp) assert.match(String(found.file), file)
  else if (file !== undefined) assert.equal(found.file, file)
  for (const [name, value] of Object.entries(fields))
    assert.deepEqual((found as unknown as Record<string, unknown>)[name], value, name)
  return found
}
