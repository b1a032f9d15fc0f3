import { Table } from './table.js'

/** Writes a table with the names and sizes of files, one row for each. */
export async function listing(path: string, names: readonly string[], sizes: readonly number[]): Promise<void> {
  const writer = await Table.create(path)
  try {
    await writer.write({ name: texts(names), size: BigInt64Array.from(sizes, BigInt) })
    await writer.close()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Texts as NumPy has them: as many characters of four bytes for each as the longest has, filled up with zeros. */
function texts(names: readonly string[]): { data: Uint8Array; dtype: string } {
  const characters = names.map((name) => Array.from(name, (character) => character.codePointAt(0)!))
  const width = characters.reduce((most, { length }) => Math.max(most, length), 1)
  const view = new DataView(new ArrayBuffer(names.length * width * 4))
  characters.forEach((points, row) => points.forEach((point, at) => view.setUint32((row * width + at) * 4, point, true)))
  return { data: new Uint8Array(view.buffer), dtype: `<U${width}` }
}
