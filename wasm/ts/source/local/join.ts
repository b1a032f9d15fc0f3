import type { Coalescing } from '../source.js'

/** Ranges that are read as one, as positions in the list. */
export interface Joined {
  readonly start: number
  end: number
  readonly positions: number[]
}

/** Joins ranges that are near each other. */
export function join(
  ranges: readonly { readonly start: number; readonly end: number }[],
  { gap, max }: Coalescing,
): Joined[] {
  const sorted = ranges.map(({ start, end }, position) => ({ start, end, position })).sort((a, b) => a.start - b.start)
  const all: Joined[] = []
  for (const { start, end, position } of sorted) {
    const last = all.at(-1)
    if (last && start - last.end <= gap && Math.max(end, last.end) - last.start <= max) {
      last.end = Math.max(end, last.end)
      last.positions.push(position)
    } else {
      all.push({ start, end, positions: [position] })
    }
  }
  return all
}
