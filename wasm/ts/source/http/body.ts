/** Hands over a body as it arrives. Whoever throws from `take` cancels what is left. */
export async function eachPiece(response: Response, take: (piece: Uint8Array) => void): Promise<void> {
  if (!response.body) {
    take(new Uint8Array(await response.arrayBuffer()))
    return
  }
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      take(value)
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {})
    throw error
  }
}

/** Lets the rest of an answer go. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}
