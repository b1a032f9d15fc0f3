// The JPEGs of a folder become a store, as they are, beside a table of their names and one of their widths and heights.
//
//     node photos.js FOLDER DEST
//
// Files that are no JPEGs, whatever they are called, are left out.

import { join } from 'node:path'
import { importFiles, openAny, Table } from 'recask'

const [folder = '.', dest = 'photos'] = process.argv.slice(2)
const sizes = new Map()
const made = await importFiles('**/*.{jpg,jpeg,JPG,JPEG}', dest, {
  cwd: folder,
  names: true,
  decode(bytes, path) {
    const size = sizeOfJpeg(bytes)
    if (!size) return undefined
    sizes.set(path, size)
    return bytes
  },
})

// Files are decoded several at a time: the table of names says in which order they were stored.
const names = await Table.open(made.names)
const rows = await names.toRows()
await names.close()
const writer = await Table.create(join(dest, 'sizes.cstore'))
await writer.write({
  width: Int32Array.from(rows, ({ name }) => sizes.get(name).width),
  height: Int32Array.from(rows, ({ name }) => sizes.get(name).height),
})
await writer.close()

const bytes = rows.reduce((sum, { size }) => sum + size, 0n)
console.log(`${made.records} photos of ${bytes} bytes in ${dest}, ${made.skipped} left out`)
for (const { name, size } of rows.slice(0, 10)) {
  const { width, height } = sizes.get(name)
  console.log(`${name}: ${width} x ${height}, ${size} bytes`)
}

// All three have a row or record for each photo: a Loader reads them together.
const { streams } = await openAny(dest)
for (const [name, stream] of Object.entries(streams)) {
  console.log(`${name}: ${stream.kind}, ${stream.length}`)
  await stream.close()
}

/** What the frame header says; nothing where the bytes are no JPEG. */
function sizeOfJpeg(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  // Segments follow each other: a marker, and a length that counts itself.
  for (let at = 2; at + 9 <= view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    if (marker < 0xff00) return undefined
  }
  return undefined
}
