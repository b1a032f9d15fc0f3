/**
 * The unit in which a column or store counts dates and spans of time, as NumPy names it: `Y`, `M`, `W`, `D`, `h`, `m`, `s`, `ms`,
 * `us`, `ns`, …; `undefined` for all other types.
 *
 * ```js
 * const { data, dtype } = await table.column('time')
 * if (dateUnit(dtype) === 'ns') new Date(Number(data[0] / 1_000_000n))
 * ```
 */
export function dateUnit(dtype: string): string | undefined {
  return /^[<>|=][Mm]8\[(\w+)\]$/.exec(dtype)?.[1]
}

/** What stands for a missing date, NumPy's NaT. */
export const NOT_A_TIME = -(2n ** 63n)
