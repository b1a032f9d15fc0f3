/** What `Content-Range` says: `bytes 0-9/100`, `bytes 0-9/*` or, of a 416, `bytes *\/100`. */
export interface ContentRange {
  /** Absent of a 416. */
  readonly start: number | undefined
  /** Not included. */
  readonly end: number | undefined
  readonly total: number | undefined
}

/** `undefined` where the header cannot be understood. */
export function parseContentRange(text: string): ContentRange | undefined {
  const match = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/i.exec(text.trim())
  if (!match) return undefined
  const [, first, last, all] = match
  const start = first === undefined ? undefined : Number(first)
  const end = last === undefined ? undefined : Number(last) + 1
  const total = all === '*' ? undefined : Number(all)
  const isSafe = [start, end, total].every((value) => value === undefined || Number.isSafeInteger(value))
  const isOrdered = (start ?? 0) < (end ?? 1) && (end ?? 0) <= (total ?? Infinity)
  return isSafe && isOrdered ? { start, end, total } : undefined
}
